//! Points and their arrays in VTK's XML files (`.vtu`, `.vtp`): as text, base64 or raw, inline or appended, plain or compressed
//! by zlib, as <https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html> has it.
//!
//! Written here because vtkio 0.7 reads no raw appended data and panics at polygons as text.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use roxmltree::{Document, Node, ParsingOptions};
use std::{
    borrow::Cow,
    cell::Cell,
    io::{self, Read as _},
};

/// Most bytes that zlib can compress into one: a file that asks for more names an array many times, or is damaged.
const MOST_COMPRESSED: usize = 1032;

/// Does something with the Rust type of a type of VTK's.
macro_rules! by_kind {
    ($kind:expr, $t:ident => $known:expr, $unknown:expr) => {
        by_kind!($kind, $t, $known, $unknown, f32, "Float32", f64, "Float64", i8, "Int8", u8, "UInt8",
            i16, "Int16", u16, "UInt16", i32, "Int32", u32, "UInt32", i64, "Int64", u64, "UInt64")
    };
    ($kind:expr, $t:ident, $known:expr, $unknown:expr, $($number:ty, $name:literal),*) => {
        match $kind {
            $($name => {
                type $t = $number;
                $known
            })*
            _ => $unknown,
        }
    };
}

/// An array of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Array<'a> {
    /// Its name.
    pub name: String,
    /// Its unit, `-` where the file names none.
    pub unit: String,
    /// Type of its numbers, as `Float32`.
    pub kind: String,
    /// Numbers of a point.
    pub components: usize,
    /// The numbers, little-endian.
    pub bytes: Cow<'a, [u8]>,
}

/// The arrays of a file; those of several pieces are joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrays<'a> {
    /// Of the whole file (`FieldData`).
    pub whole: Vec<Array<'a>>,
    /// Positions, `[m]`.
    pub points: Array<'a>,
    /// Of the points (`PointData`).
    pub fields: Vec<Array<'a>>,
}

impl<'a> Arrays<'a> {
    /// The arrays in the bytes of a file.
    ///
    /// # Errors
    /// When they are no such file, are damaged, or are compressed by anything but zlib.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        const OPEN: &[u8] = b"<AppendedData";
        let start = bytes.windows(OPEN.len()).position(|part| part == OPEN);
        let (head, appended) = bytes.split_at(start.unwrap_or(bytes.len()));
        let mut head = std::str::from_utf8(head).map_err(|error| error.to_string())?.to_owned();
        if start.is_some() {
            head += "</VTKFile>";
        }
        let options = ParsingOptions { nodes_limit: 1 << 20, ..ParsingOptions::default() };
        let document = Document::parse_with_options(&head, options);
        let document = document.map_err(|error| format!("is no .vtu file: {error}"))?;
        let root = document.root_element();
        if !root.has_tag_name("VTKFile") {
            return Err("is no .vtu file: it does not begin with <VTKFile>".into());
        }
        let reader = Reader::of(&root, appended, bytes.len())?;
        let section = |parent: Node<'_, '_>, tag: &str| {
            let arrays = parent.children().find(|node| node.has_tag_name(tag)).into_iter();
            let arrays =
                arrays.flat_map(|node| node.children().filter(|child| child.has_tag_name("DataArray")));
            arrays.map(|array| reader.array(&array)).collect::<Result<Vec<_>, String>>()
        };
        let mut found: Option<Self> = None;
        // `UnstructuredGrid` or `PolyData`.
        let set = root.first_element_child().ok_or("has no piece of points")?;
        for piece in set.children().filter(|node| node.has_tag_name("Piece")) {
            let points = section(piece, "Points")?.into_iter().next().ok_or("has no points")?;
            let piece = Self { whole: Vec::new(), points, fields: section(piece, "PointData")? };
            match &mut found {
                Some(found) => found.join(piece)?,
                None => found = Some(piece),
            }
        }
        Ok(Self { whole: section(set, "FieldData")?, ..found.ok_or("has no piece of points")? })
    }

    fn join(&mut self, piece: Self) -> Result<(), String> {
        self.points.join(piece.points)?;
        if self.fields.len() != piece.fields.len() {
            return Err("has pieces with other arrays".into());
        }
        self.fields.iter_mut().zip(piece.fields).try_for_each(|(array, more)| array.join(more))
    }
}

