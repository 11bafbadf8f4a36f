//! A scene with other values at some of its keys.

use super::Source;
use crate::{error::Error, scene::Scene};
use toml::{Table, Value};

impl Scene {
    /// The scene with other values at some keys, as `solver.cfm_epsilon` or `fluid[0].jitter`, checked as one that is read. Files
    /// that it names are looked for from the same folder on.
    ///
    /// # Errors
    ///
    /// A key that cannot be, and whatever is wrong with the scene then; keys are named, but no lines.
    ///
    /// # Example
    ///
    /// ```
    /// # use sph_core::scene::Scene;
    /// let scene = Scene::new(2, 0.1, 1.0);
    /// assert_eq!(scene.changed(&[("run.end_time".into(), 2.5.into())]).unwrap().run.end_time, 2.5);
    /// let error = scene.changed(&[("spacing".into(), (-1).into())]).unwrap_err();
    /// assert_eq!(error.to_string(), "spacing = -1: must lie in (0, inf) [m]");
    /// ```
    pub fn changed(&self, changes: &[(String, Value)]) -> Result<Self, Error> {
        let mut table: Table = self.to_toml()?.parse().map_err(|error| Error::new(format!("{error}")))?;
        for (key, value) in changes {
            set(&mut table, key, value)?;
        }
        let mut scene = Self::parse(self.source.name(), &table.to_string()).map_err(Error::placeless)?;
        // The text was made here: no place in it means anything to a reader.
        scene.solver.source = Source::default();
        scene.source = Source::default();
        Ok(scene)
    }
}

/// Sets a value in a table, and makes the tables on the way to it.
fn set(table: &mut Table, key: &str, value: &Value) -> Result<(), Error> {
    let refused = |message: &str| Error::invalid(key, message).value(value);
    let mut names = key.split('.').peekable();
    let mut place = table;
    while let Some(name) = names.next() {
        let (name, index) = indexed(name).ok_or_else(|| refused("is no key of a scene"))?;
        let is_last = names.peek().is_none();
        let mut found = place.entry(name).or_insert_with(|| Value::Table(Table::new()));
        if let Some(index) = index {
            let items = found.as_array_mut().ok_or_else(|| refused("is no list"))?;
            let n = items.len();
            found =
                items.get_mut(index).ok_or_else(|| refused(&format!("is beyond the list, which has {n}")))?;
        }
        if is_last {
            *found = value.clone();
            return Ok(());
        }
        place = found.as_table_mut().ok_or_else(|| refused("leads through a value that has no keys"))?;
    }
    Err(refused("is no key of a scene"))
}

/// Name and index of `name[index]`, or of a `name` without one.
fn indexed(text: &str) -> Option<(&str, Option<usize>)> {
    let (name, index) = match text.split_once('[') {
        None => (text, None),
        Some((name, rest)) => (name, Some(rest.strip_suffix(']')?.parse().ok()?)),
    };
    (!name.is_empty()).then_some((name, index))
}
