//! Dynamic bodies of a scene, and whether there is space for them.

use crate::{
    Real,
    error::Error,
    fluid::{
        boundary::{Body, Boundary},
        particles::Particles,
        wall_surface::{Place, WallCondition, WallSurface},
    },
    geometry::{motion::Trajectory, shape::Enclosure},
    numerics::lane::each,
    rigid::{self, Bodies, Rigid},
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

/// Bodies may begin in each other, and in walls, by this part of a spacing.
const OVERLAP: f64 = 0.05;

/// Refuses bodies that reach into each other, into a wall or a container, and fluid inside of bodies.
pub(super) fn check_free_space<const D: usize>(
    scene: &Scene,
    fluid: &Particles<D>,
    walls: &Boundary<D>,
    bodies: &Bodies<D>,
) -> Result<(), Error> {
    for (k, body) in bodies.list.iter().enumerate() {
        let refuse = |what: &str, x: &[f64; D]| {
            let message = format!("reaches into {what} at {x:.4?} m");
            Err(Error::invalid(format!("body[{k}].shape"), message).hint("move one of them"))
        };
        for x in surface(scene, walls, body, k) {
            let into = |other: &&Rigid<D>| {
                other.form.region.phi(&other.inverse_transform(&x)) < -OVERLAP * scene.spacing
            };
            if let Some(other) = bodies.list[k + 1..].iter().chain(&bodies.list[..k]).find(into) {
                return refuse(&format!("the body `{}`", other.form.name), &x);
            }
            let n_walls = walls.surfaces.len() - bodies.list.len();
            let behind = |wall: &&WallSurface<D>| matches!(wall.locate(&x), Place::Behind(d) if d > OVERLAP * scene.spacing);
            if let Some(wall) = walls.surfaces[..n_walls].iter().chain(&*bodies.containers).find(behind) {
                return refuse(&format!("the wall `{}`", wall.name), &x);
            }
        }
    }
    let inside = |i: usize| bodies.containing(&fluid.position(i).map(f64::from)).map(|body| (i, body));
    let Some((i, body)) = (0..fluid.len()).find_map(inside) else { return Ok(()) };
    let message =
        format!("holds a particle at {:?} m, inside of the body `{}`", fluid.position(i), body.form.name);
    Err(Error::invalid("fluid", message).hint("move one of them, or `cut` the body's shape out of the fluid"))
}

/// Points of the nominal surface of body `k`: before its samples of the first layer, and its corners.
fn surface<const D: usize>(scene: &Scene, walls: &Boundary<D>, body: &Rigid<D>, k: usize) -> Vec<[f64; D]> {
    let region = &body.form.region;
    let depth = scene.body[k].offset * scene.spacing;
    let samples = (0..walls.len()).filter(|b| walls.bodies[usize::from(walls.body[*b])].rigid == Some(k));
    let drawn = samples.map(|b| each(|a| f64::from(walls.x_0[a][b])));
    let first = drawn.filter(|x| region.phi(x) > -1.5 * depth.max(0.5 * scene.spacing));
    let mut points: Vec<[f64; D]> = first
        .map(|x: [f64; D]| {
            let (n, phi) = (region.normal(&x), region.phi(&x));
            body.transform(&each(|a| x[a] - phi * n[a]))
        })
        .collect();
    points.extend(region.corners().iter().map(|x| body.transform(x)));
    points
}
