//! Motions that a scene gives in full: by formulas of the time, and by tables.
use std::array::from_fn;
use std::path::Path;
use std::sync::Arc;

use super::Kinematics;
use crate::{
    error::Error,
    keys::{
        csv::{Others, Table},
        file,
        formula::Formula,
        join,
    },
    numerics::vector::norm,
    parameters,
};

parameters! {
    /// Motion by formulas of t `[s]`, one for each axis: of its displacement or of its velocity. Times count from 0, or
    /// from the command that gives it. Where a wall is drawn its displacement is 0, whatever a formula has at t = 0.
    pub struct FormulaMotion {
        /// Displacement `[m]`; velocity and acceleration are its exact derivatives.
        pub displacement: Option<Vec<Formula>> = None;
        /// Velocity `[m/s]`; the displacement is its integral by Gauss's rule over parts of the run, the acceleration its
        /// exact derivative.
        pub velocity: Option<Vec<Formula>> = None;
        /// Length of these parts, to which a jump is placed; a 4096th of the run if left out. Written into the scenes of
        /// results: a run that goes on, longer too, has the same.
        pub part: Option<f64> = None, "s", "(0, inf)";
        hidden until: Option<Until>;
    }
}

parameters! {
    /// Motion by a table of displacements, between whose times it is a cubic with continuous velocity; at rest before
    /// the first time and after the last.
    pub struct TableMotion {
        /// CSV file from the folder of the scene on: columns `t [s]` and some of `x [m]`, `y [m]`, `z [m]`, no others.
        pub file: String;
        /// Checksum of the file, CRC-32: another file is refused. Written into the scenes of results.
        pub checksum: Option<u32> = None, "-", "[0, 4294967295]";
        hidden rows: Option<Arc<Table>>;
    }
}

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
const COLUMNS: [&str; 4] = ["t [s]", "x [m]", "y [m]", "z [m]"];

/// Places and weights of Gauss's rule of five points on `[0, 1]`, exact for polynomials up to order 9.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_02, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// A motion by formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven<const D: usize> {
    formulas: [Formula; D],
    of: Of<D>,
    /// Length of a part `[s]`.
    part: f64,
    /// Largest speed from the beginning of each part on `[m/s]`.
    peaks: Vec<f64>,
}

/// What formulas give.
#[derive(Clone, Debug, PartialEq)]
enum Of<const D: usize> {
    /// The displacement, and what they have for that at time 0 `[m]`.
    Displacement([f64; D]),
    /// The velocity, and the displacements at the ends of the parts `[m]`.
    Velocity(Vec<[f64; D]>),
}

impl FormulaMotion {
    /// Takes over how long the run is `[s]`.
    pub(super) fn last_until(&mut self, until: f64) {
        self.until = Some(Until(until));
        self.part.get_or_insert(until / PARTS);
    }

