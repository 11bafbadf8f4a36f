//! Closed surfaces of flat facets: polygons in two dimensions, meshes of triangles in three.
use std::array::from_fn;

use crate::numerics::vector::{cross, dot, norm, norm2};

mod crossing;
mod depth;
mod tree;

use crossing::neighbors;
pub use tree::FacetBox;
use tree::{Part, Tree};

/// Directions nearer to a facet, an edge or a corner than this part of the size of the hull are round-off, `[-]`.
const ROUND_OFF: f64 = 1e-10;

/// A closed surface whose facets, segments or triangles, have the outside on their right-hand side, and the body that it
/// bounds.
///
/// The signed distance is exact up to round-off: that to the nearest facet, with the sign of the normal there, which on
/// edges and corners is the sum of the normals of all facets around, weighted by their angles (Bærentzen & Aanæs 2005).
#[derive(Clone, Debug, PartialEq)]
pub struct Hull<const D: usize> {
    vertices: Vec<[f64; D]>,
    facets: Vec<[u32; D]>,
    /// Outward normals of the facets, of length 1.
    normals: Vec<[f64; D]>,
    /// Sums of normals around each corner, and around the edges of a facet, each from its corner `k` to the next.
    at_vertices: Vec<[f64; D]>,
    at_edges: Vec<[[f64; D]; D]>,
    tree: Tree<D>,
    /// Volume, or area in two dimensions `[m^D]`.
    volume: f64,
    /// Center of mass at even density `[m]`.
    center: [f64; D],
    /// `∫ x_a x_b dV / V` about the center `[m²]`.
    moments: [[f64; D]; D],
    /// Of the deepest point inside `[m]`.
    depth: f64,
}

/// A facet, and the normals that tell the sides of the surface apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet<const D: usize> {
    /// Its corners `[m]`.
    pub corners: [[f64; D]; D],
    /// Outward normal, of length 1.
    pub normal: [f64; D],
    /// Sums of normals around its edges, each from its corner `k` to the next.
    pub at_edges: [[f64; D]; D],
    /// Sums of normals around its corners.
    pub at_corners: [[f64; D]; D],
}

/// Why facets make no hull.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// Number of the facet, from 0.
    pub facet: usize,
    /// What it does.
    pub what: String,
}

impl<const D: usize> Hull<D> {
    /// The hull of facets that name their vertices, all turned around where these bound the outside.
    ///
    /// # Errors
    ///
    /// Facets without area, edges that have not two facets of one orientation, no volume, and facets that cross.
    pub fn new(vertices: Vec<[f64; D]>, mut facets: Vec<[u32; D]>) -> Result<Self, Flaw> {
        let flaw = |facet, what: &str| Flaw { facet, what: what.to_owned() };
        let size = extent(&vertices);
        if let Some(k) = facets
            .iter()
            .position(|facet| !is_above(area(&vertices, facet), (1e-12 * size).powi(D as i32 - 1)))
        {
            return Err(flaw(k, if D == 2 { "has no length" } else { "has no area" }));
        }
        let mut beside = neighbors(&facets)?;
        let volume = moments(&vertices, &facets).0;
        if !is_above(volume.abs(), 1e-12 * size.powi(D as i32)) {
            return Err(flaw(
                0,
                if D == 2 { "and all others bound no area" } else { "and all others bound no volume" },
            ));
        }
        if volume < 0.0 {
            facets.iter_mut().for_each(|facet| facet.swap(0, 1));
            beside = neighbors(&facets)?;
        }
        let hull = Self::assemble(vertices, facets, &beside);
        match hull.crossing(&beside) {
            Some((facet, other)) => {
                Err(Flaw { facet, what: format!("crosses that of number {}", other + 1) })
            }
            None => Ok(Self { depth: hull.find_depth(), ..hull }),
        }
    }

