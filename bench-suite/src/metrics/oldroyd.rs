//! Start-up of plane Poiseuille flow of an Oldroyd-B fluid (Waters & King 1970), and the fluid that a measured
//! start-up would be.

use super::Curve;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// Terms of the series: those of the reference table.
const TERMS: u32 = 200;
/// Steps of the fit, at most.
const STEPS: usize = 100;

/// Velocity on the center line of a channel over the mean steady velocity, at the time `T = t/λ`:
/// `U = 3/2 − 48 Σ sin(n/2) n⁻³ exp(−αT/2) [cosh(βₙT/2) + (γ/βₙ) sinh(βₙT/2)]` with `n = (2k−1)π`,
/// `α = 1 + βEn²/4`, `βₙ = √(α² − En²)`, `γ = 1 − (2−β)En²/4`. `E = λν₀/h²` with the half-width h, `β = η_s/η₀`.
pub fn center_line(t: f64, e: f64, beta: f64) -> f64 {
    let term = |k: u32| {
        let n = f64::from(2 * k + 1) * PI;
        let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign / n.powi(3) * relaxing(t, e * n * n, beta)
    };
    // From the smallest term on.
    1.5 - 48.0 * (0..TERMS).rev().map(term).sum::<f64>()
}

/// `exp(−αT/2) [cosh(bT/2) + (γ/b) sinh(bT/2)]` of the wave with `q = En²`.
fn relaxing(t: f64, q: f64, beta: f64) -> f64 {
    let (alpha, gamma) = (1.0 + 0.25 * beta * q, 1.0 - 0.25 * (2.0 - beta) * q);
    let square = alpha * alpha - q;
    let b = square.abs().sqrt();
    if b * t < 1e-6 {
        (-0.5 * alpha * t).exp() * (1.0 + 0.5 * gamma * t)
    } else if square < 0.0 {
        let (sin, cos) = (0.5 * b * t).sin_cos();
        (-0.5 * alpha * t).exp() * (cos + gamma / b * sin)
    } else {
        // The slow rate α − b without the difference of two large numbers.
        let slow = (-0.5 * t * q / (alpha + b)).exp();
        let fast = (-0.5 * t * (alpha + b)).exp();
        0.5 * (slow + fast + gamma / b * (slow - fast))
    }
}

/// An Oldroyd-B fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OldroydB {
    /// Kinematic viscosity `ν₀ = η₀/ρ`, of solvent and polymer together, `[m²/s]`.
    pub viscosity: f64,
    /// Relaxation time λ, `[s]`.
    pub relaxation: f64,
    /// Part of the solvent in the viscosity, `β = η_s/η₀`, `[-]`.
    pub solvent: f64,
}

/// A channel whose fluid is at rest until a body force sets in.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Half the width, `[m]`.
    pub half_width: f64,
    /// Body force, `[m/s²]`.
    pub force: f64,
}

impl OldroydB {
    /// `E = λν₀/h²`, `[-]`.
    pub fn elasticity(&self, start: &Start) -> f64 {
        self.relaxation * self.viscosity / start.half_width.powi(2)
    }

    /// Velocity on the center line at a time `[s]`, `[m/s]`.
    pub fn velocity(&self, start: &Start, t: f64) -> f64 {
        // The mean of a parabola is two thirds of its peak.
        2.0 / 3.0 * self.limit(start) * center_line(t / self.relaxation, self.elasticity(start), self.solvent)
    }

    /// Velocity on the center line in the end, `F h²/(2ν₀)`, `[m/s]`.
    pub fn limit(&self, start: &Start) -> f64 {
        start.force * start.half_width.powi(2) / (2.0 * self.viscosity)
    }

