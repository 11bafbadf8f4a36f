//! The `sph` command.
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let get = |k: usize, d: usize| a.get(k).and_then(|s| s.parse().ok()).unwrap_or(d);
    let isa = a.get(5).and_then(|s| s.parse().ok()).unwrap_or(sph_core::lane::Isa::best());
    let o = bench_suite::stepping::Options { m: get(1, 29), warmup: 20, steps: get(2, 40) as u64, jitter: a.get(4).and_then(|s| s.parse().ok()).unwrap_or(0.15), isa };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(get(3, 2)).build().unwrap();
    let t = pool.install(|| bench_suite::stepping::time(&o));
    match t { Ok(t) => println!("{}", serde_json::to_string_pretty(&t).unwrap()), Err(e) => println!("{e}") }
}
