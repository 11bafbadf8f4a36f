use bench_suite::{cases::channel::*, reference};

#[test]
fn the_series_reproduce_the_tables() {
    for (table, exact) in
        [("couette_morris1997", couette as fn(f64, f64) -> f64), ("poiseuille_morris1997", poiseuille)]
    {
        let table = reference::table(table).unwrap();
        let y = &table.columns[0].values;
        for (column, t) in table.columns[1..].iter().zip(TIMES) {
            let steady = if column.name.contains("steady") { 100.0 } else { t };
            for (y, v) in y.iter().zip(&column.values) {
                assert!((exact(*y, steady) - v).abs() < 1e-6 * V_0, "{} at {y}", column.name);
            }
        }
    }
}
