//! Text on pictures, in a font that needs no file.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use super::INK;
use super::canvas::Image;
use crate::result::number;

/// A size of the font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(RasterHeight);

impl Size {
    /// A size that fits a picture of this width `[px]`.
    pub fn for_width(width: u32) -> Self {
        Self(if width < 1100 { RasterHeight::Size16 } else { RasterHeight::Size24 })
    }

    /// Height of a line `[px]`.
    pub fn height(self) -> u32 {
        self.0.val() as u32
    }

    /// Width of a text `[px]`.
    pub fn width(self, text: &str) -> u32 {
        (spelled(text).chars().count() * self.advance()) as u32
    }

    /// Writes a text to the right and below of a place, shortened to fit a width `[px]`.
    pub fn draw(self, image: &mut Image, text: &str, (left, top): (u32, u32), width: u32) {
        let text = spelled(text);
        let room = width as usize / self.advance();
        let chars: Vec<char> = if text.chars().count() > room {
            text.chars().take(room.saturating_sub(3)).chain("...".chars()).collect()
        } else {
            text.chars().collect()
        };
        for (i, c) in chars.into_iter().enumerate() {
            let Some(raster) = get_raster(c, FontWeight::Regular, self.0) else { continue };
            let left = left + (i * self.advance()) as u32;
            for (y, row) in raster.rows().enumerate() {
                for (x, part) in row.iter().enumerate() {
                    image.blend(left + x as u32, top + y as u32, INK, f64::from(*part) / 255.0);
                }
            }
        }
    }

    fn advance(self) -> usize {
        get_raster_width(FontWeight::Regular, self.0)
    }
}

/// A number in the letters that the font has: `2.5e-7`.
pub fn number(value: f64) -> String {
    number::significant(value, 3).replace("·10", "e")
}

/// A text in the letters that the font has.
pub fn spelled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'η' => out.push_str("eta"),
            'δ' => out.push_str("delta"),
            'ρ' => out.push_str("rho"),
            'ν' => out.push_str("nu"),
            'λ' => out.push_str("lambda"),
            '−' | '⁻' | '–' => out.push('-'),
            '⁰' => out.push('0'),
            '⁴'..='⁹' => out.push(char::from(b'4' + (c as u32 - '⁴' as u32) as u8)),
            ' '..='~' | '\u{a0}'..='\u{ff}' => out.push(c),
            _ => out.push('?'),
        }
    }
    out
}
