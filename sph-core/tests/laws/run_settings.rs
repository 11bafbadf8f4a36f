//! What a run is set to.

use sph_core::{run::method::DT_MIN, scene::Run};

#[test]
fn a_run_made_in_code_has_the_defaults_of_one_in_a_file() {
    assert_eq!(toml::from_str::<Run>("end_time = 2.0").unwrap(), Run::until(2.0));
}

#[test]
fn a_fixed_step_is_no_smaller_than_a_run_may_fall_to() {
    let key = Run::PARAMETERS.iter().find(|key| key.name == "time_step").expect("a key of the run");
    assert_eq!(key.bounds().map(|range| range.low()), Some((DT_MIN, false)));
}
