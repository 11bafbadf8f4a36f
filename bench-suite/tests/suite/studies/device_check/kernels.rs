use bench_suite::studies::device_check::kernels::*;

#[test]
fn the_longest_launch_of_each_kernel_is_read_from_ncu() {
    let row = |id: u32, kernel: &str, metric: &str, unit: &str, value: &str| {
        format!("\"{id}\",\"7\",\"sph\",\"{kernel}\",\"sec, tion\",\"{metric}\",\"{unit}\",\"{value}\"\n")
    };
    let time = "gpu__time_duration.sum";
    let text = String::from("==PROF== Connected to process 7\n")
        + "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
        + &row(0, "short", time, "ns", "2,500")
        + &row(0, "short", "launch__registers_per_thread", "register/thread", "32")
        + &row(1, "long(Constants, Near)", time, "us", "90.5")
        + &row(2, "short", time, "ns", "4,000")
        + &row(2, "short", "launch__registers_per_thread", "register/thread", "40")
        + "==PROF== Disconnected\n";
    let found = longest(&text);
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["long", "short"]);
    assert_eq!((found[0].1[0].as_f64(), found[1].1[0].as_f64()), (Some(90.5), Some(4.0)));
    assert_eq!(found[1].1[4].as_f64(), Some(40.0));
    assert!(longest("no table").is_empty());
}
