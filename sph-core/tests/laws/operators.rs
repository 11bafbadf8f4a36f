//! What each discrete operator is exact for, and what it conserves.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

use crate::common;

use common::{EXACT, assert_cancels, assert_near, block, state, walls};
use sph_core::{
    Real,
    fluid::operators::{Field, Operators},
    geometry::{lattice, sampling::Jitter},
    kernel::{Formula, WendlandC2},
    method::state::State,
    neighbors::{Neighbors, Periodic},
    numerics::lane::Isa,
};

const DX: f64 = 0.1;
const ETA: f64 = 3.0;

/// Particles with rows, volumes that differ and densities that do not, unless asked for.
struct Points<const D: usize> {
    state: State<D>,
    lists: Neighbors<D>,
    periodic: Periodic<D>,
    volume: Vec<Real>,
    rho: Vec<Real>,
}

impl<const D: usize> Points<D> {
    fn new(x: &[[Real; D]], periodic: Periodic<D>) -> Self {
        let (state, lists) = state(x, walls(&[]), (ETA * DX) as Real, periodic);
        let n = x.len();
        let volume = vec![DX.powi(D as i32) as Real; n];
        Self { state, lists, periodic, volume, rho: vec![1000.0; n] }
    }

    /// A free block with jitter.
    fn disordered() -> Self {
        Self::new(&block([if D == 2 { 12 } else { 7 }; D], DX, 0.2), Periodic::NONE)
    }

    /// A lattice without surface.
    fn periodic_lattice() -> Self {
        let periodic = Periodic::new([0.0; D], [(10.0 * DX) as Real; D]);
        Self::new(&block([10; D], DX, 0.0), periodic)
    }

    fn with_unequal_volumes(mut self) -> Self {
        let spread = random(self.volume.len(), 5, 0.3);
        self.volume.iter_mut().zip(spread).for_each(|(v, s)| *v *= 1.0 + s);
        self
    }

    fn with_unequal_densities(mut self) -> Self {
        let spread = random(self.rho.len(), 6, 0.2);
        self.rho.iter_mut().zip(spread).for_each(|(rho, s)| *rho *= 1.0 + s);
        self
    }

    fn kernel(&self) -> WendlandC2<D> {
        WendlandC2::new((ETA * DX) as Real)
    }

    fn operators(&self) -> Operators<'_, D, WendlandC2<D>> {
        let x = &self.state.fluid.x;
        Operators::new(self.kernel(), &self.lists.fluid, self.periodic, x, &self.volume, &self.rho)
    }

    /// A field from a function of the place.
    fn field<const M: usize>(&self, f: impl Fn([f64; D]) -> [f64; M]) -> Field<M> {
        let values: Vec<_> = (0..self.volume.len()).map(|i| f(self.place(i))).collect();
        std::array::from_fn(|c| values.iter().map(|v| v[c] as Real).collect())
    }

    fn place(&self, i: usize) -> [f64; D] {
        self.state.fluid.position(i).map(f64::from)
    }

    /// The particle nearest to the middle of the lattice, whose support is full.
    fn middle(&self) -> usize {
        let n = self.volume.len();
        let center: [f64; D] =
            std::array::from_fn(|a| (0..n).map(|i| self.place(i)[a]).sum::<f64>() / n as f64);
        let distance = |i: usize| {
            let x = self.place(i);
            (0..D).map(|a| (x[a] - center[a]).powi(2)).sum::<f64>()
        };
        (0..n).min_by(|&i, &j| distance(i).total_cmp(&distance(j))).unwrap_or(0)
    }

    /// `Σ_i V_i f_i = 0`, component by component.
    fn assert_momentum<const M: usize>(&self, f: &Field<M>, what: &str) {
        for f in f {
            assert_cancels(self.volume.iter().zip(f).map(|(v, f)| f64::from(*v) * f64::from(*f)), what);
        }
    }

    /// `Σ_i V_i x_i × f_i = 0`, in the xy plane.
    fn angular_terms(&self, f: &Field<D>) -> impl Iterator<Item = f64> {
        let terms = |i: usize| {
            let (x, v) = (self.place(i), f64::from(self.volume[i]));
            [v * x[0] * f64::from(f[1][i]), -(v * x[1] * f64::from(f[0][i]))]
        };
        (0..self.volume.len()).flat_map(terms)
    }
}

