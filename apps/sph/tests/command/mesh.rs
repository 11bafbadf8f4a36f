//! Surfaces of frames, for 3D frames alone.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use bench_suite::output::{
    Format, FrameData, Look, SIZE,
    mesh::{Options, surface},
};
use sph_core::Real;
use std::{fs, path::Path, process::Command};

/// A cube of particles on a lattice.
fn cube() -> FrameData<3> {
    const EDGE: u64 = 8;
    let mut frame = FrameData { spacing: 0.05, ..FrameData::default() };
    for id in 0..EDGE.pow(3) {
        frame.id.push(id);
        for (axis, x) in frame.x.iter_mut().enumerate() {
            x.push((id / EDGE.pow(axis as u32) % EDGE) as Real * 0.05);
        }
    }
    frame
}

#[test]
fn the_command_wraps_frames_of_space_and_refuses_those_of_the_plane() {
    fn frame_file<const D: usize>(folder: &Path, name: &str, frame: &FrameData<D>) {
        let look = Look { color_by: "speed", size: SIZE, range: None, bounds: None };
        fs::write(folder.join(name), Format::Vtu.encode(frame, frame, &look).unwrap()).unwrap();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mesh-command");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    frame_file(&folder, "ball.vtu", &cube());
    frame_file(&folder, "flat.vtu", &FrameData::<2>::default());
    let mesh = |name: &str| {
        Command::new(env!("CARGO_BIN_EXE_sph")).current_dir(&folder).args(["mesh", name]).output().unwrap()
    };
    assert!(mesh("ball.vtu").status.success());
    let surface = surface(&cube(), &Options::default()).unwrap();
    let head = format!("element face {}\n", surface.triangles.len());
    let file = fs::read(folder.join("ball_surface.ply")).unwrap();
    assert!(String::from_utf8_lossy(&file[..500]).contains(&head));
    let refused = mesh("flat.vtu");
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("flat.vtu: has two dimensions"), "{message}");
}
