use bench_suite::studies::device_check::scenes::*;
use sph_core::scene::Scene;
use std::collections::BTreeSet;

#[test]
fn all_scenes_are_scenes() {
    for text in rounds()
        .flatten()
        .flat_map(|sample| [sample.text(), sample.tiny().text(), sample.beside_emulator(false).text()])
    {
        let scene = Scene::parse("check.toml", &text).unwrap();
        assert!(scene.estimate().unwrap().fluid >= 36.0);
    }
    for (name, _) in SITUATIONS {
        for solver in ["wcsph", "pbf", "viscoelastic", "projection"] {
            let scene = Scene::parse("check.toml", &situation(solver, "", name, 8)).unwrap();
            assert_eq!(scene.estimate().unwrap().fluid, 4.0 * 512.0, "{name}");
        }
    }
}

#[test]
fn every_method_has_its_turn_in_3d_before_any_has_a_second() {
    let first = rounds().next().unwrap();
    let methods: BTreeSet<_> = first.iter().map(|sample| sample.solver).collect();
    assert_eq!((first.len(), methods.len()), (4, 4));
    let dims: Vec<_> = rounds().flatten().map(|sample| sample.dim).collect();
    assert!(dims.is_sorted_by(|a, b| a >= b), "{dims:?}");
}
