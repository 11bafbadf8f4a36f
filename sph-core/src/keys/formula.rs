//! Formulas in scenes, as `sin(2*pi*x)*exp(-t/3)`.
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = signed (("*" | "/") signed)*
//! signed  = ("+" | "-") signed | power
//! power   = value ("^" signed)?                     so -x^2 = -(x^2), 2^3^2 = 2^(3^2), 2^-1 = 0.5
//! value   = number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
//! ```
//!
//! The well-kept libraries for this (exmex, fasteval, mathexpr) take `-x^2` for `(-x)^2`, or divide whole numbers without a
//! remainder: `exp(-(x-1)^2)` would grow without bound and nobody be told.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::error::Error;

/// A formula of place and time, or of a particle, with the text that a scene has of it.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    /// What is done to a stack of numbers, from the first to the last.
    steps: Vec<Step>,
}

/// What formulas may name: the coordinates `[m]` and the time `[s]`; of a particle also its velocity `[m/s]`, density `[kg/m³]`,
/// pressure `[Pa]` and the spacing `[m]`.
const VARIABLES: [&str; 10] = ["x", "y", "z", "t", "u", "v", "w", "rho", "p", "dx"];
/// The place of the time among these, and how many of them are of every formula.
const TIME: usize = 3;
const COMMON: usize = 4;

/// What a formula names of a particle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Particle {
    /// Place; 0 along a missing axis, `[m]`.
    pub x: [f64; 3],
    /// Time, `[s]`.
    pub t: f64,
    /// Velocity, `[m/s]`.
    pub v: [f64; 3],
    /// Density, `[kg/m³]`.
    pub rho: f64,
    /// Pressure, `[Pa]`.
    pub p: f64,
    /// Spacing, `[m]`.
    pub dx: f64,
}

impl Particle {
    /// The variables that it has in `dim` dimensions.
    pub fn variables(dim: usize) -> Vec<&'static str> {
        VARIABLES.into_iter().filter(|name| dim == 3 || !["z", "w"].contains(name)).collect()
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    Variable(usize),
    One(One),
    Two(Two),
}

/// Longest formula, in bytes, and deepest nesting.
const LONGEST: usize = 1000;
const DEEPEST: usize = 64;

/// Functions of one number, with their first two derivatives, and of two, of what these are in time.
type One = fn(f64) -> Jet;
type Two = fn(Jet, Jet) -> Jet;

const ONE: [(&str, One); 15] = [
    ("sin", |x| [x.sin(), x.cos(), -x.sin()]),
    ("cos", |x| [x.cos(), -x.sin(), -x.cos()]),
    ("tan", |x| slopes(x.tan(), |y| 1.0 + y * y, |y, slope| 2.0 * y * slope)),
    ("asin", |x| slopes(x.asin(), |_| (1.0 - x * x).sqrt().recip(), |_, slope| x * slope.powi(3))),
    ("acos", |x| slopes(x.acos(), |_| -(1.0 - x * x).sqrt().recip(), |_, slope| x * slope.powi(3))),
    ("atan", |x| slopes(x.atan(), |_| (1.0 + x * x).recip(), |_, slope| -2.0 * x * slope * slope)),
    ("sinh", |x| [x.sinh(), x.cosh(), x.sinh()]),
    ("cosh", |x| [x.cosh(), x.sinh(), x.cosh()]),
    ("tanh", |x| slopes(x.tanh(), |y| 1.0 - y * y, |y, slope| -2.0 * y * slope)),
    ("exp", |x| [x.exp(); 3]),
    ("ln", |x| [x.ln(), x.recip(), -x.powi(-2)]),
    ("sqrt", |x| slopes(x.sqrt(), |y| 0.5 / y, |_, slope| -0.5 * slope / x)),
    ("abs", |x| [x.abs(), x.signum(), 0.0]),
    ("floor", |x| [x.floor(), 0.0, 0.0]),
    ("step", |x| [step(x), 0.0, 0.0]),
];
// Those of `f64` drop what is not a number.
const TWO: [(&str, Two); 3] = [
    ("min", |x, y| if x[0].is_nan() || x[0] < y[0] { x } else { y }),
    ("max", |x, y| if x[0].is_nan() || x[0] > y[0] { x } else { y }),
    ("atan2", |y, x| {
        let (r2, across) = (x[0] * x[0] + y[0] * y[0], x[0] * y[1] - y[0] * x[1]);
        let slope = across / r2;
        let turn = (x[0] * y[2] - y[0] * x[2]) / r2 - 2.0 * slope * (x[0] * x[1] + y[0] * y[1]) / r2;
        [y[0].atan2(x[0]), slope, turn]
    }),
];

