//! Disks that fail at any call: the old files stay whole, nothing half written is left, the error says why.

use crate::skip::skip;
use bench_suite::{
    run::{
        self,
        checkpoints::{self, Checkpoints},
    },
    system::{
        processor::Processor,
        write::{Disk, Files, NewFile, PART, WriteError, write_atomic, write_with},
    },
};
use sph_core::{run::simulation::Simulation, scene::Scene};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// How a call fails.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// Half of the bytes, and the next call finds the disk full.
    ShortWrite,
    Error(i32),
}

const NO_SPACE: i32 = 28;
const FAILURES: [Failure; 4] =
    [Failure::ShortWrite, Failure::Error(NO_SPACE), Failure::Error(5), Failure::Error(13)];

/// The disk, whose call number `at` fails.
struct Faulty {
    at: usize,
    failure: Failure,
    calls: Arc<AtomicUsize>,
}

fn count(calls: &AtomicUsize, at: usize, failure: Failure) -> io::Result<()> {
    if calls.fetch_add(1, Ordering::Relaxed) == at {
        let code = if let Failure::Error(code) = failure { code } else { NO_SPACE };
        return Err(io::Error::from_raw_os_error(code));
    }
    Ok(())
}

impl Faulty {
    fn call(&self) -> io::Result<()> {
        count(&self.calls, self.at, self.failure)
    }
}

impl Files for Faulty {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.call()?;
        Disk.make_folder(folder)
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        self.call()?;
        let file = Disk.create(path)?;
        Ok(Box::new(FaultyFile { file, at: self.at, failure: self.failure, calls: Arc::clone(&self.calls) }))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call()?;
        Disk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call()?;
        Disk.remove(path)
    }
    fn flush_folder(&self, folder: &Path) -> io::Result<()> {
        self.call()?;
        Disk.flush_folder(folder)
    }
}

struct FaultyFile {
    file: Box<dyn NewFile>,
    at: usize,
    failure: Failure,
    calls: Arc<AtomicUsize>,
}

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let (Failure::ShortWrite, true) = (self.failure, self.calls.load(Ordering::Relaxed) == self.at) {
            // The rest comes with the next call, which counts again and fails.
            return self.file.write(&bytes[..bytes.len() / 2]).and_then(|n| match n {
                0 => Err(io::Error::from_raw_os_error(NO_SPACE)),
                n => {
                    self.failure = Failure::Error(NO_SPACE);
                    Ok(n)
                }
            });
        }
        count(&self.calls, self.at, self.failure)?;
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl NewFile for FaultyFile {
    fn flush_to_disk(&mut self) -> io::Result<()> {
        count(&self.calls, self.at, self.failure)?;
        self.file.flush_to_disk()
    }
}

const SCENE: &str = "spacing = 0.05\nrun.end_time = 1.0\n[[fluid]]\nshape.block = { min = [0.0, 0.0], max = [0.5, 0.5] }\n\
    [[wall]]\nshape.block = { min = [0.0, 0.0], max = [0.6, 0.6] }\n[solver]\nname = \"wcsph\"\n";

