//! Wall surfaces: the nominal surfaces of walls and containers, which particles must not pass.

use crate::{
    geometry::{
        sampling::{Face, Layers, Side},
        shape::{Enclosure, Region},
    },
    numerics::vector::dot,
};
use std::array::from_fn;

/// A nominal surface in the reference frame of the scene, and the samples that give its pose.
#[derive(Clone, Debug, PartialEq)]
pub struct WallSurface<const D: usize> {
    /// Name of the wall.
    pub name: String,
    /// The shape, where the scene has drawn it.
    pub region: Region<D>,
    /// Where the fluid is.
    pub side: Side,
    /// Depth of the first layer behind the surface, `[m]`.
    pub first_layer: f64,
    /// Depth of the last layer behind the surface, `[m]`.
    pub last_layer: f64,
    /// Wall condition: slip, and velocities of the faces.
    pub condition: WallCondition<D>,
    /// Faces without wall, in the order of [`Region::face_distances`].
    open: [bool; 6],
    /// Samples of the wall that tell where it is now; none for a container.
    marks: Vec<Mark<D>>,
}

/// Condition of the tangential velocity at a wall surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallCondition<const D: usize> {
    /// True for no-slip, false for free slip.
    pub no_slip: bool,
    /// Velocities that its faces have beside the motion of the wall, in the order of [`Region::face_distances`],
    /// `[m/s]`.
    pub drag: [[f64; D]; 6],
}

impl<const D: usize> WallCondition<D> {
    /// A surface that has no velocity of its own.
    pub fn new(no_slip: bool) -> Self {
        Self { no_slip, drag: [[0.0; D]; 6] }
    }
}

/// A wall sample, and its reference position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mark<const D: usize> {
    id: u64,
    drawn: [f64; D],
}

/// Position of a point relative to a wall surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// On the side of the fluid.
    Free,
    /// Beyond a face that is no wall.
    Open,
    /// So far behind the surface, `[m]`.
    Behind(f64),
}

/// Pose of a rigid set: `x = A x_ref + b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<const D: usize> {
    /// Columns of the rotation A.
    columns: [[f64; D]; D],
    /// Translation b, `[m]`.
    shift: [f64; D],
}

impl<const D: usize> Pose<D> {
    /// Columns of the rotation A.
    pub fn columns(&self) -> &[[f64; D]; D] {
        &self.columns
    }

    /// Translation b, `[m]`.
    pub fn shift(&self) -> &[f64; D] {
        &self.shift
    }

    /// The point of the reference configuration that is now at `x`: `A^T (x - b)`.
    pub fn inverse_transform(&self, x: &[f64; D]) -> [f64; D] {
        let d: [f64; D] = from_fn(|k| x[k] - self.shift[k]);
        from_fn(|k| dot(self.columns[k], d))
    }

    /// The reference direction `n` in the current pose: `A n`.
    pub fn rotate(&self, n: &[f64; D]) -> [f64; D] {
        from_fn(|row| (0..D).map(|k| self.columns[k][row] * n[k]).sum())
    }
}

impl<const D: usize> WallSurface<D> {
    /// The surface of a wall whose samples, by id and position, are in the reference configuration.
    pub fn of_wall(
        name: &str,
        region: Region<D>,
        layers: &Layers,
        spacing: f64,
        samples: &[(u64, [f64; D])],
        condition: WallCondition<D>,
    ) -> Self {
        let mut open = [false; 6];
        if let Some(walls) = &layers.faces {
            for (open, face) in open.iter_mut().zip(Face::of(&region)) {
                *open = !walls.contains(face);
            }
        }
        Self {
            name: name.to_owned(),
            side: layers.side,
            first_layer: layers.offset * spacing,
            last_layer: (layers.offset + layers.count.saturating_sub(1) as f64) * spacing,
            condition,
            open,
            marks: marks(samples),
            region,
        }
    }

