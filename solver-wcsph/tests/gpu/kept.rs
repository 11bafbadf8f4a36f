//! How long rows of neighbors serve.

use cuda_kernels::{common::run::summary::Summary, device::compile::variant::Walk};
use solver_wcsph::gpu::kept::Travel;

/// The fastest particle of velocity Verlet, in steps of changing size, with corrections along its way.
#[test]
fn rows_are_over_before_a_particle_has_crossed_half_a_skin() {
    let (support, correction, a) = (0.3, 1e-3, 4.0);
    let mut travel = Travel::new(support, correction, true);
    let half_skin = 0.5 * f64::from(Walk::SKIN * support);
    let (mut v, mut moved, mut kept, mut listed) = (0.0_f64, 0.0, 0, 0);
    for step in 0..400 {
        let dt = 1e-3 * (1.0 + f64::from(step % 3));
        v += 0.5 * dt * a;
        moved += dt * v + f64::from(correction);
        travel.drift(dt);
        travel.settle();
        if travel.is_over() {
            (travel.since, moved, listed) = (0.0, 0.0, listed + 1);
        } else {
            kept += 1;
        }
        assert!(moved <= half_skin, "step {step}: {moved} m");
        v += 0.5 * dt * a;
        travel.learn(&Summary { v2: v * v, a2: a * a, ..Summary::default() });
    }
    assert!(listed > 10 && kept > listed, "{kept} steps kept, {listed} listed");
}

#[test]
fn what_has_no_bound_is_never_kept() {
    let still = Summary::default();
    let over = |mut travel: Travel, summary: &Summary| {
        travel.since = 0.0;
        travel.learn(summary);
        travel.drift(1e-3);
        travel.settle();
        travel.is_over()
    };
    assert!(Travel::new(0.3, 0.0, true).is_over());
    assert!(!over(Travel::new(0.3, 0.0, true), &still));
    assert!(over(Travel::new(0.3, 0.0, false), &still));
    assert!(over(Travel::new(0.3, 0.0, true), &Summary { v2: f64::NAN, ..still }));
}
