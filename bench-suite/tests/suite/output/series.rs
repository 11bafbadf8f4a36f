use bench_suite::{
    output::{Format, series::*},
    system::write::write_atomic,
};
use std::fs;

#[test]
fn names_carry_the_step_and_give_it_back() {
    assert_eq!(frame_name(1200, Format::Vtu), "frame_000001200.vtu");
    assert_eq!(step_of("frame_000001200.vtu", "frame_"), Some(1200));
    assert_eq!(step_of(&frame_name(u64::MAX, Format::Npz), "frame_"), Some(u64::MAX));
    for other in ["frame_1.vtu", "frame_000000001_surface.ply", "frame_000000001.txt", "walls.vtu"] {
        assert_eq!(step_of(other, "frame_"), None, "{other}");
    }
}

#[test]
fn a_series_goes_on_where_a_run_does() {
    let folder = std::env::temp_dir().join(format!("sph-series-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let names = || {
        let mut names: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let mut series = Series::open(&folder, 0, false).unwrap();
    for step in [0, 10, 20] {
        write_atomic(&series.path(&frame_name(step, Format::Vtu)), b"").unwrap();
        series.add(step, 0.1 * step as f64, &[Format::Vtu]).unwrap();
    }
    write_atomic(&folder.join("mine.vtu"), b"").unwrap();
    let mut series = Series::open(&folder, 19, false).unwrap();
    assert_eq!(series.last().map(|(_, t)| t), Some(1.0));
    assert_eq!(names(), ["fluid.pvd", "frame_000000000.vtu", "frame_000000010.vtu", INDEX, "mine.vtu"]);
    series.add(25, 2.5, &[Format::Npz]).unwrap();
    assert_eq!(fs::read_to_string(folder.join(INDEX)).unwrap(), "step,t [s]\n0,0\n10,1\n25,2.5\n");
    assert_eq!(listed(&folder).unwrap().len(), 2);
    assert_eq!(Series::open(&folder, 0, false).unwrap().last(), None);
    assert_eq!(names(), ["mine.vtu"]);
    fs::write(folder.join(INDEX), "step,t [s]\n0;0\n").unwrap();
    let error = Series::open(&folder, 5, false).unwrap_err().to_string();
    assert!(error.contains("frames.csv: line 2"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}
