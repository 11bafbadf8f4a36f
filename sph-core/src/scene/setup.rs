//! From a scene to the state at t = 0.

mod bodies;
mod overlap;
mod solids;

pub use overlap::{CLEARANCE, Near, Overlap, check_clearance, too_close};

use crate::{
    Real, compiled_here,
    error::Error,
    fluid::{
        boundary::{Body, Boundary},
        material::{Domain, Forces, Material},
        particles::Particles,
    },
    geometry::{
        lattice,
        sampling::SURFACE_TOLERANCE,
        shape::{Enclosure, vector},
    },
    kernel::choice::ScalarKernel,
    keys::join,
    method::state::State,
    neighbors::Periodic,
    rigid::{Bodies, ContainerLoad, Load, Wrench},
    scene::{Container, MassMode, Scene, Slip},
};

/// A state at t = 0, and what a solver with evolved density must know of it.
#[derive(Debug)]
pub struct Setup<const D: usize> {
    /// The state; densities are at rest.
    pub state: State<D>,
    /// Initial pressures in the order of the particles. Shape `[n]`, `[Pa]`.
    pub pressure: Vec<f64>,
}

/// Particles beyond this many spacings outside of fluid and walls have escaped, if the scene names no domain.
const MARGIN: f64 = 50.0;

/// Samples the scene with the kernel of its solver.
///
/// # Errors
/// When the scene contradicts itself: wrong dimension, no fluid, a body without particles, particles nearer than
/// [`CLEARANCE`] to each other or to a wall, a periodic length below three supports, numbers that are infinite in
/// the precision of the run.
pub fn build<const D: usize>(scene: &Scene, kernel: &dyn ScalarKernel<D>) -> Result<Setup<D>, Error> {
    compiled_here!(D, located as fn(&Scene, &dyn ScalarKernel<D>) -> Result<Setup<D>, Error>)(scene, kernel)
}

fn located<const D: usize>(scene: &Scene, kernel: &dyn ScalarKernel<D>) -> Result<Setup<D>, Error> {
    sample(scene, kernel).map_err(|error| scene.locate(error))
}

fn sample<const D: usize>(scene: &Scene, kernel: &dyn ScalarKernel<D>) -> Result<Setup<D>, Error> {
    let gravity = scene.gravity_vector::<D>()?;
    let periodic = periodic::<D>(scene, kernel.support_radius())?;
    let rest = material(scene, kernel)?;
    let (fluid, pressure, ends) = fluid::<D>(scene, &gravity, &periodic)?;
    let containers = scene.container.iter().enumerate();
    let containers = containers.map(|(k, c)| c.resolve(&format!("container[{k}]"), scene.spacing));
    let containers: Vec<Enclosure<D>> = containers.collect::<Result<_, _>>()?;
    check_contained(&fluid, &ends, &containers, scene.spacing)?;
    let (walls, bodies) = walls(scene, kernel, &rest, periodic, &containers)?;
    clear(scene, &fluid, &ends, &walls, &periodic)?;
    solids::check(scene, &walls, &bodies)?;
    bodies::check_free_space(&fluid, &bodies)?;
    let domain = domain(scene, (&fluid, &walls, &containers), periodic)?;
    let state = State {
        next_id: fluid.len() as u64,
        fluid,
        walls,
        bodies,
        rest,
        forces: forces(scene, gravity)?,
        domain,
        containers,
        t: 0.0,
        step: 0,
    };
    Ok(Setup { state, pressure })
}

fn reals<const D: usize>(x: [f64; D]) -> [Real; D] {
    x.map(|x| x as Real)
}

/// Refuses a number that becomes infinite, or nothing, in the precision of the run.
fn held(key: &str, value: f64) -> Result<Real, Error> {
    let real = value as Real;
    if real.is_finite() && (real != 0.0 || value == 0.0) {
        return Ok(real);
    }
    let bits = 8 * size_of::<Real>();
    Err(Error::invalid(key, format!("is out of the range of numbers of {bits} bits")).value(value))
}

