//! Runs with files: one that goes on has the bits of one that did not stop, and no other files than those it began with.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::cli::{assert_refused, folder, sph, stderr};
use serde_json::Value;
use std::{fs, path::Path};

/// A tetrahedron with corners on the axes.
fn tetrahedron(size: f64) -> String {
    format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
}

#[test]
fn a_run_goes_on_with_the_mesh_that_it_began_with_alone() {
    let folder = folder("mesh-resumed");
    let text = "dim = 3\nspacing = 0.1\nrun.end_time = 0.05\n[[fluid]]\nshape.mesh = { file = \"body.obj\" }\n\
                [[wall]]\nshape.block = { min = [0, 0, 0], max = [1, 1, 1] }\nlayers = 3\n[solver]\nname = \"wcsph\"\n";
    fs::write(folder.join("tiny.toml"), text).unwrap();
    fs::write(folder.join("body.obj"), tetrahedron(0.8)).unwrap();
    let run = |more: &str| {
        let args = ["run", "tiny.toml", "--out", "out", "--checkpoint-every", "2", "--threads", "1", more];
        let done = sph(&folder, &[&args[..], &["--backend", "cpu"]].concat());
        assert!(done.status.success(), "{}", stderr(&done));
        let results = fs::read_to_string(folder.join("out/results.json")).unwrap();
        let results: Value = serde_json::from_str(&results).unwrap();
        results["results"][0]["state_hash"].as_str().unwrap().to_owned()
    };
    let whole = run("--fresh");
    let kept = fs::read_dir(folder.join("out/checkpoints")).unwrap().map(|entry| entry.unwrap().path());
    let first = kept.filter(|path| path.extension().is_some_and(|ending| ending == "sph")).min().unwrap();
    fs::copy(&first, folder.join("kept.sph")).unwrap();
    assert_eq!(run("--resume=kept.sph"), whole);
    fs::write(folder.join("body.obj"), tetrahedron(0.7)).unwrap();
    let args = ["run", "tiny.toml", "--out", "out", "--resume=kept.sph"];
    assert_refused(&folder, &args, &["fluid[0].shape.mesh.checksum", "has changed"]);
}

/// A mesh, a motion, drops, a bed and a flow. Returns the last two.
fn write_tables(folder: &Path) -> (String, String) {
    fs::write(folder.join("body.obj"), tetrahedron(0.8)).unwrap();
    fs::write(folder.join("move.csv"), "t [s],x [m]\n0,0\n0.02,0.001\n0.04,0\n").unwrap();
    fs::write(folder.join("drops.csv"), "x [m],y [m],z [m]\n0.85,0.85,0.75\n0.75,0.85,0.85\n").unwrap();
    let corners = |z: f64| format!("0,0,{z}\n1,0,{z}\n0,1,{z}\n1,1,{z}\n");
    let bed = format!("x [m],y [m],z [m]\n{}", corners(-2.0));
    fs::write(folder.join("bed.csv"), &bed).unwrap();
    let flow = (corners(0.0) + &corners(1.0)).replace('\n', ",0.5,0,0\n");
    let flow = format!("x [m],y [m],z [m],velocity_x [m/s],velocity_y [m/s],velocity_z [m/s]\n{flow}");
    fs::write(folder.join("flow.csv"), &flow).unwrap();
    (bed, flow)
}

/// The folder may move with all that is in it, and a run that becomes longer moves its walls as one that was so long from the
/// beginning, in the parts that it began with.
#[test]
fn a_run_goes_on_elsewhere_and_longer() {
    // Its sums have no roundings: a run ends at its end by name, and a longer one passes it by sums.
    const STEP: f64 = 1.0 / 1024.0;
    let folder = folder("moved");
    fs::create_dir(folder.join("first")).unwrap();
    let scene = |end: f64, part: &str| {
        format!(
            "dim = 3\nspacing = 0.1\nrun.end_time = {end}\nrun.time_step = {STEP}\n[[fluid]]\nshape.mesh = {{ file = \
             \"body.obj\" }}\nvelocity.table.file = \"flow.csv\"\n[[fluid]]\nshape.block = {{ min = [0.7, 0.7, 0.7], \
             max = [0.9, 0.9, 0.9] }}\nplaces.file = \"drops.csv\"\n[[wall]]\nshape.block = {{ min = [0, 0, 0], max = [1, 1, 1] \
             }}\nlayers = 3\nmotion.formula = {{ velocity = [\"step(t - 0.0198)\", \"0\", \"0\"]{part} }}\n[[wall]]\nname = \
             \"plate\"\nshape.block = {{ min = [2, 2, 2], max = [3, 3, 3] }}\nside = \"outside\"\nmotion.table = {{ \
             file = \"move.csv\" }}\n[[wall]]\nname = \"bed\"\nshape.heightfield = {{ file = \"bed.csv\", bottom = -3 \
             }}\nside = \"outside\"\n[[command]]\nat = 0.005\nmove_wall = {{ wall = \"plate\", motion.formula = {{ \
             velocity = [\"sin(90*t)\", \"step(t - 0.007)\", \"0\"]{part} }} }}\n[solver]\nname = \"wcsph\"\n"
        )
    };
    let first = folder.join("first");
    let (bed, flow) = write_tables(&first);
    let run = |at: &str, text: &str, out: &str, more: &[&str]| {
        let at = folder.join(at);
        fs::write(at.join("tiny.toml"), text).unwrap();
        let args = ["run", "tiny.toml", "--out", out, "--threads", "1", "--backend", "cpu"];
        let done = sph(&at, &[&args[..], more].concat());
        assert!(done.status.success(), "{}", stderr(&done));
        let results = fs::read_to_string(at.join(out).join("results.json")).unwrap();
        let results: Value = serde_json::from_str(&results).unwrap();
        results["results"][0]["state_hash"].as_str().unwrap().to_owned()
    };
    // A 4096th of the first run, whose end its jump is not at.
    let part = format!(", part = {:?}", 20.0 * STEP / 4096.0);
    let whole = run("first", &scene(30.0 * STEP, &part), "whole", &[]);
    run("first", &scene(20.0 * STEP, ""), "out", &["--checkpoint-every", "10"]);
    fs::rename(&first, folder.join("second")).unwrap();
    assert_eq!(run("second", &scene(25.0 * STEP, ""), "out", &["--checkpoint-every", "10", "--resume"]), {
        run("second", &scene(25.0 * STEP, &part), "shorter", &[])
    });
    assert_eq!(run("second", &scene(30.0 * STEP, ""), "out", &["--resume"]), whole);
    let second = folder.join("second");
    let drops = fs::read_to_string(second.join("drops.csv")).unwrap();
    let files = [
        ("drops.csv", drops.replace("0.85", "0.84"), "fluid[1].places.checksum"),
        ("flow.csv", flow.replace("0.5", "0.4"), "fluid[0].velocity.table.checksum"),
        ("bed.csv", bed.replace("-2", "-2.1"), "wall[2].shape.heightfield.checksum"),
    ];
    for (name, other, key) in files {
        let before = fs::read(second.join(name)).unwrap();
        fs::write(second.join(name), other).unwrap();
        assert_refused(&second, &["run", "tiny.toml", "--out", "out", "--resume"], &[key, "has changed"]);
        fs::write(second.join(name), before).unwrap();
    }
}
