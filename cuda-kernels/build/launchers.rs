//! Writes the Rust twins of the structs in the CUDA source, and a launcher for each kernel.

use crate::{
    source::{File, Kernel, Variable},
    types::{Found, Kind, Note, Sources},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io,
};

/// What all modules begin with.
const PRELUDE: &str = "use crate::{
    common::numerics::{fields::Packed, reduce::{PARTIALS, reduce_blocks}},
    device::{
        error::CudaError,
        executor::{Argument, Executor, Field, In, Kernel, Launch, Out, Plain, Points, Writable},
        launch::{Call, Launched, Parameter},
        layout::{Block, Member},
    },
};
use sph_core::Real;
";

/// What Rust reserves, of the names that the source has.
fn rust_name(name: &str) -> String {
    if matches!(name, "box" | "in" | "type" | "ref" | "move") { format!("r#{name}") } else { name.to_owned() }
}

/// The text of each module with kernels or structs, and the structs that formulas share with the host.
pub fn generate(sources: &Sources) -> io::Result<(BTreeMap<String, String>, Vec<Found<'_>>)> {
    let mut modules = BTreeMap::<String, String>::new();
    let twins = twins(sources)?;
    for file in &sources.files {
        let text = modules.entry(sources.module(&file.name)).or_insert_with(|| PRELUDE.to_owned());
        for (name, value) in &file.constants {
            let constant = format!("pub const {name}: u32 = {value};\n");
            if !text.contains(&constant) {
                text.push_str(&constant);
            }
        }
        for of in file.structs.iter().filter(|of| twins.contains(&(file.name.as_str(), of.name.as_str()))) {
            write_struct(sources, Found { file, of }, text)
                .map_err(|e| file.error(of.line, &format!("struct `{}`: {e}", of.name)))?;
        }
        write_launchers(sources, file, text)?;
    }
    for folder in method_folders(sources) {
        let smooth =
            sources.files.iter().any(|f| f.name.starts_with(&folder) && !f.listed("SMOOTHING ").is_empty());
        let text = modules.entry(format!("crate::{folder}")).or_default();
        text.push_str(&launcher(smooth));
    }
    let shared = shared(sources, &twins);
    let text = modules.entry("crate::twins".into()).or_default();
    text.push_str("use crate::device::layout::{Member, of};\n");
    let _ =
        writeln!(text, "/// All structs that formulas share with the host, with the names of their twins.");
    let _ = writeln!(
        text,
        "pub fn blocks<const D: usize>() -> Vec<(&'static str, Vec<Member>, usize)> {{\n    vec!["
    );
    for found in &shared {
        let ty = sources.raw(found.file, &found.of.name)?;
        let _ = writeln!(text, "        of::<{ty}>(),");
    }
    text.push_str("    ]\n}\n");
    Ok((modules, shared))
}

/// Folders of methods: their launchers have constants.
fn method_folders(sources: &Sources) -> BTreeSet<String> {
    let formula = |file: &File| file.name.strip_suffix("/formula.cuh").map(str::to_owned);
    sources.files.iter().filter_map(formula).collect()
}

/// The structs that kernels take, with those in them, and those with the tag `TWIN`.
fn twins(sources: &Sources) -> io::Result<BTreeSet<(&str, &str)>> {
    let mut twins = BTreeSet::new();
    let mut next = Vec::new();
    for file in &sources.files {
        let parameters = file.kernels.iter().flat_map(|kernel| &kernel.parameters);
        next.extend(parameters.filter_map(|parameter| sources.find(file, &parameter.ty)));
        let tagged = file.structs.iter().filter(|of| of.tags.iter().any(|(tag, _)| tag == "TWIN"));
        next.extend(tagged.map(|of| Found { file, of }));
    }
    while let Some(Found { file, of }) = next.pop() {
        if matches!(of.name.as_str(), "Packed" | "Points" | "Writable") {
            continue;
        }
        if twins.insert((file.name.as_str(), of.name.as_str())) {
            next.extend(of.fields.iter().filter_map(|field| sources.find(file, &field.ty)));
        }
    }
    Ok(twins)
}