fn material<const D: usize>(scene: &Scene, kernel: &dyn ScalarKernel<D>) -> Result<Material, Error> {
    let (rho_0, spacing) = (held("rest_density", scene.rest_density)?, held("spacing", scene.spacing)?);
    let volume = scene.spacing.powi(D as i32);
    let m = match scene.mass_mode {
        MassMode::Calibrated => lattice::calibrated_mass(kernel, scene.spacing, scene.rest_density),
        MassMode::Volume => scene.rest_density * volume,
        MassMode::Factor(factor) => scene.rest_density * volume * factor,
    };
    let m = held("spacing", m).map_err(|_| {
        let message = format!("makes particles of {m:e} kg, which this precision cannot hold");
        Error::invalid("spacing", message).value(scene.spacing)
    })?;
    Ok(Material { rho_0, m, spacing })
}

fn periodic<const D: usize>(scene: &Scene, h: Real) -> Result<Periodic<D>, Error> {
    let Some(domain) = scene.domain.as_ref().filter(|d| !d.periodic.is_empty()) else {
        return Ok(Periodic::NONE);
    };
    let (min, max) = (vector::<D>("domain.min", &domain.min)?, vector::<D>("domain.max", &domain.max)?);
    let mut length = [0.0; D];
    for axis in &domain.periodic {
        let a = axis.index();
        let l = max[a] - min[a];
        // Three cells, a little wider than the support, and the lists' skin.
        let least = 3.0 * (f64::from(h) * 1.001 + scene.neighbors.skin);
        if l < least {
            let message = format!(
                "periodic axis {axis:?} is {l} m long; it must be at least 3 support radii, {least} m"
            );
            return Err(Error::invalid("domain.max", message));
        }
        length[a] = l;
    }
    Ok(Periodic::new(reals(min), reals(length)))
}

/// Fluid particles, their initial pressures, and where the particles of each body end.
fn fluid<const D: usize>(
    scene: &Scene,
    gravity: &[f64; D],
    periodic: &Periodic<D>,
) -> Result<(Particles<D>, Vec<f64>, Vec<usize>), Error> {
    let (mut particles, mut pressure, mut ends) = (Particles::default(), Vec::new(), Vec::new());
    for (k, body) in scene.fluid.iter().enumerate() {
        let key = format!("fluid[{k}]");
        for x in body.sample::<D>(&key, scene.spacing)? {
            let id = particles.len() as u64;
            let (place, velocity) = (periodic.wrap(reals(x)), reals(body.velocity.at(&x)));
            let p = body.pressure.at(&x, scene.rest_density, gravity);
            for (name, values) in [("shape", &place[..]), ("velocity", &velocity), ("pressure", &[p as Real])]
            {
                if !values.iter().all(|value| value.is_finite()) {
                    let message = "gives a particle numbers that are not finite";
                    return Err(Error::invalid(join(&key, name), message).value(format!("{values:?}")));
                }
            }
            particles.push(id, place, velocity, scene.rest_density as Real);
            pressure.push(p);
        }
        if ends.last().copied().unwrap_or(0) == particles.len() {
            let error =
                Error::invalid(join(&key, "shape"), "holds no particle: it, or what cuts and shell leave");
            return Err(error.hint(format!("at a spacing of {} m it has no volume", scene.spacing)));
        }
        ends.push(particles.len());
    }
    let comes = scene.command.iter().any(|command| command.add.is_some() || command.emitter.is_some());
    if particles.is_empty() && !comes {
        return Err(Error::invalid("fluid", "the scene holds no fluid particle"));
    }
    Ok((particles, pressure, ends))
}

/// Refuses fluid outside of a container, which would throw it inside at the first step.
fn check_contained<const D: usize>(
    fluid: &Particles<D>,
    ends: &[usize],
    containers: &[Enclosure<D>],
    spacing: f64,
) -> Result<(), Error> {
    for (k, container) in containers.iter().enumerate() {
        let limit = (0.5 + SURFACE_TOLERANCE) * spacing;
        let outside = |i: &usize| container.region.phi(&fluid.position(*i).map(f64::from)) > limit;
        let Some(i) = (0..fluid.len()).find(outside) else { continue };
        let (body, x) = (ends.partition_point(|&end| end <= i), fluid.position(i));
        let message = format!("has a particle at {x:?} m, outside of container[{k}]");
        let error = Error::invalid(format!("fluid[{body}].shape"), message);
        return Err(
            error.hint("every container holds all fluid: move one of them, or leave the container out")
        );
    }
    Ok(())
}

