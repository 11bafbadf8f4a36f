use bench_suite::output::picture::text::*;

#[test]
fn greek_is_spelled_and_the_rest_is_asked_for() {
    assert_eq!(spelled("δ-SPH, η=3 [kg/m³] 10⁻⁷ 漢"), "delta-SPH, eta=3 [kg/m³] 10-7 ?");
    assert_eq!(number(2.5e-8), "2.5e⁻⁸");
    assert_eq!(spelled(&number(2.5e-8)), "2.5e-8");
}
