//! From a run to bytes.

use super::{
    Array, Header, MAGIC, REAL, VERSION, Values, arrays,
    header::{PREFIX, aligned},
    numbers,
};
use crate::compiled_here;
use crate::run::simulation::Simulation;
use std::{
    collections::BTreeMap,
    io::{self, Write},
};

/// Writes a run: `scene` is its scene as TOML with all defaults written out, `program` names the writer. A
/// checkpoint neither changes the run nor needs memory of its size.
///
/// # Errors
/// When `out` fails, the state cannot be fetched, or the history cannot be written as TOML.
pub fn write<const D: usize>(
    run: &mut Simulation<D>,
    scene: &str,
    program: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    compiled_here!(D, write_all as fn(&mut Simulation<D>, &str, &str, &mut dyn Write) -> io::Result<()>)(
        run, scene, program, out,
    )
}

fn write_all<const D: usize>(
    run: &mut Simulation<D>,
    scene: &str,
    program: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    run.fetch().map_err(io::Error::other)?;
    let mut header = describe(run, scene, program);
    let text = settle(&mut header)?;
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&crc32fast::hash(text.as_bytes()).to_le_bytes())?;
    out.write_all(&[0; 4])?;
    out.write_all(text.as_bytes())?;
    let mut at = (PREFIX + text.len()) as u64;
    let mut done = Ok(());
    arrays(run, &mut |_, values| {
        if done.is_ok() {
            done = pad(out, &mut at).and_then(|()| {
                each_part(&values, &mut |bytes| {
                    at += bytes.len() as u64;
                    out.write_all(bytes)
                })
            });
        }
    });
    done?;
    pad(out, &mut at)
}

/// The header, with the checksums of the arrays but not yet their places.
fn describe<const D: usize>(run: &mut Simulation<D>, scene: &str, program: &str) -> Header {
    let mut array = Vec::new();
    arrays(run, &mut |name, values| {
        let mut crc = crc32fast::Hasher::new();
        // Nothing fails while bytes are only counted.
        let _ = each_part(&values, &mut |bytes| {
            crc.update(bytes);
            Ok(())
        });
        let (dtype, count) = match &values {
            Values::Reals(values) => (REAL, values.len()),
            Values::Words(values) => ("<u8", values.len()),
            Values::Shorts(values) => ("<u2", values.len()),
            Values::Doubles(values) => ("<f8", values.len()),
        };
        let (name, dtype) = (name.to_owned(), dtype.to_owned());
        array.push(Array { name, dtype, count: count as u64, offset: 0, crc32: crc.finalize() });
    });
    let mut kept = BTreeMap::new();
    numbers(run, &mut |name, number| {
        kept.insert(name.to_owned(), *number);
    });
    let state = &run.state;
    Header {
        program: program.to_owned(),
        solver: run.solver.name().to_owned(),
        precision: if REAL == "<f4" { "f32" } else { "f64" }.to_owned(),
        dim: D as u8,
        step: state.step,
        t: state.t,
        next_id: state.next_id,
        size: 0,
        scene: scene.to_owned(),
        counters: run.interaction.counters(),
        numbers: kept,
        history: run.interaction.history().to_vec(),
        array,
    }
}

/// The text of the header. The places of the arrays depend on its length, and its length on their digits:
/// the space for the header only ever grows, so this ends.
fn settle(header: &mut Header) -> io::Result<String> {
    let mut length = 0;
    loop {
        header.place(length);
        let text = toml::to_string(header).map_err(io::Error::other)?;
        if aligned(PREFIX as u64 + text.len() as u64) == aligned(PREFIX as u64 + length) {
            return Ok(text);
        }
        length = length.max(text.len() as u64);
    }
}

fn pad(out: &mut dyn Write, at: &mut u64) -> io::Result<()> {
    const ZEROS: [u8; 64] = [0; 64];
    let n = aligned(*at) - *at;
    *at += n;
    out.write_all(&ZEROS[..n as usize])
}

/// The little-endian bytes of an array, in parts.
fn each_part(values: &Values<'_>, put: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    match values {
        Values::Reals(values) => parts(values, |x| x.to_le_bytes(), put),
        Values::Words(values) => parts(values, |x| x.to_le_bytes(), put),
        Values::Shorts(values) => parts(values, |x| x.to_le_bytes(), put),
        Values::Doubles(values) => parts(values, |x| x.to_le_bytes(), put),
    }
}

fn parts<T: Copy, const W: usize>(
    values: &[T],
    bytes: impl Fn(T) -> [u8; W],
    put: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    const PART: usize = 4096;
    let mut buffer = [0; PART * 8];
    for part in values.chunks(PART) {
        for (to, &x) in buffer.chunks_exact_mut(W).zip(part) {
            to.copy_from_slice(&bytes(x));
        }
        put(&buffer[..part.len() * W])?;
    }
    Ok(())
}
