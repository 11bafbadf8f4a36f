//! What the types of the CUDA source are in Rust.

use crate::source::{File, Struct, Variable};
use std::{collections::BTreeSet, io, path::Path};

/// All files.
pub struct Sources {
    pub files: Vec<File>,
    /// Stems of the Rust files: `common/search/cells`.
    pub beside: BTreeSet<String>,
}

/// What a struct is to a launcher.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Numbers alone: passed by value.
    Value,
    /// It holds fields: the launcher takes a struct that borrows them.
    Borrowed,
    /// Tag `RAW`: the launcher takes the addresses, which Rust code by hand has found.
    Raw,
    /// Tag `FROM type`: the launcher takes that type, which Rust code by hand makes the addresses of.
    From,
}

/// A struct where it stands.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    pub file: &'a File,
    pub of: &'a Struct,
}

impl Sources {
    /// The Rust module of a file: that of the Rust file beside it, or of its folder.
    pub fn module(&self, file: &str) -> String {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let path = match stem.rsplit_once('/') {
            Some((folder, _)) if !self.beside.contains(stem) => folder,
            _ => stem,
        };
        format!("crate::{}", path.replace('/', "::"))
    }

    /// A file and all that it includes, the nearest first.
    pub fn closure(&self, file: &File) -> Vec<&File> {
        let (mut found, mut next) = (Vec::<&File>::new(), vec![file.name.clone()]);
        while let Some(name) = next.pop() {
            let Some(file) = self.files.iter().find(|file| file.name == name) else { continue };
            if !found.iter().any(|f| f.name == name) {
                found.push(file);
                next.extend(file.includes.iter().cloned());
            }
        }
        found
    }

    /// The struct of this name that `file` sees: its own, or of its folder, or of all.
    pub fn find<'a>(&'a self, file: &'a File, name: &str) -> Option<Found<'a>> {
        let mut seen: Vec<_> = self.closure(file);
        let folder = |file: &File| Path::new(&file.name).parent().map(Path::to_owned);
        seen.sort_by_key(|other| (other.name != file.name, folder(other) != folder(file)));
        seen.iter().find_map(|file| {
            let of = file.structs.iter().find(|s| s.name == name)?;
            Some(Found { file, of })
        })
    }

    /// The groups of smoothing kernels with their members: `#define SPH_GROUP(X) X(Kernel) SPH_OTHER_GROUP(X)`.
    pub fn groups(&self) -> Vec<(String, Vec<&str>)> {
        let mut groups = Vec::<(String, Vec<&str>)>::new();
        let lines = self.files.iter().flat_map(|file| file.text.lines());
        let defined = lines.filter_map(|line| line.strip_prefix("#define SPH_")?.split_once("(X) "));
        for (name, members) in defined {
            let of = |word| members_of(word, &groups);
            let members = members.split_whitespace().flat_map(of).collect();
            groups.push((name.to_lowercase(), members));
        }
        groups
    }

    /// The smoothing kernels that a file is compiled with: its line `// SMOOTHING` names kernels and groups.
    #[cfg(feature = "host")]
    pub fn smoothing(&self, file: &File) -> Vec<String> {
        let groups = self.groups();
        let members = |word: &str| match groups.iter().find(|(name, _)| name == word) {
            Some((_, members)) => members.iter().map(|&kernel| kernel.to_owned()).collect(),
            None => vec![word.to_owned()],
        };
        file.listed("SMOOTHING ").into_iter().flat_map(members).collect()
    }

    /// The number that a name or a literal stands for.
    pub fn number(&self, file: &File, text: &str) -> Option<u32> {
        let named =
            |file: &&File| file.constants.iter().find(|(name, _)| name == text).map(|(_, value)| *value);
        text.parse().ok().or_else(|| self.closure(file).iter().find_map(named))
    }

    pub fn kind(&self, found: Found<'_>) -> Kind {
        let has = |tag: &str| found.of.tags.iter().any(|(name, _)| name == tag);
        let holds = |field: &Variable| {
            let of_fields = || self.find(found.file, &field.ty).is_some_and(|f| self.kind(f) != Kind::Value);
            field.is_pointer || matches!(field.ty.as_str(), "Points" | "Writable") || of_fields()
        };
        match () {
            () if has("RAW") => Kind::Raw,
            () if has("FROM") => Kind::From,
            () if found.of.fields.iter().any(holds) => Kind::Borrowed,
            () => Kind::Value,
        }
    }

    /// True when the struct depends on the dimension, as addresses or, `borrowed`, as the launcher takes it.
    pub fn has_dim(&self, found: Found<'_>, borrowed: bool) -> bool {
        found.of.fields.iter().any(|field| match field.ty.as_str() {
            _ if field.lengths.iter().any(|length| length == "DIM") => true,
            "Points" | "Writable" => true,
            // The addresses of these have the type of what lies there, too.
            ty => self.find(found.file, ty).is_some_and(|f| {
                if borrowed && self.kind(f) == Kind::From {
                    from(f).contains('D')
                } else {
                    self.has_dim(f, borrowed)
                }
            }),
        })
    }

