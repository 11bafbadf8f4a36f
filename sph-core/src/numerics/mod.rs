//! Numbers: lanes of them, loops over them, fields, small vectors and small systems. The ground: imports no other
//! layer.

pub mod dimension;
pub mod field;
pub mod lane;
pub mod linear;
pub mod parallel;
pub mod vector;
