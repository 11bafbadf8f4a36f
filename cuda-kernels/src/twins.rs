//! The structs that formulas share with the host, for the test that compares their layouts with those of C++.

include!(concat!(env!("OUT_DIR"), "/twins.rs"));
