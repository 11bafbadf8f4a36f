//! Contradictions that show without making any particle.
use super::{Body, Container, Domain, Fluid, MAX_PARTICLES, PressureField, Scene, Wall};
use crate::{
    Real,
    error::Error,
    fluid::wall_surface::{Place, WallSurface},
    geometry::{
        motion::Motion,
        sampling::{Face, Lattice, Layers, SURFACE_TOLERANCE, Side},
        shape::{Region, ordered, vector},
    },
    keys::join,
    numerics::vector::{dot, norm},
};
use std::collections::BTreeMap;

/// Number of points, known or estimated from the volumes of the shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// Fluid particles.
    pub fluid: f64,
    /// Wall samples.
    pub walls: f64,
}

/// Checks a whole scene; errors name keys, not places.
pub(super) fn scene(scene: &Scene) -> Result<(), Error> {
    scene.validate("")?;
    scene.solver.check("solver")?;
    if scene.dim == 2 { in_dimension::<2>(scene) } else { in_dimension::<3>(scene) }
}

fn in_dimension<const D: usize>(scene: &Scene) -> Result<(), Error> {
    scene.gravity_vector::<D>()?;
    let domain = scene.domain.as_ref().map(domain::<D>).transpose()?;
    for (i, body) in scene.fluid.iter().enumerate() {
        let key = format!("fluid[{i}]");
        let region = fluid::<D>(scene, body, &key)?;
        if let (Some((min, max)), Some(domain)) = (domain, &scene.domain) {
            within(&region, &min, &max, scene.spacing, &key)?;
            if let (Lattice::Cartesian, None, Some(ends)) = (body.lattice, &body.places, region.bounds()) {
                whole_periods(&ends, domain, &(min, max), scene.spacing)?;
            }
        }
    }
    for (i, body) in scene.wall.iter().enumerate() {
        let region = wall::<D>(scene, body, &format!("wall[{i}]"))?;
        if let (Some(ends), Some(domain)) = (domain, &scene.domain) {
            whole_periods(&with_layers(&region, body, scene.spacing), domain, &ends, scene.spacing)?;
        }
    }
    names(scene)?;
    for (i, body) in scene.body.iter().enumerate() {
        rigid::<D>(scene, body, i)?;
    }
    for (i, body) in scene.container.iter().enumerate() {
        let key = format!("container[{i}]");
        let container = body.resolve::<D>(&key, scene.spacing)?;
        thick(&container.region, scene.spacing, &join(&key, &format!("shape.{}", body.shape.name())))?;
    }
    super::command::check_all(&scene.command, scene)?;
    super::measure::check::<D>(scene)?;
    if let Some(force) = &scene.forces.central {
        vector::<D>("forces.central.center", &force.center)?;
    }
    if !scene.forces.acceleration.is_empty() {
        super::fluid::axes::<D>(&scene.forces.acceleration, "forces.acceleration", &["t"])?;
    }
    let Counts { fluid, walls } = count::<D>(scene)?;
    let count = (fluid + walls).max(sites::<D>(scene)?);
    if count <= MAX_PARTICLES {
        return places::<D>(scene);
    }
    let message = format!("makes about {count:.1e} particles or sites, more than {MAX_PARTICLES:.0e}");
    Err(Error::invalid("spacing", message).value(scene.spacing).hint("enlarge it"))
}

/// Number of particles and samples by the volumes of the shapes.
pub(super) fn estimate(scene: &Scene) -> Result<Counts, Error> {
    if scene.dim == 2 { count::<2>(scene) } else { count::<3>(scene) }
}

/// The bodies of fluid at the start, and those that commands add.
fn bodies(scene: &Scene) -> impl Iterator<Item = (String, &Fluid)> {
    let first = scene.fluid.iter().enumerate().map(|(i, body)| (format!("fluid[{i}]"), body));
    let added =
        scene.command.iter().filter_map(|c| c.add.as_ref().map(|body| (format!("{}.add", c.key()), body)));
    first.chain(added)
}

