//! What a run is set to.

use sph_core::scene::Run;

#[test]
fn a_run_made_in_code_has_the_defaults_of_one_in_a_file() {
    assert_eq!(toml::from_str::<Run>("end_time = 2.0").unwrap(), Run::until(2.0));
}
