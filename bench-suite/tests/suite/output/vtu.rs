use bench_suite::output::{Field, FrameData, Values, vtu::*};
use sph_core::Real;

const RHO: [Real; 3] = [998.0, 1000.0, 1002.0];

fn file() -> Vec<u8> {
    let (x, y) = (vec![0.5, 1.5, 2.5], vec![-1.0, -2.0, -3.0]);
    let field = |name: &'static str, unit: &'static str, values| Field {
        name: name.into(),
        unit: unit.into(),
        values,
    };
    encode(&FrameData {
        step: 3,
        t: 0.25,
        spacing: 0.5,
        id: vec![7, 1 << 40, 3],
        x: [x.clone(), y.clone()],
        fields: vec![
            field("density", "kg/m3", Values::Scalar(RHO.to_vec())),
            field("velocity", "m/s", Values::Vector([y, x])),
            field("a<b", "-", Values::Count(vec![1, 2, 3])),
        ],
    })
}

/// Type and bytes of the array `name`, by the header alone.
fn block(file: &[u8], name: &str) -> (String, Vec<u8>) {
    let start = file.windows(15).position(|part| part == b"encoding=\"raw\">").unwrap() + 17;
    assert_eq!(file[start - 1], b'_');
    let head = std::str::from_utf8(&file[..start]).unwrap();
    let line = head.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap();
    let attribute = |key: &str| line.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap();
    let offset: usize = attribute("offset").parse().unwrap();
    let at = start + offset;
    let size = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    (attribute("type").into(), file[at + 8..at + 8 + size].to_vec())
}

fn reals(bytes: &[u8]) -> Vec<Real> {
    bytes.chunks_exact(size_of::<Real>()).map(|part| Real::from_le_bytes(part.try_into().unwrap())).collect()
}

#[test]
fn every_offset_finds_its_array() {
    let file = file();
    assert_eq!(reals(&block(&file, "Points").1), [0.5, -1.0, 0.0, 1.5, -2.0, 0.0, 2.5, -3.0, 0.0]);
    assert_eq!(reals(&block(&file, "density").1), RHO);
    assert_eq!(reals(&block(&file, "velocity").1)[..3], [-1.0, 0.5, 0.0]);
    let (kind, ids) = block(&file, "id");
    assert_eq!((kind.as_str(), u64::from_le_bytes(ids[8..16].try_into().unwrap())), ("UInt64", 1 << 40));
    assert_eq!(block(&file, "a&lt;b").1.len(), 12);
    assert_eq!(block(&file, "step").1, 3u64.to_le_bytes());
    assert_eq!(block(&file, "types"), ("UInt8".into(), vec![1, 1, 1]));
    assert_eq!(block(&file, "offsets").1[16..], 3u64.to_le_bytes());
    assert!(file.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
}

#[test]
fn units_are_in_the_header() {
    assert!(String::from_utf8_lossy(&file()).contains("location=\"vtkDataArray\">kg/m3</InformationKey>"));
}
