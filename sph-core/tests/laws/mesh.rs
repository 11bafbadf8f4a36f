//! Laws of meshes from files.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use proptest::prelude::*;
use sph_core::{
    geometry::{
        sampling::{Lattice, Layers, Side, fill, layers},
        shape::{Block, Mesh, Region, Rotated, Shape},
    },
    rigid::Form,
    scene::Scene,
};
use std::{
    f64::consts::PI,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

type Triangle = [[f64; 3]; 3];

/// Twelve triangles, counterclockwise from outside.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> Vec<Triangle> {
    let at = |k: usize| std::array::from_fn(|a| if k >> a & 1 == 0 { low[a] } else { high[a] });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).map(|t| t.map(at)).collect()
}

/// An octahedron, its triangles divided, on a sphere.
fn sphere(radius: f64, divisions: u32) -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for k in 0..8 {
        let sign = |a: usize| if k >> a & 1 == 0 { 1.0 } else { -1.0 };
        let (x, y, z) = ([sign(0), 0.0, 0.0], [0.0, sign(1), 0.0], [0.0, 0.0, sign(2)]);
        triangles.push(if sign(0) * sign(1) * sign(2) > 0.0 { [x, y, z] } else { [x, z, y] });
    }
    for _ in 0..divisions {
        let middle = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|k| 0.5 * (a[k] + b[k]));
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (d, e, f): ([f64; 3], [f64; 3], [f64; 3]) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
            })
            .collect();
    }
    let out = |x: [f64; 3]| x.map(|c| radius * c / x.iter().map(|c| c * c).sum::<f64>().sqrt());
    triangles.iter().map(|t| t.map(out)).collect()
}

fn stl(triangles: &[Triangle]) -> String {
    let mut text = "solid test\n".to_owned();
    for triangle in triangles {
        text += "facet normal 0 0 0\nouter loop\n";
        triangle.iter().for_each(|x| writeln!(text, "vertex {} {} {}", x[0], x[1], x[2]).unwrap());
        text += "endloop\nendfacet\n";
    }
    text + "endsolid test\n"
}

/// Each triangle with vertices of its own, which are to be welded.
fn obj(triangles: &[Triangle]) -> String {
    let mut text = String::new();
    for x in triangles.iter().flatten() {
        writeln!(text, "v {} {} {}", x[0], x[1], x[2]).unwrap();
    }
    for k in 0..triangles.len() {
        writeln!(text, "f {} {} {}", 3 * k + 1, 3 * k + 2, 3 * k + 3).unwrap();
    }
    text
}

fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn mesh(path: &Path) -> Mesh {
    let mut shape = Shape::Mesh(of_file(path));
    shape.load(Path::new(""), "shape").unwrap();
    match shape {
        Shape::Mesh(mesh) => mesh,
        _ => unreachable!(),
    }
}

fn of_file(path: &Path) -> Mesh {
    toml::from_str(&format!("file = {path:?}")).unwrap()
}

fn resolved(mesh: &Mesh) -> Region<3> {
    Shape::Mesh(mesh.clone()).resolve("shape").unwrap()
}

const LOW: [f64; 3] = [0.25, -0.5, 1.0];
const HIGH: [f64; 3] = [1.0, 0.5, 1.5];

fn block() -> Region<3> {
    Region::Block { min: LOW, max: HIGH }
}

