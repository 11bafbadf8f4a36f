//! Measured curves, and what they are drawn beside.

use super::nan::nans_as_null;
use serde::{Deserialize, Serialize};

/// Names of the series that a report knows how to place. A series of any other name is drawn too.
pub mod series_name {
    /// Surge front over the dam's base width, against scaled time.
    pub const FRONT: &str = "front";
    /// Height of the column at the wall over its first height, against scaled time.
    pub const HEIGHT: &str = "height";
    /// Kinetic energy.
    pub const KINETIC_ENERGY: &str = "kinetic energy";
    /// Potential energy.
    pub const POTENTIAL_ENERGY: &str = "potential energy";
    /// Sum of all energies that a run accounts for.
    pub const TOTAL_ENERGY: &str = "total energy";
    /// Horizontal momentum.
    pub const MOMENTUM_X: &str = "momentum x";
    /// Volume of the fluid.
    pub const VOLUME: &str = "volume";
    /// Density error, `(rho - rho_0) / rho_0`.
    pub const DENSITY_ERROR: &str = "density error";
    /// Iterations of a step, with time.
    pub const ITERATIONS: &str = "iterations of a step";
    /// Residual over the right-hand side, with the iterations of one step.
    pub const RESIDUAL: &str = "residual in the last step";
}

/// Where a report draws a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesGroup {
    /// Among the results of its case, against reference curves of the same name.
    #[default]
    Result,
    /// Among the quantities that ought to be kept: energy, momentum, volume, density.
    Conservation,
    /// Among what tells how a step was solved: iterations and residuals.
    Iteration,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What it shows; see [`series_name`]. Curves of one name share a plot.
    pub name: String,
    /// Where it is drawn.
    #[serde(default)]
    pub group: SeriesGroup,
    /// Name of the abscissa.
    pub x_name: String,
    /// Unit of the abscissa; `-` for a pure number.
    pub x_unit: String,
    /// Name of the ordinate.
    pub y_name: String,
    /// Unit of the ordinate; `-` for a pure number.
    pub y_unit: String,
    /// Abscissas.
    #[serde(with = "nans_as_null")]
    pub x: Vec<f64>,
    /// Ordinates, as many as abscissas.
    #[serde(with = "nans_as_null")]
    pub y: Vec<f64>,
}

/// A published or exact curve to draw beside measured series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferenceCurve {
    /// Case it belongs to.
    pub case: String,
    /// Name of the series it belongs to.
    pub series: String,
    /// Short label for the legend.
    pub label: String,
    /// Full citation.
    pub citation: String,
    /// How it is drawn.
    pub style: CurveStyle,
    /// Abscissas.
    #[serde(with = "nans_as_null")]
    pub x: Vec<f64>,
    /// Ordinates, as many as abscissas.
    #[serde(with = "nans_as_null")]
    pub y: Vec<f64>,
}

/// How a reference curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurveStyle {
    /// Separate points: measurements.
    #[default]
    Points,
    /// A line: an exact solution.
    Line,
}
