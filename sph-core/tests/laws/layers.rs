//! How the sources stand: imports lead down, files are short, and folders hold few things.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a failure is that of the test")]

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

/// The layers of each crate, modules of its root, from the ground to the top: a layer imports those that stand before
/// it. A crate that is not listed has no such order yet. What the root itself holds, as the type of a method, belongs
/// to no layer.
const LAYERS: &[(&str, &str)] = &[
    ("sph-core", "numerics keys kernel geometry neighbors fluid rigid method scene watch run"),
    ("solver-wcsph", "params physics step memory cpu setup derived gpu"),
    ("solver-pbf", "params physics step memory cpu setup derived gpu"),
    ("solver-viscoelastic", "params contact physics springs step cpu memory setup derived gpu"),
    ("solver-projection", "params physics cg aggregation step choices memory cpu setup derived gpu"),
    ("cuda-kernels", "device common wcsph pbf viscoelastic projection twins"),
    ("bench-suite", "system scenes result reference metrics output run cases campaign report studies"),
    ("apps/view", "wire shipped listing pane scenes session worker server"),
    ("apps/sph", "program output campaigns run studies list devices kernels view cli"),
];

/// Folders that may hold more: one entry stands for one thing of a kind.
const COLLECTIONS: &[&str] = &["sph-core/src/kernel", "bench-suite/src/cases", "bench-suite/src/metrics"];

/// Folders that still hold more than they should.
const CROWDED: &[&str] = &["cuda-kernels/src/device"];

const MOST_ENTRIES: usize = 12;
const MOST_LINES: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Entries of a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<_> = read.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// Calls `visit` for every folder below `folder`, and for itself.
fn walk(folder: &Path, visit: &mut impl FnMut(&Path, &[PathBuf])) {
    let entries = entries(folder);
    visit(folder, &entries);
    entries.iter().filter(|entry| entry.is_dir()).for_each(|entry| walk(entry, visit));
}

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(folder, &mut |_, entries| {
        let is_one =
            |file: &&PathBuf| extensions.iter().any(|e| file.extension().is_some_and(|own| own == *e));
        files.extend(entries.iter().filter(|file| file.is_file()).filter(is_one).cloned());
    });
    files
}

/// The `src` of every package of the workspace.
fn sources() -> Vec<PathBuf> {
    let groups = [root(), root().join("apps")].into_iter().filter(|group| group.is_dir());
    let packages =
        groups.flat_map(|group| entries(&group)).filter(|folder| folder.join("Cargo.toml").is_file());
    packages.map(|folder| folder.join("src")).collect()
}

/// As it is called from the root of the repository.
fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

/// Words and signs of a source without its comments, each with its line.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let mut rest = line.split("//").next().unwrap_or("");
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = if rest.starts_with("::") { 2 } else { word.max(first.len_utf8()) };
            if !first.is_whitespace() {
                tokens.push((k + 1, &rest[..length]));
            }
            rest = &rest[length..];
        }
    }
    tokens
}

/// Takes out modules that only tests compile, and returns the names of those that are files.
fn drop_tests<'a>(tokens: &mut Vec<(usize, &'a str)>) -> BTreeSet<&'a str> {
    const MARK: [&str; 8] = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
    let mut files = BTreeSet::new();
    let is_mark = |window: &[(usize, &str)]| window.iter().map(|token| token.1).eq(MARK);
    while let Some(at) = tokens.windows(MARK.len()).position(is_mark) {
        let behind = at + MARK.len() + 1;
        if tokens[behind].1 == ";" {
            files.insert(tokens[behind - 1].1);
        }
        let mut depth = 0;
        let end = (behind..tokens.len()).find(|&k| {
            depth += i32::from(tokens[k].1 == "{") - i32::from(tokens[k].1 == "}");
            depth == 0
        });
        // Braces in texts may not close; what only tests compile stands last in a file.
        tokens.drain(at..=end.unwrap_or(tokens.len() - 1));
    }
    files
}

/// All paths that begin at `at` behind `path`, as `b::c` and `b::d` of `b::{c, d}`; returns where they end.
fn paths(
    tokens: &[(usize, &str)],
    mut at: usize,
    path: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) -> usize {
    let mut path = path.to_vec();
    let line = tokens[at].0;
    while let Some(&(_, token)) = tokens.get(at) {
        if token == "{" {
            while at < tokens.len() && tokens[at].1 != "}" {
                at = paths(tokens, at + 1, &path, found);
            }
            return at + 1;
        }
        if !token.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            break;
        }
        path.push(token.to_owned());
        match tokens.get(at + 1) {
            Some(&(_, "::")) => at += 2,
            _ => {
                at += 1;
                break;
            }
        }
    }
    found.push((line, path));
    // Behind `a as b` and `a::*`, too, goes on the list.
    while tokens.get(at).is_some_and(|token| !matches!(token.1, "," | "}" | ";")) {
        at += 1;
    }
    at
}

