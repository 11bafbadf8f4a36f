//! Accelerations, walls and what they get.

use super::{Axes, C_0, Case, RHO_0, Sum, around, at, call, dot, in_all_cases, noise, packed};
use cuda_kernels::{
    common::{
        boundary::walls::{LOADED, NO_SLIP},
        numerics::{Sets, fields::Packed},
        search::cells::CellSort,
    },
    device::executor::{Executor, Field},
    wcsph::{Constants, Launcher, Walls, viscosity, wall},
};
use sph_core::{Real, kernel::Kernel as _, numerics::lane::each};

/// Everything the momentum loop reads.
struct Loaded<const D: usize> {
    cells: CellSort<D>,
    wall_cells: CellSort<D>,
    /// p/ρ² of particles and of samples.
    p_rho2: [Field<Real>; 2],
    wall_rho: Field<Real>,
    psi: Field<Real>,
    psi_no_slip: Field<Real>,
}

impl<const D: usize> Loaded<D> {
    fn new(case: &Case<D>, executor: &dyn Executor) -> Self {
        let numbers = |n, seed, scale: Real| noise(n, seed).iter().map(|u| scale * u).collect::<Field<_>>();
        let psi = case.psi();
        Self {
            cells: case.cells(executor, &case.x),
            wall_cells: case.cells(executor, &case.wall_x),
            p_rho2: [numbers(case.n(), 31, 0.01 * C_0), numbers(case.n_walls(), 32, 0.01 * C_0)],
            wall_rho: numbers(case.n_walls(), 33, 10.0).iter().map(|u| RHO_0 + u).collect(),
            psi_no_slip: psi.iter().enumerate().map(|(b, psi)| if b % 3 == 0 { 0.0 } else { *psi }).collect(),
            psi,
        }
    }

    fn mass(&self) -> Field<Packed> {
        self.psi
            .iter()
            .zip(&self.psi_no_slip)
            .map(|(&psi, &no_slip)| Packed([psi, no_slip, 0.0, 0.0]))
            .collect()
    }
}

/// Viscous factors by the formula of the CUDA source, which is that of Rust.
fn factors<const D: usize>(
    c: &Constants<D>,
    x_ij: [Real; D],
    v_ij: [Real; D],
    [r2, f, rho_i, rho_j]: [Real; 4],
) -> [Real; 2] {
    let (model, numbers) = match c.viscosity {
        viscosity::MONAGHAN => ("Monaghan", field![c.monaghan.alpha_h_c]),
        viscosity::MORRIS => ("Morris", field![c.morris.mu]),
        _ => ("Solenoidal", field![c.solenoidal.mu]),
    };
    let input = [&x_ij[..], &v_ij, &[r2, f, rho_i, rho_j, c.softening], &numbers].concat();
    let found = call::<D>(&format!("{model}::factors"), &input);
    [found[0], found[1]]
}

/// What a particle feels of walls: `max(p, 0)`, mirrored, or as it is.
fn pressure_term<const D: usize>(c: &Constants<D>, p_rho2: Real, rho: Real) -> Real {
    match c.wall {
        wall::DUMMY_TENSILE => p_rho2,
        wall::MIRRORED => p_rho2.max(0.0) * (1.0 + (rho / RHO_0) * (rho / RHO_0)),
        _ => p_rho2.max(0.0),
    }
}

/// Acceleration by all pairs: a sum for each axis.
fn expected<const D: usize>(case: &Case<D>, c: &Constants<D>, of: &Loaded<D>, i: usize) -> [Sum<1>; D] {
    let (k, x_i, v_i, rho_i) = (case.kernel, at(&case.x, i), at(&case.v, i), case.rho[i]);
    let p_i = of.p_rho2[0][i];
    let inner = case.sum(x_i, Some(i), &case.x, |j, x_ij, r2| {
        let (f, v_j) = (k.grad_factor(r2), at(&case.v, j));
        let v_ij: [Real; D] = each(|a| v_i[a] - v_j[a]);
        let [along_x, along_v] = factors(c, x_ij, v_ij, [r2, f, rho_i, case.rho[j]]);
        let radial = -(c.m * (p_i + of.p_rho2[0][j]) * f) + c.m * along_x;
        std::array::from_fn::<_, 3, _>(
            |a| if a < D { radial * x_ij[a] + c.m * along_v * v_ij[a] } else { 0.0 },
        )
    });
    let p_i = pressure_term(c, p_i, rho_i);
    let outer = case.sum(x_i, None, &case.wall_x, |b, x_ib, r2| {
        let (f, v_b) = (k.grad_factor(r2), at(&case.wall_v, b));
        let v_ib: [Real; D] = each(|a| v_i[a] - v_b[a]);
        let [along_x, along_v] = factors(c, x_ib, v_ib, [r2, f, rho_i, of.wall_rho[b]]);
        let contact = call::<D>("Contact::factor", &[c.contact.stiffness, c.contact.reach, r2])[0];
        let (psi, psi_no_slip) = (of.psi[b], of.psi_no_slip[b]);
        let radial = -(psi * (p_i + of.p_rho2[1][b]) * f) + psi_no_slip * along_x + contact;
        std::array::from_fn(|a| if a < D { radial * x_ib[a] + psi_no_slip * along_v * v_ib[a] } else { 0.0 })
    });
    let sum = inner.plus(1.0, outer);
    std::array::from_fn(|a| {
        let force = c.forces.gravity[a] - 0.7 * 0.7 * (x_i[a] - 0.5);
        // A term is a sum of some that may cancel: pressure, viscosity, contact.
        Sum { value: [sum.value[a] + f64::from(force)], size: [10.0 * sum.size[a] + 10.0] }
    })
}

