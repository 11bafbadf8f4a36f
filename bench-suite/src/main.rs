//! The `sph` command.
fn main() {}