/// Refuses particles that are too near each other or a wall; `ends` tells their bodies apart.
fn clear<const D: usize>(
    scene: &Scene,
    fluid: &Particles<D>,
    ends: &[usize],
    walls: &Boundary<D>,
    periodic: &Periodic<D>,
) -> Result<(), Error> {
    let none = [const { Vec::new() }; D];
    let checked = check_clearance(&fluid.x, &none, &walls.x, scene.spacing as Real, periodic);
    let Err(Overlap { point, near, x, x_near, distance }) = checked else { return Ok(()) };
    let body = |i: usize| ends.partition_point(|&end| end <= i);
    let (other, hint) = match near {
        Near::Wall(b) => {
            let name = walls.bodies.get(usize::from(walls.body[b])).map_or("", |body| &body.name);
            (format!("a sample of the wall `{name}`"), "move one of them, or cut the fluid")
        }
        Near::Point(j) | Near::Fluid(j) if body(j) == body(point) => {
            ("another of its particles".to_owned(), "lower its jitter, or fit it to the period")
        }
        Near::Point(j) | Near::Fluid(j) => (format!("one of fluid[{}]", body(j)), "move or cut one of them"),
    };
    let message = format!(
        "has a particle at {x:?} m that is {distance:.3} spacings from {other} at {x_near:?} m; \
         {CLEARANCE} are needed"
    );
    Err(Error::invalid(format!("fluid[{}].shape", body(point)), message).hint(hint))
}

fn walls<const D: usize>(
    scene: &Scene,
    kernel: &dyn ScalarKernel<D>,
    rest: &Material,
    periodic: Periodic<D>,
    containers: &[Enclosure<D>],
) -> Result<(Boundary<D>, Bodies<D>), Error> {
    let (mut boundary, mut loads) = (Boundary::default(), Vec::new());
    let is_measured = |name: &str| scene.measure.iter().any(|measure| measure.is_force_on(name));
    for (k, wall) in scene.wall.iter().enumerate() {
        let key = format!("wall[{k}]");
        let motion = wall.motion.resolve::<D>(&format!("{key}.motion"))?;
        let name = wall.called(k);
        let load = is_measured(&name).then_some(loads.len());
        loads.extend(load.map(|_| Load { wall: name.clone(), wrench: Wrench::default() }));
        let first = boundary.len();
        // Samples of one surface velocity are one body; most walls have a single one.
        let mut groups: Vec<([f64; D], Vec<[Real; D]>)> = Vec::new();
        for sample in wall.sample::<D>(&key, scene.spacing)? {
            if outside_period(&sample.x, &periodic) {
                continue;
            }
            let velocity = wall.surface_velocity_of(&sample);
            match groups.iter_mut().find(|(v, _)| *v == velocity) {
                Some((_, samples)) => samples.push(reals(sample.x)),
                None => groups.push((velocity, vec![reals(sample.x)])),
            }
        }
        for (velocity, samples) in groups {
            let body = Body {
                name: name.clone(),
                motion: motion.clone(),
                since: 0.0,
                surface_velocity: reals(velocity),
                no_slip: wall.slip == Slip::NoSlip,
                rigid: None,
                load,
            };
            boundary.add_body(body, &samples);
        }
        let region = wall.shape.resolve(&format!("{key}.shape"))?;
        let condition = wall.condition(&region);
        boundary.add_surface(&name, region, &wall.layout(), scene.spacing, first, condition);
    }
    let measured = (0..containers.len()).filter(|k| is_measured(&Container::called(*k)));
    let container_loads =
        measured.map(|container| ContainerLoad { container, wrench: Wrench::default() }).collect();
    let bodies = Bodies { loads, container_loads, ..bodies::add(scene, &mut boundary, containers)? };
    boundary.weigh(kernel, scene.boundary.psi_mode, rest.m, rest.rho_0, periodic);
    boundary.move_to(0.0);
    bodies.update_samples(&mut boundary);
    if let Some(b) = (0..boundary.len()).find(|b| !is_finite(&boundary, *b)) {
        let name = boundary.bodies.get(usize::from(boundary.body[b])).map_or("", |body| &body.name);
        let message =
            format!("the wall `{name}` has a sample whose position, velocity or volume is not finite");
        return Err(Error::invalid("wall", message).value(format!("{:?}", boundary.position(b))));
    }
    Ok((boundary, bodies))
}

