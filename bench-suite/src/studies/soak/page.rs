//! A soak as files: the series as CSV, all as JSON, and a page of the book.

use super::{self as soak, MOST_ENERGY, MOST_GROWTH, Sample, Soak};
use crate::system::write::write_atomic;
use crate::{report::ReportError, result::number};
use std::path::Path;

/// What is written.
pub const FILES: [&str; 3] = ["soak.csv", "soak.json", "soak.md"];

/// Writes `soak.csv`, `soak.json` and `soak.md` into `folder`.
///
/// # Errors
/// When a file cannot be written.
pub fn write(soak: &Soak, folder: &Path) -> Result<(), ReportError> {
    let path = folder.join("soak.json");
    let text = serde_json::to_string_pretty(soak);
    let text = text.map_err(|source| ReportError::Json { path: path.clone(), source })?;
    write_atomic(&path, text.as_bytes())?;
    write_series(&soak.samples, folder)?;
    Ok(write_atomic(&folder.join("soak.md"), page(soak).as_bytes())?)
}

/// Writes the series alone, as far as it has come.
///
/// # Errors
/// When the file cannot be written.
pub fn write_series(samples: &[Sample], folder: &Path) -> Result<(), ReportError> {
    let mut out = "step,t_s,kinetic_energy_over_rho_g_h_v,max_speed_m_s,density_error,memory_bytes,handles,steps_per_s\n"
        .to_owned();
    for s in samples {
        out += &format!(
            "{},{},{},{},{},{},{},{}\n",
            s.step,
            s.t,
            s.energy,
            s.max_speed,
            s.density_error,
            told(s.memory),
            told(s.handles),
            s.steps_per_s
        );
    }
    Ok(write_atomic(&folder.join("soak.csv"), out.as_bytes())?)
}

fn told(value: Option<u64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The page of the book.
#[must_use]
pub fn page(soak: &Soak) -> String {
    let verdict = match &soak.failure {
        None => "It held.".to_owned(),
        Some(reason) => format!("**It did not hold: {reason}.**"),
    };
    let mut out = format!(
        "# Long rest\n\n\
         A column of water rests in a tank: {} particles and {} wall samples for {} steps. The kinetic energy must \
         stay below {MOST_ENERGY:e} ρgHV, memory must grow by less than {} MiB after a warm-up of a tenth of the \
         steps, the number of open files must not change, and no particle may leave the tank. {verdict}\n\n\
         Commit {}, {}, {}, {} threads, {} precision; written by `sph soak --steps {}` on {}.\n\n",
        number::count(soak.particles as u64),
        number::count(soak.walls as u64),
        number::count(soak.samples.last().map_or(0, |last| last.step)),
        MOST_GROWTH >> 20,
        soak.commit,
        soak.machine.cpu,
        soak.backend,
        soak.threads,
        soak.precision,
        soak.steps,
        soak.created,
    );
    out += &figures(soak);
    out +=
        "\n| steps | time | kinetic energy / ρgHV | largest speed | density error | memory | open files |\n";
    out += "|---:|---:|---:|---:|---:|---:|---:|\n";
    const LINES: usize = 20;
    let every = soak.samples.len().div_ceil(LINES).max(1);
    soak.samples.iter().skip(every - 1).step_by(every).for_each(|sample| out += &row(sample));
    out
}

/// The numbers that are judged, and the rest that a reader asks for.
fn figures(soak: &Soak) -> String {
    let judged = || soak.samples.iter().filter(|sample| sample.step >= soak.warm_up);
    let most = |of: &dyn Fn(&Sample) -> f64| judged().map(of).fold(0.0, f64::max);
    let kib = |bytes: u64| format!("{} KiB", number::count(bytes >> 10));
    let grown = soak::growth(&soak.samples, soak.warm_up);
    let rows = [
        ("largest kinetic energy / ρgHV", format!("{:.2e}", most(&|s| s.energy))),
        ("largest speed", format!("{:.2e} m/s", most(&|s| s.max_speed))),
        ("largest mean density error", format!("{:.2e}", most(&|s| s.density_error))),
        ("growth of memory", grown.map_or("not told by this system".into(), kib)),
        ("escaped particles", soak.escaped.to_string()),
        ("deepest penetration", format!("{:.4} dx", soak.deepest)),
        ("wall time", number::duration(soak.wall_s)),
        ("steps a second", format!("{:.1}", soak.steps as f64 / soak.wall_s)),
    ];
    let lines = rows.map(|(name, value)| format!("| {name} | {value} |\n"));
    format!("| after the warm-up | |\n|---|---:|\n{}", lines.concat())
}

fn row(s: &Sample) -> String {
    let memory =
        s.memory.map_or("–".into(), |bytes| format!("{:.2} MiB", bytes as f64 / f64::from(1 << 20)));
    format!(
        "| {} | {:.2} s | {:.2e} | {:.2e} m/s | {:.2e} | {memory} | {} |\n",
        number::count(s.step),
        s.t,
        s.energy,
        s.max_speed,
        s.density_error,
        told(s.handles)
    )
}
