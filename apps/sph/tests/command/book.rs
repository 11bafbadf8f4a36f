//! Every example of the book's pages on runs does what the page says.
//!
//! A block ```` ```toml ```` behind `<!-- file: NAME -->` becomes a file of a scratch folder, which also holds
//! `bench-suite/scenes`; each line `$ sph …` of a block ```` ```console ```` is run there, and ends with the exit
//! code behind `# exit`, or 0; blocks ```` ```python ```` are run last.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use crate::skip::skip;
use bench_suite::{campaign::registry::VALIDATION, report::csv, result::Comparison};
use sph_core::Real;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A fenced block, and the line before it.
struct Block {
    language: String,
    before: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut before) = (Vec::new(), String::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text = lines.by_ref().take_while(|line| *line != "```").collect::<Vec<_>>().join("\n") + "\n";
            let language = language.split(',').next().unwrap_or("").to_owned();
            blocks.push(Block { language, before: before.clone(), text });
        }
        if !line.is_empty() {
            before = line.to_owned();
        }
    }
    blocks
}

fn scratch(page: &str) -> PathBuf {
    let name = page.replace(['/', '.'], "-");
    let folder = std::env::temp_dir().join(format!("sph-book-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let scenes = folder.join("bench-suite/scenes");
    fs::create_dir_all(&scenes).unwrap();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench-suite/scenes")).unwrap()
    {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, scenes.join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

fn run_line(line: &str, folder: &Path) {
    let (command, code) = match line.split_once("  # exit ") {
        Some((command, code)) => (command, code.trim().parse().unwrap()),
        None => (line.split("  #").next().unwrap(), 0),
    };
    let out = Command::new("sh")
        .args(["-c", &command.replacen("sph ", &format!("{} ", env!("CARGO_BIN_EXE_sph")), 1)])
        .current_dir(folder)
        .output()
        .unwrap();
    let text = [out.stdout, out.stderr].concat();
    assert_eq!(out.status.code(), Some(code), "{line}\n{}", String::from_utf8_lossy(&text));
}

/// Runs a block in Python with NumPy, where that is there.
fn python(text: &str, folder: &Path) {
    let python = std::env::var("SPH_PYTHON").unwrap_or_else(|_| "python3".into());
    let has_numpy = Command::new(&python).args(["-c", "import numpy, tomllib"]).output();
    if !has_numpy.is_ok_and(|out| out.status.success()) {
        return skip(&format!("{python} lacks numpy"));
    }
    let out = Command::new(&python).args(["-c", text]).current_dir(folder).output().unwrap();
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
}

fn examples(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (folder, blocks) = (scratch(page), blocks(&text));
    let mut lines = 0;
    for block in &blocks {
        if let Some(name) = block.before.strip_prefix("<!-- file: ") {
            fs::write(folder.join(name.trim_end_matches(" -->")), &block.text).unwrap();
        }
    }
    for block in &blocks {
        match block.language.as_str() {
            "console" => {
                for line in block.text.lines().filter_map(|line| line.strip_prefix("$ ")) {
                    run_line(line, &folder);
                    lines += 1;
                }
            }
            "python" => python(&block.text, &folder),
            _ => {}
        }
    }
    assert!(lines > 0, "{page} has no example");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn pages_on_gpus_say_which_one_ran_the_kernels_and_what_passed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words = |page: &str| {
        let text = fs::read_to_string(root.join(page)).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let check = words("docs/src/results/device-check.md");
    let between = |from: &str, to: &str| check.split_once(from).unwrap().1.split_once(to).unwrap().0;
    let gpu = between("- cuda:0 ", ",");
    let counts: Vec<u32> = between("**", "**").split(' ').filter_map(|word| word.parse().ok()).collect();
    let [passed, failed, left] = counts[..] else { panic!("three counts, not {counts:?}") };
    let counts = format!("{passed} of {} lines passed", passed + failed + left);
    for page in ["README.md", "docs/src/cuda.md", "docs/src/changelog.md"] {
        let text = words(page);
        assert!(text.contains(gpu), "{page} does not name the {gpu}");
        assert!(text.contains(&counts), "{page} does not say {counts}");
    }
}

/// The page of a method names the bands of the validation that it misses.
/// A line of a page, `Bands that it misses: `case`, `case`. …`, says what the table of results says.
#[test]
fn pages_of_methods_name_the_bands_that_are_missed() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let read = |page: &str| fs::read_to_string(book.join(page)).unwrap();
    let measured = read("results/validation.md");
    let missed = |method: &str| -> BTreeSet<String> {
        let rows = measured.lines().filter(|line| line.contains("| **missed** |"));
        let cells = rows.map(|line| line.split(" | ").map(str::to_owned).collect::<Vec<_>>());
        cells.filter(|cells| cells[1] == method).map(|cells| cells[0].replace("| ", "")).collect()
    };
    for method in VALIDATION {
        let page = read(&format!("{}.md", method.name));
        let line = page.lines().find_map(|line| line.strip_prefix("Bands that it misses: "));
        let named = line.and_then(|line| line.split('.').next()).unwrap_or_default();
        let named: BTreeSet<_> = named.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert_eq!(named, missed(method.label), "{}", method.label);
        assert!(measured.contains(&format!("| {} |", method.label)), "no results of {}", method.label);
    }
}

#[test]
fn measuring_in_a_run() {
    examples("how-to/measure.md");
}

#[test]
fn comparing_with_an_experiment_of_ones_own() {
    examples("how-to/own-case.md");
}

#[test]
fn running_and_resuming() {
    examples("how-to/running.md");
}

#[test]
fn units_and_checks_at_load() {
    examples("units.md");
}

#[cfg(feature = "rigid")]
#[test]
fn dynamic_bodies() {
    examples("bodies.md");
}

#[test]
fn steps_on_a_gpu() {
    examples("cuda.md");
}

/// Every column of every table, and every code of the help.
#[test]
fn columns_and_exit_codes_are_explained() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/how-to");
    let page = fs::read_to_string(book.join("formats.md")).unwrap();
    let tables = csv::tables(&Comparison::default());
    for (file, head) in
        tables.iter().map(|(file, head)| (*file, head.as_str())).chain([("frames.csv", "step,t [s]")])
    {
        assert!(page.contains(&format!("`{file}`")), "{file}");
        for column in head.trim_end().split(',') {
            assert!(page.contains(&format!("`{column}`")), "{column:?} of {file}");
        }
    }
    let page = fs::read_to_string(book.join("running.md")).unwrap();
    for code in [0, 1, 2, 130] {
        assert!(page.contains(&format!("| {code} | ")), "{code}");
    }
}

#[test]
fn what_to_do_when_it_explodes() {
    examples("how-to/explosions.md");
}

/// Its message is that of today's program, number by number.
#[test]
fn the_explosion_of_the_book_is_the_one_that_happens() {
    if size_of::<Real>() != size_of::<f32>() {
        return; // the book shows single precision
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/how-to/explosions.md");
    let blocks = blocks(&fs::read_to_string(page).unwrap());
    let shown = blocks.iter().find(|block| block.text.starts_with("the run stopped: ")).unwrap();
    let folder = scratch("explosion");
    let mut sph = Command::new(env!("CARGO_BIN_EXE_sph"));
    let out = sph.current_dir(&folder).args(["run", "bench-suite/scenes/too_soft.toml"]).output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains(&shown.text), "the book shows\n{}\nit says\n{said}", shown.text);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_for_other_programs() {
    examples("how-to/formats.md");
}
