//! What makes the equation of the pressure a good one, on random particles: symmetric to the bit, no negative eigenvalue,
//! exact in the staggered space, adjoint gradient and divergence.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common::assemble;
use nalgebra::{DMatrix, DVector};
use solver_projection::{
    Projection,
    aggregation::Multigrid,
    cg::{self, Limits, Outcome},
    cpu::{
        Cpu,
        equation::{Equation, Inverse, Rows},
        vcycle,
    },
    params::Preconditioner,
};
use sph_core::{
    Real,
    method::{state::State, stopwatch::NoClock},
    numerics::lane::Isa,
    run::method::Method as _,
    scene::Scene,
};

const EPSILON: f64 = Real::EPSILON as f64;
const DT: f64 = 1e-3;

/// A block in the corner of an open tank, or in space, in disorder and with random velocities.
fn disordered<const D: usize>(walls: bool, jitter: f64, solver: &str) -> (Projection<D>, State<D>) {
    in_flow("free_surface", walls, jitter, solver)
}

/// The same as a flow of which the scene says whether it has a surface.
fn in_flow<const D: usize>(flow: &str, walls: bool, jitter: f64, solver: &str) -> (Projection<D>, State<D>) {
    let (n, z) = (if D == 2 { 14.0 } else { 6.0 }, if D == 3 { ", 0.0" } else { "" });
    let corner = |x: f64| format!("{:?}", [x; D]);
    let low = format!("[0.0, 0.0{z}]");
    let wall = if walls {
        format!(
            "[[wall]]\nshape.block = {{ min = {low}, max = {} }}\nfaces = [\"x_min\", \"y_min\"]\nlayers = 3\n",
            corner(2.0 * n)
        )
    } else {
        String::new()
    };
    let text = format!(
        "dim = {D}\nspacing = 1.0\nrest_density = 1.0\nrun.end_time = 1.0\nflow = \"{flow}\"\n[[fluid]]\njitter = {jitter:?}\n\
         shape.block = {{ min = {low}, max = {} }}\n{wall}[solver]\nname = \"projection\"\n{solver}\n",
        corner(n)
    );
    let scene = Scene::parse("test.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (mut state, solver) = Projection::<D>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    for (k, v) in state.fluid.v.iter_mut().flatten().enumerate() {
        *v = (0.7 * k as f64 + 0.3 * (k * k % 97) as f64).sin() as Real;
    }
    (solver, state)
}

/// The phases up to the right-hand side.
fn assembled<'a, const D: usize>(s: &'a mut Projection<D>, state: &'a mut State<D>) -> Cpu<'a, D> {
    let mut cpu = Cpu::new(s, state);
    cpu.phases().move_walls(DT).unwrap();
    assemble(cpu.phases());
    cpu.phases().build_right_hand_side(DT).unwrap();
    cpu
}

/// The matrix, from the entries of the rows and the diagonal.
pub fn dense<const D: usize>(cpu: &Cpu<'_, D>) -> DMatrix<f64> {
    let (s, n) = (&*cpu.method, cpu.state.fluid.len());
    let mut a = DMatrix::zeros(n, n);
    for (chunk, entries) in s.shell().neighbors.fluid.chunks().iter().zip(&s.fields.entries) {
        for (k, i) in chunk.points().enumerate() {
            let row = chunk.offsets[k] as usize;
            for (slot, j) in chunk.neighbors(i).enumerate() {
                a[(i, j)] = -f64::from(entries[row + slot]);
            }
            a[(i, i)] = f64::from(s.fields.equation.diagonal[i]);
        }
    }
    a
}

fn vector(field: &[Real]) -> DVector<f64> {
    DVector::from_iterator(field.len(), field.iter().map(|&x| f64::from(x)))
}

/// Runs `check` in space and beside walls, in 2D and 3D.
fn each_case(mut check: impl FnMut(&mut dyn Checks)) {
    for walls in [false, true] {
        let (mut s, mut state) = disordered::<2>(walls, 0.25, "");
        check(&mut assembled(&mut s, &mut state));
        let (mut s, mut state) = disordered::<3>(walls, 0.25, "");
        check(&mut assembled(&mut s, &mut state));
    }
}

/// What the tests below do, whatever the dimension.
trait Checks {
    fn matrix(&self) -> DMatrix<f64>;
    fn dirichlet(&self) -> DVector<f64>;
    fn b(&self) -> DVector<f64>;
    /// What stands in for the inverse with levels, column by column; and the number of levels.
    fn stand_in(&mut self) -> (DMatrix<f64>, usize);
    /// `x` after so many iterations from 0, and how they ended.
    fn iterate(&mut self, iterations: u32, tolerance: f64) -> (DVector<f64>, Outcome, u32);
}

