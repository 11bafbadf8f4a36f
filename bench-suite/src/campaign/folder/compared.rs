//! One comparison of a case: a measured curve against a published curve or number.

use super::{
    file::{Compare, Norm},
    norm,
};
use crate::{
    metrics::Curve,
    output::measures,
    reference::{Column, Table},
    result::{Band, CurveStyle, ReferenceCurve, Score, Series as Drawn, SeriesGroup},
};
use sph_core::{error::Error, keys::join, watch::measure::Series};

/// A comparison whose measure, column and table were found.
#[derive(Debug)]
pub struct Compared {
    how: Compare,
    /// Place of the column in a sample.
    column: usize,
    unit: String,
    /// True for a curve along a line, at a time.
    is_profile: bool,
    /// Name of the curve in reports.
    curve: String,
    /// The published curve in the units of the measure.
    published: Option<(Curve, String)>,
}

impl Compared {
    /// Finds what a comparison names, in the series of a scene that was set up.
    ///
    /// # Errors
    /// When it does not exist, lacks what its norm needs, or has other units.
    pub fn of(how: &Compare, key: &str, table: Option<Table>, all: &[Series]) -> Result<Self, Error> {
        let names: Vec<_> = all.iter().map(|series| series.name.as_str()).collect();
        let series = all.iter().find(|series| series.name == how.measure);
        let series = series.ok_or_else(|| unknown(&join(key, "measure"), &how.measure, "measure", &names))?;
        let names: Vec<_> = series.columns.iter().map(|column| column.name.as_str()).collect();
        let place = match &how.column {
            None if names.len() == 1 => Some(0),
            None => {
                let error = Error::invalid(join(key, "column"), "is missing: the measure has several");
                return Err(error.hint(format!("it has {}", names.join(", "))));
            }
            Some(name) => names.iter().position(|known| known == name),
        };
        let column = place.ok_or_else(|| {
            unknown(&join(key, "column"), how.column.as_deref().unwrap_or_default(), "column", &names)
        })?;
        check(how, key, table.is_some(), !series.along.is_empty())?;
        let unit = if how.relative { "-".into() } else { series.columns[column].unit.clone() };
        let axis = if series.along.is_empty() { "s" } else { "m" };
        let published = table.map(|table| published(how, key, table, [axis, &*unit])).transpose()?;
        let curve = measures::name(series, column);
        let is_profile = !series.along.is_empty();
        let compared = Self { how: how.clone(), column, unit, is_profile, curve, published };
        compared.check_reference(key).map(|()| compared)
    }

    /// Name of the score.
    fn name(&self) -> String {
        self.how.name.clone().unwrap_or_else(|| format!("{}, {}", self.curve, self.how.norm.words()))
    }

    /// True for the score that must be met for this one to be.
    pub fn needs(&self, score: &Score) -> bool {
        self.how.only_with.as_ref() == Some(&score.name)
    }

    /// True for the mean of a profile over a time, which no other curve shows.
    fn is_averaged(&self) -> bool {
        self.is_profile && self.published.is_some() && (self.how.from.is_some() || self.how.to.is_some())
    }

    /// What is compared with the published curve, where it is no curve of a measure: that of a profile over a time.
    pub fn averaged(&self, all: &[&Series]) -> Option<Drawn> {
        let series = all.iter().find(|series| series.name == self.how.measure)?;
        let (x, y) = (("distance", "m"), (series.columns[self.column].name.replace('_', " "), &*self.unit));
        let curve = self.is_averaged().then(|| self.measured(series))?;
        Some(curve.series(&self.name(), SeriesGroup::Result, x, (&y.0, y.1)))
    }

    /// What a run comes to.
    pub fn score(&self, all: &[&Series], source: &str) -> Score {
        let measured = all.iter().find(|series| series.name == self.how.measure);
        let measured = measured.map_or_else(Curve::default, |series| self.measured(series));
        let Compare { norm, band, note, .. } = &self.how;
        let name = self.name();
        let score = if norm.is_of_curves() {
            let (error, note) = self.distance(&measured);
            Score::new(&name, "-", error).with_error(error).with_note(&note)
        } else {
            let (found, expected) = (norm::number(&self.how, &measured), self.expected());
            let unit = norm.unit(&self.unit, if self.is_profile { "m" } else { "s" });
            let error = (found - expected).abs() / self.how.over.unwrap_or(expected.abs());
            Score::new(&name, &unit, found).against(expected).with_error(error)
        };
        let score = score.from_source(source);
        let score = if note.is_empty() { score } else { score.with_note(note) };
        match band {
            Some(band) => score.within(Band::error_at_most(*band)),
            None => score,
        }
    }

