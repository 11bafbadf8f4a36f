//! Checkpoints that are damaged, foreign or of another run are refused by name and reason.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
use crate::common;

use common::{dam_break, simulation};
use sph_core::run::{
    checkpoint::{self, Checkpoint},
    simulation::Simulation,
};

const COMMAND: &str =
    "[[command]]\nemitter = { center = [0.9, 0.6], direction = [-1.0, 0.2], radius = 0.06, speed = 2.0 }\n";

fn text() -> String {
    dam_break::<2>("validation", 0.1, "", COMMAND)
}

fn save<const D: usize>(run: &mut Simulation<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    checkpoint::write(run, "the scene", "test", &mut bytes).unwrap();
    bytes
}

fn saved() -> Vec<u8> {
    let mut run = simulation::<2>(&text());
    for _ in 0..3 {
        run.step(1.0).unwrap();
    }
    save(&mut run)
}

fn read(bytes: &[u8]) -> Result<Checkpoint, String> {
    Checkpoint::read(&mut &bytes[..], bytes.len() as u64).map_err(|error| error.to_string())
}

fn refused(bytes: &[u8], because: &str) {
    let error = read(bytes).expect_err(because);
    assert!(error.contains(because), "{error}, not {because}");
}

/// The header's text replaced, with its checksum and length.
fn with_header(bytes: &[u8], change: impl FnOnce(String) -> String) -> Vec<u8> {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let text = change(String::from_utf8(bytes[24..24 + length].to_vec()).unwrap());
    let mut changed = bytes.to_vec();
    changed.splice(24..24 + length, text.bytes());
    changed[12..16].copy_from_slice(&(text.len() as u32).to_le_bytes());
    changed[16..20].copy_from_slice(&crc32fast::hash(text.as_bytes()).to_le_bytes());
    changed
}

#[test]
fn every_flipped_bit_is_found() {
    let bytes = saved();
    assert!(read(&bytes).is_ok());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(read(&damaged).is_err(), "byte {at} of {}", bytes.len());
    }
}

#[test]
fn every_cut_is_found() {
    let bytes = saved();
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length} of {}", bytes.len());
    }
    refused(&[&bytes[..], &[0]].concat(), "is damaged: it has");
}

#[test]
fn an_array_is_named() {
    let bytes = saved();
    let header = read(&bytes).unwrap().header().clone();
    for array in header.array.iter().filter(|array| array.count > 0) {
        let mut damaged = bytes.clone();
        damaged[array.offset as usize] ^= 1;
        refused(&damaged, &format!("array {:?} has another checksum", array.name));
    }
    assert!(header.array.len() > 15);
}

#[test]
fn foreign_and_other_versions_are_told_apart() {
    let bytes = saved();
    refused(b"\x89PNG\r\n\x1a\n and so on, for some bytes", "is no checkpoint");
    refused(b"SPH", "ends too early");
    let mut later = bytes.clone();
    later[8] = 2;
    refused(&later, "of version 2, this program reads version 1");
    let other = if cfg!(feature = "f64") { ("f64", "f32") } else { ("f32", "f64") };
    let precision = |text: String| {
        text.replace(&format!("precision = \"{}\"", other.0), &format!("precision = \"{}\"", other.1))
    };
    refused(&with_header(&bytes, precision), &format!("holds {} numbers", other.1));
    refused(&with_header(&bytes, |text| text.replace("step =", "paces =")), "header of another program");
    refused(&with_header(&bytes, |text| text + "\nmore = 1"), "header of another program");
}

#[test]
fn the_checkpoint_of_another_run_is_refused() {
    let bytes = saved();
    let restore =
        |text: &str| read(&bytes).unwrap().restore(&mut simulation::<2>(text)).map_err(|e| e.to_string());
    assert_eq!(restore(&text()), Ok(()));
    // Fewer bodies than samples count on.
    let tankless = text().split("[[wall]]").next().unwrap().to_owned() + "[solver]\nname = \"wcsph\"\n";
    assert!(restore(&tankless).unwrap_err().contains("counts on wall"));
    let mut other = simulation::<3>(&dam_break::<3>("validation", 0.1, "", ""));
    assert!(read(&bytes).unwrap().restore(&mut other).unwrap_err().to_string().contains("in 2D"));
    // A solver that keeps more than the one that wrote.
    let fields = with_header(&bytes, |text| text.replace("solver.acceleration_x", "solver.acceleration_q"));
    let error = read(&fields).unwrap().restore(&mut simulation::<2>(&text())).unwrap_err().to_string();
    assert!(error.contains("acceleration_x") || error.contains("acceleration_q"), "{error}");
    // Counters that point behind the history.
    let counters = with_header(&bytes, |text| text.replace("emitters = [0]", "emitters = [7]"));
    let error = read(&counters).unwrap().restore(&mut simulation::<2>(&text())).unwrap_err().to_string();
    assert!(error.contains("command 7"), "{error}");
}

#[test]
fn lengths_that_do_not_fit_each_other_are_refused() {
    let mut run = simulation::<2>(&text());
    run.step(1.0).unwrap();
    run.state.fluid.rho.pop();
    let bytes = save(&mut run);
    let error = read(&bytes).unwrap().restore(&mut simulation::<2>(&text())).unwrap_err().to_string();
    assert!(error.contains("fluid.rho"), "{error}");
}

/// Bytes of any content end in a result, and never need more memory than they have.
#[test]
fn any_bytes_are_answered() {
    let (bytes, mut random) = (saved(), common::Random(3));
    for _ in 0..2000 {
        let mut wild = bytes.clone();
        for _ in 0..8 {
            let at = (random.next().abs() * wild.len() as f64) as usize;
            wild[at] = (random.next().abs() * 256.0) as u8;
        }
        let from = (random.next().abs() * 40.0) as usize;
        let _ = read(&wild[from..]);
        let _ = read(&with_header(&bytes, |text| {
            let at = (random.next().abs() * text.len() as f64) as usize;
            let digit = char::from(b'0' + (random.next().abs() * 10.0) as u8);
            text.char_indices().map(|(k, c)| if k == at { digit } else { c }).collect()
        }))
        .map(|checkpoint| checkpoint.restore(&mut simulation::<2>(&text())));
    }
}
