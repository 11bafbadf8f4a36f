//! `case.toml`: what a case is, and what it compares.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sph_core::parameters;
use std::{borrow::Cow, collections::BTreeMap};

/// Name of the file of a case in its folder.
pub const NAME: &str = "case.toml";

parameters! {
    /// A case: a scene, the methods that it is for, and what is compared.
    pub struct CaseFile {
        /// One line on it.
        pub about: String = String::new();
        /// Citation of what it is compared with.
        pub source: String;
        /// True where that is an exact or converged solution: errors then fall with resolution, and `compare` ranks methods by them.
        pub exact: bool = false;
        /// The scene, a file in the folder of the case.
        pub scene: String;
        /// Reference length: at the resolution n the spacing is this over n.
        pub length: f64, "m", "(0, inf)";
        /// Particles across the reference length at which bands are stated.
        pub resolution: u32, "-", "[1, 100000]";
        /// Further resolutions, for comparisons.
        pub resolutions: Vec<u32> = Vec::new(), "-", "[1, 100000]";
        /// The methods, each with a table of its settings, or of a scene of its own.
        pub method: Methods = Methods::default();
        /// What is compared with what.
        pub compare: Vec<Compare>, validate;
    }
}

parameters! {
    /// A measure of the scene against a published curve or number.
    pub struct Compare {
        /// Name of the score; those of measure and norm if left out.
        pub name: Option<String> = None;
        /// The measure.
        pub measure: String;
        /// Its column; must be given where it has several.
        pub column: Option<String> = None;
        /// Published curve, a CSV file in the folder of the case: comments that begin with #, names of columns with units, rows.
        pub table: Option<String> = None;
        /// Series of the table, where it holds several.
        pub series: Option<String> = None;
        /// Column of times, or of distances for a profile; the first if left out.
        pub x: Option<String> = None;
        /// Column of values; the second if left out.
        pub y: Option<String> = None;
        /// What times or distances of the table are multiplied with to be those of the measure.
        pub x_scale: f64 = 1.0, "-", "(-inf, inf)";
        /// What is added to them.
        pub x_shift: f64 = 0.0, "-", "(-inf, inf)";
        /// What values of the table are multiplied with to be those of the measure.
        pub y_scale: f64 = 1.0, "-", "(-inf, inf)";
        /// What is added to them.
        pub y_shift: f64 = 0.0, "-", "(-inf, inf)";
        /// Published number in place of a table.
        pub value: Option<f64> = None, "-", "(-inf, inf)";
        /// Divides the measured curve by its first value.
        pub relative: bool = false;
        /// What is compared.
        pub norm: Norm = Norm::Rms;
        /// The value whose first passing is an arrival.
        pub level: Option<f64> = None, "-", "(-inf, inf)";
        /// The measured curve is averaged over so much time around each sample; noise is what is left of it then.
        pub window: Option<f64> = None, "s", "(0, inf)";
        /// When it begins to count.
        pub from: Option<f64> = None, "s", "[0, inf)";
        /// When it ends to count.
        pub to: Option<f64> = None, "s", "(0, inf)";
        /// What errors are divided by; the largest published value, or the published number, if left out.
        pub over: Option<f64> = None, "-", "(0, inf)";
        /// Largest error that is accepted; none is judged if left out.
        pub band: Option<f64> = None, "-", "(0, inf)";
        /// Name of a comparison above whose band must be met, too, for this one to be.
        pub only_with: Option<String> = None;
        /// Remark for the reader.
        pub note: String = String::new();
    }
}

/// What is compared of two curves, or of a curve and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Norm {
    /// Root of the mean square of the differences at the published points.
    #[default]
    Rms,
    /// Mean of their sizes.
    Mean,
    /// The largest of them.
    Largest,
    /// The same after the shift in time that fits best.
    ShiftedRms,
    /// The largest values.
    Peak,
    /// The smallest values.
    Least,
    /// Half of what is between the largest and the smallest values.
    Amplitude,
    /// When they are reached.
    PeakTime,
    /// When the curve first passes `level`.
    Arrival,
    /// The mean values.
    Average,
    /// The values at `to`, between the samples, or the last ones.
    Last,
    /// The slopes of the straight lines of least squares.
    Slope,
    /// The same of the logarithms of the sizes: the rates of growth.
    Rate,
    /// The mean times between rises through the middle of the smallest and largest value.
    Period,
    /// Roots of the mean squares about the means over `window`.
    Noise,
}

/// Tables of settings by the name of the method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Methods(pub BTreeMap<String, toml::Table>);

impl JsonSchema for Methods {
    fn schema_name() -> Cow<'static, str> {
        "Methods".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "description": "Settings by the name of the method." })
    }
}
