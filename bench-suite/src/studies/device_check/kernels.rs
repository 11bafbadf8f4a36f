//! Times of kernels.

use super::{Line, Plan, Verdict, Work, Written, gpu, steps::METHODS};
use serde_json::Value;
use std::collections::BTreeMap;

/// The section.
pub(super) const PLAN: Plan = Plan {
    name: "Kernels",
    about: "Time of each kernel by events around its launches, in ns a particle and step, and its launches a step, at 1 \
            million particles, then at 100 thousand; then what `ncu` says of the longest kernels of a step at 100 \
            thousand, with the clocks left alone: time [µs], throughput of the memory and of the multiprocessors and \
            occupancy [%], registers, active threads an instruction. A line passes when it was measured.",
    budget_s: 450,
    run,
};

/// Kernels of a line, the longest first.
const MOST: usize = 12;
/// Metrics of ncu, and what the page calls them.
const METRICS: [(&str, &str); 6] = [
    ("gpu__time_duration.sum", "time"),
    ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "memory"),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "multiprocessors"),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy"),
    ("launch__registers_per_thread", "registers"),
    ("smsp__thread_inst_executed_per_inst_executed.ratio", "threads"),
];

fn run(work: &mut Work<'_>) -> Written {
    let sizes: &[&str] = if work.options.dry_run { &["2"] } else { &["63", "29"] };
    for m in sizes {
        METHODS.iter().try_for_each(|method| by_events(work, method, m))?;
    }
    METHODS.iter().try_for_each(|method| by_ncu(work, method))
}

fn by_events(work: &mut Work<'_>, method: &str, m: &str) -> Written {
    let what = format!("{method}, 4 · {m}³");
    if work.options.dry_run {
        return work.needs_gpu(what);
    }
    let arguments =
        ["bench", "step", "--solver", method, "--m", m, "--warmup", "5", "--steps", "10", "--kernels"];
    work.measure(&what, &arguments, &[], |found, line| {
        let kernels = found["kernels"].as_array().cloned().unwrap_or_default();
        let listed = kernels.iter().take(MOST).fold(line, |line, kernel| {
            let name = kernel["kernel"].as_str().unwrap_or("?");
            let pair = vec![kernel["ns_per_particle"].clone(), kernel["launches_per_step"].clone()];
            line.with(name, pair)
        });
        listed.require(!kernels.is_empty(), || "no kernel was timed".into())
    })
}

fn by_ncu(work: &mut Work<'_>, method: &str) -> Written {
    let what = format!("ncu: {method}, 4 · 29³");
    if work.options.dry_run {
        return work.needs_gpu(what);
    }
    let Some(program) = gpu::tool("ncu") else {
        return work.push(Line::new(what, Verdict::NotRun("ncu is not here".into())));
    };
    let metrics = METRICS.map(|(metric, _)| metric).join(",");
    let options = ["--clock-control", "none", "--csv", "--metrics", &metrics];
    let step = ["bench", "step", "--solver", method, "--m", "29", "--warmup", "0", "--steps", "1"];
    let ended = work.children.run_under(&program, &options, &step, work.deadline);
    let line = match ended.printed() {
        Some(printed) => {
            let kernels = longest(printed);
            let found = !kernels.is_empty();
            let line = Line::new(what, Verdict::Passed);
            let line = kernels.into_iter().fold(line, |line, (name, numbers)| line.with(&name, numbers));
            line.require(found, || "ncu printed no table".into())
        }
        None => Line::new(what, ended.verdict()),
    };
    work.push(line)
}

/// The longest launch of each kernel in what `ncu --csv` prints: a row for each metric of each launch.
pub fn longest(printed: &str) -> Vec<(String, Vec<Value>)> {
    let mut rows = printed.lines().map(cells);
    let Some(head) = rows.find(|row| row.iter().any(|cell| cell == "Kernel Name")) else { return Vec::new() };
    let column = |name: &str| head.iter().position(|cell| cell == name);
    let columns = ["ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"].map(column);
    let [Some(id), Some(kernel), Some(metric), Some(unit), Some(value)] = columns else { return Vec::new() };
    let mut launches: BTreeMap<(String, String), [f64; METRICS.len()]> = BTreeMap::new();
    for row in rows.filter(|row| row.len() == head.len()) {
        let Some(k) = METRICS.iter().position(|(name, _)| *name == row[metric]) else { continue };
        let number = row[value].replace(',', "").parse().unwrap_or(f64::NAN);
        // Names carry their parameters in some versions.
        let name = row[kernel].split('(').next().unwrap_or_default().to_owned();
        let launch = launches.entry((name, row[id].clone())).or_insert([f64::NAN; METRICS.len()]);
        launch[k] = number * if row[unit] == "ns" || row[unit] == "nsecond" { 1e-3 } else { 1.0 };
    }
    let mut longest: BTreeMap<String, [f64; METRICS.len()]> = BTreeMap::new();
    for ((name, _), numbers) in launches {
        let kept = longest.entry(name).or_insert(numbers);
        if numbers[0] > kept[0] {
            *kept = numbers;
        }
    }
    let mut kernels: Vec<_> = longest.into_iter().collect();
    kernels.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]));
    kernels.truncate(MOST);
    kernels.into_iter().map(|(name, numbers)| (name, numbers.map(Value::from).to_vec())).collect()
}

/// The cells of a row of CSV, each in quotes or plain.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in row.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().into_iter().for_each(|cell| cell.push(c)),
        }
    }
    cells
}
