//! Files that scenes name.
use super::{Command, Fluid, Scene};
use crate::{error::Error, keys::join};
use std::path::Path;

/// The folder from which a scene of this name has its files.
pub(super) fn folder(name: &str) -> &Path {
    Path::new(name).parent().unwrap_or(Path::new(""))
}

/// Reads the files that a scene names, once its numbers are in their ranges; errors name keys, not places.
pub(super) fn load(scene: &mut Scene, folder: &Path) -> Result<(), Error> {
    scene.validate("")?;
    for (i, body) in scene.fluid.iter_mut().enumerate() {
        fluid(body, folder, &format!("fluid[{i}]"))?;
    }
    for (i, wall) in scene.wall.iter_mut().enumerate() {
        wall.shape.load(folder, &format!("wall[{i}].shape"))?;
        wall.motion.load(folder, scene.run.end_time, &format!("wall[{i}].motion"))?;
    }
    for (i, body) in scene.body.iter_mut().enumerate() {
        body.shape.load(folder, &format!("body[{i}].shape"))?;
    }
    for (i, container) in scene.container.iter_mut().enumerate() {
        container.shape.load(folder, &format!("container[{i}].shape"))?;
    }
    load_commands(&mut scene.command, folder, scene.run.end_time)
}

/// The same of commands, in a run until a time `[s]`.
pub(super) fn load_commands(commands: &mut [Command], folder: &Path, until: f64) -> Result<(), Error> {
    for command in commands {
        let key = command.key();
        if let Some(body) = &mut command.add {
            fluid(body, folder, &join(&key, "add"))?;
        }
        if let Some(drain) = &mut command.drain {
            drain.shape.load(folder, &join(&key, "drain.shape"))?;
        }
        if let Some(step) = &mut command.move_wall {
            step.motion.load(folder, until, &join(&key, "move_wall.motion"))?;
        }
    }
    Ok(())
}

fn fluid(body: &mut Fluid, folder: &Path, key: &str) -> Result<(), Error> {
    body.shape.load(folder, &join(key, "shape"))?;
    let mut cuts = body.cut.iter_mut().enumerate();
    cuts.try_for_each(|(i, cut)| cut.load(folder, &format!("{key}.cut[{i}]")))
}
