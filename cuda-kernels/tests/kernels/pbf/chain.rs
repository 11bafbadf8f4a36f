//! All phases after one another: the same bits in every order of threads, and cases that have next to nothing.

use super::{Axes, Case, ORDERS, SPACING, kernel};
use cuda_kernels::{
    common::{
        boundary::{containers::Containers, walls::LOADED},
        numerics::{
            Sets,
            fields::Packed,
            reduce::{Bounds, DensityErrors, Reduce},
        },
    },
    device::{
        error::CudaError,
        executor::{Executor, Field, Plain},
    },
    pbf::{Launcher, Past},
};
use sph_core::{Real, kernel::Kernel, neighbors::Periodic};

/// What a substep leaves.
#[derive(Debug, PartialEq)]
struct Left<const D: usize> {
    axes: [Axes<D>; 5],
    rho: Field<Real>,
    lambda: Field<Real>,
    gain2: Field<Real>,
    delta: Field<Packed>,
    errors: DensityErrors,
    lost: Field<u32>,
}

/// A substep with all phases, from rows on: two corrections, reactions, velocities and what acts on them.
fn substep<const D: usize>(case: &Case<D>, executor: &dyn Executor) -> Left<D>
where
    Bounds<D>: Plain,
{
    let (n, n_walls, rows) = (case.n(), case.n_walls(), case.rows(executor));
    let (x_psi, rigid) = (case.x_psi(), field![0; n_walls]);
    let flags = field![LOADED];
    let sets = Sets { flags: &flags, body: &rigid };
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let mut reduce = Reduce::<D>::new(executor).unwrap();
    let (near, mut lost, records) = (rows.near(&x_psi), field![0; n], || field![Packed::default(); n]);
    let (mut x_star, mut x_lambda, mut delta) = (case.x_star(), records(), records());
    let (mut rho, mut lambda, mut gain2, mut v2) =
        (field![0.0; n], field![0.0; n], field![0.0; n], field![0.0; n]);
    let free = Containers::new(executor, &[]).unwrap();
    let mut errors = field![DensityErrors::default()];
    let nothing = |n: usize| -> Axes<D> { std::array::from_fn(|_| field![0.0; n]) };
    let (mut x, mut v, mut displacement, mut velocity_change) =
        (case.listed.clone(), case.v.clone(), nothing(n), nothing(n));
    let mut force = nothing(n_walls);
    for _ in 0..2 {
        launcher.lambda(near, &x_star, n, &mut x_lambda, &mut rho, &mut lambda).unwrap();
        launcher.delta_x(near, &x_lambda, n, &mut delta).unwrap();
        launcher.relax_lambda(&delta, n, &mut x_lambda).unwrap();
        let of_walls = &rows.of_walls;
        launcher.correction_reaction(of_walls, &x_lambda, &x_psi, sets, n_walls, 0.5, &mut force).unwrap();
        launcher.apply(&free, &delta, n, &mut x_star, &mut lost).unwrap();
    }
    launcher.density(near, &x_star, n, &mut rho).unwrap();
    let rho_0 = case.constants.rho_0;
    reduce.density_errors(executor, &rho, Some(&lambda), rho_0, n, &mut errors).unwrap();
    let past = Some(Past { displacement: &mut displacement, velocity_change: &mut velocity_change });
    launcher.velocities(&x_star, &x, &rho, n, 50.0, 0.9, &mut v, past, &mut gain2, &mut lost).unwrap();
    let mut v_rho = records();
    launcher.pack_velocities(&x_star, &v, &rho, n, &mut v_rho, &mut lost).unwrap();
    let (mut x_volume, mut vorticity, mut terms) = (records(), records(), field![0.0; n]);
    launcher.vorticity(&rows.fluid, &x_star, &v_rho, n, &mut x_volume, &mut vorticity, &mut terms).unwrap();
    let mut squares = field![0.0];
    reduce.sum(executor, &terms, n, &mut squares).unwrap();
    launcher.confine(&rows.fluid, &x_volume, &vorticity, &squares, 1e-3, n, &mut v).unwrap();
    launcher.pack_velocities(&x_star, &v, &rho, n, &mut v_rho, &mut lost).unwrap();
    launcher.xsph(&rows.fluid, &x_star, &v_rho, n, &mut v).unwrap();
    launcher.store_positions(&x_star, Some(&v_rho), n, &mut x, &mut v, &mut v2, &mut lost).unwrap();
    Left {
        axes: [x, v, displacement, velocity_change, force],
        rho,
        lambda,
        gain2,
        delta,
        errors: errors[0],
        lost,
    }
}

