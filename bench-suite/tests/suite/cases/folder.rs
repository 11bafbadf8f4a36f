//! Cases that are folders: what they come to, and what is refused before any run.

use bench_suite::{
    campaign::{
        self,
        folder::{self, FolderCase},
        registry,
    },
    cases::Case,
    reference::interpolate,
    result::Score,
};
use nalgebra::Complex;
use sph_core::watch::measure::{Column, Series};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

const SCENE: &str = "spacing = 0.1\nrun.end_time = 1\n[[fluid]]\nshape.block = { min = [0, 0], max = [0.5, 0.5] }\n\
                     [[measure]]\nname = \"level\"\ngauge = { from = [0.25, 0], to = [0.25, 1] }\n[[measure]]\nname = \
                     \"line\"\nprofile = { from = [0, 0.2], to = [0.5, 0.2], points = 3, field = \"speed\" }\n[[measure]]\n\
                     name = \"energy\"\ntotals = [\"kinetic_energy\"]\n[solver]\nname = \"wcsph\"\n";
const TABLE: &str = "# Nobody 2026\nt [s],h [m]\n0.0,1\n1.0,3\n2.0,5\n";
const HEAD: &str = "source = \"Nobody\"\nscene = \"scene.toml\"\nlength = 0.5\nresolution = 5\n[method.wcsph]\n[[compare]]\n";

/// A folder of a case with these files beside a scene and a table.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sph-case-{name}-{}", std::process::id())).join("mine");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in [("scene.toml", SCENE), ("table.csv", TABLE)].iter().chain(files) {
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn read(name: &str, compare: &str) -> Result<FolderCase, String> {
    let case = format!("{HEAD}{compare}");
    let found = FolderCase::read(&folder(name, &[("case.toml", &case)])).map_err(|error| error.to_string());
    fs::remove_dir_all(folder(name, &[]).parent().unwrap()).unwrap();
    found
}

/// A level of `1 + 2t` that is 0.5 too high from 1 s on, a sine with a period of 0.5 s, a speed of `x` and later of `3x`, and an
/// energy of `4 exp(-t)`.
fn measured() -> [Series; 3] {
    let column = |name: &str, unit: &str| Column { name: name.into(), unit: unit.into() };
    let t: Vec<f64> = (0..=20).map(|k| 0.1 * f64::from(k)).collect();
    let energy = Series {
        name: "energy".into(),
        columns: vec![column("kinetic_energy", "J")],
        values: t.iter().map(|t| 4.0 * (-t).exp()).collect(),
        along: Vec::new(),
        t: t.clone(),
    };
    let level = |t: f64| 1.0 + 2.0 * t + if t > 0.95 { 0.5 } else { 0.0 };
    [
        Series {
            name: "level".into(),
            columns: vec![column("level", "m"), column("wetted_length", "m")],
            values: t.iter().flat_map(|&t| [level(t), (4.0 * std::f64::consts::PI * t).sin()]).collect(),
            along: Vec::new(),
            t,
        },
        Series {
            name: "line".into(),
            columns: vec![column("speed", "m/s")],
            along: vec![0.0, 0.25, 0.5],
            t: vec![0.0, 1.0],
            values: vec![0.0, 0.25, 0.5, 0.0, 0.75, 1.5],
        },
        energy,
    ]
}

fn score(name: &str, compare: &str) -> Score {
    let case = read(name, compare).unwrap_or_else(|error| panic!("{compare}: {error}"));
    let all = measured();
    case.judge(&all.iter().collect::<Vec<_>>()).scores.remove(0)
}

fn on_level(rest: &str) -> String {
    format!("measure = \"level\"\ncolumn = \"level\"\n{rest}")
}

fn table(rest: &str) -> String {
    on_level(&format!("table = \"table.csv\"\n{rest}"))
}

/// Comparisons, each with its value, and its error where that is another.
fn agree(name: &str, cases: &[(String, f64, Option<f64>)]) {
    for (k, (compare, value, error)) in cases.iter().enumerate() {
        let found = score(&format!("{name}-{k}"), compare);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12 || a.is_nan() && b.is_nan();
        let fits = near(found.value, *value) && near(found.error.unwrap(), error.unwrap_or(*value));
        assert!(fits, "{compare}\n{found:?}, not {value} with {error:?}");
    }
}

