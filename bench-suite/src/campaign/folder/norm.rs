//! The numbers that norms make of curves.

use super::file::{Compare, Norm};
use crate::{metrics::Curve, reference::interpolate};

/// A published curve may be shifted by so much of its own length, in so many steps to each side: gates take time to open.
const SHIFT: (f64, i32) = (0.25, 200);

impl Norm {
    /// True where differences of curves are taken, not numbers of both.
    pub fn is_of_curves(self) -> bool {
        matches!(self, Self::Rms | Self::Mean | Self::Largest | Self::ShiftedRms)
    }

    /// True where the number is a time.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Arrival | Self::PeakTime | Self::Period)
    }

    /// True where it needs a curve against time.
    pub fn needs_time(self) -> bool {
        self.is_time() || matches!(self, Self::ShiftedRms | Self::Noise)
    }

    /// True where the number is a value of the curve itself.
    pub fn is_level(self) -> bool {
        matches!(self, Self::Peak | Self::Least | Self::Average | Self::Last)
    }

    /// What reports call it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Rms => "rms error",
            Self::Mean => "mean error",
            Self::Largest => "largest error",
            Self::ShiftedRms => "rms error after one shift in time",
            Self::Peak => "largest value",
            Self::Least => "smallest value",
            Self::Amplitude => "amplitude",
            Self::PeakTime => "time of the largest value",
            Self::Arrival => "arrival",
            Self::Average => "mean",
            Self::Last => "last value",
            Self::Slope => "slope",
            Self::Rate => "rate",
            Self::Period => "period",
            Self::Noise => "noise",
        }
    }

    /// The unit of the number, of a curve whose values and abscissas have these units.
    pub fn unit(self, values: &str, axis: &str) -> String {
        match self {
            _ if self.is_of_curves() => "-".into(),
            _ if self.is_time() => "s".into(),
            Self::Slope => format!("{values}/{axis}"),
            Self::Rate => format!("1/{axis}"),
            _ => values.into(),
        }
    }
}

/// The curve that a comparison looks at: averaged over its `window`; for noise what is left of it then.
pub fn smoothed(how: &Compare, curve: Curve) -> Curve {
    let Some(window) = how.window else { return curve };
    let mut mean = curve.running_mean(window);
    if how.norm == Norm::Noise {
        mean.y.iter_mut().zip(&curve.y).for_each(|(mean, y)| *mean = y - *mean);
    }
    mean
}

/// The number that a norm makes of a curve; NaN of an empty one, or one that does not pass the level.
pub fn number(how: &Compare, curve: &Curve) -> f64 {
    let points = || curve.x.iter().copied().zip(curve.y.iter().copied());
    let largest = || points().max_by(|a, b| a.1.total_cmp(&b.1));
    let n = curve.y.len() as f64;
    match how.norm {
        Norm::Arrival => {
            let level = how.level.unwrap_or(f64::INFINITY);
            points().find(|(_, y)| *y > level).map_or(f64::NAN, |(x, _)| x)
        }
        Norm::Average => curve.y.iter().sum::<f64>() / n,
        Norm::Last => curve.last(),
        Norm::Slope => curve.slope(f64::NEG_INFINITY..=f64::INFINITY),
        Norm::Rate => {
            let y = curve.y.iter().map(|y| y.abs().ln()).collect();
            Curve { x: curve.x.clone(), y }.slope(f64::NEG_INFINITY..=f64::INFINITY)
        }
        Norm::Least => least(curve),
        Norm::Amplitude => 0.5 * (largest().map_or(f64::NAN, |(_, y)| y) - least(curve)),
        Norm::Period => period(curve),
        Norm::Noise => (curve.y.iter().map(|y| y * y).sum::<f64>() / n).sqrt(),
        Norm::PeakTime => largest().map_or(f64::NAN, |(x, _)| x),
        _ => largest().map_or(f64::NAN, |(_, y)| y),
    }
}

fn least(curve: &Curve) -> f64 {
    curve.y.iter().copied().fold(f64::NAN, f64::min)
}

/// Mean time between its rises through the middle of its smallest and largest value; NaN for less than two.
fn period(curve: &Curve) -> f64 {
    let most = curve.y.iter().copied().fold(f64::NAN, f64::max);
    let middle = 0.5 * (least(curve) + most);
    let about = curve.y.iter().map(|y| y - middle).collect();
    let rises = Curve { x: curve.x.clone(), y: about }.rises();
    match rises[..] {
        [first, .., last] => (last - first) / (rises.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// The differences of a curve that is `shift` late from those of the published points that it reaches.
pub fn differences(published: &[(f64, f64)], curve: &Curve, shift: f64) -> Vec<f64> {
    let at = |x: f64| interpolate(&curve.x, &curve.y, x - shift);
    published.iter().filter_map(|&(x, y)| Some((at(x)? - y).abs())).collect()
}

/// The size of differences in a norm.
pub fn size(norm: Norm, off: &[f64]) -> f64 {
    let n = off.len() as f64;
    match norm {
        Norm::Largest => off.iter().copied().fold(f64::NAN, f64::max),
        Norm::Mean => off.iter().sum::<f64>() / n,
        _ => (off.iter().map(|off| off * off).sum::<f64>() / n).sqrt(),
    }
}

/// How late a curve must be to fit best, of shifts that leave it half of the published points at least, `[s]`.
pub fn best_shift(norm: Norm, published: &[(f64, f64)], curve: &Curve) -> f64 {
    let times = || published.iter().map(|(x, _)| *x);
    let length = times().fold(f64::NAN, f64::max) - times().fold(f64::NAN, f64::min);
    let (part, steps) = SHIFT;
    let shifts = (-steps..=steps).map(|k| f64::from(k) / f64::from(steps) * part * length);
    let sizes = shifts.filter_map(|shift| {
        let off = differences(published, curve, shift);
        (2 * off.len() >= published.len()).then(|| (shift, size(norm, &off)))
    });
    sizes.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(shift, _)| shift)
}
