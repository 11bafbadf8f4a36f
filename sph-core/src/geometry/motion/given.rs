//! Motions that a scene gives in full: by formulas of the time, and by tables.
use std::array::from_fn;
use std::path::Path;
use std::sync::Arc;

use super::{Trajectory, Turn};
use crate::{
    error::Error,
    keys::{
        csv::{Others, Table},
        file,
        formula::{Formula, Jet},
        join,
    },
    numerics::vector::norm,
    parameters,
};

parameters! {
    /// Motion by formulas of t `[s]`: of its displacement and angle, or of its velocity and angular velocity. Times count
    /// from 0, or from the command that gives it. Where a wall is drawn displacement and angle are 0, whatever a formula
    /// has at t = 0.
    pub struct FormulaMotion {
        /// Displacement, a formula for each axis `[m]`; velocity and acceleration are its exact derivatives.
        pub displacement: Option<Vec<Formula>> = None;
        /// Angle about the center, counterclockwise about the axis `[rad]`.
        pub angle: Option<Formula> = None;
        /// Velocity `[m/s]`; the displacement is its integral by Gauss's rule over parts of the run, the acceleration its
        /// exact derivative.
        pub velocity: Option<Vec<Formula>> = None;
        /// Angular velocity about the center `[rad/s]`, integrated as the velocity is.
        pub angular_velocity: Option<Formula> = None;
        /// A point of the axis of the angle, as the wall is drawn; displaced as the wall is.
        pub center: Option<Vec<f64>> = None, "m", "(-inf, inf)";
        /// Direction of the axis, of any length; used in three dimensions only.
        pub axis: Vec<f64> = UP.to_vec(), "-", "(-inf, inf)";
        /// Length of these parts, to which a jump is placed; a 4096th of the run if left out. Written into the scenes of
        /// results: a run that goes on, longer too, has the same.
        pub part: Option<f64> = None, "s", "(0, inf)";
        hidden until: Option<Until>;
    }
}

parameters! {
    /// Motion by a table of displacements and angles, between whose times it is a cubic with continuous velocity; at rest
    /// before the first time and after the last.
    pub struct TableMotion {
        /// CSV file from the folder of the scene on: columns `t [s]` and some of `x [m]`, `y [m]`, `z [m]`, `angle [rad]`,
        /// no others.
        pub file: String;
        /// A point of the axis of the angle, as the wall is drawn; displaced as the wall is.
        pub center: Option<Vec<f64>> = None, "m", "(-inf, inf)";
        /// Direction of the axis, of any length; used in three dimensions only.
        pub axis: Vec<f64> = UP.to_vec(), "-", "(-inf, inf)";
        /// Checksum of the file, CRC-32: another file is refused. Written into the scenes of results.
        pub checksum: Option<u32> = None, "-", "[0, 4294967295]";
        hidden rows: Option<Arc<Table>>;
    }
}

/// Axis of an angle where a motion names none, and the one in two dimensions.
const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// How long a run is, `[s]`.
#[derive(Clone, Copy, Debug)]
struct Until(f64);

impl PartialEq for Until {
    /// The same formulas are the same motion, however long a run.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Parts of the run over which formulas are integrated, at whose ends they must be finite, and at which the largest speed
/// is looked for, `[-]`.
const PARTS: f64 = 4096.0;
/// More parts than these are not made, `[-]`.
const MOST_PARTS: f64 = 1e6;
/// Length of a run that is not known, `[s]`.
const LONG: f64 = 100.0;
/// A larger file is no table of a motion, `[B]`.
const LARGEST_FILE: u64 = 64 << 20;
/// Columns of a table.
const COLUMNS: [&str; 5] = ["t [s]", "x [m]", "y [m]", "z [m]", "angle [rad]"];
/// Displacements along x, y and z `[m]`, and the angle `[rad]`.
const CHANNELS: usize = 4;
/// The last of these.
pub(super) const ANGLE: usize = 3;

/// Places and weights of Gauss's rule of five points on `[0, 1]`, exact for polynomials up to order 9.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_02, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// A motion by formulas or by a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// By formulas.
    Formulas(Driven),
    /// By a table.
    Table(Record),
}

impl Given {
    /// Displacements `[m]` and angle `[rad]` at time `t`, with their first two derivatives.
    pub(super) fn jets(&self, t: f64) -> [Jet; CHANNELS] {
        match self {
            Self::Formulas(driven) => driven.jets(t),
            Self::Table(record) => record.jets(t),
        }
    }