/// Twins by value in files of plain C++: those that formulas include.
fn shared<'a>(sources: &'a Sources, twins: &BTreeSet<(&str, &str)>) -> Vec<Found<'a>> {
    let formulas = sources.files.iter().filter(|file| file.name.ends_with("/formula.cuh"));
    let names: BTreeSet<_> = formulas.flat_map(|file| sources.closure(file)).map(|file| &file.name).collect();
    let all = sources.files.iter().filter(|file| names.contains(&file.name));
    let structs = all.flat_map(|file| file.structs.iter().map(move |of| Found { file, of }));
    structs.filter(|f| twins.contains(&(f.file.name.as_str(), f.of.name.as_str()))).collect()
}

/// Comments as rustdoc takes them: brackets are units and shapes, no links.
fn docs(lines: &[String], indent: &str, text: &mut String) {
    for line in lines {
        let parts = line.split('`').enumerate().map(|(k, part)| {
            if k % 2 == 0 {
                part.replace('[', "\\[").replace(']', "\\]").replace('<', "\\<")
            } else {
                part.to_owned()
            }
        });
        let line = parts.collect::<Vec<_>>().join("`");
        let _ = writeln!(text, "{}", format!("{indent}/// {line}").trim_end());
    }
}

fn write_struct(sources: &Sources, found: Found<'_>, text: &mut String) -> io::Result<()> {
    let Found { file, of } = found;
    let kind = sources.kind(found);
    let (name, is_value) = (&of.name, kind == Kind::Value);
    let ending = if matches!(kind, Kind::Borrowed | Kind::From) { "Raw" } else { "" };
    let has_dim = sources.has_dim(found, false);
    let (dim, of_dim) = if has_dim { ("<const D: usize>", "<D>") } else { ("", "") };
    docs(&of.docs, "", text);
    let same = if is_value { ", PartialEq" } else { "" };
    let _ =
        writeln!(text, "#[derive(Clone, Copy, Debug{same})]\n#[repr(C)]\npub struct {name}{ending}{dim} {{");
    let (mut defaults, mut members) = (String::new(), String::new());
    for field in &of.fields {
        let ty = sources.raw_field(file, field)?;
        docs(&field.docs, "    ", text);
        let field_name = rust_name(&field.name);
        let _ = writeln!(text, "    pub {field_name}: {ty},");
        let zero = field.lengths.iter().rev().try_fold("Default::default()".to_owned(), |inner, length| {
            let length = if length == "DIM" { "D".into() } else { sources.number(file, length)?.to_string() };
            Some(format!("[{inner}; {length}]"))
        });
        let _ = write!(defaults, "{field_name}: {}, ", zero.unwrap_or_default());
        let _ = write!(
            members,
            "Member::new({:?}, std::mem::offset_of!(Self, {field_name}), size_of::<{ty}>()), ",
            field.name
        );
    }
    let _ = writeln!(
        text,
        "}}\nimpl{dim} Default for {name}{ending}{of_dim} {{\n    fn default() -> Self {{\n        Self {{ {defaults} }}\n    }}\n}}"
    );
    if is_value {
        let _ = writeln!(text, "// SAFETY: of `repr(C)`, of numbers alone, of which all may be zero.");
        let _ = writeln!(text, "unsafe impl{dim} Plain for {name}{of_dim} {{}}");
        let _ = writeln!(
            text,
            "impl{dim} Block for {name}{of_dim} {{\n    const TWIN: &'static str = {:?};\n    \
             fn members() -> Vec<Member> {{\n        vec![{members}]\n    }}\n}}",
            of.twin()
        );
    }
    if kind == Kind::Borrowed { write_borrowed(sources, found, text) } else { Ok(()) }
}

