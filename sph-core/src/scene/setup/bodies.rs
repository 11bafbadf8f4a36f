//! Dynamic bodies of a scene, and whether there is space for them.

use crate::{
    Real,
    error::Error,
    fluid::{
        boundary::{Body, Boundary},
        particles::Particles,
        wall_surface::{WallCondition, WallSurface},
    },
    geometry::{motion::Trajectory, shape::Enclosure},
    rigid::{self, Bodies},
    scene::{Scene, Slip},
};
use std::sync::Arc;

/// Adds the bodies of a scene, and their samples behind those of the walls.
pub(super) fn add<const D: usize>(
    scene: &Scene,
    walls: &mut Boundary<D>,
    containers: &[Enclosure<D>],
) -> Result<Bodies<D>, Error> {
    let mut bodies = Bodies::default();
    for (k, body) in scene.body.iter().enumerate() {
        let key = format!("body[{k}]");
        let rigid = body.resolve::<D>(&key, k)?;
        let (region, layers) = (rigid.form.region.clone(), body.layout());
        let samples = crate::geometry::sampling::layers(&region, scene.spacing, &layers);
        let first = walls.len();
        let no_slip = body.slip == Slip::NoSlip;
        let set = Body {
            name: rigid.form.name.clone(),
            motion: Trajectory::Static,
            since: 0.0,
            surface_velocity: [0.0; D],
            no_slip,
            rigid: Some(k),
            load: None,
        };
        let samples: Vec<[Real; D]> = samples.iter().map(|sample| super::reals(sample.x)).collect();
        walls.add_body(set, &samples);
        walls.add_surface(
            &rigid.form.name,
            region,
            &layers,
            scene.spacing,
            first,
            WallCondition::new(no_slip),
        );
        bodies.list.push(rigid);
    }
    if bodies.is_empty() {
        return Ok(bodies);
    }
    bodies.engine = rigid::engine();
    if bodies.engine.is_none() {
        let error = Error::invalid("body", "needs an engine for collisions, which this program has not");
        return Err(error.hint("build it with `--features rigid`"));
    }
    let containers = containers.iter().enumerate();
    bodies.containers =
        Arc::new(containers.map(|(k, c)| WallSurface::of_container(k, c, scene.spacing)).collect());
    Ok(bodies)
}

/// Refuses fluid inside of bodies.
pub(super) fn check_free_space<const D: usize>(
    fluid: &Particles<D>,
    bodies: &Bodies<D>,
) -> Result<(), Error> {
    let inside = |i: usize| bodies.containing(&fluid.position(i).map(f64::from)).map(|body| (i, body));
    let Some((i, body)) = (0..fluid.len()).find_map(inside) else { return Ok(()) };
    let message =
        format!("holds a particle at {:?} m, inside of the body `{}`", fluid.position(i), body.form.name);
    Err(Error::invalid("fluid", message).hint("move one of them, or `cut` the body's shape out of the fluid"))
}
