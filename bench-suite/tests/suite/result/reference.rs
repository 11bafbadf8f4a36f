use bench_suite::reference::*;

fn value(name: &str, x: &str, y: &str, at: f64) -> f64 {
    let table = table(name).unwrap();
    interpolate(&table.column(x).unwrap().values, &table.column(y).unwrap().values, at).unwrap()
}

#[test]
fn every_file_is_listed_and_parses() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../reference");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "csv"));
    files.sort();
    let listed: Vec<_> = names().collect();
    let found: Vec<_> = files.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    assert_eq!(found, listed);
    for name in names() {
        let table = table(name).unwrap();
        assert!(table.n_rows() >= 5 && table.columns.len() >= 2, "{name}");
        assert!(table.citation.len() > 40, "{name} cites nothing");
        assert!(table.columns.iter().all(|column| column.values.iter().all(|value| value.is_finite())));
    }
}

#[test]
fn row_counts_match_the_list() {
    for (name, n) in [("martin_moyce_front", 60), ("martin_moyce_height", 25), ("contact_angle_cap", 11)] {
        assert_eq!(table(name).unwrap().n_rows(), n, "{name}");
    }
}

#[test]
fn spot_values_match_the_papers() {
    assert!((value("oldroydb_poiseuille_waters_king", "T", "U_centre E1 beta1/9", 1.2) - 2.55).abs() < 1e-3);
}

#[test]
fn a_series_is_taken_out() {
    let front = table("martin_moyce_front").unwrap().of_series("n2_1_table").unwrap();
    assert_eq!(front.column("T").unwrap().values[0], 0.43);
    assert_eq!(front.column("Z").unwrap().unit, "-");
    let (t, z) = (&front.column("T").unwrap().values, &front.column("Z").unwrap().values);
    let slope = (interpolate(t, z, 3.21).unwrap() - interpolate(t, z, 1.14).unwrap()) / (3.21 - 1.14);
    assert!((slope - 1.40).abs() < 0.02, "{slope}");
    assert!(front.of_series("n2_7").is_err());
}

#[test]
fn missing_names_are_errors_that_tell_them() {
    assert!(table("nobody").unwrap_err().to_string().contains("nobody"));
    assert!(table("martin_moyce_front").unwrap().column("w").unwrap_err().to_string().contains("\"w\""));
    assert!(Table::parse("a", "# c\nx [m],y [m]\n1,2\n3\n").unwrap_err().to_string().contains("line 4"));
    assert!(Table::parse("a", "# c\nx [m],y [m]\n1,two\n").unwrap_err().to_string().contains("line 3"));
}

#[test]
fn interpolation_keeps_to_the_range_and_to_either_order() {
    let (x, y) = ([0.0, 1.0, 3.0], [0.0, 10.0, 30.0]);
    assert_eq!(interpolate(&x, &y, 2.0), Some(20.0));
    assert_eq!(interpolate(&x, &y, 0.0), Some(0.0));
    assert_eq!(interpolate(&x, &y, 3.0), Some(30.0));
    assert_eq!(interpolate(&x, &y, 3.1), None);
    assert_eq!(interpolate(&x, &y, -0.1), None);
    assert_eq!(interpolate(&[3.0, 1.0, 0.0], &[30.0, 10.0, 0.0], 2.0), Some(20.0));
    assert_eq!(interpolate(&[0.0, 2.0, 1.0], &[0.0; 3], 0.5), None);
    assert_eq!(interpolate(&[], &[], 0.5), None);
}