/// Every path of a file, from the root of its crate: `use` or not, absolute or by `super`.
fn imports(tokens: &[(usize, &str)], own: &str, module: &[String]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (k, &(_, token)) in tokens.iter().enumerate() {
        let begins = k == 0 || tokens[k - 1].1 != "::";
        if !begins || tokens.get(k + 1).is_none_or(|next| next.1 != "::") {
            continue;
        }
        if token == "crate" || token == own {
            paths(tokens, k + 2, &[], &mut found);
        } else if token == "super" {
            let (mut at, mut up) = (k, module.len());
            while tokens[at].1 == "super" && tokens[at + 1].1 == "::" {
                (at, up) = (at + 2, up.saturating_sub(1));
            }
            paths(tokens, at, &module[..up], &mut found);
        }
    }
    found
}

/// The modules around what a file holds, from the root of its crate: `a::b` for `a/b.rs` and for `a/b/mod.rs`.
fn module(file: &Path, src: &Path) -> Vec<String> {
    let parts = file.strip_prefix(src).unwrap().with_extension("");
    let parts = parts.iter().map(|part| part.to_str().unwrap().to_owned());
    parts.filter(|part| part != "mod").collect()
}

/// The tokens of a crate's files, without those that only tests compile.
fn parsed(texts: &[(PathBuf, String)]) -> Vec<(&Path, Vec<(usize, &str)>)> {
    let mut of_tests = BTreeSet::new();
    let mut parsed = Vec::new();
    for (file, text) in texts {
        let mut tokens = tokens(text);
        let is_folder = matches!(file.file_stem().and_then(OsStr::to_str), Some("mod" | "lib" | "main"));
        let folder = if is_folder { file.with_file_name("") } else { file.with_extension("") };
        of_tests
            .extend(drop_tests(&mut tokens).into_iter().map(|name| folder.join(name).with_extension("rs")));
        parsed.push((file.as_path(), tokens));
    }
    parsed.retain(|(file, _)| !of_tests.contains(*file));
    parsed
}

/// Imports of a crate that lead upward, and layers that the list does not name.
fn upward(krate: &str, layers: &[&str]) -> Vec<String> {
    // The core shows its errors at the root, too.
    let shown = |known: &str, layer: &str| (krate, known, layer) == ("sph-core", "keys", "error");
    let floor = |layer: &str| layers.iter().position(|known| *known == layer || shown(known, layer));
    let (src, own) = (root().join(krate).join("src"), krate.replace('-', "_"));
    let texts =
        files(&src, &["rs"]).into_iter().map(|file| (file.clone(), fs::read_to_string(file).unwrap()));
    let mut wrong = Vec::new();
    for (file, tokens) in parsed(&texts.collect::<Vec<_>>()) {
        let module = module(file, &src);
        let layer = &module[0][..];
        if module.len() == 1 && matches!(layer, "lib" | "main") {
            continue;
        }
        let Some(own_floor) = floor(layer) else {
            wrong.push(format!("{}: `{layer}` is not among the layers of {krate}", name(file)));
            continue;
        };
        for (line, path) in imports(&tokens, &own, &module) {
            if path.first().and_then(|layer| floor(layer)).is_some_and(|floor| floor > own_floor) {
                wrong.push(format!("{}:{line}: `{layer}` imports `{}`", name(file), path.join("::")));
            }
        }
    }
    wrong
}

#[test]
fn imports_lead_down() {
    let wrong =
        LAYERS.iter().flat_map(|(krate, layers)| upward(krate, &layers.split(' ').collect::<Vec<_>>()));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "imports that lead upward:\n{}", wrong.join("\n"));
}

#[test]
fn no_source_is_longer_than_500_lines() {
    let files = sources().into_iter().flat_map(|src| files(&src, &["rs", "cu", "cuh", "h", "cpp"]));
    let lines = files.map(|file| (fs::read_to_string(&file).unwrap().lines().count(), name(&file)));
    let long: Vec<_> = lines.filter(|(lines, _)| *lines > MOST_LINES).collect();
    assert!(long.is_empty(), "{long:?}");
}

/// A folder of layers holds at most twelve modules, each with the folder of its submodules.
#[test]
fn a_folder_of_layers_holds_at_most_twelve_things() {
    let mut full = Vec::new();
    for (krate, _) in LAYERS {
        walk(&root().join(krate).join("src"), &mut |folder, entries| {
            let things: BTreeSet<_> = entries.iter().map(|entry| entry.file_stem()).collect();
            if things.len() > MOST_ENTRIES
                && !COLLECTIONS.iter().chain(CROWDED).any(|known| *known == name(folder))
            {
                full.push((name(folder), things.len()));
            }
        });
    }
    assert!(full.is_empty(), "{full:?}");
}