#[test]
fn norms_are_what_their_names_say() {
    let cases = [
        // Off by 0, 0.5, 0.5 at the three points, over the largest value, 5.
        (table(""), (0.5_f64 / 3.0).sqrt() / 5.0, None),
        (table("norm = \"mean\""), 1.0 / 3.0 / 5.0, None),
        (table("norm = \"largest\"\nover = 2.0"), 0.25, None),
        (table("norm = \"largest\"\nto = 0.5"), 0.0, None),
        // Less than half of the published points are reached.
        (table("x_scale = 3.0"), f64::NAN, None),
        // The table in halves of both units, from another zero.
        (table("norm = \"largest\"\nx_scale = 0.5\ny_scale = 0.5\ny_shift = 0.5"), 0.5 / 3.0, None),
        (table("norm = \"peak\""), 5.5, Some(0.1)),
        (table("norm = \"last\""), 5.5, Some(0.1)),
        // Between samples.
        (on_level("norm = \"last\"\nvalue = 4.0\nto = 1.65"), 4.8, Some(0.2)),
        (on_level("norm = \"least\"\nvalue = 1.0\nfrom = 0.5"), 2.0, Some(1.0)),
        (on_level("norm = \"amplitude\"\nvalue = 1.0\nfrom = 0.5"), 1.75, Some(0.75)),
        (table("norm = \"average\"\nfrom = 1.5"), (4.5 + 5.5) / 2.0, Some(0.0)),
        (table("norm = \"arrival\"\nlevel = 2.9"), 1.0, Some(0.0)),
        (on_level("norm = \"average\"\nvalue = 4.0\nfrom = 1.0\nto = 2.0"), 4.5, Some(0.125)),
        (on_level("norm = \"arrival\"\nlevel = 99\nvalue = 1.0"), f64::NAN, Some(f64::NAN)),
        ("measure = \"line\"\nnorm = \"peak\"\nvalue = 1.5".into(), 1.5, Some(0.0)),
        ("measure = \"line\"\nnorm = \"peak\"\nvalue = 2.0\nfrom = 0.0".into(), 1.0, Some(0.5)),
    ];
    agree("norm", &cases);
    let judged =
        |band: f64| score(&format!("band-{band}"), &table(&format!("norm = \"peak\"\nband = {band}"))).passed;
    assert_eq!((judged(0.11), judged(0.09)), (Some(true), Some(false)));
}

/// A drop that has gone may keep its energy, and nothing is won by it.
#[test]
fn a_band_counts_only_with_that_of_its_condition() {
    let judged = |band: f64| {
        let peak = on_level(&format!("name = \"level\"\nnorm = \"peak\"\nvalue = 5.0\nband = {band}"));
        let energy = "measure = \"energy\"\nnorm = \"peak\"\nvalue = 4.0\nband = 0.1\nonly_with = \"level\"";
        let case = read(&format!("condition-{band}"), &format!("{peak}\n[[compare]]\n{energy}\n")).unwrap();
        let all = measured();
        let scores = case.judge(&all.iter().collect::<Vec<_>>()).scores;
        (scores[0].passed, scores[1].passed)
    };
    assert_eq!(judged(0.11), (Some(true), Some(true)));
    assert_eq!(judged(0.09), (Some(false), Some(false)));
}

