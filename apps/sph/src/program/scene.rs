//! A scene of the command line, with other values at some of its keys.

use bench_suite::{
    run,
    scenes::{
        self,
        set::{Settings, Sweep},
    },
    system::processor::Processor,
};
use sph_core::scene::Scene;
use std::{error::Error, path::PathBuf};

/// The scene that a command takes.
#[derive(Debug, clap::Args)]
pub struct SceneArgs {
    /// The scene, a TOML file.
    #[arg(value_name = "SCENE")]
    pub file: PathBuf,
    #[command(flatten)]
    set: SetArgs,
}

/// What is set in it.
#[derive(Debug, clap::Args)]
pub struct SetArgs {
    /// Gives a key of the scene another value, as `solver.support_ratio=2.5` or `fluid[0].jitter=0.1`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Sweep>,
}

impl SceneArgs {
    /// The scene.
    ///
    /// # Errors
    /// What is wrong with it, or with what is set.
    pub fn read(&self, processor: &Processor) -> Result<Scene, Box<dyn Error + Send + Sync>> {
        self.set.applied(scenes::read(&self.file)?, processor)
    }
}

impl SetArgs {
    /// Keys and values, as TOML has them.
    ///
    /// # Errors
    /// When a key has several values or comes twice.
    pub fn texts(&self) -> Result<Vec<String>, String> {
        Ok(Settings::one(&self.set)?.values().map(|(key, value)| format!("{key}={value}")).collect())
    }

    /// A scene with what is set.
    ///
    /// # Errors
    /// What is wrong with it then.
    pub fn applied(
        &self,
        scene: Scene,
        processor: &Processor,
    ) -> Result<Scene, Box<dyn Error + Send + Sync>> {
        let settings = Settings::one(&self.set)?;
        let scene = settings.applied(scene)?;
        if !self.set.is_empty() {
            run::check_memory(&scene, processor).map_err(|error| settings.blamed(error))?;
        }
        Ok(scene)
    }
}
