//! Cases that are data: a folder with `case.toml`, a scene, and tables of published numbers.

mod compared;
mod file;
mod files;
mod norm;

use self::{
    compared::Compared,
    file::{CaseFile, NAME},
    files::{BUILT_IN, Files},
};
use crate::{
    cases::Case,
    metrics::{Metric, Outcome},
    reference::Table,
    result::ReferenceCurve,
    run,
    scenes::{methods::Method, methods::SOLVERS},
    system::processor::Processor,
};
use sph_core::{
    error::Error,
    keys::join,
    scene::{Scene, SolverSettings, Source},
    watch::measure::Series,
};
use std::{
    path::Path,
    sync::{LazyLock, OnceLock},
};

/// A case of a folder, read and checked.
#[derive(Debug)]
pub struct FolderCase {
    name: String,
    is_built_in: bool,
    file: CaseFile,
    /// Where its keys stand.
    source: Source,
    /// The scene of each method that it is for.
    scenes: Vec<(Method, Scene)>,
    /// The table of each comparison that has one.
    tables: Vec<Option<Table>>,
    compared: OnceLock<Vec<Compared>>,
}

/// The cases that are built into the program, from the folders of `bench-suite/cases`. Their scenes are set up when a report
/// needs them.
pub fn built_in() -> &'static [FolderCase] {
    static CASES: LazyLock<Vec<FolderCase>> = LazyLock::new(|| {
        // One that cannot be read fails the test that reads them all.
        BUILT_IN.iter().filter_map(|case| FolderCase::open(&Files::BuiltIn(case)).ok()).collect()
    });
    &CASES
}

impl FolderCase {
    /// True for the path of a folder with a case.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(NAME).is_file()
    }

    /// Reads a case, and sets up each of its scenes once at the resolution of its bands.
    ///
    /// # Errors
    /// What is wrong with the case, its scenes or its tables, with file, line, key and value.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let case = Self::open(&Files::Folder(folder))?;
        case.check()?;
        Ok(case)
    }

    /// Sets up each of its scenes once at the resolution of its bands, if that was not yet done.
    ///
    /// # Errors
    /// What is wrong with them, or what they do not measure.
    pub fn check(&self) -> Result<&[Compared], Error> {
        if let Some(compared) = self.compared.get() {
            return Ok(compared);
        }
        let series = self.set_up().map_err(|error| self.locate(error))?;
        let compared = self.file.compare.iter().zip(&self.tables).enumerate();
        let compared = compared
            .map(|(k, (compare, table))| {
                Compared::of(compare, &format!("compare[{k}]"), table.clone(), &series)
            })
            .collect::<Result<Vec<_>, _>>()
            .and_then(compared::check_conditions)
            .map_err(|error| self.locate(error))?;
        Ok(self.compared.get_or_init(|| compared))
    }

    /// What has no key is wrong in another file, which it names.
    fn locate(&self, error: Error) -> Error {
        if error.key().is_some() { self.source.locate(error) } else { error }
    }

    fn open(files: &Files<'_>) -> Result<Self, Error> {
        let (name, text) = files.text(NAME, "")?;
        let source = Source::new(&name, &text);
        let file: CaseFile = source.read()?;
        let (scenes, tables, compared) = (Vec::new(), Vec::new(), OnceLock::new());
        let is_built_in = matches!(files, Files::BuiltIn(_));
        let mut case = Self { name: files.case()?, is_built_in, file, source, scenes, tables, compared };
        case.fill(files).map_err(|error| case.locate(error))?;
        Ok(case)
    }

    fn fill(&mut self, files: &Files<'_>) -> Result<(), Error> {
        self.file.validate("")?;
        if self.file.method.0.is_empty() {
            let known: Vec<_> = SOLVERS.iter().map(|solver| solver.name).collect();
            let error = Error::invalid("method", "names no method");
            return Err(
                error.hint(format!("give one table for each, as [method.{}]", known.join("], [method.")))
            );
        }
        for (name, changes) in &self.file.method.0 {
            self.scenes.push(self.scene_of(name, changes, files)?);
        }
        for (k, compare) in self.file.compare.iter().enumerate() {
            let text = compare.table.as_ref().map(|name| files.text(name, &format!("compare[{k}].table")));
            self.tables.push(text.transpose()?.map(|(name, text)| table_of(&name, &text)).transpose()?);
        }
        Ok(())
    }

    /// The scene of a method: the common one with another method and its settings, with some of its keys replaced, or one of its
    /// own.
    fn scene_of(
        &self,
        name: &str,
        changes: &toml::Table,
        files: &Files<'_>,
    ) -> Result<(Method, Scene), Error> {
        let key = format!("method.{name}");
        let known = || SOLVERS.iter().map(|solver| solver.name).collect::<Vec<_>>().join(", ");
        let method = Method::of(name)
            .ok_or_else(|| Error::invalid(&key, "is no method").hint(format!("there are {}", known())))?;
        let scene_key = join(&key, "scene");
        let (place, text) = match changes.get("scene") {
            None => files.text(&self.file.scene, "scene")?,
            Some(toml::Value::String(own)) => files.text(own, &scene_key)?,
            Some(toml::Value::Table(keys)) => {
                let (place, text) = files.text(&self.file.scene, "scene")?;
                let mut scene: toml::Table =
                    text.parse().map_err(|error| Error::new(format!("{error}")).in_file(&place))?;
                scene.extend(keys.clone());
                (format!("{place} with {scene_key}"), scene.to_string())
            }
            Some(other) => {
                return Err(Error::invalid(scene_key, "must be a text, or a table of keys").value(other));
            }
        };
        let mut scene = Scene::parse(&place, &text)?;
        if scene.solver.name().unwrap_or(SOLVERS[0].name) != name {
            scene.solver = SolverSettings::named(name);
        }
        if changes.contains_key("name") {
            let message = "is the name of the table: another method is another table";
            return Err(Error::invalid(join(&key, "name"), message));
        }
        for (setting, value) in changes.iter().filter(|(setting, _)| *setting != "scene") {
            scene.solver.set(setting, value.clone());
        }
        Ok((method, scene))
    }

    fn scene_across(&self, n: usize, method: Method) -> Scene {
        let mut scene = self.scene(n);
        self.suit(&mut scene, method);
        scene
    }

    /// The measures that are compared.
    pub fn measures(&self) -> impl Iterator<Item = &str> {
        self.file.compare.iter().map(|compare| compare.measure.as_str())
    }

    /// The comparisons; none of a case that cannot be set up.
    fn compared(&self) -> &[Compared] {
        self.check().unwrap_or_default()
    }

    /// Checks the scenes of all resolutions, and sets up those of the bands, so that whatever is wrong is said before any run. Returns the series of the first, which all
    /// have.
    fn set_up(&self) -> Result<Vec<Series>, Error> {
        let mut first: Option<Vec<Series>> = None;
        for (method, _) in &self.scenes {
            for n in self.resolutions() {
                let scene = self.scene_across(n, *method);
                scene.check()?;
                run::check_memory(&scene, &Processor::default())?;
            }
            let series = series_of(&self.scene_across(self.resolution(), *method))?;
            let all = |series: &[Series]| {
                series.iter().map(|s| (s.name.clone(), s.columns.clone(), s.along.len())).collect::<Vec<_>>()
            };
            if first.as_ref().is_some_and(|first| all(first) != all(&series)) {
                let message = "has a scene with other measures than that of the first method";
                return Err(Error::invalid(format!("method.{}", method.name()), message));
            }
            first.get_or_insert(series);
        }
        Ok(first.unwrap_or_default())
    }
}

