//! Measured numbers, and what is accepted.

use super::nan::nan_as_null;
use serde::{Deserialize, Serialize};

/// An interval in which a value is accepted; an absent end is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// What is judged.
    #[serde(default)]
    pub of: Judged,
    /// Smallest accepted value, in the unit of what is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Largest accepted value, in the unit of what is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// The number of a score that its band judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// The measured value, in its own unit.
    #[default]
    Value,
    /// The relative error `[-]`.
    Error,
}

impl Band {
    /// The measured value lies in `[low, high]`.
    #[must_use]
    pub fn between(low: f64, high: f64) -> Self {
        Self { of: Judged::Value, low: Some(low), high: Some(high) }
    }

    /// The measured value is at most `high`.
    #[must_use]
    pub fn at_most(high: f64) -> Self {
        Self { of: Judged::Value, low: None, high: Some(high) }
    }

    /// The relative error is at most `limit` `[-]`.
    #[must_use]
    pub fn error_at_most(limit: f64) -> Self {
        Self { of: Judged::Error, low: None, high: Some(limit) }
    }

    /// Whether `x` lies inside. NaN never does.
    #[must_use]
    pub fn contains(&self, x: f64) -> bool {
        !x.is_nan() && self.low.is_none_or(|low| x >= low) && self.high.is_none_or(|high| x <= high)
    }
}

/// One measured number, with what it ought to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Name of the quantity.
    pub name: String,
    /// Unit of `value` and `reference`; `-` for a pure number.
    pub unit: String,
    /// The measured value.
    #[serde(with = "nan_as_null")]
    pub value: f64,
    /// The published or exact value.
    pub reference: Option<f64>,
    /// Relative error `[-]`: 0.03 is three percent.
    pub error: Option<f64>,
    /// What is accepted.
    pub band: Option<Band>,
    /// Where the reference comes from.
    pub source: String,
    /// Whether the band was met; `None` when there is no band.
    pub passed: Option<bool>,
    /// Remarks for the reader: scaling, time shift, caveats.
    pub note: String,
    /// Whether this is the one error by which the case compares methods.
    #[serde(default)]
    pub headline: bool,
}

impl Score {
    /// A measured value without reference or band.
    #[must_use]
    pub fn new(name: &str, unit: &str, value: f64) -> Self {
        Self { name: name.into(), unit: unit.into(), value, ..Self::default() }
    }

    /// Sets the reference and the error relative to it: `|value - reference| / |reference|`.
    /// A reference of zero gives no relative error; set one with [`Score::with_error`].
    #[must_use]
    pub fn against(mut self, reference: f64) -> Self {
        self.reference = Some(reference);
        if reference != 0.0 {
            self.error = Some((self.value - reference).abs() / reference.abs());
        }
        self.judge()
    }

    /// Sets the relative error `[-]`, where it is not that of one value (the RMS over a curve).
    #[must_use]
    pub fn with_error(mut self, error: f64) -> Self {
        self.error = Some(error);
        self.judge()
    }

    /// Sets the accepted band, and judges.
    #[must_use]
    pub fn within(mut self, band: Band) -> Self {
        self.band = Some(band);
        self.judge()
    }

    /// Names the source of the reference.
    #[must_use]
    pub fn from_source(mut self, source: &str) -> Self {
        self.source = source.into();
        self
    }

    /// Adds a remark.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        let between = if self.note.is_empty() { "" } else { "; " };
        self.note += &format!("{between}{note}");
        self
    }

    /// Marks this as the error by which the case compares methods.
    #[must_use]
    pub fn as_headline(mut self) -> Self {
        self.headline = true;
        self
    }

    /// Counts as met only if `condition` holds, such as that the body of fluid still exists.
    #[must_use]
    pub fn only_with(mut self, condition: &Self) -> Self {
        if self.passed == Some(true) && condition.passed == Some(false) {
            self.passed = Some(false);
            return self.with_note(&format!("in its band, without merit: missed {}", condition.name));
        }
        self
    }

    /// Sets `passed` from band, value and error. A band on an error that was not measured is missed.
    fn judge(mut self) -> Self {
        self.passed = self.band.map(|band| match band.of {
            Judged::Value => band.contains(self.value),
            Judged::Error => self.error.is_some_and(|error| band.contains(error)),
        });
        self
    }
}
