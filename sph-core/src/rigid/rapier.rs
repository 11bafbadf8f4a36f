//! Contacts by rapier, in double precision.
//!
//! Its world is built anew for every step in which a body is near something. That takes some allocations and some
//! hundredths of a millisecond, and buys that nothing of a contact outlives a step: a restart needs no more than the
//! bodies' momenta and poses, and goes on with the same bits. The steps of a fluid are so short that contacts lose
//! nothing by not being warm-started.

mod dim2;
mod dim3;
pub mod pieces;

use super::{Engine, Obstacle, Rigid};
use std::{any::Any, sync::Arc};

/// The engine; it keeps nothing.
#[derive(Debug)]
struct Rapier;

/// The engine for `D` dimensions, of which there are two or three.
pub fn engine<const D: usize>() -> Option<Arc<dyn Engine<D>>> {
    let in_2d: Arc<dyn Engine<2>> = Arc::new(Rapier);
    let in_3d: Arc<dyn Engine<3>> = Arc::new(Rapier);
    let any: Box<dyn Any> = if D == 2 { Box::new(in_2d) } else { Box::new(in_3d) };
    any.downcast::<Arc<dyn Engine<D>>>().ok().map(|engine| *engine)
}

macro_rules! engine_in {
    ($D:literal, $world:path) => {
        impl Engine<$D> for Rapier {
            fn advance(
                &self,
                bodies: &mut [Rigid<$D>],
                obstacles: &[Obstacle<'_, $D>],
                spacing: f64,
                dt: f64,
                touched: &mut [bool],
            ) {
                let mut world = <$world>::new(spacing, dt);
                obstacles.iter().for_each(|obstacle| world.add_obstacle(obstacle));
                bodies.iter().for_each(|body| world.add_body(body));
                world.step();
                for (k, (body, touched)) in bodies.iter_mut().zip(touched).enumerate() {
                    *touched = world.read(k, body);
                }
            }
        }
    };
}
engine_in!(2, dim2::World);
engine_in!(3, dim3::World);