    fn assemble(vertices: Vec<[f64; D]>, facets: Vec<[u32; D]>, neighbors: &[[u32; D]]) -> Self {
        let normals: Vec<_> = facets.iter().map(|facet| unit(&across(&vertices, facet))).collect();
        let mut at_vertices = vec![[0.0; D]; vertices.len()];
        for (facet, normal) in facets.iter().zip(&normals) {
            for k in 0..D {
                let weight = angle(&vertices, facet, k);
                let at = &mut at_vertices[facet[k] as usize];
                *at = from_fn(|a| at[a] + weight * normal[a]);
            }
        }
        let beside = |k: usize, other: u32| from_fn(|a| normals[k][a] + normals[other as usize][a]);
        let at_edges =
            neighbors.iter().enumerate().map(|(k, others)| others.map(|other| beside(k, other))).collect();
        let (volume, center, moments) = moments(&vertices, &facets);
        let tree = Tree::new(&vertices, &facets);
        Self { vertices, facets, normals, at_vertices, at_edges, tree, volume, center, moments, depth: 0.0 }
    }

    /// The hull whose vertices a rigid motion has brought elsewhere.
    #[must_use]
    pub fn moved(&self, to: impl Fn(&[f64; D]) -> [f64; D]) -> Self {
        let turn = |d: &[f64; D]| {
            let (end, origin) = (to(d), to(&[0.0; D]));
            sub(&end, &origin)
        };
        let vertices: Vec<_> = self.vertices.iter().map(&to).collect();
        let (_, center, moments) = moments(&vertices, &self.facets);
        Self {
            tree: Tree::new(&vertices, &self.facets),
            normals: self.normals.iter().map(turn).collect(),
            at_vertices: self.at_vertices.iter().map(turn).collect(),
            at_edges: self.at_edges.iter().map(|edges| edges.each_ref().map(turn)).collect(),
            center,
            moments,
            vertices,
            ..self.clone()
        }
    }

    /// Its corners `[m]`.
    pub fn vertices(&self) -> &[[f64; D]] {
        &self.vertices
    }

    /// The corners of each facet: of a segment in the sense that has the body on its left, of a triangle
    /// counterclockwise, seen from outside.
    pub fn facets(&self) -> &[[u32; D]] {
        &self.facets
    }

    /// The tree of boxes around its facets, the box around all first: for those who look for the nearest elsewhere.
    pub fn boxes(&self) -> &[FacetBox<D>] {
        &self.tree.nodes
    }

    /// Its facets as the leaves of [`Self::boxes`] count them.
    pub fn in_order(&self) -> impl Iterator<Item = Facet<D>> {
        self.tree.order.iter().map(|&k| {
            let (k, facet) = (k as usize, self.facets[k as usize]);
            Facet {
                corners: corners(&self.vertices, &facet),
                normal: self.normals[k],
                at_edges: self.at_edges[k],
                at_corners: corners(&self.at_vertices, &facet),
            }
        })
    }

    /// Volume, area in two dimensions `[m^D]`.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Center of mass at even density `[m]`.
    pub fn center(&self) -> &[f64; D] {
        &self.center
    }

    /// `∫ x_a x_b dV / V` about the center of mass `[m²]`.
    pub fn moments(&self) -> &[[f64; D]; D] {
        &self.moments
    }

    /// Depth of the deepest point inside, to a quarter `[m]`.
    pub fn depth(&self) -> f64 {
        self.depth
    }

    /// Smallest box around it `[m]`.
    pub fn bounds(&self) -> ([f64; D], [f64; D]) {
        self.tree.bounds()
    }

    /// Signed distance, negative inside `[m]`.
    pub fn phi(&self, x: &[f64; D]) -> f64 {
        let (facet, foot, part) = self.foot(x);
        let d: [f64; D] = from_fn(|k| x[k] - foot[k]);
        if dot(d, *self.around(facet, part)) < 0.0 { -norm(d) } else { norm(d) }
    }

    /// Gradient of the signed distance, of length 1; on edges and corners one of its limits.
    pub fn normal(&self, x: &[f64; D]) -> [f64; D] {
        let (facet, foot, part) = self.foot(x);
        let around = self.around(facet, part);
        let d: [f64; D] = from_fn(|k| x[k] - foot[k]);
        let (low, high) = self.bounds();
        let size = (0..D).fold(0.0_f64, |most, k| most.max(high[k] - low[k]));
        match part {
            Part::Middle => *around,
            _ if norm(d) <= ROUND_OFF * size => unit(around),
            _ if dot(d, *around) < 0.0 => unit(&d).map(|n| -n),
            _ => unit(&d),
        }
    }

    /// The nearest facet, its nearest point, and the part of the facet where that lies.
    fn foot(&self, x: &[f64; D]) -> (usize, [f64; D], Part) {
        self.tree.nearest(&self.vertices, &self.facets, x)
    }

