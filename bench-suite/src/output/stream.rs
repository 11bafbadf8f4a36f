//! Frames written while a run goes on.
//!
//! The stepping thread copies what was chosen into one of three buffers and hands it to a thread that encodes
//! and writes. It waits only when all three are full, so no frame is dropped. A frame that cannot be written
//! ends the run.

use super::{
    Every, Fields, Format, FrameData, OutputError, SIZE, Settings,
    image::Look,
    series::{Series, frame_name, walls_name},
    vtu,
};
use crate::system::write::write_atomic;
use sph_core::{
    error::Error,
    method::observer::{Observer, View},
    run::simulation::Simulation,
};
use std::{
    mem,
    sync::mpsc::{self, Receiver, SyncSender},
    thread::JoinHandle,
    time::Instant,
};

/// One is being filled while another is written, and a third takes up the unevenness of disks.
const BUFFERS: usize = 3;

/// What a frame shows.
#[derive(Debug, Default)]
struct Snapshot<const D: usize> {
    fluid: FrameData<D>,
    walls: FrameData<D>,
}

/// What frames have cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Frames written.
    pub frames: u64,
    /// Time that the run has spent copying `[s]`.
    pub copying: f64,
    /// Time that the run has waited for a free buffer `[s]`.
    pub waiting: f64,
    /// Time of the other thread, for encoding and writing `[s]`.
    pub writing: f64,
}

/// Writes frames of a run, as one of its observers.
pub struct Stream<const D: usize> {
    fields: Fields,
    every: Every,
    /// Interval of the last frame, counted from t = 0.
    last: Option<f64>,
    /// Step of the last frame that was there when the run went on.
    there: Option<u64>,
    full: Option<SyncSender<Snapshot<D>>>,
    free: Receiver<Snapshot<D>>,
    /// Buffers that came back while the run waited.
    idle: Vec<Snapshot<D>>,
    writer: Option<JoinHandle<Result<Spent, OutputError>>>,
    error: Option<OutputError>,
    spent: Spent,
}

impl<const D: usize> Stream<D> {
    /// Prepares frames of a run from where it is: frames up to this step that lie in the folder stay, later ones
    /// go. A run at its start keeps none.
    ///
    /// # Errors
    /// When a field is unknown, a color is not among the fields of a picture, or the folder cannot be used.
    pub fn start(settings: &Settings, simulation: &Simulation<D>) -> Result<Self, OutputError> {
        let fields = choose(settings, simulation)?;
        let moving = simulation.state.walls.is_moving() || simulation.interaction.moves_walls();
        let series = Series::open(&settings.folder, simulation.state.step, moving)?;
        let last = series.last().map(|(_, t)| settings.every.interval(t));
        let there = series.last().map(|(step, _)| step);
        let (full, to_write) = mpsc::sync_channel(BUFFERS);
        let (written, free) = mpsc::sync_channel(BUFFERS);
        for _ in 0..BUFFERS {
            let _ = written.send(Snapshot::default()); // its receiver is here
        }
        let walls_written = series.path(&walls_name(None)).is_file();
        let writer = Writer { settings: settings.clone(), series, moving, walls_written };
        let thread = std::thread::Builder::new().name("frames".into());
        let writer = thread.spawn(move || writer.run(to_write, written)).map_err(OutputError::Thread)?;
        let spent = Spent::default();
        let (full, writer) = (Some(full), Some(writer));
        let idle = Vec::with_capacity(BUFFERS);
        Ok(Self { fields, every: settings.every, last, there, full, free, idle, writer, error: None, spent })
    }

    /// Copies a frame if one is due.
    ///
    /// # Errors
    /// What the thread that writes has met.
    pub fn look(&mut self, view: &View<'_, D>) -> Result<(), OutputError> {
        if self.writer.as_ref().is_none_or(JoinHandle::is_finished) {
            return self.join();
        }
        if !self.is_due(view) {
            return Ok(());
        }
        let state = view.state;
        let start = Instant::now();
        let Some(mut snapshot) = self.idle.pop().or_else(|| self.free.recv().ok()) else {
            return self.join();
        };
        let waited = start.elapsed().as_secs_f64();
        snapshot.fluid.copy(&self.fields, state, view.solver);
        // Walls at rest are copied once for each buffer.
        if state.walls.is_moving() || snapshot.walls.id.len() != state.walls.len() {
            snapshot.walls.copy_walls(state);
        }
        self.spent.waiting += waited;
        self.spent.copying += start.elapsed().as_secs_f64() - waited;
        self.last = Some(self.every.interval(state.t));
        let sent = self.full.as_ref().is_some_and(|full| full.send(snapshot).is_ok());
        if sent { Ok(()) } else { self.join() }
    }

