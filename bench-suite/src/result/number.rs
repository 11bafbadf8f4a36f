//! Numbers for people: three to four digits, a unit they can say, no `e-05`.

/// A value to `digits` significant digits; very large and very small ones as `2.5·10⁻⁵`.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "not a number" } else { "infinite" }.into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let digits = digits.max(1);
    let text = format!("{:.*e}", digits - 1, value);
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..=5).contains(&exponent) {
        return format!("{}·{}", trim_zeros(mantissa).replace('-', "−"), power_of_ten(exponent));
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    trim_zeros(&format!("{value:.decimals$}")).replace('-', "−")
}

/// A fraction in percent, `0.031` as `3.1 %`.
#[must_use]
pub fn percent(fraction: f64) -> String {
    if !fraction.is_finite() {
        return significant(fraction, 2);
    }
    let digits = if fraction.abs() < 0.1 { 2 } else { 3 };
    format!("{}\u{a0}%", significant(100.0 * fraction, digits))
}

/// A value with its unit; pure numbers stand alone.
#[must_use]
pub fn with_unit(value: f64, unit: &str, digits: usize) -> String {
    let number = significant(value, digits);
    if unit.is_empty() || unit == "-" { number } else { format!("{number}\u{a0}{unit}") }
}

/// A duration, `0.0021` as `2.1 ms`, `4000` as `1 h 6 min`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    let (whole, size) = (seconds.round(), seconds.abs());
    match size {
        _ if !seconds.is_finite() => "unknown".into(),
        0.0 => "0 s".into(),
        _ if size < 1e-3 => with_unit(seconds * 1e6, "µs", 3),
        _ if size < 1.0 => with_unit(seconds * 1e3, "ms", 3),
        _ if size < 600.0 => with_unit(seconds, "s", 3),
        _ if size < 3600.0 => format!("{} min {} s", (whole / 60.0).floor(), whole % 60.0),
        _ => format!("{} h {} min", (whole / 3600.0).floor(), (whole % 3600.0 / 60.0).floor()),
    }
}

/// A size in memory, in powers of 1024.
#[must_use]
pub fn bytes(count: f64) -> String {
    let (mut value, mut unit) = (count, "B");
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if value.abs() < 1000.0 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    with_unit(value, unit, 3)
}

/// A whole number in groups of three: `1 234 567`, with spaces that do not break.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A rate in thousands, millions or billions: `2.4 M/s`.
#[must_use]
pub fn rate(per_second: f64) -> String {
    let (value, unit) = match per_second {
        x if x >= 1e9 => (x / 1e9, "G/s"),
        x if x >= 1e6 => (x / 1e6, "M/s"),
        x if x >= 1e3 => (x / 1e3, "k/s"),
        x => (x, "/s"),
    };
    with_unit(value, unit, 3)
}

/// `10⁻⁵`.
#[must_use]
pub fn power_of_ten(exponent: i32) -> String {
    let raised = |digit: char| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        other => char::from_u32('⁰' as u32 + other.to_digit(10).unwrap_or(0)).unwrap_or(other),
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

/// Drops zeros behind the decimal point.
pub fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}