    /// Refuses a reference that gives no relative error: a published curve without a point that counts, or a number that is
    /// undefined or 0.
    fn check_reference(&self, key: &str) -> Result<(), Error> {
        if self.published.is_some() && self.points().next().is_none() {
            let message = "has no row between `from` and `to`";
            return Err(Error::invalid(join(key, "table"), message));
        }
        let largest = self.points().fold(0.0_f64, |most, (_, y)| most.max(y.abs()));
        let scale = if self.how.norm.is_of_curves() { largest } else { self.expected().abs() };
        if scale.is_finite() && scale > 0.0 || self.how.over.is_some() && !scale.is_nan() {
            return Ok(());
        }
        let message = format!("comes to {scale} in the norm of `{}`", self.how.norm.words());
        let error = Error::invalid(join(key, "table"), message);
        Err(error.hint("give `over`, what errors are divided by, or another level"))
    }

    /// The published curve, to draw beside the measured one; or the published number, over the time that counts in a run until
    /// `end`, `[s]`, where it is a level of the curve. `source` is that of the case.
    pub fn reference(&self, case: &str, source: &str, end: f64) -> Option<ReferenceCurve> {
        let (curve, citation, style) = match (&self.published, self.how.value) {
            (Some((curve, citation)), _) => (curve.clone(), citation.as_str(), CurveStyle::Points),
            // A line of 0 below an error says nothing.
            (None, Some(value)) if value != 0.0 && self.how.norm.is_level() && !self.is_profile => {
                let x = vec![self.how.from.unwrap_or(0.0), self.how.to.unwrap_or(end)];
                (Curve { x, y: vec![value; 2] }, source, CurveStyle::Line)
            }
            _ => return None,
        };
        Some(ReferenceCurve {
            case: case.into(),
            series: if self.is_averaged() { self.name() } else { self.curve.clone() },
            label: self.how.series.clone().unwrap_or_else(|| "published".into()),
            citation: citation.into(),
            style,
            x: curve.x,
            y: curve.y,
        })
    }

    fn counts(&self, t: f64) -> bool {
        t >= self.how.from.unwrap_or(0.0) && t <= self.how.to.unwrap_or(f64::INFINITY)
    }

    /// The measured curve: a column against time, or of a profile its mean over the time that counts, the last sample without
    /// such a time.
    fn measured(&self, series: &Series) -> Curve {
        let n = series.columns.len();
        if series.along.is_empty() {
            let rows = series.rows().filter(|(_, row)| row[self.column].is_finite());
            let (x, mut y): (Vec<f64>, Vec<f64>) = rows.map(|(t, row)| (t, row[self.column])).unzip();
            if let (true, Some(&first)) = (self.how.relative, y.first()) {
                y.iter_mut().for_each(|y| *y /= first);
            }
            let smooth = norm::smoothed(&self.how, Curve { x, y });
            if let (Norm::Last, Some(to)) = (self.how.norm, self.how.to) {
                return Curve { x: vec![to], y: vec![smooth.at(to)] };
            }
            // Of two curves the published points are what counts.
            let counts = |t| self.how.norm.is_of_curves() || self.counts(t);
            let (x, y) = smooth.x.into_iter().zip(smooth.y).filter(|(t, _)| counts(*t)).unzip();
            return Curve { x, y };
        }
        let rows: Vec<_> = match self.how.from.is_some() || self.how.to.is_some() {
            true => series.rows().filter(|(t, _)| self.counts(*t)).map(|(_, row)| row).collect(),
            false => series.rows().last().map(|(_, row)| row).into_iter().collect(),
        };
        let mean =
            |k: usize| rows.iter().map(|row| row[k * n + self.column]).sum::<f64>() / rows.len() as f64;
        let points = series.along.iter().enumerate().map(|(k, &x)| (x, mean(k)));
        let (x, y) = points.filter(|(_, y)| y.is_finite()).unzip();
        Curve { x, y }
    }

    /// The published points that count.
    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let points =
            self.published.iter().flat_map(|(curve, _)| curve.x.iter().copied().zip(curve.y.iter().copied()));
        points.filter(|(x, _)| self.is_profile || self.counts(*x))
    }

    /// The difference at the published points that the measured curve reaches, in the norm, and a remark on it; NaN for less than
    /// half of them, which are another curve.
    fn distance(&self, measured: &Curve) -> (f64, String) {
        let points: Vec<_> = self.points().collect();
        let largest = points.iter().fold(0.0_f64, |most, (_, y)| most.max(y.abs()));
        let shifted = self.how.norm == Norm::ShiftedRms;
        let shift = if shifted { norm::best_shift(self.how.norm, &points, measured) } else { 0.0 };
        let off = norm::differences(&points, measured, shift);
        let late = if shifted { format!(", {shift:+.4} s late") } else { String::new() };
        let note = format!("at {} of {} published points{late}", off.len(), points.len());
        if 2 * off.len() < points.len() {
            return (f64::NAN, note);
        }
        (norm::size(self.how.norm, &off) / self.how.over.unwrap_or(largest), note)
    }

    fn expected(&self) -> f64 {
        self.how.value.unwrap_or_else(|| {
            let mut points: Vec<_> = self.points().collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (x, y) = points.into_iter().unzip();
            norm::number(&self.how, &Curve { x, y })
        })
    }
}

