//! The numbers of the method: unit, range, default and source, stated once.

use serde::{Deserialize, Serialize};
use sph_core::{
    Real,
    error::Error,
    parameters,
    scene::{Parameters, Preset},
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
    /// Weight of a neighbor in gradient, divergence and Laplacian.
    // GPUs know the forms by their place in this list.
    WeightForm {
        /// `w = 1 − q⁴`, with close pairs held at `radius_clamp`.
        #[default]
        MpsQuartic,
        /// `w = q (1 − q)²`, clamped too: gradient and divergence are those of the spiky kernel. For flows whose order is
        /// kept by shifting; wants `support_ratio = 3`.
        Spiky,
        /// `w = q² (1 − q)³`: gradient and divergence are those of Wendland's C2 kernel. Lattices resist shear the least,
        /// close pairs hardly repel; wants `support_ratio = 3`.
        Wendland,
    }
}
choice! {
    /// What the sums of a particle inside of the fluid are.
    Reference {
        /// Those of the lattice on which particles start.
        #[default]
        Lattice,
        /// The largest of the first step, as PeriDyno takes them.
        FirstStep,
    }
}
choice! {
    /// How the density takes part in the source.
    Compensation {
        /// `max(ρ/ρ₀ − 1, 0)`, as published: it can only expand.
        OneSided,
        /// The same at the surface, and inside of the fluid both signs.
        #[default]
        TwoSided,
    }
}
choice! {
    /// How pressure acts on velocities.
    Gradient {
        /// The adjoint of the divergence, with the mirrored pressure of walls: keeps momentum, and drives particles apart.
        #[default]
        Adjoint,
        /// Differences of the pressure, exact where it is linear, and the mirrored one of either sign in reach of the surface: for
        /// closed flows, and for fluid under tension. Inside, walls act through the equation alone.
        Difference,
        /// PeriDyno's: each end of a pair with its own sum of weights, and walls that also take the velocity along the
        /// line to their particles.
        Peridyno,
    }
}
choice! {
    /// Form of the dynamic viscosity.
    ViscousForm {
        /// The Laplacian of the velocity, axis by axis, with the matrix of the pressure: for closed flows. At a free surface it
        /// lacks the stress, and potential flow loses half of the energy that it should `[CASL11]`.
        Morris,
        /// Along the line of centers, conserving angular momentum `[MG83]`; right at a free surface.
        #[default]
        Solenoidal,
    }
}
choice! {
    /// Preconditioner of the conjugate gradients.
    Preconditioner {
        /// Nothing.
        None,
        /// Its diagonal.
        Diagonal,
        /// Aggregation multigrid: the diagonal, and a V-cycle over levels of aggregates.
        #[default]
        Multilevel,
    }
}
choice! {
    /// What the residual is compared with.
    Tolerance {
        /// `‖r‖₂ ≤ tolerance ‖b‖₂`.
        #[default]
        Relative,
        /// `‖r‖₂ ≤ tolerance √n`, in Pa/m².
        Absolute,
    }
}
parameters! {
    /// Parameters of the variational staggered projection. Defaults are those of the preset `consistent`.
    pub struct Params {
        /// Support radius over spacing, η = h/Δx; 3 for free surfaces under strong strain `[PeriDyno, measured]`.
        pub support_ratio: Real = 2.5, "-", "[1.5, 4]";
        /// Weight of a neighbor.
        pub projection_weight: WeightForm = WeightForm::MpsQuartic;
        /// Weights divide by no less than this part of h; when left out by 0.3, `mps_quartic` in 3D by 0.4 `[measured]`.
        pub radius_clamp: Option<Real> = None, "-", "[0.2, 0.4]";
        /// Where the sums of a full neighborhood come from.
        pub reference: Reference = Reference::Lattice;
        /// Part χ of the full diagonal below which a particle may be of the surface `[measured]`.
        pub surface_threshold: Real = 0.9, "-", "[0.75, 1]";
        /// Asymmetry |Σ w n|/α of the neighborhood from which on it is; 0 is off `[measured]`.
        pub surface_asymmetry: Real = 0.15, "-", "[0, 0.2]";
        /// Full diagonal beside a wall over that inside of the fluid `[PeriDyno]`.
        pub wall_surface_factor: Real = 1.0, "-", "[1, 2]";
        /// Part λ̂ of the density error that a step of `dt_max` removes, a shorter one less `[measured]`.
        pub density_compensation: Real = 0.1, "-", "[0, 100]";
        /// How the density takes part in the source.
        pub compensation_mode: Compensation = Compensation::TwoSided;
        /// How pressure acts on velocities.
        pub gradient: Gradient = Gradient::Adjoint;
        /// Preconditioner of the conjugate gradients.
        pub preconditioner: Preconditioner = Preconditioner::Multilevel;
        /// What the residual is compared with.
        pub cg_tolerance_mode: Tolerance = Tolerance::Relative;
        /// Residual at which the pressure has converged `[convention]`.
        pub cg_tolerance: Real = 1e-5, "-", "(0, inf)";
        /// Most iterations of a step `[PeriDyno]`.
        pub cg_max_iter: u32 = 1000, "-", "[1, 1000000]";
        /// Begins with the pressure of the last step.
        pub warm_start: bool = true;
        /// Part τ of a wall's tangential velocity that viscosity and XSPH feel, and with the gradient `peridyno` the divergence:
        /// 0 slips, 1 sticks; that of the wall's own `slip` when left out.
        pub tangential: Option<Real> = None, "-", "[0, 1]";
        /// Part s of the velocity with which fluid leaves a wall that the pressure holds back `[PeriDyno]`.
        pub separation: Real = 0.1, "-", "[0, 1]";
        /// XSPH viscosity c: 0.3 for tanks at rest, 0 for free drops `[measured]`.
        pub xsph_viscosity: Real = 0.1, "-", "[0, 1]";
        /// Dynamic viscosity μ, solved implicitly; 0 is off.
        pub dynamic_viscosity: Real = 0.0, "Pa s", "[0, inf)";
        /// Form of the dynamic viscosity.
        pub viscosity_model: ViscousForm = ViscousForm::Solenoidal;
        /// Displacement of particles towards missing neighbors, near the surface along it, in parts of that of the fastest one; 0 is off.
        pub particle_shifting: Real = 0.0, "-", "[0, 20]";
        /// Courant number of the particle speed `[measured]`.
        pub cfl: Real = 0.4, "-", "(0, 1]";
        /// Largest step `[measured]`.
        pub dt_max: Real = 2e-3, "s", "(0, inf)";
    }
}