    /// The surface of a container. It has no layers: half a spacing behind it counts as one.
    pub fn of_container(index: usize, container: &Enclosure<D>, spacing: f64) -> Self {
        Self {
            name: format!("container[{index}]"),
            region: container.region.clone(),
            side: Side::Inside,
            first_layer: 0.5 * spacing,
            last_layer: 0.5 * spacing,
            condition: WallCondition::new(false),
            open: [false; 6],
            marks: Vec::new(),
        }
    }

    /// Faces without wall, in the order of [`Region::face_distances`].
    pub fn open(&self) -> &[bool; 6] {
        &self.open
    }

    /// The ids of the samples that tell where it is; none for a container.
    pub fn mark_ids(&self) -> impl Iterator<Item = u64> {
        self.marks.iter().map(|mark| mark.id)
    }

    /// Position of a point of the reference configuration relative to the surface.
    pub fn locate(&self, x: &[f64; D]) -> Place {
        let (over, n) = self.region.face_distances(x);
        let faces = || over[..n].iter().zip(&self.open);
        match self.side {
            Side::Inside if faces().any(|(&over, &open)| open && over > 0.0) => Place::Open,
            Side::Inside => match faces().map(|(over, _)| over.max(0.0).powi(2)).sum::<f64>() {
                0.0 => Place::Free,
                squares => Place::Behind(squares.sqrt()),
            },
            Side::Outside => {
                let (nearest, open) =
                    faces().fold(
                        (f64::NEG_INFINITY, false),
                        |best, (&over, &open)| {
                            if over > best.0 { (over, open) } else { best }
                        },
                    );
                match nearest {
                    over if over >= 0.0 => Place::Free,
                    _ if open => Place::Open,
                    over => Place::Behind(-over),
                }
            }
        }
    }

    /// The parts of the surface that a point of the reference configuration is nearer to than `reach`, `[m]`, or
    /// behind, as deep as the layers: `touch` gets the face, the signed distance, negative behind it, `[m]`, and the
    /// normal into the fluid. In a corner of a tank these are several, at an obstacle it is the nearest. Beyond an open
    /// face there is none.
    pub fn near(&self, x: &[f64; D], reach: f64, mut touch: impl FnMut(usize, f64, [f64; D])) {
        let (over, n) = self.region.face_distances(x);
        match self.side {
            Side::Inside => {
                // Behind all layers of one face the others go on as planes alone: nothing is there.
                let depth = |open: bool| if open { 0.0 } else { self.last_layer };
                if over[..n].iter().zip(self.open).any(|(&over, open)| over > depth(open)) {
                    return;
                }
                for face in (0..n).filter(|&face| !self.open[face] && -over[face] < reach) {
                    touch(face, -over[face], self.region.face_normal(face, x).map(|n| -n));
                }
            }
            Side::Outside => {
                let distance = self.region.phi(x);
                let face = (1..n).fold(0, |best, face| if over[face] > over[best] { face } else { best });
                if distance < reach && distance >= -self.last_layer && !self.open[face] {
                    touch(face, distance, self.region.normal(x));
                }
            }
        }
    }

    /// How deep a point of the reference configuration lies behind the surface, `[m]`, negative before it, and the
    /// normal into the fluid at the nearest point of it.
    pub fn depth_and_normal(&self, x: &[f64; D]) -> (f64, [f64; D]) {
        let (phi, normal) = (self.region.phi(x), self.region.normal(x));
        match self.side {
            Side::Inside => (phi, normal.map(|n| -n)),
            Side::Outside => (-phi, normal),
        }
    }

