//! Scores of the penetration monitor.

use crate::result::{Band, Score};
use sph_core::watch::penetration::{Escape, PenetrationMonitor};

/// Particles that have passed a wall.
pub const ESCAPED: &str = "escaped particles";
/// The deepest penetration of a wall.
pub const DEEPEST: &str = "deepest penetration";

/// Both numbers of a run from step `first` on: a monitor starts anew with a restart.
pub fn scores<const D: usize>(monitor: &PenetrationMonitor<D>, first: u64) -> [Score; 2] {
    let escaped = Score::new(ESCAPED, "-", monitor.escaped().len() as f64);
    let escaped = match monitor.escaped().first() {
        None => escaped,
        Some(first) => escaped.with_note(&format!("the first by number is particle {first}")),
    };
    let deepest = match monitor.deepest() {
        None => Score::new(DEEPEST, "dx", 0.0).with_note("no particle was behind a wall"),
        Some(p) => {
            let note = format!("particle {} in {} at t = {:.4} s", p.particle, p.wall, p.t);
            Score::new(DEEPEST, "dx", p.depth).with_note(&note)
        }
    };
    match first {
        0 => [escaped, deepest],
        _ => [escaped, deepest].map(|score| score.with_note(&format!("since the restart at step {first}"))),
    }
}

/// A warning of particles that have passed walls.
pub fn warning<const D: usize>(monitor: &PenetrationMonitor<D>) -> Option<String> {
    let Escape { t, particle, wall } = monitor.first_escape()?;
    let wall = wall.as_ref().map_or("the end of the domain".to_owned(), |wall| format!("`{wall}`"));
    let n = monitor.escaped().len();
    Some(format!("{n} particles have passed walls; the first was {particle}, through {wall} at t = {t:.6} s"))
}

/// Whether a score is one of these.
pub fn is_penetration(score: &Score) -> bool {
    [ESCAPED, DEEPEST].contains(&score.name.as_str())
}

/// Demands that no particle has escaped, and none came deeper than `deepest` spacings.
pub fn judge(scores: &mut [Score], deepest: f64) {
    for score in scores.iter_mut().filter(|score| is_penetration(score)) {
        let most = if score.name == ESCAPED { 0.0 } else { deepest };
        *score = std::mem::take(score).within(Band::at_most(most));
    }
}
