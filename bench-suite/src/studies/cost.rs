//! Cost of frames: blocks of steps with one frame and with none, in turns.

use crate::output::{Every, Format, Settings, Stream};
use crate::{run, studies::stepping, system::processor::Processor};
use serde::Serialize;
use sph_core::{method::report::StepReport, run::simulation::Simulation};
use std::{error::Error, path::Path, time::Instant};

/// What to time.
#[derive(Clone, Debug)]
pub struct Options {
    /// The block of fluid is 2m × 2m × m particles.
    pub m: usize,
    /// Steps to a frame.
    pub every: u64,
    /// Pairs of blocks, with a frame and without.
    pub pairs: usize,
    /// Formats of a frame.
    pub formats: Vec<Format>,
    /// Where and how steps run.
    pub processor: Processor,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Cost {
    /// Fluid particles.
    pub particles: usize,
    /// Threads.
    pub threads: usize,
    /// Steps to a frame.
    pub every: u64,
    /// Step without frames, median of blocks `[ms]`.
    pub ms_without: f64,
    /// Step with frames, median of blocks `[ms]`.
    pub ms_with: f64,
    /// Median over the pairs of how much longer the block with a frame takes `[%]`.
    pub percent: f64,
    /// Part of the time without frames for which the run stands still to copy `[%]`.
    pub copying_percent: f64,
    /// Copying of a frame between two steps `[ms]`.
    pub ms_copying: f64,
    /// Encoding and writing of a frame by the other thread `[ms]`.
    pub ms_writing: f64,
}

/// Times frames of the reference codes' dam break in `folder`. The two kinds of blocks take turns, and so does which of
/// them goes first, so that neither drift of the machine nor of the fluid favors one.
///
/// # Errors
/// When a step fails or a frame cannot be written.
pub fn time(options: &Options, folder: &Path) -> Result<Cost, Box<dyn Error + Send + Sync>> {
    let Options { m, every, pairs, ref formats, ref processor } = *options;
    let mut simulation = run::simulation::<3>(&stepping::scene(m, 0.15), processor)?;
    let settings = Settings {
        formats: formats.clone(),
        every: Every::Steps(1), // it is shown a state only when a frame is wanted
        fields: Vec::new(),
        color_by: "speed".into(),
        folder: folder.to_owned(),
    };
    let mut stream = Stream::start(&settings, &simulation)?;
    steps(&mut simulation, 20)?;
    look(&mut stream, &mut simulation)?; // buffers get their size
    steps(&mut simulation, every)?;
    let before = stream.seconds();
    let mut blocks = Vec::new();
    for pair in 0..pairs {
        let mut seconds = [0.0; 2];
        for kind in [pair % 2, 1 - pair % 2] {
            let start = Instant::now();
            if kind == 1 {
                look(&mut stream, &mut simulation)?;
            }
            steps(&mut simulation, every)?;
            seconds[kind] = start.elapsed().as_secs_f64();
        }
        blocks.push(seconds);
    }
    let copying = (stream.seconds() - before) / pairs as f64;
    let spent = stream.finish()?;
    let without = median(blocks.iter().map(|pair| pair[0]));
    Ok(Cost {
        particles: simulation.state.fluid.len(),
        threads: rayon::current_num_threads(),
        every,
        ms_without: 1e3 * without / every as f64,
        ms_with: 1e3 * median(blocks.iter().map(|pair| pair[1])) / every as f64,
        percent: 100.0 * (median(blocks.iter().map(|pair| pair[1] / pair[0])) - 1.0),
        copying_percent: 100.0 * copying / without,
        ms_copying: 1e3 * copying,
        ms_writing: 1e3 * spent.writing / spent.frames as f64,
    })
}

fn steps(simulation: &mut Simulation<3>, n: u64) -> Result<(), sph_core::method::failure::StepError> {
    (0..n).try_for_each(|_| simulation.step(f64::INFINITY).map(drop))
}

fn look(stream: &mut Stream<3>, simulation: &mut Simulation<3>) -> Result<(), Box<dyn Error + Send + Sync>> {
    simulation.fetch()?;
    Ok(stream.look(&simulation.view(&StepReport::default()))?)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    let n = values.len();
    0.5 * (values[(n - 1) / 2] + values[n / 2])
}
