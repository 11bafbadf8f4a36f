use bench_suite::output::{Field, FrameData, Values, read::*, vtu};
use sph_core::Real;

fn frame() -> FrameData<2> {
    let field = |name: &'static str, unit: &'static str, values| Field {
        name: name.into(),
        unit: unit.into(),
        values,
    };
    FrameData {
        step: 12,
        t: 0.125,
        spacing: 0.1,
        id: vec![4, 1 << 40],
        x: [vec![1.0, 2.0], vec![-3.0, 0.1]],
        fields: vec![
            field("velocity", "m/s", Values::Vector([vec![0.5, 0.25], vec![7.0, 8.0]])),
            field("a<\"b&", "kg/m^3", Values::Scalar(vec![1000.0, Real::MIN_POSITIVE])),
            field("neighbors", "-", Values::Count(vec![7, u32::MAX])),
        ],
    }
}

#[test]
fn what_was_written_comes_back() {
    let three = FrameData::<3>::default();
    assert_eq!(decode(&vtu::encode(&three)).unwrap(), AnyFrame::Three(three));
    assert!(decode(&vtu::encode(&frame())).unwrap() == AnyFrame::Two(frame()));
}

#[test]
fn no_damaged_file_is_believed_or_panics() {
    let whole = vtu::encode(&frame());
    let fields = whole.windows(5).position(|part| part == b"types").unwrap();
    for cut in 0..whole.len() - 100 {
        if let Ok(read) = decode(&whole[..cut]) {
            // What follows the last field of a particle is not needed.
            assert!(cut > fields && read == AnyFrame::Two(frame()), "{cut}");
        }
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x11;
        let _ = decode(&damaged);
    }
}