#[test]
fn norms_of_time_are_what_their_names_say() {
    let on_sine = |rest: &str| format!("measure = \"level\"\ncolumn = \"wetted_length\"\n{rest}");
    let cases = [
        // 0.1 s late.
        (
            table("norm = \"shifted_rms\"\nx_scale = 0.4\nx_shift = 0.1\ny_scale = 0.4\ny_shift = 0.6"),
            0.0,
            None,
        ),
        (table("norm = \"peak_time\""), 2.0, Some(0.0)),
        (table("norm = \"slope\"\nfrom = 1.0"), 2.0, Some(0.0)),
        (on_level("norm = \"slope\"\nto = 0.9\nvalue = 1.0"), 2.0, Some(1.0)),
        ("measure = \"energy\"\nnorm = \"rate\"\nvalue = -2.0".into(), -1.0, Some(0.5)),
        ("measure = \"energy\"\nnorm = \"rate\"\nvalue = -2.0\nfrom = 1.95".into(), f64::NAN, Some(f64::NAN)),
        (
            "measure = \"energy\"\nrelative = true\nnorm = \"last\"\nvalue = 1.0".into(),
            (-2.0_f64).exp(),
            Some(1.0 - (-2.0_f64).exp()),
        ),
        (on_level("norm = \"period\"\nvalue = 1.0"), f64::NAN, Some(f64::NAN)),
        (on_sine("norm = \"period\"\nvalue = 0.4"), 0.5, Some(0.25)),
        // Two whole periods, and a mean over one.
        (
            on_sine("norm = \"noise\"\nwindow = 0.5\nfrom = 0.45\nto = 1.45\nvalue = 0.0\nover = 2.0"),
            0.5_f64.sqrt(),
            Some(0.5_f64.sqrt() / 2.0),
        ),
        (
            on_sine("norm = \"peak\"\nwindow = 0.5\nfrom = 0.45\nto = 1.45\nvalue = 0.0\nover = 1.0"),
            0.0,
            Some(0.0),
        ),
    ];
    agree("time", &cases);
}

/// A case draws the curves that it compares, and each once.
/// The mean of a profile over a time is a curve that no measure shows; published curves that are the same are drawn once.
#[test]
fn what_is_compared_is_what_is_drawn() {
    let line = "measure = \"line\"\ntable = \"table.csv\"\nx_scale = 0.25\ny_scale = 0.5\n";
    let case =
        read("drawn", &format!("{line}name = \"mean\"\nfrom = 0.0\n[[compare]]\n{line}[[compare]]\n{line}"))
            .unwrap();
    let all = measured();
    let drawn = case.judge(&all.iter().collect::<Vec<_>>()).series;
    assert_eq!(drawn.len(), 1);
    assert_eq!(
        (drawn[0].name.as_str(), &drawn[0].x, &drawn[0].y),
        ("mean", &all[1].along, &vec![0.0, 0.5, 1.0])
    );
    let published: Vec<_> = case.references().into_iter().map(|curve| (curve.series, curve.y)).collect();
    let y = || vec![0.5, 1.5, 2.5];
    assert_eq!(published, [("mean".into(), y()), ("line".into(), y())]);
    // A number is a line over the time that counts.
    let case = read("number", &on_level("norm = \"average\"\nvalue = 4.0\nfrom = 0.5\n")).unwrap();
    let number = &case.references()[0];
    assert_eq!(
        (number.series.as_str(), &number.x[..], &number.y[..]),
        ("level, level", &[0.5, 1.0][..], &[4.0; 2][..])
    );
    assert!(read("noise", &on_level("norm = \"slope\"\nvalue = 4.0\n")).unwrap().references().is_empty());
    let error = on_level("norm = \"last\"\nvalue = 0.0\nover = 1.0\n");
    assert!(read("error", &error).unwrap().references().is_empty());
}

