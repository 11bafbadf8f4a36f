//! What a child process does with a staged driver and compiler.

use cuda_kernels::{
    common::numerics::{
        fields::{self, Packed},
        reduce::Reduce,
    },
    device::{
        backend::Device,
        compile::{
            ahead::{self, Ahead},
            variant::Variant,
        },
        counts::{self, STAGED},
        error::CudaError,
        executor::{Executor, Field},
        gpu,
    },
};
use sph_core::Real;
use std::{env, path::Path};

/// Plays a scene; its answer, or `None` when there is no such scene.
pub fn play(scene: &str) -> Option<String> {
    let done = |result: Result<(), CudaError>| result.map_or_else(|e| e.to_string(), |()| "done".into());
    Some(match scene {
        "probe" => gpu::probe().map_or_else(|e| e.to_string(), |machine| machine.to_string()),
        "ahead" => compile_all_ahead().map_or_else(|e| e.to_string(), |ahead| ahead.files.to_string()),
        "work" => done(work()),
        "copies" => done(copies()),
        "pool" => done(pool()),
        "profile" => done(profile()),
        "dead" => dead().map_or_else(|e| e.to_string(), |answers| answers.join("\n")),
        _ => return None,
    })
}

fn open() -> Result<Device, CudaError> {
    Device::open(0, variant())
}

/// The operations of all executors.
fn of(device: &Device) -> &dyn Executor {
    device
}

fn variant() -> Variant {
    env::var("SPH_CUDA_VARIANT").unwrap_or_default().parse().unwrap()
}

/// Compiles all kernels of `SPH_ARCHITECTURES` into `SPH_FOLDER`.
fn compile_all_ahead() -> Result<Ahead, CudaError> {
    let of = |name| env::var(name).unwrap();
    let architectures: Vec<_> = of("SPH_ARCHITECTURES").split(' ').map(str::to_owned).collect();
    ahead::compile_ahead(Path::new(&of("SPH_FOLDER")), &architectures, &[variant()], &|_| ())
}

/// Two points, and what kernels write of them.
struct Things {
    x: [Field<Real>; 2],
    records: Field<Packed>,
    reduce: Reduce<2>,
    largest: Field<f64>,
}

impl Things {
    fn new(device: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self {
            x: [device.upload(&[1.0, 2.0])?, device.upload(&[3.0, 4.0])?],
            records: device.zeros(200)?,
            reduce: Reduce::new(device)?,
            largest: device.zeros(1)?,
        })
    }

    fn pack(&mut self, device: &dyn Executor) -> Result<(), CudaError> {
        fields::pack_positions(device, &self.x, 2, &mut self.records)
    }

    fn reduce(&mut self, device: &dyn Executor) -> Result<(), CudaError> {
        self.reduce.max(device, &self.x[0], 2, &mut self.largest)
    }
}

/// Uses all that a device has.
fn work() -> Result<(), CudaError> {
    let device = open()?;
    assert_eq!(device.free_memory()?, 60 << 30);
    let mut things = Things::new(&device)?;
    assert_eq!(of(&device).download(&things.x[1])?, [3.0, 4.0]);
    let nothing = of(&device).upload::<u32>(&[])?;
    assert!(of(&device).download(&nothing)?.is_empty());
    let before = counts::now();
    things.pack(&device)?;
    things.reduce(&device)?;
    of(&device).download(&things.records)?;
    let counted = counts::now() - before;
    assert_eq!([counted.uploads, counted.reads], [0, 1]);
    assert!(counted.launches > 1);
    device.synchronize()
}

/// Changes and frees values right after a copy of them was asked for.
fn copies() -> Result<(), CudaError> {
    // It outlives the device, so that nothing but the device waits for the last copy.
    let mut field;
    let device = open()?;
    field = of(&device).zeros::<u64>(STAGED)?;
    let before = counts::now();
    let write = |value: u64, n: usize, field: &mut _| {
        let mut values = vec![value; n];
        let wrote = of(&device).write(&values, field);
        values.fill(value + 1);
        wrote
    };
    (0..10).try_for_each(|round| write(round, STAGED / 8, &mut field))?;
    let counted = counts::now() - before;
    assert_eq!([counted.uploads, counted.waits], [10, 0], "short copies need no wait");
    // More than can be staged before a wait.
    (0..100).try_for_each(|round| write(round, STAGED / 8 - 1, &mut field))?;
    assert_eq!(of(&device).download(&field)?[..STAGED / 8], [[99; STAGED / 8 - 1].as_slice(), &[9]].concat());
    write(5, STAGED, &mut field)?;
    assert!(of(&device).download(&field)?.iter().all(|&value| value == 5));
    // The device is closed while this copy is under way.
    write(6, 3, &mut field)
}

/// What is freed counts as free, whoever keeps it.
fn pool() -> Result<(), CudaError> {
    let device = open()?;
    let found = || gpu::devices().map(|gpus| gpus[0].free_memory.clone().unwrap()).unwrap();
    let before = device.free_memory()?;
    assert_eq!(found(), before);
    let field = of(&device).zeros::<u64>(1 << 17)?;
    assert_eq!([device.free_memory()?, found()], [before - (1 << 20); 2]);
    drop(field);
    device.synchronize()?;
    assert_eq!([device.free_memory()?, found()], [before; 2]);
    Ok(())
}

/// A kernel of the staged driver takes a millisecond a letter of its name.
fn profile() -> Result<(), CudaError> {
    let device = open()?;
    let mut things = Things::new(&device)?;
    things.pack(&device)?;
    assert_eq!(device.take_profile()?, []);
    device.start_profile();
    for round in 0..10_000 {
        things.pack(&device)?;
        if round % 5000 == 0 {
            things.reduce(&device)?;
            of(&device).download(&things.largest)?;
        }
    }
    let times = device.take_profile()?;
    assert_eq!(times[0].kernel, "pack_positions");
    let launches: Vec<_> = times.iter().map(|time| (time.kernel, time.launches)).collect();
    assert!(
        launches.contains(&("pack_positions", 10_000)) && launches.contains(&("merge_maxima", 2)),
        "{times:?}"
    );
    for time in times {
        let expected = time.launches as f64 * time.kernel.len() as f64 * 1e-3;
        assert!((time.seconds - expected).abs() < 1e-9 * expected, "{time:?}");
    }
    things.pack(&device)?;
    assert_eq!(device.take_profile()?, []);
    Ok(())
}

/// What calls say after a kernel has died, each different answer once.
fn dead() -> Result<Vec<String>, CudaError> {
    let device = open()?;
    let (mut things, other) = (Things::new(&device)?, of(&device).upload(&[1.0])?);
    if env::var_os("SPH_LOADED").is_some() {
        things.reduce(&device)?;
    }
    device.synchronize()?;
    things.pack(&device)?;
    let mut answers = vec![things.reduce(&device)];
    answers.push(of(&device).download(&things.x[0]).map(drop));
    answers.push(things.pack(&device));
    drop(other);
    answers.push(things.pack(&device));
    answers.push(device.free_memory().map(drop));
    answers.push(of(&device).upload(&[1.0]).map(drop));
    drop(things);
    answers.push(device.synchronize());
    answers.push(device.take_profile().map(drop));
    let mut answers: Vec<_> = answers.into_iter().map(|answer| answer.unwrap_err().to_string()).collect();
    answers.dedup();
    Ok(answers)
}
