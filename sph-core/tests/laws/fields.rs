//! Initial fields from the nodes of grids.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use proptest::prelude::*;
use sph_core::{
    kernel::{Formula as _, WendlandC2},
    scene::{Fluid, Scene, setup},
};
use std::{
    array::from_fn,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// A table of points, as text.
pub fn csv(names: &str, rows: &[Vec<f64>]) -> String {
    let mut text = format!("{names}\n");
    for row in rows {
        let cells: Vec<_> = row.iter().map(f64::to_string).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    text
}

/// Arrays of these names and numbers of columns, which follow each other in the rows, as NumPy writes them.
pub fn npz(arrays: &[(&str, usize)], rows: &[Vec<f64>]) -> Vec<u8> {
    let mut first = 0;
    let of = |(k, &(name, columns))| {
        first += columns;
        // Of either order, of one and of two dimensions.
        let part: Vec<_> = rows.iter().map(|row| &row[first - columns..first]).collect();
        (name, npy(&part, k % 2 == 1))
    };
    archive(&arrays.iter().enumerate().map(of).collect::<Vec<_>>())
}

fn npy(rows: &[&[f64]], by_columns: bool) -> Vec<u8> {
    let (n, columns) = (rows.len(), rows[0].len());
    let shape = if columns == 1 { format!("({n},)") } else { format!("({n}, {columns})") };
    let numbers: Vec<f64> = match by_columns {
        true => (0..columns).flat_map(|c| rows.iter().map(move |row| row[c])).collect(),
        false => rows.concat(),
    };
    let mut bytes = head(&shape, by_columns);
    numbers.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes
}

fn head(shape: &str, by_columns: bool) -> Vec<u8> {
    let order = if by_columns { "True" } else { "False" };
    let text = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    [&b"\x93NUMPY\x01\x00"[..], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

/// Arrays in an archive, the first compressed, the next stored, and so on.
fn archive(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let methods = [CompressionMethod::Deflated, CompressionMethod::Stored].into_iter().cycle();
    for ((name, bytes), method) in arrays.iter().zip(methods) {
        let options = SimpleFileOptions::default().compression_method(method);
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Rows of a grid: places, then values there; the last axis fastest, which is not the order of the program.
pub fn grid<const D: usize>(axes: [&[f64]; D], values: impl Fn(&[f64; D]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let n: usize = axes.iter().map(|axis| axis.len()).product();
    let place = |mut k: usize| {
        let mut x = [0.0; D];
        for a in (0..D).rev() {
            x[a] = axes[a][k % axes[a].len()];
            k /= axes[a].len();
        }
        x
    };
    (0..n).map(place).map(|x| [&x[..], &values(&x)].concat()).collect()
}

fn scene(dim: usize, keys: &str) -> Result<Scene, String> {
    let (low, high) = (&"0, 0, 0"[..3 * dim - 2], &"1, 1, 1"[..3 * dim - 2]);
    let text = format!(
        "dim = {dim}\nspacing = 0.1\nrun.end_time = 1\n[[fluid]]\njitter = 0.2\n\
         shape.block = {{ min = [{low}], max = [{high}] }}\n{keys}"
    );
    let name = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scene.toml");
    Scene::parse(&name.display().to_string(), &text).map_err(|error| error.to_string())
}

fn particles<const D: usize>(fluid: &Fluid) -> Vec<[f64; D]> {
    fluid.sample("fluid[0]", 0.1).unwrap()
}

/// Values and slopes of fields that are linear: `f + s·x`.
const FIELDS: [(f64, [f64; 3]); 4] =
    [(0.5, [1.0, -2.0, 0.3]), (-1.5, [0.1, 3.0, 1.1]), (0.0, [-2.0, 0.7, 5.0]), (1e3, [4e3, -9e3, 500.0])];

fn linear(field: usize, x: &[f64]) -> f64 {
    let (f, s) = FIELDS[field];
    f + x.iter().zip(s).map(|(x, s)| s * x).sum::<f64>()
}

const UNEVEN: [&[f64]; 3] = [&[-0.1, 0.3, 0.35, 1.2], &[-0.5, 0.5, 1.25], &[-0.25, 1.5]];

fn linear_fields_come_back<const D: usize>() {
    let (velocity, pressure) = (
        grid::<D>(from_fn(|a| UNEVEN[a]), |x| (0..D).map(|k| linear(k, x)).collect()),
        grid::<D>(from_fn(|a| UNEVEN[a]), |x| vec![linear(3, x)]),
    );
    let places = ["x [m]", "y [m]", "z [m]"][..D].join(", ");
    let axes = ["velocity_x [m/s]", "velocity_y [m/s]", "velocity_z [m/s]"][..D].join(",");
    // What is not asked for is not read: columns that are no numbers, another array.
    let more = csv(&format!("{places},pressure [Pa]"), &pressure)
        .replace('\n', ",a\n")
        .replacen(",a\n", ", id\n", 1);
    file(&format!("linear{D}.csv"), csv(&format!("{places}, {axes}"), &velocity));
    file(&format!("linear_p{D}.csv"), more);
    file(&format!("linear{D}.npz"), npz(&[("x", D), ("velocity", D)], &velocity));
    file(&format!("linear_p{D}.npz"), npz(&[("x", D), ("pressure", 1)], &pressure));
    for kind in ["csv", "npz"] {
        let scene = scene(
            D,
            &format!(
                "velocity.table.file = \"linear{D}.{kind}\"\npressure.table.file = \"linear_p{D}.{kind}\"\n"
            ),
        );
        let fluid = &scene.unwrap().fluid[0];
        for x in particles::<D>(fluid) {
            let v = fluid.velocity.at(&x);
            // A few roundings of the largest values around, 3 m/s · 1.5 m and so on.
            assert!((0..D).all(|k| (v[k] - linear(k, &x)).abs() < 1e-14), "{x:?} {v:?}");
            assert!((fluid.pressure.at(&x, 1.0, &[0.0; D]) - linear(3, &x)).abs() < 1e-11);
        }
    }
}

#[test]
fn a_linear_field_comes_back_at_the_particles() {
    linear_fields_come_back::<2>();
    linear_fields_come_back::<3>();
}

fn coordinates() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.01..1.0_f64, 1..6).prop_map(|steps| {
        let mut all = vec![-0.1];
        all.extend(steps.iter().scan(-0.1, |x, step| {
            *x += step;
            Some(*x)
        }));
        // All particles lie within.
        let last = all.len() - 1;
        all[last] = all[last].max(1.1);
        all
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// With one factor an axis, any such field is exact, and no order of the rows changes a bit.
    #[test]
    fn multilinear_fields_are_exact_for_any_order_of_rows(
        axes in [coordinates(), coordinates()],
        slopes in prop::array::uniform2(-2.0..2.0_f64),
        seed in any::<u64>(),
    ) {
        let field = |x: &[f64; 2]| (1.0 + slopes[0] * x[0]) * (1.0 + slopes[1] * x[1]);
        let mut rows = grid([&axes[0], &axes[1]], |x| vec![field(x)]);
        let table = |rows: &[Vec<f64>]| {
            let path = file("order.csv", csv("x [m],y [m],pressure [Pa]", rows));
            scene(2, &format!("pressure.table.file = {path:?}\n")).unwrap().fluid[0].clone()
        };
        let fluid = table(&rows);
        rows.sort_by_key(|row| (row[0].to_bits() ^ row[1].to_bits()).wrapping_mul(seed | 1));
        let mixed = table(&rows);
        for x in particles::<2>(&fluid) {
            let p = fluid.pressure.at(&x, 1.0, &[0.0; 2]);
            prop_assert!((p - field(&x)).abs() < 1e-13, "{:?} {} {}", x, p, field(&x));
            prop_assert_eq!(p.to_bits(), mixed.pressure.at(&x, 1.0, &[0.0; 2]).to_bits());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a file holds, it is a field of finite numbers or it is refused.
    #[test]
    fn a_damaged_file_is_read_or_refused(
        kind in 0..2_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let rows = grid([&[-0.1, 0.5, 1.1], &[-0.1, 1.1]], |x| vec![x[0], x[1], 7.0]);
        let mut bytes = match kind {
            0 => csv("x [m],y [m],velocity_x [m/s],velocity_y [m/s],pressure [Pa]", &rows).into_bytes(),
            _ => npz(&[("x", 2), ("velocity", 2), ("pressure", 1)], &rows),
        };
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(length.map_or(bytes.len(), |length| length.index(bytes.len())));
        let path = file(["damaged.csv", "damaged.npz"][kind], bytes);
        match scene(2, &format!("velocity.table.file = {path:?}\npressure.table.file = {path:?}\n")) {
            Err(error) => prop_assert!(error.contains("fluid[0].") && error.contains(".table.file = "), "{}", error),
            Ok(scene) => {
                let fluid = &scene.fluid[0];
                let finite = |x: &[f64; 2]| fluid.velocity.at(x).iter().all(|v| v.is_finite());
                let points = fluid.sample::<2>("fluid[0]", 0.1);
                prop_assert!(points.is_err() || points.is_ok_and(|points| points.iter().all(finite)));
            }
        }
    }
}

/// A block from a file of its own particles.
fn places_are_the_particles<const D: usize>() {
    let filled = scene(D, "").unwrap();
    let points = particles::<D>(&filled.fluid[0]);
    let rows: Vec<_> = points.iter().map(|x| x.to_vec()).collect();
    file(&format!("places{D}.csv"), csv(&["x [m]", "y [m]", "z [m]"][..D].join(","), &rows));
    file(&format!("places{D}.npz"), npz(&[("x", D)], &rows));
    for kind in ["csv", "npz"] {
        let mut scene = scene(D, &format!("places.file = \"places{D}.{kind}\"\n")).unwrap();
        assert_ne!(particles::<D>(&scene.fluid[0]), points, "jitter moves places, too");
        scene.fluid[0].jitter = 0.0;
        assert_eq!(particles::<D>(&scene.fluid[0]), points);
        assert_eq!(scene.estimate().unwrap().fluid, points.len() as f64);
        let kernel = <WendlandC2<D>>::new(0.3);
        let build = |scene: &Scene| setup::build::<D>(scene, &kernel).unwrap().state;
        let (found, expected) = (build(&scene), build(&filled));
        assert_eq!((found.fluid.x, found.rest.m), (expected.fluid.x, expected.rest.m));
    }
}

#[test]
fn places_of_a_file_are_the_particles() {
    places_are_the_particles::<2>();
    places_are_the_particles::<3>();
}

#[test]
fn places_lie_in_the_shape_and_in_no_cut() {
    let path = file("place.csv", "x [m],y [m]\n0.25,0.25\n1,0.5\n");
    let keys =
        format!("cut = [{{ block = {{ min = [0.6, 0.6], max = [2, 2] }} }}]\nplaces.file = {path:?}\n");
    let mut fluid = scene(2, &keys).unwrap().fluid[0].clone();
    fluid.jitter = 0.0;
    assert_eq!(particles::<2>(&fluid), [[0.25, 0.25], [1.0, 0.5]], "on the surface is in the shape");
    for place in ["1.01,0.5", "0.61,0.7"] {
        fs::write(&path, format!("x [m],y [m]\n0.25,0.25\n{place}\n")).unwrap();
        let outside = scene(2, &keys).unwrap().fluid[0].clone();
        let error = outside.sample::<2>("fluid[0]", 0.1).unwrap_err().to_string();
        assert!(error.starts_with("fluid[0].places.file = ") && error.contains("row 1 from 0"), "{error}");
    }
}

/// Between nodes h apart a multilinear field misses at most `h²/8 Σ |∂²f/∂x_a²|`, and comes near to that.
#[test]
fn a_vortex_from_a_table_begins_as_its_formula_up_to_the_interpolation() {
    let state = |keys: &str| {
        let scene = scene(2, keys).unwrap();
        let kernel = <WendlandC2<2>>::new(0.3);
        setup::build::<2>(&scene, &kernel).unwrap()
    };
    let exact = state("velocity.taylor_green = {}\npressure.taylor_green = {}\n");
    let k = std::f64::consts::TAU;
    for n in [40, 80] {
        let h = 1.0 / f64::from(n);
        let axis: Vec<f64> = (-2..=n + 2).map(|i| f64::from(i) * h).collect();
        let vortex = |x: &[f64; 2]| {
            let [(sin_x, cos_x), (sin_y, cos_y)] = x.map(|x| (k * x).sin_cos());
            let p = -250.0 * ((2.0 * k * x[0]).cos() + (2.0 * k * x[1]).cos());
            vec![-cos_x * sin_y, sin_x * cos_y, p]
        };
        let rows = grid([&axis, &axis], vortex);
        let path = file("vortex.npz", npz(&[("x", 2), ("velocity", 2), ("pressure", 1)], &rows));
        let found = state(&format!("velocity.table.file = {path:?}\npressure.table.file = {path:?}\n"));
        assert_eq!(found.state.fluid.x, exact.state.fluid.x);
        let miss = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let of = |axis: &[sph_core::Real]| axis.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
        let bound = h * h / 8.0 * 2.0 * k * k;
        for a in 0..2 {
            let miss = miss(&of(&found.state.fluid.v[a]), &of(&exact.state.fluid.v[a]));
            assert!((0.5 * bound..bound).contains(&miss), "{n}: {miss} of {bound}");
        }
        let miss = miss(&found.pressure, &exact.pressure);
        let bound = h * h / 8.0 * 500.0 * 4.0 * k * k;
        assert!((0.5 * bound..bound).contains(&miss), "{n}: {miss} of {bound} Pa");
    }
}

/// Coordinates that differ by up to a millionth of the grid are the same node.
/// Files of few digits, or of single precision, name the same node by numbers that are not the same.
#[test]
fn coordinates_up_to_a_millionth_of_the_grid_are_one() {
    let text = "x [m],y [m],pressure [Pa]\n0.0500004,0,1\n1.0,0,3\n0.0500008,1,1\n0.9999999,1,3\n";
    let path = file("digits.csv", text);
    let mut fluid = scene(2, &format!("pressure.table.file = {path:?}\n")).unwrap().fluid[0].clone();
    let error = fluid.sample::<2>("fluid[0]", 0.1).unwrap_err().to_string();
    assert!(
        error.starts_with("fluid[0].pressure.table.file = ")
            && error.contains("has no value for the particle at [")
    );
    assert!(error.contains("its grid goes from [0.0500004, 0.0] to [0.9999999, 1.0] m"), "{error}");
    // Half a spacing from its sides a block has its first and last particles.
    fluid.jitter = 0.0;
    assert_eq!(particles::<2>(&fluid).len(), 100);
    assert_eq!(fluid.pressure.at(&[0.05, 0.95], 1.0, &[0.0; 2]), 1.0);
}

/// The error of a table of pressure in a file.
fn of(name: &str, bytes: &[u8]) -> String {
    let path = file(name, bytes);
    let error = scene(2, &format!("pressure.table.file = {path:?}\n")).unwrap_err();
    assert!(error.contains("scene.toml:7:23: fluid[0].pressure.table.file = "), "{error}");
    error
}

#[test]
fn what_is_no_field_is_refused() {
    let names = "x [m],y [m],pressure [Pa]\n";
    let square = "0,0,1\n1,0,1\n0,1,1\n";
    for (text, expected) in [
        ("".to_owned(), "line 1: no header"),
        (names.to_owned(), "has no row of numbers"),
        (format!("{names}{square}"), "has no point at [1.0, 1.0] m: 3 points are no grid of 2 x 2"),
        (format!("{names}{square}0,1.0,1\n"), "line 5: has the point [0.0, 1.0] m of line 4 again"),
        (format!("{names}{square}1,1,nan\n"), "line 5: has \"nan\", which is no finite number"),
        (format!("{names}{square}1,1,\n"), "line 5: has \"\", which is no finite number"),
        (format!("{names}{square}1,1\n"), "line 5: 2 numbers, expected 3"),
        (format!("{names}0,0,1\n0,1,1\n"), "has all points at x = 0 m, needs two places along each axis"),
        ("x [m],y [m],pressure [kPa]\n".to_owned(), "line 1: has a column `pressure [kPa]`"),
        ("x,y [m],pressure [Pa]\n".to_owned(), "line 1: has a column `x`"),
        ("x [m],x [m],y [m]\n".to_owned(), "line 1: names the column `x [m]` twice"),
        (
            "x [m],pressure [Pa]\n".to_owned(),
            "has no column `y [m]`; name columns x [m], y [m], pressure [Pa]",
        ),
    ] {
        let error = of("none.csv", text.as_bytes());
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    let utf16: Vec<u8> = format!("\u{feff}{names}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(of("utf16.csv", &utf16).contains("is no text in UTF-8"));
    assert!(of("points.dat", b"").contains("must end in .csv or .npz"));
    assert!(of("none.npz", b"PK").contains("none.npz\": "));
    let square = || grid([&[0.0, 1.0], &[0.0, 1.0]], |_| vec![1.0]);
    let mut rows = square();
    assert!(of("two.npz", &npz(&[("x", 2), ("p", 1)], &rows)).contains("has no array `pressure`"));
    assert!(
        of("wide.npz", &npz(&[("x", 1), ("pressure", 2)], &rows))
            .contains("has 1 components of `x` at each point, must have 2")
    );
    rows[2][2] = f64::INFINITY;
    let arrays = [("x", 2), ("pressure", 1)];
    assert!(of("inf.npz", &npz(&arrays, &rows)).contains("row 2 from 0: `pressure` has inf"));
    rows = square();
    rows[3] = rows[1].clone();
    assert!(
        of("again.npz", &npz(&arrays, &rows)).contains("row 3 from 0: has the point [0.0, 1.0] m of row 1")
    );
    let short = [("x", npy(&[&[0.0, 0.0], &[1.0, 1.0]], false)), ("pressure", npy(&[&[1.0]], false))];
    assert!(of("short.npz", &archive(&short)).contains("has 1 points in `pressure` and 2 in `x`"));
    // Places with few values each way would be a grid of many.
    let apart: Vec<Vec<f64>> = (0..3000).map(|k| vec![f64::from(k), f64::from(k) * 0.5, 0.0]).collect();
    assert!(of("apart.npz", &npz(&arrays, &apart)).contains("3000 points are no grid of 3000 x 3000"));
}

#[test]
fn huge_files_and_arrays_are_refused_unread() {
    let path = file("huge.csv", "");
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let keys = format!("velocity.table.file = {path:?}\n");
    assert!(scene(2, &keys).unwrap_err().contains("has 1099511627776 B, more than 134217728 B"));
    fs::remove_file(path).unwrap();
    let refused = |name: &str, x: Vec<u8>, expected: &str| {
        let path = file(name, archive(&[("x", x)]));
        let error = scene(2, &format!("velocity.table.file = {path:?}\n")).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    // Zeros take a thousandth of their memory.
    refused("bomb.npz", vec![0; 129 << 20], "x: has more than 134217728 B");
    // No row of very many columns.
    refused("columns.npz", head("(0, 99999999999)", true), "x: holds no number");
}

#[test]
fn a_scene_keeps_its_tables_and_refuses_others() {
    let rows = grid([&[-1.0, 2.0], &[-1.0, 2.0]], |_| vec![1.0, 2.0]);
    let text = csv("x [m],y [m],velocity_x [m/s],velocity_y [m/s]", &rows);
    let path = file("kept_flow.csv", &text);
    let whole = scene(2, "velocity.table.file = \"kept_flow.csv\"\n").unwrap();
    let stored = whole.to_toml().unwrap();
    assert!(stored.contains("checksum = ") && stored.contains(&path.display().to_string()));
    assert_eq!(Scene::parse("elsewhere/stored.toml", &stored).unwrap(), whole);
    fs::write(&path, text.replace("2\n", "3\n")).unwrap();
    let error = Scene::parse("elsewhere/stored.toml", &stored).unwrap_err().to_string();
    assert!(
        error.contains("fluid[0].velocity.table.checksum = ") && error.contains("has changed"),
        "{error}"
    );
}