impl Array<'_> {
    fn join(&mut self, more: Self) -> Result<(), String> {
        if (&self.name, &self.kind, self.components) != (&more.name, &more.kind, more.components) {
            return Err(format!("has pieces with other arrays, {:?} and {:?}", self.name, more.name));
        }
        self.bytes.to_mut().extend_from_slice(&more.bytes);
        Ok(())
    }

    /// Its numbers, of any type.
    ///
    /// # Errors
    /// When its type is none of VTK's, or its length does not fit it.
    pub fn numbers(&self) -> Result<Vec<f64>, String> {
        let unknown = || format!("array {:?} is of the unknown type {:?}", self.name, self.kind);
        by_kind!(&*self.kind, T => self.words(&self.kind, |b| T::from_le_bytes(b) as f64), Err(unknown()))
    }

    /// Its numbers, which must be of the type `kind`.
    ///
    /// # Errors
    /// When they are not.
    pub fn words<T, const N: usize>(&self, kind: &str, of: impl Fn([u8; N]) -> T) -> Result<Vec<T>, String> {
        let (words, rest) = self.bytes.as_chunks::<N>();
        if self.kind != kind || !rest.is_empty() {
            return Err(format!("array {:?} is no {kind}", self.name));
        }
        Ok(words.iter().map(|&word| of(word)).collect())
    }
}

/// Where an array's bytes stand.
#[derive(Clone, Copy)]
enum Source<'a> {
    Raw(&'a [u8]),
    Base64(&'a [u8]),
}

/// How a file keeps its arrays.
struct Reader<'a> {
    appended: Option<Source<'a>>,
    /// Bytes of a number of a header.
    word: usize,
    swapped: bool,
    compressed: bool,
    /// Bytes that arrays may still have: a small file cannot make the program take much memory.
    left: Cell<usize>,
}

impl<'a> Reader<'a> {
    fn of(root: &Node<'_, '_>, appended: &'a [u8], size: usize) -> Result<Self, String> {
        let compressed = match root.attribute("compressor") {
            None | Some("") => false,
            Some("vtkZLibDataCompressor") => true,
            Some(other) => {
                return Err(format!(
                    "is compressed by {other:?}: must be plain or by \"vtkZLibDataCompressor\""
                ));
            }
        };
        let after = |sign: u8| appended.iter().position(|&byte| byte == sign);
        let data = after(b'>').and_then(|tag| {
            let (tag, rest) = appended.split_at(tag);
            let rest = &rest[rest.iter().position(|&byte| byte == b'_')? + 1..];
            let raw = tag.windows(5).any(|part| part == b"\"raw\"");
            Some(if raw { Source::Raw(rest) } else { Source::Base64(rest) })
        });
        Ok(Self {
            appended: data,
            word: if root.attribute("header_type") == Some("UInt64") { 8 } else { 4 },
            swapped: root.attribute("byte_order") == Some("BigEndian"),
            compressed,
            left: Cell::new(size.saturating_mul(MOST_COMPRESSED)),
        })
    }

