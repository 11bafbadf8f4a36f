//! Choice of the instruction set.

use std::fmt;
use std::str::FromStr;

/// An instruction set that this machine has: a value of this type is the proof, so it can only be found, not made.
///
/// Which one is chosen changes the speed alone, never a bit of a result.
///
/// ```
/// use sph_core::numerics::lane::Isa;
/// assert!(Isa::available().contains(&Isa::best()));
/// assert_eq!(Isa::BASELINE.name().parse(), Ok(Isa::BASELINE));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Isa(Level);

/// What [`phase!`](crate::phase) matches on.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    #[cfg(not(target_arch = "x86_64"))]
    Portable,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512 for the neighbor search, AVX2 for all else.
    #[cfg(target_arch = "x86_64")]
    Mixed,
}

impl Isa {
    /// What every machine with this processor architecture has: SSE2 on x86-64; elsewhere the SIMD of WebAssembly or plain
    /// arrays, the only set there is.
    #[cfg(target_arch = "x86_64")]
    pub const BASELINE: Self = Self(Level::Sse2);
    /// What every machine with this processor architecture has: SSE2 on x86-64; elsewhere the SIMD of WebAssembly or plain
    /// arrays, the only set there is.
    #[cfg(not(target_arch = "x86_64"))]
    pub const BASELINE: Self = Self(Level::Portable);

    /// All that this machine has, the slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "there may be one set only")]
        let mut all = vec![Self::BASELINE];
        #[cfg(target_arch = "x86_64")]
        {
            // The features are those of the functions that `phase!` writes.
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt");
            if avx2 {
                all.push(Self(Level::Avx2));
            }
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            if avx2 && avx512 {
                // Sums over transposed records are faster with AVX2 on Intel (22 against 29 ns a particle and
                // density pass of a prototype on a Xeon, 19 against 16 on a Zen 5), while packing rows is
                // faster with AVX-512 (35 against 55 ns).
                let (mixed, pure) = (Self(Level::Mixed), Self(Level::Avx512));
                all.extend(if is_intel() { [pure, mixed] } else { [mixed, pure] });
            }
        }
        all
    }

    /// The fastest that this machine has.
    #[must_use]
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::BASELINE)
    }

    /// The set for the neighbor search, which packs rather than sums.
    #[must_use]
    pub const fn for_search(self) -> Self {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Mixed => Self(Level::Avx512),
            level => Self(level),
        }
    }

    /// Name in options and reports: `sse2`, `avx2`, `avx512` or `mixed` (AVX-512 for the search, AVX2 for all
    /// else) on x86-64, `simd128` or `portable` elsewhere.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            #[cfg(not(target_arch = "x86_64"))]
            Level::Portable if cfg!(target_feature = "simd128") => "simd128",
            #[cfg(not(target_arch = "x86_64"))]
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Sse2 => "sse2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Mixed => "mixed",
        }
    }

    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub const fn level(self) -> Level {
        self.0
    }
}

/// True on a processor of Intel.
#[cfg(target_arch = "x86_64")]
fn is_intel() -> bool {
    let id = std::arch::x86_64::__cpuid(0);
    [id.ebx, id.edx, id.ecx].map(u32::to_le_bytes).concat() == b"GenuineIntel"
}

/// The best one.
impl Default for Isa {
    fn default() -> Self {
        Self::best()
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is not that of an instruction set of this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no instruction set {name:?} on this machine: it has {}", available.join(", "))]
pub struct UnknownIsa {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub available: Vec<&'static str>,
}

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(name: &str) -> Result<Self, UnknownIsa> {
        let available = Self::available();
        available.iter().copied().find(|isa| isa.name() == name).ok_or_else(|| UnknownIsa {
            name: name.to_owned(),
            available: available.iter().map(|isa| isa.name()).collect(),
        })
    }
}
