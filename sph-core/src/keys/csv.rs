//! Tables of numbers in files: a line of names with units, as `t [s], x [m]`, and rows of numbers.
use std::str::FromStr;

use super::file::Found;
use crate::error::Error;

/// The lines of a table, cut into cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines<'a> {
    /// Lines that begin with `#`, without it.
    pub remarks: Vec<&'a str>,
    /// Number of the line of names, from 1, and the names.
    pub names: (usize, Vec<&'a str>),
    /// Rows with as many cells as there are names, each with its line.
    pub rows: Vec<(usize, Vec<&'a str>)>,
}

/// Cuts a text into cells without blanks around them; empty lines say nothing.
///
/// # Errors
///
/// The line, and what is wrong with it: there are no names, or a row is too short or too long.
pub fn lines(text: &str) -> Result<Lines<'_>, (usize, String)> {
    let all = text.trim_start_matches('\u{feff}').lines().map(str::trim).enumerate();
    let mut all = all.map(|(k, line)| (k + 1, line)).filter(|(_, line)| !line.is_empty()).peekable();
    let mut remarks = Vec::new();
    while let Some((_, line)) = all.next_if(|(_, line)| line.starts_with('#')) {
        remarks.push(line[1..].trim());
    }
    let (n, names) = all.next().ok_or_else(|| (remarks.len() + 1, "no header".to_owned()))?;
    let names = (n, cells(names));
    let mut rows = Vec::new();
    for (n, line) in all.filter(|(_, line)| !line.starts_with('#')) {
        let cells = cells(line);
        if cells.len() != names.1.len() {
            return Err((n, format!("{} numbers, expected {}", cells.len(), names.1.len())));
        }
        rows.push((n, cells));
    }
    Ok(Lines { remarks, names, rows })
}

fn cells(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// What becomes of columns with other names than those that there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They are refused.
    Refused,
    /// They are not read, unless they are a quantity of the others in another unit.
    Ignored,
}

/// A table of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What the columns are, by their places among the names that there may be.
    pub columns: Vec<usize>,
    /// Numbers, all finite.
    pub rows: Vec<Vec<f64>>,
    /// Lines of the rows, from 1.
    pub lines: Vec<usize>,
}

impl Table {
    /// Reads a table whose columns have some of these `names`, in any order; `key` is that of the file.
    ///
    /// # Errors
    ///
    /// With the line: a name that is none of these, or comes twice, and what is no finite number.
    pub fn parse(found: &Found, names: &[&str], others: Others, key: &str) -> Result<Self, Error> {
        let refused = |message: String| Error::invalid(key, message).value(format!("{:?}", found.path));
        let at = |(line, reason)| refused(format!("line {line}: {reason}"));
        let text = str::from_utf8(&found.bytes).map_err(|_| refused("is no text in UTF-8".to_owned()))?;
        let lines = lines(text).map_err(at)?;
        let (n, heads) = lines.names;
        let quantity = |name: &str| name.split('[').next().map(str::trim).map(str::to_owned);
        let (mut columns, mut cells) = (Vec::new(), Vec::new());
        for (cell, name) in heads.into_iter().enumerate() {
            match names.iter().position(|known| *known == name) {
                Some(column) if !columns.contains(&column) => {
                    columns.push(column);
                    cells.push(cell);
                }
                Some(_) => return Err(at((n, format!("names the column `{name}` twice")))),
                None if others == Others::Ignored
                    && names.iter().all(|known| quantity(known) != quantity(name)) => {}
                None => {
                    let error = at((n, format!("has a column `{name}`")));
                    return Err(error.hint(format!("name columns {}", names.join(", "))));
                }
            }
        }
        let number = |n: usize, cell: &str| {
            let number = f64::from_str(cell).ok().filter(|x| x.is_finite());
            number.ok_or_else(|| at((n, format!("has {cell:?}, which is no finite number"))))
        };
        let row = |(n, row): &(usize, Vec<&str>)| cells.iter().map(|k| number(*n, row[*k])).collect();
        let rows = lines.rows.iter().map(row).collect::<Result<_, _>>()?;
        Ok(Self { columns, rows, lines: lines.rows.into_iter().map(|(n, _)| n).collect() })
    }
}
