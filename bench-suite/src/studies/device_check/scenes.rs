//! The scenes of a check: small dam breaks by each method, and what else steps are timed with.

/// Bounds of the parity of a scene, in units in the last place (ULP) of the largest component of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Of 99 % of the particles.
    pub p99: f64,
    /// Of all.
    pub most: f64,
}

/// Most that energy and volume may part by, over themselves: what no chaos of single particles explains.
pub const MOST_DRIFT: f64 = 1e-3;
/// Most that the front may part by, in spacings.
pub const MOST_FRONT: f64 = 0.5;

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
    /// Bounds after the first and after the tenth step, as [p99, most].
    bounds: [[f64; 2]; 2],
}

const fn sample(
    name: &'static str,
    solver: &'static str,
    dim: u8,
    dt: f64,
    settings: &'static str,
    bounds: [[f64; 2]; 2],
) -> Sample {
    Sample { name, solver, dim, across: if dim == 2 { 60 } else { 24 }, dt, settings, bounds }
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
    sample("wcsph validation 3D", "wcsph", 3, 2e-4, VALIDATION, [[8.0, 16.0], [8.0, 16.0]]),
    sample("pbf standard 3D", "pbf", 3, 2e-3, "preset = \"standard\"", [[1000.0, 2000.0], [1.7e4, 1.2e5]]),
    sample("viscoelastic 3D", "viscoelastic", 3, 1e-3, "", [[2000.0, 4000.0], [5000.0, 5.4e4]]),
    sample("projection 3D", "projection", 3, 1e-3, "", [[65.0, 120.0], [65.0, 150.0]]),
];
/// Their options in 3D.
const OPTIONS: &[Sample] = &[
    sample("wcsph graphics 3D", "wcsph", 3, 2e-4, GRAPHICS, [[36.0, 62.0], [160.0, 400.0]]),
    sample("pbf flex 3D", "pbf", 3, 2e-3, FLEX, [[1000.0, 2100.0], [6.4e4, 5.6e5]]),
    sample("viscoelastic springs 3D", "viscoelastic", 3, 1e-3, SPRINGS, [[2000.0, 4000.0], [5000.0, 4.5e4]]),
    sample("projection viscous 3D", "projection", 3, 1e-3, VISCOUS, [[110.0, 200.0], [110.0, 200.0]]),
    sample("viscoelastic jacobi 3D", "viscoelastic", 3, 8e-4, JACOBI, [[1000.0, 2000.0], [2000.0, 4000.0]]),
];
/// 2D last.
const PLANE: &[Sample] = &[
    sample("wcsph validation 2D", "wcsph", 2, 1e-4, VALIDATION, [[8.0, 16.0], [8.0, 16.0]]),
    sample("pbf standard 2D", "pbf", 2, 2e-3, "preset = \"standard\"", [[4000.0, 8000.0], [2.0e4, 5.2e4]]),
    sample("viscoelastic 2D", "viscoelastic", 2, 4e-4, "", [[250.0, 500.0], [4000.0, 8000.0]]),
    sample("projection 2D", "projection", 2, 5e-4, "", [[230.0, 300.0], [4000.0, 1.1e4]]),
    sample("wcsph graphics 2D", "wcsph", 2, 1e-4, GRAPHICS, [[52.0, 98.0], [640.0, 1900.0]]),
    sample("viscoelastic springs 2D", "viscoelastic", 2, 4e-4, SPRINGS, [[250.0, 500.0], [4100.0, 1.6e4]]),
    sample("projection viscous 2D", "projection", 2, 5e-4, VISCOUS, [[180.0, 250.0], [750.0, 1700.0]]),
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

    /// The scene file with as many particles as the emulator can step, too. The equation of state of WCSPH is linear, since
    /// a power is each compiler's own.
    pub fn text_beside_emulator(&self, dry_run: bool) -> String {
        let across = if dry_run { FEW } else { self.across.min(BESIDE_EMULATOR) };
        let state = if self.solver == "wcsph" { "eos = \"linear\"\n" } else { "" };
        Self { across, ..*self }.text() + state
    }

    /// Bounds after so many steps; none after many, when a stirred fluid has made roundings large.
    pub fn bounds(&self, step: u64) -> Option<Bounds> {
        let [p99, most] = self.bounds[match step {
            0..=1 => 0,
            2..=10 => 1,
            _ => return None,
        }];
        Some(Bounds { p99, most })
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
