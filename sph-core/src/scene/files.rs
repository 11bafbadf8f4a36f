//! Files that scenes name.
use super::{Command, Scene};
use crate::{error::Error, keys::join};
use std::path::Path;

/// The folder from which a scene of this name has its files.
pub(super) fn folder(name: &str) -> &Path {
    Path::new(name).parent().unwrap_or(Path::new(""))
}

/// Reads the files that a scene names, once its numbers are in their ranges; errors name keys, not places.
pub(super) fn load(scene: &mut Scene, folder: &Path) -> Result<(), Error> {
    scene.validate("")?;
    let dim = usize::from(scene.dim);
    for (i, body) in scene.fluid.iter_mut().enumerate() {
        body.load(folder, dim, &format!("fluid[{i}]"))?;
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
    load_commands(&mut scene.command, folder, dim, scene.run.end_time)
}

/// The same of commands, in a run of `dim` dimensions until a time `[s]`.
pub(super) fn load_commands(
    commands: &mut [Command],
    folder: &Path,
    dim: usize,
    until: f64,
) -> Result<(), Error> {
    for command in commands {
        let key = command.key();
        if let Some(body) = &mut command.add {
            body.load(folder, dim, &join(&key, "add"))?;
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
