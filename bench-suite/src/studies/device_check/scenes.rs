//! The scenes of a check: small dam breaks by each method, and what else steps are timed with.

/// A dam break.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// What lines call it.
    pub name: &'static str,
    /// The method.
    pub solver: &'static str,
    /// Number of dimensions.
    pub dim: u8,
    /// Particles across the column's width.
    across: u32,
    /// Step size, the same on both sides, `[s]`.
    dt: f64,
    /// Lines of its table beside the name.
    settings: &'static str,
}

const fn sample(
    name: &'static str,
    solver: &'static str,
    dim: u8,
    dt: f64,
    settings: &'static str,
) -> Sample {
    Sample { name, solver, dim, across: if dim == 2 { 60 } else { 24 }, dt, settings }
}

/// Springs that flow, and what else acts beside the relaxation.
const SPRINGS: &str = "spring_stiffness = 1000.0\nviscosity_linear = 5.0\nstick_stiffness = 100.0";
/// What the projection has beside the pressure.
const VISCOUS: &str = "dynamic_viscosity = 1.0\nparticle_shifting = 0.5";
const VALIDATION: &str = "preset = \"validation\"";
const GRAPHICS: &str = "preset = \"graphics\"";
const FLEX: &str = "preset = \"flex\"";
const JACOBI: &str = "relax_mode = \"jacobi\"";

/// Each method in 3D first.
const METHODS: &[Sample] = &[
    sample("wcsph validation 3D", "wcsph", 3, 2e-4, VALIDATION),
    sample("pbf standard 3D", "pbf", 3, 2e-3, "preset = \"standard\""),
    sample("viscoelastic 3D", "viscoelastic", 3, 1e-3, ""),
    sample("projection 3D", "projection", 3, 1e-3, ""),
];
/// Their options in 3D.
const OPTIONS: &[Sample] = &[
    sample("wcsph graphics 3D", "wcsph", 3, 2e-4, GRAPHICS),
    sample("pbf flex 3D", "pbf", 3, 2e-3, FLEX),
    sample("viscoelastic springs 3D", "viscoelastic", 3, 1e-3, SPRINGS),
    sample("projection viscous 3D", "projection", 3, 1e-3, VISCOUS),
    sample("viscoelastic jacobi 3D", "viscoelastic", 3, 8e-4, JACOBI),
];
/// 2D last.
const PLANE: &[Sample] = &[
    sample("wcsph validation 2D", "wcsph", 2, 1e-4, VALIDATION),
    sample("pbf standard 2D", "pbf", 2, 2e-3, "preset = \"standard\""),
    sample("viscoelastic 2D", "viscoelastic", 2, 4e-4, ""),
    sample("projection 2D", "projection", 2, 5e-4, ""),
    sample("wcsph graphics 2D", "wcsph", 2, 1e-4, GRAPHICS),
    sample("viscoelastic springs 2D", "viscoelastic", 2, 4e-4, SPRINGS),
    sample("projection viscous 2D", "projection", 2, 5e-4, VISCOUS),
];

/// The samples in rounds, the most telling first: all methods have their turn before any has a second.
pub fn rounds() -> std::array::IntoIter<&'static [Sample], 3> {
    [METHODS, OPTIONS, PLANE].into_iter()
}

/// Particles across in a rehearsal, and under a tool.
const FEW: u32 = 6;
/// Particles across beside the emulator, which executes one thread after another.
const BESIDE_EMULATOR: u32 = 14;

impl Sample {
    /// The same with few particles.
    pub fn tiny(&self) -> Self {
        Self { across: FEW, ..*self }
    }

    /// The same, with few particles in a rehearsal.
    pub fn sized(&self, dry_run: bool) -> Self {
        if dry_run { self.tiny() } else { *self }
    }

    /// The same, with as many particles as the emulator can step, too.
    pub fn beside_emulator(&self, dry_run: bool) -> Self {
        Self { across: if dry_run { FEW } else { self.across.min(BESIDE_EMULATOR) }, ..*self }
    }

    /// The scene file: a column of 0.5 m × 0.6 m (× 0.5 m) in a tank of 1.2 m × 1 m.
    pub fn text(&self) -> String {
        let z = |x: &str| if self.dim == 3 { format!(", {x}") } else { String::new() };
        let offset = if self.settings.contains("graphics") { 0.7 } else { 0.5 };
        format!(
            "title = \"{}\"\ndim = {}\nspacing = {:?}\nrun.end_time = 10.0\nrun.time_step = {:?}\n\
             [[fluid]]\nshape.block = {{ min = [0.0, 0.0{}], max = [0.5, 0.6{}] }}\njitter = 0.1\n\
             [[wall]]\nshape.block = {{ min = [0.0, 0.0{}], max = [1.2, 1.0{}] }}\nlayers = 3\noffset = {offset:?}\n\
             [solver]\nname = \"{}\"\n{}\n",
            self.name,
            self.dim,
            0.5 / f64::from(self.across),
            self.dt,
            z("0.0"),
            z("0.5"),
            z("0.0"),
            z("0.5"),
            self.solver,
            self.settings
        )
    }
}

/// Settings under which each method steps fluid that does more than fall, by name: lines of the scene beside fluid and
/// tank.
pub const SITUATIONS: [(&str, &str); 3] = [
    (
        "moving wall",
        "[[wall]]\nshape.block = { min = [1.6, 0.0, 0.0], max = [1.7, 0.8, 0.5] }\nside = \"outside\"\nlayers = 2\n\
         motion.oscillation = { amplitude = [-0.1, 0.0, 0.0], frequency = 1.0 }\n",
    ),
    (
        "body",
        "[[body]]\nname = \"box\"\nshape.block = { min = [1.2, 0.2, 0.1], max = [1.6, 0.4, 0.4] }\ndensity = 500.0\nlayers = 2\n",
    ),
    ("escaping fluid", ""),
];

/// The reference codes' dam break, 4 m³ particles, by a method with these lines of settings in a situation, if it is
/// one of [`SITUATIONS`]; fluid that escapes has no tank and flies upward.
pub fn situation(solver: &str, settings: &str, situation: &str, m: usize) -> String {
    let spacing = 0.5 / m as f64;
    let more = SITUATIONS.iter().find(|(name, _)| *name == situation).map_or("", |(_, more)| more);
    let escapes = situation == "escaping fluid";
    let velocity = if escapes { "velocity.uniform = [5.0, 10.0, 3.0]\n" } else { "" };
    let tank = if escapes {
        ""
    } else {
        "[[wall]]\nshape.block = { min = [0.0, 0.0, 0.0], max = [2.0, 2.0, 0.5] }\nlayers = 2\noffset = 0.7\n"
    };
    format!(
        "title = \"{solver}, {situation}\"\ndim = 3\nspacing = {spacing:?}\nrun.end_time = 100.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0, 0.0], max = [1.0, 1.0, 0.5] }}\njitter = 0.1\n{velocity}\
         {tank}{more}[solver]\nname = \"{solver}\"\n{settings}\n"
    )
}
