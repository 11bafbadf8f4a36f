//! Pictures of particles without a display: discs in 2D, lit spheres in 3D, colored by a field.
//!
//! Everything is drawn several times larger and averaged down, which smooths all edges alike.

mod canvas;
mod spheres;
pub mod text;

use sph_core::Real;

use canvas::Canvas;

/// A color, red, green, blue.
pub type Rgb = [u8; 3];

/// The lower end of a scale.
pub const BLUE: Rgb = [30, 78, 178];
/// Its middle.
pub const YELLOW: Rgb = [247, 214, 72];
/// Its upper end.
pub const RED: Rgb = [196, 36, 32];
/// Wall samples.
pub const WALL: Rgb = [150, 154, 160];
/// Text.
pub const INK: Rgb = [28, 32, 38];

/// A picture could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// An array has another length than the positions.
    #[error("{name} has {found} values, expected {expected}")]
    Length {
        /// Which array.
        name: &'static str,
        /// Its length.
        found: usize,
        /// Number of particles.
        expected: usize,
    },
    /// The picture is too small to hold title and color bar, or too large.
    #[error("a picture of {width} × {height} pixels; both must be in {MIN_SIZE}..={MAX_SIZE}")]
    Size {
        /// Width `[px]`.
        width: u32,
        /// Height `[px]`.
        height: u32,
    },
    /// Number of dimensions of the particles, 2D or 3D.
    #[error("pictures are of 2 or 3 dimensions, not {0}")]
    Dimension(usize),
    /// The PNG could not be encoded.
    #[error("cannot encode the picture: {0}")]
    Encode(#[from] png::EncodingError),
}

const MIN_SIZE: u32 = 160;
const MAX_SIZE: u32 = 8192;

/// Mapping of a value to a color between blue (0), yellow (1/2) and red (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Map {
    /// In proportion, from the low to the high end of the scale.
    Linear,
    /// `1 / (1 + exp(-steepness (value - middle)))`, moved and stretched so that zero is blue.
    Sigmoid {
        /// Steepness, in one over the unit of the value.
        steepness: f64,
        /// Value of the middle of the curve.
        middle: f64,
    },
}

/// The scale of the colors, as the color bar shows it.
#[derive(Clone, Copy, Debug)]
pub struct Scale<'a> {
    /// Name of the field.
    pub name: &'a str,
    /// Its unit; `-` for a pure number.
    pub unit: &'a str,
    /// Value at the left end of the bar.
    pub low: f64,
    /// Value at the right end of the bar.
    pub high: f64,
    /// The map.
    pub map: Map,
}

impl<'a> Scale<'a> {
    /// Speed, from rest to `high` `[m/s]`, by the sigmoid map with its middle at half of `high`.
    #[must_use]
    pub fn speed(high: f64) -> Self {
        let map = Map::Sigmoid { steepness: 8.0 / high, middle: 0.5 * high };
        Self { name: "speed", unit: "m/s", low: 0.0, high, map }
    }

    /// Any field, in proportion.
    #[must_use]
    pub fn linear(name: &'a str, unit: &'a str, low: f64, high: f64) -> Self {
        Self { name, unit, low, high, map: Map::Linear }
    }

    /// Place of a value on the map, 0 to 1; NaN has none and is shown black.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        let place = match self.map {
            Map::Linear => (value - self.low) / (self.high - self.low),
            Map::Sigmoid { steepness, middle } => {
                let curve = |value: f64| 1.0 / (1.0 + (-steepness * (value - middle)).exp());
                (curve(value) - curve(0.0)) / (1.0 - curve(0.0))
            }
        };
        place.clamp(0.0, 1.0)
    }

    /// Color of a value.
    #[must_use]
    pub fn color(&self, value: f64) -> Rgb {
        let place = self.place(value);
        match place {
            _ if place.is_nan() => [0, 0, 0],
            _ if place < 0.5 => mix(BLUE, YELLOW, 2.0 * place),
            _ => mix(YELLOW, RED, 2.0 * place - 1.0),
        }
    }
}

/// A field's number in double precision, whichever it has.
fn wide(x: impl Into<f64>) -> f64 {
    x.into()
}