/// A comparison, and what is said of it.
const COMPARISONS: &[(&str, &str)] = &[
    (
        "measure = \"depth\"\nvalue = 1\nnorm = \"peak\"",
        "case.toml:7:11: compare[0].measure = \"depth\": is no measure of the scene; it has level, line",
    ),
    (
        "measure = \"level\"\nvalue = 1\nnorm = \"peak\"",
        "compare[0].column: is missing: the measure has several; it has level, wetted_length",
    ),
    (
        "measure = \"level\"\ncolumn = \"x\"\nvalue = 1\nnorm = \"peak\"",
        "compare[0].column = \"x\": is no column of the scene; it has level, wetted_length",
    ),
    ("measure = \"line\"", "compare[0].table: is missing: give it, or a `value`"),
    ("measure = \"line\"\nvalue = 1", "compare[0].norm: compares curves and needs a `table`"),
    (
        "measure = \"line\"\nvalue = 1\nnorm = \"arrival\"\nlevel = 1",
        "needs a measure with time, a profile has none",
    ),
    (
        "measure = \"line\"\nvalue = 1\nnorm = \"period\"",
        "compare[0].norm: needs a measure with time, a profile has none",
    ),
    (
        "measure = \"line\"\nvalue = 1\nnorm = \"peak\"\nwindow = 1",
        "compare[0].window: needs a measure with time, a profile has none",
    ),
    (
        "measure = \"level\"\ncolumn = \"level\"\nvalue = 1\nnorm = \"noise\"",
        "compare[0].window: is missing: noise is what its mean leaves",
    ),
    (
        "measure = \"line\"\nvalue = 1\nnorm = \"peak\"\nrelative = true",
        "compare[0].relative: needs a measure with time, a profile has none",
    ),
    (
        "measure = \"line\"\nvalue = 1\nnorm = \"peak\"\nname = \"own\"\nband = 1\nonly_with = \"own\"",
        "compare[0].only_with = \"own\": is no comparison above this one that has a band",
    ),
    (
        "measure = \"line\"\nvalue = 0\nnorm = \"peak\"",
        "compare[0].over: is missing: errors cannot be divided by the published 0",
    ),
    ("measure = \"line\"\nvalue = 1\nnorm = \"median\"", "compare[0].norm"),
    ("measure = \"line\"\nvalue = 1\nnorm = \"peak\"\nband = 0", "compare[0].band = 0: must lie in (0, inf)"),
    (
        "measure = \"line\"\ntable = \"../table.csv\"",
        "compare[0].table = \"../table.csv\": must be a file in the folder of the case",
    ),
    ("measure = \"line\"\ntable = \"/etc/passwd\"", "must be a file in the folder of the case"),
    ("measure = \"line\"\ntable = \"none.csv\"", "compare[0].table = \"none.csv\": No such file"),
    (
        "measure = \"line\"\ntable = \"table.csv\"",
        "compare[0].x_scale: is missing: `t` of the table is in s, the measure in m",
    ),
    (
        "measure = \"level\"\ncolumn = \"level\"\ntable = \"table.csv\"\ny = \"q\"",
        "table.csv has no column \"q\"",
    ),
    (
        "measure = \"level\"\ncolumn = \"level\"\ntable = \"table.csv\"\nfrom = 2\nto = 1",
        "compare[0].to: must be later than `from`",
    ),
    (
        "measure = \"level\"\ncolumn = \"level\"\ntable = \"table.csv\"\nnorm = \"arrival\"",
        "compare[0].level: is missing",
    ),
    ("measure = \"level\"\nfoo = 1", "unknown field `foo`"),
];

const GOOD: &str = "measure = \"level\"\ncolumn = \"level\"\ntable = \"table.csv\"\n";

#[test]
fn comparisons_that_cannot_be_are_refused_before_any_run() {
    assert!(read("good", GOOD).is_ok());
    for (k, (compare, message)) in COMPARISONS.iter().enumerate() {
        let error = read(&format!("compare-{k}"), compare).unwrap_err();
        assert!(error.contains(message), "{compare}\n{error}");
    }
}