impl<const D: usize> Checks for Cpu<'_, D> {
    fn matrix(&self) -> DMatrix<f64> {
        dense(self)
    }

    fn dirichlet(&self) -> DVector<f64> {
        vector(&self.method.fields.dirichlet)
    }

    fn b(&self) -> DVector<f64> {
        vector(&self.method.fields.equation.b)
    }

    fn stand_in(&mut self) -> (DMatrix<f64>, usize) {
        let n = self.state.fluid.len();
        let fields = std::mem::take(&mut self.method.fields);
        let mut levels = Multigrid::default();
        let (neighbors, mut alone) = self.method.shell_mut().with_others();
        let of = (neighbors.cells(), &neighbors.fluid);
        levels.build(of.0, of.1, &fields.entries, &fields.dirichlet, &mut alone).unwrap();
        let mut inverse = DMatrix::zeros(n, n);
        let (mut r, mut z) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            r[i] = 1.0;
            let diagonal = &fields.equation.diagonal;
            let rho =
                vcycle::precondition(&mut levels, Isa::best(), &mut alone, [diagonal, &r], &mut z).unwrap();
            assert_eq!(rho.value(), f64::from(z[i]), "r·z");
            inverse.set_column(i, &vector(&z));
            r[i] = 0.0;
        }
        self.method.fields = fields;
        (inverse, levels.in_use().len())
    }

    fn iterate(&mut self, iterations: u32, tolerance: f64) -> (DVector<f64>, Outcome, u32) {
        let n = self.state.fluid.len();
        let (mut p, mut history) = (vec![0.0; n], Vec::new());
        let mut fields = std::mem::take(&mut self.method.fields);
        let (is_closed, chosen) = (fields.is_closed, self.method.params().preconditioner);
        let (neighbors, mut others) = self.method.shell_mut().with_others();
        let (lists, entries) = (&neighbors.fluid, &fields.entries);
        fields.levels.build(neighbors.cells(), lists, entries, &fields.dirichlet, &mut others).unwrap();
        let inverse = match chosen {
            Preconditioner::Multilevel => Inverse::Multilevel(&mut fields.levels),
            chosen => Inverse::pointwise(chosen),
        };
        let isa = Isa::best();
        let of = (Rows { isa, lists, entries, scale: 1.0 }, inverse, n);
        let mut equation = Equation::new(of, (isa, others), &mut fields.equation, &mut p, &mut history);
        equation.is_closed = is_closed;
        let solved = cg::solve(&mut equation, &Limits { tolerance, absolute: None, iterations }).unwrap();
        self.method.fields = fields;
        (vector(&p), solved.outcome, solved.iterations)
    }
}

#[test]
fn the_matrix_is_symmetric_to_the_bit_and_has_no_negative_eigenvalue() {
    each_case(|cpu| {
        let a = cpu.matrix();
        assert_eq!(a, a.transpose());
        let eigenvalues = a.clone().symmetric_eigenvalues();
        let (least, largest) = (eigenvalues.min(), eigenvalues.max());
        // A free surface makes it definite.
        assert!(least > 0.0 && least > 1e-6 * largest, "{least} {largest}");
    });
}

#[test]
fn rows_add_up_to_the_weight_of_the_air() {
    each_case(|cpu| {
        let (a, dirichlet) = (cpu.matrix(), cpu.dirichlet());
        let sums = a.column_sum();
        for i in 0..dirichlet.len() {
            assert!(
                (sums[i] - dirichlet[i]).abs() < 50.0 * EPSILON * a[(i, i)],
                "{i}: {} {}",
                sums[i],
                dirichlet[i]
            );
        }
        assert!(dirichlet.min() >= 0.0 && dirichlet.max() > 0.0);
    });
}

#[test]
fn conjugate_gradients_agree_with_a_dense_solution_and_come_nearer_in_every_iteration() {
    each_case(|cpu| {
        let (a, b) = (cpu.matrix(), cpu.b());
        let exact = a.clone().cholesky().unwrap().solve(&b);
        let (x, outcome, iterations) = cpu.iterate(1000, 1e-6);
        assert_eq!(outcome, Outcome::Converged);
        let condition = a.clone().symmetric_eigenvalues();
        let bound = (1e-6 + 100.0 * EPSILON) * condition.max() / condition.min();
        assert!((&x - &exact).norm() < bound * exact.norm(), "{}", (&x - &exact).norm() / exact.norm());
        let energy = |x: &DVector<f64>| ((x - &exact).transpose() * &a * (x - &exact))[0].sqrt();
        let mut last = energy(&DVector::zeros(b.len()));
        for k in 1..iterations {
            let now = energy(&cpu.iterate(k, 0.0).0);
            assert!(now < last * (1.0 + 1e3 * EPSILON), "iteration {k}: {now} after {last}");
            last = now;
        }
    });
}

