//! Tables of numbers in files: a line of names with units, as `t [s], x [m]`, and rows of numbers.
use std::str::FromStr;

use super::file::Found;
use crate::error::Error;

/// A table that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What the columns are, by their places among the names that there may be.
    pub columns: Vec<usize>,
    /// Numbers, all finite.
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a table whose columns have some of these `names`, in any order; `key` is that of the file. Lines that are
    /// empty or begin with `#` say nothing.
    ///
    /// # Errors
    ///
    /// With the line: a name that is none of these, or comes twice, a row that is too short or too long, and what is no
    /// finite number.
    pub fn parse(found: &Found, names: &[&str], key: &str) -> Result<Self, Error> {
        let refused = |line: usize, message: String| {
            Error::invalid(key, format!("line {line} {message}")).value(format!("{:?}", found.path))
        };
        let text = str::from_utf8(&found.bytes)
            .map_err(|_| Error::invalid(key, "is no text in UTF-8").value(format!("{:?}", found.path)))?;
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        let mut lines = lines
            .map(|(k, line)| (k + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (n, header) = lines.next().ok_or_else(|| refused(1, "must name the columns".to_owned()))?;
        let mut columns = Vec::new();
        for name in header.split(',').map(str::trim) {
            match names.iter().position(|known| *known == name) {
                Some(column) if !columns.contains(&column) => columns.push(column),
                Some(_) => return Err(refused(n, format!("names the column `{name}` twice"))),
                None => {
                    let error = refused(n, format!("has a column `{name}`"));
                    return Err(error.hint(format!("name columns {}", names.join(", "))));
                }
            }
        }
        let mut rows = Vec::new();
        for (n, line) in lines {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.len() != columns.len() {
                return Err(refused(n, format!("has {} numbers, not {}", cells.len(), columns.len())));
            }
            let number = |cell: &&str| {
                let number = f64::from_str(cell).ok().filter(|x| x.is_finite());
                number.ok_or_else(|| refused(n, format!("has {cell:?}, which is no finite number")))
            };
            rows.push(cells.iter().map(number).collect::<Result<_, _>>()?);
        }
        Ok(Self { columns, rows })
    }
}
