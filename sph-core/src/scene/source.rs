//! The text of a scene, and where its keys stand in it.
mod change;

use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{
    error::Error,
    keys::{
        declared, join,
        reader::{self, Reason, Refused},
    },
};

/// Name and text of the file that a scene was read from; nothing for a scene made in code.
///
/// All sources are equal: where a scene was written is no part of what it says.
#[derive(Clone, Debug, Default)]
pub struct Source(Option<Arc<Text>>);

#[derive(Debug)]
struct Text {
    name: String,
    text: String,
}

impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Source {
    /// A text, and the name by which errors call it.
    pub fn new(name: &str, text: &str) -> Self {
        Self(Some(Arc::new(Text { name: name.to_owned(), text: text.to_owned() })))
    }

    /// The name of the file; empty where there is none.
    pub(super) fn name(&self) -> &str {
        self.0.as_ref().map_or("", |text| &text.name)
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Reads the whole text.
    ///
    /// # Errors
    ///
    /// Syntax, unknown and missing keys, and wrong types, with their places.
    pub fn read<T: DeserializeOwned + JsonSchema>(&self) -> Result<T, Error> {
        let Some(source) = &self.0 else { return Err(Error::new("there is no text to read")) };
        let whole = DeValue::Table(source.parse()?.into_inner());
        reader::read(whole).map_err(|error| source.explain::<T>(error, ""))
    }

    /// Reads the table at a key of the root, without some of its keys; an absent table is an empty one.
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    pub fn read_table<T: DeserializeOwned + JsonSchema>(
        &self,
        key: &str,
        without: &[&str],
    ) -> Result<T, Error> {
        let Some(source) = &self.0 else { return Err(Error::new("there is no text to read")) };
        let found = source.parse()?.into_inner().into_iter().find(|(name, _)| name.get_ref() == key);
        let value =
            found.map_or_else(|| Spanned::new(0..0, DeValue::Table(DeTable::new())), |(_, value)| value);
        let span = value.span();
        let value = match value.into_inner() {
            DeValue::Table(table) => {
                let keep = |name: &str| !without.contains(&name);
                DeValue::Table(table.into_iter().filter(|(name, _)| keep(name.get_ref())).collect())
            }
            other => other,
        };
        reader::read(value).map_err(|error| source.explain::<T>(error.within(key, span), key))
    }

    /// Adds file, line and column to an error that knows its key only.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        let (Some(source), None) = (&self.0, error.line()) else { return error };
        let Some(key) = error.key() else { return error.in_file(&source.name) };
        let Ok(table) = source.parse() else { return error.in_file(&source.name) };
        let start = find(&table, key);
        let (line, column) = source.position(start);
        error.at(&source.name, line, column)
    }
}

/// A key or a value of the text.
struct Place {
    path: String,
    span: Range<usize>,
    is_key: bool,
}

