use bench_suite::cases::taylor_green::*;
use sph_core::scene::{TaylorGreen, VelocityField};

#[test]
fn the_metric_and_the_scene_mean_the_same_vortex() {
    let field = VelocityField::TaylorGreen(TaylorGreen { speed: 1.0, length: 1.0 });
    for (x, y) in [(0.1, 0.7), (0.33, 0.21), (0.95, 0.5)] {
        let (ours, theirs) = (velocity(&[x, y, 0.0]), field.at(&[x, y]));
        assert!((ours[0] - theirs[0]).abs() < 1e-12 && (ours[1] - theirs[1]).abs() < 1e-12);
    }
}
