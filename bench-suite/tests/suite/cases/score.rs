//! Frames of any program are judged as a run is.

use crate::output::python;
use bench_suite::{
    campaign::{
        folder::FolderCase,
        score::{Frames, score},
    },
    cases::Case,
    output::{Every, Format, Settings, read::vtk_xml::Arrays},
    result::RunResult,
    run::{self, Options},
    system::processor::Processor,
};
use std::{fs, io::Read as _, path::Path, path::PathBuf};

const CASE: &str = "source = \"Nobody\"\nscene = \"scene.toml\"\nlength = 0.5\nresolution = 10\n[method.wcsph]\n\
                    [[compare]]\nmeasure = \"sensor\"\nvalue = 1000.0\nnorm = \"last\"\n[[compare]]\nmeasure = \
                    \"level\"\ncolumn = \"level\"\nvalue = 0.5\nnorm = \"last\"\n[[compare]]\nmeasure = \
                    \"all\"\ncolumn = \"kinetic_energy\"\nvalue = 1.0\nnorm = \"peak\"\n";
const SCENE: &str = "spacing = 0.05\nmass_mode = \"volume\"\nrun.end_time = 0.1\n[[fluid]]\nshape.block = { min = [0, 0], max = [0.5, 0.5] \
                     }\n[[wall]]\nshape.block = { min = [0, 0], max = [1.0, 1.0] }\nmotion.oscillation = { amplitude = \
                     [0.01, 0], frequency = 5.0 }\n[[measure]]\nname = \"sensor\"\ninterval = 1e-5\nprobe = { at = \
                     [0.0, 0.1], field = \"pressure\" }\n[[measure]]\nname = \"level\"\ninterval = 1e-5\ngauge = { from \
                     = [0.03, 0], to = [0.03, 0.9] }\n[[measure]]\nname = \"all\"\ninterval = 1e-5\ntotals = \
                     [\"kinetic_energy\", \"momentum\", \"volume\"]\n[[body]]\nname = \"ball\"\ndensity = \
                     500.0\nshape.disc = { center = [0.8, 0.6], radius = 0.1 }\n[[measure]]\nname = \"ball\"\nbody = \
                     \"ball\"\n[solver]\nname = \"wcsph\"\n";

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sph-score-{name}-{}", std::process::id())).join("thrown");
    let _ = fs::remove_dir_all(folder.parent().unwrap());
    fs::create_dir_all(folder.join("frames")).unwrap();
    fs::write(folder.join("scene.toml"), SCENE).unwrap();
    fs::write(folder.join("case.toml"), CASE).unwrap();
    folder
}

fn scored(case: &Path, frames: &Path, across: usize) -> Result<RunResult, String> {
    let case = FolderCase::read(case).map_err(|error| error.to_string())?;
    score(&case, &Frames { folder: frames, across, label: "other" }).map_err(|error| error.to_string())
}

/// The frames of a run, in each format, give at their times the samples that the run itself took.
#[test]
fn frames_of_a_run_give_the_samples_of_the_run() {
    for format in [Format::Vtu, Format::Csv, Format::Npz] {
        let folder = folder(format.extension());
        let case = FolderCase::read(&folder).unwrap();
        let settings = Settings {
            formats: vec![format],
            every: Every::Steps(10),
            fields: Vec::new(),
            color_by: "speed".into(),
            folder: folder.join("frames"),
        };
        let options = Options {
            case: case.name().into(),
            variant: String::new(),
            particles_across: 10,
            processor: Processor::default(),
            pictures: Vec::new(),
            output: Some(settings),
            progress: None,
            started: None,
            checkpoints: None,
            interrupt: None,
        };
        let own = run::run(&case.scene(10), Vec::new(), None, &options).unwrap().result;
        let found = scored(&folder, &folder.join("frames"), 10).unwrap();
        assert!(found.series.len() >= 5, "{}", found.series.len());
        for series in found.series.iter().filter(|series| !series.name.starts_with("ball")) {
            let whole = own.series.iter().find(|other| other.name == series.name).unwrap();
            assert!(series.x.len() > 5, "{}", series.name);
            let scale = whole.y.iter().filter(|y| y.is_finite()).fold(0.0_f64, |most, y| most.max(y.abs()));
            for (t, y) in series.x.iter().zip(&series.y).skip(1) {
                let k = whole.x.iter().position(|other| other == t).unwrap();
                assert!((whole.y[k] - y).abs() <= 1e-5 * scale, "{} at {t}: {} {y}", series.name, whole.y[k]);
            }
        }
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }
}

