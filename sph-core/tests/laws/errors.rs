//! What an error says.

use sph_core::error::Error;

#[test]
fn names_place_key_value_range_and_hint() {
    let error = Error::range("run.threads", 0, "[1, 1024]").unit("-").hint("leave it out for all");
    assert_eq!(error.to_string(), "run.threads = 0: must lie in [1, 1024] [-]; leave it out for all");
    let error = error.at("a.toml", 3, 5);
    assert_eq!((error.file(), error.line(), error.column()), (Some("a.toml"), Some(3), Some(5)));
    assert!(error.to_string().starts_with("a.toml:3:5: run.threads = 0: "));
}

#[test]
fn prints_no_empty_parts() {
    assert_eq!(Error::new("not a checkpoint").to_string(), "not a checkpoint");
    assert_eq!(Error::new("too short").in_file("x.bin").to_string(), "x.bin: too short");
}
