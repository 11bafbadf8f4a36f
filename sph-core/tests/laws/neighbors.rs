//! Neighbor search against its oracle.
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast))]
#![allow(clippy::expect_used, reason = "a failure is that of the test")]
use proptest::prelude::*;
use sph_core::{
    Real,
    fluid::{
        boundary::Boundary,
        material::{Domain, Forces, Material},
        particles::Particles,
    },
    method::state::State,
    neighbors::{Backend, Neighbors, Periodic, Settings},
    numerics::lane::Isa,
    rigid::Bodies,
};

fn state<const D: usize>(fluid: &[[Real; D]], walls: &[[Real; D]], periodic: Periodic<D>) -> State<D> {
    let mut particles = Particles::default();
    for (k, &x) in fluid.iter().enumerate() {
        particles.push(k as u64, x, [0.0; D], k as Real);
    }
    let mut boundary = Boundary::default();
    let body = sph_core::fluid::boundary::Body {
        name: String::new(),
        motion: sph_core::geometry::motion::Trajectory::Static,
        since: 0.0,
        surface_velocity: [0.0; D],
        no_slip: false,
        rigid: None,
        load: None,
    };
    boundary.add_body(body, walls);
    let domain = Domain { low: [-1e9; D], high: [1e9; D], periodic };
    State {
        fluid: particles,
        walls: boundary,
        bodies: Bodies::default(),
        rest: Material { rho_0: 1.0, m: 1.0, spacing: 1.0 },
        forces: Forces { gravity: [0.0; D], central: None, damping: None },
        domain,
        containers: Vec::new(),
        t: 0.0,
        step: 0,
        next_id: 0,
    }
}

/// All rows (fluid, walls, walls over fluid), as ids in the order of the rows, and the order itself.
type Rows = (Vec<u64>, Vec<Vec<usize>>, Vec<Vec<usize>>, Vec<Vec<usize>>);

fn rows<const D: usize>(backend: Backend, isa: Isa, radius: Real, start: &State<D>) -> Rows {
    let mut state = start.clone();
    let periodic = state.domain.periodic;
    let settings = Settings { backend, radius, skin: 0.0, periodic, isa, wall_rows: true, by_id: false };
    let mut n = Neighbors::new(settings);
    n.update(&mut state, []).expect("fits");
    let all = |lists: &sph_core::neighbors::NeighborLists| {
        lists.chunks().iter().flat_map(|c| c.points().map(|i| c.neighbors(i).collect())).collect()
    };
    (state.fluid.id.clone(), all(&n.fluid), all(&n.walls), all(&n.wall_fluid))
}

fn agree<const D: usize>(fluid: &[[Real; D]], walls: &[[Real; D]], radius: Real, periodic: Periodic<D>) {
    let start = state(fluid, walls, periodic);
    let oracle = rows(Backend::BruteForce, Isa::best(), radius, &start);
    for row in &oracle.1 {
        assert!(row.windows(2).all(|w| w[0] < w[1]), "rows ascend");
    }
    for (backend, isas) in [(Backend::DenseGrid, Isa::available()), (Backend::HashGrid, vec![Isa::best()])] {
        for isa in isas {
            let found = rows(backend, isa, radius, &start);
            assert_eq!(oracle.0, found.0, "order of {backend:?}");
            assert_eq!(oracle.1, found.1, "rows of {backend:?} {isa}");
            assert_eq!(oracle.2, found.2, "wall rows of {backend:?} {isa}");
            assert_eq!(oracle.3, found.3, "rows of walls of {backend:?} {isa}");
        }
    }
}

/// Coordinates that hit cell faces, coincide, are negative and lie far out.
fn coordinate() -> impl Strategy<Value = Real> {
    prop_oneof![
        4 => -3.0..3.0 as Real,
        2 => (-6..6i32).prop_map(|k| k as Real * 0.5),
        1 => Just(0.25 as Real),
        1 => 10.0..11.0 as Real,
    ]
}

