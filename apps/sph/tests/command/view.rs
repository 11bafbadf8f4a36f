//! The live page as a browser meets it: over HTTP and its connection.
#![cfg(unix)]
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

mod hostile;
mod page;

use crate::cli::{folder, sph, stderr, stdout};
use page::{Connection, Page};
use serde_json::{Value, json};
use sph_core::run::checkpoint::Checkpoint;
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

pub const METHODS: [&str; 4] = ["wcsph", "pbf", "viscoelastic", "projection"];

/// A column that collapses in a tank with a wall that can move.
const SCENE: &str = r#"
title = "Column"
spacing = 0.05
run.end_time = 0.5

[[fluid]]
shape.block = { min = [0.0, 0.0], max = [0.6, 0.8] }

[[wall]]
name = "tank"
shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }
layers = 3

[[command]]
at = 0.01
set = { key = "gravity", value = [0.5, -9.0] }
"#;

fn panes() -> Value {
    METHODS
        .iter()
        .map(|m| json!({ "scene": "column", "text": SCENE, "set": [format!("solver.name={m}")] }))
        .collect()
}

fn open(page: &Page) -> Connection {
    let mut connection = page.connect();
    connection.say(json!({ "do": "open", "panes": panes() }));
    let opened = connection.hear("opened");
    for (pane, method) in opened["panes"].as_array().unwrap().iter().zip(METHODS) {
        let is_told = pane["warnings"].to_string().contains("made for wcsph");
        assert_eq!(is_told, method != "wcsph", "{method} {}", pane["warnings"]);
    }
    let methods: Vec<_> =
        opened["panes"].as_array().unwrap().iter().map(|pane| pane["method"].clone()).collect();
    assert_eq!(methods, METHODS);
    connection
}

/// The step of a checkpoint, and names and checksums of its arrays.
fn arrays(bytes: &[u8]) -> (u64, Vec<(String, u32)>) {
    let checkpoint = Checkpoint::read(&mut &*bytes, bytes.len() as u64).unwrap();
    let header = checkpoint.header();
    (header.step, header.array.iter().map(|array| (array.name.clone(), array.crc32)).collect())
}