/// Refuses conditions that are no band of a comparison above.
pub fn check_conditions(all: Vec<Compared>) -> Result<Vec<Compared>, Error> {
    for (k, compared) in all.iter().enumerate() {
        let Some(name) = &compared.how.only_with else { continue };
        let mut above = all[..k].iter().filter(|above| above.how.band.is_some());
        if !above.any(|above| above.name() == *name) {
            let key = format!("compare[{k}].only_with");
            let error = Error::invalid(key, "is no comparison above this one that has a band");
            return Err(error.value(format!("{name:?}")));
        }
    }
    Ok(all)
}

fn unknown(key: &str, name: &str, what: &str, names: &[&str]) -> Error {
    let error = Error::invalid(key, format!("is no {what} of the scene")).value(format!("{name:?}"));
    error.hint(if names.is_empty() {
        format!("it has no {what}")
    } else {
        format!("it has {}", names.join(", "))
    })
}

/// Refuses what a norm cannot do without, or with.
fn check(how: &Compare, key: &str, has_table: bool, is_profile: bool) -> Result<(), Error> {
    let refuse = |name: &str, message: &str| Err(Error::invalid(join(key, name), message));
    match (has_table, how.value) {
        (true, Some(_)) => return refuse("value", "stands beside `table`: give one of them"),
        (false, None) => return refuse("table", "is missing: give it, or a `value`"),
        (false, Some(_)) if how.norm.is_of_curves() => {
            return refuse("norm", "compares curves and needs a `table`");
        }
        _ => {}
    }
    if how.norm == Norm::Arrival && how.level.is_none() {
        return refuse("level", "is missing: an arrival is the first time above it");
    }
    if how.norm == Norm::Noise && how.window.is_none() {
        return refuse("window", "is missing: noise is what its mean leaves");
    }
    if how.window.is_some() && is_profile {
        return refuse("window", "needs a measure with time, a profile has none");
    }
    if how.norm.needs_time() && is_profile {
        return refuse("norm", "needs a measure with time, a profile has none");
    }
    if how.relative && is_profile {
        return refuse("relative", "needs a measure with time, a profile has none");
    }
    if how.value == Some(0.0) && how.over.is_none() {
        return refuse("over", "is missing: errors cannot be divided by the published 0");
    }
    if how.to.is_some_and(|to| to <= how.from.unwrap_or(0.0)) {
        return refuse("to", "must be later than `from`");
    }
    Ok(())
}

/// The published curve in the units of the measure, `[of the axis, of the values]`.
fn published(how: &Compare, key: &str, table: Table, units: [&str; 2]) -> Result<(Curve, String), Error> {
    let in_table = |error: crate::reference::ReferenceError| Error::new(error.to_string());
    let table = match &how.series {
        Some(series) => table.of_series(series).map_err(in_table)?,
        None if table.series.is_empty() => table,
        None => {
            let mut names = table.series.clone();
            names.dedup();
            let error = Error::invalid(join(key, "series"), "is missing: the table holds several");
            return Err(error.hint(format!("it has {}", names.join(", "))));
        }
    };
    let column = |name: &Option<String>, place: usize| match name {
        Some(name) => table.column(name).map_err(in_table),
        None => table
            .columns
            .get(place)
            .ok_or_else(|| Error::new("a table has at least two columns").in_file(&table.name)),
    };
    let (x, y) = (column(&how.x, 0)?, column(&how.y, 1)?);
    for ((column, scale), (name, unit)) in
        [(x, how.x_scale), (y, how.y_scale)].into_iter().zip(["x_scale", "y_scale"].into_iter().zip(units))
    {
        check_unit(column, scale, unit, &join(key, name))?;
    }
    let scaled =
        |column: &Column, scale: f64, shift: f64| column.values.iter().map(|v| scale * v + shift).collect();
    let curve = Curve { x: scaled(x, how.x_scale, how.x_shift), y: scaled(y, how.y_scale, how.y_shift) };
    if curve.x.is_empty() {
        return Err(Error::new("has no rows").in_file(&table.name));
    }
    Ok((curve, table.citation.clone()))
}

/// Refuses numbers of another unit that nobody has said how to turn into that of the measure.
fn check_unit(column: &Column, scale: f64, unit: &str, key: &str) -> Result<(), Error> {
    let same = column.unit.is_empty() || column.unit == unit;
    if same || scale != 1.0 {
        return Ok(());
    }
    let message =
        format!("is missing: `{}` of the table is in {}, the measure in {unit}", column.name, column.unit);
    Err(Error::invalid(key, message).hint("say what the numbers are multiplied with"))
}