/// A value and its first two derivatives in time.
pub type Jet = [f64; 3];

/// A value with its slope, and the slope of that.
fn slopes(y: f64, slope: impl Fn(f64) -> f64, second: impl Fn(f64, f64) -> f64) -> Jet {
    let slope = slope(y);
    [y, slope, second(y, slope)]
}

/// `f(x)` by the chain rule.
fn chain([f, df, ddf]: Jet, x: Jet) -> Jet {
    [f, times(df, x[1]), times(ddf, x[1] * x[1]) + times(df, x[2])]
}

/// A product that is 0 where a factor is, even beside one without bound: what does not change has no slope.
fn times(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

fn sum(x: Jet, y: Jet) -> Jet {
    std::array::from_fn(|k| x[k] + y[k])
}

fn difference(x: Jet, y: Jet) -> Jet {
    std::array::from_fn(|k| x[k] - y[k])
}

fn product(x: Jet, y: Jet) -> Jet {
    [x[0] * y[0], x[1] * y[0] + x[0] * y[1], x[2] * y[0] + 2.0 * x[1] * y[1] + x[0] * y[2]]
}

fn quotient(x: Jet, y: Jet) -> Jet {
    let inverse = chain([y[0].recip(), -y[0].powi(-2), 2.0 * y[0].powi(-3)], y);
    let [_, slope, second] = product(x, inverse);
    [x[0] / y[0], slope, second]
}

fn power(x: Jet, y: Jet) -> Jet {
    let value = x[0].powf(y[0]);
    if y[1] == 0.0 && y[2] == 0.0 {
        let n = y[0];
        return chain([value, times(n, x[0].powf(n - 1.0)), times(n * (n - 1.0), x[0].powf(n - 2.0))], x);
    }
    // Of exp(y ln x).
    let ln = chain([x[0].ln(), x[0].recip(), -x[0].powi(-2)], x);
    chain([value; 3], product(y, ln))
}

/// 1 from 0 on, and 0 before.
fn step(x: f64) -> f64 {
    match x >= 0.0 {
        true => 1.0,
        false if x.is_nan() => x,
        false => 0.0,
    }
}

impl JsonSchema for Formula {
    fn schema_name() -> Cow<'static, str> {
        "Formula".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "A formula, as sin(2*pi*x)." })
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// Why it is none, as a formula that names what nobody knows, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("is no formula: {} bytes are more than {LONGEST}", text.len()));
        }
        let mut reader = Reader { text, at: 0, depth: 0, steps: Vec::new() };
        reader.sum().and_then(|()| reader.end()).map_err(|message| reader.place(&message))?;
        Ok(Self { text: text.to_owned(), steps: reader.steps })
    }

    /// Refuses one that names another variable than those that there are where it stands.
    ///
    /// # Errors
    /// With its `key`.
    pub fn check(&self, key: &str, variables: &[&str]) -> Result<(), Error> {
        let strange = self.named().find(|name| !variables.contains(name));
        strange.map_or(Ok(()), |name| {
            let message = format!("names `{name}`, but here a formula has {} alone", variables.join(", "));
            Err(Error::invalid(key, message).value(format!("{:?}", self.text)))
        })
    }

    /// The variables that it names.
    pub fn named(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Variable(k) => Some(VARIABLES[*k]),
            _ => None,
        })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value at a place, `[m]`, and a time, `[s]`; not finite where there is none, as after a division by 0.
    pub fn at(&self, x: &[f64], t: f64) -> f64 {
        self.jet(x, t)[0]
    }

    /// The value and its first two derivatives in time, exact up to round-off: where a formula has a kink or a jump, as
    /// `abs` and `floor`, those of one side.
    pub fn jet(&self, x: &[f64], t: f64) -> Jet {
        self.evaluate(|k| match k {
            TIME => [t, 1.0, 0.0],
            _ => [x.get(k).copied().unwrap_or(0.0), 0.0, 0.0],
        })
    }

    /// The value of a particle.
    pub fn of(&self, &Particle { x: [x, y, z], t, v: [u, v, w], rho, p, dx }: &Particle) -> f64 {
        let values = [x, y, z, t, u, v, w, rho, p, dx];
        self.evaluate(|k| [values[k], 0.0, 0.0])[0]
    }

    fn evaluate(&self, variable: impl Fn(usize) -> Jet) -> Jet {
        let mut stack: Vec<Jet> = Vec::with_capacity(8);
        for step in &self.steps {
            match *step {
                Step::Number(x) => stack.push([x, 0.0, 0.0]),
                Step::Variable(k) => stack.push(variable(k)),
                Step::One(f) => {
                    if let Some(x) = stack.last_mut() {
                        *x = chain(f(x[0]), *x);
                    }
                }
                Step::Two(f) => {
                    let second = stack.pop();
                    if let (Some(x), Some(y)) = (stack.last_mut(), second) {
                        *x = f(*x, y);
                    }
                }
            }
        }
        stack.pop().unwrap_or([f64::NAN; 3])
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    steps: Vec<Step>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes a sign, if it comes next.
    fn take(&mut self, sign: char) -> bool {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len_utf8() } else { 0 };
        is_next
    }

    /// Takes the longest beginning of what `belongs`.
    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn sum(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("is nested more than {DEEPEST} deep"));
        }
        self.product()?;
        loop {
            let minus = if self.take('+') {
                false
            } else if self.take('-') {
                true
            } else {
                break;
            };
            self.product()?;
            self.steps.push(Step::Two(if minus { difference } else { sum }));
        }
        self.depth -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        loop {
            let over = if self.take('*') {
                false
            } else if self.take('/') {
                true
            } else {
                return Ok(());
            };
            self.signed()?;
            self.steps.push(Step::Two(if over { quotient } else { product }));
        }
    }

    fn signed(&mut self) -> Result<(), String> {
        let mut minus = false;
        while self.take('-') || self.take('+') {
            minus ^= self.text[..self.at].ends_with('-');
        }
        self.value()?;
        if self.take('^') {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(format!("is nested more than {DEEPEST} deep"));
            }
            self.signed()?;
            self.depth -= 1;
            self.steps.push(Step::Two(power));
        }
        if minus {
            self.steps.push(Step::One(|x| [-x, -1.0, 0.0]));
        }
        Ok(())
    }

    fn value(&mut self) -> Result<(), String> {
        if self.take('(') {
            self.sum()?;
            return self.expect(')');
        }
        let begin = self.at;
        let name = self.word(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        match name.chars().next() {
            None => Err("needs a number, a name or a parenthesis".into()),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(begin),
            Some(_) if self.take('(') => self.call(begin, name),
            Some(_) => self.variable(begin, name),
        }
    }

    /// A number, whose exponent may have a sign.
    fn number(&mut self, begin: usize) -> Result<(), String> {
        if self.text[..self.at].ends_with(['e', 'E']) && self.rest().starts_with(['+', '-']) {
            self.at += 1;
            self.word(|c| c.is_ascii_digit());
        }
        let number: Result<f64, _> = self.text[begin..self.at].parse();
        let number = number.ok().filter(|x| x.is_finite()).ok_or_else(|| {
            let text = format!("has {:?}, which is no number", &self.text[begin..self.at]);
            self.at = begin;
            text
        })?;
        self.steps.push(Step::Number(number));
        Ok(())
    }

    fn call(&mut self, begin: usize, name: &str) -> Result<(), String> {
        let one = ONE.iter().find(|(known, _)| *known == name);
        let two = TWO.iter().find(|(known, _)| *known == name);
        if one.is_none() && two.is_none() {
            self.at = begin;
            let names: Vec<_> = ONE.iter().map(|f| f.0).chain(TWO.iter().map(|f| f.0)).collect();
            return Err(format!("knows no function `{name}`, but {}", names.join(", ")));
        }
        self.sum()?;
        if let Some((_, f)) = two {
            self.expect(',')?;
            self.sum()?;
            self.steps.push(Step::Two(*f));
        }
        if let Some((_, f)) = one {
            self.steps.push(Step::One(*f));
        }
        self.expect(')')
    }

    fn variable(&mut self, begin: usize, name: &str) -> Result<(), String> {
        let step = match VARIABLES.iter().position(|known| *known == name) {
            Some(k) => Step::Variable(k),
            None if name == "pi" => Step::Number(std::f64::consts::PI),
            None => {
                self.at = begin;
                let (common, own) = VARIABLES.split_at(COMMON);
                let (common, own) = (common.join(", "), own.join(", "));
                return Err(format!("knows no `{name}`, but {common} and pi, and of particles {own}"));
            }
        };
        self.steps.push(step);
        Ok(())
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("needs `{sign}`")) }
    }

    fn end(&mut self) -> Result<(), String> {
        self.take(' ');
        if self.rest().is_empty() { Ok(()) } else { Err("needs an operation, or to end".into()) }
    }

    /// The message with the place in the formula.
    fn place(&self, message: &str) -> String {
        match self.rest().trim_start().chars().next() {
            Some(c) => {
                format!(
                    "is no formula: {message}, at `{c}`, sign {}",
                    self.text[..self.at].chars().count() + 1
                )
            }
            None => format!("is no formula: {message} at its end"),
        }
    }
}
