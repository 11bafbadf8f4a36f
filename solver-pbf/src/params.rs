//! Parameters of the method: unit, range, default and source.

use serde::{Deserialize, Serialize};
use sph_core::{
    Real,
    error::Error,
    fluid::surface::Tension,
    kernel::KernelKind,
    parameters,
    scene::{Parameters, Preset},
    smoothing,
};

/// A choice of the scene file, spelled in snake case.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$doc])* $variant,)* }
    };
}

choice! {
    /// Unit of the relaxation ε of the constraint.
    CfmMode {
        /// Relative to Σ|∇C|² of the rest lattice, `[-]`.
        #[default]
        Relative,
        /// Absolute, `[1/m²]` `[MM13]`.
        Absolute,
    }
}
choice! {
    /// How the corrections of a particle are combined.
    RelaxationMode {
        /// `relaxation_factor` times their sum: conserves momentum.
        #[default]
        Global,
        /// `relaxation_factor` times their mean over the constraints that move it `[MMCK14]`.
        Local,
    }
}
choice! {
    /// Velocity from positions.
    VelocityUpdate {
        /// `(x^{n+1} − x^n)/Δt`.
        #[default]
        FirstOrder,
        /// BDF2, with a prediction of its own.
        SecondOrder,
    }
}

smoothing! {
    /// The smoothing kernels that the method takes.
    pub enum Smoothing { CubicSpline, Poly6Spiky }
}

parameters! {
    /// Parameters of Position Based Fluids. Defaults are those of the preset `standard`.
    pub struct Params {
        /// Smoothing kernel: `cubic_spline`, or `poly6_spiky`, the pair of `[MM13]`.
        pub kernel: KernelKind = KernelKind::CubicSpline;
        /// Support radius over spacing, η = h/Δx `[Bender]`.
        pub support_ratio: Real = 2.0, "-", "[1.5, 4]";
        /// Largest number of iterations in a substep `[MMCK14]`.
        pub solver_iterations: u32 = 4, "-", "[1, 10000]";
        /// Least number of iterations in a substep, if `solver_iterations` allows it `[convention]`.
        pub min_iterations: u32 = 2, "-", "[0, 10000]";
        /// Substeps of a step, each with its own neighbors and iterations `[MMCK14]`.
        pub substeps: u32 = 2, "-", "[1, 1000]";
        /// Mean of max(ρ/ρ₀ − 1, 0) at which iterations end `[Bender]`.
        pub density_tolerance: Real = 1e-3, "-", "(0, inf)";
        /// Relaxation ε of the constraint; 0.01 with `unilateral`, 1 without if left out `[measured]`.
        pub cfm_epsilon: Option<Real> = None, "- or 1/m^2", "[0, inf)";
        /// Unit of ε.
        pub cfm_mode: CfmMode = CfmMode::Relative;
        /// Corrects compression only, so that no tension clumps the surface `[MMCK14]`.
        pub unilateral: bool = true;
        /// Strength k of the tensile correction s_corr, 0 is off `[MM13]`: a density error at steps of 1/60 s and four
        /// iterations, scaled so that the displacement in a second does not depend on these.
        pub scorr_k: Real = 0.1, "-", "[0, inf)";
        /// Distance |Δq| at which s_corr is −k, over h `[MM13]`.
        pub scorr_dq: Real = 0.2, "-", "[0.1, 0.3]";
        /// Whether corrections are added or averaged.
        pub relaxation_mode: RelaxationMode = RelaxationMode::Global;
        /// Factor of the corrections, above 1 over-relaxes `[MMCK14]`; relative to the largest stable one where that is
        /// below 1, as it is above two spacings of support in 3D.
        pub relaxation_factor: Real = 1.0, "-", "(0, 2]";
        /// Velocity from positions.
        pub velocity_update: VelocityUpdate = VelocityUpdate::FirstOrder;
        /// Strength ε of the vorticity confinement, 0 is off `[FSJ01, MM13]`.
        pub vorticity_confinement: Real = 0.0, "m/s", "[0, inf)";
        /// XSPH viscosity c `[SB12, MM13]`.
        pub xsph_viscosity: Real = 0.01, "-", "[0, 1]";
        /// Counts walls in Σ|∇C|², as if samples could move `[Bender]`.
        pub walls_in_denominator: bool = false;
        /// Cohesion γ_c between fluid particles `[AAT13]`; m⁴/(kg s²) in 3D.
        pub cohesion: Real = 0.025, "m^4/(kg s^2)", "[0, inf)";
        /// Curvature coefficient γ_κ of the surface tension `[AAT13]`.
        pub surface_tension: Real = 0.0, "m/s^2", "[0, inf)";
        /// Adhesion β to walls `[AAT13]`; m⁴/(kg s²) in 3D.
        pub adhesion: Real = 0.0, "m^4/(kg s^2)", "[0, inf)";
        /// Courant number of the particle speed in a substep, λ `[Bender]`.
        pub cfl: Real = 0.4, "-", "(0, 10]";
        /// Smallest step: a shorter one is lengthened, since corrections stay stable `[Bender]`.
        pub dt_min: Real = 1e-4, "s", "[0, inf)";
        /// Largest step, all substeps together `[MMCK14]`.
        pub dt_max: Real = 0.016666668, "s", "(0, inf)";
    }
}

