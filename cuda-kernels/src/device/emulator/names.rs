//! The functions that a source defines, in order, for the tests that find one without a twin (feature `host`).
//!
//! This is no parser of either language. It knows how the formatted texts here look.

/// Functions of a Rust source down to its tests: `name`, or `Type::name` in an `impl`. Those of traits are left out,
/// as they have no body.
pub fn of_rust(text: &str) -> Vec<String> {
    let (mut names, mut inside) = (Vec::new(), None);
    for line in text.lines().take_while(|line| *line != "#[cfg(test)]") {
        if line.starts_with("impl") {
            inside = type_of_impl(line).map(str::to_owned);
        } else if line.starts_with("pub trait") {
            inside = None;
        }
        let depth = line.len() - line.trim_start().len();
        let Some(name) = function_of_rust(line) else { continue };
        match (depth, &inside) {
            (0, _) => names.push(name.to_owned()),
            (4, Some(inside)) => names.push(format!("{inside}::{name}")),
            _ => {}
        }
        if depth == 0 {
            inside = None;
        }
    }
    names
}

/// `Type` of `impl<..> Trait for Type<..> {` or `impl<..> Type<..> {`.
fn type_of_impl(line: &str) -> Option<&str> {
    let named = match line.split_once(" for ") {
        Some((_, named)) => named,
        None => line.trim_start_matches("impl").split_once("> ").map_or(line.get(5..)?, |(_, named)| named),
    };
    word(named)
}

fn function_of_rust(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("const ").unwrap_or(line);
    word(line.strip_prefix("fn ")?)
}

/// Functions of a CUDA source that are marked with `SPH_FN`: `name`, or `Type::name` in a struct. Operators and
/// declarations without a body are left out.
pub fn of_cuda(text: &str) -> Vec<String> {
    let (mut names, mut inside) = (Vec::new(), None);
    for line in text.lines() {
        match line.strip_prefix("struct ") {
            Some(rest) => inside = word(rest),
            None if line == "};" => inside = None,
            None => {}
        }
        let Some(rest) = line.trim_start().strip_prefix("SPH_FN ") else { continue };
        let Some((before, _)) = rest.split_once('(') else { continue };
        let name = before.rsplit(' ').next().unwrap_or(before);
        if name.starts_with("operator") || line.ends_with(");") {
            continue;
        }
        names.push(inside.map_or(name.to_owned(), |inside| format!("{inside}::{name}")));
    }
    names
}

/// The identifier at the start.
fn word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}
