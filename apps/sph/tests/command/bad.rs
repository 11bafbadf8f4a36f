//! Bad input: every case of `tests/bad/*.toml` is refused quickly, cheaply, in words, and leaves nothing behind.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "how long refusals take")]

mod from_schema;
pub mod schema;

use crate::skip::skip;
use bench_suite::system::processor::Processor;
use rayon::prelude::*;
use serde::Deserialize;
use sph_core::scene::Scene;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};
use wait4::Wait4;

/// Exit code of bad input.
const REFUSED: i32 = 2;
/// A refusal takes less than this, `[s]` and `[B]`.
const SECONDS: f64 = 1.0;
const BYTES: u64 = 256 << 20;

/// The cases of one theme.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Theme {
    case: Vec<Case>,
}

/// One bad input. Without `args` it is the scene `case.toml`, that of `base.toml` with its `change`s.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Case {
    name: String,
    /// What is replaced in the base scene, and by what.
    change: Vec<[String; 2]>,
    /// Writes the base scene beside `args` too.
    base: bool,
    /// The scene in full, in place of the changed one.
    scene: Option<String>,
    /// Arguments of `sph`.
    args: Option<Vec<String>>,
    env: BTreeMap<String, String>,
    /// Further files by name: texts, bytes, and texts that are repeated so many times.
    files: BTreeMap<String, String>,
    bytes: BTreeMap<String, Vec<u8>>,
    long: BTreeMap<String, (String, usize)>,
    folders: Vec<String>,
    /// What the message must hold.
    expect: Vec<String>,
}

/// What a refusal took.
struct Cost {
    seconds: f64,
    bytes: u64,
}

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