    /// The fluid whose start-up is nearest to a measured one, by least squares of the velocity (Levenberg & Marquardt).
    /// `steady` is the velocity that it ends with, `[m/s]`.
    pub fn fitted(start: &Start, measured: &Curve, steady: f64) -> Self {
        let viscosity = start.force * start.half_width.powi(2) / (2.0 * steady);
        let diffusion = start.half_width.powi(2) / viscosity;
        // Valleys of short and of long relaxation are apart: one start in each of them.
        let starts = [0.01, 0.1, 0.5, 2.0].into_iter().flat_map(|part| {
            [0.05, 0.5].map(|solvent| Self { viscosity, relaxation: part * diffusion, solvent })
        });
        let fits = starts.map(|fluid| Fit { start, measured, steady }.down_from(fluid));
        let best = fits.min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(Self { viscosity, relaxation: f64::NAN, solvent: f64::NAN }, |(fluid, _)| fluid)
    }

    /// Root of the mean squared difference from a measured curve, `[m/s]`.
    pub fn rms(&self, start: &Start, measured: &Curve) -> f64 {
        let square = |(&t, &u): (&f64, &f64)| (u - self.velocity(start, t)).powi(2);
        (measured.x.iter().zip(&measured.y).map(square).sum::<f64>() / measured.x.len() as f64).sqrt()
    }

    /// Logarithms of viscosity, relaxation time and `β/(1 − β)`: any three numbers are a fluid.
    fn coordinates(&self) -> Vector3<f64> {
        Vector3::new(self.viscosity.ln(), self.relaxation.ln(), (self.solvent / (1.0 - self.solvent)).ln())
    }

    fn at(x: &Vector3<f64>) -> Self {
        let solvent = 1.0 / (1.0 + (-x[2]).exp());
        Self { viscosity: x[0].exp(), relaxation: x[1].exp(), solvent }
    }
}

/// A search of least squares.
struct Fit<'a> {
    start: &'a Start,
    measured: &'a Curve,
    steady: f64,
}

impl Fit<'_> {
    fn differences(&self, fluid: &OldroydB) -> Vec<f64> {
        let points = self.measured.x.iter().zip(&self.measured.y);
        points.map(|(&t, &u)| (fluid.velocity(self.start, t) - u) / self.steady).collect()
    }

    /// Goes down from a fluid; also the sum of squares that is reached.
    fn down_from(&self, fluid: OldroydB) -> (OldroydB, f64) {
        let sum = |differences: &[f64]| differences.iter().map(|d| d * d).sum::<f64>();
        let mut x = fluid.coordinates();
        let mut here = self.differences(&fluid);
        let mut damping = 1e-2;
        for _ in 0..STEPS {
            let (normal, slope) = self.normal(&x, &here);
            let damped = normal + damping * Matrix3::from_diagonal(&normal.diagonal());
            let Some(step) = damped.lu().solve(&slope) else { break };
            // A flat valley must not lead out of what numbers can hold.
            let next = x - step.map(|d| d.clamp(-1.0, 1.0));
            let next = next.map(|c| c.clamp(-30.0, 30.0));
            let there = self.differences(&OldroydB::at(&next));
            let gain = sum(&here) - sum(&there);
            if gain > 0.0 {
                let done = gain < 1e-12 * sum(&here);
                (x, here, damping) = (next, there, damping * 0.3);
                if done {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e12 {
                    break;
                }
            }
        }
        (OldroydB::at(&x), sum(&here))
    }

    /// `JᵀJ` and `Jᵀd` of the differences `d`, with slopes taken over small steps.
    fn normal(&self, x: &Vector3<f64>, here: &[f64]) -> (Matrix3<f64>, Vector3<f64>) {
        const STEP: f64 = 1e-5;
        let slopes = [0, 1, 2].map(|axis| {
            let mut moved = *x;
            moved[axis] += STEP;
            let there = self.differences(&OldroydB::at(&moved));
            there.iter().zip(here).map(|(there, here)| (there - here) / STEP).collect::<Vec<f64>>()
        });
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let normal = Matrix3::from_fn(|a, b| dot(&slopes[a], &slopes[b]));
        (normal, Vector3::from_fn(|a, _| dot(&slopes[a], here)))
    }
}
