//! Reads the CUDA source: signatures of kernels, structs, constants. No parser of C++: it knows how the files here look,
//! and says where one looks otherwise.

use std::{fs, io, path::Path};

/// A file with CUDA source.
pub struct File {
    /// As `#include` names it: `pbf/phases.cu`.
    pub name: String,
    pub text: String,
    pub includes: Vec<String>,
    /// `constexpr` numbers.
    pub constants: Vec<(String, u32)>,
    pub structs: Vec<Struct>,
    pub kernels: Vec<Kernel>,
}

/// A struct, its fields without its methods.
pub struct Struct {
    pub name: String,
    /// The namespace it stands in beside that of all files.
    pub space: String,
    pub docs: Vec<String>,
    pub tags: Vec<(String, String)>,
    pub fields: Vec<Variable>,
    pub line: usize,
}

/// A kernel.
pub struct Kernel {
    pub name: String,
    pub docs: Vec<String>,
    /// `ITEMS`, `BLOCKS` and `THEN`, with what follows them.
    pub tags: Vec<(String, String)>,
    /// The first of its launch bounds.
    pub threads: Option<String>,
    pub parameters: Vec<Variable>,
    pub line: usize,
}

/// A field or a parameter.
#[derive(Clone)]
pub struct Variable {
    pub name: String,
    /// Without `const` and star.
    pub ty: String,
    pub is_const: bool,
    pub is_pointer: bool,
    /// Lengths of an array, the outermost first.
    pub lengths: Vec<String>,
    /// The comment `/* .. */` behind its name.
    pub note: Option<String>,
    pub docs: Vec<String>,
}

impl Struct {
    /// Its name in C++.
    pub fn twin(&self) -> String {
        let Self { name, space, .. } = self;
        if space.is_empty() { name.clone() } else { format!("{space}::{name}") }
    }
}

impl File {
    /// Words of the line that begins with `// TAG `.
    pub fn listed(&self, tag: &str) -> Vec<&str> {
        let line = self.text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(tag));
        line.unwrap_or_default().split_whitespace().collect()
    }

    /// The file `name`, below `folder`.
    pub fn read(folder: &Path, name: &str) -> io::Result<Self> {
        let text = fs::read_to_string(folder.join(name))?;
        let include = |line: &str| Some(line.strip_prefix("#include \"")?.strip_suffix('"')?.to_owned());
        let mut file = Self {
            name: name.to_owned(),
            includes: text.lines().filter_map(include).collect(),
            constants: Vec::new(),
            structs: Vec::new(),
            kernels: Vec::new(),
            text,
        };
        let lines: Vec<String> = file.text.lines().map(str::to_owned).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        for (k, line) in lines.iter().enumerate() {
            if let Some(constant) = constant(line, &file.constants) {
                file.constants.push(constant);
            } else if line.starts_with("struct ") && line.ends_with('{') {
                file.structs.extend(read_struct(&lines, k).map_err(|e| file.error(k + 1, &e))?);
            } else if let Some(of) = named(&lines, k).map_err(|e| file.error(k + 1, &e))? {
                file.structs.push(of);
            } else if line.starts_with("KERNEL void") {
                file.kernels.push(read_kernel(&lines, k).map_err(|e| file.error(k + 1, &e))?);
            }
        }
        Ok(file)
    }

    /// What is wrong in a line.
    pub fn error(&self, line: usize, what: &str) -> io::Error {
        io::Error::other(format!("src/{}:{line}: {what}", self.name))
    }
}

/// `constexpr u32 NAME = 128;`, or products of such.
fn constant(line: &str, known: &[(String, u32)]) -> Option<(String, u32)> {
    let rest = line.strip_prefix("constexpr ")?;
    let rest = rest.strip_prefix("u32 ").or_else(|| rest.strip_prefix("int "))?;
    let (name, value) = rest.split_once(" = ")?;
    let number = |factor: &str| {
        let of_name = known.iter().find(|(name, _)| name == factor).map(|(_, value)| *value);
        let of_hex =
            factor.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex.trim_end_matches('u'), 16).ok());
        factor.parse().ok().or(of_hex).or(of_name)
    };
    let value = value
        .split_once(';')?
        .0
        .split(" * ")
        .map(number)
        .try_fold(1_u32, |product, k| product.checked_mul(k?))?;
    Some((name.to_owned(), value))
}

/// Documentation and tags in the comments above line `k`, and the first line of these.
fn comments(lines: &[&str], k: usize) -> (Vec<String>, Vec<(String, String)>) {
    let first = lines[..k].iter().rposition(|line| !line.trim_start().starts_with("//")).map_or(0, |k| k + 1);
    let (mut docs, mut tags) = (Vec::new(), Vec::new());
    for line in lines[first..k].iter().map(|line| line.trim_start()) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim().to_owned());
        } else if let Some((tag, rest)) =
            line.strip_prefix("// ").map(|l| l.split_once(' ').unwrap_or((l, "")))
            && matches!(tag, "ITEMS" | "BLOCKS" | "THEN" | "FROM" | "RAW" | "TWIN" | "FIELDS")
        {
            tags.push((tag.to_owned(), rest.to_owned()));
        }
    }
    (docs, tags)
}

