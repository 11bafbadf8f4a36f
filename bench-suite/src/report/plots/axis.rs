//! Axes whose ticks are round numbers, linear or logarithmic, and say their unit.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::result::number::{power_of_ten, trim_zeros};

/// What an axis shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// Name of the quantity.
    pub name: String,
    /// Unit; `-` for a pure number.
    pub unit: String,
    /// Whether equal distances are equal ratios.
    pub log: bool,
}

impl Label {
    /// A linear axis.
    #[must_use]
    pub fn linear(name: &str, unit: &str) -> Self {
        Self { name: name.into(), unit: unit.into(), log: false }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(name: &str, unit: &str) -> Self {
        Self { name: name.into(), unit: unit.into(), log: true }
    }

    /// `time [s]`; the name alone where there is no unit.
    pub(super) fn with_unit(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} [{}]", self.name, self.unit) }
    }

    /// Whether a value can be drawn on this axis.
    pub(super) fn can_show(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }
}

/// An axis with its limits and ticks.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Values with a label.
    pub ticks: Vec<f64>,
    log: bool,
    /// Tick labels are in units of ten to this power.
    exponent: i32,
    decimals: usize,
}

impl Axis {
    /// An axis that holds all values, which are finite, and positive if it is logarithmic.
    pub fn fit(values: impl Iterator<Item = f64>, log: bool, max_ticks: usize) -> Self {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let (lo, hi) = values.fold(none, |(lo, hi), x| (lo.min(x), hi.max(x)));
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (1.0, 10.0) };
        if log { Self::fit_log(lo, hi, max_ticks) } else { Self::fit_linear(lo, hi, max_ticks) }
    }

    fn fit_linear(lo: f64, hi: f64, max_ticks: usize) -> Self {
        let flat = (hi - lo) <= 1e-9 * hi.abs().max(lo.abs());
        let size = if hi == 0.0 { 1.0 } else { hi.abs() };
        let (lo, hi) = if flat { (lo - 0.05 * size, hi + 0.05 * size) } else { (lo, hi) };
        let pad = 0.04 * (hi - lo);
        let starts_at_zero = (0.0..0.25 * hi).contains(&lo);
        let (lo, hi) = (if starts_at_zero { 0.0 } else { lo - pad }, hi + pad);
        let step = round_step((hi - lo) / max_ticks.max(2) as f64);
        let (first, last) = ((lo / step).ceil() as i64, (hi / step).floor() as i64);
        let size = lo.abs().max(hi.abs()).log10().floor() as i32;
        let exponent = if (-2..5).contains(&size) { 0 } else { size.div_euclid(3) * 3 };
        let step_digits = step.log10().floor() as i32 - exponent;
        let ticks = (first..=last).map(|i| i as f64 * step).collect();
        Self { lo, hi, ticks, log: false, exponent, decimals: (-step_digits).max(0) as usize }
    }

    fn fit_log(lo: f64, hi: f64, max_ticks: usize) -> Self {
        let pad = (hi / lo).powf(0.06).max(1.5);
        let (lo, hi) = (lo / pad, hi * pad);
        let decades = lo.log10().floor() as i32..=hi.log10().ceil() as i32;
        let within = |mantissas: &[f64]| -> Vec<f64> {
            let all = decades.clone().flat_map(|e| mantissas.iter().map(move |m| m * 10f64.powi(e)));
            all.filter(|tick| (lo..=hi).contains(tick)).collect()
        };
        let dense: [&[f64]; 4] =
            [&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], &[1.0, 2.0, 3.0, 5.0], &[1.0, 2.0, 5.0], &[1.0, 3.0]];
        let found = dense.iter().map(|mantissas| within(mantissas)).find(|ticks| ticks.len() <= max_ticks);
        let ticks = found.unwrap_or_else(|| {
            let every = within(&[1.0]);
            let stride = every.len().div_ceil(max_ticks.max(2)).max(1);
            every.into_iter().step_by(stride).collect()
        });
        Self { lo, hi, ticks, log: true, exponent: 0, decimals: 0 }
    }

    /// `name [unit]`, with the power of ten that the tick labels leave out; the name alone of what has an unknown unit.
    pub fn caption(&self, label: &Label) -> String {
        match (self.exponent, label.unit.as_str()) {
            (0, _) => label.with_unit(),
            (exponent, "" | "-") => format!("{} [{}]", label.name, power_of_ten(exponent)),
            (exponent, unit) => format!("{} [{} {unit}]", label.name, power_of_ten(exponent)),
        }
    }

    /// The text at a tick.
    pub fn tick_text(&self, value: f64) -> String {
        let text = if !self.log {
            format!("{:.*}", self.decimals, value / 10f64.powi(self.exponent))
        } else if (0.0009..1e5).contains(&value) {
            trim_zeros(&format!("{value:.6}")).to_owned()
        } else {
            let exponent = (value.log10() + 1e-9).floor() as i32;
            match (value / 10f64.powi(exponent)).round() as i32 {
                1 => power_of_ten(exponent),
                mantissa => format!("{mantissa}·{}", power_of_ten(exponent)),
            }
        };
        let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
        if is_zero { text.replace('-', "") } else { text.replace('-', "−") }
    }

    /// Position along the axis, 0 at its low end and 1 at its high end; not finite for what cannot be shown.
    pub fn fraction(&self, value: f64) -> f64 {
        if self.log {
            (value / self.lo).ln() / (self.hi / self.lo).ln()
        } else {
            (value - self.lo) / (self.hi - self.lo)
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let length = f64::from(limit.1 - limit.0);
        limit.0 + (self.fraction(*value) * length).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.lo..self.hi
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.tick_text(*value)
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let decade = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|m| m * decade)
        .find(|step| *step >= least * 0.999)
        .unwrap_or(10.0 * decade)
}