fn is_finite<const D: usize>(walls: &Boundary<D>, b: usize) -> bool {
    let fields = [&walls.x, &walls.v, &walls.a];
    walls.volume[b].is_finite() && fields.iter().all(|field| field.iter().all(|axis| axis[b].is_finite()))
}

/// A wall goes on through the end of a periodic axis: samples behind it stand there already.
fn outside_period<const D: usize>(x: &[f64; D], periodic: &Periodic<D>) -> bool {
    (0..D).any(|a| {
        let (low, length) = (f64::from(periodic.low[a]), f64::from(periodic.length[a]));
        length > 0.0 && !(low..low + length).contains(&x[a])
    })
}

fn domain<const D: usize>(
    scene: &Scene,
    (fluid, walls, containers): (&Particles<D>, &Boundary<D>, &[Enclosure<D>]),
    periodic: Periodic<D>,
) -> Result<Domain<D>, Error> {
    let margin = (MARGIN * scene.spacing) as Real;
    let (mut low, mut high) = ([Real::INFINITY; D], [Real::NEG_INFINITY; D]);
    let commanded = commanded::<D>(scene)?;
    for a in 0..D {
        for &x in fluid.x[a].iter().chain(&walls.x[a]) {
            low[a] = low[a].min(x - margin);
            high[a] = high[a].max(x + margin);
        }
        for (min, max) in containers.iter().filter_map(|c| c.region.bounds()) {
            low[a] = low[a].min(min[a] as Real);
            high[a] = high[a].max(max[a] as Real);
        }
        for (min, max) in &commanded {
            low[a] = low[a].min(min[a] as Real - margin);
            high[a] = high[a].max(max[a] as Real + margin);
        }
        // Without a domain a splash may rise as high as it likes: walls decide what is outside.
        let span = high[a] - low[a];
        low[a] -= span;
        high[a] += span;
    }
    if let Some(domain) = &scene.domain {
        low = reals(vector("domain.min", &domain.min)?);
        high = reals(vector("domain.max", &domain.max)?);
    }
    Ok(Domain { low, high, periodic })
}

/// The lower and the upper corner of a box, `[m]`.
type Corners<const D: usize> = ([f64; D], [f64; D]);

/// The boxes in which commands of the scene will put fluid.
fn commanded<const D: usize>(scene: &Scene) -> Result<Vec<Corners<D>>, Error> {
    let mut boxes = Vec::new();
    for command in &scene.command {
        if let Some(fluid) = &command.add {
            boxes.extend(fluid.shape.resolve::<D>(&format!("{}.add.shape", command.key()))?.bounds());
        }
        if let Some(emitter) = &command.emitter {
            let center: [f64; D] = vector(&format!("{}.emitter.center", command.key()), &emitter.center)?;
            boxes.push((center.map(|x| x - emitter.radius), center.map(|x| x + emitter.radius)));
        }
    }
    Ok(boxes)
}

fn forces<const D: usize>(scene: &Scene, gravity: [f64; D]) -> Result<Forces<D>, Error> {
    for (k, g) in gravity.iter().enumerate() {
        held(&format!("gravity[{k}]"), *g)?;
    }
    let central = match &scene.forces.central {
        Some(c) => Some((reals(vector("forces.central.center", &c.center)?), c.strength as Real)),
        None => None,
    };
    let damping = scene.damping.as_ref().map(|d| (d.rate as Real, d.until));
    Ok(Forces { gravity: reals(gravity), central, damping })
}
