//! Observation and storage between two steps.

use super::{Options, Progress, solved::Solved};
use crate::{
    metrics::{HostView, Metric},
    output::picture::{self, Cloud, Scale, Style},
    result::{Frame, Image},
    system::write::WriteError,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sph_core::{
    Real,
    method::{observer::View, report::StepReport},
    run::simulation::Simulation,
    scene::Scene,
};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// A metric, and when it looks next.
pub(super) struct Scheduled {
    pub(super) metric: Box<dyn Metric>,
    next: f64,
}

/// Metrics, pictures and progress of a run.
pub(super) struct Watch<'a, 'b> {
    pub(super) metrics: Vec<Scheduled>,
    pub(super) frames: Vec<Frame>,
    pictures_done: usize,
    pub(super) options: &'a Options<'b>,
    pub(super) end: f64,
    pub(super) max_steps: u64,
    start: Instant,
    last_progress: f64,
    /// The last checkpoint.
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) solved: Solved,
    /// Time spent looking and keeping, not stepping, `[s]`.
    pub(super) looking: f64,
}

impl<'a, 'b> Watch<'a, 'b> {
    pub(super) fn of(
        scene: &Scene,
        metrics: Vec<Box<dyn Metric>>,
        from: f64,
        options: &'a Options<'b>,
    ) -> Self {
        Self {
            metrics: metrics.into_iter().map(|metric| Scheduled { metric, next: 0.0 }).collect(),
            frames: Vec::new(),
            pictures_done: options.pictures.partition_point(|&at| at < from),
            options,
            end: scene.run.end_time,
            max_steps: scene.run.max_steps.unwrap_or(u64::MAX),
            start: Instant::now(),
            last_progress: 0.0,
            checkpoint: options.checkpoints.and_then(|keep| keep.from).map(Path::to_owned),
            solved: Solved::default(),
            looking: 0.0,
        }
    }

    /// Takes note of what a step did.
    pub(super) fn count(&mut self, report: StepReport) -> StepReport {
        self.solved.count(&report);
        report
    }

    /// True when a checkpoint is due after so many steps.
    pub(super) fn is_due(&self, step: u64) -> bool {
        let every = self.options.checkpoints.and_then(|keep| keep.every);
        step > 0 && every.is_some_and(|every| step.is_multiple_of(every))
    }

    /// Writes a checkpoint, if the run has a place for them.
    pub(super) fn keep<const D: usize>(
        &mut self,
        run: &mut Simulation<D>,
        scene: &str,
    ) -> Result<(), WriteError> {
        let Some(keep) = self.options.checkpoints else { return Ok(()) };
        let entered = Instant::now();
        self.checkpoint = Some(keep.to.save(run, scene)?);
        self.looking += entered.elapsed().as_secs_f64();
        Ok(())
    }

    /// True for the last moment of the run.
    fn is_last(&self, t: f64, step: u64) -> bool {
        t >= self.end || step >= self.max_steps
    }

    /// True when a metric looks, or a picture is taken.
    pub(super) fn is_looking(&self, t: f64, step: u64) -> bool {
        self.is_last(t, step)
            || self.metrics.iter().any(|s| t >= s.next)
            || self.options.pictures.get(self.pictures_done).is_some_and(|&at| t >= at)
    }

    pub(super) fn look<const D: usize>(&mut self, view: &View<'_, D>) {
        let entered = Instant::now();
        let t = view.state.t;
        let last = self.is_last(t, view.state.step);
        if last || self.metrics.iter().any(|s| t >= s.next) {
            self.solved.look(t);
            HostView::with(view, |host| {
                for s in self.metrics.iter_mut().filter(|s| last || t >= s.next) {
                    s.metric.observe(host);
                    s.next += s.metric.interval() * (1.0 + ((t - s.next) / s.metric.interval()).floor());
                }
            });
        }
        while self.options.pictures.get(self.pictures_done).is_some_and(|&at| t >= at) {
            self.frames.extend(picture_of(view));
            self.pictures_done += 1;
        }
        self.report_progress(t, view.state.step);
        self.looking += entered.elapsed().as_secs_f64();
    }

    fn report_progress(&mut self, t: f64, steps: u64) {
        let wall = self.start.elapsed().as_secs_f64();
        if let Some(progress) = self.options.progress
            && wall - self.last_progress > 0.1
        {
            self.last_progress = wall;
            progress(Progress { t, end: self.end, steps, wall });
        }
    }
}

/// A picture of the particles colored by speed; `None` when it cannot be drawn.
fn picture_of<const D: usize>(view: &View<'_, D>) -> Option<Frame> {
    let state = view.state;
    let speed = |i: usize| state.fluid.velocity(i).iter().map(|v| v * v).sum::<Real>().sqrt();
    let values: Vec<Real> = (0..state.fluid.len()).map(speed).collect();
    let top = values.iter().fold(0.0_f64, |top, &v| top.max(f64::from(v))).max(1e-6);
    let cloud = Cloud {
        fluid: state.fluid.x.each_ref().map(Vec::as_slice),
        values: &values,
        walls: state.walls.x.each_ref().map(Vec::as_slice),
        spacing: f64::from(state.rest.spacing),
        bounds: None,
    };
    let title = format!("t = {:.3} s", state.t);
    let mut style = Style::new(900, 420, &title, Scale::speed(top));
    // Gravity points along the second axis in both dimensions.
    style.up = 1;
    let png = picture::draw(&cloud, &style).ok()?;
    Some(Frame {
        t: state.t,
        caption: format!("{title}, colored by speed"),
        image: Image::Png(STANDARD.encode(png)),
    })
}
