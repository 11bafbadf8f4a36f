//! What is said of a machine without a usable GPU, or with one that fails: staged with libraries that the test builds.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on has failed")]

use cuda_kernels::{
    common::numerics::fields::Packed,
    device::{
        backend::Device,
        compile::{source, variant::Variant},
        error::CudaError,
    },
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

mod scenes;

/// A folder with libraries under the names that a machine would have, built once.
fn staged() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake");
        let _ = fs::remove_dir_all(&folder);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fake");
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
    if let Some(answer) = env::var("SPH_SCENE").ok().and_then(|scene| scenes::play(&scene)) {
        println!("<<{answer}>>");
    }
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
    for fake in ["no GPU", "none counted"] {
        assert_eq!(of("whole", fake), "the CUDA driver (13.0) sees no GPU");
    }
    let mismatch = "the CUDA driver fails in cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
    assert!(of("whole", "mismatch").starts_with(mismatch));
}

#[test]
fn gpus_are_listed_also_when_another_process_holds_one() {
    let gpus = "\ncuda:0 Fake GPU A, 80.0 GiB (60.0 GiB free), compute capability 9.0\n\
                 cuda:1 Fake GPU B, 80.0 GiB (free memory unknown: the CUDA driver fails in \
                 cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE), compute capability 9.0";
    let answer = said("probe", &["whole", "compiler"], "", &[]);
    assert_eq!(answer, format!("CUDA driver 13.0, compiler NVRTC 13.0{gpus}"));
    let answer = said("probe", &["whole"], "", &[]);
    let compiler_here = !answer.contains("no compiler: NVRTC (libnvrtc.so) not found");
    assert!(answer.ends_with(gpus) && (!compiler_here || nvrtc_is_installed()), "{answer}");
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
    let expected = "kernels cannot be compiled: no NVRTC library (libnvrtc.so) found";
    assert!(answer.starts_with(expected) || nvrtc_is_installed(), "{answer}");
}

#[test]
fn failures_name_the_kernel() {
    let of = |fake, variables: &[(&str, &str)]| said("work", &["whole", "compiler"], fake, variables);
    assert_eq!(of("", &[]), "done");
    assert_eq!(of("no launch", &[]), "kernel pack_positions failed: CUDA_ERROR_LAUNCH_FAILED");
    assert_eq!(of("no kernel", &[]), "kernel pack_positions failed: CUDA_ERROR_NOT_FOUND");
    assert_eq!(
        of("no load", &[]),
        "common/numerics/fields.cu was compiled but cannot be loaded: CUDA_ERROR_INVALID_PTX"
    );
    let late = "download of 3200 bytes failed after kernel merge_maxima: CUDA_ERROR_ILLEGAL_ADDRESS";
    let late = late.replace("3200", &(200 * size_of::<Packed>()).to_string());
    assert_eq!(of("kernel fails", &[]), late);
    let early = "kernel pack_positions failed: CUDA_ERROR_ILLEGAL_ADDRESS";
    assert_eq!(of("kernel fails", &[("SPH_CUDA_WAIT", "1")]), early);
    let refused = of("", &[("SPH_FAKE_CODE", "refuse")]);
    assert_eq!(
        refused,
        "common/numerics/fields.cu does not compile: NVRTC_ERROR_COMPILATION\nwhat it has to say"
    );
    let full = of("memory full", &[]);
    let bytes = 200 * size_of::<Packed>();
    assert_eq!(full, format!("no memory for {bytes} bytes on the GPU: CUDA_ERROR_OUT_OF_MEMORY"));
}