    pub(super) fn resolve<const D: usize>(&self, key: &str) -> Result<Driven<D>, Error> {
        let (name, formulas) = match (&self.displacement, &self.velocity) {
            (Some(formulas), None) => ("displacement", formulas),
            (None, Some(formulas)) => ("velocity", formulas),
            (None, None) => {
                return Err(Error::missing(join(key, "displacement")).hint("give it, or `velocity`"));
            }
            (Some(_), Some(_)) => {
                let message = "contradicts displacement: one of them is enough";
                return Err(Error::invalid(join(key, "velocity"), message));
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
        let key = join(key, name);
        let of_axes: &[Formula; D] = formulas.as_slice().try_into().map_err(|_| {
            let message = format!("has {} formulas, but the scene has dim = {D}", formulas.len());
            Error::invalid(&key, message).hint(format!("give {D} formulas"))
        })?;
        for (k, formula) in of_axes.iter().enumerate() {
            formula.check(&format!("{key}[{k}]"), &["t"])?;
        }
        Driven::new(of_axes.clone(), name == "velocity", [part, until], &key)
    }
}

impl<const D: usize> Driven<D> {
    fn new(
        formulas: [Formula; D],
        of_velocity: bool,
        [part, until]: [f64; 2],
        key: &str,
    ) -> Result<Self, Error> {
        let origin = from_fn(|k| formulas[k].at(&[], 0.0));
        let of = if of_velocity { Of::Velocity(vec![[0.0; D]]) } else { Of::Displacement(origin) };
        let mut driven = Self { formulas, of, part, peaks: Vec::new() };
        for n in 0..=(until / part).ceil() as usize {
            let t = n as f64 * part;
            let Kinematics { v, a, .. } = driven.at(&[0.0; D], t);
            if let Some(k) = (0..D).find(|k| !(v[*k] + a[*k]).is_finite()) {
                let message = format!("has no finite velocity and acceleration at t = {t} s");
                return Err(Error::invalid(format!("{key}[{k}]"), message)
                    .value(format!("{:?}", driven.formulas[k].text())));
            }
            driven.peaks.push(norm(v));
            let end = driven.integral(n, (n + 1) as f64 * part);
            if let Of::Velocity(ends) = &mut driven.of {
                ends.push(end);
            }
        }
        let mut largest = 0.0_f64;
        for peak in driven.peaks.iter_mut().rev() {
            largest = largest.max(*peak);
            *peak = largest;
        }
        Ok(driven)
    }

    /// Displacement at time `t` by the integral from the end of part `n` on, or of the last that there is `[m]`.
    fn integral(&self, n: usize, t: f64) -> [f64; D] {
        let Of::Velocity(ends) = &self.of else { return [0.0; D] };
        let mut n = n.min(ends.len() - 1);
        let mut moved = ends[n];
        while (n as f64 * self.part) < t {
            let from = n as f64 * self.part;
            let length = (t - from).min(self.part);
            let at = |k: usize, place: f64| self.formulas[k].at(&[], from + place * length);
            moved = from_fn(|k| {
                moved[k] + length * GAUSS.iter().map(|(place, w)| w * at(k, *place)).sum::<f64>()
            });
            n += 1;
        }
        moved
    }

    /// Largest speed from time `t` on `[m/s]`, at the ends of the parts of the run.
    pub(super) fn top_speed(&self, t: f64) -> f64 {
        let n = (t / self.part).max(0.0) as usize;
        self.peaks.get(n).copied().unwrap_or_else(|| norm(self.at(&[0.0; D], t).v))
    }

    pub(super) fn at(&self, x0: &[f64; D], t: f64) -> Kinematics<D> {
        let jets: [_; D] = from_fn(|k| self.formulas[k].jet(&[], t));
        match &self.of {
            Of::Displacement(origin) => Kinematics {
                x: from_fn(|k| x0[k] + (jets[k][0] - origin[k])),
                v: jets.map(|jet| jet[1]),
                a: jets.map(|jet| jet[2]),
            },
            Of::Velocity(_) => {
                let moved = self.integral((t / self.part).max(0.0) as usize, t);
                Kinematics {
                    x: from_fn(|k| x0[k] + moved[k]),
                    v: jets.map(|jet| jet[0]),
                    a: jets.map(|jet| jet[1]),
                }
            }
        }
    }
}

/// A motion by a table: times `[s]`, displacements `[m]` from that at time 0 on, and velocities `[m/s]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<const D: usize> {
    knots: Vec<(f64, [f64; D], [f64; D])>,
    /// Displacement of the table at time 0 `[m]`.
    origin: [f64; D],
    /// Largest speed from each knot on `[m/s]`.
    peaks: Vec<f64>,
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

    pub(super) fn resolve<const D: usize>(&self, key: &str) -> Result<Record<D>, Error> {
        let Some(table) = &self.rows else {
            let mut loaded = self.clone();
            loaded.load(Path::new(""), key)?;
            return loaded.resolve(key);
        };
        let refused =
            |message: String| Error::invalid(join(key, "file"), message).value(format!("{:?}", self.file));
        let column = |name: usize| table.columns.iter().position(|column| *column == name);
        let Some(time) = column(0) else { return Err(refused("has no column `t [s]`".to_owned())) };
        if let Some(column) = table.columns.iter().find(|column| **column > D) {
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
        let place = |row: &Vec<f64>| from_fn(|k| column(k + 1).map_or(0.0, |column| row[column]));
        Ok(Record::new(table.rows.iter().map(|row| (row[time], place(row))).collect()))
    }
}

/// Speeds that are looked at between two knots.
const LOOKS: usize = 8;

impl<const D: usize> Record<D> {
    fn new(rows: Vec<(f64, [f64; D])>) -> Self {
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
            _ => [0.0; D],
        };
        let knots = (0..rows.len()).map(|k| (rows[k].0, rows[k].1, velocity(k))).collect();
        let mut record = Self { knots, origin: [0.0; D], peaks: Vec::new() };
        record.origin = record.at(&[0.0; D], 0.0).x;
        let speed = |k: usize| {
            let (t, next) =
                (record.knots[k].0, record.knots.get(k + 1).map_or(record.knots[k].0, |knot| knot.0));
            let looks = (0..=LOOKS).map(|n| t + (next - t) * n as f64 / LOOKS as f64);
            looks.map(|t| norm(record.at(&[0.0; D], t).v)).fold(0.0, f64::max)
        };
        let mut peaks: Vec<f64> = (0..record.knots.len()).map(speed).collect();
        for k in (1..peaks.len()).rev() {
            peaks[k - 1] = peaks[k - 1].max(peaks[k]);
        }
        record.peaks = peaks;
        record
    }

    /// Largest speed from the knot before time `t` on `[m/s]`.
    pub(super) fn top_speed(&self, t: f64) -> f64 {
        let next = self.knots.partition_point(|knot| knot.0 <= t);
        self.peaks.get(next.saturating_sub(1)).copied().unwrap_or(0.0)
    }

    pub(super) fn at(&self, x0: &[f64; D], t: f64) -> Kinematics<D> {
        let next = self.knots.partition_point(|knot| knot.0 <= t);
        let resting = |x: &[f64; D]| Kinematics {
            x: from_fn(|k| x0[k] + (x[k] - self.origin[k])),
            v: [0.0; D],
            a: [0.0; D],
        };
        let (from, to) = (next.checked_sub(1).and_then(|k| self.knots.get(k)), self.knots.get(next));
        let (Some((t1, x1, v1)), Some((t2, x2, v2))) = (from, to) else {
            return from.or(to).map_or(resting(&self.origin), |knot| resting(&knot.1));
        };
        // Hermite's cubic, with s from 0 to 1.
        let (h, s) = (t2 - t1, (t - t1) / (t2 - t1));
        let of = |place: [f64; 2], slope: [f64; 2]| -> [f64; D] {
            from_fn(|k| place[0] * x1[k] + place[1] * x2[k] + h * (slope[0] * v1[k] + slope[1] * v2[k]))
        };
        let rise = s * s * (3.0 - 2.0 * s);
        let x = of([1.0 - rise, rise], [s * (1.0 - s) * (1.0 - s), s * s * (s - 1.0)]);
        let slope = 6.0 * s * (1.0 - s);
        let v = of([-slope, slope], [(1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)]);
        let bend = 6.0 - 12.0 * s;
        let a = of([-bend, bend], [6.0 * s - 4.0, 6.0 * s - 2.0]);
        Kinematics { v: v.map(|v| v / h), a: a.map(|a| a / (h * h)), ..resting(&x) }
    }
}
