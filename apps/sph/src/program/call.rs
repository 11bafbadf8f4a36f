//! How the program was called, as a line that a shell understands.

use std::env;

/// The arguments of this call.
pub fn arguments() -> String {
    quoted(env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()))
}

/// The call that goes on where this one was interrupted: with all its options, and the backend of its environment.
pub fn resuming() -> String {
    let variables = ["SPH_BACKEND", "SPH_ISA"].map(|name| (name, env::var(name)));
    let variables =
        variables.into_iter().filter_map(|(name, value)| Some(format!("{name}={} ", quote(&value.ok()?))));
    let words = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words =
        words.filter(|word| word != "--fresh" && word != "--resume" && !word.starts_with("--resume="));
    format!("{}sph {} --resume", variables.collect::<String>(), quoted(words))
}

fn quoted(words: impl Iterator<Item = String>) -> String {
    words.map(|word| quote(&word)).collect::<Vec<_>>().join(" ")
}

/// A word as it stands, or between quotes where a shell would change it.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
