//! Cases that are folders: what they come to, and what is refused before any run.

use crate::common;
use bench_suite::{
    campaign::{self, folder::FolderCase},
    cases::Case,
    result::Score,
};
use sph_core::watch::measure::{Column, Series};
use std::{
    fs,
    path::{Path, PathBuf},
};

const SCENE: &str = "spacing = 0.1\nrun.end_time = 1\n[[fluid]]\nshape.block = { min = [0, 0], max = [0.5, 0.5] }\n\
                     [[measure]]\nname = \"level\"\ngauge = { from = [0.25, 0], to = [0.25, 1] }\n[[measure]]\nname = \
                     \"line\"\nprofile = { from = [0, 0.2], to = [0.5, 0.2], points = 3, field = \"speed\" }\n[solver]\n\
                     name = \"wcsph\"\n";
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

/// A level of `1 + 2t` that is 0.5 too high from 1 s on, and a speed of `x` and later of `3x`.
fn measured() -> [Series; 2] {
    let column = |name: &str, unit| Column { name: name.into(), unit };
    let t: Vec<f64> = (0..=20).map(|k| 0.1 * f64::from(k)).collect();
    let level = |t: f64| 1.0 + 2.0 * t + if t > 0.95 { 0.5 } else { 0.0 };
    [
        Series {
            name: "level".into(),
            columns: vec![column("level", "m"), column("wetted_length", "m")],
            values: t.iter().flat_map(|&t| [level(t), f64::NAN]).collect(),
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
    ]
}

fn score(name: &str, compare: &str) -> Score {
    let case = read(name, compare).unwrap_or_else(|error| panic!("{compare}: {error}"));
    let all = measured();
    case.judge(&all.iter().collect::<Vec<_>>()).scores.remove(0)
}

#[test]
fn norms_are_what_their_names_say() {
    let on_level = |rest: &str| format!("measure = \"level\"\ncolumn = \"level\"\n{rest}");
    let table = |rest: &str| on_level(&format!("table = \"table.csv\"\n{rest}"));
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
        (table("norm = \"average\"\nfrom = 1.5"), (4.5 + 5.5) / 2.0, Some(0.0)),
        (table("norm = \"arrival\"\nlevel = 2.9"), 1.0, Some(0.0)),
        (on_level("norm = \"average\"\nvalue = 4.0\nfrom = 1.0\nto = 2.0"), 4.5, Some(0.125)),
        (on_level("norm = \"arrival\"\nlevel = 99\nvalue = 1.0"), f64::NAN, Some(f64::NAN)),
        ("measure = \"line\"\nnorm = \"peak\"\nvalue = 1.5".into(), 1.5, Some(0.0)),
        ("measure = \"line\"\nnorm = \"peak\"\nvalue = 2.0\nfrom = 0.0".into(), 1.0, Some(0.5)),
    ];
    for (k, (compare, value, error)) in cases.into_iter().enumerate() {
        let found = score(&format!("norm-{k}"), &compare);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12 || a.is_nan() && b.is_nan();
        let fits = near(found.value, value) && near(found.error.unwrap(), error.unwrap_or(value));
        assert!(fits, "{compare}\n{found:?}, not {value} with {error:?}");
    }
    let judged =
        |band: f64| score(&format!("band-{band}"), &table(&format!("norm = \"peak\"\nband = {band}"))).passed;
    assert_eq!((judged(0.11), judged(0.09)), (Some(true), Some(false)));
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

/// The folder that comes with the project is the built-in case: the same scene, and a sensor that reads the same.
#[test]
fn the_folder_of_buchner_is_the_built_in_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/buchner");
    let own = [FolderCase::read(&folder).unwrap()];
    let jobs = campaign::validation(&["dam_break_pressure".into()], &own);
    let names: Vec<_> = jobs.iter().map(|job| (job.case.name().to_owned(), job.variant.name)).collect();
    let both = ["wcsph", "projection"];
    let expected = both.map(|method| ("dam_break_pressure".to_owned(), method)).into_iter();
    assert!(
        names.iter().cloned().eq(expected.chain(both.map(|method| ("buchner".to_owned(), method)))),
        "{names:?}"
    );
    // Its scene is that of WCSPH; the built-in case gives the projection another mass of its particles.
    let [built_in, folder] = [(&jobs[0], "sensor"), (&jobs[2], "pressure on the wall")].map(|(job, name)| {
        let scene = job.variant.scene(job.case, job.n).unwrap();
        let mut run = common::simulation::<2>("buchner", &scene, &Default::default());
        run.run(0.67, 100_000, &mut []).unwrap();
        let sensor = run.measures.series().find(|series| series.name == name).unwrap();
        (run.state.hash(), sensor.t.clone(), sensor.values.clone())
    });
    assert!(built_in.2.iter().any(|p| *p > 1000.0), "the surge has arrived");
    assert_eq!(built_in, folder);
}
