use bench_suite::{studies::solving::*, system::processor::Processor};

#[test]
fn every_way_comes_to_the_residual_and_levels_in_the_fewest_iterations() {
    let options =
        Options { m: 8, jitter: 0.1, warmup: 1, steps: 2, tolerance: 1e-4, processor: Processor::default() };
    let all = compare(&options).unwrap();
    assert!(all.iter().all(|run| run.residual <= 1e-4 && run.iterations > 0.0), "{all:?}");
    let [none, diagonal, levels] = [0, 1, 2].map(|k| all[k].iterations);
    assert!(levels < 0.8 * diagonal && diagonal < 1.2 * none, "{all:?}");
}