    /// Waits until all frames up to now are on the disk. False when they cannot be, which [`Stream::finish`] explains.
    pub fn settle(&mut self) -> bool {
        if self.error.is_none() {
            self.error = self.drain().err();
        }
        self.error.is_none()
    }

    fn drain(&mut self) -> Result<(), OutputError> {
        while self.idle.len() < BUFFERS {
            match self.free.recv() {
                Ok(snapshot) => self.idle.push(snapshot),
                Err(_) => return self.join(),
            }
        }
        Ok(())
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    /// What the thread that writes has met, now or earlier.
    pub fn finish(mut self) -> Result<Spent, OutputError> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.join().map(|()| self.spent),
        }
    }

    /// Time that the run has spent on frames so far `[s]`.
    pub fn seconds(&self) -> f64 {
        self.spent.copying + self.spent.waiting
    }

    fn join(&mut self) -> Result<(), OutputError> {
        self.full = None; // nothing more comes: the thread ends when it has written what is there
        let ended = self.writer.take().map(|writer| writer.join().unwrap_or(Err(OutputError::Panicked)));
        let Spent { frames, writing, .. } = ended.unwrap_or(Err(OutputError::Panicked))?;
        (self.spent.frames, self.spent.writing) = (frames, writing);
        Ok(())
    }
}

impl<const D: usize> Observer<D> for Stream<D> {
    /// Ends the run at the first error, which [`Stream::finish`] returns.
    fn observe(&mut self, view: &View<'_, D>) -> bool {
        if self.error.is_none() {
            self.error = self.look(view).err();
        }
        self.error.is_none()
    }

    fn is_due(&self, view: &View<'_, D>) -> bool {
        let (step, t) = (view.state.step, view.state.t);
        let due = match self.every {
            Every::Steps(n) => step.is_multiple_of(n),
            Every::Seconds(_) => self.last.is_none_or(|last| self.every.interval(t) > last),
        };
        due && self.there.is_none_or(|there| step > there)
    }
}

impl Every {
    /// How many whole intervals have passed at time `t`; none where steps count.
    fn interval(self, t: f64) -> f64 {
        match self {
            Self::Steps(_) => 0.0,
            // A sum of steps may fall short of a moment by its rounding.
            Self::Seconds(seconds) => (t / seconds + 1e-9).floor(),
        }
    }
}

/// The fields that are asked for, and the one that colors pictures.
fn choose<const D: usize>(settings: &Settings, simulation: &Simulation<D>) -> Result<Fields, Error> {
    let solver = &*simulation.solver;
    let names = settings.fields.iter().map(String::as_str);
    let fields = match settings.fields.is_empty() {
        true => Fields::standard(solver),
        false => Fields::choose("--fields", names, solver)?,
    };
    let color = Fields::choose("--color-by", [settings.color_by.as_str()], solver)?;
    let drawn = settings.formats.contains(&Format::Png);
    let known = settings.color_by == "speed" && fields.has("velocity");
    Ok(if drawn && !known { fields.and(&color) } else { fields })
}

/// The thread that encodes and writes.
struct Writer {
    settings: Settings,
    series: Series,
    moving: bool,
    walls_written: bool,
}

impl Writer {
    fn run<const D: usize>(
        mut self,
        full: Receiver<Snapshot<D>>,
        free: SyncSender<Snapshot<D>>,
    ) -> Result<Spent, OutputError> {
        let mut spent = Spent::default();
        for snapshot in full {
            let start = Instant::now();
            self.write(&snapshot)?;
            spent.writing += start.elapsed().as_secs_f64();
            spent.frames += 1;
            let _ = free.send(snapshot); // nobody waits for the last ones
        }
        Ok(spent)
    }

    fn write<const D: usize>(&mut self, snapshot: &Snapshot<D>) -> Result<(), OutputError> {
        let Snapshot { fluid, walls } = snapshot;
        let Settings { formats, color_by, .. } = &self.settings;
        let look = Look { color_by, size: SIZE, range: None, bounds: None };
        for format in formats {
            let bytes = format.encode(fluid, walls, &look)?;
            write_atomic(&self.series.path(&frame_name(fluid.step, *format)), &bytes)?;
        }
        let wanted = formats.contains(&Format::Vtu) && !walls.id.is_empty();
        if wanted && (self.moving || !mem::replace(&mut self.walls_written, true)) {
            let name = walls_name(self.moving.then_some(fluid.step));
            write_atomic(&self.series.path(&name), &vtu::encode(walls))?;
        }
        self.series.add(fluid.step, fluid.t, formats)
    }
}