impl WeightForm {
    /// Whether close pairs are held at a distance.
    fn clamps(self) -> bool {
        matches!(self, Self::MpsQuartic | Self::Spiky)
    }
}

impl Params {
    /// What fills all space, or is under tension: a gradient without force under a constant pressure, which nothing bounds there, shifting to keep
    /// order, and a weight that holds close pairs apart and lets lattices shear. Nothing parts from the walls.
    fn closed() -> Self {
        Self {
            gradient: Gradient::Difference,
            projection_weight: WeightForm::Spiky,
            particle_shifting: 10.0,
            xsph_viscosity: 0.0,
            separation: 1.0,
            viscosity_model: ViscousForm::Morris,
            ..Self::default()
        }
    }

    /// The published program, its constants included, in `dim` dimensions.
    pub fn peridyno_compat(dim: u8) -> Self {
        Self {
            radius_clamp: Some(0.4),
            reference: Reference::FirstStep,
            surface_threshold: 1.0,
            surface_asymmetry: 0.0,
            wall_surface_factor: 1.5,
            density_compensation: (5.0 * f64::from(dim)) as Real,
            compensation_mode: Compensation::OneSided,
            gradient: Gradient::Peridyno,
            preconditioner: Preconditioner::None,
            cg_tolerance_mode: Tolerance::Absolute,
            cg_tolerance: 1.0,
            warm_start: false,
            tangential: Some(0.1),
            xsph_viscosity: 0.5,
            viscosity_model: ViscousForm::Morris,
            dt_max: 1e-3,
            ..Self::default()
        }
    }

    /// Least radius that weights divide by, in supports, in `dim` dimensions.
    pub fn clamp(&self, dim: usize) -> Real {
        let usual = match self.projection_weight {
            WeightForm::MpsQuartic if dim == 3 => 0.4,
            WeightForm::MpsQuartic | WeightForm::Spiky => 0.3,
            WeightForm::Wendland => 0.0,
        };
        self.radius_clamp.unwrap_or(usual)
    }
}

impl Parameters for Params {
    const METHOD: &'static str = "projection";
    const PRESETS: &'static [Preset<Self>] = &[
        ("consistent", |_| Self::default()),
        (Self::CLOSED, |_| Self::closed()),
        ("peridyno_compat", Self::peridyno_compat),
    ];
    const CLOSED: &'static str = "closed";
    const FIXED: &'static [&'static str] = &["support_ratio", "reference"];

    fn support_ratio(&mut self) -> &mut Real {
        &mut self.support_ratio
    }

    fn check(&self) -> Result<(), Error> {
        self.validate("solver")?;
        if !self.projection_weight.clamps() && self.radius_clamp.is_some() {
            let why = "is of projection_weight = \"mps_quartic\" and \"spiky\" alone; the preset peridyno_compat has one";
            return Err(Error::invalid("solver.radius_clamp", why).value(self.clamp(2).to_string()));
        }
        Ok(())
    }
}