fn cloud<const D: usize>(most: usize) -> impl Strategy<Value = Vec<[Real; D]>> {
    prop::collection::vec(prop::array::uniform(coordinate()), 0..most)
}

/// Random clouds a test: raised to cover 10⁵ clouds in all by `SPH_CLOUDS=100000`.
fn cases() -> ProptestConfig {
    let cases = std::env::var("SPH_CLOUDS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn all_backends_find_the_same_rows_in_2d(fluid in cloud::<2>(60), walls in cloud::<2>(20), radius in 0.2..1.5 as Real) {
        agree(&fluid, &walls, radius, Periodic::NONE);
    }

    #[test]
    fn all_backends_find_the_same_rows_in_3d(fluid in cloud::<3>(60), walls in cloud::<3>(20), radius in 0.2..1.5 as Real) {
        agree(&fluid, &walls, radius, Periodic::NONE);
    }

    #[test]
    fn periodic_rows_are_those_of_the_nearest_images(
        x in prop::collection::vec(prop::array::uniform3(0.0..1.0 as Real), 0..80),
        radius in 0.05..0.333 as Real,
        low in -20.0..20.0 as Real,
        axes in 1..8usize,
    ) {
        let length: [Real; 3] = std::array::from_fn(|a| if axes >> a & 1 == 1 { 1.0 } else { 0.0 });
        let periodic = Periodic::new([low; 3], length);
        let fluid: Vec<[Real; 3]> = x.iter().map(|x| periodic.wrap(x.map(|x| low + x))).collect();
        let (walls, fluid) = fluid.split_at(fluid.len() / 4);
        agree(fluid, walls, radius, periodic);
    }

    #[test]
    fn neighborhood_is_mutual(fluid in cloud::<3>(80), radius in 0.2..1.5 as Real) {
        let (_, rows, _, _) = rows(Backend::DenseGrid, Isa::best(), radius, &state(&fluid, &[], Periodic::NONE));
        for (i, row) in rows.iter().enumerate() {
            for &j in row {
                prop_assert!(rows[j].contains(&i), "{i} sees {j} but not the reverse");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_hash_grid_is_right_far_from_the_origin(
        x in prop::collection::vec(prop::array::uniform3(-2.0..2.0 as Real), 1..40),
        far in prop::array::uniform3(prop_oneof![Just(-1e6 as Real), Just(0.0), Just(3e5), Just(5e8)]),
        radius in 0.2..1.5 as Real,
    ) {
        let fluid: Vec<[Real; 3]> =
            x.iter().enumerate().map(|(k, x)| std::array::from_fn(|a| x[a] + if k % 3 == 0 { far[a] } else { 0.0 })).collect();
        let start = state(&fluid, &[], Periodic::NONE);
        let oracle = rows(Backend::BruteForce, Isa::best(), radius, &start);
        prop_assert_eq!(oracle, rows(Backend::HashGrid, Isa::best(), radius, &start));
    }
}

/// A dense grid without a skin.
fn plain(radius: Real) -> Settings<2> {
    Settings {
        backend: Backend::DenseGrid,
        radius,
        skin: 0.0,
        periodic: Periodic::NONE,
        isa: Isa::best(),
        wall_rows: false,
        by_id: false,
    }
}

/// Sets without a particle, with one, and with all in one cell have the same rows with all backends.
#[test]
fn empty_one_particle_and_one_cell() {
    agree::<3>(&[], &[], 1.0, Periodic::NONE);
    agree::<3>(&[[0.5; 3]], &[], 1.0, Periodic::NONE);
    agree::<2>(&[[0.5; 2]; 70], &[[0.5; 2]; 40], 1.0, Periodic::NONE);
    agree::<2>(&[], &[[0.5; 2]; 3], 1.0, Periodic::NONE);
}

#[test]
fn large_sets_of_many_chunks_agree() {
    let fluid: Vec<[Real; 3]> = (0..20_000)
        .map(|k| std::array::from_fn(|a| ((k * (7919 + 2 * a * 104_729)) % 20_011) as Real * 1e-3))
        .collect();
    agree(&fluid[..4000], &fluid[4000..5000], 1.1, Periodic::NONE);
    let start = state(&fluid, &[], Periodic::NONE);
    let dense = rows(Backend::DenseGrid, Isa::best(), 0.7, &start);
    assert_eq!(dense, rows(Backend::HashGrid, Isa::best(), 0.7, &start));
}

/// Numbers that are kept for the entries of rows stay with them, in each of many chunks.
#[test]
fn kept_entries_stay_with_their_rows() {
    let fluid: Vec<[Real; 2]> =
        (0..5000).map(|k| [((k * 37) % 101) as Real * 0.1, ((k * 53) % 97) as Real * 0.1]).collect();
    let mut state = state(&fluid, &[], Periodic::NONE);
    let mut n = Neighbors::new(plain(0.25));
    n.update(&mut state, []).expect("fits");
    let weight = |i: usize, j: usize| ((3 * i + 7 * j) % 16) as Real;
    let mut a: Vec<Real> = (0..fluid.len()).map(|j| (j % 11) as Real).collect();
    a.push(0.0);
    let (mut kept, mut sums) = (Vec::new(), vec![0.0; fluid.len()]);
    n.fluid.for_each_storing(&mut kept, &mut sums[..], |_, chunk, kept, sums: &mut [Real]| {
        for i in chunk.points() {
            for (entry, &j) in chunk.entries(i).zip(chunk.row(i)) {
                kept[entry] = weight(i, j as usize);
            }
        }
        for (sum, i) in sums.iter_mut().zip(chunk.points()) {
            *sum = chunk.weighted_sum::<Real>(i, kept, &a);
        }
    });
    assert!(n.fluid.chunks().len() > 4 && n.fluid.len() == fluid.len() && !n.fluid.is_empty());
    for (i, sum) in sums.iter().enumerate() {
        // Whole numbers: the order of the sum is of no matter.
        assert_eq!(*sum, n.fluid.neighbors(i).map(|j| weight(i, j) * a[j]).sum::<Real>(), "row {i}");
    }
}

#[test]
fn the_dense_grid_refuses_a_lost_particle_and_the_hash_grid_does_not() {
    let fluid = [[0.0; 3], [0.5; 3], [1e6; 3]];
    let start = state(&fluid, &[], Periodic::NONE);
    let settings = |backend| Settings {
        backend,
        radius: 1.0,
        skin: 0.0,
        periodic: Periodic::NONE,
        isa: Isa::best(),
        wall_rows: false,
        by_id: false,
    };
    assert!(Neighbors::new(settings(Backend::DenseGrid)).update(&mut start.clone(), []).is_err());
    assert!(Neighbors::new(settings(Backend::HashGrid)).update(&mut start.clone(), []).is_ok());
}

#[test]
fn sorting_is_stable_and_carries_fields_along() {
    let fluid: Vec<[Real; 2]> =
        (0..5000).map(|k| [((k * 37) % 101) as Real * 0.1, ((k * 53) % 97) as Real * 0.1]).collect();
    let mut state = state(&fluid, &[], Periodic::NONE);
    let mut carried: Vec<Real> = (0..5000).map(|k| k as Real).collect();
    Neighbors::new(plain(0.45)).update(&mut state, [&mut carried]).expect("fits");
    for (i, &carried) in carried.iter().enumerate() {
        let id = state.fluid.id[i] as usize;
        assert_eq!(state.fluid.position(i), fluid[id]);
        assert_eq!((carried, state.fluid.rho[i]), (id as Real, id as Real));
    }
    let key = |x: [Real; 2]| {
        ((x[1] as f64 / 0.450_004_5).floor() as i64, (x[0] as f64 / 0.450_004_5).floor() as i64)
    };
    for i in 1..5000 {
        let (a, b) = (key(state.fluid.position(i - 1)), key(state.fluid.position(i)));
        assert!(a < b || a == b && state.fluid.id[i - 1] < state.fluid.id[i]);
    }
}

/// By id, the order follows from positions and ids alone, whatever it was before, in more cells than a thread takes at once.
#[test]
fn by_id_the_order_does_not_depend_on_the_one_before() {
    const N: usize = 5003;
    let place = |k: usize| [((k * 37) % 101) as Real * 0.1, ((k * 53) % 97) as Real * 0.1];
    for backend in [Backend::DenseGrid, Backend::HashGrid] {
        let sorted = |stride: usize| {
            let ids: Vec<usize> = (0..N).map(|k| k * stride % N).collect();
            let points = ids.iter().map(|&id| place(id)).collect::<Vec<_>>();
            let mut state = state(&points, &[], Periodic::NONE);
            state.fluid.id = ids.iter().map(|&id| id as u64).collect();
            let settings = Settings { backend, by_id: true, ..plain(0.45) };
            Neighbors::new(settings).update(&mut state, []).expect("fits");
            state.fluid.id
        };
        let once = sorted(1);
        assert!([2, 17, N - 1].iter().all(|&stride| sorted(stride) == once), "{backend:?}");
    }
}

/// After a restart the rows are those of the moment when they were built, not of now; particles in another order get new ones.
#[test]
fn a_restart_has_the_rows_that_were_built() {
    let fluid: Vec<[Real; 2]> = (0..400).map(|k| [(k % 20) as Real * 0.1, (k / 20) as Real * 0.1]).collect();
    let settings = Settings { skin: 0.04, ..plain(0.21) };
    let mut state = state(&fluid, &[], Periodic::NONE);
    let mut before = Neighbors::new(settings);
    assert!(before.update(&mut state, []).expect("fits"));
    // By less than half the skin, and so that columns two apart would find each other at their corners, were rows built now.
    for i in 0..fluid.len() {
        let column = (state.fluid.x[0][i] * 10.0).round() as usize;
        let shift = if (column / 2).is_multiple_of(2) { 0.014 } else { -0.014 };
        state.fluid.x.iter_mut().for_each(|x| x[i] += shift);
    }
    let rows = |n: &Neighbors<2>| -> Vec<Vec<usize>> {
        n.fluid.chunks().iter().flat_map(|c| c.points().map(|i| c.neighbors(i).collect())).collect()
    };
    let built = rows(&before);
    let mut again = |state: &mut State<2>| {
        let mut n = Neighbors::new(settings);
        n.remembered().zip(before.remembered()).for_each(|((_, new), (_, old))| new.clone_from(old));
        n.restored();
        let is_new = n.update(state, []).expect("fits");
        (is_new, rows(&n))
    };
    let (is_new, found) = again(&mut state);
    assert!(!is_new && found == built, "rows of another moment");
    let (n, mut swapped) = (fluid.len() - 1, state.clone());
    swapped.fluid.x.iter_mut().for_each(|x| x.swap(0, n));
    assert!(again(&mut swapped).0, "particles in another order keep the rows of the old one");
}

#[test]
fn lists_with_a_skin_live_until_half_of_it_is_used() {
    let fluid: Vec<[Real; 2]> = (0..400).map(|k| [(k % 20) as Real * 0.1, (k / 20) as Real * 0.1]).collect();
    let mut state = state(&fluid, &[[-0.1, 0.0]], Periodic::NONE);
    let mut n = Neighbors::new(Settings { skin: 0.04, wall_rows: true, ..plain(0.21) });
    assert!(n.update(&mut state, []).expect("fits"));
    assert!(!n.update(&mut state, []).expect("fits"));
    state.fluid.x[0][7] += 0.019;
    assert!(!n.update(&mut state, []).expect("fits"));
    state.fluid.x[0][7] += 0.002;
    assert!(n.update(&mut state, []).expect("fits"));
}
