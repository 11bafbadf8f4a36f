//! The parameters of the method: unit, range, default and source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sph_core::{
    Real,
    error::Error,
    parameters,
    scene::{Parameters, Preset},
};

/// Order of the relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RelaxMode {
    /// Sequential Gauss-Seidel on one thread of the CPU, as published `[CBP05]`.
    Sequential,
    /// Multicolor Gauss-Seidel: the same on any number of threads.
    #[default]
    Colored,
    /// Jacobi: all displacements from the same positions.
    Jacobi,
}

/// When springs are created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpringCreation {
    /// In every step, between all neighbors without a spring: a fluid `[CBP05]`.
    #[default]
    EveryStep,
    /// In the first step only: an elastic body `[CBP05]`.
    AtStart,
}

parameters! {
    /// Parameters of the viscoelastic fluid. Defaults are those of the preset `standard`.
    pub struct Params {
        /// Interaction radius over spacing, η = h/Δx `[convention]`.
        pub support_ratio: Real = 2.5, "-", "[1.5, 4]";
        /// Divides density and near density by those of the lattice, so that the stiffness is comparable at all support
        /// ratios and in 2D and 3D.
        pub normalized: bool = true;
        /// Rest density ρ₀ of the double density; if left out, that at which the lattice of the spacing neither
        /// contracts nor expands `[CBP05]`.
        pub rest_density: Option<Real> = None, "-", "(0, inf)";
        /// Stiffness k; if left out, that which holds the depth of the fluid with 3 % compression at the bottom
        /// `[CBP05]`.
        pub stiffness: Option<Real> = None, "m/s^2", "[0, inf)";
        /// Near stiffness k_near; if left out, 1.5 k `[CBP05]`.
        pub stiffness_near: Option<Real> = None, "m/s^2", "[0, inf)";
        /// Linear viscosity σ `[CBP05]`.
        pub viscosity_linear: Real = 0.0, "1/s", "[0, inf)";
        /// Quadratic viscosity β: damps fast approach alone `[CBP05]`.
        pub viscosity_quadratic: Real = 0.0, "1/m", "[0, inf)";
        /// Spring stiffness; 0 disables springs `[CBP05]`.
        pub spring_stiffness: Real = 0.0, "1/s^2", "[0, inf)";
        /// Part γ of its rest length that a spring may be stretched or compressed before it flows `[CBP05]`.
        pub yield_ratio: Real = 0.1, "-", "[0, 1)";
        /// Plasticity α: rate of the plastic flow of rest lengths; 0 is elastic `[CBP05]`.
        pub plasticity: Real = 18.0, "1/s", "[0, inf)";
        /// When springs are created.
        pub spring_creation: SpringCreation = SpringCreation::EveryStep;
        /// Order of the relaxation.
        pub relax_mode: RelaxMode = RelaxMode::Colored;
        /// Least speed with which particles leave the surface of a container `[convention]`.
        pub anti_stick: Real = 0.0, "m/s", "[0, inf)";
        /// Stickiness k_stick of walls, containers and bodies `[CBP05]`.
        pub stick_stiffness: Real = 0.0, "1/s^2", "[0, inf)";
        /// Distance from a surface at which its stickiness ends, over h `[CBP05]`.
        pub stick_distance: Real = 0.5, "-", "(0, 1]";
        /// Fraction of the largest stable step of relaxation, springs and stickiness `[convention]`.
        pub stability: Real = 0.6, "-", "(0, 1]";
        /// Courant number of the particle speed `[convention]`.
        pub cfl: Real = 0.4, "-", "(0, 10]";
        /// Smallest step that the Courant condition may require `[convention]`.
        pub dt_min: Real = 1e-4, "s", "[0, inf)";
        /// Largest step: a frame of sixty a second `[convention]`.
        pub dt_max: Real = 0.016666668, "s", "(0, inf)";
    }
}

impl Params {
    /// The constants of the browser demo: a few units of length in size, steps of 1/60 s.
    pub fn circle_demo() -> Self {
        Self {
            support_ratio: 3.4,
            normalized: false,
            rest_density: Some(5.0),
            stiffness: Some(35.0),
            stiffness_near: Some(100.0),
            stability: 1.0,
            cfl: 10.0,
            dt_min: 0.016666668,
            ..Self::default()
        }
    }

    /// True when impulses act between neighbors.
    pub fn has_viscosity(&self) -> bool {
        self.viscosity_linear > 0.0 || self.viscosity_quadratic > 0.0
    }

    /// True when there are springs.
    pub fn has_springs(&self) -> bool {
        self.spring_stiffness > 0.0
    }
}

impl Parameters for Params {
    const METHOD: &'static str = "viscoelastic";
    const PRESETS: &'static [Preset<Self>] =
        &[("standard", |_| Self::default()), ("circle_demo", |_| Self::circle_demo())];
    const FIXED: &'static [&'static str] = &["support_ratio"];

    fn support_ratio(&mut self) -> &mut Real {
        &mut self.support_ratio
    }

    fn check(&self) -> Result<(), Error> {
        self.validate("solver")?;
        if self.stiffness == Some(0.0) && self.rest_density.is_none() {
            let error = Error::invalid("solver.rest_density", "cannot be derived with stiffness = 0");
            return Err(error.hint("give solver.rest_density, or a stiffness above 0"));
        }
        Ok(())
    }
}
