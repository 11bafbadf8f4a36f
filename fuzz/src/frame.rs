//! What any bytes must pass as a frame that is read back: the fuzz target `frame`, and the test that replays its corpus.

use bench_suite::output::{AnyFrame, Format, FrameData, Look, read::decode};

/// Reads bytes as a VTU file, and writes what they hold in all formats. Whatever is refused is refused in words.
///
/// # Panics
/// When the bytes are neither a frame nor refused as they ought to be.
pub fn writes_or_refuses(bytes: &[u8]) {
    match decode(bytes) {
        Ok(AnyFrame::Two(frame)) => write(&frame),
        Ok(AnyFrame::Three(frame)) => write(&frame),
        Err(reason) => assert!(!reason.is_empty()),
    }
}

fn write<const D: usize>(frame: &FrameData<D>) {
    let look = Look { color_by: "speed", size: (64, 48), range: None, bounds: None };
    for format in [Format::Vtu, Format::Ply, Format::Csv, Format::Npz, Format::Png] {
        let written = format.encode(frame, &FrameData::default(), &look);
        if let (Format::Vtu, Ok(bytes)) = (format, &written) {
            assert!(decode(bytes).is_ok(), "a frame that was read is written, and read again");
        }
    }
}
