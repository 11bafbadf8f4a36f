//! The published and exact reference data, built into the program.
//!
//! Every file under `reference/` begins with comment lines (citation, definitions), then names its columns
//! with units, then holds rows. `reference/README.md` tells what each one tests and what is accepted.

use crate::result::{CurveStyle, ReferenceCurve};
use sph_core::keys::csv;

/// A reference file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// No file has this name.
    #[error("no reference named {0:?}")]
    UnknownTable(String),
    /// A file lacks this column.
    #[error("reference {table} has no column {column:?}")]
    UnknownColumn {
        /// Name of the file.
        table: String,
        /// The column that was asked for.
        column: String,
    },
    /// A file lacks this series.
    #[error("reference {table} has no series {series:?}")]
    UnknownSeries {
        /// Name of the file.
        table: String,
        /// The series that was asked for.
        series: String,
    },
    /// A line is malformed.
    #[error("reference {table}, line {line}: {reason}")]
    Malformed {
        /// Name of the file.
        table: String,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

macro_rules! tables {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../reference/", $name, ".csv")))),*]
    };
}

/// Name and text of each file.
const TABLES: &[(&str, &str)] = tables![
    "contact_angle_cap",
    "drop_surface_tension_modes",
    "martin_moyce_front",
    "martin_moyce_height",
    "oldroydb_poiseuille_waters_king",
];

/// One column of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name without the unit.
    pub name: String,
    /// Unit; `-` for a pure number, empty when the file names none.
    pub unit: String,
    /// Values, one a row.
    pub values: Vec<f64>,
}

/// One reference file.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of the file, without its ending.
    pub name: String,
    /// The first comment line: what it is, and the paper.
    pub citation: String,
    /// The other comment lines: definitions, provenance, caveats.
    pub notes: Vec<String>,
    /// The series each row belongs to, where the file holds several; else empty.
    pub series: Vec<String>,
    /// The columns of numbers.
    pub columns: Vec<Column>,
}

/// Names of all reference files.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(name, _)| *name)
}

/// Reads a reference file by its name without ending, such as `martin_moyce_front`.
///
/// # Errors
/// When there is none, or it is malformed.
pub fn table(name: &str) -> Result<Table, ReferenceError> {
    let found = TABLES.iter().find(|(known, _)| *known == name);
    let (name, text) = found.ok_or_else(|| ReferenceError::UnknownTable(name.into()))?;
    Table::parse(name, text)
}

impl Table {
    /// Reads the text of a reference file.
    ///
    /// # Errors
    /// When there is no header, or a row has the wrong number of cells or a cell that is not a number.
    pub fn parse(name: &str, text: &str) -> Result<Self, ReferenceError> {
        let malformed =
            |line: usize, reason: String| ReferenceError::Malformed { table: name.into(), line, reason };
        let lines = csv::lines(text).map_err(|(line, reason)| malformed(line, reason))?;
        let mut notes: Vec<String> = lines.remarks.into_iter().map(str::to_owned).collect();
        let citation = if notes.is_empty() { String::new() } else { notes.remove(0) };
        let mut heads = lines.names.1.into_iter().peekable();
        let has_series = heads.next_if(|head| *head == "series").is_some();
        let (mut columns, mut series): (Vec<Column>, _) = (heads.map(Column::new).collect(), Vec::new());
        for (line, cells) in lines.rows {
            let mut cells = cells.into_iter();
            if has_series {
                series.extend(cells.next().map(str::to_owned));
            }
            for (column, cell) in columns.iter_mut().zip(cells) {
                let value = cell.parse().map_err(|_| malformed(line, format!("{cell:?} is not a number")))?;
                column.values.push(value);
            }
        }
        Ok(Self { name: name.into(), citation, notes, series, columns })
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// A column by its name without unit.
    ///
    /// # Errors
    /// When there is none.
    pub fn column(&self, name: &str) -> Result<&Column, ReferenceError> {
        let unknown = || ReferenceError::UnknownColumn { table: self.name.clone(), column: name.into() };
        self.columns.iter().find(|column| column.name == name).ok_or_else(unknown)
    }

    /// The rows of one series, as a table of their own.
    ///
    /// # Errors
    /// When there is no such series.
    pub fn of_series(&self, series: &str) -> Result<Self, ReferenceError> {
        if !self.series.iter().any(|row| row == series) {
            return Err(ReferenceError::UnknownSeries { table: self.name.clone(), series: series.into() });
        }
        let keep = |column: &Column| {
            let rows = column.values.iter().zip(&self.series).filter(|(_, row)| *row == series);
            Column { values: rows.map(|(value, _)| *value).collect(), ..column.clone() }
        };
        Ok(Self {
            series: self.series.iter().filter(|row| *row == series).cloned().collect(),
            columns: self.columns.iter().map(keep).collect(),
            ..self.clone()
        })
    }

    /// Two columns as a curve, to be drawn beside the series `series` of `case`.
    ///
    /// # Errors
    /// When a column is missing.
    pub fn curve(&self, x: &str, y: &str, place: &CurvePlace<'_>) -> Result<ReferenceCurve, ReferenceError> {
        Ok(ReferenceCurve {
            case: place.case.into(),
            series: place.series.into(),
            label: place.label.into(),
            citation: self.citation.clone(),
            style: place.style,
            x: self.column(x)?.values.clone(),
            y: self.column(y)?.values.clone(),
        })
    }
}

/// Where and how a reference curve is drawn.
#[derive(Clone, Copy, Debug)]
pub struct CurvePlace<'a> {
    /// Case.
    pub case: &'a str,
    /// Series of that case.
    pub series: &'a str,
    /// Label in the legend.
    pub label: &'a str,
    /// Points or line.
    pub style: CurveStyle,
}

impl Column {
    /// A column without values, from a header such as `t [s]`.
    fn new(head: &str) -> Self {
        let (name, unit) = match head.rsplit_once('[') {
            Some((name, unit)) => (name.trim(), unit.trim().trim_end_matches(']')),
            None => (head.trim(), ""),
        };
        Self { name: name.into(), unit: unit.into(), values: Vec::new() }
    }
}

/// The value at `at` of the line through the points `(x, y)`. The abscissas rise or fall throughout.
/// `None` outside their range, or when they are not in order.
#[must_use]
pub fn interpolate(x: &[f64], y: &[f64], at: f64) -> Option<f64> {
    let n = x.len().min(y.len());
    let (first, last) = (*x.first()?, *x.get(n.checked_sub(1)?)?);
    let sign = if last >= first { 1.0 } else { -1.0 };
    if !x[..n].windows(2).all(|pair| sign * pair[1] >= sign * pair[0]) {
        return None;
    }
    let right = x[..n].partition_point(|x| sign * x < sign * at);
    if right == n || at.is_nan() {
        return None;
    }
    if x[right] == at {
        return Some(y[right]);
    }
    let left = right.checked_sub(1)?;
    let part = (at - x[left]) / (x[right] - x[left]);
    Some(y[left] + part * (y[right] - y[left]))
}
