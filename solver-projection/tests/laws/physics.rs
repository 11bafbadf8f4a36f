//! Special points of the formulas.
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use solver_projection::params::WeightForm;
use solver_projection::physics::*;
use sph_core::{Real, geometry::lattice};

fn quartic(clamp: Real) -> Weight {
    Weight::new(WeightForm::MpsQuartic, 0.5, clamp)
}

#[test]
fn lattice_sums_are_those_of_the_reference() {
    let at = |sums: LatticeSums, alpha: f64, diagonal: f64| {
        assert!((sums.alpha / alpha - 1.0).abs() < 1e-4, "{sums:?}");
        assert!((sums.diagonal_h2 / diagonal - 1.0).abs() < 1e-4, "{sums:?}");
    };
    at(LatticeSums::new::<2>(quartic(0.4), 2.5), 12.730, 6.735);
    at(LatticeSums::new::<2>(quartic(0.3), 2.5), 12.730, 6.735);
    at(LatticeSums::new::<3>(quartic(0.4), 2.5), 36.838, 5.501);
}

#[test]
fn weights_share_the_clamped_distance_and_vanish_at_h() {
    let others = [(WeightForm::Spiky, 0.3), (WeightForm::Wendland, 0.0)];
    let others = others.map(|(form, clamp)| Weight::new(form, 0.5, clamp));
    for weight in [quartic(0.4), quartic(0.3)].into_iter().chain(others) {
        for q in [0.05, 0.2, 0.35, 0.7, 0.95] {
            let r = 0.5 * q;
            let at = weight.at::<f64>(r * r);
            let r_c = r.max(1.0 / f64::from(weight.inv_clamp));
            assert!((at.w1 * r_c / at.w - 1.0).abs() < 1e-6 && (at.w2 * r_c / at.w1 - 1.0).abs() < 1e-6);
        }
        for r2 in [0.25, 0.3, 3e30] {
            let at = weight.at::<Real>(r2);
            assert_eq!((at.w, at.w1, at.w2), (0.0, 0.0, 0.0), "{weight:?} {r2}");
        }
        let none = weight.at::<Real>(0.0);
        assert!(none.inv_r.is_finite() && none.w2.is_finite(), "coincident particles");
    }
}

/// Viscosity of a shear along the axes over what it should be, on the lattice: `d (d + 2) ⟨n_x² n_y²⟩`, weighed by `a w² r²`.
fn shear_viscosity<const D: usize>(eta: f64, weight: impl Fn(f64) -> f64) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    lattice::for_each_site::<D>(eta, |site| {
        let r2 = site.iter().map(|c| c * c).sum::<f64>();
        if r2 > 0.0 {
            let weight = weight((0.5 / eta).powi(2) * r2);
            (sum, all) = (sum + weight * (site[0] * site[1] / r2).powi(2), all + weight);
        }
    });
    (D * (D + 2)) as f64 * sum / all
}

/// The weight of the viscosity along lines of centers makes lattices as viscous along their axes as they should be. Others do not.
#[test]
fn central_weights_make_lattices_isotropic() {
    for (eta, bound) in [(2.5, 0.02), (2.75, 0.025), (3.0, 0.025), (3.25, 0.01), (3.5, 0.01), (4.0, 0.01)] {
        let central = |r2: f64| quartic(0.3).central::<f64>(r2).w;
        for found in [shear_viscosity::<2>(eta, central), shear_viscosity::<3>(eta, central)] {
            assert!((found - 1.0).abs() < bound, "{eta}: {found}");
        }
    }
    let usual = shear_viscosity::<2>(2.5, |r2| quartic(0.3).at::<f64>(r2).w);
    assert!((usual - 0.854).abs() < 1e-3, "{usual}");
    let none = quartic(0.3).central::<Real>(0.0);
    assert!(none.inv_r.is_finite() && (none.w, none.w2) == (0.0, 0.0), "coincident particles");
    let near = Weight::new(WeightForm::MpsQuartic, 1e-3, 0.3).central::<f64>(1e-12).inv_r;
    assert!((near / 1e6 - 1.0).abs() < 1e-6, "a thousandth of a small support: {near}");
    let far = quartic(0.3).central::<Real>(3e30);
    assert_eq!((far.w, far.w2), (0.0, 0.0));
    let at = quartic(0.3).central::<f64>(0.09);
    assert!((at.w / at.w2 / 0.09 - 1.0).abs() < 1e-6 && (at.w - 0.6_f64.powi(4) * 0.064).abs() < 1e-6);
}

#[test]
fn walls_feel_what_comes_and_a_part_of_what_leaves() {
    let felt = |u: [f64; 2]| against_wall(u, [0.0, 1.0], 0.25, 0.5);
    assert_eq!(felt([2.0, -3.0]), [0.5, -3.0]);
    assert_eq!(felt([2.0, 3.0]), [0.5, 1.5]);
}

#[test]
fn walls_push_what_stays_and_a_part_of_what_leaves() {
    let held = |u_n: f64| Parting { separation: 0.25, speed: 2.0 }.held([7.0, u_n], [0.0, 1.0]);
    assert_eq!([-5.0, 0.0, 2.0, 3.0, 4.0, 100.0].map(held), [1.0, 1.0, 1.0, 0.625, 0.25, 0.25]);
}

