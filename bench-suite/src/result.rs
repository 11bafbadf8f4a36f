//! What a run leaves behind: plain data, free of any solver, stored as `results.json`.
//!
//! A report is drawn from these values alone, so it can be drawn again years later. Numbers that are not
//! finite (a run that blew up) are kept: JSON has no NaN, so they are stored as `null` and read back as NaN.

mod comparison;
pub(crate) mod nan;

pub use comparison::Comparison;

use serde::{Deserialize, Serialize};
use sph_core::method::failure::Retry;

use crate::{failure::Failure, processor, start::Start};
use nan::{nan_as_null, nans_as_null};

/// Names of the series that a report knows how to place. A series of any other name is drawn too.
pub mod series_name {
    /// Surge front over the dam's base width, against scaled time.
    pub const FRONT: &str = "front";
    /// Height of the column at the wall over its first height, against scaled time.
    pub const HEIGHT: &str = "height";
    /// Largest speed of a decaying vortex over its first value.
    pub const LARGEST_SPEED: &str = "largest speed";
    /// Velocity profiles across a channel, those of all times in one series with gaps between them.
    pub const PROFILES: &str = "velocity profiles";
    /// Horizontal velocity along the vertical center line of a cavity.
    pub const CENTER_U: &str = "u on the vertical center line";
    /// Vertical velocity along the horizontal center line of a cavity.
    pub const CENTER_V: &str = "v on the horizontal center line";
    /// Semi-axis of a drop along x.
    pub const SEMI_AXIS_A: &str = "semi-axis a";
    /// Semi-axis of a drop along y.
    pub const SEMI_AXIS_B: &str = "semi-axis b";
    /// Pressure at the center of a drop.
    pub const CENTER_PRESSURE: &str = "center pressure";
    /// Pressure on a sensor in a wall over that below the column at rest, smoothed, against scaled time.
    pub const WALL_PRESSURE: &str = "pressure on the wall";
    /// Amplitude of a standing wave over that of the exact one.
    pub const WAVE: &str = "amplitude of the wave";
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
    /// Residual over the right side, with the iterations of one step.
    pub const RESIDUAL: &str = "residual in the last step";
}

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
    /// What was measured, in words.
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

    /// Counts as met only where `condition` is: what holds of a body of fluid has no merit where there is none any more.
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

/// Time spent in one phase of the step, over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Name as in the solver's step.
    pub name: String,
    /// Wall time, summed `[s]`.
    pub seconds: f64,
    /// Number of calls.
    pub calls: u64,
}

/// A picture of the particles at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Simulated time `[s]`.
    pub t: f64,
    /// What is seen, for the caption and for readers who cannot see it.
    pub caption: String,
    /// The picture.
    pub image: Image,
}

/// The bytes of a picture, or where they lie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Image {
    /// Path of a PNG file, relative to the folder of `results.json`.
    File(String),
    /// PNG bytes in base64.
    Png(String),
}

/// Everything that one run of one solver on one case left behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Case, as in `list`.
    pub case: String,
    /// Solver, as in `list`.
    pub solver: String,
    /// The method in full, for people: formulation, kernel, smoothing, diffusion, preset.
    pub variant: String,
    /// Dimension, 2 or 3.
    pub dim: u8,
    /// Particles across the case's reference length.
    pub particles_across: u64,
    /// Particle spacing `[m]`.
    pub spacing: f64,
    /// Fluid particles.
    pub n_fluid: u64,
    /// Wall particles.
    pub n_walls: u64,
    /// Time steps done.
    pub steps: u64,
    /// Simulated time `[s]`.
    #[serde(with = "nan_as_null")]
    pub simulated_s: f64,
    /// Iterations of a step, on average; none of a method that does not iterate.
    #[serde(default)]
    pub iterations: Option<f64>,
    /// Wall time of the steps `[s]`, without set-up and output.
    #[serde(with = "nan_as_null")]
    pub wall_s: f64,
    /// `f32` or `f64`.
    pub precision: String,
    /// Threads used.
    pub threads: u64,
    /// Instruction set used, such as `avx2`.
    pub isa: String,
    /// Where the steps ran: `cpu`, or number and name of a card as in `cuda:0 NVIDIA H100`.
    #[serde(default = "cpu")]
    pub backend: String,
    /// Measured numbers.
    pub scores: Vec<Score>,
    /// Measured curves.
    pub series: Vec<Series>,
    /// Curves of models that were fitted to this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<ReferenceCurve>,
    /// Time per phase.
    pub phases: Vec<Phase>,
    /// Largest resident memory of the process during the run `[bytes]`.
    pub memory_bytes_peak: Option<u64>,
    /// Memory of state and solver over all particles `[bytes]`.
    pub bytes_per_particle: Option<f64>,
    /// What the scene had become before the first step, with its warnings.
    pub start: Option<Start>,
    /// Pictures.
    pub frames: Vec<Frame>,
    /// Hash of all bits of the last state: equal for equal histories.
    #[serde(default)]
    pub state_hash: String,
    /// The resolved scene.
    pub scene_toml: String,
    /// Why the run ended early, if it did. A failed run is kept, and shown as failed.
    pub failure: Option<String>,
    /// The same failure in its parts.
    #[serde(default)]
    pub failure_report: Option<Failure>,
    /// Failures that the run went back from.
    #[serde(default)]
    pub retries: Vec<Retry>,
}