impl Text {
    fn parse(&self) -> Result<Spanned<DeTable<'_>>, Error> {
        DeTable::parse(&self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let (line, column) = self.position(span.start);
            let (rest, _) = DeTable::parse_recoverable(&self.text);
            // A key that comes twice is not in what could be read.
            let key = innermost(&rest, span.start).map(|place| place.path);
            let key = key.or_else(|| self.text.get(span).filter(|text| is_bare_key(text)).map(str::to_owned));
            let message = one_line(error.message());
            Error::invalid(key.unwrap_or_default(), message).at(&self.name, line, column)
        })
    }

    /// Line and column of a byte, from 1.
    fn position(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(byte.min(self.text.len()))];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }

    /// The reader's error as ours. `root` is the key of the table that was read as a `T`.
    fn explain<T: JsonSchema>(&self, error: Refused, root: &str) -> Error {
        let error = *error.0;
        let (line, column) = self.position(error.span.as_ref().map_or(0, |span| span.start));
        let explained = match error.missing {
            Some(name) => Error::missing(join(&error.path, name)),
            None => self.refused::<T>(&error, root),
        };
        explained.at(&self.name, line, column)
    }

    /// The value as it stands in the text, if it fits into a message; the header of a table is none.
    fn shown(&self, span: &Range<usize>) -> &str {
        let text = self.text.get(span.clone()).unwrap_or("");
        let before = self.text.get(..span.start).unwrap_or("");
        let begins_line = before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
        let header = begins_line && text.starts_with('[');
        if header || text.len() > 60 || text.contains(['\n', '\r']) { "" } else { text }
    }

    fn refused<T: JsonSchema>(&self, place: &Reason, root: &str) -> Error {
        let (text, message) = (place.span.as_ref().map_or("", |span| self.shown(span)), &place.message);
        let path = place.path.strip_prefix(root).unwrap_or(&place.path).trim_start_matches('.');
        let wrong_number = message.starts_with("invalid type") || message.starts_with("invalid value");
        if let Some((range, unit)) = declared::<T>(path).filter(|_| wrong_number && !place.is_key) {
            let whole = ["u8", "u32", "u64", "usize"].iter().any(|kind| message.ends_with(kind));
            let kind = if whole { "a whole number" } else { "a number" };
            return Error::range(&place.path, text, &range).unit(&unit).hint(format!("give {kind}"));
        }
        let mut error = Error::invalid(&place.path, in_words(message));
        if !place.is_key && !text.is_empty() {
            error = error.value(text);
        }
        if !message.starts_with("unknown") {
            return error;
        }
        let key = place.path.rsplit('.').next().unwrap_or_default();
        let word = if place.is_key { key } else { text.trim_matches(['"', '\'']) };
        if let Some((_, instead)) = RETIRED.iter().find(|(retired, _)| *retired == word) {
            return error.hint(format!("it is gone: {instead}"));
        }
        match nearest(message) {
            Some(name) => error.hint(format!("did you mean `{name}`?")),
            None => error,
        }
    }
}

/// Keys and choices that scenes may still have from earlier versions, and what to write instead.
const RETIRED: &[(&str, &str)] = &[
    ("kernel_mode", "give kernel = \"poly6_spiky\""),
    ("alternate_order", "the order always turns around in every other step"),
    ("compression", "give solver.stiffness; left out, it allows 3 % at the bottom"),
    ("jacobi_factor", "displacements are made in full; give a smaller time step"),
    ("max_displacement", "a pair moves a particle by h/4 at most"),
    ("min_rest_length", "yield_ratio and plasticity bound how far springs shorten"),
    ("spring_init", "new springs are as long as their pair is apart"),
    ("yield_ratio_compression", "yield_ratio is that of stretch and of compression"),
    ("air_pressure", "pressures are those over the air's"),
    ("along_walls", "it follows from `gradient`"),
    ("alpha_floor", "it follows from `dim` and `surface_asymmetry`"),
    ("cfl_force", "`dt_max` and `cfl` make steps shorter"),
    ("cfl_pressure", "`dt_max` and `cfl` make steps shorter"),
    ("dt_min", "the smallest step is a constant"),
    (
        "free_surface",
        "give flow = \"closed\" or \"free_surface\" at the top of the scene; left out, it is found",
    ),
    ("grad_correction", "give gradient = \"difference\""),
    ("grad_difference", "give gradient = \"adjoint\" or \"difference\""),
    ("grad_sum", "give gradient = \"adjoint\" or \"difference\""),
    ("jacobi_omega", "the pressure is solved by conjugate gradients"),
    ("linear_solver", "the pressure is solved by conjugate gradients"),
    ("pair_switch", "pairs under tension are always left out"),
    ("mass_form", "all particles have the same mass"),
    ("mass_spread", "all particles have the same mass; `jitter` of the fluid breaks the order of a lattice"),
    ("scorr_n", "the exponent is 4"),
    ("scorr_scaling", "scorr_k is scaled with the step and the iterations"),
    ("solid_pressure", "walls have their full pseudo-mass"),
    ("surface_mode", "surface_tension is a force"),
    ("wall_viscosity", "pbf has walls without viscous drag; `friction` is that of containers"),
    ("xsph_weight", "the weight is symmetric"),
    ("artificial_viscosity_beta", "wcsph has it as 0; raise artificial_viscosity_alpha"),
    ("background_pressure", "give regularization = \"shifting\""),
    ("cavitation", "wcsph has it as 0.1"),
    ("cfl_viscous", "wcsph has it as 0.25; lower dt_max"),
    ("clamp_negative_pressure", "wcsph removes negative pressure with density = \"summation\" alone"),
    ("delta_form", "wcsph has that of Antuono et al. 2010; delta_sph = 0 is without"),
    ("eos_gamma", "wcsph has 7 with eos = \"tait\"; eos = \"linear\" has 1"),
    ("gradient_calibration", "wcsph is without; raise support_ratio"),
    ("shifting", "wcsph has it as 10 with regularization = \"shifting\""),
    ("stiffness", "wcsph takes sound_speed = √(7 stiffness / ρ₀)"),
    ("transport_velocity", "give regularization = \"shifting\""),
    ("wall_friction", "wcsph takes slip = \"no_slip\" of the wall"),
    ("xsph", "wcsph takes regularization = \"shifting\", pbf and projection take xsph_viscosity"),
];