fn compare<const D: usize>()
where
    Bounds<D>: Plain,
{
    for periodic in [false, true] {
        let mut case = Case::<D>::new(periodic, 5);
        case.constants.averages = 1;
        let first = substep(&case, &ORDERS[0]);
        assert!(first.errors.mean > 1e-3 && first.lost.iter().all(|lost| *lost == 0));
        for executor in &ORDERS[1..] {
            assert_eq!(substep(&case, executor), first);
        }
    }
}

#[test]
fn a_substep_has_the_same_bits_in_all_orders_of_threads() {
    compare::<2>();
    compare::<3>();
}

/// Particles at these positions, and no walls.
fn alone<const D: usize>(positions: &[[Real; D]]) -> Case<D> {
    let x: Axes<D> = std::array::from_fn(|a| positions.iter().map(|x| x[a]).collect());
    let mut case = Case::of(Periodic::NONE, x.clone(), std::array::from_fn(|_| field![]), 3);
    case.x = x;
    case
}

fn few<const D: usize>(executor: &dyn Executor)
where
    Bounds<D>: Plain,
{
    let none = substep::<D>(&alone(&[]), executor);
    assert_eq!((none.rho.len(), none.errors), (0, DensityErrors { mean: 0.0, largest: 0.0 }));
    let case = alone(&[[0.5; D]]);
    let one = substep::<D>(&case, executor);
    let own = case.constants.m * kernel::<D>().w_0();
    assert_eq!((one.rho[0], one.lambda[0], one.delta[0]), (own, 0.0, Packed::default()));
    assert_eq!((&one.axes[0], one.errors.mean), (&case.listed, 0.0));
    let damped = |v: &Field<Real>| field![v[0] * 0.9];
    assert_eq!(one.axes[1], case.v.each_ref().map(damped));
    // A heavy pair in one place: its constraint is violated, and has no gradient.
    let mut case = alone(&[[0.5; D]; 2]);
    case.constants.m *= 10.0;
    let pair = substep::<D>(&case, executor);
    assert!(pair.lambda.iter().all(|l| *l < 0.0 && l.is_finite()), "{:?}", pair.lambda);
    assert_eq!(pair.axes[0], case.listed);
    assert!(pair.axes[1].iter().flatten().all(|v| v.is_finite()) && pair.lost == [0, 0]);
}

#[test]
fn no_particle_one_particle_and_two_in_one_place_are_no_special_cases() {
    for executor in &ORDERS {
        few::<2>(executor);
        few::<3>(executor);
    }
}

#[test]
fn short_fields_are_refused_by_name() {
    let (case, executor) = (Case::<2>::new(false, 1), &ORDERS[0]);
    let (n, rows, x_psi) = (case.n(), case.rows(executor), case.x_psi());
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let (x_star, mut rho) = (case.x_star(), field![0.0; n - 1]);
    let refused = |result: Result<(), CudaError>, name: &str| match result {
        Err(CudaError::TooShort { field, .. }) => assert_eq!(field, name),
        other => panic!("{other:?}"),
    };
    let near = rows.near(&x_psi);
    refused(launcher.density(near, &x_star, n, &mut rho), "rho");
    refused(launcher.density(near, &x_star, n + 1, &mut rho), "counts of rows");
    let mut v: Axes<2> = std::array::from_fn(|_| field![0.0; n]);
    v[1] = field![0.0; 2];
    let free = Containers::new(executor, &[]).unwrap();
    refused(launcher.predict(&free, n, SPACING, &mut case.x.clone(), &mut v, &mut field![0; n]), "v");
}
