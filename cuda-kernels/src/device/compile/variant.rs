//! Variants of the kernels: how they are compiled, and how loops walk over neighbors. The default is what every run on a
//! GPU uses, the fastest of those that keep all promises; the others are for a comparison there (`sph device-check`).

use crate::device::compile::source;
use sph_core::Real;
use std::{fmt, str::FromStr};

/// How a loop over neighbors finds them. Twin of `Walk` in neighbors.cuh.
///
/// A warp executes the body of a loop for each candidate that is a neighbor of one of its 32 threads. So often it tests
/// candidates and executes bodies, for each loop over the fluid in space, with particles off their lattice by up to a
/// quarter of the spacing and a support of 2 (3) spacings, that is 31 (110) neighbors a particle:
///
/// | walk | tests | bodies |
/// |---|---|---|
/// | `Direct` | 216 (729) | 107 (377) |
/// | `Dense` | 216 (729) | 35 (219) |
/// | `Kept` | 56 (180) | 54 (176) |
///
/// `Kept` saves sort and search in most steps, too: rows take `4 · 4π/3 (1.15 η)³` bytes a particle, with `η` the
/// support in spacings, and serve until something may have moved by 0.075 supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Walk {
    /// Each candidate of the cells around is tested, and a neighbor is processed where it is found. The emulator, which
    /// has no warps to fill, does it so.
    Direct,
    /// Some neighbors are collected first, and then processed one after the other. The bits are those of `Direct`.
    #[default]
    Dense,
    /// Rows of neighbors within the support and a skin, kept for as many steps as the skin allows. Particles keep their
    /// order for as long, so the bits depend on where a run was interrupted: for measurements alone.
    Kept,
}

impl Walk {
    /// Thickness of the skin of `Kept` in supports, `[-]`. Twice as much doubles the steps between two searches, and
    /// makes rows longer by 40 %.
    pub const SKIN: Real = 0.15;

    /// Edge of its cells in supports, `[-]`.
    pub fn edge(self) -> Real {
        match self {
            Self::Direct | Self::Dense => 1.0,
            Self::Kept => 1.0 + Self::SKIN,
        }
    }

    /// The value of the macro `SPH_WALK` for a source, if its line `// WALKS` lists this walk. All others walk as
    /// `Direct`.
    pub fn macro_of(self, file: &str) -> Option<&'static str> {
        if self == Self::Direct {
            return None;
        }
        let name = format!("{self:?}");
        source::walks(file).into_iter().find(|walk| *walk == name)
    }
}

/// A variant, as `SPH_CUDA_VARIANT` names it: words with commas between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// `strict`: no product and sum is fused (`-fmad=false`), so that results have the bits of the emulator.
    pub strict: bool,
    /// `approximate`: division and root are not rounded correctly (`-prec-div=false -prec-sqrt=false`) in the loops that have walks.
    pub approximate: bool,
    /// `direct`, `dense`, `kept`: the walk.
    pub walk: Walk,
}

/// A word that names no variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no variant of kernels: use strict, approximate, and one of direct, dense, kept")]
pub struct UnknownVariant(String);

impl Variant {
    /// True where the variant is for a comparison of times: with another walk, or approximate.
    pub fn is_for_comparison(&self) -> bool {
        self.approximate || self.walk != Walk::default()
    }

    /// What the compiler is told of a source beside what it is always told.
    pub fn options(&self, file: &str) -> Vec<String> {
        let walk = self.walk.macro_of(file);
        let mut options: Vec<_> = walk.iter().map(|walk| format!("-DSPH_WALK={walk}")).collect();
        if self.strict {
            options.push("-fmad=false".into());
        }
        // The comparison is about the loops that have walks; all else is compiled once.
        if self.approximate && !source::walks(file).is_empty() {
            options.extend(["-prec-div=false".into(), "-prec-sqrt=false".into()]);
        }
        options
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Self, UnknownVariant> {
        let mut variant = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "strict" => variant.strict = true,
                "approximate" => variant.approximate = true,
                "direct" => variant.walk = Walk::Direct,
                "dense" => variant.walk = Walk::Dense,
                "kept" => variant.walk = Walk::Kept,
                _ => return Err(UnknownVariant(word.to_owned())),
            }
        }
        Ok(variant)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let walk = match self.walk {
            Walk::Direct => "direct",
            Walk::Dense => "dense",
            Walk::Kept => "kept",
        };
        let words = [(self.strict, "strict,"), (self.approximate, "approximate,")];
        words.iter().filter(|(is, _)| *is).try_for_each(|(_, word)| f.write_str(word))?;
        f.write_str(walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_read_as_they_are_written() {
        for text in ["direct", "strict,direct", "approximate,dense", "strict,approximate,kept"] {
            assert_eq!(text.parse::<Variant>().map(|v| v.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("".parse(), Ok(Variant::default()));
        assert_eq!("fast".parse::<Variant>(), Err(UnknownVariant("fast".into())));
    }

    #[test]
    fn only_texts_that_list_a_walk_are_compiled_with_it() {
        let of = |variant: &str, file| variant.parse::<Variant>().unwrap().options(file);
        assert_eq!(of("kept", "wcsph/phases.cu"), ["-DSPH_WALK=Kept"]);
        assert_eq!(of("", "wcsph/phases.cu"), ["-DSPH_WALK=Dense"]);
        assert_eq!(of("strict,dense", "wcsph/motion.cu"), ["-DSPH_WALK=Dense", "-fmad=false"]);
        assert!(of("kept", "common/search/neighbors.cu").is_empty());
        assert!(source::SOURCES.iter().all(|(file, _)| of("direct", file).is_empty()));
    }
}