pub fn acceleration<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, of) = (case.n(), Loaded::new(case, executor));
    let (place, motion) = (packed(&case.x, &of.p_rho2[0]), packed(&case.v, &case.rho));
    let (wall_place, wall_motion) = (packed(&case.wall_x, &of.p_rho2[1]), packed(&case.wall_v, &of.wall_rho));
    let mass = of.mass();
    for (viscosity, wall) in [(0, 0), (1, 1), (2, 2)] {
        let c = Constants { viscosity, wall, ..case.constants };
        let launcher = Launcher { executor, constants: &c, smoothing: case.smoothing };
        let fluid = around(&of.cells, &place);
        let near = &around(&of.wall_cells, &wall_place);
        let mut a: Axes<D> = std::array::from_fn(|_| field![0.0; n]);
        launcher
            .acceleration(&fluid, &motion, Walls { near, motion: &wall_motion, mass: &mass }, n, &mut a)
            .unwrap();
        for i in 0..n {
            for (axis, sum) in expected(case, &c, &of, i).into_iter().enumerate() {
                sum.check([a[axis][i]], "acceleration", i);
            }
        }
    }
}

#[test]
fn accelerations_are_those_of_all_pairs_for_every_viscosity_and_wall() {
    in_all_cases(acceleration, acceleration);
}

/// What walls do to the fluid, they feel.
pub fn reaction<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, n_walls, of) = (case.n(), case.n_walls(), Loaded::new(case, executor));
    let (place, motion) = (packed(&case.x, &of.p_rho2[0]), packed(&case.v, &case.rho));
    let (wall_place, wall_motion) = (packed(&case.wall_x, &of.p_rho2[1]), packed(&case.wall_v, &of.wall_rho));
    for (viscosity, wall) in [(0, 0), (1, 1), (2, 2)] {
        let mut c = Constants { viscosity, wall, ..case.constants };
        let fluid = around(&of.cells, &place);
        let near = &around(&of.wall_cells, &wall_place);
        let (mut with, mut force): (Axes<D>, Axes<D>) =
            (std::array::from_fn(|_| field![0.0; n]), std::array::from_fn(|_| field![1.0; n_walls]));
        let (flags, body) = (field![LOADED], field![0; n_walls]);
        let sets = Sets { flags: &flags, body: &body };
        let mass = of.mass();
        let launcher = Launcher { executor, constants: &c, smoothing: case.smoothing };
        let walls = || Walls { near, motion: &wall_motion, mass: &mass };
        launcher.acceleration(&fluid, &motion, walls(), n, &mut with).unwrap();
        launcher.reaction(&fluid, &motion, walls(), sets, n_walls, &mut force).unwrap();
        let mut without: Axes<D> = std::array::from_fn(|_| field![0.0; n]);
        // Walls without mass and contact.
        c.contact.stiffness = 0.0;
        let nothing = field![Packed::default(); n_walls];
        let launcher = Launcher { executor, constants: &c, smoothing: case.smoothing };
        let weightless = Walls { near, motion: &wall_motion, mass: &nothing };
        launcher.acceleration(&fluid, &motion, weightless, n, &mut without).unwrap();
        for a in 0..D {
            let m = f64::from(c.m);
            let on_fluid: f64 = (0..n).map(|i| m * f64::from(with[a][i] - without[a][i])).sum();
            let size: f64 = (0..n).map(|i| m * f64::from(with[a][i].abs() + without[a][i].abs())).sum();
            let on_walls: f64 = force[a].iter().map(|&f| f64::from(f)).sum();
            assert!(
                (on_fluid + on_walls).abs() <= 400.0 * f64::from(Real::EPSILON) * size,
                "{on_fluid} {on_walls}"
            );
        }
        let launcher = Launcher { executor, constants: &c, smoothing: case.smoothing };
        let at_rest = field![0];
        let sets = Sets { flags: &at_rest, body: &body };
        launcher.reaction(&fluid, &motion, walls(), sets, n_walls, &mut force).unwrap();
        assert!(force.iter().flatten().all(|f| *f == 0.0), "samples of no body get nothing");
    }
}

#[test]
fn bodies_feel_the_opposite_of_what_the_fluid_gets() {
    in_all_cases(reaction, reaction);
}