/// The struct of borrowed fields, and how it becomes addresses.
fn write_borrowed(sources: &Sources, found: Found<'_>, text: &mut String) -> io::Result<()> {
    let Found { file, of } = found;
    let name = &of.name;
    docs(&of.docs, "", text);
    let types: Vec<_> =
        of.fields.iter().map(|field| sources.taken(file, field)).collect::<io::Result<_>>()?;
    let is_shared = of.fields.iter().all(|field| !is_exclusive(sources, file, field));
    let copy = if is_shared { "Clone, Copy, " } else { "" };
    let (dim, of_dim) = if sources.has_dim(found, true) { (", const D: usize", ", D") } else { ("", "") };
    let _ = writeln!(text, "#[derive({copy}Debug)]\npub struct {name}<'a{dim}> {{");
    for (field, ty) in of.fields.iter().zip(&types) {
        docs(&field.docs, "    ", text);
        let _ = writeln!(text, "    pub {}: {ty},", rust_name(&field.name));
    }
    let constants = constants(sources, file);
    let (generics, c, dim_of_raw) = match &constants {
        Some(constants) => ("const D: usize".to_owned(), constants.as_str(), ""),
        None if dim.is_empty() => ("C".to_owned(), "C", ""),
        None => ("const D: usize, C".to_owned(), "C", ""),
    };
    let raw_dim = if sources.has_dim(found, false) { "<D>" } else { dim_of_raw };
    let names: Vec<_> = of.fields.iter().map(|field| rust_name(&field.name)).collect();
    let _ = writeln!(
        text,
        "}}\nimpl<'a, {generics}> Parameter<{c}> for {name}<'a{of_dim}> {{\n    type Raw = {name}Raw{raw_dim};\n    \
         fn raw(self, call: &Call<'_, {c}>, _: &'static str, n: usize) -> Result<Self::Raw, CudaError> {{\n        \
         let (c, Self {{ {} }}) = (call.constants, self);",
        names.join(", ")
    );
    for field in of.fields.iter().filter(|field| sources.is_passed(file, field)) {
        let _ = writeln!(text, "        let n_of_{}: usize = {};", field.name, Note::items(field));
    }
    let _ = writeln!(text, "        Ok({name}Raw {{");
    for field in &of.fields {
        let (name, plain) = (rust_name(&field.name), &field.name);
        let value = if sources.is_passed(file, field) {
            format!("Parameter::raw({name}, call, {plain:?}, n_of_{plain})?")
        } else {
            name.clone()
        };
        let _ = writeln!(text, "            {name}: {value},");
    }
    text.push_str("        })\n    }\n}\n");
    Ok(())
}

/// The constants that launchers of a file have, if it is of a method.
fn constants(sources: &Sources, file: &File) -> Option<String> {
    let folder = file.name.split('/').next()?;
    let is_method = method_folders(sources).contains(folder);
    (is_method && !sources.beside.contains(stem(file))).then(|| format!("crate::{folder}::Constants<D>"))
}

fn stem(file: &File) -> &str {
    file.name.rsplit_once('.').map_or("", |(stem, _)| stem)
}

/// True of what a launcher needs for itself.
fn is_exclusive(sources: &Sources, file: &File, variable: &Variable) -> bool {
    variable.is_pointer && !variable.is_const
        || variable.ty == "Writable"
        || sources.find(file, &variable.ty).is_some_and(|found| match sources.kind(found) {
            Kind::Borrowed => found.of.fields.iter().any(|field| is_exclusive(sources, found.file, field)),
            Kind::From => found.of.tags.iter().any(|(_, ty)| ty.contains("mut ")),
            _ => false,
        })
}

/// The set of launchers of a method.
fn launcher(smooth: bool) -> String {
    let field = if smooth {
        "    /// The smoothing kernel: [`KernelKind::type_name`](sph_core::kernel::KernelKind::type_name).\n    pub smoothing: &'a str,\n"
    } else {
        ""
    };
    format!(
        "/// Launches the kernels of the method, with one set of constants.\n#[derive(Clone, Copy, Debug)]\n\
         pub struct Launcher<'a, const D: usize> {{\n    /// Where they run.\n    pub executor: &'a dyn Executor,\n    \
         /// What they read.\n    pub constants: &'a Constants<D>,\n{}}}\n",
        field.replace("&'a str", "&'static str")
    )
}

fn write_launchers(sources: &Sources, file: &File, text: &mut String) -> io::Result<()> {
    if file.kernels.is_empty() {
        return Ok(());
    }
    let constants = constants(sources, file);
    if constants.is_some() {
        text.push_str("impl<const D: usize> Launcher<'_, D> {\n");
    }
    for kernel in &file.kernels {
        Writer { sources, file, constants: constants.is_some() }.launcher(kernel, text)?;
    }
    if constants.is_some() {
        text.push_str("}\n");
    }
    Ok(())
}

