//! Levels of the multigrid preconditioner are what they are made from.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::{common::assemble, matrix};
use nalgebra::DMatrix;
use solver_projection::{
    Projection,
    aggregation::{Level, Multigrid},
    cpu::Cpu,
};
use sph_core::{
    Real, method::stopwatch::NoClock, numerics::lane::Isa, run::method::Method as _, scene::Scene,
};

/// Disorder in a box that is periodic in x, with a surface at both ends of y.
fn scene(dim: usize, n: f64, backend: &str) -> Scene {
    let z = if dim == 3 { ", 0.0" } else { "" };
    let high = |y: f64| if dim == 3 { format!("[{n:?}, {y:?}, 5.0]") } else { format!("[{n:?}, {y:?}]") };
    let text = format!(
        "dim = {dim}\nspacing = 1.0\nrun.end_time = 1.0\ndomain = {{ min = [0.0, 0.0{z}], max = {}, periodic = [\"x\"] \
         }}\nneighbors.backend = \"{backend}\"\n[[fluid]]\njitter = 0.2\nshape.block = {{ min = [0.0, 0.0{z}], max = \
         {} }}\n[solver]\nname = \"projection\"\n",
        high(20.0),
        high(12.0)
    );
    Scene::parse("test.toml", &text).unwrap()
}

/// The equation of a level, dense.
fn dense<const D: usize>(level: &Level<D>) -> DMatrix<f64> {
    let n = level.diagonal.len();
    let mut a = DMatrix::zeros(n, n);
    for i in 0..n {
        for (&j, &entry) in level.rows.row(i).iter().zip(&level.off_diagonal[level.rows.entries(i)]) {
            if (j as usize) < n {
                a[(i, j as usize)] -= f64::from(entry);
            }
        }
        a[(i, i)] += f64::from(level.diagonal[i]);
    }
    a
}

fn in_dimension<const D: usize>(n: f64, backend: &str) {
    let (mut state, mut s) =
        Projection::<D>::of_scene(&scene(D, n, backend), Isa::best(), Box::new(NoClock)).unwrap();
    let mut cpu = Cpu::new(&mut s, &mut state);
    assemble(cpu.phases());
    cpu.phases().build_right_hand_side(1e-3).unwrap();
    let fields = std::mem::take(&mut cpu.method.fields);
    let mut levels = Multigrid::default();
    let (neighbors, mut alone) = cpu.method.shell_mut().with_others();
    let of = (neighbors.cells(), &neighbors.fluid);
    levels.build(of.0, of.1, &fields.entries, &fields.dirichlet, &mut alone).unwrap();
    cpu.method.fields = fields;
    let mut fine = matrix::dense(&cpu);
    assert!(levels.in_use().len() >= 2);
    for level in levels.in_use() {
        let mut p = DMatrix::zeros(fine.nrows(), level.diagonal.len());
        (0..fine.nrows()).for_each(|i| p[(i, level.aggregate_of(i))] = 1.0);
        assert!(p.row_sum().iter().all(|&unknowns| unknowns > 0.0), "an empty aggregate");
        let coarse = dense(level);
        let (expected, size) = (p.transpose() * &fine * &p, fine.abs().max());
        let off = (&coarse - &expected).abs().max();
        assert!(off < 1e3 * f64::from(Real::EPSILON) * size, "{backend}, {D}D: {off} of {size}");
        fine = coarse;
    }
}

#[test]
fn each_level_is_the_galerkin_projection_of_the_one_below() {
    for backend in ["dense_grid", "hash_grid", "brute_force"] {
        // An odd and an even number of cells in the period.
        in_dimension::<2>(18.0, backend);
        in_dimension::<2>(16.0, backend);
        in_dimension::<3>(8.0, backend);
    }
}