const HEAD: &str = "t [s],x [m],y [m],velocity_x [m/s],velocity_y [m/s],pressure [Pa]\n";

/// A table of the particles of the scene at a moment, all of one velocity.
fn table(t: f64, head: &str) -> String {
    let place = |k: usize| 0.025 + 0.05 * k as f64;
    let rows = (0..100).map(|i| format!("{t},{},{},1.0,0.0,{i}.0\n", place(i % 10), place(i / 10)));
    head.to_owned() + &rows.collect::<String>()
}

/// Frames by name and text, the resolution by which they are judged, and what is said of them.
type Refused<'a> = (&'a [(&'a str, &'a str)], usize, &'a str);

fn assert_refused(name: &str, cases: &[Refused<'_>]) {
    let good = table(0.0, HEAD);
    for (files, across, expected) in cases {
        let folder = folder(name);
        files.iter().for_each(|(name, text)| fs::write(folder.join("frames").join(name), text).unwrap());
        let error = scored(&folder, &folder.join("frames"), *across).unwrap_err();
        assert!(error.contains(expected), "{error}, not {expected}");
        // A frame that is good is judged.
        fs::remove_dir_all(folder.join("frames")).unwrap();
        fs::create_dir(folder.join("frames")).unwrap();
        fs::write(folder.join("frames").join("good.csv"), &good).unwrap();
        let found = scored(&folder, &folder.join("frames"), 10).unwrap();
        assert!((found.scores[2].value - 0.5 * 1000.0 * 0.25).abs() < 1e-3, "{:?}", found.scores);
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let good = table(0.0, HEAD);
    let cases: &[Refused<'_>] = &[
        (&[], 10, "frames: holds no frame"),
        (&[("a.csv", &good), ("b.npz", "")], 10, "frames: holds frames .csv and .npz: must be of one kind"),
        (
            &[("a_2.csv", &good), ("a_10.csv", &good)],
            10,
            "a_10.csv: is of t = 0 s, not after the frame before it, of 0 s",
        ),
        (&[("a.csv", &good)], 20, "a.csv: holds 100 particles, the case 400 at 20 across; say with --across"),
        (
            &[("a.csv", &table(0.0, &HEAD.replace("x [m],", "x [cm],")))],
            10,
            "a.csv: the column \"x\" is in cm, must be in m",
        ),
        (&[("a.csv", &table(0.0, &HEAD.replace("t [s]", "time")))], 10, "a.csv: lacks the column \"t [s]\""),
        (&[("a.csv", &table(0.0, &HEAD.replace("y [m]", "h [m]")))], 10, "a.csv: lacks a column of x, y"),
        (
            &[("a.csv", &table(0.0, &HEAD.replace("velocity_x", "u")))],
            10,
            "a.csv: lacks the field \"velocity\", a vector",
        ),
    ];
    assert_refused("misfit", cases);
}

#[test]
fn rows_that_hold_no_particles_are_refused() {
    let good = table(0.0, HEAD);
    let cases: &[Refused<'_>] = &[
        (
            &[("a.csv", &good.replace("0,0.025,0.025", "0,NaN,0.025"))],
            10,
            "a.csv: the position of particle 0 is no number",
        ),
        (
            &[("a.csv", &good.replace("1.0,0.0,7.0\n", "1.0,inf,7.0\n"))],
            10,
            "a.csv: the velocity of particle 7 is no number",
        ),
        (
            &[("a.csv", &good.replace("1.0,0.0,7.0\n", "1.0,0.0,NaN\n"))],
            10,
            "a.csv: the pressure of particle 7 is no number",
        ),
        (
            &[("a.csv", &good.replace("0,0.025,0.025", "0.5,0.025,0.025"))],
            10,
            "a.csv: row 2: t is 0, and 0.5 in the first",
        ),
        (&[("a.csv", HEAD)], 10, "a.csv: holds 0 particles"),
        (&[("a.csv", &good.replace("0,0.025,0.025,", "0,0.025,"))], 10, "line 2: 5 numbers, expected 6"),
        (&[("a.npz", "no archive")], 10, "a.npz: "),
        (&[("a.vtu", "<VTKFile>")], 10, "a.vtu: "),
        (&[("a.vtu", "<VTKFile/>")], 10, "a.vtu: has no piece of points"),
    ];
    assert_refused("rows", cases);
}

/// Compressed numbers that are more than they say, and one array that is named a thousand times, are refused before they fill the
/// memory.
#[test]
fn files_of_vtk_that_swell_are_refused() {
    let zeros = vec![0_u8; 1 << 20];
    let mut compressed = Vec::new();
    flate2::read::ZlibEncoder::new(&zeros[..], flate2::Compression::best())
        .read_to_end(&mut compressed)
        .unwrap();
    let file = |[size, last]: [u32; 2], fields: usize| {
        let array = |name: &str, offset: usize| {
            format!(
                "<DataArray type=\"Float32\" NumberOfComponents=\"3\" Name=\"{name}\" format=\"appended\" offset=\"{offset}\"/>"
            )
        };
        let fields: String = (0..fields).map(|k| array(&format!("f{k}"), 0)).collect();
        let head = format!(
            "<VTKFile type=\"PolyData\" compressor=\"vtkZLibDataCompressor\"><PolyData><Piece><Points>{}</Points><PointData>\
             {fields}</PointData></Piece></PolyData><AppendedData encoding=\"raw\">_",
            array("Points", 0)
        );
        let numbers = [1, size, last, compressed.len() as u32].map(u32::to_le_bytes).concat();
        [head.as_bytes(), &numbers, &compressed, b"</AppendedData></VTKFile>"].concat()
    };
    let whole = 1 << 20;
    assert_eq!(Arrays::parse(&file([whole, 0], 0)).unwrap().points.bytes.len(), zeros.len());
    assert!(Arrays::parse(&file([1, whole], 0)).unwrap_err().contains("damaged"));
    assert!(Arrays::parse(&file([whole, 0], 1000)).is_err());
}

/// Arrays with our names or others of them are told apart by rank, and one called x is no place.
#[test]
fn arrays_of_other_programs_are_told_apart() {
    let folder = folder("names");
    let numbers = |of: &dyn Fn(usize) -> String| (0..100).map(of).collect::<Vec<_>>().join(" ");
    let place = |k: usize| 0.025 + 0.05 * k as f64;
    let array = |name: &str, n: usize, of: &dyn Fn(usize) -> String| {
        format!(
            "<DataArray type=\"Float64\" NumberOfComponents=\"{n}\" Name=\"{name}\" format=\"ascii\">{}</DataArray>",
            numbers(of)
        )
    };
    let [points, first, scalar, velocity, p, pressure] = [
        array("Points", 3, &|k| format!("{} {} 0", place(k % 10), place(k / 10))),
        array("x", 3, &|_| "9 9 9".into()),
        array("v", 1, &|_| "7".into()),
        array("Velocity", 3, &|_| "1 0 0".into()),
        array("p", 1, &|_| "1e9".into()),
        array("Pressure", 1, &|k| k.to_string()),
    ];
    let text = format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><FieldData><DataArray type=\"Float64\" Name=\"TIME\" \
         format=\"ascii\">0.1</DataArray></FieldData><Piece><Points>{points}</Points><PointData>{first}{scalar}{velocity}{p}{pressure}\
         </PointData></Piece></UnstructuredGrid></VTKFile>"
    );
    let found = ["a.csv", "a.vtu"].map(|name| {
        let frames = folder.join(name.replace('.', "-"));
        fs::create_dir(&frames).unwrap();
        fs::write(frames.join(name), if name == "a.csv" { table(0.1, HEAD) } else { text.clone() }).unwrap();
        scored(&folder, &frames, 10).unwrap().scores.iter().map(|score| score.value).collect::<Vec<_>>()
    });
    for (one, other) in found[0].iter().zip(&found[1]) {
        assert!((one - other).abs() <= 1e-6 * one.abs(), "{found:?}");
    }
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

/// A file that is cut short or has a wrong byte is read or refused.
fn no_damage_panics(whole: &[u8]) {
    for at in (0..whole.len()).step_by(whole.len() / 100) {
        let mut damaged = whole.to_vec();
        damaged[at] ^= 0x11;
        let _ = Arrays::parse(&damaged);
        let _ = Arrays::parse(&whole[..at]);
    }
}

/// What VTK and meshio write, in any of their encodings, is judged as a table of the same particles.
#[test]
fn frames_of_other_programs_are_read_in_every_encoding() {
    let folder = folder("vtk");
    fs::write(folder.join("frames").join("a.csv"), table(0.1, HEAD)).unwrap();
    let expected = scored(&folder, &folder.join("frames"), 10).unwrap();
    let written = folder.join("written");
    fs::create_dir(&written).unwrap();
    if !python::run("write_vtk.py", &written) {
        return;
    }
    let others: Vec<_> = fs::read_dir(&written).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(others.len(), 68);
    for other in others {
        no_damage_panics(
            &fs::read(other.join("part_0000.vtu"))
                .or_else(|_| fs::read(other.join("part_0000.vtp")))
                .unwrap(),
        );
        let found = scored(&folder, &other, 10);
        if other.ends_with("refused") {
            assert!(found.unwrap_err().contains("is compressed by \"vtkLZ4DataCompressor\""));
            continue;
        }
        let found = found.unwrap();
        assert!((found.simulated_s - 0.1).abs() < 1e-12, "{other:?}");
        for (found, expected) in found.scores.iter().zip(&expected.scores) {
            let far = (found.value - expected.value).abs();
            assert!(far <= 1e-6 * expected.value, "{other:?}: {found:?}, not {}", expected.value);
        }
    }
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

/// A run that broke off is judged as one: what it had not come to is no verdict.
#[test]
fn frames_that_end_before_the_case_are_a_failed_run() {
    let folder = folder("early");
    let score_to = |ends: &[f64]| {
        fs::remove_dir_all(folder.join("frames")).unwrap();
        fs::create_dir(folder.join("frames")).unwrap();
        for t in ends {
            fs::write(folder.join("frames").join(format!("t_{t:.2}.csv")), table(*t, HEAD)).unwrap();
        }
        scored(&folder, &folder.join("frames"), 10).unwrap()
    };
    // The last frame in time for the end of 0.1 s would have been at 0.1 s.
    assert_eq!(score_to(&[0.0, 0.04, 0.08]).failure, None);
    assert_eq!(score_to(&[0.0, 0.05, 0.1]).failure, None);
    let early = score_to(&[0.0, 0.02, 0.04]);
    assert_eq!(
        early.failure.as_deref(),
        Some("frames end before the case does: at t = 0.04 s, the case at 0.1 s")
    );
    assert_eq!(early.bands().0, 0);
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

/// Bodies are no part of frames.
#[test]
fn a_case_of_bodies_cannot_be_scored() {
    let folder = folder("bodies");
    let of_ball = CASE.replace("\"all\"\ncolumn = \"kinetic_energy\"", "\"ball\"\ncolumn = \"force_x\"");
    fs::write(folder.join("case.toml"), of_ball).unwrap();
    let error = scored(&folder, &folder.join("frames"), 10).unwrap_err();
    assert!(error.contains("compares the measure \"ball\": frames hold particles, no bodies"), "{error}");
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}