pub fn extrapolation<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n_walls, k, c) = (case.n_walls(), case.kernel, &case.constants);
    let of = Loaded::new(case, executor);
    let (place, motion) = (packed(&case.x, &of.p_rho2[0]), packed(&case.v, &case.rho));
    let fluid = around(&of.cells, &place);
    let a: Axes<D> = std::array::from_fn(|a| noise(n_walls, 90 + a as u64));
    let nothing = || field![0.0; n_walls];
    let mut out =
        Extrapolated { p: nothing(), v: std::array::from_fn(|_| nothing()), found: field![7; n_walls] };
    let launcher = Launcher { executor, constants: c, smoothing: case.smoothing };
    launcher
        .extrapolate(&fluid, &motion, &case.wall_x, &a, n_walls, &mut out.p, &mut out.v, &mut out.found)
        .unwrap();
    for b in 0..n_walls {
        let weight: [Real; D] = each(|k| c.forces.gravity[k] - a[k][b]);
        let sum = case.sum(at(&case.wall_x, b), None, &case.x, |f, x_bf, r2| {
            let (w, rho) = (k.w(r2), case.rho[f]);
            let mut terms = [w, of.p_rho2[0][f] * rho * rho * w + rho * dot(weight, x_bf) * w, 0.0, 0.0, 0.0];
            for a in 0..D {
                terms[2 + a] = case.v[a][f] * w;
            }
            terms
        });
        let [w, values @ ..] = sum.value;
        assert_eq!(out.found[b], u32::from(w > 0.0));
        let found: [Real; 4] = each(|m| match m {
            0 => out.p[b],
            m if m <= D => out.v[m - 1][b],
            _ => 0.0,
        });
        let [_, sizes @ ..] = sum.size;
        // Pressure is a sum of two that may cancel, divided by a sum.
        let over = |numbers: [f64; 4], by: f64| numbers.map(|x| if w > 0.0 { by * x / w } else { 0.0 });
        Sum { value: over(values, 1.0), size: over(sizes, 10.0) }.check(found, "extrapolation", b);
    }
    pack_walls(case, &of, &out, &launcher);
}

/// What dummy walls take from the fluid.
struct Extrapolated<const D: usize> {
    p: Field<Real>,
    v: Axes<D>,
    found: Field<u32>,
}

/// The records that follow from it, number by number.
fn pack_walls<const D: usize>(
    case: &Case<D>,
    of: &Loaded<D>,
    out: &Extrapolated<D>,
    launcher: &Launcher<'_, D>,
) {
    let n = case.n_walls();
    let volume: Field<Real> = of.psi.iter().map(|psi| psi / RHO_0).collect();
    let records = || field![Packed::default(); n];
    let (mut samples, mut place, mut motion, mut mass) = (records(), records(), records(), records());
    launcher.pack_samples(&case.wall_x, &volume, n, &mut samples).unwrap();
    let psi: Field<Real> = volume.iter().map(|v| RHO_0 * v).collect();
    assert_eq!(samples, packed(&case.wall_x, &psi));
    let (flags, body): (_, Field<u16>) = (field![0, NO_SLIP], (0..n).map(|b| (b % 2) as u16).collect());
    let sets = Sets { flags: &flags, body: &body };
    for wall in [wall::MIRRORED, wall::DUMMY, wall::DUMMY_TENSILE] {
        let c = Constants { wall, ..*launcher.constants };
        let launcher = Launcher { constants: &c, ..*launcher };
        launcher
            .pack_walls(
                &samples,
                &case.wall_v,
                sets,
                &out.p,
                &out.v,
                &out.found,
                n,
                &mut place,
                &mut motion,
                &mut mass,
            )
            .unwrap();
        let dummy = wall != wall::MIRRORED;
        let pressure = |p: &Real| match wall {
            wall::MIRRORED => 0.0,
            wall::DUMMY => p.max(0.0),
            _ => *p,
        };
        let p: Field<Real> = out.p.iter().map(pressure).collect();
        let density = |p| call::<D>("density_of_pressure", &[0.0, c.eos.b, p, RHO_0])[0];
        let rho: Field<Real> = p.iter().map(|&p| if dummy { density(p) } else { RHO_0 }).collect();
        let p_rho2: Field<Real> = p.iter().zip(&rho).map(|(p, rho)| p / (rho * rho)).collect();
        let mirrored: Axes<D> = std::array::from_fn(|a| {
            let near = |b: usize| dummy && out.found[b] != 0;
            let v = &case.wall_v[a];
            (0..n).map(|b| if near(b) { 2.0 * v[b] - out.v[a][b] } else { v[b] }).collect()
        });
        assert_eq!((&place, &motion), (&packed(&case.wall_x, &p_rho2), &packed(&mirrored, &rho)));
        let expected: Vec<_> =
            (0..n).map(|b| Packed([psi[b], psi[b] * Real::from(body[b]), 0.0, 0.0])).collect();
        assert_eq!(mass, expected);
    }
}

#[test]
fn dummy_walls_have_the_pressure_and_velocity_of_the_fluid_in_reach() {
    in_all_cases(extrapolation, extrapolation);
}
