//! The parameters of a method, as `[solver]` of a scene gives them.

use crate::{
    Real,
    error::{Error, either},
    method::solids::Flow,
    scene::{Scene, SolverSettings},
};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

/// A value of `solver.preset`, and its parameters in so many dimensions.
pub type Preset<P> = (&'static str, fn(u8) -> P);

/// The parameters of a method.
pub trait Parameters: Clone + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// Name of the method in scenes and reports.
    const METHOD: &'static str;
    /// All of them, the default first.
    const PRESETS: &'static [Preset<Self>];
    /// The default of a flow without a free surface.
    const CLOSED: &'static str = Self::PRESETS[0].0;
    /// Those that set-up alone reads, which cannot change in a run.
    const FIXED: &'static [&'static str];

    /// Checks ranges and contradictions; keys in errors begin with `solver`.
    ///
    /// # Errors
    /// The first number out of its range, or the first choice that does not fit another.
    fn check(&self) -> Result<(), Error>;

    /// Support radius over spacing, `[-]`.
    fn support_ratio(&mut self) -> &mut Real;

    /// Those of a scene: its preset, changed by what it gives. Where the scene does not say what its flow is, that with a
    /// free surface.
    ///
    /// # Errors
    /// Unknown keys or presets, wrong types, numbers out of range, choices that do not fit.
    fn of_scene(scene: &Scene) -> Result<Self, Error> {
        Self::of_flow(scene, scene.flow.unwrap_or_default())
    }

    /// The same of a flow that is known.
    ///
    /// # Errors
    /// As there.
    fn of_flow(scene: &Scene, flow: Flow) -> Result<Self, Error> {
        let default = if flow == Flow::Closed { Self::CLOSED } else { Self::PRESETS[0].0 };
        let name = scene.solver.preset().unwrap_or(default);
        let Some((_, preset)) = Self::PRESETS.iter().find(|preset| preset.0 == name) else {
            let error = Error::invalid("solver.preset", format!("is no preset of {}", Self::METHOD));
            let known = Self::PRESETS.iter().map(|preset| format!("{:?}", preset.0)).collect::<Vec<_>>();
            return Err(
                scene.locate(error.value(format!("{name:?}")).hint(format!("use {}", either(&known))))
            );
        };
        let mut parameters = scene.solver.parameters_over(&preset(scene.dim))?;
        if let Some(eta) = scene.support_ratio {
            *Self::support_ratio(&mut parameters) = eta as Real;
        }
        parameters.check().map_err(|error| scene.locate(error))?;
        let support = f64::from(*Self::support_ratio(&mut parameters)) * scene.spacing;
        check_skin(scene, support).map_err(|error| scene.locate(error))?;
        Ok(parameters)
    }

    /// The parameters with one of them changed in a run.
    ///
    /// # Errors
    /// When there is no such parameter, it cannot change in a run, or the value is refused.
    fn changed(&self, name: &str, value: &toml::Value) -> Result<Self, Error> {
        if Self::FIXED.contains(&name) {
            let error = Error::invalid(format!("solver.{name}"), "cannot change in a run");
            return Err(error.hint("give it in the scene"));
        }
        let mut settings = SolverSettings::default();
        settings.set(name, value.clone());
        let parameters = settings.parameters_over(self)?;
        parameters.check()?;
        Ok(parameters)
    }
}

/// A skin wider than the support makes rows more than eight times as long in 3D, and saves no search for it.
fn check_skin(scene: &Scene, support: f64) -> Result<(), Error> {
    let skin = scene.neighbors.skin;
    if skin <= support {
        return Ok(());
    }
    // In single precision, in which the ratio was read: three spacings of 0.1 m are 0.3 m.
    let error = Error::range("neighbors.skin", skin, &format!("[0, {}]", support as f32)).unit("m");
    Err(error.hint("at most the support radius; a tenth of it is common"))
}
