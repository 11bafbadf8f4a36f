//! Exit codes beside 0.

/// Of a run that stopped, or of a validation that missed a band.
pub const FAILED: u8 = 1;
/// Of bad input: nothing was run or written.
pub const REFUSED: u8 = 2;
