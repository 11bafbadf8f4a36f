//! Bodies of fluid: where the particles are at first, and how they move.
use std::array::from_fn;
use std::{f64::consts::TAU, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    geometry::{
        grid::{Grid, Points, Quantity},
        sampling::{Jitter, Lattice, fill_where},
        shape::{Region, Shape, vector},
    },
    keys::{Bounded, Range, Validate, formula::Formula, join},
    parameters,
};

parameters! {
    /// A body of fluid.
    pub struct Fluid {
        /// What it fills.
        pub shape: Shape, validate;
        /// Shapes that are taken out of it, as an obstacle within a pool.
        pub cut: Vec<Shape> = Vec::new(), validate;
        /// Places of its particles from a file, in place of a lattice; each must lie in `shape` and in no cut.
        pub places: Option<Places> = None, validate;
        /// Arrangement of the particles.
        pub lattice: Lattice = Lattice::Cartesian;
        /// Corner of a cell of the lattice: that of a tank keeps the fluid aligned with its walls. Left
        /// out, the smallest corner of a block and the center of all else.
        pub origin: Option<Vec<f64>> = None, "m", "(-inf, inf)";
        /// Largest random displacement along each axis, in spacings.
        pub jitter: f64 = 0.0, "-", "[0, 0.5]";
        /// Seed of the displacements; another seed gives another sample.
        pub seed: u32 = 0, "-", "[0, 4294967295]";
        /// Fills a layer of this many spacings along the surface only.
        pub shell: Option<u32> = None, "-", "[1, 1000]";
        /// Velocity at time 0.
        pub velocity: VelocityField = VelocityField::Rest, validate;
        /// Pressure at time 0, for solvers whose density is a state.
        pub pressure: PressureField = PressureField::Zero, validate;
    }
}

parameters! {
    /// Velocity `v = A (x - c)`: strain, shear or rotation.
    pub struct LinearVelocity {
        /// Rows of the velocity gradient `A`.
        pub matrix: Vec<Vec<f64>>, "1/s", "(-inf, inf)";
        /// The point `c` at rest.
        pub center: Vec<f64>, "m", "(-inf, inf)";
    }
}

parameters! {
    /// The Taylor-Green vortex, `u = -U cos(kx) sin(ky)`, `v = U sin(kx) cos(ky)` in two dimensions and
    /// `u = U sin(kx) cos(ky) cos(kz)`, `v = -U cos(kx) sin(ky) cos(kz)`, `w = 0` in three, `k = 2π/L`.
    pub struct TaylorGreen {
        /// Largest speed `U`.
        pub speed: f64 = 1.0, "m/s", "(0, inf)";
        /// Period `L`.
        pub length: f64 = 1.0, "m", "(0, inf)";
    }
}

parameters! {
    /// The standing wave of first order in water of depth `H` over a bed at height 0, at the moment when its surface is
    /// flat: `u = -U sin(kx) cosh(ky)/sinh(kH)`, `v = U cos(kx) sinh(ky)/sinh(kH)`, `w = 0`, `k = 2π/L`. Divergence and
    /// curl are zero.
    pub struct StandingWave {
        /// Speed `U` with which the surface rises at its crest.
        pub speed: f64, "m/s", "(0, inf)";
        /// Wavelength `L`.
        pub length: f64, "m", "(0, inf)";
        /// Depth `H` at rest.
        pub depth: f64, "m", "(0, inf)";
    }
}

parameters! {
    /// Pressure of a fluid at rest below a free surface, `ρ_0 |g| (surface - height)`, the height taken
    /// against gravity from the origin.
    pub struct Hydrostatic {
        /// Height of the free surface.
        pub surface: f64, "m", "(-inf, inf)";
    }
}

parameters! {
    /// Pressure of a free drop that is strained at rate `A`, `u = A x, v = -A y` (2D) or `w = -2 A z`
    /// (3D), under a central force `-B² x`: falls with the square of the radius to 0 on the surface
    /// [Mon94, Monaghan & Rafiee 2013].
    pub struct StrainedDrop {
        /// Center.
        pub center: Vec<f64>, "m", "(-inf, inf)";
        /// Radius `R`.
        pub radius: f64, "m", "(0, inf)";
        /// Strain rate `A`.
        pub rate: f64, "1/s", "(-inf, inf)";
        /// Strength `B` of the central force.
        pub strength: f64 = 0.0, "1/s", "[0, inf)";
    }
}

