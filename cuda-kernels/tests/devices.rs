//! What is said of a machine without a usable card, or with one that fails: staged with libraries that the test builds.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on has failed")]

use cuda_kernels::{
    backend::Device,
    device,
    error::CudaError,
    executor::Executor,
    fields::{self, Packed},
    reduce::Reduce,
    variant::Variant,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// A folder with libraries under the names that a machine would have, built once.
fn staged() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake");
        let _ = fs::remove_dir_all(&folder);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
        let libraries = [
            ("whole", "driver.c", "libcuda.so.1", None),
            ("broken", "driver.c", "libcuda.so.1", Some("-DBROKEN")),
            ("compiler", "compiler.c", "libnvrtc.so.13", None),
        ];
        for (part, text, library, define) in libraries {
            fs::create_dir_all(folder.join(part)).unwrap();
            let to = folder.join(part).join(library);
            let mut cc = Command::new("cc");
            cc.args(["-shared", "-fPIC", "-o"]).arg(&to).args(define).arg(source.join(text));
            assert!(cc.status().unwrap().success());
        }
        fs::create_dir_all(folder.join("empty")).unwrap();
        folder
    })
}

/// What a child process says that has these libraries, `SPH_FAKE` and further variables.
fn said(scene: &str, parts: &[&str], fake: &str, variables: &[(&str, &str)]) -> String {
    let path: Vec<_> = parts.iter().map(|part| staged().join(part)).collect();
    let out = Command::new(env::current_exe().unwrap())
        .args(["--exact", "in_the_child", "--ignored", "--nocapture"])
        .env("LD_LIBRARY_PATH", env::join_paths(path).unwrap())
        .env("SPH_KERNEL_CACHE", "")
        .env("SPH_FAKE", fake)
        .env("SPH_SCENE", scene)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (text, errors) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert!(out.status.success(), "{text}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    let from = text.find("<<").unwrap() + 2;
    text[from..text.find(">>").unwrap()].to_owned()
}

/// The other end of [`said`].
#[test]
#[ignore = "runs in a process that a test starts"]
fn in_the_child() {
    let answer = match env::var("SPH_SCENE").as_deref() {
        Ok("probe") => device::probe().map_or_else(|e| e.to_string(), |machine| machine.to_string()),
        Ok("work") => work().map_or_else(|e| e.to_string(), |()| "done".into()),
        _ => return,
    };
    println!("<<{answer}>>");
}

/// Opens card 0 and uses all that a device has.
fn work() -> Result<(), CudaError> {
    let device = Device::open(0, Variant::default())?;
    assert_eq!(device.free_memory()?, 60 << 30);
    let x = [device.upload(&[1.0, 2.0])?, device.upload(&[3.0, 4.0])?];
    assert_eq!(device.download(&x[1])?, [3.0, 4.0]);
    let nothing = device.upload::<u32>(&[])?;
    assert!(device.download(&nothing)?.is_empty());
    let mut records = device.zeros::<Packed>(200)?;
    fields::pack_positions(&device, &x, 2, &mut records)?;
    let (mut reduce, mut largest) = (Reduce::<2, _>::new(&device)?, device.zeros(1)?);
    reduce.max(&device, &x[0], 2, &mut largest)?;
    device.download(&records)?;
    device.synchronize()
}

#[test]
fn no_driver_library_is_said() {
    let installed = Command::new("ldconfig")
        .arg("-p")
        .output()
        .is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains("libcuda.so"));
    let answer = said("probe", &["empty"], "", &[]);
    assert!(installed || answer.starts_with("no CUDA driver library (libcuda.so) found"), "{answer}");
    assert_eq!(said("work", &["empty"], "", &[]).starts_with("no CUDA driver"), !installed);
}

#[test]
fn a_library_that_cannot_serve_is_said() {
    let of = |part, fake| said("probe", &[part, "compiler"], fake, &[]);
    assert!(of("whole", "stub").starts_with("the CUDA driver library is a stub of a toolkit"));
    assert!(of("broken", "").starts_with("the CUDA driver library has no function cuDeviceGetCount"));
    assert_eq!(of("whole", "old"), "the CUDA driver serves CUDA 12.2, 13.0 or later is needed");
    for fake in ["no card", "none counted"] {
        assert_eq!(of("whole", fake), "the CUDA driver (13.0) sees no card");
    }
    let mismatch = "the CUDA driver fails in cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
    assert!(of("whole", "mismatch").starts_with(mismatch));
}

