//! Lattice sums against tables measured independently.

use sph_core::{geometry::lattice::*, kernel::*};

#[track_caller]
fn assert_digits(computed: f64, printed: f64, what: &str) {
    // Half a unit of the fourth decimal, and what constants rounded to `f32` may add.
    assert!((computed - printed).abs() <= 0.505e-4, "{what}: {computed:.6}, in the table {printed:.4}");
}

/// `ρ / ρ_0` with mass `ρ_0 Δx^d`.
fn density<const D: usize, K: Formula<D>>(eta: f64) -> f64 {
    let dx = 1.0 / eta;
    density_sum(&K::new(1.0), dx) * dx.powi(D as i32)
}

/// `G` with volume `Δx^d`.
fn gradient<const D: usize, K: Formula<D>>(eta: f64) -> f64 {
    let dx = 1.0 / eta;
    gradient_factor(&K::new(1.0), dx, dx.powi(D as i32))
}

fn assert_row<const D: usize>(eta: f64, n: usize, printed: [f64; 5]) {
    assert_eq!(n_neighbors::<D>(eta), n, "neighbors in {D}D at {eta}");
    let computed = [
        density::<D, CubicSpline<D>>(eta),
        density::<D, Poly6<D>>(eta),
        density::<D, Spiky<D>>(eta),
        density::<D, WendlandC2<D>>(eta),
        density::<D, WendlandC4<D>>(eta),
    ];
    for k in 0..5 {
        assert_digits(computed[k], printed[k], &format!("density {k} in {D}D at {eta}"));
    }
}

#[test]
fn densities_and_counts_are_those_of_the_table() {
    assert_row::<2>(2.0, 8, [1.0009, 1.0146, 1.2736, 1.0376, 1.0458]);
    assert_row::<2>(2.5, 20, [0.9994, 0.9940, 1.1373, 1.0138, 1.0105]);
    assert_row::<2>(3.0, 24, [1.0034, 1.0023, 1.0812, 1.0051, 1.0030]);
    assert_row::<2>(4.0, 44, [1.0000, 1.0005, 1.0342, 1.0012, 1.0004]);
    assert_row::<3>(2.0, 26, [1.0000, 1.0098, 1.2359, 1.0338, 1.0667]);
    assert_row::<3>(2.2, 32, [1.0043, 1.0140, 1.1668, 1.0246, 1.0269]);
    assert_row::<3>(2.5, 80, [0.9985, 0.9954, 1.0962, 1.0134, 1.0106]);
    assert_row::<3>(3.0, 92, [1.0018, 1.0022, 1.0474, 1.0031, 1.0029]);
    assert_row::<3>(4.0, 250, [1.0001, 1.0000, 1.0148, 1.0005, 1.0003]);
}

#[test]
fn gradient_factors_are_those_of_the_table() {
    let etas = [2.0, 2.2, 2.5, 3.0, 3.5, 4.0];
    type Row = (fn(f64) -> f64, [f64; 6]);
    let rows: [Row; 6] = [
        (gradient::<2, CubicSpline<2>>, [1.0131, 0.9966, 1.0010, 1.0067, 0.9935, 0.9991]),
        (gradient::<3, CubicSpline<3>>, [1.0200, 1.0059, 0.9819, 1.0101, 0.9981, 1.0000]),
        (gradient::<2, WendlandC2<2>>, [0.9762, 0.9756, 0.9665, 0.9974, 0.9944, 0.9992]),
        (gradient::<3, WendlandC2<3>>, [0.9823, 1.0014, 0.9793, 1.0006, 0.9975, 0.9994]),
        (gradient::<2, WendlandC4<2>>, [0.8618, 0.9458, 0.9822, 0.9906, 0.9982, 0.9987]),
        (gradient::<3, WendlandC4<3>>, [0.8582, 0.9443, 0.9913, 0.9932, 0.9992, 0.9994]),
    ];
    for (k, (factor, printed)) in rows.into_iter().enumerate() {
        for (eta, printed) in etas.into_iter().zip(printed) {
            assert_digits(factor(eta), printed, &format!("row {k} at {eta}"));
        }
    }
}

#[test]
fn viscosity_factors_are_those_of_the_table() {
    fn assert_factors<K: Formula<2>>(eta: f64, printed: f64, printed_calibrated: f64) {
        let (kernel, dx) = (K::new(1.0), 1.0 / eta);
        assert_digits(viscosity_factor(&kernel, dx, dx * dx), printed, &format!("{} {eta}", K::NAME));
        let volume = calibrated_mass(&kernel, dx, 1000.0) / 1000.0;
        let calibrated = viscosity_factor(&kernel, dx, volume);
        assert_digits(calibrated, printed_calibrated, &format!("{} {eta} calibrated", K::NAME));
    }
    assert_factors::<CubicSpline<2>>(2.0, 1.0047, 1.0038);
    assert_factors::<CubicSpline<2>>(2.5, 0.9906, 0.9912);
    assert_factors::<WendlandC2<2>>(2.5, 0.9557, 0.9427);
    assert_factors::<WendlandC2<2>>(3.0, 0.9849, 0.9798);
    assert_factors::<WendlandC2<2>>(4.0, 0.9849, 0.9837);
}

/// A sum over a lattice tends to the integral. That of `spiky`, which has a kink, is the last to come near.
fn sums_tend_to_integrals<const D: usize, K: Formula<D>>() {
    let error = |eta| (density::<D, K>(eta) - 1.0).abs().max((gradient::<D, K>(eta) - 1.0).abs());
    assert!(error(10.0) < 0.02, "{} in {D}D: {}", K::NAME, error(10.0));
    assert!(error(10.0) < error(2.0), "{} in {D}D", K::NAME);
}

fn calibrated_mass_gives_the_rest_density<const D: usize, K: Formula<D>>() {
    let kernel = K::new(0.05);
    let mass = calibrated_mass(&kernel, 0.02, 998.0);
    assert!((mass * density_sum(&kernel, 0.02) / 998.0 - 1.0).abs() < 1e-15, "{} in {D}D", K::NAME);
}

#[test]
fn every_kernel_of_the_table_sums_to_its_integrals() {
    macro_rules! check {
        ($($kernel:ident)*) => {$(
            sums_tend_to_integrals::<2, $kernel<2>>();
            sums_tend_to_integrals::<3, $kernel<3>>();
            calibrated_mass_gives_the_rest_density::<2, $kernel<2>>();
            calibrated_mass_gives_the_rest_density::<3, $kernel<3>>();
        )*};
    }
    sph_core::all_kernels!(check);
}

#[test]
fn spiky_overestimates_the_density_of_a_lattice() {
    assert!(calibrated_mass(&<Spiky<3> as Formula<3>>::new(0.05), 0.02, 998.0) < 998.0 * 0.02_f64.powi(3));
}
