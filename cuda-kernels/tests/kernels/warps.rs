//! What a warp pays for in a loop over neighbors, by each walk: the figures of the book, counted without kernels.
//! `cargo test --release -p cuda-kernels-tests --test kernels warps -- --nocapture` prints them.

use crate::noise;
use cuda_kernels::device::compile::variant::Walk;

/// Particles on each axis, one spacing apart.
const N: usize = 60;
const WARP: usize = 32;
/// `QUEUE` and `GROUP` of the CUDA source.
const QUEUE: usize = 48;
const GROUP: usize = 8;

type Point = [f64; 3];

/// Particles off their lattice, in the order of cells.
struct Sorted {
    x: Vec<Point>,
    start: Vec<usize>,
    edge: f64,
    /// Cells on each axis.
    n: usize,
}

impl Sorted {
    fn new(edge: f64) -> Self {
        let noise = noise(3 * N * N * N, 5);
        let mut x: Vec<Point> = (0..N * N * N)
            .map(|k| {
                let cell = [k % N, k / N % N, k / N / N];
                std::array::from_fn(|a| cell[a] as f64 + 0.25 + 0.5 * f64::from(noise[3 * k + a]))
            })
            .collect();
        let n = (N as f64 / edge) as usize + 1;
        let mut sorted = Self { x: Vec::new(), start: vec![0; n * n * n + 1], edge, n };
        x.sort_by_key(|x| sorted.key(sorted.cell(x)));
        for x in &x {
            let key = sorted.key(sorted.cell(x));
            sorted.start[key + 1] += 1;
        }
        (0..n * n * n).for_each(|c| sorted.start[c + 1] += sorted.start[c]);
        Self { x, ..sorted }
    }

    fn cell(&self, x: &Point) -> [usize; 3] {
        x.map(|x| (x / self.edge) as usize)
    }

    fn key(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.n + y) * self.n + x
    }

    /// Runs of candidates of a point, one a row of cells.
    fn runs(&self, x: &Point) -> Vec<std::ops::Range<usize>> {
        let cell = self.cell(x);
        let key = |d: [i64; 3]| self.key(std::array::from_fn(|a| (cell[a] as i64 + d[a]) as usize));
        let rows = (-1..=1).flat_map(|z| (-1..=1).map(move |y| (y, z)));
        rows.map(|(y, z)| self.start[key([-1, y, z])]..self.start[key([1, y, z]) + 1]).collect()
    }
}

fn is_near(a: &Point, b: &Point, h: f64) -> bool {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>() < h * h
}

/// Tests, bodies where neighbors are processed where they are found, and bodies where they are collected: of a warp.
fn of_warp(sorted: &Sorted, warp: usize, h: f64) -> [usize; 3] {
    let runs: Vec<_> = (warp..warp + WARP).map(|i| sorted.runs(&sorted.x[i])).collect();
    let ([mut tests, mut bodies, mut collected], mut queues) = ([0; 3], [0; WARP]);
    for row in 0..runs[0].len() {
        let longest = runs.iter().map(|runs| runs[row].len()).max().unwrap_or(0);
        for k in 0..longest {
            let here = |lane: &usize| k < runs[*lane][row].len();
            if k % GROUP == 0 && (0..WARP).filter(here).any(|lane| queues[lane] + GROUP > QUEUE) {
                collected += (0..WARP).filter(here).map(|lane| queues[lane]).max().unwrap_or(0);
                (0..WARP).filter(here).for_each(|lane| queues[lane] = 0);
            }
            let accepts = |lane: &usize| {
                let (i, j) = (warp + lane, runs[*lane][row].start + k);
                i != j && is_near(&sorted.x[i], &sorted.x[j], h)
            };
            let before = queues;
            (0..WARP).filter(here).filter(accepts).for_each(|lane| queues[lane] += 1);
            bodies += usize::from(before != queues);
        }
        tests += longest;
    }
    [tests, bodies, collected + queues.into_iter().max().unwrap_or(0)]
}

/// Entries of a row with a skin, and bodies, of a warp.
fn of_rows(sorted: &Sorted, warp: usize, h: f64) -> [usize; 2] {
    let wide = h * f64::from(Walk::Kept.edge());
    let rows: Vec<Vec<bool>> = (warp..warp + WARP)
        .map(|i| {
            let runs = sorted.runs(&sorted.x[i]).into_iter().flatten();
            let entries = runs.filter(|&j| j != i && is_near(&sorted.x[i], &sorted.x[j], wide));
            entries.map(|j| is_near(&sorted.x[i], &sorted.x[j], h)).collect()
        })
        .collect();
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let bodies = (0..longest).filter(|&k| rows.iter().any(|row| row.get(k) == Some(&true))).count();
    [longest, bodies]
}

/// Means over warps in the midst of the particles.
fn mean<const K: usize>(sorted: &Sorted, h: f64, count: impl Fn(usize) -> [usize; K]) -> [f64; K] {
    let inside = |x: &Point| x.iter().all(|&x| x > 2.0 * h + 0.5 && x < N as f64 - 2.0 * h - 0.5);
    let warps = (0..sorted.x.len() - WARP).step_by(WARP);
    let found: Vec<_> =
        warps.filter(|&w| sorted.x[w..w + WARP].iter().all(inside)).take(200).map(count).collect();
    assert!(found.len() > 20);
    std::array::from_fn(|k| found.iter().map(|of| of[k] as f64).sum::<f64>() / found.len() as f64)
}

#[test]
fn a_warp_pays_less_where_neighbors_are_collected_or_kept() {
    for h in [2.0, 3.46] {
        let whole = Sorted::new(h);
        let [tests, bodies, collected] = mean(&whole, h, |warp| of_warp(&whole, warp, h));
        let wide = Sorted::new(h * f64::from(Walk::Kept.edge()));
        let [entries, kept_bodies] = mean(&wide, h, |warp| of_rows(&wide, warp, h));
        println!(
            "{h} spacings: direct {tests:.0} tests, {bodies:.0} bodies; dense {collected:.0}; kept {entries:.0}, \
             {kept_bodies:.0}"
        );
        assert!(entries < 0.3 * tests && kept_bodies < bodies && collected < 0.7 * bodies);
    }
}
