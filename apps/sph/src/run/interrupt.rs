//! Ctrl-C: the first asks the run to end, the second ends the program.

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

/// Exit code of an interrupted program, as shells expect it.
pub const INTERRUPTED: u8 = 130;

/// A flag that Ctrl-C, or a request to terminate, sets.
pub fn flag() -> io::Result<Arc<AtomicBool>> {
    let interrupt = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the second signal finds the flag set and ends the program at once.
        flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&interrupt))?;
        flag::register(signal, Arc::clone(&interrupt))?;
    }
    Ok(interrupt)
}