/// Runs what a pane has kept with `sph run`, ten steps further: scene and script from the start, and the checkpoint. Returns the
/// steps that were done by hand, and the hash of the state.
fn repeated(page: &Page, pane: usize, folder: &Path) -> (u64, String) {
    for (what, name) in [("scene", "scene.toml"), ("script", "script.toml"), ("checkpoint", "now.sph")] {
        fs::write(folder.join(name), page.save(what, pane)).unwrap();
    }
    let (done, _) = arrays(&page.save("checkpoint", pane));
    let steps = format!("run.max_steps={}", done + 10);
    let run = |out: &str, more: &[&str]| {
        let output = sph(folder, &[&["run", "scene.toml", "--out", out, "--set", &steps], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let text = stdout(&output);
        text.lines().find_map(|line| line.split_once("hash ")).unwrap().1.to_owned()
    };
    let hash = run(&format!("script-{pane}"), &["--script", "script.toml"]);
    assert_eq!(run(&format!("resumed-{pane}"), &["--resume=now.sph"]), hash, "pane {pane}");
    (done, hash)
}

#[test]
fn what_is_done_by_hand_is_repeated_to_the_last_bit() {
    let (page, folder) = (Page::serve(&[]), folder("view-repeated"));
    let mut connection = open(&page);
    let steps = |connection: &mut Connection, n: usize| {
        for _ in 0..n {
            connection.say(json!({ "do": "step" }));
        }
        connection.say(json!({ "do": "next" }));
    };
    let acts = [
        json!({ "push": { "radius": 0.3, "path": [
            { "time": 0.0, "position": [0.3, 0.3] }, { "time": 0.02, "position": [0.5, 0.5] },
        ] } }),
        json!({ "add": { "shape": { "block": { "min": [1.2, 0.5], "max": [1.5, 0.8] } }, "velocity": { "uniform": [0.0, -1.0] } } }),
        json!({ "emitter": { "name": "tap", "center": [1.0, 1.3], "direction": [0.0, -1.0], "radius": 0.1, "speed": 1.0 } }),
        json!({ "drain": { "name": "hole", "shape": { "ball": { "center": [0.2, 0.1], "radius": 0.1 } } } }),
        json!({ "set": { "key": "gravity", "value": [2.0, -9.0] } }),
        json!({ "close": "tap" }),
    ];
    steps(&mut connection, 8);
    for act in acts {
        connection.say(json!({ "do": "command", "command": act }));
        steps(&mut connection, 8);
    }
    assert_eq!(connection.said(), Vec::<String>::new());
    let kept: Vec<_> = (0..METHODS.len()).map(|pane| repeated(&page, pane, &folder)).collect();
    assert_eq!(kept[0].0, 56);
    let distinct: BTreeSet<_> = kept.iter().map(|(_, hash)| hash.clone()).collect();
    assert_eq!(distinct.len(), METHODS.len());
}

/// What has been stepped again after a rewind has the same bits.
#[test]
fn a_rewind_forgets_what_came_after_it() {
    let page = Page::serve(&[]);
    let mut connection = open(&page);
    let mut after = |orders: &[Value]| {
        orders.iter().for_each(|order| connection.say(order.clone()));
        assert_eq!(connection.said(), Vec::<String>::new());
        arrays(&page.save("checkpoint", 1))
    };
    let step = json!({ "do": "step" });
    let sideways =
        json!({ "do": "command", "command": { "set": { "key": "gravity", "value": [9.0, 0.0] } } });
    let at_start = after(&[]);
    let twelve = after(&vec![step.clone(); 12]);
    assert_ne!(after(&[sideways, step.clone()]), twelve);
    assert_eq!(after(&[json!({ "do": "rewind", "t": 0.0 })]), at_start);
    assert_eq!(after(&vec![step; 12]), twelve);
    assert_eq!(page.save("script", 1), b"command = []\n");
}

#[test]
fn a_run_that_fails_tells_its_cause_and_can_be_rewound() {
    let page = Page::serve(&[]);
    let mut connection = page.connect();
    let soft = json!({ "scene": "column", "text": SCENE, "set": ["solver.sound_speed=0.5"] });
    connection.say(json!({ "do": "open", "panes": [soft, { "scene": "column", "text": SCENE }] }));
    connection.say(json!({ "do": "speed", "factor": 10.0 }));
    connection.say(json!({ "do": "play" }));
    let mut failures = connection.hear("failures");
    while failures["panes"][0].is_null() {
        failures = connection.hear("failures");
    }
    assert!(failures["panes"][0].as_str().unwrap().contains("likely cause: "), "{failures}");
    assert!(failures["panes"][1].is_null(), "{failures}");
    // The other pane goes on.
    let t = connection.hear("state")["t"].as_f64().unwrap();
    while connection.hear("state")["t"].as_f64().unwrap() <= t {}
    // Nothing follows from a state in the middle of a step.
    connection.say(json!({ "do": "pause" }));
    let sound = json!({ "set": { "key": "solver.sound_speed", "value": 20.0 } });
    connection.say(json!({ "do": "command", "pane": 0, "command": sound }));
    connection.say(json!({ "do": "phases", "pane": 0 }));
    let said = connection.said();
    assert!(said.len() == 2 && said.iter().all(|text| text.contains("the run has failed")), "{said:?}");
    connection.say(json!({ "do": "rewind", "t": 0.0 }));
    assert!(connection.hear("failures")["panes"][0].is_null());
    assert_eq!(arrays(&page.save("checkpoint", 0)).0, 0);
    connection.say(json!({ "do": "step" }));
    connection.said();
    assert_eq!(arrays(&page.save("checkpoint", 0)).0, 1);
}

/// A step is recorded after each of its phases, which the lines of the listing call.
#[test]
fn steps_are_recorded_phase_by_phase() {
    let page = Page::serve(&[]);
    let mut connection = page.connect();
    let hello = connection.hello.clone();
    connection.say(json!({ "do": "open", "panes": panes() }));
    connection.hear("opened");
    for (pane, method) in METHODS.iter().enumerate() {
        let listing =
            &hello["methods"].as_array().unwrap().iter().find(|m| m["name"] == *method).unwrap()["listing"];
        let text: Vec<_> = listing["text"].as_str().unwrap().lines().collect();
        let mut called = BTreeSet::new();
        for phase in listing["phases"].as_array().unwrap() {
            let (name, lines) = (phase["name"].as_str().unwrap(), phase["lines"].as_array().unwrap());
            assert!(phase["about"].as_str().unwrap().ends_with('.'), "{phase}");
            for line in lines {
                assert!(text[line.as_u64().unwrap() as usize - 1].contains(&format!("p.{name}(")), "{phase}");
            }
            called.extend((!lines.is_empty()).then(|| name.to_owned()));
        }
        connection.say(json!({ "do": "phases", "pane": pane }));
        let recorded = connection.hear("recorded");
        let phases: Vec<_> = recorded["phases"].as_array().unwrap().iter().collect();
        let done: BTreeSet<_> = phases.iter().map(|p| p["name"].as_str().unwrap().to_owned()).collect();
        assert_eq!(done, called, "{method}");
        // A picture before the step, and one after each phase.
        let pictures = connection.packets("phase");
        assert_eq!(pictures.len(), phases.len() + 1, "{method}");
        assert!(
            pictures
                .iter()
                .zip(0..)
                .all(|(picture, index)| picture["index"] == index && picture["pane"] == pane)
        );
        let moves =
            |phase: &Value| phase["changed"].as_array().unwrap().iter().any(|c| c["name"] == "position");
        assert!(phases.iter().any(|phase| moves(phase)), "{method}: {recorded}");
    }
}

#[test]
fn a_particle_is_told_with_its_neighbors() {
    let page = Page::serve(&[]);
    let mut connection = open(&page);
    connection.say(json!({ "do": "step" }));
    connection.say(json!({ "do": "next" }));
    connection.say(json!({ "do": "pick", "pane": 0, "x": [0.3, 0.4] }));
    let told = connection.hear("particle");
    let (x, support) = (&told["x"], told["support"].as_f64().unwrap());
    assert!(
        (x[0].as_f64().unwrap() - 0.3).abs() < 0.05 && (x[1].as_f64().unwrap() - 0.4).abs() < 0.05,
        "{told}"
    );
    // Inside of the column: the lattice within the support, the particle itself not among them.
    let within = |part: f64| {
        let distance = |(i, j): (i32, i32)| f64::from(i * i + j * j).sqrt() * 0.05;
        let all = (-9..=9).flat_map(|i| (-9..=9).map(move |j| (i, j))).filter(|&p| p != (0, 0));
        all.filter(|&p| distance(p) < part * support).count()
    };
    let found = told["neighbors"].as_array().unwrap().len();
    assert!((within(0.999)..=within(1.001)).contains(&found) && within(0.999) > 8, "{told}");
    assert!(
        told["fields"].as_array().unwrap().iter().any(|f| f["name"] == "density" && f["unit"] == "kg/m^3")
    );
    connection.say(json!({ "do": "pick", "pane": 0, "x": [0.3] }));
    assert!(connection.hear("said")["text"].as_str().unwrap().contains("pick.x"));
}

/// Frames give positions and values to half a place of their 16 bits.
#[test]
fn frames_say_where_particles_are() {
    let page = Page::serve(&[]);
    let mut connection = open(&page);
    connection.say(json!({ "do": "show", "pane": 0, "field": "density", "low": 990.0, "high": 1010.0 }));
    connection.say(json!({ "do": "step" }));
    connection.say(json!({ "do": "next" }));
    let (header, numbers) = connection.packet("frame");
    let n = header["n"].as_u64().unwrap() as usize;
    assert_eq!((n, numbers.len(), &header["field"]), (12 * 16, 3 * n, &json!("density")));
    let (low, high) = (&header["low"], &header["high"]);
    let at = |a: usize, i: usize| {
        let (low, high) = (low[a].as_f64().unwrap(), high[a].as_f64().unwrap());
        low + f64::from(numbers[2 * i + a]) / 65534.0 * (high - low)
    };
    let top = |a: usize| (0..n).map(|i| at(a, i)).fold(f64::NEG_INFINITY, f64::max);
    // The upper corner of the column, after one small step.
    let bound = |a: usize| (high[a].as_f64().unwrap() - low[a].as_f64().unwrap()) / 65534.0 + 1e-3;
    assert!((top(0) - 0.575).abs() < bound(0) && (top(1) - 0.775).abs() < bound(1), "{header}");
    assert_eq!(header["range"], json!([990.0, 1010.0]));
    connection.say(json!({ "do": "show", "pane": 0, "field": "color" }));
    assert!(connection.hear("said")["text"].as_str().unwrap().contains("there are velocity, density"));
}

/// Asked for, velocities follow the colors: parts of the interval of all components.
#[test]
fn frames_have_velocities_where_they_are_asked_for() {
    let page = Page::serve(&[]);
    let mut connection = page.connect();
    let moving = "[0.6, 0.8] }\nvelocity.uniform = [1.0, -2.0]";
    let scene = SCENE.replace("[0.6, 0.8] }", moving);
    connection.say(json!({ "do": "open", "panes": [{ "scene": "moving", "text": scene }] }));
    connection.hear("opened");
    connection.say(json!({ "do": "show", "pane": 0, "field": "density", "vectors": true }));
    connection.say(json!({ "do": "next" }));
    let (header, numbers) = connection.packet("frame");
    let n = header["n"].as_u64().unwrap() as usize;
    assert_eq!((n, numbers.len(), &header["components"]), (12 * 16, 5 * n, &json!([-2.0, 1.0])));
    let velocities: BTreeSet<_> = numbers[3 * n..].chunks(2).collect();
    assert_eq!(velocities, BTreeSet::from([&[65534, 0][..]]), "not all as the scene has them");
    connection.say(json!({ "do": "show", "pane": 0, "field": "density" }));
    connection.say(json!({ "do": "next" }));
    assert_eq!(connection.packet("frame").1.len(), 3 * n, "velocities that nobody wants");
}

/// The page opens the first scene with what the command line sets, which is checked before.
#[test]
fn the_command_line_sets_keys_of_the_first_scene() {
    let page = Page::serve(&["--set", "spacing=0.05", "--set", "solver.sound_speed=60"]);
    let hello = page.connect().hello;
    assert_eq!(hello["set"], json!(["spacing=0.05", "solver.sound_speed=60"]));
    let named = Page::serve(&["--set", "solver.name=pbf", "--set", "title=\"a, b\""]);
    let mut connection = named.connect();
    let set = connection.hello["set"].clone();
    connection.say(json!({ "do": "open", "panes": [{ "scene": connection.hello["first"], "set": set }] }));
    let opened = connection.hear("opened")["panes"][0].clone();
    assert_eq!((&opened["method"], &opened["title"]), (&json!("pbf"), &json!("a, b")));
    let refused = sph(&folder("view-set"), &["view", "--set", "spacing=-0.05"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--set spacing=-0.05: "), "{}", stderr(&refused));
}

/// Also with more steps in the queue than can be done in this time.
#[test]
fn ctrl_c_ends_it() {
    let mut page = Page::serve(&[]);
    let mut connection = page.connect();
    connection.say(json!({ "do": "open", "panes": [{ "scene": "dam_break_3d" }] }));
    connection.hear("state");
    (0..300).for_each(|_| connection.say(json!({ "do": "step" })));
    let id = page.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let asked = Instant::now();
    assert_eq!(page.child.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
}

/// Measures are those of steps, not of commands between them: a run by hand and its repetition have the same samples.
#[test]
fn measures_do_not_see_what_is_done_by_hand() {
    let (page, folder) = (Page::serve(&[]), folder("view-measures"));
    let mut connection = page.connect();
    let measured = format!(
        "{SCENE}\n[[measure]]\nname = \"all\"\ninterval = 1e-6\ntotals = [\"particles\", \"kinetic_energy\"]\n"
    );
    connection.say(json!({ "do": "open", "panes": [{ "scene": "column", "text": measured }] }));
    let add = json!({ "add": { "shape": { "block": { "min": [1.2, 0.5], "max": [1.5, 0.8] } } } });
    (0..5).for_each(|_| connection.say(json!({ "do": "step" })));
    connection.say(json!({ "do": "command", "command": add }));
    (0..5).for_each(|_| connection.say(json!({ "do": "step" })));
    assert_eq!(connection.said(), Vec::<String>::new());
    assert_eq!(repeated(&page, 0, &folder).0, 10);
    let samples = |out: &str| fs::read_to_string(folder.join(out).join("measures/all.csv")).unwrap();
    assert_eq!(samples("script-0"), samples("resumed-0"));
    assert_eq!(samples("script-0").lines().filter(|line| line.contains(",192,")).count(), 6);
}