parameters! {
    /// A field that a file has at the nodes of a rectilinear grid, multilinear between them.
    pub struct FieldTable {
        /// The file, whose name ends in `.csv` or `.npz`; from the folder of the scene on. A CSV file has columns `x [m]`,
        /// `y [m]`, in space `z [m]`, and `velocity_x [m/s]` and so on or `pressure [Pa]`, an NPZ file arrays `x`, and
        /// `velocity` or `pressure`; others are not read.
        pub file: String;
        /// Checksum of the file, CRC-32: another file is refused. Written into the scenes of results.
        pub checksum: Option<u32> = None, "-", "[0, 4294967295]";
        hidden grid: Option<Arc<Grid>>;
    }
}

impl FieldTable {
    /// Reads the file, and keeps where it lies and its checksum.
    fn load(&mut self, folder: &Path, dim: usize, field: Quantity, key: &str) -> Result<(), Error> {
        let place = Quantity { name: "x", unit: "m", components: dim };
        let file = (&mut self.file, &mut self.checksum);
        self.grid = Some(Arc::new(Grid::read(folder, file, dim, &[place, field], key)?));
        Ok(())
    }

    /// Value of a component at a place; NaN of a file that was not read.
    fn at(&self, x: &[f64], component: usize) -> f64 {
        self.grid.as_ref().map_or(f64::NAN, |grid| grid.at(x, component))
    }

    fn check_holds<const D: usize>(&self, points: &[[f64; D]], key: &str) -> Result<(), Error> {
        let checked = self.grid.as_ref().map_or(Ok(()), |grid| grid.check_holds(points, &join(key, "file")));
        checked.map_err(|error| error.value(format!("{:?}", self.file)))
    }
}

parameters! {
    /// Centers of particles, as a frame of another run has them.
    pub struct Places {
        /// The file, whose name ends in `.csv` or `.npz`; from the folder of the scene on. A CSV file has columns `x [m]`,
        /// `y [m]`, in space `z [m]`, an NPZ file an array `x`; others are not read.
        pub file: String;
        /// Checksum of the file, CRC-32: another file is refused. Written into the scenes of results.
        pub checksum: Option<u32> = None, "-", "[0, 4294967295]";
        hidden columns: Option<Arc<Vec<Vec<f64>>>>;
    }
}

impl Places {
    /// Reads the file, and keeps where it lies and its checksum.
    fn load(&mut self, folder: &Path, dim: usize, key: &str) -> Result<(), Error> {
        let place = Quantity { name: "x", unit: "m", components: dim };
        let points = Points::read(folder, (&mut self.file, &mut self.checksum), &[place], key)?;
        self.columns = Some(Arc::new(points.columns));
        Ok(())
    }

    /// Those of a run, which are in no file.
    fn of<const D: usize>(points: &[[f64; D]]) -> Self {
        let column = |axis: usize| points.iter().map(|x| x[axis]).collect();
        Self { file: String::new(), checksum: None, columns: Some(Arc::new((0..D).map(column).collect())) }
    }

    /// Number of particles; 0 of a file that was not read.
    pub fn count(&self) -> usize {
        self.columns.as_ref().map_or(0, |columns| columns[0].len())
    }

    /// The places, in the order of the file `[m]`: all of them in the region, and none in a cut.
    fn within<const D: usize>(
        &self,
        region: &Region<D>,
        cuts: &[Region<D>],
        tolerance: f64,
        key: &str,
    ) -> Result<Vec<[f64; D]>, Error> {
        let columns = self.columns.as_ref().filter(|columns| columns.len() == D);
        let point = |row| from_fn(|axis| columns.map_or(f64::NAN, |columns| columns[axis][row]));
        let points: Vec<[f64; D]> = (0..self.count()).map(point).collect();
        let is_fluid =
            |x: &[f64; D]| region.phi(x) <= tolerance && cuts.iter().all(|cut| cut.phi(x) >= -tolerance);
        let Some(row) = points.iter().position(|x| !is_fluid(x)) else { return Ok(points) };
        let message = format!("row {row} from 0: {:?} m lies outside of the shape, or in a cut", points[row]);
        Err(Error::invalid(key, message).value(format!("{:?}", self.file)).hint("enlarge the shape"))
    }
}

