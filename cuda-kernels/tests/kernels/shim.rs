//! The shim finds the faults of kernels that are wrong on purpose.

use crate::ORDERS;
use cuda_kernels::device::{
    error::CudaError,
    executor::{Argument, Executor, Kernel, Launch},
};
use sph_core::Real;

fn launch(
    executor: &dyn Executor,
    name: &'static str,
    blocks: u32,
    threads: u32,
    arguments: &[Argument],
) -> Result<(), CudaError> {
    let launch =
        Launch { kernel: Kernel { file: "broken.cu", name }, dim: 2, smoothing: None, blocks, threads };
    // SAFETY: the tests below allocate what each kernel writes.
    unsafe { executor.launch(launch, arguments) }
}

#[test]
fn a_barrier_that_never_completes_is_told() {
    for executor in &ORDERS {
        let mut out = [0.0 as Real; 32];
        let to = out.as_mut_ptr();
        let error = launch(executor, "broken_barrier", 1, 32, &[Argument::of(&to)]).unwrap_err().to_string();
        assert!(
            error.contains("kernel broken_barrier failed: block (0,0,0): barrier that can never"),
            "{error}"
        );
        assert!(error.contains("16 at __syncthreads, 16 at a warp operation"), "{error}");
    }
}

#[test]
fn a_missing_barrier_shows_in_another_order() {
    let run = |executor: &dyn Executor| {
        let mut out = field![0.0 as Real; 4 * 64];
        let to = out.as_mut_ptr();
        launch(executor, "broken_race", 4, 64, &[Argument::of(&to)]).unwrap();
        out
    };
    assert_ne!(run(&ORDERS[0]), run(&ORDERS[1]));
}

#[test]
fn arguments_of_another_name_are_refused() {
    let mut out = [0.0 as Real; 32];
    let (to, n) = (out.as_mut_ptr(), 31_u32);
    let run = |name| {
        launch(&ORDERS[0], "broken_bounds", 1, 32, &[Argument::named(name, &to), Argument::named("n", &n)])
    };
    run("out").unwrap();
    let error = run("v").unwrap_err().to_string();
    assert_eq!(error, "kernel broken_bounds failed: `v` was passed for its parameter `out`");
}

#[test]
fn arguments_of_another_number_or_size_are_refused() {
    let mut out = [0.0 as Real; 32];
    let (to, short, long) = (out.as_mut_ptr(), 3_u16, 3_u64);
    let run = |arguments: &[Argument]| {
        launch(&ORDERS[0], "broken_bounds", 1, 1, arguments).unwrap_err().to_string()
    };
    assert!(run(&[Argument::of(&to)]).contains("1 arguments, the kernel takes 2"));
    for error in
        [run(&[Argument::of(&to), Argument::of(&short)]), run(&[Argument::of(&to), Argument::of(&long)])]
    {
        assert!(error.contains("argument 1 has") && error.contains("bytes, the kernel takes 4"), "{error}");
    }
}

#[test]
fn a_kernel_that_was_not_built_is_told() {
    let error = launch(&ORDERS[0], "no_such_kernel", 1, 1, &[]).unwrap_err();
    assert_eq!(error.to_string(), "kernel no_such_kernel failed: it was not built");
    let kernel = Kernel { file: "wcsph/phases.cu", name: "wcsph_pack" };
    let launch = Launch { kernel, dim: 2, smoothing: Some("Spiky"), blocks: 1, threads: 1 };
    // SAFETY: nothing is launched.
    let error = unsafe { ORDERS[0].launch(launch, &[]) }.unwrap_err();
    assert_eq!(error.to_string(), "kernel wcsph_pack failed: it was not built with Spiky");
}

/// Ends this process when the sanitizers watch; `scripts/sanitize_kernels` asks for that.
#[test]
#[ignore = "for AddressSanitizer to end"]
fn sanitizer_ends_at_a_write_out_of_bounds() {
    let mut out = field![0.0 as Real; 100];
    let (to, n) = (out.as_mut_ptr(), 100_u32);
    launch(&ORDERS[0], "broken_bounds", 1, 128, &[Argument::of(&to), Argument::of(&n)]).unwrap();
}

/// Ends this process when the sanitizers watch; `scripts/sanitize_kernels` asks for that.
#[test]
#[ignore = "for UndefinedBehaviorSanitizer to end"]
fn sanitizer_ends_at_an_overflow() {
    let mut out = vec![0_i32; 32];
    let to = out.as_mut_ptr();
    launch(&ORDERS[0], "broken_arithmetic", 1, 32, &[Argument::of(&to)]).unwrap();
}
