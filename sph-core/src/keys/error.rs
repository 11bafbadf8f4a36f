//! What was wrong with an input, where it stands, and what is allowed.
use std::fmt;

/// A refused input: scene, parameter or checkpoint.
///
/// Code that checks a value knows only its key path (`"solver.cfl"`, `"fluid[0].spacing"`); whoever has
/// the text of the file adds file, line and column afterwards with [`Error::at`]. Failures of the
/// numerics are not of this type.
///
/// # Example
///
/// ```
/// use sph_core::error::Error;
/// let error = Error::range("solver.cfl", 1.5, "(0, 1]").unit("-").at("dam.toml", 12, 7);
/// assert_eq!(error.to_string(), "dam.toml:12:7: solver.cfl = 1.5: must lie in (0, 1] [-]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<Report>);

/// Boxed, so that a `Result` on a hot path stays one word wide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Report {
    file: Option<String>,
    position: Option<(usize, usize)>,
    key: Option<String>,
    value: Option<String>,
    range: Option<String>,
    unit: Option<String>,
    message: String,
    hint: Option<String>,
}

impl Error {
    /// An error that belongs to no key, as a broken checkpoint.
    pub fn new(message: impl Into<String>) -> Self {
        Self(Box::new(Report { message: message.into(), ..Report::default() }))
    }

    /// The value at a key is refused for a reason that is no interval.
    pub fn invalid(key: impl Into<String>, message: impl Into<String>) -> Self {
        let mut error = Self::new(message);
        error.0.key = Some(key.into());
        error
    }

    /// The value at a key lies outside of the interval `range`, written as `"(0, 1]"`.
    pub fn range(key: impl Into<String>, value: impl fmt::Display, range: &str) -> Self {
        let mut error = Self::invalid(key, format!("must lie in {range}")).value(value);
        error.0.range = Some(range.to_owned());
        error
    }

    /// A key that must be given is not there.
    pub fn missing(key: impl Into<String>) -> Self {
        Self::invalid(key, "is required but missing")
    }

    /// States the refused value.
    #[must_use]
    pub fn value(mut self, value: impl fmt::Display) -> Self {
        self.0.value = Some(value.to_string());
        self
    }

    /// States the unit of the allowed range.
    #[must_use]
    pub fn unit(mut self, unit: &str) -> Self {
        self.0.unit = Some(unit.to_owned());
        self
    }

    /// The same error of another key, through which the value came: its place is that of this key.
    #[must_use]
    pub fn under(mut self, key: impl Into<String>) -> Self {
        self.0.key = Some(key.into());
        self.placeless()
    }

    /// The same error without its place, of a text that nobody has written.
    #[must_use]
    pub fn placeless(mut self) -> Self {
        (self.0.file, self.0.position) = (None, None);
        self
    }

    /// Adds advice on how to mend the input.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Names the file, for an error whose place in it is not known.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.0.file = Some(file.to_owned());
        self
    }

    /// Names file, line and column, both counted from 1.
    #[must_use]
    pub fn at(mut self, file: &str, line: usize, column: usize) -> Self {
        self.0.position = Some((line, column));
        self.in_file(file)
    }

    /// The key path, as `fluid[0].shape.block.min`, if the error belongs to a key.
    pub fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// The file that was named with [`Error::at`].
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Line in the file, from 1.
    pub fn line(&self) -> Option<usize> {
        self.0.position.map(|(line, _)| line)
    }

    /// Column in the line, in characters, from 1.
    pub fn column(&self) -> Option<usize> {
        self.0.position.map(|(_, column)| column)
    }

    /// The refused value as text.
    pub fn refused_value(&self) -> Option<&str> {
        self.0.value.as_deref()
    }

    /// The allowed interval, as `(0, 1]`.
    pub fn allowed_range(&self) -> Option<&str> {
        self.0.range.as_deref()
    }

    /// What is wrong, in words, without place and value.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            if let Some((line, column)) = self.position {
                write!(f, ":{line}:{column}")?;
            }
            write!(f, ": ")?;
        }
        if let Some(key) = self.key.as_ref().filter(|key| !key.is_empty()) {
            write!(f, "{key}")?;
            if let Some(value) = &self.value {
                write!(f, " = {value}")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some(unit) = &self.unit {
            write!(f, " [{unit}]")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

/// `a, b or c`.
pub fn either(names: &[String]) -> String {
    match names {
        [first @ .., second, last] => {
            let first = first.iter().map(|name| format!("{name}, ")).collect::<String>();
            format!("{first}{second} or {last}")
        }
        _ => names.concat(),
    }
}
