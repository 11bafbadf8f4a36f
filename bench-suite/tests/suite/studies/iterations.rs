use bench_suite::{
    run::{self, Options},
    studies::iterations::*,
    system::processor::Processor,
};

/// The more iterations, the smaller the error; nothing else differs.
#[test]
fn more_iterations_press_the_fluid_less() {
    let error = |iterations| {
        let options = Options {
            case: CASE.into(),
            variant: String::new(),
            particles_across: 8,
            processor: Processor::default(),
            pictures: Vec::new(),
            output: None,
            progress: None,
            started: None,
            checkpoints: None,
            interrupt: None,
        };
        let metric = Compression::every(1e-3);
        let result =
            run::run(&scene(8, iterations, 0.2), vec![Box::new(metric)], None, &options).unwrap().result;
        assert_eq!((result.failure.clone(), result.iterations), (None, Some(f64::from(iterations))));
        result.headline().and_then(|score| score.error).unwrap()
    };
    let errors = [2, 4, 8, 16].map(error);
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
}