#[test]
fn the_surface_lacks_what_is_missing_of_the_full_diagonal() {
    let surface = FreeSurface {
        reference: 2.0,
        threshold: 0.9,
        asymmetry: 0.15,
        at_wall: 1.5,
        spray: 0.5,
        by_asymmetry: false,
    };
    assert!(surface.holds(1.5, 1.0, 0.3, false));
    assert!(!surface.holds(1.5, 1.0, 0.1, false), "a hole in the midst of the fluid");
    assert!(surface.holds(0.5, 1.0, 0.0, false), "spray");
    assert!(
        surface.holds(1.5, 0.4, 0.0, false),
        "a close cluster in flight has a diagonal, but few neighbors"
    );
    assert!(!FreeSurface { spray: 0.0, ..surface }.holds(1.5, 0.4, 0.0, false), "beside a container");
    assert!(!surface.holds(1.9, 1.0, 0.3, false) && surface.holds(1.9, 1.0, 0.3, true));
    assert!(FreeSurface { asymmetry: 0.0, ..surface }.holds(1.5, 1.0, 0.0, false), "flag is off");
    assert_eq!(surface.counted(0.3, 1.9), 1.9);
    assert_eq!(surface.counted(0.1, 1.9), 0.1, "walls do not hold a lone particle");
    let alone = FreeSurface { by_asymmetry: true, ..surface };
    assert!(alone.holds(2.5, 1.0, 0.3, false) && !alone.holds(1.5, 1.0, 0.1, false), "asymmetry alone");
    assert_eq!(surface.missing(1.5, 1.0, false), 0.5);
    assert_eq!(surface.missing(1.9, 1.0, true), 3.0 - 1.9 as Real);
    assert_eq!(surface.missing(2.5, 1.0, false), 0.0);
    assert_eq!(
        surface.missing(2.5, 0.25, false),
        1.5,
        "a close cluster has a full diagonal, and no other surface"
    );
    assert_eq!(
        [of_void::<2>(2.0, 9.0, 5.9), of_void::<3>(2.0, 9.0, 5.9), of_void::<3>(2.0, 9.0, 6.1)],
        [18.0, 27.0, 0.0]
    );
}

#[test]
fn beside_a_plane_wall_the_fluid_makes_up_for_what_ghosts_leave_out() {
    // On a lattice whose half z < 0 is wall: Σ_F w n_x²/α + E Σ_F w n_x² is 1/d again, and nothing is added across.
    let (weight, dx) = (quartic(0.4), 0.2_f64);
    let (mut alpha, mut fluid, mut g) = (0.0, 0.0, [0.0; 6]);
    lattice::for_each_site::<3>(2.5, |site| {
        let x: [f64; 3] = site.map(|c| -c * dx);
        let r2 = dot(x, x);
        if r2 > 0.0 {
            let at = weight.at::<f64>(r2);
            alpha += at.w;
            let n = x.map(|x| x * at.inv_r);
            if site[2] < 0.0 {
                let term = WallCorrection::of_ghost(n, [0.0, 0.0, 1.0]);
                (0..6).for_each(|t| g[t] += at.w * term.0[t]);
            } else {
                fluid += at.w * n[0] * n[0];
            }
        }
    });
    let g = WallCorrection(g.map(|g| g as Real));
    let share = f64::from(correction_scale::<3>(g, alpha as Real, (1.0 / alpha) as Real));
    let e = WallCorrection(g.0.map(|g| f64::from(g) * share));
    let [x, y, z] = e.times([1.0, 0.0, 0.0]);
    assert!((fluid / alpha + x * fluid - 1.0 / 3.0).abs() < 1e-5, "{x} {fluid} {alpha}");
    assert!(
        y.abs() < 1e-7 && z.abs() < 1e-7 && e.times([0.0, 0.0, 1.0]).map(f64::abs).iter().sum::<f64>() < 1e-7
    );
}

/// `G = g (1 − n nᵀ)` of a plane wall gives the same scale for every normal n.
#[test]
fn the_correction_does_not_depend_on_the_direction_of_a_wall() {
    const PLACES: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    let scale = |n: [Real; 3]| {
        let term = |(a, b)| 0.1 * (Real::from(u8::from(a == b)) - n[a] * n[b]);
        correction_scale::<3>(WallCorrection(PLACES.map(term)), 1.0, 1.0)
    };
    let flat = scale([0.0, 0.0, 1.0]);
    assert!((flat - 3.0 / 0.7).abs() < 1e-5, "{flat}");
    for n in [[2.0, 1.0, 2.0], [-1.0, 2.0, 2.0], [2.0, -2.0, 1.0], [0.0, 1.8, -2.4]] {
        assert!((scale(n.map(|n: Real| n / 3.0)) / flat - 1.0).abs() < 1e-5, "{n:?}");
    }
}

#[test]
fn a_lack_of_density_counts_inside_of_the_fluid_alone() {
    let (more, less, far) = (0.3 as Real, -0.03 as Real, -0.2 as Real);
    assert_eq!((density_error(more, true), density_error(more, false)), (more, more));
    assert_eq!((density_error(less, true), density_error(less, false)), (less, 0.0));
    assert_eq!(density_error(far, true), LACK);
    assert!(density_error(Real::NAN, true).is_nan());
}

#[test]
fn a_linear_velocity_is_mirrored_on_the_wall() {
    // v = 3 d: half a spacing before and one and a half behind.
    let (before, depth) = (0.05_f64, 0.15);
    let jump = 3.0 * before * mirrored(before, depth, 0.01);
    assert!((jump - 3.0 * (before + depth)).abs() < 1e-12);
    assert!((mirrored(-1.0_f64, depth, 0.01) - 16.0).abs() < 1e-9);
}