#[test]
fn a_box_from_any_file_is_a_block() {
    let triangles = cuboid(LOW, HIGH);
    let turned: Vec<_> = triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    let mut binary = vec![0; 80];
    binary.extend((triangles.len() as u32).to_le_bytes());
    for triangle in &triangles {
        binary.extend([0; 12]);
        triangle.iter().flatten().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
        binary.extend([0; 2]);
    }
    // Patches of one surface, without names, in the letters and with the margins of other programs.
    let parts: Vec<_> = triangles.chunks(5).map(stl).collect();
    let patches = parts.concat().replace(" test\n", "\n").replace("vertex", "   vertex").to_uppercase();
    // One side of many small triangles: the mean of the vertices is not the middle.
    let middle: [f64; 3] =
        std::array::from_fn(|a| 0.25 * (2.0 * triangles[0][0][a] + triangles[0][1][a] + triangles[0][2][a]));
    let [a, b, c] = triangles[0];
    let fine = [&triangles[1..], &[[a, b, middle], [b, c, middle], [c, a, middle]]].concat();
    let mut headed = binary.clone();
    headed[..11].copy_from_slice(b"solid part\n");
    let files = [
        file("box.stl", stl(&triangles)),
        file("patches.stl", patches),
        file("fine.stl", stl(&fine)),
        file("headed.stl", headed),
        file("inside_out.stl", stl(&turned)),
        file("binary.STL", binary),
        file("box.obj", obj(&triangles)),
    ];
    for path in files {
        let hull = resolved(&mesh(&path));
        assert_eq!(
            (hull.volume(), hull.bounds(), hull.thickness()),
            (Some(0.375), block().bounds(), Some(0.5))
        );
        let sites = fill(&block(), Lattice::Cartesian, 0.05, None);
        assert_eq!(fill(&hull, Lattice::Cartesian, 0.05, None), sites, "{path:?}");
        let (a, center) = Form::new(String::new(), &hull, 3.0).unwrap();
        let (b, expected) = Form::new(String::new(), &block(), 3.0).unwrap();
        let near = |a: &[f64; 3], b: &[f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-13);
        assert!(near(&center, &expected) && (a.reach - b.reach).abs() < 1e-14);
        assert!((0..3).all(|k| near(&a.inertia_matrix()[k], &b.inertia_matrix()[k])), "{path:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distance_from_a_box_of_triangles_is_that_from_the_block(x in prop::array::uniform3(-1.0..2.5_f64)) {
        static BOX: std::sync::OnceLock<Region<3>> = std::sync::OnceLock::new();
        let hull = BOX.get_or_init(|| resolved(&mesh(&file("prop.stl", stl(&cuboid(LOW, HIGH))))));
        prop_assert!((hull.phi(&x) - block().phi(&x)).abs() < 1e-13);
        let n = hull.normal(&x);
        let foot: [f64; 3] = std::array::from_fn(|k| x[k] - hull.phi(&x) * n[k]);
        prop_assert!(hull.phi(&foot).abs() < 1e-12);
    }
}

#[test]
fn a_round_mesh_is_nearly_a_ball() {
    let (radius, divisions) = (0.5, 5);
    let hull = resolved(&mesh(&file("ball.obj", obj(&sphere(radius, divisions)))));
    let ball = Region::Ball { center: [0.0; 3], radius };
    // Flat edges of length l leave l²/(8 r), and these are up to twice as long as on the equator.
    let sagitta = (PI * radius / 2.0 / f64::from(1 << divisions)).powi(2) / (8.0 * radius) * 4.0;
    for k in 0..500 {
        let x = [0.0017 * f64::from(k), 0.6 - 0.002 * f64::from(k), 0.3 * (0.1 * f64::from(k)).sin()];
        assert!((hull.phi(&x) - ball.phi(&x)).abs() < sagitta, "{x:?}");
    }
    assert!((hull.volume().unwrap() / ball.volume().unwrap() - 1.0).abs() < 5e-3);
    assert!((hull.thickness().unwrap() - 1.0).abs() < 0.2);
}

#[test]
fn layers_of_a_mesh_cover_its_surface() {
    let spacing = 0.05;
    for (name, triangles) in [("cover_ball.stl", sphere(0.5, 4)), ("cover_box.stl", cuboid(LOW, HIGH))] {
        let hull = resolved(&mesh(&file(name, stl(&triangles))));
        for (side, sign) in [(Side::Inside, 1.0), (Side::Outside, -1.0)] {
            let samples = layers(&hull, spacing, &Layers { side, faces: None, count: 2, offset: 0.5 });
            let first: Vec<_> =
                samples.iter().filter(|sample| sample.layer == 0).map(|sample| sample.x).collect();
            let gap2 = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
            for triangle in &triangles {
                let middle: [f64; 3] =
                    std::array::from_fn(|k| triangle.iter().map(|x| x[k]).sum::<f64>() / 3.0);
                let n = hull.normal(&middle);
                let x: [f64; 3] = std::array::from_fn(|k| middle[k] + sign * 0.5 * spacing * n[k]);
                let least = first.iter().map(|y| gap2(&x, y)).fold(f64::INFINITY, f64::min).sqrt();
                assert!(least < 0.95 * spacing, "{name} {side:?} {x:?} {least}");
            }
            for (k, a) in first.iter().enumerate() {
                assert!((hull.phi(a) - sign * 0.5 * spacing).abs() < 2e-3 * spacing);
                assert!(first[..k].iter().all(|b| gap2(a, b) > (0.899 * spacing).powi(2)));
            }
        }
    }
}

#[test]
fn a_turned_mesh_is_a_turned_block() {
    let mesh = mesh(&file("turned.stl", stl(&cuboid(LOW, HIGH))));
    let turn = |shape: Shape| -> Region<3> {
        let (shape, center) = (Box::new(shape), vec![0.5, 0.1, 0.2]);
        Shape::Rotated(Rotated { shape, center, angle: 2.5, axis: vec![1.0, 1.0, 0.2] })
            .resolve("shape")
            .unwrap()
    };
    let block = turn(Shape::Block(Block { min: LOW.to_vec(), max: HIGH.to_vec() }));
    let hull = turn(Shape::Mesh(mesh));
    let path = (0..200).map(f64::from);
    let path = path.map(|k| [0.01 * k - 0.5, (0.3 * k).sin(), 1.0 + 0.7 * (0.2 * k).cos()]);
    // Away from each corner, where that is nearest.
    let corners = block.corners();
    let middle: [f64; 3] = std::array::from_fn(|a| corners.iter().map(|x| x[a]).sum::<f64>() / 8.0);
    let away = corners.into_iter().map(|x| {
        let n = block.normal(&std::array::from_fn(|a| x[a] + 1e-3 * (x[a] - middle[a])));
        std::array::from_fn(|a| x[a] + 0.1 * n[a])
    });
    for x in path.chain(away) {
        assert!((hull.phi(&x) - block.phi(&x)).abs() < 1e-13);
        assert!((0..3).all(|a| (hull.normal(&x)[a] - block.normal(&x)[a]).abs() < 1e-6), "{x:?}");
    }
}

/// Solids of one file are one shape, each of its volume.
#[test]
fn solids_of_a_file_are_all_there() {
    let apart = cuboid([3.0, 0.0, 0.0], [4.0, 1.0, 2.0]);
    let text = stl(&cuboid(LOW, HIGH)) + &stl(&apart);
    let both = resolved(&mesh(&file("two.stl", text)));
    assert_eq!(both.volume(), Some(2.375));
    assert!(both.phi(&[3.5, 0.5, 1.0]) < -0.4 && both.phi(&[0.5, 0.0, 1.2]) < -0.1);
}

#[test]
fn a_mesh_that_is_none_is_refused() {
    let flaw = |name: &str, bytes: &[u8]| {
        let mut shape = Shape::Mesh(of_file(&file(name, bytes)));
        let error = shape.load(Path::new(""), "shape").unwrap_err().to_string();
        assert!(error.contains(name) && error.starts_with("shape.mesh.file = "), "{error}");
        error
    };
    let whole = cuboid(LOW, HIGH);
    assert!(flaw("open.stl", stl(&whole[1..]).as_bytes()).contains("the surface is open"));
    let mut turned = whole.clone();
    turned[3].swap(0, 1);
    assert!(flaw("turned_one.stl", stl(&turned).as_bytes()).contains("in the same sense"));
    let crossed = [whole.clone(), cuboid([0.5, 0.0, 1.2], [2.0, 0.2, 1.4])].concat();
    assert!(flaw("crossed.stl", stl(&crossed).as_bytes()).contains("crosses that of number"));
    assert!(flaw("empty.obj", b"").contains("has no triangle"));
    assert!(flaw("not_a_number.obj", b"v 0 0 NaN\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").contains("NaN"));
    assert!(flaw("no_vertex.obj", b"v 0 0 0\nf 1 2 3\n").contains("OBJ"));
    assert!(flaw("short.stl", &[&[0; 80][..], &[3, 0, 0, 0], &[0; 40]].concat()).contains("is no STL"));
    assert!(
        flaw("cut.stl", stl(&whole).replace("endsolid test\n", "").as_bytes())
            .contains("ends within a solid")
    );
    let more = stl(&whole) + "vertex 1 2 3\n";
    assert!(flaw("more.stl", more.as_bytes()).contains("has \"vertex\" outside of a solid"));
    let vast: Vec<_> = whole.iter().map(|t| t.map(|x| x.map(|x| 1e30 * x))).collect();
    let mut shape = of_file(&file("vast.stl", stl(&vast)));
    shape.scale = 1e130;
    let mut shape = Shape::Mesh(shape);
    assert!(shape.load(Path::new(""), "shape").unwrap_err().to_string().contains("has no area"));
    assert!(flaw("mesh.ply", b"ply").contains("must end in .stl or .obj"));
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert!(flaw("flat.stl", stl(&[flat, [flat[0], flat[2], flat[1]]]).as_bytes()).contains("no volume"));
}

#[test]
fn a_scene_keeps_where_its_mesh_lies_and_what_it_is() {
    let path = file("kept.stl", stl(&cuboid([0.0; 3], [0.5; 3])));
    let name = path.with_file_name("scene.toml").display().to_string();
    let text = "dim = 3\nspacing = 0.1\nrun.end_time = 1\n[[fluid]]\nshape.mesh = { file = \"kept.stl\", scale = 2 }\n";
    let scene = Scene::parse(&name, text).unwrap();
    assert_eq!(scene.estimate().unwrap().fluid.round(), 1000.0);
    let stored = scene.to_toml().unwrap();
    assert!(stored.contains("checksum = "));
    assert_eq!(Scene::parse("elsewhere/stored.toml", &stored).unwrap(), scene);
    fs::write(&path, stl(&cuboid([0.0; 3], [0.4; 3]))).unwrap();
    let error = Scene::parse("elsewhere/stored.toml", &stored).unwrap_err().to_string();
    assert!(error.contains("fluid[0].shape.mesh.checksum = ") && error.contains("has changed"), "{error}");
    let error = Scene::parse(&name, &text.replace("kept", "missing")).unwrap_err().to_string();
    assert!(
        error.contains("scene.toml:5:23: fluid[0].shape.mesh.file = \"missing.stl\": cannot be read"),
        "{error}"
    );
}