struct Writer<'a> {
    sources: &'a Sources,
    file: &'a File,
    /// True when launchers are methods that have constants.
    constants: bool,
}

impl Writer<'_> {
    /// The kernels that a launcher starts: its own, and that of the tag `THEN`.
    fn chain<'k>(&'k self, kernel: &'k Kernel) -> io::Result<Vec<(&'k File, &'k Kernel)>> {
        let mut chain = vec![(self.file, kernel)];
        for (_, name) in kernel.tags.iter().filter(|(tag, _)| tag == "THEN") {
            let of = |file| move |k: &'k Kernel| (k.name == *name).then_some((file, k));
            let all = self.sources.files.iter();
            let found = all.into_iter().find_map(|file| file.kernels.iter().find_map(of(file)));
            chain.push(
                found.ok_or_else(|| self.file.error(kernel.line, &format!("there is no kernel `{name}`")))?,
            );
        }
        Ok(chain)
    }

    /// Each parameter once, for itself if one of the kernels writes it.
    fn parameters<'k>(&self, chain: &[(&'k File, &Kernel)]) -> Vec<(Variable, bool, &'k File)> {
        let mut all = Vec::<(Variable, bool, &File)>::new();
        for (file, kernel) in chain {
            for parameter in &kernel.parameters {
                let exclusive = is_exclusive(self.sources, file, parameter);
                match all.iter_mut().find(|(known, ..)| known.name == parameter.name) {
                    Some((known, known_exclusive, _)) => {
                        if exclusive && !*known_exclusive {
                            known.is_const = parameter.is_const;
                        }
                        *known_exclusive |= exclusive;
                    }
                    None => all.push((parameter.clone(), exclusive, file)),
                }
            }
        }
        all
    }

    fn launcher(&self, kernel: &Kernel, text: &mut String) -> io::Result<()> {
        let chain = self.chain(kernel)?;
        let parameters = self.parameters(&chain);
        let mut taken = Vec::new();
        for (parameter, _, file) in parameters.iter().filter(|(p, ..)| !(self.constants && p.name == "c")) {
            let ty = self.sources.taken(file, parameter).map_err(|e| {
                self.file
                    .error(kernel.line, &format!("parameter `{}` of `{}`: {e}", parameter.name, kernel.name))
            })?;
            let ty = ty.replace("&'a ", "&").replace("<'a", "<'_");
            taken.push(format!("{}: {ty}", rust_name(&parameter.name)));
        }
        let needs_n =
            parameters.iter().any(|(p, _, file)| self.sources.is_passed(file, p) && Note::items(p) == "n");
        if needs_n && !parameters.iter().any(|(p, ..)| p.name == "n") {
            taken.push("n: usize".into());
        }
        docs(&kernel.docs, "", text);
        text.push_str("///\n/// # Errors\n/// When a field is too short, or a launch fails.\n");
        let method = self.file.name.split('/').next().is_some_and(|f| f != "common");
        let name = match kernel.name.split_once('_') {
            Some((_, name)) if method => name,
            _ => &kernel.name,
        };
        let begin = if self.constants {
            format!("pub fn {name}(&self, ")
        } else {
            let smooth =
                if self.file.listed("SMOOTHING ").is_empty() { "" } else { "smoothing: &'static str, " };
            format!("pub fn {name}<const D: usize>(executor: &dyn Executor, {smooth}")
        };
        let _ = writeln!(text, "{begin}{}) -> Launched {{", taken.join(", "));
        if self.constants {
            text.push_str("    let (executor, c) = (self.executor, self.constants);\n");
        } else {
            text.push_str("    let c = &();\n");
        }
        let last = chain.len() - 1;
        for (k, (file, kernel)) in chain.iter().enumerate() {
            self.start(file, kernel, &parameters, k == last, text)?;
        }
        text.push_str("}\n");
        Ok(())
    }

    /// What a launch passes for a parameter.
    fn argument(
        &self,
        file: &File,
        parameter: &Variable,
        all: &[(Variable, bool, &File)],
        is_last: bool,
    ) -> String {
        let plain = &parameter.name;
        let name = rust_name(plain);
        let exclusive = all.iter().any(|(p, exclusive, _)| p.name == *plain && *exclusive);
        let own = is_exclusive(self.sources, file, parameter);
        let is_field = parameter.is_pointer || matches!(parameter.ty.as_str(), "Points" | "Writable");
        let is_optional = Note::of(parameter).or_none;
        let given = match (is_field && !is_last && !is_optional, exclusive, own) {
            (_, true, false) if is_field => format!("&*{name}"),
            (true, true, true) => format!("&mut *{name}"),
            _ => name.clone(),
        };
        match parameter.ty.as_str() {
            _ if self.sources.is_passed(file, parameter) => {
                format!("Parameter::raw({given}, &call, {plain:?}, n_of_{plain})?")
            }
            "u32" if plain.starts_with("n_") || plain == "n" => {
                format!("crate::device::executor::count({name})?")
            }
            "u32" if Note::of(parameter).is_bool => format!("u32::from({name})"),
            _ if self.constants && plain == "c" => "*c".into(),
            _ => name.clone(),
        }
    }

    fn start(
        &self,
        file: &File,
        kernel: &Kernel,
        all: &[(Variable, bool, &File)],
        is_last: bool,
        text: &mut String,
    ) -> io::Result<()> {
        let Kernel { name, parameters, .. } = kernel;
        let _ = writeln!(
            text,
            "    {{\n    let call = Call {{ executor, constants: c, kernel: Kernel {{ file: {:?}, name: {name:?} }} }};",
            file.name
        );
        let passed: Vec<_> = parameters.iter().filter(|p| self.sources.is_passed(file, p)).collect();
        for parameter in &passed {
            let _ = writeln!(text, "    let n_of_{}: usize = {};", parameter.name, Note::items(parameter));
        }
        let (threads, blocks) = self.grid(file, kernel)?;
        let smoothing = match (file.listed("SMOOTHING ").is_empty(), self.constants) {
            (true, _) => "None",
            (false, true) => "Some(self.smoothing)",
            (false, false) => "Some(smoothing)",
        };
        let _ = writeln!(
            text,
            "    let launch = Launch {{ kernel: call.kernel, dim: D, smoothing: {smoothing}, blocks: {blocks}, threads: {threads} }};"
        );
        let mut arguments = Vec::new();
        for parameter in parameters {
            let (plain, value) = (&parameter.name, self.argument(file, parameter, all, is_last));
            let _ = writeln!(text, "    let a_{plain} = {value};");
            arguments.push(format!("Argument::named({plain:?}, &a_{plain})"));
        }
        let _ = writeln!(
            text,
            "    // SAFETY: the arguments are made of the signature, and fields have the lengths that it states.\n    \
             unsafe {{ executor.launch(launch, &[{}]){} }}\n    }}",
            arguments.join(", "),
            if is_last { "" } else { "?;" }
        );
        Ok(())
    }

    /// Threads a block, and blocks.
    fn grid(&self, file: &File, kernel: &Kernel) -> io::Result<(u32, String)> {
        let bound = kernel.threads.as_deref().and_then(|bound| self.sources.number(file, bound));
        let threads = bound.ok_or_else(|| {
            file.error(kernel.line, &format!("`{}` has no launch bounds that Rust knows", kernel.name))
        })?;
        let tag = |tag| kernel.tags.iter().find(|(name, _)| name == tag).map(|(_, rest)| rest.as_str());
        let partial = kernel.parameters.iter().find(|p| p.name == "partial");
        let blocks = match (tag("BLOCKS"), partial) {
            (Some(blocks), _) => format!("crate::device::executor::count({blocks})?"),
            (None, Some(partial)) if partial.is_const => "1".into(),
            (None, Some(_)) => "reduce_blocks(n)?".into(),
            (None, None) => format!(
                "crate::device::executor::count({})?.div_ceil({threads})",
                tag("ITEMS").unwrap_or("n")
            ),
        };
        Ok((threads, blocks))
    }
}