/// The messages of the reader that speak of types rather than of the file.
fn in_words(message: &str) -> String {
    if message == "invalid type: unit variant, expected newtype variant" {
        return "needs a value, and is written as a table".to_owned();
    }
    message.replace("expected f64", "expected a number").replace("expected a sequence", "expected a list")
}

fn is_bare_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The allowed name in "unknown … `name`, expected one of `a`, `b`" that is spelled most alike.
fn nearest(message: &str) -> Option<String> {
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next()?;
    let (cost, name) = names.map(|name| (edits(wrong, name), name)).min()?;
    (cost <= 2 && cost < wrong.chars().count()).then(|| name.to_owned())
}

/// Number of insertions, deletions and replacements between two words (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

/// Calls `visit` with every key and every value below a table.
fn walk(table: &DeTable<'_>, path: &str, visit: &mut impl FnMut(Place)) {
    for (key, value) in table {
        let path = join(path, key.get_ref());
        visit(Place { path: path.clone(), span: key.span(), is_key: true });
        walk_value(value, path, visit);
    }
}

fn walk_value(value: &Spanned<DeValue<'_>>, path: String, visit: &mut impl FnMut(Place)) {
    match value.get_ref() {
        DeValue::Table(table) => walk(table, &path, visit),
        DeValue::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                walk_value(item, format!("{path}[{i}]"), visit);
            }
        }
        _ => {}
    }
    visit(Place { path, span: value.span(), is_key: false });
}

/// The smallest key or value that contains a byte.
fn innermost(table: &Spanned<DeTable<'_>>, byte: usize) -> Option<Place> {
    let mut best: Option<Place> = None;
    walk(table.get_ref(), "", &mut |place| {
        let holds = place.span.start <= byte && byte < place.span.end;
        if holds && best.as_ref().is_none_or(|best| place.span.len() < best.span.len()) {
            best = Some(place);
        }
    });
    best
}

/// The byte at which the value of a key begins, or that of the nearest table around it.
fn find(table: &Spanned<DeTable<'_>>, key: &str) -> usize {
    let mut best = (0, 0);
    walk(table.get_ref(), "", &mut |place| {
        let depth = place.path.len();
        if !place.is_key && depth > best.0 && contains(&place.path, key) {
            best = (depth, place.span.start);
        }
    });
    best.1
}

/// Whether a path is another one or leads to it.
fn contains(path: &str, key: &str) -> bool {
    key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