/// Numbers in `[-scale, scale)`.
fn random(n: usize, seed: u64, scale: f64) -> Vec<Real> {
    let jitter = Jitter { amplitude: 1.0, seed };
    (0..n as u64).map(|i| (scale * jitter.uniform(i, 0)) as Real).collect()
}

fn random_field<const M: usize>(n: usize, seed: u64) -> Field<M> {
    std::array::from_fn(|c| random(n, seed + c as u64, 1.0))
}

fn constants_have_no_derivative<const D: usize>() {
    let points = Points::<D>::disordered().with_unequal_volumes().with_unequal_densities();
    let operators = points.operators();
    let v: Field<D> = points.field(|_| std::array::from_fn(|a| 3.7 - a as f64));
    let zero = |field: &[Real]| field.iter().all(|&x| x == 0.0);
    assert!(operators.gradient(&v[0]).iter().all(|g| zero(g)));
    assert!(zero(&operators.divergence(&v)) && zero(&operators.laplacian(&v[0])));
    assert!(operators.vector_laplacian(&v).iter().all(|l| zero(l)));
    // A constant is nothing that the symmetric gradient is exact for.
    assert!(!zero(&operators.symmetric_gradient(&v[0])[0]));
}

fn the_corrected_gradient_is_exact_for_linear_fields<const D: usize>() {
    let points = Points::<D>::disordered().with_unequal_volumes();
    let operators = points.operators();
    let slope: [f64; D] = std::array::from_fn(|a| [1.5, -0.7, 0.4][a]);
    let [a] = points.field(|x| [2.0 + (0..D).map(|k| slope[k] * x[k]).sum::<f64>()]);
    let correction = operators.correction();
    assert_eq!(correction.n_uncorrected, 0);
    let raw = operators.gradient(&a);
    let mut corrected = raw.clone();
    correction.apply(&mut corrected);
    // Round-off of a, over the spacing, times a condition number below 100.
    let tolerance = 100.0 * f64::from(Real::EPSILON) * 3.0 / DX;
    let worst = |g: &Field<D>| {
        let error = |c: usize, i: usize| (f64::from(g[c][i]) - slope[c]).abs();
        (0..D).flat_map(|c| (0..a.len()).map(move |i| error(c, i))).fold(0.0, f64::max)
    };
    assert!(worst(&corrected) <= tolerance, "{:e} above {tolerance:e}", worst(&corrected));
    assert!(worst(&raw) > 0.1, "the correction has nothing to do");
}

fn the_symmetric_gradient_conserves_momentum<const D: usize>() {
    let points = Points::<D>::disordered().with_unequal_volumes().with_unequal_densities();
    let force = points.operators().symmetric_gradient(&random(points.volume.len(), 1, 1e4));
    points.assert_momentum(&force, "momentum");
    assert_cancels(points.angular_terms(&force), "angular momentum");
}

fn the_divergence_is_the_adjoint_of_the_symmetric_gradient<const D: usize>() {
    let points = Points::<D>::disordered().with_unequal_volumes();
    let n = points.volume.len();
    let (p, v) = (random(n, 1, 1.0), random_field::<D>(n, 2));
    let gradient = points.operators().symmetric_gradient(&p);
    let divergence = points.operators().divergence(&v);
    let products = (0..n).flat_map(|i| {
        let product =
            |a: &[Real], b: &[Real]| f64::from(points.volume[i]) * f64::from(a[i]) * f64::from(b[i]);
        (0..D).map(|c| product(&v[c], &gradient[c])).chain([product(&p, &divergence)]).collect::<Vec<_>>()
    });
    assert_cancels(products, "⟨v, Gp⟩ + ⟨Dv, p⟩");
}