    /// Where the wall is, from its samples now; `None` where it was drawn. Samples are rigid, so this holds for
    /// whatever has moved them.
    pub fn pose(&self, sample: impl Fn(u64) -> Option<[f64; D]>) -> Option<Pose<D>> {
        let n = self.marks.len();
        let (mut now, mut drawn) = ([[0.0; D]; D], [[0.0; D]; D]);
        for (k, mark) in self.marks.iter().enumerate() {
            (now[k], drawn[k]) = (sample(mark.id)?, mark.drawn);
        }
        if now == drawn {
            return None;
        }
        let (here, there) = (frame(&now[..n]), frame(&drawn[..n]));
        // A = H Tᵀ maps the axes of the drawing onto those of now.
        let columns: [[f64; D]; D] =
            from_fn(|k| from_fn(|row| (0..D).map(|axis| here[axis][row] * there[axis][k]).sum()));
        let turned: [f64; D] = from_fn(|row| (0..D).map(|k| columns[k][row] * drawn[0][k]).sum());
        Some(Pose { columns, shift: from_fn(|row| now[0][row] - turned[row]) })
    }
}

/// Samples nearer to the line through two others than this part of the distance of these lie on it, `[-]`: round-off
/// would turn their frame.
const ON_LINE: f64 = 0.01;

/// Up to `D` samples far apart: the first, the farthest from it, and in 3D the farthest from their line.
fn marks<const D: usize>(samples: &[(u64, [f64; D])]) -> Vec<Mark<D>> {
    let mut marks: Vec<Mark<D>> = Vec::new();
    while marks.len() < D {
        let points: Vec<[f64; D]> = marks.iter().map(|mark: &Mark<D>| mark.drawn).collect();
        let far = |x: &[f64; D]| distance2(&points, x);
        let best = samples.iter().fold(None::<(f64, &(u64, [f64; D]))>, |best, sample| {
            let far = far(&sample.1);
            if best.is_none_or(|(most, _)| far > most) { Some((far, sample)) } else { best }
        });
        match best {
            Some((far, &(id, drawn))) if far > least(&points) => marks.push(Mark { id, drawn }),
            _ => break,
        }
    }
    marks
}

/// Squared distance that a further mark must have.
fn least<const D: usize>(points: &[[f64; D]]) -> f64 {
    points.get(1).map_or(0.0, |end| ON_LINE * ON_LINE * distance2(&points[..1], end))
}

/// Squared distance of `x` from the point or line through `points`; infinite from none.
fn distance2<const D: usize>(points: &[[f64; D]], x: &[f64; D]) -> f64 {
    let Some(origin) = points.first() else { return f64::INFINITY };
    let d: [f64; D] = from_fn(|k| x[k] - origin[k]);
    let along = points.get(1).map_or(0.0, |end| {
        let axis = unit(&from_fn(|k| end[k] - origin[k]));
        dot(d, axis)
    });
    dot(d, d) - along * along
}

/// Right-handed axes of length 1 that a rigid set of points carries along. What the points leave open, a turn of a
/// single point or about a line of them, is not turned.
fn frame<const D: usize>(points: &[[f64; D]]) -> [[f64; D]; D] {
    let to = |k: usize| points.get(k).map(|end| from_fn(|a| end[a] - points[0][a]));
    let Some(first) = to(1).map(|d| unit(&d)) else { return from_fn(axis) };
    let mut axes: [[f64; D]; D] = from_fn(|_| first);
    if D == 2 {
        axes[1] = from_fn(|k| if k == 0 { -first[1] } else { first[0] });
        return axes;
    }
    axes[1] = match to(2) {
        Some(d) => {
            let along = dot(d, first);
            unit(&from_fn(|k| d[k] - along * first[k]))
        }
        None => crate::geometry::shape::perpendicular(&first),
    };
    axes[2] = from_fn(|k| {
        let (i, j) = ((k + 1) % D, (k + 2) % D);
        axes[0][i] * axes[1][j] - axes[0][j] * axes[1][i]
    });
    axes
}

fn axis<const D: usize>(axis: usize) -> [f64; D] {
    from_fn(|k| if k == axis { 1.0 } else { 0.0 })
}

fn unit<const D: usize>(d: &[f64; D]) -> [f64; D] {
    let length = dot(*d, *d).sqrt();
    d.map(|x| x / length)
}
