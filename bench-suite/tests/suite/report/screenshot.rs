//! Does a real browser show the report? Asks Debian's chromium, where it is installed; without it the tests
//! are skipped. `SPH_KEEP_SCREENSHOTS=<folder>` keeps the pictures to look at.

use super::synthetic;
use crate::output::python;
use crate::skip::skip;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bench_suite::report::{self, Page};

/// A browser that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn chromium() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&paths).map(|folder| folder.join("chromium")).find(|path| path.is_file());
    if found.is_none() {
        skip("chromium not found");
    }
    found
}

/// Opens a page in a fresh browser and returns the picture's size and pixels.
fn screenshot(chromium: &Path, page: &Path, (width, height): (u32, u32)) -> (u32, u32, Vec<[u8; 3]>) {
    let folder = page.parent().unwrap();
    let profile = folder.join("profile");
    let shot = folder.join("shot.png");
    let mut browser = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--hide-scrollbars", "--disable-dev-shm-usage"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--screenshot={}", shot.display()))
        .arg(format!("file://{}", page.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while browser.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            browser.kill().unwrap();
            panic!("chromium took longer than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    decode(&std::fs::read(shot).unwrap())
}

fn decode(bytes: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    let size = info.color_type.samples();
    (info.width, info.height, buffer.chunks_exact(size).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
}

fn shoot(name: &str, page: Page, size: (u32, u32)) {
    let Some(chromium) = chromium() else { return };
    let folder = std::env::temp_dir().join(format!("sph-screenshot-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    report::write(&synthetic::comparison(), page, &folder).unwrap();
    let (width, height, pixels) = screenshot(&chromium, &folder.join("index.html"), size);
    if let Ok(keep) = std::env::var("SPH_KEEP_SCREENSHOTS") {
        std::fs::create_dir_all(&keep).unwrap();
        std::fs::copy(folder.join("shot.png"), Path::new(&keep).join(format!("{name}.png"))).unwrap();
        std::fs::copy(folder.join("index.html"), Path::new(&keep).join(format!("{name}.html"))).unwrap();
    }
    std::fs::remove_dir_all(folder).unwrap();

    assert_eq!((width, height), size);
    let colors: HashSet<_> = pixels.iter().step_by(7).collect();
    assert!(colors.len() > 100, "{} colors", colors.len());
    let ink = pixels.iter().filter(|pixel| **pixel != [255; 3]).count() as f64 / pixels.len() as f64;
    assert!((0.02..0.7).contains(&ink), "{ink} of the page is not white");
    let blue = [0, 114, 178]; // the first method's line
    assert!(pixels.iter().filter(|pixel| **pixel == blue).count() > 100, "no plot is drawn");
    for (i, part) in pixels.chunks(width as usize * (height / 8) as usize).take(4).enumerate() {
        assert!(part.iter().any(|pixel| *pixel != [255; 3]), "part {i} of 8 is blank");
    }
}

#[test]
fn a_comparison_shows_in_a_browser() {
    shoot("compare", Page::Compare, (1200, 10000));
}

/// Sorting, hiding and saving, by Playwright.
#[test]
fn a_reader_sorts_tables_hides_methods_and_saves_plots() {
    let folder = std::env::temp_dir().join(format!("sph-use-report-{}", std::process::id()));
    report::write(&synthetic::comparison(), Page::Compare, &folder).unwrap();
    python::run("use_report.py", &folder);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_comparison_shows_on_a_narrow_screen() {
    shoot("narrow", Page::Compare, (500, 6000));
}

#[test]
fn a_validation_shows_in_a_browser() {
    shoot("validate", Page::Validate, (1200, 6000));
}
