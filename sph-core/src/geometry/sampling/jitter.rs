//! Reproducible disorder.

/// One round of the mixing function splitmix64 (Steele, Lea & Flood 2014): a bijection of 64-bit numbers
/// whose outputs for 0, 1, 2, … pass as random. Integer arithmetic only, so the same on every machine.
pub const fn splitmix64(counter: u64) -> u64 {
    let z = counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Random displacements, a function of seed, particle and axis alone and not of the order of asking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Largest displacement along each axis `[m]`.
    pub amplitude: f64,
    /// Another seed gives another sample.
    pub seed: u64,
}

impl Jitter {
    /// Uniform in `[-1, 1)`, in steps of `2^-52`.
    pub fn uniform(&self, particle: u64, axis: usize) -> f64 {
        let key = splitmix64(splitmix64(self.seed) ^ particle);
        let bits = splitmix64(key.wrapping_add(axis as u64)) >> 11;
        bits as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Displaces every point; the place in the list is the particle's number.
    pub fn apply<const D: usize>(&self, points: &mut [[f64; D]]) {
        if self.amplitude == 0.0 {
            return;
        }
        for (particle, x) in points.iter_mut().enumerate() {
            for (axis, x) in x.iter_mut().enumerate() {
                *x += self.amplitude * self.uniform(particle as u64, axis);
            }
        }
    }
}
