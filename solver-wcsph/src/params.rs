//! The numbers of the method: unit, range, default and source, stated once.

use serde::{Deserialize, Serialize};
use sph_core::{
    Real,
    error::Error,
    kernel::KernelKind,
    method::solids::Flow,
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
    /// Where density comes from.
    Density {
        /// `ρ_i = Σ_j m_j W_ij`: always consistent with positions, noisy in disorder.
        Summation,
        /// `dρ_i/dt = Σ_j m_j v_ij·∇W_ij`: a state of its own, smooth at free surfaces.
        #[default]
        Continuity,
    }
}
choice! {
    /// Equation of state.
    Eos {
        /// `p = ρ₀c₀²/γ ((ρ/ρ₀)^γ − 1)`, γ = 7 `[BT07]`.
        #[default]
        Tait,
        /// `p = c₀² (ρ − ρ₀)`.
        Linear,
    }
}
choice! {
    /// Viscosity model.
    ViscosityModel {
        /// Artificial viscosity between approaching particles `[Mon92]`.
        #[default]
        Monaghan,
        /// Laminar viscosity along the velocity difference `[MFZ97]`: the Laplacian of the velocity, for closed flows. At a free
        /// surface it lacks the stress, and potential flow loses half of the energy that it should `[CASL11]`.
        Morris,
        /// Laminar viscosity along the line of centers, conserving angular momentum `[Mon05]`; right at a free surface.
        Solenoidal,
    }
}
choice! {
    /// Time integration.
    Integrator {
        /// Kick, then drift with the new velocity.
        SymplecticEuler,
        /// Kick, drift, kick.
        #[default]
        VelocityVerlet,
    }
}
choice! {
    /// Pressure of walls.
    WallPressure {
        /// Pseudo-masses and mirrored pressure.
        Symmetric,
        /// Dummy particles with extrapolated pressure [Adami, Hu & Adams 2012].
        #[default]
        Dummy,
    }
}
choice! {
    /// What keeps particles evenly spread.
    Regularization {
        /// Nothing.
        #[default]
        None,
        /// Fickian particle shifting [Sun et al. 2017].
        Shifting,
    }
}
smoothing! {
    /// The smoothing kernels that the method takes.
    pub enum Smoothing: bell;
}

parameters! {
    /// Parameters of weakly compressible SPH. Defaults are those of the preset `validation`.
    pub struct Params {
        /// Interpolation kernel, of the group `bell`: `wendland_c2`, `cubic_spline` and others.
        pub kernel: KernelKind = KernelKind::WendlandC2;
        /// Support radius over spacing, η = h/Δx `[measured]`.
        pub support_ratio: Real = 3.0, "-", "[1.5, 4]";
        /// Where density comes from.
        pub density: Density = Density::Continuity;
        /// Equation of state.
        pub eos: Eos = Eos::Tait;
        /// Sound speed c₀; ten times the speed of a fall through the fluid's depth when left out `[BT07]`.
        pub sound_speed: Option<Real> = None, "m/s", "(0, inf)";
        /// Viscosity model; when left out `monaghan`, with a dynamic viscosity `solenoidal` where the fluid has a free surface
        /// at the start and `morris` where it fills all space.
        pub viscosity_model: Option<ViscosityModel> = None;
        /// Artificial viscosity α of `monaghan`, 0 is without viscosity; 0.05 when left out `[Mon92]`.
        pub artificial_viscosity_alpha: Option<Real> = None, "-", "[0, 10]";
        /// Dynamic viscosity μ of the laminar models, which need it.
        pub dynamic_viscosity: Option<Real> = None, "Pa s", "[0, inf)";
        /// Divides μ by the factor that the rest lattice gives it.
        pub viscosity_calibration: bool = true;
        /// Density diffusion δ, 0 is off, 0.1 usual; continuity density only `[Ant10]`.
        pub delta_sph: Real = 0.1, "-", "[0, 0.2]";
        /// Time integration.
        pub integrator: Integrator = Integrator::VelocityVerlet;
        /// Pressure of walls.
        pub wall_pressure: WallPressure = WallPressure::Dummy;
        /// Removes negative pressure of dummy walls, and of particles towards them. For free-surface flows with
        /// impact; closed flows under suction need `false`.
        pub clamp_wall_pressure: bool = true;
        /// Stiffness κ of the contact force that keeps particles from between the samples of walls, over that of
        /// sound; 0 is off.
        pub wall_contact: Real = 1.0, "-", "[0, 2]";
        /// What keeps particles evenly spread.
        pub regularization: Regularization = Regularization::None;
        /// Cohesion γ_c between fluid particles `[AAT13]`; m⁴/(kg s²) in 3D.
        pub cohesion: Real = 0.0, "m^4/(kg s^2)", "[0, inf)";
        /// Curvature coefficient γ_κ of the surface tension `[AAT13]`.
        pub surface_tension: Real = 0.0, "m/s^2", "[0, inf)";
        /// Adhesion β to walls `[AAT13]`; m⁴/(kg s²) in 3D.
        pub adhesion: Real = 0.0, "m^4/(kg s^2)", "[0, inf)";
        /// Courant number of the particle speed, λ `[measured]`.
        pub cfl: Real = 0.4, "-", "(0, 1]";
        /// Courant number of sound, λ_c `[Mon92]`.
        pub cfl_sound: Real = 0.5, "-", "(0, 2]";
        /// Factor of the acceleration limit, λ_f `[Mon92]`.
        pub cfl_force: Real = 0.25, "-", "(0, 1]";
        /// Largest step; by default no limit `[convention]`.
        pub dt_max: Real = 1e9, "s", "(0, inf)";
    }
}

