//! Intervals written as in mathematics, read while compiling.

/// An interval of finite numbers, as `(0, 1]` or `[1, inf)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    text: &'static str,
    low: f64,
    high: f64,
    low_open: bool,
    high_open: bool,
}

impl Range {
    /// Reads `(a, b)`, `[a, b]` and their mixtures, with decimal numbers, `inf` and `-inf`.
    ///
    /// # Panics
    ///
    /// If the text is no interval; in a constant this is an error of compilation.
    #[allow(clippy::panic)] // Meant for constants, where a panic is a message of the compiler.
    pub const fn parse(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let n = bytes.len();
        assert!(n >= 5, "a range is written as (0, 1]");
        let low_open = match bytes[0] {
            b'(' => true,
            b'[' => false,
            _ => panic!("a range begins with ( or ["),
        };
        let high_open = match bytes[n - 1] {
            b')' => true,
            b']' => false,
            _ => panic!("a range ends in ) or ]"),
        };
        let (low, at) = number(bytes, 1);
        assert!(at + 1 < n && bytes[at] == b',' && bytes[at + 1] == b' ', "bounds are separated by `, `");
        let (high, at) = number(bytes, at + 2);
        assert!(at == n - 1 && low < high, "a range has two ascending bounds");
        Self { text, low, high, low_open, high_open }
    }

    /// As it was written.
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// Lower bound and whether it is itself refused; infinite if there is none.
    pub const fn low(&self) -> (f64, bool) {
        (self.low, self.low_open)
    }

    /// Upper bound and whether it is itself refused; infinite if there is none.
    pub const fn high(&self) -> (f64, bool) {
        (self.high, self.high_open)
    }

    /// Whether the value is finite and inside.
    pub fn contains(&self, value: f64) -> bool {
        self.contains_between(value, self.low, self.high)
    }

    /// As [`Range::contains`], with bounds rounded to `f32`, so that 0.1 lies in `[0, 0.1]` there too.
    pub fn contains_f32(&self, value: f32) -> bool {
        self.contains_between(f64::from(value), f64::from(self.low as f32), f64::from(self.high as f32))
    }

    fn contains_between(&self, value: f64, low: f64, high: f64) -> bool {
        let above = if self.low_open { value > low } else { value >= low };
        let below = if self.high_open { value < high } else { value <= high };
        value.is_finite() && above && below
    }
}

/// The decimal number at `at`, and the place behind it. Exact up to 15 digits.
const fn number(bytes: &[u8], mut at: usize) -> (f64, usize) {
    let negative = bytes[at] == b'-';
    if negative {
        at += 1;
    }
    let sign = if negative { -1.0 } else { 1.0 };
    if bytes[at] == b'i' {
        assert!(bytes[at + 1] == b'n' && bytes[at + 2] == b'f', "a bound is a number or inf");
        return (sign * f64::INFINITY, at + 3);
    }
    assert!(bytes[at].is_ascii_digit(), "a bound is a number or inf");
    let (mantissa, mut at, mut exponent) = digits(bytes, at);
    if bytes[at] == b'e' {
        let down = bytes[at + 1] == b'-';
        let (value, end, _) = digits(bytes, if down { at + 2 } else { at + 1 });
        exponent += if down { -(value as i32) } else { value as i32 };
        at = end;
    }
    assert!(exponent >= -22 && exponent <= 22, "a bound has a small exponent");
    let (mut power, mut k) = (1.0, 0);
    while k < exponent.abs() {
        power *= 10.0;
        k += 1;
    }
    (sign * if exponent < 0 { mantissa / power } else { mantissa * power }, at)
}

/// Digits with at most one point: their value without the point, the place behind, minus the decimals.
const fn digits(bytes: &[u8], mut at: usize) -> (f64, usize, i32) {
    let (mut mantissa, mut exponent, mut decimals) = (0.0, 0, false);
    while bytes[at].is_ascii_digit() || bytes[at] == b'.' {
        if bytes[at] == b'.' {
            assert!(!decimals, "a number has one point");
            decimals = true;
        } else {
            mantissa = mantissa * 10.0 + (bytes[at] - b'0') as f64;
            exponent -= decimals as i32;
        }
        at += 1;
    }
    (mantissa, at, exponent)
}