fn count<const D: usize>(scene: &Scene) -> Result<Counts, Error> {
    let mut counts = Counts { fluid: 0.0, walls: 0.0 };
    for (key, body) in bodies(scene) {
        let region: Region<D> = body.shape.resolve(&join(&key, "shape"))?;
        counts.fluid += match &body.places {
            Some(places) => places.count() as f64,
            None => region.volume().unwrap_or(0.0) / scene.spacing.powi(D as i32),
        };
    }
    for emitter in scene.command.iter().filter_map(|command| command.emitter.as_ref()) {
        // One layer: how much of what comes is gone again, no shape tells.
        counts.fluid += (2.0 * emitter.radius / scene.spacing).max(1.0).powi(D as i32 - 1);
    }
    for (i, body) in scene.wall.iter().enumerate() {
        let region: Region<D> = body.shape.resolve(&format!("wall[{i}].shape"))?;
        counts.walls += layer_count(&region, scene.spacing, &body.layout());
    }
    for (i, body) in scene.body.iter().enumerate() {
        let region: Region<D> = body.shape.resolve(&format!("body[{i}].shape"))?;
        counts.walls += layer_count(&region, scene.spacing, &body.layout());
    }
    Ok(counts)
}

/// Lattice sites that are looked at to fill the fluid: those of the boxes around its shapes.
fn sites<const D: usize>(scene: &Scene) -> Result<f64, Error> {
    let mut sites = 0.0;
    for (key, body) in bodies(scene).filter(|(_, body)| body.places.is_none()) {
        let region: Region<D> = body.shape.resolve(&join(&key, "shape"))?;
        let (min, max) = region.bounds().unwrap_or(([0.0; D], [0.0; D]));
        sites += (0..D).map(|k| (max[k] - min[k]) / scene.spacing).product::<f64>();
    }
    Ok(sites)
}

/// The lower and the upper corner of a box, `[m]`.
type Corners<const D: usize> = ([f64; D], [f64; D]);

fn domain<const D: usize>(domain: &Domain) -> Result<Corners<D>, Error> {
    let min = vector("domain.min", &domain.min)?;
    let max = vector("domain.max", &domain.max)?;
    ordered(&min, &max, "domain")?;
    for (i, axis) in domain.periodic.iter().enumerate() {
        let key = format!("domain.periodic[{i}]");
        let name = format!("\"{}\"", ["x", "y", "z"][axis.index()]);
        if axis.index() >= D {
            return Err(Error::invalid(key, "is no axis of a scene with dim = 2").value(name));
        }
        if domain.periodic[..i].contains(axis) {
            return Err(Error::invalid(key, "is named twice").value(name));
        }
    }
    Ok((min, max))
}

pub(super) fn fluid<const D: usize>(scene: &Scene, body: &Fluid, key: &str) -> Result<Region<D>, Error> {
    let shape = join(key, "shape");
    let region = bounded(body.shape.resolve(&shape)?, &join(&shape, body.shape.name()))?;
    let named = join(&shape, body.shape.name());
    thick(&region, scene.spacing, &named)?;
    for (i, cut) in body.cut.iter().enumerate() {
        cut.resolve::<D>(&format!("{key}.cut[{i}]"))?;
    }
    if let Some(origin) = &body.origin {
        vector::<D>(&join(key, "origin"), origin)?;
    }
    body.check_lattice::<D>(key)?;
    body.velocity.check_dim::<D>(&join(key, "velocity"))?;
    body.pressure.check_dim::<D>(&join(key, "pressure"))?;
    let weightless = scene.gravity_vector::<D>()?.iter().all(|g| *g == 0.0);
    if weightless && matches!(body.pressure, PressureField::Hydrostatic(_)) {
        let message = "needs gravity, which is 0 in this scene";
        return Err(Error::invalid(join(key, "pressure.hydrostatic"), message));
    }
    Ok(region)
}

fn wall<const D: usize>(scene: &Scene, body: &Wall, key: &str) -> Result<Region<D>, Error> {
    let shape = join(key, "shape");
    let named = join(&shape, body.shape.name());
    let region = bounded(body.shape.resolve::<D>(&shape)?, &named)?;
    if body.side == Side::Inside {
        thick(&region, scene.spacing, &named)?;
    }
    let faces = Face::of(&region);
    if body.faces.as_ref().is_some_and(Vec::is_empty) {
        let error = Error::invalid(join(key, "faces"), "names no face, and leaves no wall").value("[]");
        return Err(error.hint("leave it out for all faces"));
    }
    for (i, face) in body.faces.iter().flatten().enumerate() {
        has_face(faces, *face, body, &format!("{key}.faces[{i}]"))?;
    }
    body.motion.resolve::<D>(&join(key, "motion"))?;
    for (i, dragged) in body.surface_velocity.iter().enumerate() {
        let key = format!("{key}.surface_velocity[{i}]");
        let velocity = vector::<D>(&join(&key, "velocity"), &dragged.velocity)?;
        let Some(face) = dragged.face else { continue };
        has_face(faces, face, body, &join(&key, "face"))?;
        if body.faces.as_ref().is_some_and(|walls| !walls.contains(&face)) {
            let message = "is not among the faces of this wall";
            return Err(Error::invalid(join(&key, "face"), message).value(face_name(face)));
        }
        tangential(&region, &velocity, face, &join(&key, "velocity"))?;
    }
    Ok(region)
}