fn cases() -> Vec<(String, Case)> {
    let base = fs::read_to_string(tables().join("base.toml")).unwrap();
    let files = fs::read_dir(tables()).unwrap().map(|entry| entry.unwrap().path());
    let mut all = Vec::new();
    for file in files.filter(|file| !file.ends_with("base.toml")) {
        let theme: Theme = toml::from_str(&fs::read_to_string(&file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for mut case in theme.case {
            let name = format!("{}-{}", file.file_stem().unwrap().display(), case.name);
            if case.scene.is_none() && (case.args.is_none() || case.base) {
                case.scene = Some(changed(&base, &case.change, &name));
            }
            assert!(!case.expect.is_empty(), "{name} expects nothing");
            all.push((name, case));
        }
    }
    all.extend(checkpoint_cases(&base));
    let written: BTreeSet<_> =
        all.iter().flat_map(|(_, case)| &case.expect).filter_map(|e| from_schema::meaning(e)).collect();
    let made = from_schema::rows(&base).into_iter().filter(|row| !written.contains(&row.meaning));
    all.extend(made.map(|row| {
        let [what, key] = row.meaning;
        (
            format!("schema-{what}-{key}"),
            Case { scene: Some(row.scene), expect: row.expect, ..Case::default() },
        )
    }));
    all.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(all.windows(2).all(|pair| pair[0].0 != pair[1].0), "a name comes twice");
    all
}

/// Checkpoints of the base scene, damaged in every part of the file, and files that are not checkpoints.
fn checkpoint_cases(base: &str) -> Vec<(String, Case)> {
    let whole = checkpoint(base);
    let header = 24 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    let cut = |n: usize| whole[..n].to_vec();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let mut version = whole.clone();
    version[8] = 9;
    let mut files: Vec<(String, Vec<u8>, &str)> = vec![
        ("empty".into(), Vec::new(), "is no checkpoint, or cut off"),
        ("text".into(), b"spacing = 0.1 # and some more text".to_vec(), "is no checkpoint"),
        ("picture".into(), b"\x89PNG\r\n\x1a\n0123456789012345".to_vec(), "is no checkpoint"),
        ("another_version".into(), version, "of version 9, this program reads version 1"),
        ("longer".into(), [&whole[..], b"more"].concat(), "is damaged: it has"),
        ("cut_prefix".into(), cut(20), "cut off"),
        ("cut_header".into(), cut(header / 2), "is damaged: its header would have"),
        ("cut_arrays".into(), cut(header + 100), "is damaged: it has"),
        ("cut_end".into(), cut(whole.len() - 1), "is damaged: it has"),
    ];
    for k in 0..8 {
        let at = header.next_multiple_of(64) + k * (whole.len() - header - 64) / 8;
        files.push((format!("flipped_array_{k}"), flipped(at), "is damaged: "));
        files.push((
            format!("flipped_header_{k}"),
            flipped(24 + k * (header - 24) / 8),
            "is damaged: its header",
        ));
    }
    for (name, field, value, why) in FORGED {
        files.push((format!("forged_{name}"), forged(&whole, field, value), why));
    }
    let refused = |(name, bytes, why): (String, Vec<u8>, &str)| {
        let args = ["run", "case.toml", "--out", "out", "--resume=bad.sph"].map(str::to_owned).to_vec();
        let expect = vec!["bad.sph".to_owned(), why.to_owned()];
        let bytes = BTreeMap::from([("bad.sph".to_owned(), bytes)]);
        let case = Case {
            base: true,
            scene: Some(base.to_owned()),
            args: Some(args),
            bytes,
            expect,
            ..Case::default()
        };
        (format!("checkpoints-{name}"), case)
    };
    files.into_iter().map(refused).collect()
}

/// Whole checkpoints that no run can have written: what is changed in the header, and to what.
const FORGED: [(&str, &str, &str, &str); 8] = [
    ("time_nan", "t", "nan", "t = NaN: must lie in [0, inf) [s]"),
    ("time_inf", "t", "inf", "t = inf: must lie in [0, inf) [s]"),
    ("time_negative", "t", "-1.0", "t = -1: must lie in [0, inf) [s]"),
    ("step_negative", "step", "-2", "step: has a header of another program: invalid value: integer `-2`"),
    ("step_beyond", "step", "9007199254740993", "step = 9007199254740993: must lie in [0, 9007199254740992]"),
    ("step_of_the_start", "step", "0", "must be 0 before the first step"),
    (
        "id_of_a_particle",
        "next_id",
        "3",
        "next_id = 3: must be larger than every id, of which the largest is 24",
    ),
    ("dimension", "dim", "300", "dim: has a header of another program: invalid value: integer `300`"),
];

/// A checkpoint with another value of a field of its header, and the checksum of that.
fn forged(whole: &[u8], field: &str, value: &str) -> Vec<u8> {
    let end = 24 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&whole[24..end]).unwrap();
    let line = header.lines().find(|line| line.starts_with(&format!("{field} = "))).unwrap();
    let mut forged = header.replacen(line, &format!("{field} = {value}"), 1);
    // The name of the program gives the room, so that all arrays stay where they are.
    let name = forged.find(PROGRAM).unwrap();
    let length = PROGRAM.len() + header.len() - forged.len();
    forged.replace_range(name..name + PROGRAM.len(), &"x".repeat(length));
    let mut bytes = [&whole[..24], forged.as_bytes(), &whole[end..]].concat();
    bytes[16..20].copy_from_slice(&crc32fast::hash(forged.as_bytes()).to_le_bytes());
    bytes
}

/// What the checkpoints of this test say of their program.
const PROGRAM: &str = "a test with a long name";

/// The base scene after two steps.
fn checkpoint(base: &str) -> Vec<u8> {
    let scene = Scene::parse("case.toml", base).unwrap();
    let mut run = bench_suite::run::simulation::<2>(&scene, &Processor::default()).unwrap();
    for _ in 0..2 {
        run.step(f64::INFINITY).unwrap();
    }
    let (mut bytes, scene) = (Vec::new(), bench_suite::run::resolved(&scene).unwrap());
    sph_core::run::checkpoint::write(&mut run, &scene, PROGRAM, &mut bytes).unwrap();
    bytes
}

fn changed(base: &str, changes: &[[String; 2]], name: &str) -> String {
    let mut scene = base.to_owned();
    for [from, to] in changes {
        assert_eq!(scene.matches(from.as_str()).count(), 1, "{name}: {from:?} is not in the base once");
        scene = scene.replace(from.as_str(), to);
    }
    scene
}

/// Makes the files of a case in a fresh folder.
fn prepare(name: &str, case: &Case) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let write = |file: &str, bytes: &[u8]| {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    case.scene.iter().for_each(|scene| write("case.toml", scene.as_bytes()));
    case.files.iter().for_each(|(file, text)| write(file, text.as_bytes()));
    case.bytes.iter().for_each(|(file, bytes)| write(file, bytes));
    case.long.iter().for_each(|(file, (text, times))| write(file, text.repeat(*times).as_bytes()));
    case.folders.iter().for_each(|name| fs::create_dir_all(folder.join(name)).unwrap());
    folder
}

/// All files below a folder, with their bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
            all.insert(path, None);
        } else {
            all.insert(path.clone(), Some(fs::read(&path).unwrap()));
        }
    }
    all
}

/// Runs `sph` in a folder: exit code, message, and what it took.
fn sph(folder: &Path, args: &[String], env: &BTreeMap<String, String>) -> (Option<i32>, String, Cost) {
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sph"));
    command.current_dir(folder).args(args).env_remove("SPH_ISA").envs(env);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut message = Vec::new();
    child.stderr.take().unwrap().read_to_end(&mut message).unwrap();
    let ended = child.wait4().unwrap();
    let cost = Cost { seconds: start.elapsed().as_secs_f64(), bytes: ended.rusage.maxrss };
    (ended.status.code(), String::from_utf8_lossy(&message).into_owned(), cost)
}

