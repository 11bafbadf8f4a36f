//! Meshes of triangles from files.
use std::{any::Any, collections::HashMap, io::Cursor, path::Path, sync::Arc};

use super::{Flaw, Hull, Region, vector};
use crate::{
    error::Error,
    keys::{file, join},
    parameters,
};

parameters! {
    /// A closed mesh of triangles from an STL or OBJ file.
    pub struct Mesh {
        /// The file, whose name ends in `.stl` (text or binary) or `.obj`; from the folder of the scene on. All vertices of
        /// the same place are one, and polygons are cut into triangles from their first corner on.
        pub file: String;
        /// Unit of length of the file: 0.001 for millimeters [convention].
        pub scale: f64 = 1.0, "m", "(0, inf)";
        /// Where the origin of the file is [convention].
        pub translate: Vec<f64> = vec![0.0; 3], "m", "(-inf, inf)";
        /// Checksum of the file, CRC-32: another file is refused. Written into the scenes of results.
        pub checksum: Option<u32> = None, "-", "[0, 4294967295]";
        hidden hull: Option<Arc<Hull<3>>>;
    }
}

/// More triangles are no mesh of a scene, `[-]`.
const MOST_TRIANGLES: usize = 1_000_000;
/// A larger file is no mesh of a scene, `[B]`: text takes about 270 bytes a triangle.
const LARGEST_FILE: u64 = 300 << 20;

/// Corners of triangles, by number, and their places `[m]`.
type Soup = (Vec<[f64; 3]>, Vec<[u32; 3]>);

impl Mesh {
    /// Reads the file, and keeps where it lies and its checksum.
    pub(super) fn load(&mut self, folder: &Path, key: &str) -> Result<(), Error> {
        let named = join(key, "file");
        let found = file::read(folder, &self.file, LARGEST_FILE, &named)?;
        found.check(&mut self.checksum, &join(key, "checksum"))?;
        let refused = |message: String| Error::invalid(&named, message).value(format!("{:?}", self.file));
        let ending = Path::new(&self.file).extension().map(|ending| ending.to_ascii_lowercase());
        let triangles = match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("stl") => read_stl(&found.bytes),
            Some("obj") => read_obj(&found.bytes),
            _ => {
                let error = refused("must end in .stl or .obj".to_owned());
                return Err(error.hint("write the mesh as STL or OBJ"));
            }
        };
        let triangles = triangles.map_err(&refused)?;
        let origin: [f64; 3] = vector(&join(key, "translate"), &self.translate)?;
        let (vertices, facets) =
            weld(&triangles, |x| std::array::from_fn(|k| origin[k] + self.scale * x[k])).map_err(&refused)?;
        let hull = Hull::new(vertices, facets).map_err(|Flaw { facet, what }| {
            let error = refused(format!("is no closed surface: triangle {} {what}", facet + 1));
            error.hint("repair the mesh: each edge has two triangles, and none cross")
        })?;
        (self.hull, self.file) = (Some(Arc::new(hull)), found.path);
        Ok(())
    }

    pub(super) fn resolve<const D: usize>(&self, key: &str) -> Result<Region<D>, Error> {
        let Some(hull) = &self.hull else {
            let mut loaded = self.clone();
            loaded.load(Path::new(""), key)?;
            return loaded.resolve(key);
        };
        in_space(hull.clone(), "mesh", key)
    }
}

/// The region of a hull; in two dimensions an error of the shape of this name.
pub(super) fn in_space<const D: usize>(
    hull: Arc<Hull<3>>,
    name: &str,
    key: &str,
) -> Result<Region<D>, Error> {
    let hull: Arc<dyn Any + Send + Sync> = hull;
    hull.downcast().map(Region::Hull).map_err(|_| {
        Error::invalid(key, format!("a {name} exists in three dimensions only")).hint("use polygon")
    })
}

/// Bytes of a binary STL before its number of triangles, of that, and of a triangle.
const BINARY: [usize; 3] = [80, 4, 50];

