//! `--set KEY=VALUE[,VALUE...]`: other values at some keys of a scene, in turn.

use sph_core::{error::Error, scene::Scene};
use std::fmt::{self, Display, Formatter};
use toml::Value;

/// A key, and the values that it gets in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    key: String,
    values: Vec<Value>,
}

impl std::str::FromStr for Sweep {
    type Err = String;

    /// `solver.cfm_epsilon=0.01,0.1` or `gravity=[0,0],[0,-9.81]`; a word needs no quotes.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((key, values)) =
            text.split_once('=').filter(|(key, values)| !key.is_empty() && !values.is_empty())
        else {
            return Err("must be KEY=VALUE, as solver.cfm_epsilon=0.01, or KEY=VALUE,VALUE,...".into());
        };
        let word =
            |word: &str| read(word).and_then(|mut one| one.pop()).unwrap_or_else(|| Value::from(word.trim()));
        let values = read(values).unwrap_or_else(|| values.split(',').map(word).collect());
        Ok(Self { key: key.trim().into(), values })
    }
}

/// The values of a list as TOML has it, if it is one.
fn read(text: &str) -> Option<Vec<Value>> {
    let table: toml::Table = format!("values = [{text}]").parse().ok()?;
    table.get("values")?.as_array().filter(|values| !values.is_empty()).cloned()
}

/// Keys and the values that they get at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(Vec<(String, Value)>);

impl Settings {
    /// All combinations of the values of some keys; none without keys.
    ///
    /// # Errors
    /// When a key comes twice.
    pub fn grid(sweeps: &[Sweep]) -> Result<Vec<Self>, String> {
        let again =
            sweeps.iter().enumerate().find(|(k, one)| sweeps[..*k].iter().any(|other| other.key == one.key));
        if let Some((_, Sweep { key, .. })) = again {
            return Err(format!("--set {key}: is given twice; one list has all its values, as {key}=1,2"));
        }
        let same = |values: &[Value]| {
            values.iter().enumerate().any(|(k, one)| values[..k].iter().any(|two| is_same(one, two)))
        };
        if let Some(Sweep { key, .. }) = sweeps.iter().find(|sweep| same(&sweep.values)) {
            return Err(format!("--set {key}: has the same value twice"));
        }
        let mut all: Vec<Self> = sweeps.first().map(|_| Self::default()).into_iter().collect();
        for Sweep { key, values } in sweeps {
            let with = |one: &Self, value: &Value| {
                Self(one.0.iter().cloned().chain([(key.clone(), value.clone())]).collect())
            };
            all = all.iter().flat_map(|one| values.iter().map(move |value| with(one, value))).collect();
        }
        Ok(all)
    }

    /// The one combination of keys with one value each, for a scene that is run once.
    ///
    /// # Errors
    /// When a key has several values or comes twice.
    pub fn one(sweeps: &[Sweep]) -> Result<Self, String> {
        match sweeps.iter().find(|sweep| sweep.values.len() > 1) {
            Some(Sweep { key, .. }) => Err(format!(
                "--set {key}: has several values, and this scene is run once; `compare` takes several"
            )),
            None => Ok(Self::grid(sweeps)?.pop().unwrap_or_default()),
        }
    }

    /// The scene with these values.
    ///
    /// # Errors
    /// What is wrong with the scene then.
    pub fn applied(&self, scene: Scene) -> Result<Scene, Error> {
        if self.0.is_empty() {
            return Ok(scene);
        }
        scene.changed(&self.0).map_err(|error| self.blamed(error))
    }

    /// An error of a scene with these values, which stand in no file.
    pub fn blamed(&self, error: Error) -> Error {
        if self.0.is_empty() { error } else { error.placeless().in_file(&format!("--set {self}")) }
    }

    /// The first of some keys that is set.
    pub fn given<'a>(&self, keys: &[&'a str]) -> Option<&'a str> {
        keys.iter().copied().find(|key| self.0.iter().any(|(set, _)| set == key))
    }

    /// Keys and values.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Keys and values as text, for a result.
    pub fn texts(&self) -> Vec<(String, String)> {
        self.0.iter().map(|(key, value)| (key.clone(), shown(value))).collect()
    }
}

impl Display for Settings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all: Vec<_> = self.0.iter().map(|(key, value)| format!("{key}={}", shown(value))).collect();
        f.write_str(&all.join(" "))
    }
}

/// Whether two values are the same number or text.
fn is_same(one: &Value, two: &Value) -> bool {
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|number| number as f64));
    one == two || number(one).is_some_and(|one| number(two) == Some(one))
}

/// A value as it was given: a word without quotes.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