/// Velocity of a body of fluid at time 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VelocityField {
    /// At rest.
    #[default]
    Rest,
    /// The same everywhere `[m/s]`.
    Uniform(#[schemars(extend("x-unit" = "m/s", "x-range" = "(-inf, inf)"))] Vec<f64>),
    /// Linear in the place.
    Linear(LinearVelocity),
    /// The Taylor-Green vortex.
    TaylorGreen(TaylorGreen),
    /// A standing wave whose surface is flat.
    StandingWave(StandingWave),
    /// A formula of x, y, z for each axis.
    Formula(Vec<Formula>),
    /// A table in a file.
    Table(FieldTable),
}

/// Pressure of a body of fluid at time 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PressureField {
    /// None.
    #[default]
    Zero,
    /// That of a fluid at rest.
    Hydrostatic(Hydrostatic),
    /// That of the Taylor-Green vortex.
    TaylorGreen(TaylorGreen),
    /// That of a strained drop.
    StrainedDrop(StrainedDrop),
    /// A formula of x, y, z.
    Formula(Formula),
    /// A table in a file.
    Table(FieldTable),
}

impl Validate for VelocityField {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        const RANGE: Range = Range::parse("(-inf, inf)");
        match self {
            Self::Rest | Self::Formula(_) => Ok(()),
            Self::Uniform(velocity) => velocity.check(&join(prefix, "uniform"), "m/s", &RANGE),
            Self::Linear(field) => field.validate(&join(prefix, "linear")),
            Self::TaylorGreen(field) => field.validate(&join(prefix, "taylor_green")),
            Self::StandingWave(field) => field.validate(&join(prefix, "standing_wave")),
            Self::Table(table) => table.validate(&join(prefix, "table")),
        }
    }
}

impl Validate for PressureField {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        match self {
            Self::Zero | Self::Formula(_) => Ok(()),
            Self::Hydrostatic(field) => field.validate(&join(prefix, "hydrostatic")),
            Self::TaylorGreen(field) => field.validate(&join(prefix, "taylor_green")),
            Self::StrainedDrop(field) => field.validate(&join(prefix, "strained_drop")),
            Self::Table(table) => table.validate(&join(prefix, "table")),
        }
    }
}

impl VelocityField {
    /// Checks the number of entries of all vectors.
    pub(super) fn check_dim<const D: usize>(&self, key: &str) -> Result<(), Error> {
        match self {
            Self::Uniform(velocity) => vector::<D>(&join(key, "uniform"), velocity).map(drop),
            Self::Linear(field) => {
                vector::<D>(&join(key, "linear.center"), &field.center)?;
                let key = join(key, "linear.matrix");
                if field.matrix.len() != D {
                    let message = format!("has {} rows, but the scene has dim = {D}", field.matrix.len());
                    return Err(Error::invalid(key, message));
                }
                let mut rows = field.matrix.iter().enumerate();
                rows.try_for_each(|(i, row)| vector::<D>(&format!("{key}[{i}]"), row).map(drop))
            }
            Self::Formula(formulas) => axes::<D>(formulas, &join(key, "formula"), &COORDINATES[..D]),
            Self::Rest | Self::TaylorGreen(_) | Self::StandingWave(_) | Self::Table(_) => Ok(()),
        }
    }