    /// Largest speed `[m/s]` and angular speed `[rad/s]` from time `t` on: of formulas at the ends of the parts of the run, of
    /// a table from the time in it before `t` on.
    pub(super) fn top_speeds(&self, t: f64) -> [f64; 2] {
        match self {
            Self::Formulas(driven) => {
                let n = (t / driven.part).max(0.0) as usize;
                driven.peaks.get(n).copied().unwrap_or_else(|| speeds(&driven.jets(t)))
            }
            Self::Table(record) => {
                let next = record.knots.partition_point(|knot| knot.0 <= t);
                record.peaks.get(next.saturating_sub(1)).copied().unwrap_or_default()
            }
        }
    }
}

/// Speed of the displacement `[m/s]`, and angular speed `[rad/s]`.
fn speeds(jets: &[Jet; CHANNELS]) -> [f64; 2] {
    [norm::<ANGLE>(from_fn(|k| jets[k][1])), jets[ANGLE][1].abs()]
}

/// From each place on the largest of what follows.
fn largest_from_here_on(peaks: &mut [[f64; 2]]) {
    for k in (1..peaks.len()).rev() {
        peaks[k - 1] = from_fn(|n| peaks[k - 1][n].max(peaks[k][n]));
    }
}

/// The axis of a motion that turns. `angle` is what turns it, as a scene names it.
fn turn<const D: usize>(
    angle: Option<&str>,
    center: &Option<Vec<f64>>,
    axis: &[f64],
    key: &str,
) -> Result<Option<Turn<D>>, Error> {
    let useless = |name| Err(Error::invalid(join(key, name), "is that of an angle, and there is none"));
    match (angle, center) {
        (Some(_), Some(center)) => Turn::resolve(center, axis, key).map(Some),
        (Some(angle), None) => Err(Error::missing(join(key, "center")).hint(format!("{angle} is about it"))),
        (None, Some(_)) => useless("center"),
        (None, None) if axis != UP => useless("axis"),
        (None, None) => Ok(None),
    }
}

/// A motion by formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    formulas: [Option<Formula>; CHANNELS],
    of: Of,
    /// Length of a part `[s]`.
    part: f64,
    /// Largest speeds from the beginning of each part on `[m/s, rad/s]`.
    peaks: Vec<[f64; 2]>,
}

/// What formulas give.
#[derive(Clone, Debug, PartialEq)]
enum Of {
    /// Displacement and angle, and what they have for these at time 0 `[m, rad]`.
    Place([f64; CHANNELS]),
    /// Velocities, and displacement and angle at the ends of the parts `[m, rad]`.
    Velocity(Vec<[f64; CHANNELS]>),
}

impl FormulaMotion {
    /// Takes over how long the run is `[s]`.
    pub(super) fn last_until(&mut self, until: f64) {
        self.until = Some(Until(until));
        self.part.get_or_insert(until / PARTS);
    }

    pub(super) fn resolve<const D: usize>(&self, key: &str) -> Result<Trajectory<D>, Error> {
        let given =
            |shift: &Option<Vec<Formula>>, angle: &Option<Formula>| shift.is_some() || angle.is_some();
        let of_velocity = given(&self.velocity, &self.angular_velocity);
        let names = match (given(&self.displacement, &self.angle), of_velocity) {
            (true, false) => ["displacement", "angle"],
            (false, true) => ["velocity", "angular_velocity"],
            (false, false) => {
                let hint = "give it, or `angle`, `velocity`, `angular_velocity`";
                return Err(Error::missing(join(key, "displacement")).hint(hint));
            }
            (true, true) => {
                let message = "contradicts displacement or angle: give places or velocities";
                let name = if self.velocity.is_some() { "velocity" } else { "angular_velocity" };
                return Err(Error::invalid(join(key, name), message));
            }
        };
        // A command of a run that goes on has its parts alone.
        let known = self.until.map(|Until(until)| until).or(self.part.map(|part| PARTS * part));
        let until = known.unwrap_or(LONG);
        let part = self.part.unwrap_or(until / PARTS);
        if until / part > MOST_PARTS {
            let range = format!("[{:?}, inf)", until / MOST_PARTS);
            return Err(Error::range(join(key, "part"), part, &range).unit("s"));
        }
        let (shift, angle) = if of_velocity {
            (&self.velocity, &self.angular_velocity)
        } else {
            (&self.displacement, &self.angle)
        };
        let turn = turn(angle.is_some().then_some(names[1]), &self.center, &self.axis, key)?;
        let formulas = channels::<D>(shift.as_deref(), angle, names.map(|name| join(key, name)))?;
        let driven = Driven::new(formulas, of_velocity, [part, until], names.map(|name| join(key, name)))?;
        Ok(Trajectory::Given(Given::Formulas(driven).into(), turn))
    }
}