#[test]
fn a_gpu_that_is_not_there_is_refused() {
    // In this process no library is staged: the reason differs, a GPU 1000 is never opened.
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

/// Compiles ahead what a compiler with `variables` makes of all texts; returns the folder.
fn carried(name: &str, architectures: &str, variables: &[(&str, &str)]) -> String {
    let folder = staged().join(name).to_str().unwrap().to_owned();
    let told = [("SPH_FOLDER", folder.as_str()), ("SPH_ARCHITECTURES", architectures)];
    let files = said("ahead", &["whole", "compiler"], "", &[&told, variables].concat());
    let expected = source::builds().count() * architectures.split(' ').count();
    assert_eq!(files.parse(), Ok(expected), "{files}");
    folder
}

#[test]
fn kernels_compiled_ahead_run_where_no_compiler_would_make_them() {
    let folder = carried("carried", "sm_90 compute_80", &[("SPH_FAKE_CODE", "ahead")]);
    let of = |parts: &[&str], variables: &[(&str, &str)]| {
        let always = [("SPH_KERNEL_AHEAD", folder.as_str()), ("SPH_FAKE_CODE", "refuse")];
        said("work", parts, "", &[&always, variables].concat())
    };
    let (with, without) = (["whole", "compiler"], ["whole"]);
    // The compiler, which would refuse, is not asked, be it of another version, or not there at all.
    for parts in [&with[..], &without] {
        assert_eq!(of(parts, &[("SPH_FAKE_LOADS", "ahead")]), "done");
        assert_eq!(of(parts, &[("SPH_FAKE_NVRTC", "1"), ("SPH_FAKE_LOADS", "ahead")]), "done");
        // PTX for a GPU that came later, and for a driver that refuses the machine code.
        assert_eq!(of(parts, &[("SPH_FAKE_CAPABILITY", "100"), ("SPH_FAKE_LOADS", "ptx ahead")]), "done");
        assert_eq!(of(parts, &[("SPH_FAKE_LOADS", "ptx ahead")]), "done");
    }
    // Neither code is of this variant, nor for this GPU.
    let refused = "common/numerics/fields.cu does not compile: NVRTC_ERROR_COMPILATION\nwhat it has to say";
    for other in [("SPH_CUDA_VARIANT", "strict"), ("SPH_FAKE_CAPABILITY", "75")] {
        assert_eq!(of(&with, &[other]), refused);
        let answer = of(&without, &[other]);
        assert!(answer.starts_with("kernels cannot be compiled") || nvrtc_is_installed(), "{answer}");
    }
    let loads = of(&without, &[("SPH_FAKE_LOADS", "other code")]);
    let expected =
        "common/numerics/fields.cu was compiled but cannot be loaded: CUDA_ERROR_NO_BINARY_FOR_GPU";
    assert!(loads == expected || nvrtc_is_installed(), "{loads}");
}

#[test]
fn kernels_compiled_ahead_are_listed() {
    let folder = carried("listed", "sm_80", &[]);
    let of = |parts: &[&str]| said("probe", parts, "", &[("SPH_KERNEL_AHEAD", &folder)]);
    assert!(of(&["whole", "compiler"]).contains("NVRTC 13.0; kernels compiled ahead for sm_80\n"));
    let nowhere = said("work", &["whole", "compiler"], "", &[("SPH_KERNEL_AHEAD", "/nowhere")]);
    assert!(nowhere.starts_with("kernels compiled ahead in /nowhere: "), "{nowhere}");
}

#[test]
fn damaged_kernels_and_those_of_another_compiler_are_not_used() {
    let folder = carried("cut", "sm_90", &[("SPH_FAKE_CODE", "ahead")]);
    let of = || {
        let variables = [("SPH_KERNEL_AHEAD", folder.as_str()), ("SPH_FAKE_CODE", "refuse")];
        said("work", &["whole", "compiler"], "", &variables)
    };
    assert_eq!(of(), "done");
    let compiler = Path::new(&folder).join("compiler");
    let said = fs::read_to_string(&compiler).unwrap();
    fs::write(&compiler, said.replace("13.0", "13.1")).unwrap();
    assert!(of().starts_with("common/numerics/fields.cu does not compile"));
    fs::write(&compiler, said).unwrap();
    assert_eq!(of(), "done");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "bin") {
            let whole = fs::read(&path).unwrap();
            fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        }
    }
    assert!(of().starts_with("common/numerics/fields.cu does not compile"));
}

#[test]
fn values_may_change_as_soon_as_their_copy_was_asked_for() {
    assert_eq!(said("copies", &["whole", "compiler"], "", &[]), "done");
    assert_eq!(said("work", &["whole", "compiler"], "no pinned memory", &[]), "done");
}

#[test]
fn memory_that_a_pool_keeps_is_free() {
    for variables in [&[][..], &[("SPH_FAKE_POOLS", "1")]] {
        for scene in ["pool", "work"] {
            assert_eq!(said(scene, &["whole", "compiler"], "", variables), "done");
        }
    }
}

#[test]
fn a_profile_sums_up_the_times_of_each_kernel() {
    assert_eq!(said("profile", &["whole", "compiler"], "", &[]), "done");
}

#[test]
fn every_call_after_a_fault_tells_of_the_kernel_that_made_it() {
    let pools = ("SPH_FAKE_POOLS", "1");
    let calls = [
        ("SPH_UNLOADED", "the loading of common/numerics/reduce.cu"),
        ("SPH_LOADED", "the start of max_reals"),
    ];
    for (set, call) in calls {
        for variables in [&[(set, "1")][..], &[(set, "1"), pools]] {
            let answer = said("dead", &["whole", "compiler"], "kernel dies", variables);
            let expected = "kernel pack_positions failed: CUDA_ERROR_ILLEGAL_ADDRESS, found by";
            assert_eq!(answer, format!("{expected} {call}"));
        }
    }
}
