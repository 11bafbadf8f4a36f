//! Dynamic bodies and the particles that touch them: launchers of `kernels/viscoelastic_bodies.cu`.
//!
//! A body is met in two passes: the first sums what particles ask of it, from which its motion after all impulses
//! follows; the second answers them with that motion. Sums are in `f64`, in an order that depends on the number of
//! particles alone.

use super::{
    viscoelastic::Launcher,
    viscoelastic_contact::{Contact, Touching},
};
use crate::{
    barriers::Surface,
    error::CudaError,
    executor::{Executor, Field, Kernel, arguments, count, plain},
    reduce::{PARTIALS, Passes, start},
};

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/viscoelastic_bodies.cu", name: $name };)+
    };
}
kernels! {
    MEET = "visco_meet", MERGE_MEETING = "visco_merge_meeting", ANSWER = "visco_answer",
    MERGE_WRENCH = "visco_merge_wrench",
}

/// A body as particles meet it. Twin of `Met` in kernels/viscoelastic_bodies.cu.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Met<const D: usize> {
    /// Its surface where its velocity brings it, with the center of mass before the step and the velocities that it is
    /// met with.
    pub surface: Surface<D>,
    /// Radius of the ball around its center that holds it, `[m]`.
    pub reach: f64,
    /// Mass of a particle, `[kg]`.
    pub m: f64,
}

/// What all particles that touch a body ask of it. Twin of `Meeting` in kernels/viscoelastic_bodies.cu.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Meeting {
    /// Entries of the symmetric `Σ m Gᵀ Π G` on its diagonal and above, row by row, `[kg]` to `[kg m²]`.
    pub matrix: [f64; 21],
    /// `Σ m Gᵀ (Π v̄ − s n)`, `[kg m/s]` and `[kg m²/s]`.
    pub momentum: [f64; 6],
}

/// Momentum and angular momentum that particles get from a body, `[kg m/s]` and `[kg m²/s]`. Twin of `Wrench` in
/// kernels/viscoelastic_bodies.cu.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Given(pub [f64; 6]);

plain!(Given, Meeting);

/// Room for the sums over the particles that touch a body.
#[derive(Debug)]
pub struct Meetings {
    meetings: Field<Meeting>,
    meeting: Field<Meeting>,
    parts: Field<Given>,
    given: Field<Given>,
}

impl Meetings {
    /// Room for one body after the other.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self {
            meetings: executor.zeros(PARTIALS)?,
            meeting: executor.zeros(1)?,
            parts: executor.zeros(PARTIALS)?,
            given: executor.zeros(1)?,
        })
    }
}

impl<const D: usize> Launcher<'_, D> {
    /// What particles ask of a body that moves as before, after all work before.
    ///
    /// # Errors
    /// When a field is too short, or a launch or the copy fails.
    pub fn meet(
        &self,
        contact: Contact,
        body: &Met<D>,
        fluid: &mut Touching<'_, D>,
        sums: &mut Meetings,
    ) -> Result<Meeting, CudaError> {
        let (n, stream, executor) = (fluid.n, self.stream(MEET, fluid)?, self.executor);
        let passes = Passes { executor, n, first: MEET, second: MERGE_MEETING };
        passes.run(D, &mut sums.meetings, &mut sums.meeting, |partial| {
            start(
                executor,
                MEET,
                D,
                n,
                arguments![*self.constants, contact, *body, count(n)?, @fluid stream, partial],
            )
        })?;
        let mut meeting = [Meeting::default()];
        executor.read(&sums.meeting, &mut meeting)?;
        Ok(meeting[0])
    }

    /// Answers particles with the impulses of a body that moves as after them; returns what they got, after all work
    /// before.
    ///
    /// # Errors
    /// As of [`Launcher::meet`].
    pub fn answer(
        &self,
        contact: Contact,
        body: &Met<D>,
        fluid: &mut Touching<'_, D>,
        sums: &mut Meetings,
    ) -> Result<Given, CudaError> {
        let (n, stream, executor) = (fluid.n, self.stream(ANSWER, fluid)?, self.executor);
        let passes = Passes { executor, n, first: ANSWER, second: MERGE_WRENCH };
        passes.run(D, &mut sums.parts, &mut sums.given, |partial| {
            start(
                executor,
                ANSWER,
                D,
                n,
                arguments![*self.constants, contact, *body, count(n)?, @fluid stream, partial],
            )
        })?;
        let mut given = [Given::default()];
        executor.read(&sums.given, &mut given)?;
        Ok(given[0])
    }
}