fn simulation() -> Simulation<2> {
    run::simulation(&Scene::parse("scene.toml", SCENE).unwrap(), &Processor::default()).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sph-disk-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Five steps, a checkpoint after each.
fn small_run(out: &Path, files: &dyn Files) -> Result<(), WriteError> {
    let (mut run, kept) = (simulation(), Checkpoints::of(out, files));
    for _ in 0..5 {
        run.step(f64::INFINITY).unwrap();
        kept.save(&mut run, SCENE)?;
    }
    Ok(())
}

#[test]
fn every_call_of_a_run_with_checkpoints_may_fail() {
    for failure in FAILURES {
        let mut at = 0;
        loop {
            let out = folder("calls");
            let calls = Arc::default();
            let faulty = Faulty { at, failure, calls: Arc::clone(&calls) };
            let ended = small_run(&out, &faulty);
            if calls.load(Ordering::Relaxed) <= at {
                ended.unwrap();
                assert!(at > 25, "only {at} calls");
                break;
            }
            let error = ended.expect_err("the failure of a call is reported");
            let code = if let Failure::Error(code) = failure { code } else { NO_SPACE };
            assert_eq!(error.source.raw_os_error(), Some(code), "{error}");
            assert!(error.to_string().contains("checkpoint-"), "{error}");
            let left = files(&out.join("checkpoints"));
            assert!(left.len() <= 3, "{left:?}");
            for file in &left {
                assert!(!file.to_string_lossy().ends_with(PART), "call {at}: {left:?}");
                checkpoints::read(file).unwrap_or_else(|error| panic!("call {at}: {error}"));
            }
            at += 1;
            fs::remove_dir_all(out).unwrap();
        }
        let _ = fs::remove_dir_all(folder("calls"));
    }
}

/// Those that a run leaves behind it when it goes on from an earlier one, damaged or not, take no place of its own.
#[test]
fn later_checkpoints_are_set_aside() {
    let out = folder("aside");
    small_run(&out, &Disk).unwrap();
    let kept = Checkpoints::of(&out, &Disk);
    let steps =
        || kept.all().iter().map(|path| checkpoints::read(path).unwrap().header().step).collect::<Vec<_>>();
    assert_eq!(steps(), [5, 4]);
    fs::write(&kept.all()[0], "damaged").unwrap();
    let mut run = simulation();
    for _ in 0..3 {
        run.step(f64::INFINITY).unwrap();
        kept.save(&mut run, SCENE).unwrap();
    }
    assert_eq!(steps(), [3, 2]);
    let found = kept.newest().unwrap();
    assert!(found.checkpoint.header().step == 3 && found.passed.is_empty());
    let folder = out.join("checkpoints");
    assert_eq!(files(&folder).len(), 4, "nothing is lost: {:?}", files(&folder));
    kept.remove_all().unwrap();
    assert!(files(&folder).is_empty(), "{:?}", files(&folder));
    fs::remove_dir_all(out).unwrap();
}

/// The disk of a program that dies once it has renamed a file: nothing is removed any more.
#[derive(Default)]
struct Dying {
    renamed: AtomicBool,
}

impl Files for Dying {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        Disk.make_folder(folder)
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        Disk.create(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.renamed.store(true, Ordering::Relaxed);
        Disk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.renamed.load(Ordering::Relaxed) {
            return Err(io::Error::other("died"));
        }
        Disk.remove(path)
    }
    fn flush_folder(&self, folder: &Path) -> io::Result<()> {
        Disk.flush_folder(folder)
    }
}

/// A program that dies between a rename and the removal after it, again and again, leaves three and no more.
#[test]
fn checkpoints_that_were_not_removed_do_not_pile_up() {
    let out = folder("pile");
    let mut run = simulation();
    for step in 1..=6 {
        run.step(f64::INFINITY).unwrap();
        let ended = Checkpoints::of(&out, &Dying::default()).save(&mut run, SCENE);
        assert_eq!(ended.is_err(), step > 2, "there is something to remove from the third on");
        assert_eq!(Checkpoints::of(&out, &Disk).all().len(), step.min(3));
    }
    fs::remove_dir_all(out).unwrap();
}

#[test]
fn every_call_of_a_replaced_file_may_fail() {
    for failure in FAILURES {
        for at in 0.. {
            let out = folder("replace");
            let path = out.join("a.txt");
            write_atomic(&path, b"old").unwrap();
            let calls = Arc::default();
            let faulty = Faulty { at, failure, calls: Arc::clone(&calls) };
            let ended = write_with(&faulty, &path, |file| file.write_all(b"the new one"));
            let text = fs::read(&path).unwrap();
            assert!(text == b"old" || text == b"the new one", "{text:?}");
            assert_eq!(files(&out).len(), 1, "call {at}");
            fs::remove_dir_all(out).unwrap();
            if calls.load(Ordering::Relaxed) <= at {
                ended.unwrap();
                break;
            }
            // Once renamed, only the flush of the folder can fail.
            assert!(ended.is_err() && (text == b"old" || at == 5), "call {at}");
        }
    }
}

/// A file system of 256 KiB: needs the right to mount one.
#[test]
fn a_full_disk_keeps_the_checkpoints_that_are_there() {
    let out = folder("full");
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&out)
        .output();
    if !mount.is_ok_and(|out| out.status.success()) {
        return skip("no right to mount a tmpfs");
    }
    let filled = std::panic::catch_unwind(|| {
        let kept = Checkpoints::of(&out, &Disk);
        let mut run = simulation();
        run.step(f64::INFINITY).unwrap();
        let first = kept.save(&mut run, SCENE).unwrap();
        fs::write(out.join("ballast"), vec![1; 1 << 20]).unwrap_err();
        run.step(f64::INFINITY).unwrap();
        let error = kept.save(&mut run, SCENE).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::StorageFull, "{error}");
        assert_eq!(files(&out.join("checkpoints")), std::slice::from_ref(&first));
        checkpoints::read(&first).unwrap();
        write_atomic(&out.join("a.txt"), &[0; 4096]).unwrap_err();
        assert_eq!(files(&out).len(), 2);
    });
    assert!(std::process::Command::new("umount").arg(&out).status().unwrap().success());
    fs::remove_dir_all(&out).unwrap();
    filled.unwrap();
}