/// A mixture of two colors.
fn mix(a: Rgb, b: Rgb, part: f64) -> Rgb {
    std::array::from_fn(|i| (f64::from(a[i]) + part * (f64::from(b[i]) - f64::from(a[i]))).round() as u8)
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Cloud<'a, const D: usize> {
    /// Positions of fluid particles, one array an axis `[m]`.
    pub fluid: [&'a [Real]; D],
    /// The field that colors them.
    pub values: &'a [Real],
    /// Positions of wall particles, one array an axis `[m]`.
    pub walls: [&'a [Real]; D],
    /// Particle spacing `[m]`; discs and spheres have about this diameter.
    pub spacing: f64,
    /// Corners of the box in view `[m]`. Without it, the box around all particles. Pictures that are
    /// compared need the same one.
    pub bounds: Option<([f64; D], [f64; D])>,
}

/// How it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// Width `[px]`.
    pub width: u32,
    /// Height `[px]`.
    pub height: u32,
    /// Title, shortened where it is too long.
    pub title: &'a str,
    /// Colors.
    pub scale: Scale<'a>,
    /// Diameter over spacing.
    pub size: f64,
    /// In space: which axis points up, 0 to 2.
    pub up: usize,
    /// In space: how far the camera has walked around to the right `[rad]`.
    pub azimuth: f64,
    /// In space: how high the camera stands `[rad]`.
    pub elevation: f64,
}

impl<'a> Style<'a> {
    /// A style with particles as large as their spacing and, in 3D, a camera to the front, right and above
    /// of a z that points up.
    #[must_use]
    pub fn new(width: u32, height: u32, title: &'a str, scale: Scale<'a>) -> Self {
        Self { width, height, title, scale, size: 1.1, up: 2, azimuth: 0.5, elevation: 0.35 }
    }
}

/// Draws particles; returns the bytes of a PNG file. Positions that are not finite are left out.
///
/// # Errors
/// When the dimension is neither 2 nor 3, arrays differ in length, or the size is out of range.
pub fn draw<const D: usize>(cloud: &Cloud<'_, D>, style: &Style<'_>) -> Result<Vec<u8>, PictureError> {
    check(cloud, style)?;
    let text = text::Size::for_width(style.width);
    let mut canvas = Canvas::new(style.width, style.height, 2 * text.height(), 3 * text.height());
    if D == 2 {
        draw_discs(&mut canvas, cloud, style);
    } else {
        spheres::draw(&mut canvas, cloud, style);
    }
    let mut image = canvas.average();
    text.draw(&mut image, style.title, (8, text.height() / 2), style.width.saturating_sub(16));
    draw_bar(&mut image, text, &style.scale);
    Ok(image.png()?)
}

fn check<const D: usize>(cloud: &Cloud<'_, D>, style: &Style<'_>) -> Result<(), PictureError> {
    if !(2..=3).contains(&D) {
        return Err(PictureError::Dimension(D));
    }
    let Style { width, height, .. } = *style;
    if !(MIN_SIZE..=MAX_SIZE).contains(&width) || !(MIN_SIZE..=MAX_SIZE).contains(&height) {
        return Err(PictureError::Size { width, height });
    }
    let same = |name, found: usize, expected: usize| {
        if found == expected { Ok(()) } else { Err(PictureError::Length { name, found, expected }) }
    };
    let n_fluid = cloud.fluid[0].len();
    cloud.fluid.iter().try_for_each(|axis| same("fluid position", axis.len(), n_fluid))?;
    same("colored field", cloud.values.len(), n_fluid)?;
    cloud.walls.iter().try_for_each(|axis| same("wall position", axis.len(), cloud.walls[0].len()))
}

impl<const D: usize> Cloud<'_, D> {
    /// Position of particle `i`.
    fn position(axes: &[&[Real]; D], i: usize) -> [f64; D] {
        std::array::from_fn(|d| wide(axes[d][i]))
    }

    /// Corners of the box in view `[m]`.
    pub fn bounds(&self) -> ([f64; D], [f64; D]) {
        if let Some(bounds) = self.bounds {
            return bounds;
        }
        let end = |axis: usize, start: f64, pick: fn(f64, f64) -> f64| {
            let all = self.fluid[axis].iter().chain(self.walls[axis]).map(|x| wide(*x));
            let found = all.filter(|x| x.is_finite()).fold(start, pick);
            if found.is_finite() { found } else { 0.0 }
        };
        let half = 0.5 * self.spacing;
        let low = std::array::from_fn(|d| end(d, f64::INFINITY, f64::min) - half);
        (low, std::array::from_fn(|d| end(d, f64::NEG_INFINITY, f64::max) + half))
    }
}

/// Particles of the plane: walls first, fluid above.
fn draw_discs<const D: usize>(canvas: &mut Canvas, cloud: &Cloud<'_, D>, style: &Style<'_>) {
    let (low, high) = cloud.bounds();
    let fit = canvas.fit((low[0], low[1]), (high[0], high[1]));
    let radius = 0.5 * style.size * cloud.spacing * fit.scale;
    for i in 0..cloud.walls[0].len() {
        let x = Cloud::position(&cloud.walls, i);
        canvas.disc(fit.at((x[0], x[1])), radius, WALL);
    }
    for (i, value) in cloud.values.iter().enumerate() {
        let x = Cloud::position(&cloud.fluid, i);
        canvas.disc(fit.at((x[0], x[1])), radius, style.scale.color(wide(*value)));
    }
}

/// The color bar at the foot, with name, unit and both ends.
fn draw_bar(image: &mut canvas::Image, text: text::Size, scale: &Scale<'_>) {
    let line = text.height();
    let unit = if matches!(scale.unit, "" | "-") { String::new() } else { format!(" [{}]", scale.unit) };
    let name = format!("{}{unit}", scale.name);
    let name_width = text.width(&name);
    let left = (8 + name_width + line).min(image.width / 2);
    let right = image.width.saturating_sub(line).max(left + 1);
    let top = image.height - 5 * line / 2;
    text.draw(image, &name, (8, top), left);
    for x in left..right {
        let value = scale.low + (scale.high - scale.low) * f64::from(x - left) / f64::from(right - left);
        (top..top + line).for_each(|y| image.set(x, y, scale.color(value)));
    }
    for part in [0.0, 0.5, 1.0] {
        let label = text::number(scale.low + part * (scale.high - scale.low));
        let at = f64::from(left) + part * f64::from(right - left);
        let width = text.width(&label);
        let x = (at as u32).saturating_sub(width / 2).clamp(left, right.saturating_sub(width).max(left));
        text.draw(image, &label, (x, top + line + line / 8), width);
    }
}