#[test]
fn cards_are_listed_also_when_another_process_holds_one() {
    let cards = "\ncuda:0 Fake Card A, 80.0 GiB (60.0 GiB free), compute capability 9.0\n\
                 cuda:1 Fake Card B, 80.0 GiB (free memory unknown: the CUDA driver fails in \
                 cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE), compute capability 9.0";
    let answer = said("probe", &["whole", "compiler"], "", &[]);
    assert_eq!(answer, format!("CUDA driver 13.0, compiler NVRTC 13.0{cards}"));
    let answer = said("probe", &["whole"], "", &[]);
    let compiler_here = !answer.contains("no compiler: NVRTC (libnvrtc.so) not found");
    assert!(answer.ends_with(cards) && (!compiler_here || nvrtc_is_installed()), "{answer}");
}

fn nvrtc_is_installed() -> bool {
    Command::new("ldconfig")
        .arg("-p")
        .output()
        .is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains("libnvrtc.so"))
}

#[test]
fn a_missing_compiler_is_said_when_a_kernel_is_needed() {
    let answer = said("work", &["whole"], "", &[]);
    let expected = match option_env!("SPH_PTX_DIR").unwrap_or_default() {
        "" => "kernels cannot be compiled: no NVRTC library (libnvrtc.so) found",
        // Built with kernels: they are used.
        _ => "done",
    };
    assert!(answer == expected || nvrtc_is_installed(), "{answer}");
}

#[test]
fn failures_name_the_kernel() {
    let of = |fake, variables: &[(&str, &str)]| said("work", &["whole", "compiler"], fake, variables);
    assert_eq!(of("", &[]), "done");
    assert_eq!(of("no launch", &[]), "kernel pack_positions failed: CUDA_ERROR_LAUNCH_FAILED");
    assert_eq!(of("no kernel", &[]), "kernel pack_positions failed: CUDA_ERROR_NOT_FOUND");
    assert_eq!(of("no load", &[]), "fields.cu was compiled but cannot be loaded: CUDA_ERROR_INVALID_PTX");
    let late = "download of 3200 bytes failed after kernel merge_maxima: CUDA_ERROR_ILLEGAL_ADDRESS";
    let late = late.replace("3200", &(200 * size_of::<Packed>()).to_string());
    assert_eq!(of("kernel fails", &[]), late);
    let early = "kernel pack_positions failed: CUDA_ERROR_ILLEGAL_ADDRESS";
    assert_eq!(of("kernel fails", &[("SPH_CUDA_WAIT", "1")]), early);
    let refused = of("", &[("SPH_FAKE_CODE", "refuse")]);
    assert_eq!(refused, "fields.cu does not compile: NVRTC_ERROR_COMPILATION\nwhat it has to say");
    let full = of("memory full", &[]);
    let bytes = 200 * size_of::<Packed>();
    assert_eq!(full, format!("no room for {bytes} bytes on the card: CUDA_ERROR_OUT_OF_MEMORY"));
}

#[test]
fn a_card_that_is_not_there_is_refused() {
    // In this process no library is staged: the reason differs, a card 1000 is never opened.
    assert!(matches!(Device::open(1000, Variant::default()), Err(CudaError::Unavailable(_))));
}

#[test]
fn kept_kernels_that_do_not_load_are_compiled_again() {
    let kept = staged().join("kept");
    let kept = kept.to_str().unwrap();
    let of = |fake, word| {
        let variables = [("SPH_KERNEL_CACHE", kept), ("SPH_FAKE_CODE", word)];
        said("work", &["whole", "compiler"], fake, &variables)
    };
    assert_eq!(of("", "stale"), "done");
    // Kept: the compiler, which would refuse, is not asked.
    assert_eq!(of("", "refuse"), "done");
    // The driver refuses what was kept: asked again, and this is kept instead.
    assert_eq!(of("stale cache", "fresh"), "done");
    assert_eq!(of("stale cache", "refuse"), "done");
}