fn refuses(k: usize, file: &str, text: &str, message: &str) {
    let case = format!("{HEAD}{GOOD}");
    let folder = folder(&format!("file-{k}"), &[("case.toml", &case), (file, text)]);
    let error = FolderCase::read(&folder).unwrap_err().to_string();
    assert!(error.contains(message), "{file}: {text}\n{error}");
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

#[test]
fn tables_with_holes_and_scenes_that_are_none_are_refused_before_any_run() {
    let scene = |from: &str, to: &str| SCENE.replace(from, to);
    let files = [
        ("table.csv", "# c\nt [s],h [m]\n0,\n".into(), "table.csv, line 3: \"\" is not a number"),
        ("table.csv", "# c\nt [s],h [m]\n0\n".into(), "table.csv, line 3: 1 numbers, expected 2"),
        ("table.csv", "# c\nt [s],h [m]\n0,NaN\n".into(), "row 1: h is NaN, no number"),
        ("table.csv", "# c\nt [s],h [cm]\n0,1\n".into(), "`h` of the table is in cm, the measure in m"),
        ("table.csv", "# c\nt [s],h [m]\n".into(), "has no rows"),
        (
            "table.csv",
            "# c\nt [s],h [m]\n0,0\n1,0\n".into(),
            "compare[0].table: comes to 0 in the norm of `rms error`; give `over`",
        ),
        (
            "table.csv",
            "# c\nseries,t [s],h [m]\na,0,1\nb,1,1\n".into(),
            "compare[0].series: is missing: the table holds several; it has a, b",
        ),
        ("table.csv", "# c\nt [s]\n0\n".into(), "a table has at least two columns"),
        ("scene.toml", scene("= 0.1", "= -1"), "scene.toml:1:11: spacing = -1"),
        ("scene.toml", scene("[[fluid]]", "[[liquid]]"), "unknown field `liquid`"),
    ];
    for (k, (file, text, message)) in files.into_iter().enumerate() {
        refuses(k, file, &text, message);
    }
}

#[test]
fn cases_that_contradict_themselves_are_refused_before_any_run() {
    let case = |from: &str, to: &str| format!("{HEAD}{GOOD}").replace(from, to);
    let files = [
        (
            case("[method.wcsph]", ""),
            "method: names no method; give one table for each, as [method.wcsph], [method.pbf]",
        ),
        (case("method.wcsph", "method.dem"), "method.dem: is no method; there are wcsph, pbf"),
        (case("[method.wcsph]", "[method.wcsph]\nglue = 1"), "glue"),
        (
            case("[method.wcsph]", "[method.wcsph]\nname = \"pbf\""),
            "method.wcsph.name: is the name of the table",
        ),
        (format!("{HEAD}{GOOD}from = 9\n"), "compare[0].table: has no row between `from` and `to`"),
        (
            format!("{HEAD}{GOOD}norm = \"arrival\"\nlevel = 99\n"),
            "compare[0].table: comes to NaN in the norm of `arrival`",
        ),
        (case("resolution = 5", "resolution = 5\nresolutions = [100000]"), "spacing"),
        (case("[method.wcsph]", "[method.wcsph]\nscene = 1"), "method.wcsph.scene = 1: must be a text"),
        (
            case("[method.wcsph]", "[method.wcsph]\nscene = { spacing = -1 }"),
            "scene.toml with method.wcsph.scene:1:11: spacing = -1: must lie in (0, inf) [m]",
        ),
        (
            case("\"scene.toml", "\"../scene.toml"),
            "scene = \"../scene.toml\": must be a file in the folder of the case",
        ),
        (case("length = 0.5", "length = 0"), "case.toml:3:10: length = 0: must lie in (0, inf) [m]"),
        (case("resolution = 5", "resolution = 0"), "resolution = 0: must lie in [1, 100000]"),
    ];
    for (k, (text, message)) in files.into_iter().enumerate() {
        refuses(100 + k, "case.toml", &text, message);
    }
}

#[test]
fn links_out_of_the_folder_and_other_encodings_are_refused() {
    let case = format!("{HEAD}measure = \"line\"\ntable = \"link.csv\"\n");
    let folder = folder("link", &[("case.toml", &case)]);
    let outside = folder.with_file_name("outside.csv");
    fs::write(&outside, TABLE).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, folder.join("link.csv")).unwrap();
        let error = FolderCase::read(&folder).unwrap_err().to_string();
        assert!(error.contains("leads out of the folder of the case"), "{error}");
        fs::remove_file(folder.join("link.csv")).unwrap();
    }
    fs::write(folder.join("link.csv"), b"t,h\n0,\xff\n").unwrap();
    let error = FolderCase::read(&folder).unwrap_err().to_string();
    assert!(error.contains("link.csv") && error.contains("UTF-8"), "{error}");
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

/// A method may have other keys of the common scene, and the rest of it.
#[test]
fn a_method_may_replace_keys_of_the_scene() {
    let case = format!("{HEAD}{GOOD}\n[method.projection]\nscene = {{ rest_density = 900.0 }}\n");
    let folder = folder("replaced", &[("case.toml", &case)]);
    let case = FolderCase::read(&folder).unwrap();
    let [common, replaced] = ["wcsph", "projection"].map(|name| {
        let variant = registry::VALIDATION.iter().find(|variant| variant.name == name).unwrap();
        variant.scene(&case, case.resolution()).unwrap()
    });
    assert_eq!((common.rest_density, replaced.rest_density), (1000.0, 900.0));
    assert_eq!((common.fluid, common.measure), (replaced.fluid, replaced.measure));
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

/// A folder of `cases` is a case of the program, which is what the folder says, and all that it compares can be measured.
#[test]
fn every_folder_of_the_project_is_a_built_in_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let names: BTreeSet<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let built_in = folder::built_in();
    assert!(built_in.iter().map(|case| OsString::from(case.name())).eq(names));
    for case in built_in {
        let name = case.name();
        case.check().unwrap_or_else(|error| panic!("{error}"));
        assert!(case.about().len() > 10 && case.source().len() > 20, "{name} does not say what it is");
        // Nothing was measured: every band is missed.
        let scores = case.judge(&[]).scores;
        let judges = scores.iter().any(|score| score.passed == Some(false));
        assert!(judges || case.about().contains("not judged"), "{name} judges nothing");
        assert!(case.references().iter().all(|curve| curve.citation.len() > 20), "{name} cites nothing");
        let read = FolderCase::read(&folder.join(name)).unwrap();
        for variant in registry::VALIDATION {
            let [ours, read] = [case, &read].map(|case| variant.scene(case, case.resolution()));
            assert_eq!(ours, read, "{name}, {}", variant.name);
        }
    }
}