/// Refuses two walls or bodies of one name, or one that is called as a container: commands and results go by it.
fn names(scene: &Scene) -> Result<(), Error> {
    let walls = scene.wall.iter().enumerate().map(|(k, wall)| (format!("wall[{k}].name"), wall.called(k)));
    let bodies = scene.body.iter().enumerate().map(|(k, body)| (format!("body[{k}].name"), body.called(k)));
    let containers = (0..scene.container.len()).map(Container::called).map(|name| (name.clone(), name));
    let mut known: BTreeMap<String, String> = containers.collect();
    for (key, name) in walls.chain(bodies) {
        if let Some(first) = known.insert(name.clone(), key.clone()) {
            let error =
                Error::invalid(key, format!("is the name of {first}, too")).value(format!("{name:?}"));
            return Err(error.hint("give each wall and body a name of its own"));
        }
    }
    Ok(())
}

/// Refuses a name that is none of `names`; `what` is the kind of thing that they name.
pub(super) fn known(
    what: &str,
    names: impl Iterator<Item = String>,
    name: &str,
    key: &str,
) -> Result<(), Error> {
    let names: Vec<String> = names.collect();
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let hint = match names.is_empty() {
        true => format!("the scene has no {what}"),
        false => format!("it has {}", names.join(", ")),
    };
    Err(Error::invalid(key, format!("is no {what} of the scene")).value(format!("{name:?}")).hint(hint))
}

/// Refuses an outlet out of the domain, in an obstacle, or where neither a container nor a tank holds what comes from it.
pub(super) fn outlet<const D: usize>(scene: &Scene, center: &[f64; D], key: &str) -> Result<(), Error> {
    let refuse = |what: String| {
        let error = Error::invalid(key, what).value(format!("{center:?}"));
        Err(error.hint("move it to where its fluid shall flow"))
    };
    if let Some((min, max)) = scene.domain.as_ref().map(domain::<D>).transpose()?
        && (0..D).any(|k| center[k] < min[k] || center[k] > max[k])
    {
        return refuse(format!("lies out of the domain, {min:?} to {max:?} m"));
    }
    let margin = 0.5 * scene.spacing;
    for (i, container) in scene.container.iter().enumerate() {
        let container = container.resolve::<D>(&format!("container[{i}]"), scene.spacing)?;
        if container.region.phi(center) > margin {
            return refuse(format!("lies outside of container[{i}]"));
        }
    }
    // Walls that move may be elsewhere when it opens.
    let moved = scene.command.iter().any(|command| command.move_wall.is_some());
    let (mut beyond, mut held) = (None, false);
    for (i, wall) in scene.wall.iter().enumerate() {
        if moved || wall.motion != Motion::Static {
            held |= wall.side == Side::Inside;
            continue;
        }
        let (region, name) = (wall.shape.resolve::<D>(&format!("wall[{i}].shape"))?, wall.called(i));
        let condition = wall.condition(&region);
        let surface = WallSurface::of_wall(&name, region, &wall.layout(), scene.spacing, &[], condition);
        let behind = matches!(surface.locate(center), Place::Behind(depth) if depth > margin);
        match wall.side {
            Side::Outside if behind => return refuse(format!("lies in the wall `{name}`")),
            Side::Outside => {}
            Side::Inside if behind => beyond = beyond.or(Some(name)),
            Side::Inside => held = true,
        }
    }
    beyond
        .filter(|_| !held)
        .map_or(Ok(()), |name| refuse(format!("lies behind the wall `{name}`, outside of what walls hold")))
}

