//! Variants of the kernels: how they are compiled, and how loops walk over neighbors. The default is what every run
//! uses; the others are for a comparison on a GPU (`sph device-check`), and none becomes the default before it.

use std::{fmt, str::FromStr};

/// How a loop over neighbors finds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Walk {
    /// Each candidate of the cells around is tested, and a neighbor is processed where it is found.
    #[default]
    Direct,
    /// The neighbors of some cells are collected first, and then processed one after the other.
    Dense,
    /// Rows of neighbors within the support and a skin, kept for as many steps as the skin allows.
    Kept,
    /// As `Direct`, with cells of half a support, which are fewer candidates in more runs.
    HalfCells,
}

/// A variant, as `SPH_CUDA_VARIANT` names it: words with commas between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// `strict`: no product and sum is fused (`-fmad=false`), so that results have the bits of the emulator.
    pub strict: bool,
    /// `approximate`: division and root are not rounded correctly (`-prec-div=false -prec-sqrt=false`).
    pub approximate: bool,
    /// `dense`, `kept`, `half-cells`: the walk.
    pub walk: Walk,
}

/// A word that names no variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no variant of kernels: use strict, approximate, and one of direct, dense, kept, half-cells"
)]
pub struct UnknownVariant(String);

impl Variant {
    /// What the compiler is told beside what it is always told.
    pub fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        if self.strict {
            options.push("-fmad=false".into());
        }
        if self.approximate {
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
                "half-cells" => variant.walk = Walk::HalfCells,
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
            Walk::HalfCells => "half-cells",
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
        for text in ["direct", "strict,direct", "approximate,dense", "strict,approximate,kept", "half-cells"]
        {
            assert_eq!(text.parse::<Variant>().map(|v| v.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("".parse(), Ok(Variant::default()));
        assert_eq!("fast".parse::<Variant>(), Err(UnknownVariant("fast".into())));
    }
}