impl Params {
    /// Cheap and robust: cubic spline, h = 2 spacings, summed density, pseudo-mass walls.
    pub fn graphics() -> Self {
        Self {
            kernel: KernelKind::CubicSpline,
            support_ratio: 2.0,
            density: Density::Summation,
            delta_sph: 0.0,
            integrator: Integrator::SymplecticEuler,
            wall_pressure: WallPressure::Symmetric,
            // A summed density sees how close a wall is.
            wall_contact: 0.0,
            ..Self::default()
        }
    }

    /// True when negative pressure is removed: a summed density is too low at free surfaces, where tension would
    /// clump particles.
    pub fn clamps(&self) -> bool {
        self.density == Density::Summation
    }

    /// Artificial viscosity α, `[-]`.
    pub fn alpha(&self) -> Real {
        self.artificial_viscosity_alpha.unwrap_or(0.05)
    }

    /// The viscosity model, with or without a free surface.
    pub fn viscosity_in(&self, flow: Flow) -> ViscosityModel {
        match (self.viscosity_model, self.dynamic_viscosity) {
            (Some(model), _) => model,
            (None, None) => ViscosityModel::Monaghan,
            (None, Some(_)) => match flow {
                Flow::FreeSurface => ViscosityModel::Solenoidal,
                Flow::Closed => ViscosityModel::Morris,
            },
        }
    }

    /// True when walls have the pressure of the fluid beside them.
    pub fn has_dummy_walls(&self) -> bool {
        self.wall_pressure == WallPressure::Dummy
    }
}

impl Parameters for Params {
    const METHOD: &'static str = "wcsph";
    const PRESETS: &'static [Preset<Self>] =
        &[("validation", |_| Self::default()), ("graphics", |_| Self::graphics())];
    const FIXED: &'static [&'static str] =
        &["kernel", "support_ratio", "density", "integrator", "eos", "wall_pressure"];

    fn support_ratio(&mut self) -> &mut Real {
        &mut self.support_ratio
    }

    fn check(&self) -> Result<(), Error> {
        self.validate("solver")?;
        let refuse = |key: &str, value: &str, why: &str| {
            Err(Error::invalid(format!("solver.{key}"), why).value(value))
        };
        if self.delta_sph > 0.0 && self.density == Density::Summation {
            return refuse(
                "delta_sph",
                &self.delta_sph.to_string(),
                "must be 0 with density = \"summation\"",
            );
        }
        let is_laminar = self.viscosity_in(Flow::FreeSurface) != ViscosityModel::Monaghan;
        match (self.dynamic_viscosity, self.artificial_viscosity_alpha) {
            (Some(mu), _) if !is_laminar => {
                return refuse(
                    "dynamic_viscosity",
                    &mu.to_string(),
                    "is not used by viscosity_model = \"monaghan\"",
                );
            }
            (None, _) if is_laminar => {
                let error = Error::missing("solver.dynamic_viscosity");
                return Err(error.hint("the laminar models need it; that of water is 1e-3"));
            }
            (_, Some(alpha)) if is_laminar && alpha > 0.0 => {
                let why = "is not used by a laminar viscosity: leave out this key or dynamic_viscosity";
                return refuse("artificial_viscosity_alpha", &alpha.to_string(), why);
            }
            _ => {}
        }
        if self.surface_tension > 0.0 && self.cohesion == 0.0 {
            return refuse(
                "surface_tension",
                &self.surface_tension.to_string(),
                "disperses the fluid without cohesion > 0",
            );
        }
        if !KERNELS.contains(&self.kernel) {
            return Err(self.kernel.refused(KERNELS));
        }
        Ok(())
    }
}