    /// Velocity at a place `[m/s]`. Entries that a vector lacks count as 0.
    pub fn at<const D: usize>(&self, x: &[f64; D]) -> [f64; D] {
        match self {
            Self::Rest => [0.0; D],
            Self::Uniform(velocity) => from_fn(|k| entry(velocity, k)),
            Self::Linear(field) => from_fn(|row| {
                let Some(row) = field.matrix.get(row) else { return 0.0 };
                (0..D).map(|k| entry(row, k) * (x[k] - entry(&field.center, k))).sum()
            }),
            Self::TaylorGreen(TaylorGreen { speed, length }) => {
                let at = |k: usize| (TAU * x.get(k).copied().unwrap_or(0.0) / length).sin_cos();
                let ((sin_x, cos_x), (sin_y, cos_y), (_, cos_z)) = (at(0), at(1), at(2));
                let v = if D == 2 {
                    [-cos_x * sin_y, sin_x * cos_y, 0.0]
                } else {
                    [sin_x * cos_y * cos_z, -cos_x * sin_y * cos_z, 0.0]
                };
                from_fn(|k| speed * v[k])
            }
            Self::StandingWave(StandingWave { speed, length, depth }) => {
                let k = TAU / length;
                let at = |axis: usize| k * x.get(axis).copied().unwrap_or(0.0);
                let ((sin, cos), y) = (at(0).sin_cos(), at(1));
                // By exponentials that cannot overflow: in deep water sinh(kH) does.
                let decay = (y - k * depth).exp() / (1.0 - (-2.0 * k * depth).exp());
                let (cosh, sinh) = (decay * (1.0 + (-2.0 * y).exp()), decay * (1.0 - (-2.0 * y).exp()));
                let v = [-sin * cosh, cos * sinh, 0.0];
                from_fn(|k| speed * v[k])
            }
            Self::Formula(formulas) => from_fn(|k| formulas.get(k).map_or(0.0, |formula| formula.at(x, 0.0))),
            Self::Table(table) => from_fn(|k| table.at(x, k)),
        }
    }
}

impl PressureField {
    /// Checks the number of entries of all vectors.
    pub(super) fn check_dim<const D: usize>(&self, key: &str) -> Result<(), Error> {
        match self {
            Self::StrainedDrop(drop) => {
                vector::<D>(&join(key, "strained_drop.center"), &drop.center).map(std::mem::drop)
            }
            Self::Formula(formula) => formula.check(&join(key, "formula"), &COORDINATES[..D]),
            Self::Zero | Self::Hydrostatic(_) | Self::TaylorGreen(_) | Self::Table(_) => Ok(()),
        }
    }

    /// Pressure at a place `[Pa]`. Entries that a vector lacks count as 0.
    pub fn at<const D: usize>(&self, x: &[f64; D], rest_density: f64, gravity: &[f64; D]) -> f64 {
        match self {
            Self::Zero => 0.0,
            Self::Hydrostatic(Hydrostatic { surface }) => {
                let g = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
                let potential: f64 = (0..D).map(|k| gravity[k] * x[k]).sum();
                (rest_density * (g * surface + potential)).max(0.0)
            }
            Self::TaylorGreen(TaylorGreen { speed, length }) => {
                let at = |k: usize| (2.0 * TAU * x.get(k).copied().unwrap_or(0.0) / length).cos();
                let square = rest_density * speed * speed;
                if D == 2 {
                    -0.25 * square * (at(0) + at(1))
                } else {
                    square / 16.0 * (at(0) + at(1)) * (at(2) + 2.0)
                }
            }
            Self::StrainedDrop(drop) => {
                let r2: f64 = (0..D).map(|k| (x[k] - entry(&drop.center, k)).powi(2)).sum();
                let (a2, b2) = (drop.rate.powi(2), drop.strength.powi(2));
                // dA/dt + A² + B² with the drop still round: dA/dt is 0 in 2D and A² in 3D.
                let pull = if D == 2 { a2 + b2 } else { 2.0 * a2 + b2 };
                (0.5 * rest_density * pull * (drop.radius.powi(2) - r2)).max(0.0)
            }
            Self::Formula(formula) => formula.at(x, 0.0),
            Self::Table(table) => table.at(x, 0),
        }
    }
}

const COORDINATES: [&str; 3] = ["x", "y", "z"];

/// Refuses other than one formula an axis, and formulas of other variables.
pub(super) fn axes<const D: usize>(formulas: &[Formula], key: &str, variables: &[&str]) -> Result<(), Error> {
    if formulas.len() != D {
        let message = format!("has {} formulas, but the scene has dim = {D}", formulas.len());
        return Err(Error::invalid(key, message).hint(format!("give {D} formulas")));
    }
    let mut formulas = formulas.iter().enumerate();
    formulas.try_for_each(|(k, formula)| formula.check(&format!("{key}[{k}]"), variables))
}

fn entry(values: &[f64], k: usize) -> f64 {
    values.get(k).copied().unwrap_or(0.0)
}

