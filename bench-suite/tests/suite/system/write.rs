use bench_suite::system::write::*;
use std::{fs, io, path::PathBuf};

fn fresh_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sph-write-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_file_is_written_and_replaced() {
    let folder = fresh_folder("replace");
    let path = folder.join("deep/a.txt");
    write_atomic(&path, b"one").unwrap();
    write_atomic(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_failure_keeps_the_old_file_and_leaves_nothing() {
    let folder = fresh_folder("failure");
    let path = folder.join("a.txt");
    write_atomic(&path, b"old").unwrap();
    let error = write_with(&Disk, &path, |file| {
        file.write_all(b"half")?;
        Err(io::Error::other("the pen broke"))
    });
    let text = error.unwrap_err().to_string();
    assert!(text.contains("a.txt") && text.contains("the pen broke"), "{text}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_in_the_way_is_an_error_that_names_it() {
    let folder = fresh_folder("in-the-way");
    let path = folder.join("a");
    fs::create_dir_all(path.join("b")).unwrap();
    assert!(write_atomic(&path, b"x").unwrap_err().to_string().contains("in-the-way"));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}