    fn array(&self, node: &Node<'_, '_>) -> Result<Array<'a>, String> {
        let attribute = |key| node.attribute(key);
        let name = attribute("Name").unwrap_or("Points").to_owned();
        let kind = attribute("type").ok_or_else(|| format!("array {name:?} has no type"))?.to_owned();
        let unit = node.children().find(|child| child.attribute("name") == Some("UNITS_LABEL"));
        let unit = unit.and_then(|unit| unit.text()).unwrap_or("-").to_owned();
        let components = attribute("NumberOfComponents").map_or(Ok(1), str::parse);
        let components = components.map_err(|error| format!("components of {name:?}: {error}"))?;
        let text =
            || node.children().find_map(|child| child.is_text().then(|| child.text())?).unwrap_or_default();
        let bytes = match attribute("format").unwrap_or("ascii") {
            "ascii" => Some(Cow::Owned(of_text(text(), &kind, &name)?)),
            "binary" => self
                .bytes(Source::Base64(text().trim().as_bytes()), &kind)
                .map(|b| Cow::Owned(b.into_owned())),
            "appended" => self.appended(attribute("offset")).and_then(|source| self.bytes(source, &kind)),
            other => return Err(format!("array {name:?} is in the unknown format {other:?}")),
        };
        let bytes = bytes.ok_or_else(|| format!("array {name:?} is cut short or damaged"))?;
        let left = self.left.get().checked_sub(bytes.len());
        self.left.set(left.ok_or("holds more arrays than fit into its size")?);
        Ok(Array { name, unit, kind, components, bytes })
    }

    fn appended(&self, offset: Option<&str>) -> Option<Source<'a>> {
        let offset: usize = offset?.parse().ok()?;
        Some(match self.appended? {
            Source::Raw(data) => Source::Raw(data.get(offset..)?),
            Source::Base64(data) => Source::Base64(data.get(offset..)?),
        })
    }

    /// The numbers after a header of their size, little-endian.
    fn bytes<'b>(&self, source: Source<'b>, kind: &str) -> Option<Cow<'b, [u8]>> {
        let data = if self.compressed { self.decompressed(source)? } else { self.plain(source)? };
        let width = kind.trim_start_matches(char::is_alphabetic).parse::<usize>().ok()? / 8;
        if !self.swapped || width <= 1 {
            return Some(data);
        }
        let mut data = data.into_owned();
        data.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        Some(Cow::Owned(data))
    }

    /// Header and data follow each other, in base64 as one text.
    fn plain<'b>(&self, source: Source<'b>) -> Option<Cow<'b, [u8]>> {
        let size = self.numbers(&source.take(0, self.word)?)[0];
        Some(match source.take(0, self.word.checked_add(size)?)? {
            Cow::Borrowed(all) => Cow::Borrowed(&all[self.word..]),
            Cow::Owned(mut all) => Cow::Owned(all.split_off(self.word)),
        })
    }

    /// A header with the number of blocks, their size, that of the last (0 if whole), and their compressed sizes; then the blocks,
    /// in base64 as a text of their own.
    fn decompressed<'b>(&self, source: Source<'b>) -> Option<Cow<'b, [u8]>> {
        let blocks = self.numbers(&source.take(0, self.word)?)[0];
        let head = self.word.checked_mul(blocks.checked_add(3)?)?;
        let numbers = self.numbers(&source.take(0, head)?);
        let (size, last, sizes) = (numbers[1], numbers[2], &numbers[3..]);
        blocks.checked_mul(size).filter(|most| *most <= self.left.get() && last <= size)?;
        let compressed = source
            .take(source.after(head), sizes.iter().try_fold(0, |sum: usize, n| sum.checked_add(*n))?)?;
        let (mut all, mut rest) = (Vec::new(), &*compressed);
        for (k, n) in sizes.iter().enumerate() {
            let (block, later) = rest.split_at(*n);
            let due = if k + 1 == blocks && last > 0 { last } else { size };
            let mut out = flate2::read::ZlibDecoder::new(block).take(due as u64);
            if io::copy(&mut out, &mut all).ok()? != due as u64 {
                return None;
            }
            rest = later;
        }
        Some(Cow::Owned(all))
    }

    /// The numbers of a header.
    fn numbers(&self, bytes: &[u8]) -> Vec<usize> {
        let of = |word: &[u8]| {
            let digit = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
            if self.swapped { word.iter().fold(0, digit) } else { word.iter().rev().fold(0, digit) }
        };
        bytes.chunks_exact(self.word).map(of).collect()
    }
}

impl<'a> Source<'a> {
    /// So many bytes from a place in the source on.
    fn take(&self, from: usize, n: usize) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Raw(data) => Some(Cow::Borrowed(data.get(from..from.checked_add(n)?)?)),
            Self::Base64(text) => {
                let mut bytes = STANDARD.decode(text.get(from..from.checked_add(chars(n)?)?)?).ok()?;
                bytes.truncate(n);
                (bytes.len() == n).then_some(Cow::Owned(bytes))
            }
        }
    }

    /// Where the text that holds `n` bytes ends.
    fn after(&self, n: usize) -> usize {
        if matches!(self, Self::Raw(_)) { n } else { chars(n).unwrap_or(usize::MAX) }
    }
}

/// Letters of base64 that hold `n` bytes.
fn chars(n: usize) -> Option<usize> {
    n.div_ceil(3).checked_mul(4)
}

/// Numbers of a text, as bytes of a type.
fn of_text(text: &str, kind: &str, name: &str) -> Result<Vec<u8>, String> {
    let wrong = |word| format!("array {name:?} holds {word:?}, no {kind}");
    let mut bytes = Vec::new();
    for word in text.split_ascii_whitespace() {
        by_kind!(
            kind,
            T => bytes.extend(word.parse::<T>().map_err(|_| wrong(word))?.to_le_bytes()),
            return Err(wrong(word))
        );
    }
    Ok(bytes)
}