/// Refused as it ought to be; else why not.
fn refused(name: &str, case: &Case) -> Result<Cost, String> {
    let folder = prepare(name, case);
    let before = contents(&folder);
    let scene = || ["run", "case.toml", "--out", "out"].map(str::to_owned).to_vec();
    let args = case.args.clone().unwrap_or_else(scene);
    let (mut code, mut message, mut cost) = sph(&folder, &args, &case.env);
    if cost.seconds >= SECONDS {
        // A busy machine may be slow once.
        (code, message, cost) = sph(&folder, &args, &case.env);
    }
    let wrong = |what: String| Err(format!("{name}: {what}\n    {}", message.trim_end()));
    if code != Some(REFUSED) {
        return wrong(format!("ended with {code:?}"));
    }
    if let Some(part) = case.expect.iter().find(|part| !message.contains(part.as_str())) {
        return wrong(format!("the message does not hold {part:?}"));
    }
    if message.contains("panicked") {
        return wrong("the message is not meant for people".into());
    }
    if contents(&folder) != before {
        return wrong("left something behind".into());
    }
    if cost.seconds >= SECONDS || cost.bytes >= BYTES {
        return wrong(format!("took {:.2} s and {} MiB", cost.seconds, cost.bytes >> 20));
    }
    fs::remove_dir_all(folder).unwrap();
    Ok(cost)
}

#[test]
fn bad_input_is_refused_at_once_and_in_words() {
    let cases = cases();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let ended: Vec<_> = pool.install(|| cases.par_iter().map(|(name, case)| refused(name, case)).collect());
    let wrong: Vec<_> = ended.iter().filter_map(|ended| ended.as_ref().err()).cloned().collect();
    let costs = || ended.iter().flatten();
    let seconds = costs().map(|cost| cost.seconds).fold(0.0, f64::max);
    let bytes = costs().map(|cost| cost.bytes).max().unwrap_or(0);
    println!(
        "{} bad inputs refused, each in {seconds:.2} s and {} MiB at most",
        costs().count(),
        bytes >> 20
    );
    assert!(wrong.is_empty(), "{} of {} failed:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(cases.len() >= 600, "only {} cases", cases.len());
}

#[test]
fn the_base_scene_is_right() {
    let scene = fs::read_to_string(tables().join("base.toml")).unwrap();
    let folder = prepare("base", &Case { scene: Some(scene), ..Case::default() });
    let args = ["run", "case.toml", "--out", "out"].map(str::to_owned);
    let (code, message, _) = sph(&folder, &args, &BTreeMap::new());
    assert_eq!((code, message.contains("error")), (Some(0), false), "{message}");
}

/// A folder that this user may not write, if there is one: root may write all but those of the kernel.
#[cfg(unix)]
fn read_only(folder: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let own = folder.join("read-only");
    fs::create_dir_all(&own).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o555)).unwrap();
    [own, PathBuf::from("/proc")].into_iter().find(|folder| {
        let probe = folder.join("probe");
        let refused = folder.is_dir() && fs::write(&probe, "").is_err();
        let _ = fs::remove_file(probe); // only where it was written
        refused
    })
}

#[test]
#[cfg(unix)]
fn a_read_only_folder_is_refused_before_the_run() {
    let scene = fs::read_to_string(tables().join("base.toml")).unwrap();
    let folder = prepare("read-only", &Case { scene: Some(scene), ..Case::default() });
    let Some(closed) = read_only(&folder) else {
        return skip("this user may write every folder");
    };
    for out in [closed.clone(), closed.join("deeper/still")] {
        let out = out.display().to_string();
        let args = ["run", "case.toml", "--out", &out].map(str::to_owned);
        let (code, message, cost) = sph(&folder, &args, &BTreeMap::new());
        assert!(code == Some(REFUSED) && cost.seconds < SECONDS && cost.bytes < BYTES, "{message}");
        assert!(message.contains("--out") && message.contains(&out), "{message}");
    }
}

#[test]
#[cfg(unix)]
fn an_unreadable_file_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = prepare("unreadable", &Case { scene: Some(String::new()), ..Case::default() });
    let file = folder.join("case.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&file).is_ok() {
        // Root may read all but what the kernel has no bytes of.
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/proc/self/mem", &file).unwrap();
    }
    if fs::read(&file).is_ok() {
        return skip("this user may read every file");
    }
    let args = ["run", "case.toml", "--out", "out"].map(str::to_owned);
    let (code, message, _) = sph(&folder, &args, &BTreeMap::new());
    assert!(code == Some(REFUSED) && message.contains("case.toml: "), "{message}");
}