#[test]
fn levels_stand_in_for_the_inverse_symmetrically_and_positively_and_narrow_the_spectrum() {
    each_case(|cpu| {
        let (inverse, levels) = cpu.stand_in();
        assert!(levels >= 2, "{levels}");
        let off = (&inverse - inverse.transpose()).abs().max();
        assert!(off < 20.0 * EPSILON * inverse.abs().max(), "{off}");
        // The spectrum of `M⁻¹ A` is that of `Lᵀ M⁻¹ L` with `A = L Lᵀ`, and that of `D⁻¹ A` likewise.
        let (a, l) = (cpu.matrix(), cpu.matrix().cholesky().unwrap().l());
        let condition = |inverse: &DMatrix<f64>| {
            let eigenvalues = (l.transpose() * inverse * &l).symmetric_eigenvalues();
            assert!(eigenvalues.min() > 0.0, "{}", eigenvalues.min());
            eigenvalues.max() / eigenvalues.min()
        };
        let diagonal = DMatrix::from_diagonal(&a.diagonal().map(|x| 1.0 / x));
        let (with, without) = (condition(&inverse), condition(&diagonal));
        assert!(with < without, "{with} with levels, {without} with the diagonal");
    });
}

/// The staggered field takes up the whole correction: with `u_e ← u_e − dt/ρ₀ (p_j − p_i)/r_c` the divergence that is left
/// is `dt/ρ₀` times the residual and the flux through the free surface.
#[test]
fn the_projection_is_exact_in_the_staggered_space() {
    fn in_dimension<const D: usize>() {
        let (mut s, mut state) = disordered::<D>(false, 0.25, "density_compensation = 0.0");
        let mut cpu = assembled(&mut s, &mut state);
        let (p, outcome, _) = cpu.iterate(1000, 1e-6);
        assert_eq!(outcome, Outcome::Converged);
        let a = dense(&cpu);
        let (rate, sums) = (DT / 1.0, &cpu.method.fields.sums);
        for i in 0..p.len() {
            // Σ_j κ_e δu_e with κ_e = a w¹ and δu_e = −dt/ρ₀ (p_j − p_i)/r_c is dt/ρ₀ Σ_j a w² (p_i − p_j).
            let flux: f64 = (0..p.len()).filter(|&j| j != i).map(|j| -a[(i, j)] * (p[i] - p[j])).sum();
            let dirichlet = f64::from(cpu.method.fields.dirichlet[i]) * p[i];
            let left = f64::from(sums[i].divergence) + rate * (flux + dirichlet);
            let scale = rate * cpu.b().norm();
            assert!(left.abs() < 1e-5 * scale, "{i}: {left} of {scale}");
        }
    }
    in_dimension::<2>();
    in_dimension::<3>();
}

/// `pᵀ D v = −⟨G⁺ p, v⟩/d` without walls and tension.
#[test]
fn the_sum_gradient_is_the_adjoint_of_the_divergence() {
    fn in_dimension<const D: usize>() {
        let (mut s, mut state) = disordered::<D>(false, 0.25, "");
        let mut cpu = assembled(&mut s, &mut state);
        let n = cpu.state.fluid.len();
        let p: Vec<Real> = (0..n).map(|i| (1.0 + (1.3 * i as f64).sin()) as Real).collect();
        let (mut pdv, mut size) = (0.0, 0.0);
        for i in 0..n {
            let term = f64::from(p[i]) * f64::from(cpu.method.fields.sums[i].divergence);
            (pdv, size) = (pdv + term, size + term.abs());
        }
        cpu.method.fields.p.copy_from_slice(&p);
        assert!(cpu.pack_pressures().place().is_none());
        let before = cpu.state.fluid.v.clone();
        cpu.project(1.0);
        // Δv = −dt/ρ₀ G⁺ p.
        let gpv: f64 = (0..n)
            .flat_map(|i| (0..D).map(move |a| (a, i)))
            .map(|(a, i)| -f64::from(cpu.state.fluid.v[a][i] - before[a][i]) * f64::from(before[a][i]))
            .sum();
        assert!((pdv + gpv / D as f64).abs() < 100.0 * EPSILON * size, "{pdv} {}", -gpv / D as f64);
    }
    in_dimension::<2>();
    in_dimension::<3>();
}