impl Fluid {
    /// A body of fluid at rest without pressure.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            cut: Vec::new(),
            places: None,
            lattice: Lattice::Cartesian,
            origin: None,
            jitter: 0.0,
            seed: 0,
            shell: None,
            velocity: VelocityField::Rest,
            pressure: PressureField::Zero,
        }
    }

    /// One with particles at these places, at rest without pressure.
    pub(crate) fn at<const D: usize>(shape: Shape, places: &[[f64; D]]) -> Self {
        Self { places: Some(Places::of(places)), ..Self::new(shape) }
    }

    /// Reads the files that it names in a scene of `dim` dimensions, which paths that are not absolute name from `folder`
    /// on. Keys in errors begin with `key`.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or is none of its shape or field.
    pub fn load(&mut self, folder: &Path, dim: usize, key: &str) -> Result<(), Error> {
        self.shape.load(folder, &join(key, "shape"))?;
        for (i, cut) in self.cut.iter_mut().enumerate() {
            cut.load(folder, &format!("{key}.cut[{i}]"))?;
        }
        if let Some(places) = &mut self.places {
            places.load(folder, dim, &join(key, "places"))?;
        }
        if let VelocityField::Table(table) = &mut self.velocity {
            let velocity = Quantity { name: "velocity", unit: "m/s", components: dim };
            table.load(folder, dim, velocity, &join(key, "velocity.table"))?;
        }
        if let PressureField::Table(table) = &mut self.pressure {
            let pressure = Quantity { name: "pressure", unit: "Pa", components: 1 };
            table.load(folder, dim, pressure, &join(key, "pressure.table"))?;
        }
        Ok(())
    }

    /// The positions of its particles `[m]`, x fastest or as a file has them. `key` is the body's own, as `fluid[0]`.
    ///
    /// # Errors
    ///
    /// If a vector has not `D` entries, the lattice does not exist in `D` dimensions, a place of a file lies outside of the
    /// fluid, or a particle outside of the grid of a field.
    pub fn sample<const D: usize>(&self, key: &str, spacing: f64) -> Result<Vec<[f64; D]>, Error> {
        let region: Region<D> = self.shape.resolve(&join(key, "shape"))?;
        let mut cuts: Vec<Region<D>> = Vec::with_capacity(self.cut.len());
        for (i, cut) in self.cut.iter().enumerate() {
            cuts.push(cut.resolve(&format!("{key}.cut[{i}]"))?);
        }
        let origin = self.origin.as_ref().map(|x| vector(&join(key, "origin"), x)).transpose()?;
        self.check_lattice::<D>(key)?;
        let tolerance = crate::geometry::sampling::SURFACE_TOLERANCE * spacing;
        let depth = self.shell.map_or(f64::INFINITY, |n| f64::from(n) * spacing);
        let mut points = match &self.places {
            Some(places) => places.within(&region, &cuts, tolerance, &join(key, "places.file"))?,
            None => fill_where(&region, self.lattice, spacing, origin, |phi, x| {
                phi < -tolerance && phi > -depth && cuts.iter().all(|cut| cut.phi(x) > tolerance)
            }),
        };
        Jitter { amplitude: self.jitter * spacing, seed: u64::from(self.seed) }.apply(&mut points);
        if let VelocityField::Table(table) = &self.velocity {
            table.check_holds(&points, &join(key, "velocity.table"))?;
        }
        if let PressureField::Table(table) = &self.pressure {
            table.check_holds(&points, &join(key, "pressure.table"))?;
        }
        Ok(points)
    }

    pub(super) fn check_lattice<const D: usize>(&self, key: &str) -> Result<(), Error> {
        let of_lattice = [
            ("lattice", self.lattice != Lattice::Cartesian),
            ("origin", self.origin.is_some()),
            ("shell", self.shell.is_some()),
        ];
        if let Some((name, _)) = of_lattice.iter().find(|(_, given)| *given && self.places.is_some()) {
            let message = "says how a lattice fills the shape, but `places` has all particles";
            return Err(Error::invalid(join(key, name), message).hint("leave out one of them"));
        }
        if self.lattice.fits(D) {
            return Ok(());
        }
        let hint = if D == 2 { "cartesian or hexagonal" } else { "cartesian, fcc or bcc" };
        let name = format!("{:?}", self.lattice).to_lowercase();
        let error = Error::invalid(join(key, "lattice"), format!("does not exist in {D} dimensions"));
        Err(error.value(format!("{name:?}")).hint(format!("use {hint}")))
    }
}
