//! Summary printed before the first step.

use bench_suite::result::start::{Quantity, Start};
use sph_core::{method::solids::Flow, scene::Scene};
use std::fmt::{self, Display, Formatter, Write};

/// What the scene has become.
pub fn announcement(scene: &Scene, start: &Start) -> String {
    let mut text = format!(
        "{}\n  {} fluid particles of {} kg, {} wall samples, spacing {} m\n  {} kg of fluid, {} m³{}",
        scene.title,
        start.n_fluid,
        Short(start.particle_mass),
        start.n_walls,
        scene.spacing,
        Short(start.mass),
        Short(start.volume),
        if scene.dim == 2 { " in a slab 1 m deep" } else { "" },
    );
    memory(&mut text, start);
    match start.flow {
        Some(Flow::Closed) => text.push_str("\n  flow: closed, without a free surface"),
        Some(Flow::FreeSurface) => text.push_str("\n  flow: with a free surface"),
        None => {}
    }
    for number in &start.constants {
        line(&mut text, &number.name, number, "");
    }
    for limit in &start.step_limits {
        let binds = if start.binding.as_ref() == Some(&limit.name) { " (binds)" } else { "" };
        line(&mut text, &format!("step limit by {}", limit.name), limit, binds);
    }
    if let Some(dt) = start.fixed_dt {
        let _ = write!(text, "\n  the scene fixes the step: {} s", Short(dt)); // a String takes all
    }
    if let Some(steps) = start.expected_steps {
        let _ =
            write!(text, "\n  about {steps} steps to t = {} s, more where speeds grow", scene.run.end_time);
    }
    text
}

fn memory(text: &mut String, start: &Start) {
    let mib = |bytes: f64| bytes / f64::from(1 << 20);
    let parts: Vec<_> =
        start.memory_parts.iter().map(|part| format!("{} {:.1}", part.name, mib(part.value))).collect();
    let _ = write!(text, "\n  memory: about {:.1} MiB ({})", mib(start.memory), parts.join(", "));
}

fn line(text: &mut String, name: &str, number: &Quantity, remark: &str) {
    let unit = if number.unit == "-" { String::new() } else { format!(" {}", number.unit) };
    let _ = write!(text, "\n  {name}: {}{unit}{remark}", Short(number.value));
}

/// A number as short as it can be read.
pub(super) struct Short(pub(super) f64);

impl Display for Short {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            x if x.is_infinite() => f.write_str("∞"),
            x if x == 0.0 || (1e-3..1e5).contains(&x.abs()) => write!(f, "{x:.4}"),
            x => write!(f, "{x:.3e}"),
        }
    }
}
