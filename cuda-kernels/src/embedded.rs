//! Intermediate code of kernels that was compiled when the program was built, for machines without the compiler.
//!
//! `scripts/check_kernels.py --ptx FOLDER` compiles all texts, and a build with `SPH_PTX_DIR=FOLDER` takes in what is
//! of its width. Code is found by a hash of the text and its options, so that none of another text is ever run.

use crate::error::Version;

// `PTX`: keys of `source::key` and code.
include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Least compute capability of the cards that it is compiled for: `PTX` of check_kernels.py.
const CAPABILITY: Version = Version { major: 8, minor: 0 };

/// True when the program was built with code for such a card.
pub fn serves(capability: Version) -> bool {
    !PTX.is_empty() && capability >= CAPABILITY
}

/// Code for a card, ended by a zero.
pub fn ptx(key: &str, capability: Version) -> Option<Vec<u8>> {
    let (_, code) = PTX.iter().find(|(name, _)| *name == key)?;
    serves(capability).then(|| [code, &b"\0"[..]].concat())
}
