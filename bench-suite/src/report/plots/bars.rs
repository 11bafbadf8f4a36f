//! Stacked bars: where the time of each run goes.

use plotters::element::Rectangle;
use plotters::prelude::{Color, RGBColor};
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, VPos};

use super::{Drawn, LEGEND_ROW, PlotError, WIDTH, fine, font, legend_rows, svg, text, text_in_row};
use crate::{report::csv, result::number};

/// Colors of parts, in order of use; the last is for the rest.
const FILLS: [RGBColor; 9] = [
    RGBColor(51, 34, 136),
    RGBColor(136, 204, 238),
    RGBColor(17, 119, 51),
    RGBColor(221, 204, 119),
    RGBColor(204, 102, 119),
    RGBColor(68, 170, 153),
    RGBColor(170, 68, 153),
    RGBColor(153, 153, 51),
    RGBColor(200, 204, 210),
];
/// Height of a bar with its text `[px]`.
const ROW: f64 = 44.0;
/// Height of the title `[px]`.
const TOP: f64 = 34.0;

/// A plot of stacked bars.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Title, which also describes the plot to those who cannot see it.
    pub title: String,
    /// Unit of the values.
    pub unit: String,
    /// Names of the parts.
    pub parts: Vec<String>,
    /// Name of each bar, and its values, one a part.
    pub bars: Vec<(String, Vec<f64>)>,
}

impl Bars {
    /// The plot as an `<svg>` element.
    ///
    /// # Errors
    /// When the plot crate fails.
    pub fn svg(&self) -> Result<String, PlotError> {
        let keys = legend_rows(self.parts.iter().map(String::as_str));
        let legend = LEGEND_ROW * keys.last().map_or(0, |(row, _)| row + 1) as f64;
        let below = TOP + ROW * self.bars.len() as f64 + 8.0;
        svg(&self.title, below + legend + 6.0, |root| {
            text_in_row(root, &self.title, (8.0, 16.0), 14.5, FontStyle::Bold)?;
            let longest = self.bars.iter().map(|(_, values)| total(values)).fold(0.0, f64::max);
            for (i, (name, values)) in self.bars.iter().enumerate() {
                self.draw_bar(root, TOP + ROW * i as f64, name, values, longest)?;
            }
            for (i, (part, (row, left))) in self.parts.iter().zip(&keys).enumerate() {
                let middle = below + (*row as f64 + 0.5) * LEGEND_ROW;
                draw_box(root, (*left + 4.0, middle - 6.0), (*left + 22.0, middle + 6.0), self.fill(i))?;
                text_in_row(root, part, (left + 30.0, middle), 12.5, FontStyle::Normal)?;
            }
            Ok(())
        })
    }

    /// Its values as comma-separated values, one row a bar and part.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = format!("value [{}],part,bar\n", self.unit);
        for (name, values) in &self.bars {
            for (part, value) in self.parts.iter().zip(values) {
                out += &format!("{},{},{}\n", csv::short(*value), csv::cell(part), csv::cell(name));
            }
        }
        out
    }

    fn draw_bar(&self, root: &super::Area<'_>, top: f64, name: &str, values: &[f64], longest: f64) -> Drawn {
        text_in_row(root, name, (14.0, top + 9.0), 12.5, FontStyle::Normal)?;
        let room = WIDTH - 14.0 - 96.0;
        let scale = if longest > 0.0 { room / longest } else { 0.0 };
        let mut left = 14.0;
        for (i, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite() && **value > 0.0) {
            let right = left + value * scale;
            draw_box(root, (left, top + 18.0), (right, top + 36.0), self.fill(i))?;
            left = right;
        }
        let sum = number::with_unit(total(values), &self.unit, 3);
        text(root, &sum, (left + 6.0, top + 27.0), (HPos::Left, VPos::Center), font(12.5))
    }

    fn fill(&self, part: usize) -> RGBColor {
        FILLS[part.min(FILLS.len() - 1)]
    }
}

fn total(values: &[f64]) -> f64 {
    values.iter().filter(|value| value.is_finite()).sum()
}

fn draw_box(root: &super::Area<'_>, from: (f64, f64), to: (f64, f64), fill: RGBColor) -> Drawn {
    let corners = [(fine(from.0), fine(from.1)), (fine(to.0), fine(to.1))];
    root.draw(&Rectangle::new(corners, fill.filled())).map_err(|error| error.to_string())
}
