//! The fields of a struct as it is written.
use serde::{Serialize, Serializer, ser::Error};
use toml::{Table, Value};

/// Fields in their order, without those that are derived. What writes a format is compiled for these alone, and not for each struct.
#[derive(Default)]
pub struct Fields(Table, Option<toml::ser::Error>);

impl Fields {
    /// Adds a field, unless it has no value.
    pub fn add<T: Serialize>(&mut self, name: &str, value: &T) {
        match written(value) {
            Ok(Some(value)) => drop(self.0.insert(name.to_owned(), value)),
            Ok(None) => {}
            Err(error) => self.1 = Some(error),
        }
    }

    /// Writes them.
    ///
    /// # Errors
    ///
    /// If a value of a field cannot be written, or the format cannot have it.
    pub fn write<S: Serializer>(self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            Some(error) => Err(S::Error::custom(error)),
            None => self.0.serialize(serializer),
        }
    }
}

/// A value as a file has it, or none of what is derived.
pub(super) fn written<T: Serialize>(value: &T) -> Result<Option<Value>, toml::ser::Error> {
    match Value::try_from(value) {
        Err(error) if Value::try_from(None::<bool>).as_ref() == Err(&error) => Ok(None),
        written => written.map(Some),
    }
}