/// The corners of all triangles, one after another.
fn read_stl(bytes: &[u8]) -> Result<Vec<[[f64; 3]; 3]>, String> {
    let [head, count, triangle] = BINARY;
    let number = bytes.get(head..head + count).and_then(|n| n.first_chunk().copied()).map(u32::from_le_bytes);
    let mut triangles = Vec::new();
    // Some programs begin binary files with the word of text files: their length tells.
    if number.is_some_and(|n| bytes.len() as u64 == (head + count) as u64 + triangle as u64 * u64::from(n)) {
        read_triangles(&[&[b' '; 5], &bytes[5..]].concat(), &mut triangles)?;
        return Ok(triangles);
    }
    let text =
        str::from_utf8(bytes).map_err(|_| "is no STL: neither text nor of the length that it names")?;
    let mut solid: Option<String> = None;
    for line in text.lines().map(|line| line.trim().to_ascii_lowercase()).filter(|line| !line.is_empty()) {
        let word = line.split_whitespace().next().unwrap_or_default();
        match (word, &mut solid) {
            // The reader wants a name.
            ("solid", None) => solid = Some("solid x\n".to_owned()),
            ("endsolid", Some(text)) => {
                text.push_str("endsolid x\n");
                read_triangles(text.as_bytes(), &mut triangles)?;
                solid = None;
            }
            (_, Some(text)) => {
                text.push_str(&line);
                text.push('\n');
            }
            (_, None) => return Err(format!("is no STL: has {word:?} outside of a solid")),
        }
    }
    if solid.is_some() { Err("is no STL: ends within a solid".to_owned()) } else { Ok(triangles) }
}

/// Adds the triangles of a binary file, or of one solid of a text.
fn read_triangles(bytes: &[u8], triangles: &mut Vec<[[f64; 3]; 3]>) -> Result<(), String> {
    let mut cursor = Cursor::new(bytes);
    let reader = stl_io::create_stl_reader(&mut cursor).map_err(|error| format!("is no STL: {error}"))?;
    for triangle in reader {
        let n = triangles.len() + 1;
        let triangle = triangle.map_err(|error| format!("is no STL: triangle {n}: {error}"))?;
        let corner = |k: usize| std::array::from_fn(|a| f64::from(triangle.vertices[k][a]));
        triangles.push(std::array::from_fn(corner));
        few(triangles.len())?;
    }
    Ok(())
}

fn read_obj(bytes: &[u8]) -> Result<Vec<[[f64; 3]; 3]>, String> {
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..Default::default()
    };
    // What the surface looks like is no matter here.
    let without = |_: &Path| Ok(Default::default());
    let mut cursor = Cursor::new(bytes);
    let (models, _) =
        tobj::load_obj_buf(&mut cursor, &options, without).map_err(|error| format!("is no OBJ: {error}"))?;
    let mut triangles = Vec::new();
    for model in &models {
        few(triangles.len() + model.mesh.indices.len() / 3)?;
        for corners in model.mesh.indices.chunks_exact(3) {
            let place = |k: usize| {
                let first = 3 * corners[k] as usize;
                model.mesh.positions.get(first..first + 3).and_then(|x| <[f64; 3]>::try_from(x).ok())
            };
            match (place(0), place(1), place(2)) {
                (Some(a), Some(b), Some(c)) => triangles.push([a, b, c]),
                _ => {
                    return Err(format!(
                        "names a vertex that is not there in triangle {}",
                        triangles.len() + 1
                    ));
                }
            }
        }
    }
    Ok(triangles)
}

pub(super) fn few(n: usize) -> Result<(), String> {
    if n <= MOST_TRIANGLES { Ok(()) } else { Err(format!("has more than {MOST_TRIANGLES} triangles")) }
}

/// Makes one vertex of all at the same place, and drops triangles of which two corners are one.
fn weld(triangles: &[[[f64; 3]; 3]], place: impl Fn(&[f64; 3]) -> [f64; 3]) -> Result<Soup, String> {
    if triangles.is_empty() {
        return Err("has no triangle".to_owned());
    }
    let (mut vertices, mut known, mut facets) =
        (Vec::new(), HashMap::new(), Vec::with_capacity(triangles.len()));
    for (n, triangle) in triangles.iter().enumerate() {
        let mut facet = [0; 3];
        for (x, corner) in triangle.iter().zip(&mut facet) {
            if !x.iter().all(|x| x.is_finite()) {
                return Err(format!("has a corner at {x:?} in triangle {}", n + 1));
            }
            // Both zeros are one place.
            let bits = x.map(|x| (x + 0.0).to_bits());
            *corner = *known.entry(bits).or_insert_with(|| {
                vertices.push(place(x));
                vertices.len() as u32 - 1
            });
        }
        if facet[0] != facet[1] && facet[1] != facet[2] && facet[2] != facet[0] {
            facets.push(facet);
        }
    }
    Ok((vertices, facets))
}