#[test]
fn tables_of_folders_are_those_of_the_papers() {
    let values = [
        ("cavity", 0, 0.5, -0.20581),
        // Printed as 1.95.
        ("elliptical_drop", 1, 0.0076, 1.944517),
        ("dam_break_obstacle", 2, 0.4150, 11239.4),
        ("cavity_re1000", 1, 0.5, 0.02526),
        // Printed as -0.86636.
        ("cavity_re3200", 0, 0.4531, -0.086636),
        ("koshizuka_oka", 0, 3.110112 * 0.08626, 3.9 * 0.146),
        ("oscillating_spheroid", 0, 0.0, 1.0),
        ("pipe_start_up", 3, 0.0, 0.6517956),
    ];
    for (case, place, x, y) in values {
        let curve = &registry::case(case).unwrap().references()[place];
        assert!((interpolate(&curve.x, &curve.y, x).unwrap() - y).abs() < 1e-9, "{case}: {}", curve.label);
    }
}

/// The mode in the tables of the viscous waves obeys the dispersion relation, `n = σ + iω` with a decay below Lamb's 2νk², and is
/// what they hold: a wave of 0.05 m that is flat at first.
#[test]
fn viscous_waves_are_modes_of_the_linear_equations() {
    for (case, reynolds) in [("viscous_wave_re50", 50.0), ("viscous_wave_re1000", 1000.0)] {
        let path = format!("{}/../cases/{case}/wave.csv", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(path).unwrap();
        let (sigma, omega) =
            text.split_once("n = ").unwrap().1.split_once("i 1/s").unwrap().0.split_once(" + ").unwrap();
        let n = Complex::new(sigma.parse::<f64>().unwrap(), omega.parse::<f64>().unwrap());
        let (g, k, h) = (9.81_f64, std::f64::consts::PI, 1.0);
        let nu = h * (g * h).sqrt() / reynolds;
        let m = (n / nu + k * k).sqrt();
        let potential = (n + 2.0 * nu * k * k).powi(2) + g * k * (k * h).tanh();
        let vortical = m * 4.0 * nu * nu * k.powi(3) * (k * h).tanh() / (m * h).tanh();
        assert!((potential - vortical).norm() < 1e-6 * g * k, "{case}: {n}");
        assert!(n.re < 0.0 && n.re > -2.0 * nu * k * k, "{case}: {n}");
        for line in text.lines().skip(2).step_by(17) {
            let [t, _, eta] = *line.split(',').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>() else {
                panic!("{line}")
            };
            let expected = 0.05 * (n.re * t).exp() * (n.im * t).sin();
            assert!((eta - expected).abs() < 1e-6, "{case} at {t}: {eta}, not {expected}");
        }
    }
}

#[test]
fn a_comparison_runs_a_built_in_folder_that_is_named() {
    let named = |name: &str| {
        let wanted = campaign::Wanted { cases: &[name.into()], ..campaign::Wanted::default() };
        let jobs = campaign::comparison(campaign::Effort::Quick, &wanted);
        jobs.map(|jobs| jobs.iter().map(|job| job.n).collect::<BTreeSet<_>>())
    };
    assert_eq!(named("koshizuka_oka").unwrap(), [40, 80].into());
    assert!(named("column_3d").is_err(), "a case of code is in the plan or not");
}