fn laplacians_conserve_what_they_should<const D: usize>() {
    let points = Points::<D>::disordered().with_unequal_volumes().with_unequal_densities();
    let v = random_field::<D>(points.volume.len(), 3);
    let brookshaw: Field<D> = std::array::from_fn(|c| points.operators().laplacian(&v[c]));
    points.assert_momentum(&brookshaw, "momentum, Brookshaw");
    let (sum, scale) =
        points.angular_terms(&brookshaw).fold((0.0, 0.0), |(s, a), t| (s + t, a + f64::abs(t)));
    assert!(sum.abs() > 5.0 * EXACT * scale, "Brookshaw's form turns the fluid: {sum:e} of {scale:e}");
    let solenoidal = points.operators().vector_laplacian(&v);
    points.assert_momentum(&solenoidal, "momentum, solenoidal");
    assert_cancels(points.angular_terms(&solenoidal), "angular momentum, solenoidal");
}

fn derivatives_have_their_sign_and_size<const D: usize>() {
    let points = Points::<D>::new(&block([9; D], DX, 0.0), Periodic::NONE);
    let (operators, i) = (points.operators(), points.middle());
    let d = D as f64;
    let volume = DX.powi(D as i32);
    let gradient_factor = lattice::gradient_factor(&points.kernel(), DX, volume);
    let viscosity_factor = lattice::viscosity_factor(&points.kernel(), DX, volume);
    let tolerance = if cfg!(feature = "f64") { 1e-10 } else { 2e-4 };
    let [half_square] = points.field(|x| [0.5 * x.iter().map(|x| x * x).sum::<f64>()]);
    let laplacian = operators.laplacian(&half_square)[i];
    assert_near(laplacian, d * viscosity_factor, tolerance, "Laplacian of half the square");
    let gradient = operators.gradient(&half_square);
    let position = points.field(|x| x);
    assert_near(operators.divergence(&position)[i], d * gradient_factor, tolerance, "divergence of x");
    for c in 0..D {
        let x = points.place(i)[c];
        assert_near(gradient[c][i], x * gradient_factor, tolerance, "gradient of half the square");
        let symmetric = operators.symmetric_gradient(&position[c])[c][i];
        assert_near(symmetric, gradient_factor, tolerance, "symmetric gradient of x");
    }
    // Both have no divergence and the Laplacian (2, 0). A lattice is anisotropic, but the errors of the two balance,
    // as Σ x⁴ + (d - 1) Σ x² y² = Σ x² r².
    let shear = points.field(|x| std::array::from_fn(|a| if a == 0 { x[1] * x[1] } else { 0.0 }));
    let strain = points.field(|x| std::array::from_fn(|a| [x[0] * x[0], -2.0 * x[0] * x[1], 0.0][a]));
    let (shear, strain) = (operators.vector_laplacian(&shear), operators.vector_laplacian(&strain));
    let balanced = |a: usize| ((d + 1.0) * f64::from(shear[a][i]) + f64::from(strain[a][i])) / (d + 2.0);
    assert_near(balanced(0), 2.0 * viscosity_factor, 10.0 * tolerance, "Laplacian of shear and strain");
    assert_near(balanced(1), 0.0, 10.0 * tolerance, "across the shear");
}

#[test]
fn a_turning_lattice_has_twice_the_curl_of_its_angular_velocity() {
    let tolerance = if cfg!(feature = "f64") { 1e-10 } else { 1e-4 };
    let plane = Points::<2>::new(&block([9; 2], DX, 0.0), Periodic::NONE);
    let g = lattice::gradient_factor(&plane.kernel(), DX, DX * DX);
    let [curl] = plane.operators().curl::<1>(&plane.field(|[x, y]| [-1.5 * y, 1.5 * x]));
    assert_near(curl[plane.middle()], 3.0 * g, tolerance, "2D");
    let space = Points::<3>::new(&block([9; 3], DX, 0.0), Periodic::NONE);
    let g = lattice::gradient_factor(&space.kernel(), DX, DX * DX * DX);
    let turn = |[x, y, z]: [f64; 3]| [0.5 * z + 0.7 * y, -0.7 * x - 0.2 * z, 0.2 * y - 0.5 * x];
    let curl = space.operators().curl::<3>(&space.field(turn));
    for (c, omega) in [0.2, 0.5, -0.7].into_iter().enumerate() {
        assert_near(curl[c][space.middle()], 2.0 * omega * g, tolerance, "3D");
    }
    let constant = space.field(|_| [1.0, 2.0, 3.0]);
    assert!(space.operators().curl::<3>(&constant).iter().flatten().all(|&c| c == 0.0));
}