/// The formulas of the channels, checked; `keys` are those of displacement and angle.
fn channels<const D: usize>(
    shift: Option<&[Formula]>,
    angle: &Option<Formula>,
    keys: [String; 2],
) -> Result<[Option<Formula>; CHANNELS], Error> {
    let shift = shift.unwrap_or_default();
    if !shift.is_empty() && shift.len() != D {
        let message = format!("has {} formulas, but the scene has dim = {D}", shift.len());
        return Err(Error::invalid(&keys[0], message).hint(format!("give {D} formulas")));
    }
    for (k, formula) in shift.iter().enumerate() {
        formula.check(&format!("{}[{k}]", keys[0]), &["t"])?;
    }
    if let Some(formula) = angle {
        formula.check(&keys[1], &["t"])?;
    }
    Ok(from_fn(|k| if k == ANGLE { angle.clone() } else { shift.get(k).cloned() }))
}

impl Driven {
    fn new(
        formulas: [Option<Formula>; CHANNELS],
        of_velocity: bool,
        [part, until]: [f64; 2],
        keys: [String; 2],
    ) -> Result<Self, Error> {
        let mut driven = Self { formulas, of: Of::Place([0.0; CHANNELS]), part, peaks: Vec::new() };
        let origin = from_fn(|k| driven.value(k, 0.0));
        driven.of = if of_velocity { Of::Velocity(vec![[0.0; CHANNELS]]) } else { Of::Place(origin) };
        for n in 0..=(until / part).ceil() as usize {
            let t = n as f64 * part;
            let jets = driven.jets(t);
            if let Some(k) = (0..CHANNELS).find(|k| !(jets[*k][1] + jets[*k][2]).is_finite()) {
                let message = format!("has no finite velocity and acceleration at t = {t} s");
                let key = if k == ANGLE { keys[1].clone() } else { format!("{}[{k}]", keys[0]) };
                let text = driven.formulas[k].as_ref().map_or("", Formula::text);
                return Err(Error::invalid(key, message).value(format!("{text:?}")));
            }
            driven.peaks.push(speeds(&jets));
            let end = driven.integral(n, (n + 1) as f64 * part);
            if let Of::Velocity(ends) = &mut driven.of {
                ends.push(end);
            }
        }
        largest_from_here_on(&mut driven.peaks);
        Ok(driven)
    }

    /// What the formula of a channel gives, 0 without one.
    fn value(&self, k: usize, t: f64) -> f64 {
        self.formulas[k].as_ref().map_or(0.0, |formula| formula.at(&[], t))
    }

    /// Displacement and angle at time `t` by the integral from the end of part `n` on, or of the last that there is
    /// `[m, rad]`.
    fn integral(&self, n: usize, t: f64) -> [f64; CHANNELS] {
        let Of::Velocity(ends) = &self.of else { return [0.0; CHANNELS] };
        let mut n = n.min(ends.len() - 1);
        let mut moved = ends[n];
        while (n as f64 * self.part) < t {
            let from = n as f64 * self.part;
            // To the end of the part as all have it, which lies `part` further but for rounding: a run that became longer has
            // the bits of one that was so long from the beginning.
            let length = ((n + 1) as f64 * self.part).min(t) - from;
            let at = |k: usize, place: f64| self.value(k, from + place * length);
            moved = from_fn(|k| {
                moved[k] + length * GAUSS.iter().map(|(place, w)| w * at(k, *place)).sum::<f64>()
            });
            n += 1;
        }
        moved
    }

    fn jets(&self, t: f64) -> [Jet; CHANNELS] {
        let jets: [Jet; CHANNELS] =
            from_fn(|k| self.formulas[k].as_ref().map_or([0.0; 3], |formula| formula.jet(&[], t)));
        match &self.of {
            Of::Place(origin) => from_fn(|k| [jets[k][0] - origin[k], jets[k][1], jets[k][2]]),
            Of::Velocity(_) => {
                let moved = self.integral((t / self.part).max(0.0) as usize, t);
                from_fn(|k| [moved[k], jets[k][0], jets[k][1]])
            }
        }
    }
}

/// A motion by a table: times `[s]`, displacements `[m]` and angle `[rad]`, and velocities `[m/s, rad/s]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    knots: Vec<(f64, [f64; CHANNELS], [f64; CHANNELS])>,
    /// What the table has at time 0 `[m, rad]`.
    origin: [f64; CHANNELS],
    /// Largest speeds from each knot on `[m/s, rad/s]`.
    peaks: Vec<[f64; 2]>,
}

impl TableMotion {
    /// Reads the file, and keeps where it lies and its checksum.
    pub(super) fn load(&mut self, folder: &Path, key: &str) -> Result<(), Error> {
        let named = join(key, "file");
        let found = file::read(folder, &self.file, LARGEST_FILE, &named)?;
        found.check(&mut self.checksum, &join(key, "checksum"))?;
        let table = Table::parse(&found, &COLUMNS, Others::Refused, &named)?;
        (self.rows, self.file) = (Some(Arc::new(table)), found.path);
        Ok(())
    }

