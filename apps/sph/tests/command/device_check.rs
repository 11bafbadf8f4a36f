//! The check of a GPU: what it refuses, its rehearsal without one, and the script that carries it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use crate::{
    cli::{assert_refused, folder},
    processor::no_gpu,
    skip::skip,
};
use std::{fs, path::Path, process::Command};

#[test]
fn a_check_without_a_gpu_is_refused_before_anything_is_done() {
    let folder = folder("check-refused");
    let Some(reason) = no_gpu(&folder) else { return skip("there is a GPU") };
    assert_refused(&folder, &["device-check", "--out", "out"], &["--backend cuda:0", &reason]);
    if !cfg!(feature = "host") {
        assert_refused(&folder, &["device-check", "--dry-run"], &["built without the feature `host`"]);
    }
}

#[cfg(feature = "host")]
mod rehearsal {
    use crate::cli::{folder, sph, stderr, stdout};
    use serde_json::Value;
    use std::{fs, path::Path};

    const NOTE: &str = "no GPU: nothing here was measured on one";

    fn rehearse(folder: &Path, more: &[&str], code: i32) -> (Value, String) {
        let output = sph(folder, &[&["device-check", "--dry-run", "--out", "out"], more].concat());
        assert_eq!(output.status.code(), Some(code), "{}\n{}", stdout(&output), stderr(&output));
        let read = |name: &str| fs::read_to_string(folder.join("out").join(name)).unwrap();
        (serde_json::from_str(&read("device-check.json")).unwrap(), read("device-check.md"))
    }

    fn names(check: &Value) -> Vec<&str> {
        check["sections"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect()
    }

    #[test]
    fn every_section_is_gone_through_and_no_speed_is_kept() {
        let folder = folder("rehearsal");
        let (check, _) = rehearse(&folder, &["--only", "kernels,sanitizer,variants"], 0);
        assert_eq!(names(&check), ["Kernels", "Sanitizer", "Variants"]);
        // A later call adds its sections; that of one that is there takes its place.
        let (check, page) = rehearse(&folder, &["--only", "parity,bits,steps,kernels"], 0);
        assert_eq!(names(&check), ["Sanitizer", "Variants", "Parity", "Bits", "Steps", "Kernels"]);
        assert_eq!(check["note"], NOTE);
        for part in [NOTE, "wcsph graphics 3D", "viscoelastic springs 2D", "not run: needs a GPU", "0 failed"]
        {
            assert!(page.contains(part), "{part:?} is not in {page}");
        }
        for speed in ["ms a step", "GB/s", "particle-steps/s", "ns a particle |"] {
            assert!(!page.contains(speed), "{speed:?} in a rehearsal");
        }
        let steps = &check["sections"][4]["lines"];
        let launches = |k: usize| steps[k]["numbers"]["launches a step"].as_f64().unwrap();
        assert!((1..5).all(|k| launches(k) > 5.0), "{steps}");
        // What belongs to another program is not mixed in.
        let file = folder.join("out/device-check.json");
        let other = fs::read_to_string(&file).unwrap().replace("\"emulator\"", "\"cuda:0\"");
        fs::write(&file, other).unwrap();
        let output = sph(&folder, &["device-check", "--dry-run", "--out", "out", "--only", "kernels"]);
        assert!(stderr(&output).contains("use another --out"), "{}", stderr(&output));
    }
}

/// A driver and a compiler that do nothing, in a folder.
#[cfg(feature = "cuda")]
fn staged(folder: &Path) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cuda-kernels/tests/fake");
    for (text, library) in [("driver.c", "libcuda.so.1"), ("compiler.c", "libnvrtc.so.13")] {
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-o"]).arg(folder.join(library)).arg(source.join(text));
        assert!(cc.status().unwrap().success());
    }
    folder.display().to_string()
}

#[cfg(feature = "cuda")]
#[test]
fn a_gpu_that_computes_nothing_or_dies_fails_its_lines() {
    let folder = folder("fake-gpu");
    let check = |fake: &str| {
        let mut sph = Command::new(env!("CARGO_BIN_EXE_sph"));
        sph.args(["device-check", "--only", "parity", "--out", fake]).current_dir(&folder);
        sph.env("LD_LIBRARY_PATH", staged(&folder)).env("SPH_KERNEL_CACHE", "").env("SPH_FAKE", fake);
        let output = sph.output().unwrap();
        let page = fs::read_to_string(folder.join(fake).join("device-check.md")).unwrap();
        assert_eq!(output.status.code(), Some(1), "{page}");
        assert!(page.contains("**0 lines passed, 16 failed, 0 were not run.**"), "{page}");
        page
    };
    assert!(check("nothing").contains("with every launch waited for: "));
    let dies = check("kernel fails");
    assert!(
        dies.contains("CUDA_ERROR_ILLEGAL_ADDRESS") && dies.contains("kernel count_cells failed"),
        "{dies}"
    );
}

fn script(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/device-check");
    let output =
        Command::new("bash").arg(path).args(arguments).envs(variables.iter().copied()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[test]
fn the_compiler_of_kernels_is_found_where_a_machine_has_it() {
    let folder = folder("find-nvrtc");
    let [wheel, toolkit, bin] = ["site/nvidia/cu13/lib", "local/cuda-13.0/lib64", "bin"].map(|part| {
        fs::create_dir_all(folder.join(part)).unwrap();
        folder.join(part)
    });
    fs::write(toolkit.join("libnvrtc.so.13"), "").unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let (root, site) = (folder.join("local"), folder.join("site"));
    let variables = [
        ("PATH", path.as_str()),
        ("SPH_CUDA_ROOT", root.to_str().unwrap()),
        ("PYTHONPATH", site.to_str().unwrap()),
    ];
    assert_eq!(script(&["find-nvrtc"], &variables), (Some(0), format!("{}\n", toolkit.display())));
    // Python's package comes first.
    fs::write(wheel.join("libnvrtc.so.13"), "").unwrap();
    assert_eq!(script(&["find-nvrtc"], &variables), (Some(0), format!("{}\n", wheel.display())));
}

#[test]
fn a_machine_with_an_older_c_library_is_told_so() {
    let folder = folder("old-glibc");
    let unpacked = folder.join("unpacked");
    fs::create_dir_all(&unpacked).unwrap();
    fs::write(folder.join("package.tar.gz"), "").unwrap();
    fs::write(unpacked.join("complete"), "").unwrap();
    fs::write(unpacked.join("package.json"), "{\n  \"glibc\": \"99.1\"\n}\n").unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/device-check");
    let carried = folder.join("device-check");
    fs::copy(source, &carried).unwrap();
    let output = Command::new("bash").arg(&carried).args(["run", "out"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the program needs glibc 99.1, this machine has 2."), "{said}");
}
