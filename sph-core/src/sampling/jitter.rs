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

#[cfg(test)]
mod tests {
    use super::{Jitter, splitmix64};

    #[test]
    fn splitmix64_gives_the_published_sequence() {
        // The first outputs of the generator seeded with 1234567, whose state grows by the odd constant.
        let state = |n: u64| 1_234_567_u64.wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        assert_eq!(splitmix64(state(0)), 6_457_827_717_110_365_317);
        assert_eq!(splitmix64(state(1)), 3_203_168_211_198_807_973);
    }

    #[test]
    fn uniform_has_the_moments_of_its_distribution() {
        let jitter = Jitter { amplitude: 1.0, seed: 7 };
        let n = 100_000;
        let values: Vec<f64> = (0..n).map(|i| jitter.uniform(i, 1)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let square = values.iter().map(|v| v * v).sum::<f64>() / n as f64;
        // Four standard deviations of both estimates.
        assert!(mean.abs() < 4.0 * (1.0 / 3.0_f64 / n as f64).sqrt(), "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 4.0 * (4.0 / 45.0_f64 / n as f64).sqrt(), "{square}");
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
    }
}