/// On a lattice `−A p` of `p = |x|²/2` is 1 and `D v` of `v = x` is 1 inside of the fluid, both over d times d.
#[test]
fn laplacian_and_divergence_are_exact_on_a_lattice() {
    fn in_dimension<const D: usize>() {
        // The floor gives all of them the same α.
        let (mut s, mut state) = disordered::<D>(false, 0.0, "surface_asymmetry = 0.0");
        for a in 0..D {
            state.fluid.v[a] = state.fluid.x[a].clone();
        }
        let mut cpu = assembled(&mut s, &mut state);
        let fluid = &cpu.state.fluid;
        let center = if D == 2 { 7.0 } else { 3.0 };
        let p: Vec<f64> = (0..fluid.len())
            .map(|i| 0.5 * fluid.position(i).map(|x| (f64::from(x) - center).powi(2)).iter().sum::<f64>())
            .collect();
        let inside =
            |i: &usize| fluid.position(*i).iter().all(|&x| (f64::from(x) - center).abs() < center - 2.4);
        let inner: Vec<usize> = (0..fluid.len()).filter(inside).collect();
        assert!(!inner.is_empty());
        let (a, sums) = (dense(&cpu), &cpu.method.fields.sums);
        for &i in &inner {
            let ap: f64 = (0..p.len()).map(|j| a[(i, j)] * p[j]).sum();
            assert!((ap + 1.0).abs() < 1e-4, "{ap}");
            assert!((f64::from(sums[i].divergence) - 1.0).abs() < 1e-4, "{}", sums[i].divergence);
        }
        assert!(cpu.phases().solve_pressure().is_ok());
    }
    in_dimension::<2>();
    in_dimension::<3>();
}

/// A full domain has no surface: constants are in the null space, and the right-hand side adds up to 0.
#[test]
fn a_full_domain_has_a_compatible_equation() {
    let (mut s, mut state) = in_flow::<2>("closed", true, 0.25, "");
    let mut cpu = assembled(&mut s, &mut state);
    let (a, b) = (dense(&cpu), cpu.b());
    assert!(b.sum().abs() < 1e2 * EPSILON * b.abs().sum(), "{}", b.sum());
    let eigenvalues = a.clone().symmetric_eigenvalues();
    assert!(eigenvalues.min().abs() < 100.0 * EPSILON * eigenvalues.max());
    cpu.phases().solve_pressure().unwrap();
    let p = vector(&cpu.method.fields.p);
    assert!(p.min() == 0.0, "the least pressure is not 0: {}", p.min());
    assert!((&a * &p - &b).norm() < 1e-4 * b.norm());
    // Multigrid must not make a constant of what rounding leaves of the sum of a residual: it would drown the directions.
    let (_, outcome, iterations) = cpu.iterate(1000, 16.0 * EPSILON);
    assert_eq!(outcome, Outcome::Converged, "after {iterations} iterations");
}

/// Twice as many particles across make twice as many iterations with the diagonal, and hardly more with levels.
#[test]
fn iterations_grow_with_the_number_of_particles_across_unless_there_are_levels() {
    let iterations = |n: usize, preconditioner: &str| {
        let text = format!(
            "dim = 2\nspacing = {:?}\nrun.end_time = 1.0\n[[fluid]]\njitter = 0.1\nshape.block = {{ min = [0.0, 0.0], \
             max = [1.0, 1.0] }}\n[[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.5] }}\n\
             faces = [\"x_min\", \"x_max\", \"y_min\"]\nlayers = 3\n[solver]\nname = \"projection\"\n\
             preconditioner = \"{preconditioner}\"\n",
            1.0 / n as f64
        );
        let scene = Scene::parse("test.toml", &text).unwrap();
        let (mut state, mut s) = Projection::<2>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
        let mut cpu = Cpu::new(&mut s, &mut state);
        cpu.phases().move_walls(DT).unwrap();
        cpu.phases().apply_forces(DT).unwrap();
        assemble(cpu.phases());
        cpu.phases().build_right_hand_side(DT).unwrap();
        f64::from(cpu.iterate(10_000, 1e-5).2)
    };
    let power = |preconditioner| {
        let (few, many) = (iterations(16, preconditioner), iterations(64, preconditioner));
        (many / few).ln() / 4.0_f64.ln()
    };
    let (diagonal, multilevel) = (power("diagonal"), power("multilevel"));
    assert!((diagonal - 1.0).abs() < 0.25, "{diagonal}");
    assert!(multilevel < 0.25, "{multilevel}");
}
