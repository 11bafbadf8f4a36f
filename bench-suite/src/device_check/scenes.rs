//! The scenes of a check: small dam breaks by each method.

use crate::write::{WriteError, write_atomic};
use std::path::{Path, PathBuf};

/// A dam break.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// What lines call it.
    pub name: &'static str,
    /// True when it is small enough for tools that slow a card down a hundred times.
    pub is_small: bool,
    dim: u8,
    /// Particles across the column's width.
    across: u32,
    solver: &'static str,
    /// Lines of its table beside the name.
    settings: &'static str,
}

const fn sample(name: &'static str, dim: u8, solver: &'static str, settings: &'static str) -> Sample {
    Sample { name, dim, solver, settings, across: if dim == 2 { 60 } else { 24 }, is_small: true }
}

/// Springs that flow, and what else acts beside the relaxation.
const SPRINGS: &str = "spring_stiffness = 1000.0\nviscosity_linear = 5.0\nstick_stiffness = 100.0";

/// What the projection has beside the pressure.
const VISCOUS: &str =
    "dynamic_viscosity = 1.0\nparticle_shifting = 0.5\ngrad_difference = 0.25\ngrad_sum = 0.75";

/// All of them.
pub const ALL: &[Sample] = &[
    sample("wcsph validation 2D", 2, "wcsph", "preset = \"validation\""),
    sample("wcsph validation 3D", 3, "wcsph", "preset = \"validation\""),
    sample("wcsph graphics 2D", 2, "wcsph", "preset = \"graphics\""),
    sample("wcsph graphics 3D", 3, "wcsph", "preset = \"graphics\""),
    sample("pbf standard 2D", 2, "pbf", "preset = \"standard\""),
    sample("pbf standard 3D", 3, "pbf", "preset = \"standard\""),
    sample("viscoelastic 2D", 2, "viscoelastic", ""),
    sample("viscoelastic 3D", 3, "viscoelastic", ""),
    sample("viscoelastic springs 2D", 2, "viscoelastic", SPRINGS),
    sample("viscoelastic springs 3D", 3, "viscoelastic", SPRINGS),
    sample("viscoelastic jacobi 2D", 2, "viscoelastic", "relax_mode = \"jacobi\""),
    sample("viscoelastic jacobi 3D", 3, "viscoelastic", "relax_mode = \"jacobi\""),
    sample("projection 2D", 2, "projection", ""),
    sample("projection 3D", 3, "projection", ""),
    sample("projection viscous 2D", 2, "projection", VISCOUS),
    sample("projection viscous 3D", 3, "projection", VISCOUS),
];

/// Particles across in a rehearsal, and under a tool.
const FEW: u32 = 6;

impl Sample {
    /// The same with few particles.
    pub fn tiny(&self) -> Self {
        Self { across: FEW, ..*self }
    }

    /// The scene file: a column of 0.5 m × 0.6 m (× 0.5 m) in a tank of 1.2 m × 1 m, for 60 steps; few in a rehearsal.
    pub fn text(&self, dry_run: bool) -> String {
        let z = |x: &str| if self.dim == 3 { format!(", {x}") } else { String::new() };
        let (across, steps) = if dry_run { (self.across.min(FEW), 3) } else { (self.across, 60) };
        let offset = if self.settings.contains("graphics") { 0.7 } else { 0.5 };
        format!(
            "title = \"{}\"\ndim = {}\nspacing = {:?}\nrun.end_time = 10.0\nrun.max_steps = {steps}\n\
             [[fluid]]\nshape.block = {{ min = [0.0, 0.0{}], max = [0.5, 0.6{}] }}\njitter = 0.1\n\
             [[wall]]\nshape.block = {{ min = [0.0, 0.0{}], max = [1.2, 1.0{}] }}\nlayers = 3\noffset = {offset:?}\n\
             [solver]\nname = \"{}\"\n{}\n",
            self.name,
            self.dim,
            0.5 / f64::from(across),
            z("0.0"),
            z("0.5"),
            z("0.0"),
            z("0.5"),
            self.solver,
            self.settings
        )
    }

    /// Writes the file into a folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path, dry_run: bool) -> Result<PathBuf, WriteError> {
        let file = folder.join(format!("{}.toml", self.name.replace(' ', "-")));
        write_atomic(&file, self.text(dry_run).as_bytes())?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sph_core::scene::Scene;

    #[test]
    fn all_scenes_are_scenes() {
        for sample in ALL.iter().flat_map(|sample| [*sample, sample.tiny()]) {
            let text = sample.text(false);
            let scene = Scene::parse("check.toml", &text).unwrap();
            assert!(scene.estimate().unwrap().fluid >= 36.0);
        }
    }
}
