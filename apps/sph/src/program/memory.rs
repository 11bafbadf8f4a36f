//! What happens when memory cannot be had: the program says so, and ends as one whose work has failed.

use super::exit_code::FAILED;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    io::Write as _,
};

/// The allocator of the system, which never hands out nothing.
pub struct OrEnd;

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

/// A message that needs no memory itself. Destructors do not run: what was written lies in whole files, and the lock of a
/// folder is held by the system.
#[cold]
fn end(bytes: usize) -> ! {
    let said = writeln!(
        std::io::stderr(),
        "error: {bytes} bytes of memory more cannot be had; the program ends. Give fewer particles, or more memory; a run \
         with checkpoints goes on with --resume"
    );
    drop(said); // where it cannot be said, the code tells
    signal_hook::low_level::exit(i32::from(FAILED))
}

fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() { end(bytes) } else { memory }
}

// SAFETY: all calls go to the allocator of the system as they come, and its answers are handed on.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) };
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.realloc(memory, layout, bytes) }, bytes)
    }
}