fn rigid<const D: usize>(scene: &Scene, body: &Body, i: usize) -> Result<(), Error> {
    let key = format!("body[{i}]");
    let region = body.resolve::<D>(&key, i)?.form.region.clone();
    thick(&region, scene.spacing, &join(&key, &format!("shape.{}", body.shape.name())))?;
    if scene.domain.as_ref().is_some_and(|domain| !domain.periodic.is_empty()) {
        let message = "cannot be in a scene with periodic axes, through which its contacts do not reach";
        return Err(Error::invalid(key, message).hint("leave out `domain.periodic`, or make it a wall"));
    }
    Ok(())
}

fn has_face(faces: &[Face], face: Face, body: &Wall, key: &str) -> Result<(), Error> {
    if faces.contains(&face) {
        return Ok(());
    }
    let error = Error::invalid(key, format!("is no face of this {}", body.shape.name()));
    let names: Vec<String> = faces.iter().map(|face| face_name(*face)).collect();
    let hint =
        if names.is_empty() { "leave faces out".to_owned() } else { format!("it has {}", names.join(", ")) };
    Err(error.value(face_name(face)).hint(hint))
}

fn face_name(face: Face) -> String {
    toml::Value::try_from(face).map(|value| value.to_string()).unwrap_or_default()
}

/// A face of a block that drags the fluid must not push it.
fn tangential<const D: usize>(
    region: &Region<D>,
    velocity: &[f64; D],
    face: Face,
    key: &str,
) -> Result<(), Error> {
    let Some(k) = Face::of(region).iter().position(|of| *of == face) else { return Ok(()) };
    let (message, hint) =
        (format!("must be 0, tangential to {}", face_name(face)), "a wall that moves has a motion");
    match region {
        Region::Block { .. } if velocity[k / 2] != 0.0 => {
            Err(Error::invalid(format!("{key}[{}]", k / 2), message).value(velocity[k / 2]).hint(hint))
        }
        Region::TurnedBlock { axes, .. } => {
            let across = dot(*velocity, axes[k / 2]);
            if across.abs() <= ACROSS * norm(*velocity) {
                return Ok(());
            }
            let message =
                format!("goes {across:.3e} m/s across {}, to which it must be tangential", face_name(face));
            Err(Error::invalid(key, message).value(format!("{velocity:?}")).hint(hint))
        }
        _ => Ok(()),
    }
}

/// A velocity of this part across a turned face is tangential up to the digits that a scene gives, `[-]`.
const ACROSS: f64 = 1e-6;

/// Volume of all layers over that of a particle. Faces that are no walls have none.
fn layer_count<const D: usize>(region: &Region<D>, spacing: f64, layers: &Layers) -> f64 {
    let depth = (layers.count as f64 + layers.offset) * spacing;
    let depth = if layers.side == Side::Inside { depth } else { -depth };
    let (Some((min, max)), Some(volume)) = (region.bounds(), region.volume()) else { return 0.0 };
    let is_wall = |face: &Face| layers.faces.as_ref().is_none_or(|faces| faces.contains(face));
    let faces = |k: usize| match region {
        Region::Block { .. } => {
            Face::of(region).iter().skip(2 * k).take(2).filter(|face| is_wall(face)).count()
        }
        _ => 2,
    };
    let grown = (0..D).map(|k| (1.0 + faces(k) as f64 * depth / (max[k] - min[k])).max(0.0));
    (volume * (grown.product::<f64>() - 1.0)).abs() / spacing.powi(D as i32)
}

fn bounded<const D: usize>(region: Region<D>, key: &str) -> Result<Region<D>, Error> {
    if region.bounds().is_some() {
        return Ok(region);
    }
    let error = Error::invalid(key, "has no end and cannot be made of particles");
    Err(error.hint("use a block, of which a wall takes the `faces` that it names"))
}

/// Refuses a body that is thinner than a particle.
fn thick<const D: usize>(region: &Region<D>, spacing: f64, key: &str) -> Result<(), Error> {
    let thickness = region.thickness().unwrap_or(f64::INFINITY);
    if thickness >= spacing * (1.0 - SURFACE_TOLERANCE) {
        return Ok(());
    }
    let message = format!("is only {thickness:?} m thick, less than the spacing {spacing:?} m");
    Err(Error::invalid(key, message).hint("refine the spacing"))
}

