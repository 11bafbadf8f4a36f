//! Lists of cases and variants.

use crate::campaign::folder;
use crate::cases::{
    Case, column::Column, dam_break::DamBreak, rebound::Rebound, rotating_square::RotatingSquare,
    stretched_bar::StretchedBar, viscoelastic_channel::ViscoelasticChannel, walls,
};
use crate::scenes::methods::Method;
use sph_core::scene::Scene;

/// The cases that need code.
pub const CASES: &[&dyn Case] = &[
    &DamBreak { n2: 2, friction: false },
    &DamBreak { n2: 1, friction: false },
    &DamBreak { n2: 1, friction: true },
    &Column { dim: 2 },
    &Column { dim: 3 },
    &RotatingSquare,
    &StretchedBar { plastic: false },
    &StretchedBar { plastic: true },
    &Rebound { springs: true },
    &Rebound { springs: false },
    &ViscoelasticChannel,
];

/// The cases of a whole validation: those, and the folders of `bench-suite/cases`.
pub fn cases() -> impl Iterator<Item = &'static dyn Case> {
    CASES.iter().copied().chain(folder::built_in().iter().map(|case| case as &dyn Case))
}

/// The same, and the scenes of walls that must hold, which are run when they are named.
pub fn all_cases() -> impl Iterator<Item = &'static dyn Case> {
    cases().chain(walls::SCENES.iter().map(|scene| scene as &dyn Case))
}

/// The case of a name.
pub fn case(name: &str) -> Option<&'static dyn Case> {
    all_cases().find(|case| case.name() == name)
}

/// A method with its settings, as one line of a comparison.
pub struct Variant {
    /// Name on the command line.
    pub name: &'static str,
    /// Label in reports.
    pub label: &'static str,
    /// The method.
    pub method: Method,
    /// True of what is there to show what a choice does, and not as the best of its method.
    pub is_contrast: bool,
    /// Changes a case's scene, which suits the method already.
    pub apply: fn(&mut Scene),
}

impl Variant {
    /// The scene of a case with `n` particles across; `None` when the case is not for the method.
    pub fn scene(&self, case: &dyn Case, n: usize) -> Option<Scene> {
        let mut scene = case.scene(n);
        let suits = case.suit(&mut scene, self.method);
        (self.apply)(&mut scene);
        suits.then_some(scene)
    }
}

/// The methods of a validation, with the settings that each case gives them.
pub const VALIDATION: &[Variant] = &[
    Variant { name: "wcsph", label: "WCSPH", method: Method::Wcsph, is_contrast: false, apply: |_| {} },
    Variant { name: "pbf", label: "PBF", method: Method::Pbf, is_contrast: false, apply: |_| {} },
    Variant {
        name: "viscoelastic",
        label: "double density relaxation",
        method: Method::Viscoelastic,
        is_contrast: false,
        apply: |_| {},
    },
    Variant {
        name: "projection",
        label: "staggered projection",
        method: Method::Projection,
        is_contrast: false,
        apply: |_| {},
    },
];

/// The lines of a comparison.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "wcsph-delta",
        label: "WCSPH, Wendland C2 3.0, δ-SPH (preset validation)",
        method: Method::Wcsph,
        is_contrast: false,
        apply: |_| {},
    },
    Variant {
        name: "wcsph-plain",
        label: "WCSPH, Wendland C2 3.0, plain continuity",
        method: Method::Wcsph,
        is_contrast: true,
        apply: |scene| scene.solver.set("delta_sph", 0.0),
    },
    Variant {
        name: "wcsph-cubic-delta",
        label: "WCSPH, cubic spline 2.5, δ-SPH",
        method: Method::Wcsph,
        is_contrast: true,
        apply: |scene| {
            scene.solver.set("kernel", "cubic_spline");
            scene.solver.set("support_ratio", 2.5);
        },
    },
    Variant {
        name: "wcsph-graphics",
        label: "WCSPH, cubic spline 2.0, summed density, pseudo-mass walls (preset graphics)",
        method: Method::Wcsph,
        is_contrast: true,
        apply: |scene| {
            scene.solver.set("preset", "graphics");
            scene.mass_mode = sph_core::scene::MassMode::Calibrated;
            // Pseudo-mass walls at half a spacing push resting fluid off with 1.4 m/s.
            scene.wall.iter_mut().for_each(|wall| wall.offset = 0.7);
        },
    },
    Variant {
        name: "pbf",
        label: "PBF, cubic spline 2.0, 4 iterations, 2 substeps (preset standard)",
        method: Method::Pbf,
        is_contrast: false,
        apply: |scene| scene.solver.set("preset", "standard"),
    },
    Variant {
        name: "pbf-accurate",
        label: "PBF, iterations to a density error of 0.01 % (preset accurate)",
        method: Method::Pbf,
        is_contrast: false,
        apply: |scene| scene.solver.set("preset", "accurate"),
    },
    Variant {
        name: "viscoelastic",
        label: "double density relaxation 2.5, multicolor Gauss-Seidel, no springs (preset standard)",
        method: Method::Viscoelastic,
        is_contrast: false,
        apply: |_| {},
    },
    Variant {
        name: "viscoelastic-jacobi",
        label: "double density relaxation 2.5, Jacobi, no springs",
        method: Method::Viscoelastic,
        is_contrast: true,
        apply: |scene| scene.solver.set("relax_mode", "jacobi"),
    },
    Variant {
        name: "projection",
        label: "staggered projection 2.5 (preset consistent)",
        method: Method::Projection,
        is_contrast: false,
        apply: |_| {},
    },
    Variant {
        name: "projection-peridyno",
        label: "staggered projection 2.5, constants of PeriDyno (preset peridyno_compat)",
        method: Method::Projection,
        is_contrast: true,
        apply: |scene| scene.solver.set("preset", "peridyno_compat"),
    },
];
