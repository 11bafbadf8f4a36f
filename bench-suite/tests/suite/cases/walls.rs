use bench_suite::cases::{Case, walls::*};
use sph_core::scene::Scene;

#[test]
fn twelve_scenes_can_be_read_and_leave_the_method_its_defaults() {
    assert_eq!(SCENES.len(), 12);
    for case in SCENES {
        let scene = Scene::parse(case.name, case.text).unwrap();
        let settings: toml::Table = case.text.parse().unwrap();
        let keys: Vec<_> = settings["solver"].as_table().unwrap().keys().map(String::as_str).collect();
        assert!(keys.iter().all(|key| ["name", "sound_speed"].contains(key)), "{}: {keys:?}", case.name);
        assert_eq!(case.scene(case.resolution()), scene, "{}", case.name);
    }
    let files = std::fs::read_dir(bench_suite::scenes::folder().join(GROUP)).unwrap().count();
    assert_eq!(files, SCENES.len(), "a scene file is not listed");
}
