//! Samples with depth, and the image they average to.

use super::Rgb;

const WHITE: Rgb = [255; 3];
/// Pictures up to this size take nine samples a pixel, larger ones four `[px]`.
const FINE_UP_TO: u64 = 1_000_000;

/// Samples of the picture between title and color bar.
pub(super) struct Canvas {
    /// Size of the whole picture `[px]`.
    size: (u32, u32),
    /// Height above the samples `[px]`.
    top: u32,
    /// Samples along a side of a pixel.
    fine: usize,
    /// Samples across and down.
    samples: (usize, usize),
    color: Vec<Rgb>,
    depth: Vec<f32>,
}

/// A finished picture.
pub(super) struct Image {
    pub width: u32,
    pub height: u32,
    pixels: Vec<Rgb>,
}

/// How places become samples.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    /// Samples over length.
    pub scale: f64,
    origin: (f64, f64),
}

impl Fit {
    /// Sample of a place; the second coordinate points up.
    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.origin.0 + self.scale * x, self.origin.1 - self.scale * y)
    }
}

impl Canvas {
    /// White, with room for text above and below.
    pub fn new(width: u32, height: u32, above: u32, below: u32) -> Self {
        let fine = if u64::from(width) * u64::from(height) <= FINE_UP_TO { 3 } else { 2 };
        let rows = height.saturating_sub(above + below).max(1);
        let samples = (width as usize * fine, rows as usize * fine);
        let n = samples.0 * samples.1;
        Self {
            size: (width, height),
            top: above,
            fine,
            samples,
            color: vec![WHITE; n],
            depth: vec![f32::NEG_INFINITY; n],
        }
    }

    /// Fits a box into the samples, with a margin.
    pub fn fit(&self, low: (f64, f64), high: (f64, f64)) -> Fit {
        let (across, down) = (self.samples.0 as f64, self.samples.1 as f64);
        let margin = 8.0 * self.fine as f64;
        let size = |low: f64, high: f64| (high - low).max(f64::MIN_POSITIVE);
        let (wide, tall) = (size(low.0, high.0), size(low.1, high.1));
        let scale = ((across - 2.0 * margin) / wide).min((down - 2.0 * margin) / tall);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let origin = (0.5 * (across - scale * (low.0 + high.0)), 0.5 * (down + scale * (low.1 + high.1)));
        Fit { scale, origin }
    }

    /// A flat disc above all that was drawn.
    pub fn disc(&mut self, center: (f64, f64), radius: f64, color: Rgb) {
        self.round(center, radius, |_, _| f32::INFINITY, |_, _| color);
    }

    /// Something round, of which a sample keeps what is nearest. `depth` (larger is nearer) and `color` get a place
    /// within it as a part of its radius, to the right and up; the color of what is hidden is not asked for.
    pub fn round(
        &mut self,
        (x, y): (f64, f64),
        radius: f64,
        depth: impl Fn(f64, f64) -> f32,
        color: impl Fn(f64, f64) -> Rgb,
    ) {
        let radius = radius.max(0.6); // smaller ones would fall between the samples
        if !(x.is_finite() && y.is_finite()) {
            return;
        }
        let span = |middle: f64, n: usize| {
            let from = (middle - radius).max(0.0) as usize;
            from..((middle + radius).max(-1.0) + 1.0).min(n as f64) as usize
        };
        for row in span(y, self.samples.1) {
            let v = (y - row as f64 - 0.5) / radius;
            for column in span(x, self.samples.0) {
                let u = (column as f64 + 0.5 - x) / radius;
                if u * u + v * v > 1.0 {
                    continue;
                }
                let (at, depth) = (row * self.samples.0 + column, depth(u, v));
                if depth >= self.depth[at] {
                    (self.depth[at], self.color[at]) = (depth, color(u, v));
                }
            }
        }
    }

    /// The picture, each pixel the mean of its samples.
    pub fn average(&self) -> Image {
        let (width, height) = self.size;
        let mut image = Image { width, height, pixels: vec![WHITE; width as usize * height as usize] };
        let rows = image.pixels.chunks_exact_mut(width as usize).skip(self.top as usize);
        for (pixels, samples) in rows.zip(self.color.chunks_exact(self.samples.0 * self.fine)) {
            match self.fine {
                2 => average_row::<2>(pixels, samples),
                _ => average_row::<3>(pixels, samples),
            }
        }
        image
    }
}

/// Pixels side by side, each the mean of `FINE` times `FINE` samples.
fn average_row<const FINE: usize>(pixels: &mut [Rgb], samples: &[Rgb]) {
    let n = (FINE * FINE) as u16;
    for (column, pixel) in pixels.iter_mut().enumerate() {
        let mut sum = [n / 2; 3];
        for line in samples.chunks_exact(samples.len() / FINE) {
            for color in &line[column * FINE..][..FINE] {
                for (sum, part) in sum.iter_mut().zip(color) {
                    *sum += u16::from(*part);
                }
            }
        }
        *pixel = sum.map(|sum| (sum / n) as u8);
    }
}

impl Image {
    /// Sets a pixel; one outside is dropped.
    pub fn set(&mut self, x: u32, y: u32, color: Rgb) {
        if x < self.width && y < self.height {
            self.pixels[y as usize * self.width as usize + x as usize] = color;
        }
    }

    /// Lays a color over a pixel.
    pub fn blend(&mut self, x: u32, y: u32, color: Rgb, part: f64) {
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y as usize * self.width as usize + x as usize];
            *pixel = super::mix(*pixel, color, part);
        }
    }

    /// The bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }
}