/// The series of a scene that was set up, still empty.
fn series_of(scene: &Scene) -> Result<Vec<Series>, Error> {
    let processor = Processor::default();
    Ok(if scene.dim == 2 {
        run::simulation::<2>(scene, &processor)?.measures.series().cloned().collect()
    } else {
        run::simulation::<3>(scene, &processor)?.measures.series().cloned().collect()
    })
}

/// A table without holes.
fn table_of(name: &str, text: &str) -> Result<Table, Error> {
    let table = Table::parse(name, text).map_err(|error| Error::new(error.to_string()))?;
    let not_finite = |k: usize| table.columns.iter().find(|column| !column.values[k].is_finite());
    match (0..table.n_rows()).find_map(|k| Some((k, not_finite(k)?))) {
        None => Ok(table),
        Some((row, column)) => {
            let message = format!("row {}: {} is {}, no number", row + 1, column.name, column.values[row]);
            Err(Error::new(message).in_file(name))
        }
    }
}

impl Case for FolderCase {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        &self.file.about
    }

    fn source(&self) -> &str {
        &self.file.source
    }

    fn scene(&self, n: usize) -> Scene {
        let mut scene = self.scenes[0].1.clone();
        scene.spacing = self.file.length / n as f64;
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        let own = self.scenes.iter().find(|(known, _)| *known == method);
        if let Some((_, own)) = own {
            let spacing = scene.spacing;
            *scene = own.clone();
            scene.spacing = spacing;
        }
        own.is_some()
    }

    fn is_exact(&self) -> bool {
        self.file.exact
    }

    fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    fn resolution(&self) -> usize {
        self.file.resolution as usize
    }

    fn resolutions(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.file.resolutions.iter().map(|&n| n as usize).collect();
        all.push(self.resolution());
        all.sort_unstable();
        all.dedup();
        all
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        Vec::new()
    }

    fn judge(&self, series: &[&Series]) -> Outcome {
        let mut scores: Vec<_> =
            self.compared().iter().map(|compared| compared.score(series, &self.file.source)).collect();
        for (k, compared) in self.compared().iter().enumerate() {
            let condition = scores[..k].iter().find(|score| compared.needs(score)).cloned();
            if let Some(condition) = condition {
                scores[k] = std::mem::take(&mut scores[k]).only_with(&condition);
            }
        }
        if let Some(first) = scores.first_mut() {
            first.headline = true;
        }
        let averaged = self.compared().iter().filter_map(|compared| compared.averaged(series)).collect();
        Outcome { scores, series: averaged, ..Outcome::default() }
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let mut curves = Vec::new();
        let (source, end) = (&self.file.source, self.scenes[0].1.run.end_time);
        let all = self.compared().iter().filter_map(|compared| compared.reference(&self.name, source, end));
        for curve in all {
            if !curves.contains(&curve) {
                curves.push(curve);
            }
        }
        curves
    }

    fn pictures(&self) -> Vec<f64> {
        let end = self.scenes[0].1.run.end_time;
        [0.25, 0.5, 0.75, 1.0].map(|part| part * end).to_vec()
    }
}
