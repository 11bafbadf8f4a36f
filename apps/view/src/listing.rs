//! The step of a method as it stands in its source, and the phases that it calls.

use serde::Serialize;

/// A step to read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listing {
    /// Its source, between the marks by which the book includes it.
    pub text: String,
    /// Its phases, in the order of their declaration.
    pub phases: Vec<Phase>,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// What it does.
    pub about: String,
    /// The lines of the text that call it, from 1.
    pub lines: Vec<usize>,
}

impl Listing {
    /// That of the source file of a step.
    pub fn of(source: &str) -> Self {
        let marks = |line: &&str| line.trim_start().starts_with("// ANCHOR");
        let text: Vec<_> =
            source.lines().skip_while(|line| !marks(line)).skip(1).take_while(|l| !marks(l)).collect();
        let declared = source.lines().take_while(|line| !marks(line));
        let (mut phases, mut about) = (Vec::new(), Vec::new());
        for line in declared.map(str::trim) {
            if let Some(words) = line.strip_prefix("///") {
                about.push(words.trim());
                continue;
            }
            if let Some(name) = phase(line) {
                let calls = format!("p.{name}(");
                let lines =
                    text.iter().zip(1..).filter(|(line, _)| line.contains(&calls)).map(|(_, k)| k).collect();
                phases.push(Phase { name: name.into(), about: about.join(" "), lines });
            }
            about.clear();
        }
        Self { text: text.join("\n"), phases }
    }
}

/// The name of the phase that a line declares: what gives no result.
fn phase(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix("fn ")?.split_once('(')?;
    rest.ends_with(");").then_some(name)
}
