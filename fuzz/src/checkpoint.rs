//! What any bytes must pass as a checkpoint: the fuzz target `checkpoint`, and the test that replays its corpus.

use sph_core::{
    method::stopwatch::NoClock,
    numerics::lane::Isa,
    run::{
        checkpoint::{Checkpoint, MAGIC, VERSION},
        simulation::Simulation,
    },
    scene::Scene,
};

/// The run that checkpoints are read for.
pub const SCENE: &str = "spacing = 0.1\nrun.end_time = 1.0\n\
    [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [0.2, 0.2] }\n\
    [[wall]]\nname = \"tank\"\nshape.block = { min = [0.0, 0.0], max = [0.4, 0.4] }\nlayers = 1\n\
    [[command]]\nemitter = { name = \"tap\", center = [0.3, 0.3], direction = [-1.0, 0.0], radius = 0.05, speed = 1.0 }\n\
    [[command]]\ndrain = { name = \"sink\", shape.disc = { center = [0.1, 0.1], radius = 0.01 } }\n\
    [solver]\nname = \"wcsph\"\n";

/// A run at its start.
pub fn simulation() -> Option<Simulation<2>> {
    let scene = Scene::parse("fuzz.toml", SCENE).ok()?;
    solver_wcsph::simulation(&scene, Isa::best(), Box::new(NoClock)).ok()
}

/// Reads bytes as a checkpoint, as they are and with lengths and checksums mended, so that what lies behind
/// these is met too; restores it, and does two steps. Whatever is refused is refused in words.
///
/// # Panics
/// When something panics that must not.
pub fn reads_or_refuses(bytes: &[u8]) {
    restore(bytes);
    if let Some(mended) = mended(bytes) {
        restore(&mended);
    }
}

fn restore(bytes: &[u8]) {
    let read = Checkpoint::read(&mut &bytes[..], bytes.len() as u64);
    let refused = |error: sph_core::error::Error| assert!(!error.message().is_empty());
    let checkpoint = match read {
        Ok(checkpoint) => checkpoint,
        Err(error) => return refused(error),
    };
    let Some(mut run) = simulation() else { return };
    match checkpoint.restore(&mut run) {
        Ok(()) => (0..2).for_each(|_| drop(run.step(f64::INFINITY))),
        Err(error) => refused(error),
    }
}

/// The text up to the first zero as a header whose size and checksums are right, and the rest as arrays.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let zero = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let mut header: toml::Table = toml::from_str(std::str::from_utf8(&bytes[..zero]).ok()?).ok()?;
    let arrays = &bytes[zero..];
    // The length of the text depends on the numbers in it: a fixed length, filled with a comment.
    let capacity = (zero + 1024).next_multiple_of(64) - 24;
    let mut at = capacity + 24;
    let start = at;
    for array in header.get_mut("array").and_then(|all| all.as_array_mut()).into_iter().flatten() {
        let array = array.as_table_mut()?;
        let width = if array.get("dtype")?.as_str()? == "<u2" { 2 } else { 4 };
        let width = if array.get("dtype")?.as_str()?.ends_with('8') { 8 } else { width };
        let count = usize::try_from(array.get("count")?.as_integer()?).ok()?.min(arrays.len() / width);
        let end = at - start + count * width;
        let crc = crc32fast::hash(arrays.get(at - start..end)?);
        array.insert("count".into(), toml::Value::Integer(count as i64));
        array.insert("offset".into(), toml::Value::Integer(at as i64));
        array.insert("crc32".into(), toml::Value::Integer(crc.into()));
        at = start + end.next_multiple_of(64);
    }
    header.insert("size".into(), toml::Value::Integer(at as i64));
    let mut text = header.to_string();
    if text.len() + 2 > capacity {
        return None;
    }
    text += "\n#";
    text += &" ".repeat(capacity - text.len());
    let mut file = [&MAGIC[..], &VERSION.to_le_bytes(), &(capacity as u32).to_le_bytes()].concat();
    file.extend(crc32fast::hash(text.as_bytes()).to_le_bytes());
    file.extend([0; 4]);
    file.extend(text.bytes());
    file.extend(arrays.iter().take(at - start));
    file.resize(at, 0);
    Some(file)
}