    /// Normals around a part of a facet, of any length.
    fn around(&self, facet: usize, part: Part) -> &[f64; D] {
        match part {
            Part::Middle => &self.normals[facet],
            Part::Edge(k) => &self.at_edges[facet][k],
            Part::Corner(k) => &self.at_vertices[self.facets[facet][k] as usize],
        }
    }
}

/// Whether a number is larger than another, and neither infinite nor NaN, as of a hull of a vast size.
fn is_above(a: f64, b: f64) -> bool {
    a > b && a.is_finite()
}

/// Largest side of the box around points.
fn extent<const D: usize>(vertices: &[[f64; D]]) -> f64 {
    let side = |a: usize| {
        let ends =
            vertices.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x[a]), h.max(x[a])));
        ends.1 - ends.0
    };
    (0..D).map(side).fold(0.0, f64::max)
}

fn corners<const D: usize>(vertices: &[[f64; D]], facet: &[u32; D]) -> [[f64; D]; D] {
    facet.map(|k| vertices[k as usize])
}

fn sub<const D: usize>(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    from_fn(|k| a[k] - b[k])
}

fn unit<const D: usize>(d: &[f64; D]) -> [f64; D] {
    let length = norm(*d);
    d.map(|x| x / length)
}

/// Outward normal, of the length of a segment or twice the area of a triangle.
fn across<const D: usize>(vertices: &[[f64; D]], facet: &[u32; D]) -> [f64; D] {
    let x = corners(vertices, facet);
    let d = sub(&x[1], &x[0]);
    if D == 2 {
        return from_fn(|k| if k == 0 { d[1] } else { -d[0] });
    }
    let e = sub(&x[2 % D], &x[0]);
    let in_space = |d: &[f64; D]| from_fn(|k| if k < D { d[k] } else { 0.0 });
    let n = cross(in_space(&d), in_space(&e));
    from_fn(|k| n[k])
}

fn area<const D: usize>(vertices: &[[f64; D]], facet: &[u32; D]) -> f64 {
    norm(across(vertices, facet))
}

/// Angle of a facet at a corner; a segment has the same at both.
fn angle<const D: usize>(vertices: &[[f64; D]], facet: &[u32; D], k: usize) -> f64 {
    if D == 2 {
        return 1.0;
    }
    let x = corners(vertices, facet);
    let (d, e) = (sub(&x[(k + 1) % D], &x[k]), sub(&x[(k + 2) % D], &x[k]));
    (dot(d, e) / (norm2(d) * norm2(e)).sqrt()).clamp(-1.0, 1.0).acos()
}

/// Volume, center, and `∫ x_a x_b dV / V` about it: sums over the simplices between an inner point and each facet,
/// `∫ x x^T dV = V (Σ v v^T + Σ v Σ v^T) / ((D + 1) (D + 2))` where one corner is the origin.
fn moments<const D: usize>(vertices: &[[f64; D]], facets: &[[u32; D]]) -> (f64, [f64; D], [[f64; D]; D]) {
    let n = vertices.len().max(1) as f64;
    let origin: [f64; D] = from_fn(|a| vertices.iter().map(|x| x[a]).sum::<f64>() / n);
    let (mut volume, mut first, mut second) = (0.0, [0.0; D], [[0.0; D]; D]);
    let parts = if D == 2 { 2.0 } else { 6.0 };
    let (one, two) = (D as f64 + 1.0, D as f64 + 2.0);
    for facet in facets {
        let v = corners(vertices, facet).map(|x| sub(&x, &origin));
        let part = dot(v[0], across(vertices, facet)) / parts;
        let sum: [f64; D] = from_fn(|a| v.iter().map(|v| v[a]).sum());
        volume += part;
        first = from_fn(|a| first[a] + part * sum[a] / one);
        for a in 0..D {
            for b in 0..D {
                let squares: f64 = v.iter().map(|v| v[a] * v[b]).sum();
                second[a][b] += part * (squares + sum[a] * sum[b]) / (one * two);
            }
        }
    }
    let shift = first.map(|x| x / volume);
    let about = from_fn(|a| from_fn(|b| second[a][b] / volume - shift[a] * shift[b]));
    (volume, from_fn(|a| origin[a] + shift[a]), about)
}
