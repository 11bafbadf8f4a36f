//! Boxes in boxes around facets: the nearest facet of many, and those in a box.
use std::array::from_fn;

use super::{corners, sub};
use crate::numerics::vector::{dot, norm2};

/// Where the nearest point of a facet lies on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// At a corner.
    Corner(usize),
    /// On the edge of a triangle from a corner to the next.
    Edge(usize),
    /// Between its ends.
    Middle,
}

/// Facets that a leaf has at most.
const LEAF: usize = 4;

/// A box around facets, of a leaf or of the two boxes that it is halved into.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetBox<const D: usize> {
    /// Smallest coordinates `[m]`.
    pub low: [f64; D],
    /// Largest coordinates `[m]`.
    pub high: [f64; D],
    /// Facets of a leaf; 0 for others.
    pub count: u32,
    /// The first facet of a leaf, in [`Hull::in_order`](super::Hull::in_order); else the second half. The first half is the
    /// next box.
    pub at: u32,
}

/// A tree of boxes, each halved at the median of its longest side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree<const D: usize> {
    pub(super) nodes: Vec<FacetBox<D>>,
    pub(super) order: Vec<u32>,
}

/// The nearest point so far: its squared distance, its facet, place and part.
type Best<const D: usize> = (f64, usize, [f64; D], Part);

impl<const D: usize> FacetBox<D> {
    fn distance2(&self, x: &[f64; D]) -> f64 {
        norm2(from_fn::<_, D, _>(|k| (self.low[k] - x[k]).max(x[k] - self.high[k]).max(0.0)))
    }

    fn touches(&self, low: &[f64; D], high: &[f64; D]) -> bool {
        (0..D).all(|k| self.low[k] <= high[k] && low[k] <= self.high[k])
    }
}

impl<const D: usize> Tree<D> {
    pub(super) fn new(vertices: &[[f64; D]], facets: &[[u32; D]]) -> Self {
        let middle = |facet: &[u32; D]| {
            let x = corners(vertices, facet);
            from_fn(|a| x.iter().map(|x| x[a]).sum::<f64>() / D as f64)
        };
        let middles: Vec<[f64; D]> = facets.iter().map(middle).collect();
        let mut tree = Self { nodes: Vec::new(), order: (0..facets.len() as u32).collect() };
        let mut order = std::mem::take(&mut tree.order);
        tree.build(vertices, facets, &middles, &mut order, 0);
        tree.order = order;
        tree
    }

    fn build(
        &mut self,
        vertices: &[[f64; D]],
        facets: &[[u32; D]],
        middles: &[[f64; D]],
        order: &mut [u32],
        first: usize,
    ) {
        let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
        for x in order.iter().flat_map(|k| corners(vertices, &facets[*k as usize])) {
            (low, high) = (from_fn(|a| low[a].min(x[a])), from_fn(|a| high[a].max(x[a])));
        }
        let (here, n) = (self.nodes.len(), order.len());
        let count = if n <= LEAF { n as u32 } else { 0 };
        self.nodes.push(FacetBox { low, high, count, at: first as u32 });
        if n <= LEAF {
            return;
        }
        let longest =
            (1..D).fold(0, |best, k| if high[k] - low[k] > high[best] - low[best] { k } else { best });
        let place = |k: &u32| middles[*k as usize][longest];
        order.select_nth_unstable_by(n / 2, |a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
        let (left, right) = order.split_at_mut(n / 2);
        self.build(vertices, facets, middles, left, first);
        self.nodes[here].at = self.nodes.len() as u32;
        self.build(vertices, facets, middles, right, first + n / 2);
    }

    pub(super) fn bounds(&self) -> ([f64; D], [f64; D]) {
        self.nodes.first().map_or(([0.0; D], [0.0; D]), |node| (node.low, node.high))
    }

    /// The nearest facet, its nearest point, and where on the facet that lies.
    pub(super) fn nearest(
        &self,
        vertices: &[[f64; D]],
        facets: &[[u32; D]],
        x: &[f64; D],
    ) -> (usize, [f64; D], Part) {
        let first = self.order.first().map_or(0, |&k| k as usize);
        let mut best = (f64::INFINITY, first, [f64::NAN; D], Part::Middle);
        self.search(0, vertices, facets, x, &mut best);
        (best.1, best.2, best.3)
    }

    fn search(
        &self,
        at: usize,
        vertices: &[[f64; D]],
        facets: &[[u32; D]],
        x: &[f64; D],
        best: &mut Best<D>,
    ) {
        let node = &self.nodes[at];
        if node.count == 0 {
            let (left, right) = (at + 1, node.at as usize);
            let (l, r) = (self.nodes[left].distance2(x), self.nodes[right].distance2(x));
            let (near, far) = if l <= r { ((l, left), (r, right)) } else { ((r, right), (l, left)) };
            for (distance2, child) in [near, far] {
                if distance2 < best.0 {
                    self.search(child, vertices, facets, x, best);
                }
            }
            return;
        }
        for &k in &self.order[node.at as usize..(node.at + node.count) as usize] {
            let (foot, part) = foot(&corners(vertices, &facets[k as usize]), x);
            let distance2 = norm2(sub(x, &foot));
            if distance2 < best.0 {
                *best = (distance2, k as usize, foot, part);
            }
        }
    }

    /// Calls `visit` with every facet whose leaf reaches into a box, until it returns true.
    pub(super) fn any_in(
        &self,
        low: &[f64; D],
        high: &[f64; D],
        visit: &mut impl FnMut(usize) -> bool,
    ) -> bool {
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Some(node) = self.nodes.get(at).filter(|node| node.touches(low, high)) else { continue };
            if node.count == 0 {
                open.extend([at + 1, node.at as usize]);
                continue;
            }
            let mut facets = self.order[node.at as usize..(node.at + node.count) as usize].iter();
            if facets.any(|&k| visit(k as usize)) {
                return true;
            }
        }
        false
    }
}

