use bench_suite::{studies::soak::*, system::processor::Processor};

fn sample(step: u64) -> Sample {
    Sample {
        step,
        t: 0.0,
        energy: 1e-7,
        max_speed: 0.0,
        density_error: 0.0,
        memory: Some(50 << 20),
        handles: Some(4),
        steps_per_s: 1.0,
    }
}

#[test]
fn energy_memory_and_handles_are_judged_after_the_warm_up() {
    let with = |change: &dyn Fn(&mut Sample)| {
        let mut samples = [sample(10), sample(20), sample(30)];
        change(&mut samples[0]);
        assert_eq!(failure(&samples, 20), None, "the warm-up is not judged");
        change(&mut samples[2]);
        failure(&samples, 20).unwrap_or_default()
    };
    assert!(with(&|s| s.energy = 2e-5).contains("kinetic energy 2.00e-5"));
    assert!(with(&|s| s.energy = f64::NAN).contains("not finite"));
    assert!(with(&|s| s.memory = Some(51 << 20)).contains("grown by 1024 KiB"));
    assert!(with(&|s| s.handles = Some(5)).contains("5 open file handles, 4 after"));
    assert_eq!(with(&|s| s.memory = Some((51 << 20) - 1)), "");
}

#[test]
fn the_column_has_about_as_many_particles_as_asked() {
    for particles in [100, 4_000, 20_000] {
        let options = Options { steps: 1, particles, processor: Processor::default() };
        let n = (1.0 / scene(&options).spacing).round();
        let made = 0.5 * n.powi(3);
        assert!((made / particles as f64 - 1.0).abs() < 0.2, "{made} of {particles}");
    }
}