/// A `typedef` of a template whose fields the tag `FIELDS` names.
fn named(lines: &[&str], k: usize) -> Result<Option<Struct>, String> {
    let declared = lines[k].strip_prefix("typedef ").and_then(|rest| rest.strip_suffix(';'));
    let Some(name) = declared.and_then(|rest| rest.rsplit(' ').next()) else { return Ok(None) };
    let (docs, tags) = comments(lines, k);
    let Some((_, fields)) = tags.iter().find(|(tag, _)| tag == "FIELDS") else { return Ok(None) };
    let (name, space, fields) = (name.to_owned(), space(&lines[..k]), variables(fields, &[])?);
    Ok(Some(Struct { name, space, docs, tags, fields, line: k + 1 }))
}

/// The namespace that these lines have left open beside that of all files.
fn space(lines: &[&str]) -> String {
    let opened = lines.iter().rev().find_map(|line| line.strip_prefix("namespace ")?.strip_suffix(" {"));
    let is_open = |space: &&str| !lines.contains(&format!("}}  // namespace {space}").as_str());
    opened.filter(is_open).unwrap_or_default().to_owned()
}

fn read_struct(lines: &[&str], k: usize) -> Result<Option<Struct>, String> {
    let name = lines[k].trim_start_matches("struct ").trim_end_matches('{').trim();
    let name = name.split_once(") ").map_or(name, |(_, name)| name);
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_plain || k > 0 && lines[k - 1].starts_with("template") {
        return Ok(None);
    }
    let (docs, tags) = comments(lines, k);
    let mut fields = Vec::new();
    for (l, line) in lines.iter().enumerate().skip(k + 1).take_while(|(_, line)| !line.starts_with("};")) {
        let declared =
            line.strip_prefix("  ").filter(|l| l.starts_with(char::is_alphabetic) && l.ends_with(';'));
        let Some(declared) = declared.filter(|l| !is_other(l)) else { continue };
        let (docs, _) = comments(lines, l);
        fields.extend(variables(declared.trim_end_matches(';'), &docs)?);
    }
    let (name, space) = (name.to_owned(), space(&lines[..k]));
    Ok(Some(Struct { name, space, docs, tags, fields, line: k + 1 }))
}

/// True of lines in a struct that declare no field.
fn is_other(line: &str) -> bool {
    ["SPH_FN", "typedef", "template", "static", "return", "struct", "const Constants&"]
        .iter()
        .any(|w| line.starts_with(w))
        || line.contains('(') && !line.contains("/*")
        || line.contains(" = ")
        || line.contains('&')
}

fn read_kernel(lines: &[&str], k: usize) -> Result<Kernel, String> {
    let (docs, tags) = comments(lines, k);
    let declared = lines[k..].join(" ");
    let rest = declared.trim_start_matches("KERNEL void").trim_start();
    let (threads, rest) = match rest.strip_prefix("__launch_bounds__(") {
        Some(bounded) => {
            let (bounds, rest) = bounded.split_once(')').ok_or("launch bounds have no end")?;
            (bounds.split(',').next().map(|first| first.trim().to_owned()), rest)
        }
        None => (None, rest),
    };
    let (name, rest) = rest.split_once('(').ok_or("a kernel has no parameters")?;
    let (declared, _) = rest.split_once(") {").ok_or("no `) {` follows the parameters")?;
    let mut parameters = Vec::new();
    for declared in split(declared) {
        parameters.extend(variables(&declared, &[])?);
    }
    Ok(Kernel { name: name.trim().to_owned(), docs, tags, threads, parameters, line: k + 1 })
}

/// Parts between commas that stand in no comment.
fn split(declared: &str) -> Vec<String> {
    let (mut parts, mut in_comment) = (vec![String::new()], false);
    let letters: Vec<char> = declared.chars().collect();
    for (k, &letter) in letters.iter().enumerate() {
        match (letter, letters.get(k + 1)) {
            ('/', Some('*')) => in_comment = true,
            ('*', Some('/')) => in_comment = false,
            _ => {}
        }
        match parts.last_mut() {
            Some(part) if letter != ',' || in_comment => part.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// What `const real *a, *b` declares.
fn variables(declared: &str, docs: &[String]) -> Result<Vec<Variable>, String> {
    let unread = || format!("cannot read `{declared}`");
    let parts = split(declared);
    let (mut of, mut found) = (None, Vec::new());
    for part in &parts {
        let (part, note) = match part.split_once("/*") {
            Some((before, note)) => (before, note.split_once("*/").map(|(note, _)| note.trim().to_owned())),
            None => (part.as_str(), None),
        };
        let is_length =
            |note: &str| note.starts_with('[') && (note.ends_with(']') || note.ends_with("] or none"));
        if let Some(note) = note.as_deref().filter(|note| *note != "bool" && !is_length(note)) {
            return Err(format!(
                "`{note}` is no note: [length], [length if condition], either with `or none`, or bool"
            ));
        }
        let words = part.replace("__restrict__", " ").replace("__grid_constant__", " ").replace('*', " * ");
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let name = words.pop().ok_or_else(unread)?;
        let is_pointer = words.last() == Some(&"*");
        words.retain(|word| *word != "*");
        let (is_const, ty) = match &of {
            Some(of) if words.is_empty() => Clone::clone(of),
            _ => {
                let is_const = words.first() == Some(&"const");
                let ty = words[usize::from(is_const)..].join(" ");
                (is_const, ty)
            }
        };
        if ty.is_empty() {
            return Err(unread());
        }
        of = Some((is_const, ty.clone()));
        let mut lengths = name.split('[');
        let name = lengths.next().unwrap_or_default().to_owned();
        let lengths = lengths.map(|length| length.trim_end_matches(']').to_owned()).collect();
        found.push(Variable { name, ty, is_const, is_pointer, lengths, note, docs: docs.to_vec() });
    }
    Ok(found)
}