/// The nearest point of a facet, and the part of it where that lies.
pub(super) fn foot<const D: usize>(x: &[[f64; D]; D], p: &[f64; D]) -> ([f64; D], Part) {
    let d = sub(&x[1], &x[0]);
    if D == 2 {
        let t = dot(sub(p, &x[0]), d) / norm2(d);
        return match t {
            t if t <= 0.0 => (x[0], Part::Corner(0)),
            t if t >= 1.0 => (x[1], Part::Corner(1)),
            t => (from_fn(|k| x[0][k] + t * d[k]), Part::Middle),
        };
    }
    triangle_foot(x, p)
}

/// By the regions of a triangle's corners and edges (Ericson 2005, 5.1.5).
fn triangle_foot<const D: usize>(x: &[[f64; D]; D], p: &[f64; D]) -> ([f64; D], Part) {
    let (ab, ac) = (sub(&x[1], &x[0]), sub(&x[2 % D], &x[0]));
    // How far the point is along both sides, seen from each corner.
    let along: [[f64; 2]; 3] = from_fn(|k| {
        let d = sub(p, &x[k % D]);
        [dot(ab, d), dot(ac, d)]
    });
    let [[a1, a2], [b1, b2], [c1, c2]] = along;
    if a1 <= 0.0 && a2 <= 0.0 {
        return (x[0], Part::Corner(0));
    }
    if b1 >= 0.0 && b2 <= b1 {
        return (x[1], Part::Corner(1));
    }
    if c2 >= 0.0 && c1 <= c2 {
        return (x[2 % D], Part::Corner(2));
    }
    let (va, vb, vc) = (b1 * c2 - c1 * b2, c1 * a2 - a1 * c2, a1 * b2 - b1 * a2);
    let between = |from: &[f64; D], d: &[f64; D], t: f64| from_fn(|k| from[k] + t * d[k]);
    if vc <= 0.0 && a1 >= 0.0 && b1 <= 0.0 {
        return (between(&x[0], &ab, a1 / (a1 - b1)), Part::Edge(0));
    }
    if vb <= 0.0 && a2 >= 0.0 && c2 <= 0.0 {
        return (between(&x[0], &ac, a2 / (a2 - c2)), Part::Edge(2));
    }
    if va <= 0.0 && b2 - b1 >= 0.0 && c1 - c2 >= 0.0 {
        let t = (b2 - b1) / ((b2 - b1) + (c1 - c2));
        return (between(&x[1], &sub(&x[2 % D], &x[1]), t), Part::Edge(1));
    }
    let whole = va + vb + vc;
    (from_fn(|k| x[0][k] + ab[k] * (vb / whole) + ac[k] * (vc / whole)), Part::Middle)
}