    pub(super) fn resolve<const D: usize>(&self, key: &str) -> Result<Trajectory<D>, Error> {
        let Some(table) = &self.rows else {
            let mut loaded = self.clone();
            loaded.load(Path::new(""), key)?;
            return loaded.resolve(key);
        };
        let refused =
            |message: String| Error::invalid(join(key, "file"), message).value(format!("{:?}", self.file));
        let column = |name: usize| table.columns.iter().position(|column| *column == name);
        let Some(time) = column(0) else { return Err(refused("has no column `t [s]`".to_owned())) };
        if let Some(column) = table.columns.iter().find(|column| (D + 1..=ANGLE).contains(*column)) {
            return Err(refused(format!("has a column `{}`, but the scene has dim = {D}", COLUMNS[*column])));
        }
        if table.rows.len() < 2 {
            return Err(refused(format!("has {} rows, and needs two", table.rows.len())));
        }
        if let Some(k) = table.rows.windows(2).position(|rows| rows[1][time] <= rows[0][time]) {
            let (before, t) = (table.rows[k][time], table.rows[k + 1][time]);
            let line = table.lines[k + 1];
            return Err(refused(format!(
                "line {line}: has the time {t} s after {before} s: times must ascend"
            )));
        }
        let angle = column(ANGLE + 1).map(|_| "the column `angle [rad]`");
        let turn = turn(angle, &self.center, &self.axis, key)?;
        let place = |row: &Vec<f64>| from_fn(|k| column(k + 1).map_or(0.0, |column| row[column]));
        let record = Record::new(table.rows.iter().map(|row| (row[time], place(row))).collect());
        Ok(Trajectory::Given(Given::Table(record).into(), turn))
    }
}

/// Speeds that are looked at between two knots.
const LOOKS: usize = 8;

impl Record {
    fn new(rows: Vec<(f64, [f64; CHANNELS])>) -> Self {
        // The slope of the parabola through three knots; at rest at both ends.
        let velocity = |k: usize| match (k.checked_sub(1).and_then(|k| rows.get(k)), rows[k], rows.get(k + 1))
        {
            (Some((t0, x0)), (t1, x1), Some((t2, x2))) => {
                let (before, after) = (t1 - t0, t2 - t1);
                from_fn(|a| {
                    let (first, second) = ((x1[a] - x0[a]) / before, (x2[a] - x1[a]) / after);
                    (first * after + second * before) / (before + after)
                })
            }
            _ => [0.0; CHANNELS],
        };
        let knots = (0..rows.len()).map(|k| (rows[k].0, rows[k].1, velocity(k))).collect();
        let mut record = Self { knots, origin: [0.0; CHANNELS], peaks: Vec::new() };
        record.origin = record.jets(0.0).map(|jet| jet[0]);
        let peak = |k: usize| {
            let (t, next) =
                (record.knots[k].0, record.knots.get(k + 1).map_or(record.knots[k].0, |knot| knot.0));
            let looks = (0..=LOOKS).map(|n| t + (next - t) * n as f64 / LOOKS as f64);
            looks
                .map(|t| speeds(&record.jets(t)))
                .fold([0.0; 2], |most, now| from_fn(|n| now[n].max(most[n])))
        };
        let mut peaks: Vec<_> = (0..record.knots.len()).map(peak).collect();
        largest_from_here_on(&mut peaks);
        record.peaks = peaks;
        record
    }

    fn jets(&self, t: f64) -> [Jet; CHANNELS] {
        let next = self.knots.partition_point(|knot| knot.0 <= t);
        let (from, to) = (next.checked_sub(1).and_then(|k| self.knots.get(k)), self.knots.get(next));
        let (Some((t1, x1, v1)), Some((t2, x2, v2))) = (from, to) else {
            let at_rest = from.or(to).map_or(self.origin, |knot| knot.1);
            return from_fn(|k| [at_rest[k] - self.origin[k], 0.0, 0.0]);
        };
        // Hermite's cubic, with s from 0 to 1.
        let (h, s) = (t2 - t1, (t - t1) / (t2 - t1));
        let of = |k: usize, place: [f64; 2], slope: [f64; 2]| {
            place[0] * x1[k] + place[1] * x2[k] + h * (slope[0] * v1[k] + slope[1] * v2[k])
        };
        let (rise, slope, bend) = (s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s), 6.0 - 12.0 * s);
        from_fn(|k| {
            let x = of(k, [1.0 - rise, rise], [s * (1.0 - s) * (1.0 - s), s * s * (s - 1.0)]);
            let v = of(k, [-slope, slope], [(1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)]);
            let a = of(k, [-bend, bend], [6.0 * s - 4.0, 6.0 * s - 2.0]);
            [x - self.origin[k], v / h, a / (h * h)]
        })
    }
}