/// Numbers of substeps and iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iterations {
    /// Substeps of a step.
    pub substeps: u32,
    /// Largest number of iterations in a substep.
    pub most: u32,
}

impl Params {
    /// The demo of an open implementation: exactly five iterations, adaptive steps, no s_corr `[Bender]`.
    pub fn fluid_demo() -> Self {
        Self {
            solver_iterations: 5,
            min_iterations: 5,
            substeps: 1,
            cfm_epsilon: Some(1e-6),
            cfm_mode: CfmMode::Absolute,
            walls_in_denominator: true,
            scorr_k: 0.0,
            xsph_viscosity: 0.02,
            cohesion: 0.0,
            dt_max: 5e-3,
            ..Self::default()
        }
    }

    /// The unified solver: three iterations, averaged corrections, cohesion `[MMCK14]`.
    pub fn flex() -> Self {
        Self {
            solver_iterations: 3,
            min_iterations: 3,
            scorr_k: 0.0,
            relaxation_mode: RelaxationMode::Local,
            xsph_viscosity: 0.0,
            ..Self::default()
        }
    }

    /// Iterations to a density error of 0.01 %, a hundred at most.
    pub fn accurate() -> Self {
        Self {
            solver_iterations: 100,
            substeps: 1,
            density_tolerance: 1e-4,
            dt_max: 5e-3,
            cohesion: 0.0,
            ..Self::default()
        }
    }

    /// Numbers of substeps and iterations.
    pub fn iterations(&self) -> Iterations {
        Iterations { substeps: self.substeps, most: self.solver_iterations }
    }

    /// ε as given, or the default of the constraint.
    pub fn cfm(&self) -> Real {
        self.cfm_epsilon.unwrap_or(if self.unilateral { 1e-2 } else { 1.0 })
    }

    /// True when, after this number of corrections, the mean density error is small enough.
    pub(crate) fn is_solved(&self, corrections: u32, error: f64) -> bool {
        corrections >= self.min_iterations && error < f64::from(self.density_tolerance)
    }

    /// Strengths of the surface forces.
    pub(crate) fn tension(&self) -> Tension {
        Tension { cohesion: self.cohesion, curvature: self.surface_tension, adhesion: self.adhesion }
    }
}

impl Parameters for Params {
    const METHOD: &'static str = "pbf";
    const PRESETS: &'static [Preset<Self>] = &[
        ("standard", |_| Self::default()),
        ("fluid_demo", |_| Self::fluid_demo()),
        ("flex", |_| Self::flex()),
        ("accurate", |_| Self::accurate()),
    ];
    /// The calibrated mass and the grid depend on them.
    const FIXED: &'static [&'static str] = &["kernel", "support_ratio"];

    fn support_ratio(&mut self) -> &mut Real {
        &mut self.support_ratio
    }

    fn check(&self) -> Result<(), Error> {
        self.validate("solver")?;
        let refuse = |key: &str, value: &dyn std::fmt::Debug, why: &str| {
            Err(Error::invalid(format!("solver.{key}"), why).value(format!("{value:?}")))
        };
        if !KERNELS.contains(&self.kernel) {
            return Err(self.kernel.refused(KERNELS));
        }
        if !self.unilateral && self.cfm_epsilon == Some(0.0) {
            return refuse(
                "cfm_epsilon",
                &0.0,
                "must be above 0 without unilateral: a lone particle has no gradient",
            );
        }
        if self.surface_tension > 0.0 && self.cohesion == 0.0 {
            return refuse(
                "surface_tension",
                &self.surface_tension,
                "disperses the fluid without cohesion > 0",
            );
        }
        Ok(())
    }
}