/// Checks how far all shapes lie from the origin.
fn places<const D: usize>(scene: &Scene) -> Result<(), Error> {
    for (i, body) in scene.fluid.iter().enumerate() {
        let key = format!("fluid[{i}].shape");
        told_apart::<D>(&body.shape.resolve(&key)?, scene.spacing, &key)?;
        if let Some(origin) = &body.origin {
            let key = format!("fluid[{i}].origin");
            let center = vector::<D>(&key, origin)?;
            told_apart(&Region::Ball { center, radius: 0.0 }, scene.spacing, &key)?;
        }
    }
    for (i, body) in scene.wall.iter().enumerate() {
        let key = format!("wall[{i}].shape");
        told_apart::<D>(&body.shape.resolve(&key)?, scene.spacing, &key)?;
    }
    for (i, body) in scene.body.iter().enumerate() {
        let key = format!("body[{i}].shape");
        told_apart::<D>(&body.shape.resolve(&key)?, scene.spacing, &key)?;
    }
    Ok(())
}

/// Refuses positions so far from the origin that the precision of the run does not tell neighbors apart.
fn told_apart<const D: usize>(region: &Region<D>, spacing: f64, key: &str) -> Result<(), Error> {
    let Some((min, max)) = region.bounds() else { return Ok(()) };
    let farthest = min.iter().chain(&max).fold(0.0_f64, |most, x| most.max(x.abs()));
    let limit = 0.1 / f64::from(Real::EPSILON) * spacing;
    if farthest <= limit {
        return Ok(());
    }
    let message = format!(
        "lies {farthest:e} m from the origin; beyond {limit:.1e} m positions are rounded by more than a tenth of the spacing"
    );
    Err(Error::invalid(key, message).hint("move the scene to the origin"))
}

fn within<const D: usize>(
    region: &Region<D>,
    min: &[f64; D],
    max: &[f64; D],
    spacing: f64,
    key: &str,
) -> Result<(), Error> {
    let Some((low, high)) = region.bounds() else { return Ok(()) };
    let tolerance = SURFACE_TOLERANCE * spacing;
    let axis = (0..D).find(|k| low[*k] < min[*k] - tolerance || high[*k] > max[*k] + tolerance);
    let Some(k) = axis else { return Ok(()) };
    let name = ["x", "y", "z"][k];
    let message = format!(
        "reaches over {name} = {} to {} m, out of the domain's {} to {} m",
        low[k], high[k], min[k], max[k]
    );
    Err(Error::invalid(join(key, "shape"), message))
}

/// The ends of a wall with its layers.
fn with_layers<const D: usize>(region: &Region<D>, wall: &Wall, spacing: f64) -> Corners<D> {
    let (mut low, mut high) = region.bounds().unwrap_or(([0.0; D], [0.0; D]));
    let layers = wall.layout();
    let depth = (layers.offset + layers.count as f64 - 1.0) * spacing;
    let faces = Face::of(region);
    let is_wall = |face: usize| {
        layers.faces.as_ref().is_none_or(|walls| faces.get(face).is_none_or(|face| walls.contains(face)))
    };
    for k in (0..D).filter(|_| wall.side == Side::Inside) {
        let block = matches!(region, Region::Block { .. });
        low[k] -= if !block || is_wall(2 * k) { depth } else { 0.0 };
        high[k] += if !block || is_wall(2 * k + 1) { depth } else { 0.0 };
    }
    (low, high)
}

/// What fills a period or crosses its ends, a cartesian lattice or a wall, must meet itself there.
fn whole_periods<const D: usize>(
    (low, high): &Corners<D>,
    domain: &Domain,
    (min, max): &Corners<D>,
    spacing: f64,
) -> Result<(), Error> {
    let tolerance = SURFACE_TOLERANCE * spacing;
    for k in domain.periodic.iter().map(|axis| axis.index()) {
        let crosses = low[k] < min[k] - tolerance || high[k] > max[k] + tolerance;
        let fills = crosses || high[k] - low[k] > max[k] - min[k] - spacing;
        let cells = (max[k] - min[k]) / spacing;
        let miss = (cells - cells.round()).abs();
        // Single-precision input, such as 0.33333334, still counts as whole.
        if fills && miss > 1e-5 * cells {
            let message = format!("gives a period of {cells} spacings, which must be a whole number");
            let error = Error::invalid(format!("domain.max[{k}]"), message).value(max[k]);
            return Err(error.hint(format!("use spacing = {}", (max[k] - min[k]) / cells.round().max(1.0))));
        }
    }
    Ok(())
}
