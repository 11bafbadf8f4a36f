//! Rust and CUDA name the same kernels.

use cuda_kernels::device::{compile::source, emulator};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn texts(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(texts(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_kernel_is_exported_and_built() {
    let with = |(name, smoothing): (&'static str, &'static [&'static str])| match smoothing {
        [] => vec![(name, None)],
        kernels => kernels.iter().map(|kernel| (name, Some(*kernel))).collect(),
    };
    let built: BTreeSet<_> = emulator::kernels().flat_map(with).collect();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut n = 0;
    for path in texts(&src, "cu") {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let kernels = lines.iter().filter(|l| l.starts_with("KERNEL ")).count();
        let exports: Vec<&str> =
            lines.iter().filter_map(|l| l.strip_prefix("SHIM_EXPORT(")?.strip_suffix(')')).collect();
        assert_eq!(kernels, exports.len(), "{}: a SHIM_EXPORT after each kernel", path.display());
        let file = path.strip_prefix(&src).unwrap().to_str().unwrap();
        for name in exports {
            for smoothing in source::smoothing(file) {
                assert!(built.contains(&(name, smoothing)), "{name} was not built with {smoothing:?}");
                n += 1;
            }
        }
    }
    let broken = built.iter().filter(|(name, _)| name.starts_with("broken_")).count();
    assert_eq!(n + broken, built.len());
}