fn sums_of_a_lattice_are_consistent<const D: usize>() {
    let mut points = Points::<D>::periodic_lattice();
    let volume = lattice::calibrated_mass(&points.kernel(), DX, 1.0);
    points.volume.fill(volume as Real);
    let factor = lattice::gradient_factor(&points.kernel(), DX, volume);
    let (zero, one) = (points.operators().consistency_0(), points.operators().consistency_1());
    for i in 0..points.volume.len() {
        assert_near(zero.partition[i], 1.0, EXACT, "partition of unity");
        for a in 0..D {
            assert_near(zero.gradient[a][i], 0.0, EXACT / DX, "gradient of one");
            assert_near(one.shift[a][i], 0.0, EXACT * DX, "shift");
            for b in 0..D {
                let expected = if a == b { factor } else { 0.0 };
                assert_near(one.moment[a][b][i], expected, 10.0 * EXACT, "moment");
            }
        }
    }
}

fn disorder_spoils_the_sums_a_little<const D: usize>() {
    let periodic = Periodic::new([0.0; D], [(10.0 * DX) as Real; D]);
    let points = Points::<D>::new(&block([10; D], DX, 0.1), periodic);
    let sums = points.operators().consistency_0();
    assert!(sums.partition.iter().all(|&sum| (sum - 1.0).abs() < 0.08));
    assert!(sums.gradient[0].iter().any(|g| g.abs() > 1e-3), "a jittered lattice is not symmetric");
}

#[test]
fn lonely_and_aligned_particles_keep_their_raw_gradient() {
    let dx = DX as Real;
    let points = Points::<2>::new(&[[0.0, 0.0], [dx, 0.0], [2.0 * dx, 0.0], [50.0, 50.0]], Periodic::NONE);
    let correction = points.operators().correction();
    assert_eq!(correction.n_uncorrected, 4);
    let raw = points.operators().gradient(&random(4, 1, 1.0));
    let mut corrected = raw.clone();
    correction.apply(&mut corrected);
    assert_eq!(raw, corrected);
    assert!(corrected.iter().flatten().all(|g| g.is_finite()));
}

#[test]
fn instruction_sets_and_coincident_particles_make_no_difference() {
    let mut x = block([5; 3], DX, 0.2);
    x.extend_from_within(..3);
    let points = Points::<3>::new(&x, Periodic::NONE).with_unequal_volumes();
    let a = random(x.len(), 1, 1.0);
    let best = points.operators().symmetric_gradient(&a);
    assert!(best.iter().flatten().all(|g| g.is_finite()));
    for isa in Isa::available() {
        assert_eq!(points.operators().with_isa(isa).symmetric_gradient(&a), best, "{isa}");
    }
}

macro_rules! in_two_and_three_dimensions {
    ($($law:ident)*) => {
        mod in_2d {
            $(#[test] fn $law() { super::$law::<2>(); })*
        }
        mod in_3d {
            $(#[test] fn $law() { super::$law::<3>(); })*
        }
    };
}
in_two_and_three_dimensions! {
    constants_have_no_derivative
    the_corrected_gradient_is_exact_for_linear_fields
    the_symmetric_gradient_conserves_momentum
    the_divergence_is_the_adjoint_of_the_symmetric_gradient
    laplacians_conserve_what_they_should
    derivatives_have_their_sign_and_size
    sums_of_a_lattice_are_consistent
    disorder_spoils_the_sums_a_little
}