/// The backend of results from before there was another.
fn cpu() -> String {
    processor::CPU.into()
}

impl RunResult {
    /// True for steps on the processor.
    #[must_use]
    pub fn is_on_cpu(&self) -> bool {
        self.backend.is_empty() || self.backend == processor::CPU
    }

    /// Particle updates a second `[1/s]`: fluid particles times steps over wall time. `None` without time.
    #[must_use]
    pub fn particle_steps_per_s(&self) -> Option<f64> {
        let rate = self.n_fluid as f64 * self.steps as f64 / self.wall_s;
        (self.wall_s > 0.0 && rate.is_finite()).then_some(rate)
    }

    /// The score by which the case compares methods: the one marked, else the first that has an error.
    #[must_use]
    pub fn headline(&self) -> Option<&Score> {
        let marked = self.scores.iter().find(|score| score.headline);
        marked.or_else(|| self.scores.iter().find(|score| score.error.is_some()))
    }

    /// Bands met and bands set; a failed run meets none.
    #[must_use]
    pub fn bands(&self) -> (usize, usize) {
        let set = self.scores.iter().filter(|score| score.band.is_some()).count();
        let met = self.scores.iter().filter(|score| score.passed == Some(true)).count();
        (if self.failure.is_some() { 0 } else { met }, set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunResult {
        RunResult {
            case: "dam break".into(),
            variant: "WCSPH, η=3".into(),
            n_fluid: 1000,
            steps: 10,
            simulated_s: 0.5,
            wall_s: 2.0,
            scores: vec![
                Score::new("slope", "-", 1.5).against(1.4).within(Band::error_at_most(0.1)).as_headline(),
            ],
            series: vec![Series {
                name: "front".into(),
                x: vec![0.0, 1.0],
                y: vec![1.0, 2.5],
                ..Series::default()
            }],
            frames: vec![Frame {
                t: 0.25,
                caption: "speed".into(),
                image: Image::File("frames/a.png".into()),
            }],
            ..RunResult::default()
        }
    }

    #[test]
    fn a_comparison_survives_json() {
        let before = Comparison { title: "a < b".into(), results: vec![run()], ..Comparison::default() };
        let text = serde_json::to_string_pretty(&before).unwrap();
        let after: Comparison = serde_json::from_str(&text).unwrap();
        assert_eq!(before, after);
    }

    #[test]
    fn numbers_that_are_not_finite_come_back_as_nan() {
        let mut before = run();
        before.failure = Some("step 12: density is NaN".into());
        before.simulated_s = f64::INFINITY;
        before.series[0].y[1] = f64::NAN;
        before.scores[0].value = f64::NAN;
        let after: RunResult = serde_json::from_str(&serde_json::to_string(&before).unwrap()).unwrap();
        assert!(
            after.simulated_s.is_nan() && after.series[0].y[1].is_nan() && after.scores[0].value.is_nan()
        );
        assert_eq!(after.series[0].y[0], 1.0);
        assert_eq!(after.failure, before.failure);
    }

    #[test]
    fn a_band_judges_value_or_error() {
        assert_eq!(Score::new("a", "m", 1.04).within(Band::between(0.9, 1.1)).passed, Some(true));
        assert_eq!(Score::new("a", "m", 1.2).within(Band::between(0.9, 1.1)).passed, Some(false));
        assert_eq!(
            Score::new("a", "m", 1.2).against(1.0).within(Band::error_at_most(0.1)).passed,
            Some(false)
        );
        assert_eq!(
            Score::new("a", "m", 9.0).within(Band::error_at_most(0.1)).with_error(0.05).passed,
            Some(true)
        );
        assert_eq!(Score::new("a", "m", 1.2).passed, None);
    }

    #[test]
    fn a_score_without_merit_is_missed() {
        let energy = || Score::new("loss of energy", "-", 0.0).within(Band::at_most(0.03));
        let area = |loss| Score::new("loss of area", "-", loss).within(Band::at_most(0.03));
        assert_eq!(energy().only_with(&area(0.0)), energy());
        assert_eq!(
            energy().only_with(&Score::new("corner", "-", 9.0)),
            energy(),
            "what has no band is not missed"
        );
        let lost = energy().only_with(&area(1.0));
        assert!(lost.passed == Some(false) && lost.note.ends_with("missed loss of area"), "{lost:?}");
        assert_eq!(RunResult { scores: vec![area(1.0), lost], ..run() }.bands(), (0, 2));
    }

    #[test]
    fn nan_meets_no_band() {
        assert_eq!(Score::new("a", "m", f64::NAN).within(Band::at_most(1.0)).passed, Some(false));
        assert_eq!(Score::new("a", "m", 1.0).within(Band::error_at_most(1.0)).passed, Some(false));
    }

    #[test]
    fn a_failed_run_meets_no_band() {
        let mut result = run();
        assert_eq!(result.bands(), (1, 1));
        result.failure = Some("blew up".into());
        assert_eq!(result.bands(), (0, 1));
    }

    #[test]
    fn rate_is_particle_steps_over_wall_time() {
        let mut result = run();
        assert_eq!(result.particle_steps_per_s(), Some(5000.0));
        result.wall_s = 0.0;
        assert_eq!(result.particle_steps_per_s(), None);
    }
}
