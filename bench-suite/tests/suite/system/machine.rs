use bench_suite::system::machine::*;
use std::path::Path;

#[test]
fn unix_times_become_dates() {
    assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
    assert_eq!(utc(951_782_400), "2000-02-29 00:00:00 UTC");
    assert_eq!(utc(1_767_225_599), "2025-12-31 23:59:59 UTC");
    assert_eq!(utc(4_107_542_400), "2100-03-01 00:00:00 UTC");
}

#[test]
fn proc_files_are_read() {
    let text = "Name:\tsph\nVmHWM:\t    2048 kB\nmodel name\t: A CPU @ 2 GHz\n";
    assert_eq!(kib_of(text, "VmHWM"), Some(2 * 1024 * 1024));
    assert_eq!(value_of(text, "model name").as_deref(), Some("A CPU @ 2 GHz"));
    assert_eq!(kib_of(text, "VmPeak"), None);
}

#[test]
fn a_folder_outside_a_checkout_has_no_commit() {
    assert_eq!(commit_of(Path::new("/")), "unknown");
}

#[test]
fn this_machine_has_a_processor() {
    let machine = Machine::detect();
    assert!(machine.cores >= machine.usable_cores && machine.usable_cores >= 1);
    assert!(machine.rustc.contains("rustc"));
}

#[test]
fn peak_memory_can_start_again() {
    let Some(before) = peak_memory_bytes() else { return };
    let block = vec![1u8; 64 << 20];
    assert!(std::hint::black_box(&block).iter().map(|&x| u64::from(x)).sum::<u64>() == 64 << 20);
    drop(block);
    let high = peak_memory_bytes().unwrap();
    assert!(high >= before);
    if reset_peak_memory() {
        assert!(peak_memory_bytes().unwrap() < high);
    }
}