    /// The Rust type of a number, a record or a struct as it lies in memory.
    pub fn raw(&self, file: &File, ty: &str) -> io::Result<String> {
        if let Some(number) = number_type(ty) {
            return Ok(number.into());
        }
        let found =
            self.find(file, ty).ok_or_else(|| io::Error::other(format!("`{ty}` has no twin in Rust")))?;
        let ending = if matches!(self.kind(found), Kind::Borrowed | Kind::From) { "Raw" } else { "" };
        let dim = if self.has_dim(found, false) { "<D>" } else { "" };
        Ok(format!("{}::{ty}{ending}{dim}", self.module(&found.file.name)))
    }

    /// The type of a field of a struct as it lies in memory.
    pub fn raw_field(&self, file: &File, field: &Variable) -> io::Result<String> {
        let one = match (field.is_pointer, field.is_const) {
            (false, _) => self.raw(file, &field.ty)?,
            (true, true) => format!("In<{}>", self.raw(file, &field.ty)?),
            (true, false) => format!("Out<{}>", self.raw(file, &field.ty)?),
        };
        field.lengths.iter().rev().try_fold(one, |inner, length| {
            let length = match length.as_str() {
                "DIM" => "D".to_owned(),
                text => match self.number(file, text) {
                    Some(number) => number.to_string(),
                    None => return Err(io::Error::other(format!("`{text}` is not a number type of Rust"))),
                },
            };
            Ok(format!("[{inner}; {length}]"))
        })
    }

    /// What a launcher takes for a variable: fields are borrowed for `'a`.
    pub fn taken(&self, file: &File, variable: &Variable) -> io::Result<String> {
        let note = Note::of(variable);
        let exclusive = |is_const: bool| if is_const { "&'a " } else { "&'a mut " };
        let one = match variable.ty.as_str() {
            ty if variable.is_pointer => {
                format!("{}Field<{}>", exclusive(variable.is_const), self.raw(file, ty)?)
            }
            "Points" | "Writable" => format!("{}[Field<Real>; D]", exclusive(variable.ty == "Points")),
            "u32" if variable.name.starts_with("n_") || variable.name == "n" => "usize".into(),
            "u32" if note.is_bool => "bool".into(),
            ty => match self.find(file, ty).map(|found| (found, self.kind(found))) {
                Some((found, Kind::From)) => from(found).to_owned(),
                Some((found, Kind::Borrowed)) => {
                    let dim = if self.has_dim(found, true) { ", D" } else { "" };
                    format!("{}::{ty}<'a{dim}>", self.module(&found.file.name))
                }
                _ => self.raw_field(file, variable)?,
            },
        };
        Ok(if note.or_none { format!("Option<{one}>") } else { one })
    }

    /// True when a launcher makes addresses of what it takes.
    pub fn is_passed(&self, file: &File, variable: &Variable) -> bool {
        variable.is_pointer
            || matches!(variable.ty.as_str(), "Points" | "Writable")
            || self
                .find(file, &variable.ty)
                .is_some_and(|f| matches!(self.kind(f), Kind::Borrowed | Kind::From))
    }
}

/// What `X(Kernel)` or `SPH_GROUP(X)` stands for.
fn members_of<'a>(word: &'a str, groups: &[(String, Vec<&'a str>)]) -> Vec<&'a str> {
    let inside = |begin| word.strip_prefix(begin).and_then(|rest| rest.strip_suffix(')'));
    if let Some(kernel) = inside("X(") {
        return vec![kernel];
    }
    let group = word.strip_prefix("SPH_").and_then(|rest| rest.strip_suffix("(X)")).map(str::to_lowercase);
    let found = groups.iter().find(|(name, _)| Some(name) == group.as_ref());
    found.map(|(_, members)| members.clone()).unwrap_or_default()
}

/// What a struct with the tag `FROM` is made from.
fn from(found: Found<'_>) -> &str {
    found.of.tags.iter().find(|(tag, _)| tag == "FROM").map_or("", |(_, ty)| ty)
}

fn number_type(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "real" => "Real",
        "double" => "f64",
        "int" => "i32",
        "u32" | "unsigned" => "u32",
        "u64" => "u64",
        "u16" | "unsigned short" => "u16",
        "Packed" => "Packed",
        "Points" => "Points<Real, D>",
        "Writable" => "Writable<D>",
        _ => return None,
    })
}

/// The comment behind a name: `[length]`, `[length if condition]`, `or none` behind it, or `bool`.
pub struct Note {
    pub length: Option<String>,
    pub or_none: bool,
    pub is_bool: bool,
}

impl Note {
    pub fn of(variable: &Variable) -> Self {
        let text = variable.note.as_deref().unwrap_or_default();
        let length = text.strip_prefix('[').and_then(|rest| rest.rsplit_once(']')).map(|(length, _)| {
            match length.split_once(" if ") {
                Some((length, condition)) => format!("if {condition} {{ {length} }} else {{ 0 }}"),
                None => length.to_owned(),
            }
        });
        Self { length, or_none: text.ends_with("or none"), is_bool: text == "bool" }
    }

    /// The number of items that there must be.
    pub fn items(variable: &Variable) -> String {
        let of_name = || match variable.name.as_str() {
            "partial" => "PARTIALS",
            "result" => "1",
            _ => "n",
        };
        Self::of(variable).length.unwrap_or_else(|| of_name().to_owned())
    }
}
