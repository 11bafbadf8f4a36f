//! Cases that are data: a folder with `case.toml`, a scene, and tables of published numbers.

mod compared;
mod file;

use self::{
    compared::Compared,
    file::{CaseFile, NAME},
};
use crate::{
    cases::Case,
    metrics::{Metric, Outcome},
    reference::Table,
    result::ReferenceCurve,
    run,
    scenes::{self, methods::Method, methods::SOLVERS},
    system::processor::Processor,
};
use sph_core::{
    error::Error,
    scene::{Scene, SolverSettings, Source},
    watch::measure::Series,
};
use std::path::{Component, Path, PathBuf};

/// A case of a folder, read and checked.
#[derive(Debug)]
pub struct FolderCase {
    name: String,
    file: CaseFile,
    /// The scene of each method that it is for.
    scenes: Vec<(Method, Scene)>,
    compared: Vec<Compared>,
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
        let folder_name = folder.canonicalize().map_err(|error| Error::new(error.to_string()))?;
        let name = folder_name.file_name().map(|name| name.to_string_lossy().into_owned());
        let path = folder.join(NAME);
        let source = Source::new(&path.display().to_string(), &text_of(&path)?);
        let file: CaseFile = source.read()?;
        let case = Self { name: name.unwrap_or_default(), file, scenes: Vec::new(), compared: Vec::new() };
        // What has no key is wrong in another file, which it names.
        case.filled(folder).map_err(|error| if error.key().is_some() { source.locate(error) } else { error })
    }

    fn filled(mut self, folder: &Path) -> Result<Self, Error> {
        self.file.validate("")?;
        if self.file.method.0.is_empty() {
            let known: Vec<_> = SOLVERS.iter().map(|solver| solver.name).collect();
            let error = Error::invalid("method", "names no method");
            return Err(
                error.hint(format!("give one table for each, as [method.{}]", known.join("], [method.")))
            );
        }
        for (name, changes) in &self.file.method.0 {
            self.scenes.push(self.scene_of(name, changes, folder)?);
        }
        let series = self.set_up()?;
        let compared = self.file.compare.iter().enumerate();
        self.compared = compared
            .map(|(k, compare)| {
                let key = format!("compare[{k}]");
                let table = match &compare.table {
                    Some(name) => Some(table_of(&inside(folder, name, &format!("{key}.table"))?)?),
                    None => None,
                };
                Compared::of(compare, &key, table, &series)
            })
            .collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The scene of a method: the common one with another method and its settings, or one of its own.
    fn scene_of(&self, name: &str, changes: &toml::Table, folder: &Path) -> Result<(Method, Scene), Error> {
        let key = format!("method.{name}");
        let known = || SOLVERS.iter().map(|solver| solver.name).collect::<Vec<_>>().join(", ");
        let method = Method::of(name)
            .ok_or_else(|| Error::invalid(&key, "is no method").hint(format!("there are {}", known())))?;
        let own = match changes.get("scene") {
            None => None,
            Some(toml::Value::String(own)) => Some(own),
            Some(other) => return Err(Error::invalid(format!("{key}.scene"), "must be a text").value(other)),
        };
        let (place, scene_key) =
            own.map_or((&self.file.scene, "scene".into()), |own| (own, format!("{key}.scene")));
        let mut scene = scenes::read(&inside(folder, place, &scene_key)?)?;
        if scene.solver.name().unwrap_or(SOLVERS[0].name) != name {
            scene.solver = SolverSettings::named(name);
        }
        if changes.contains_key("name") {
            let message = "is the name of the table: another method is another table";
            return Err(Error::invalid(format!("{key}.name"), message));
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

fn text_of(path: &Path) -> Result<String, Error> {
    scenes::text_of(path).map(|(_, text)| text)
}

fn table_of(path: &Path) -> Result<Table, Error> {
    let name = path.display().to_string();
    let text = text_of(path)?;
    // As some programs begin their tables.
    let table = Table::parse(&name, text.trim_start_matches('\u{feff}'))
        .map_err(|error| Error::new(error.to_string()))?;
    let not_finite = |k: usize| table.columns.iter().find(|column| !column.values[k].is_finite());
    match (0..table.n_rows()).find_map(|k| Some((k, not_finite(k)?))) {
        None => Ok(table),
        Some((row, column)) => {
            let message = format!("row {}: {} is {}, no number", row + 1, column.name, column.values[row]);
            Err(Error::new(message).in_file(&name))
        }
    }
}

/// A file of the folder: none that a path leads to from it by `..`, by a root or by a link.
fn inside(folder: &Path, name: &str, key: &str) -> Result<PathBuf, Error> {
    let refuse = |message: String| Err(Error::invalid(key, message).value(format!("{name:?}")));
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) || name.is_empty() {
        return refuse("must be a file in the folder of the case".into());
    }
    let path = folder.join(name);
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(real), Ok(root)) if real.starts_with(&root) => Ok(path),
        (Ok(_), Ok(_)) => refuse("leads out of the folder of the case".into()),
        (Err(error), _) | (_, Err(error)) => refuse(error.to_string()),
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
            self.compared.iter().map(|compared| compared.score(series, &self.file.source)).collect();
        if let Some(first) = scores.first_mut() {
            first.headline = true;
        }
        Outcome { scores, ..Outcome::default() }
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        self.compared.iter().filter_map(|compared| compared.reference(&self.name)).collect()
    }

    fn pictures(&self) -> Vec<f64> {
        let end = self.scenes[0].1.run.end_time;
        [0.25, 0.5, 0.75, 1.0].map(|part| part * end).to_vec()
    }
}
