//! Line plots as SVG text. The only module, with its neighbors `axis` and `bars`, that knows the plot crate.
//!
//! Colors are those of Okabe and Ito, told apart by color-blind eyes; each line has a marker shape too. The
//! legend stands below the axes, where it covers no data. Text stays text.

pub mod axis;
pub mod bars;
mod labels;
pub mod lines;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::csv;
use axis::Axis;
pub use axis::Label;
use labels::Labels;

/// A plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the plot {title:?}: {reason}")]
pub struct PlotError {
    /// Title of the plot.
    pub title: String,
    /// What the plot crate says.
    pub reason: String,
}

/// The plot crate has whole pixels only; curves are drawn this much larger, and shown smaller.
const FINE: f64 = 4.0;
/// Width of a plot on the page `[px]`.
const WIDTH: f64 = 540.0;
/// Height without the legend `[px]`.
const HEIGHT: f64 = 340.0;
/// Room between caption of the abscissa and legend `[px]`.
const LEGEND_GAP: f64 = 8.0;
/// Height of a line of the legend `[px]`.
const LEGEND_ROW: f64 = 21.0;
/// Text, as dark as the page's.
const INK: RGBColor = RGBColor(28, 32, 38);
const GRID: RGBColor = RGBColor(228, 231, 235);
const AXIS: RGBColor = RGBColor(90, 96, 105);
const GUIDE: RGBColor = RGBColor(140, 146, 154);

/// Colors of lines, in order of use.
const PALETTE: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(110, 80, 160),
    RGBColor(120, 120, 120),
];

/// The color of a style. The second time round colors are dark; after that they differ from earlier ones by what no eye sees,
/// so that a page can tell styles by them.
fn color(style: usize) -> RGBColor {
    let (round, RGBColor(red, green, blue)) = (style / PALETTE.len(), PALETTE[style % PALETTE.len()]);
    let shade = |channel: u8| if round % 2 == 1 { (0.55 * f64::from(channel)) as u8 } else { channel };
    RGBColor(shade(red), shade(green), shade(blue).saturating_add((round / 2) as u8))
}

/// The same for the texts beside its points.
fn ink(style: usize) -> RGBColor {
    let RGBColor(red, green, blue) = INK;
    RGBColor(red, green, blue + 1 + style.min(100) as u8)
}

/// Colors of a style as a page writes them, `#0072B2`: of its line, and of the texts beside its points.
#[must_use]
pub fn color_names(style: usize) -> [String; 2] {
    let name = |RGBColor(red, green, blue)| format!("#{red:02X}{green:02X}{blue:02X}");
    [name(color(style)), name(ink(style))]
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A measured curve: a colored line with a marker here and there.
    Curve,
    /// Few measured points, joined, each with a marker.
    Joined,
    /// Published points: hollow black circles.
    Points,
    /// An exact solution: a black line.
    Exact,
    /// A guide to the eye: dashed and grey, labelled at its end, absent from legend and limits.
    Guide,
}

/// One line of a plot.
#[derive(Clone, Debug)]
pub struct Line {
    /// Text in the legend.
    pub label: String,
    /// How it is drawn.
    pub look: Look,
    /// Which color and marker; the same number is the same method in every plot.
    pub style: usize,
    /// The points.
    pub points: Vec<(f64, f64)>,
    /// A text beside each point; may be empty.
    pub texts: Vec<String>,
    /// Whether the axes must hold this line. A run that blew up must not flatten the others.
    pub fits_axes: bool,
}

impl Line {
    /// A line that the axes hold.
    #[must_use]
    pub fn new(label: &str, look: Look, style: usize, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), look, style, points, texts: Vec::new(), fits_axes: look != Look::Guide }
    }
}

/// A plot of lines.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title, which also describes the plot to those who cannot see it.
    pub title: String,
    /// Abscissa.
    pub x: Label,
    /// Ordinate.
    pub y: Label,
    /// Lines, later ones above.
    pub lines: Vec<Line>,
    /// Where the abscissa has its ticks; empty lets it choose.
    pub x_ticks: Vec<f64>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), String>;

impl Chart {
    /// The plot as an `<svg>` element.
    ///
    /// # Errors
    /// When the plot crate fails.
    pub fn svg(&self) -> Result<String, PlotError> {
        let keys: Vec<_> = self.lines.iter().filter(|line| line.look != Look::Guide).collect();
        let rows = legend_rows(keys.iter().map(|line| line.label.as_str()));
        let n_rows = rows.last().map_or(0, |(row, _)| row + 1);
        svg(&self.title, HEIGHT + LEGEND_GAP + LEGEND_ROW * n_rows as f64 + 6.0, |root| {
            self.draw_axes_and_lines(root)?;
            for (line, (row, left)) in keys.iter().zip(&rows) {
                line.draw_key(root, (*left, HEIGHT + LEGEND_GAP + (*row as f64 + 0.5) * LEGEND_ROW))?;
            }
            Ok(())
        })
    }

    /// Its lines as comma-separated values, one row a point; guides are not of the data.
    #[must_use]
    pub fn csv(&self) -> String {
        let head = |label: &Label| csv::cell(&label.with_unit());
        let mut out = format!("{},{},line\n", head(&self.x), head(&self.y));
        for line in self.lines.iter().filter(|line| line.look != Look::Guide) {
            for (x, y) in &line.points {
                out += &format!("{},{},{}\n", csv::short(*x), csv::short(*y), csv::cell(&line.label));
            }
        }
        out
    }

    fn draw_axes_and_lines(&self, root: &Area<'_>) -> Drawn {
        let fitted = || self.lines.iter().filter(|line| line.fits_axes).flat_map(|line| &line.points);
        let shown = |point: &&(f64, f64)| self.x.can_show(point.0) && self.y.can_show(point.1);
        let mut x = Axis::fit(fitted().filter(shown).map(|point| point.0), self.x.log, 7);
        let y = Axis::fit(fitted().filter(shown).map(|point| point.1), self.y.log, 6);
        if !self.x_ticks.is_empty() {
            x.ticks.clone_from(&self.x_ticks);
        }
        let pixels = self.draw_axes(root, &x, &y)?;
        text_in_row(root, &self.title, (8.0, 16.0), 14.5, FontStyle::Bold)?;
        let frame = Frame { x, y, pixels };
        let mut labels = Labels::new(&frame);
        for line in &self.lines {
            line.draw(root, &frame, &mut labels)?;
        }
        self.lines.iter().try_for_each(|line| line.draw_texts(root, &frame, &mut labels))
    }

    /// Draws grid, ticks and captions; returns where the plane lies.
    fn draw_axes(&self, root: &Area<'_>, x: &Axis, y: &Axis) -> Result<Pixels, String> {
        let longest = y.ticks.iter().map(|tick| y.tick_text(*tick).chars().count()).max().unwrap_or(1);
        let (above, _) = root.split_vertically(fine(HEIGHT));
        let mut chart = ChartBuilder::on(&above)
            .margin_top(fine(34.0))
            .margin_right(fine(18.0))
            .margin_left(fine(4.0))
            .x_label_area_size(fine(44.0))
            .y_label_area_size(fine(36.0 + 7.4 * longest as f64))
            .build_cartesian_2d(x.clone(), y.clone())
            .map_err(|error| error.to_string())?;
        chart
            .configure_mesh()
            .bold_line_style(GRID.stroke_width(width(1.0)))
            .light_line_style(TRANSPARENT)
            .axis_style(AXIS.stroke_width(width(1.2)))
            .label_style(font(12.5).color(&INK))
            .axis_desc_style(font(13.0).color(&INK))
            .set_all_tick_mark_size(fine(4.0))
            .x_desc(x.caption(&self.x))
            .y_desc(y.caption(&self.y))
            .draw()
            .map_err(|error| error.to_string())?;
        let (across, down) = chart.plotting_area().get_pixel_range();
        let coarse = |pixel: i32| f64::from(pixel) / FINE;
        Ok(Pixels {
            left: coarse(across.start),
            right: coarse(across.end),
            top: coarse(down.start),
            bottom: coarse(down.end),
        })
    }
}

/// Where the plane of a plot lies `[px]`.
#[derive(Clone, Copy, Debug)]
struct Pixels {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// The plane of a plot with its axes.
#[derive(Clone, Debug)]
struct Frame {
    pub x: Axis,
    pub y: Axis,
    pub pixels: Pixels,
}

impl Frame {
    /// Position of a point whose fractions along the axes are given `[px]`.
    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let Pixels { left, right, top, bottom } = self.pixels;
        (left + x * (right - left), bottom + y * (top - bottom))
    }
}

/// Places the entries of a legend in rows: row and left edge `[px]` of each.
pub fn legend_rows<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<(usize, f64)> {
    let (mut row, mut left) = (0, 14.0);
    let mut rows = Vec::new();
    for label in labels {
        let width = 46.0 + text_width(label, 12.5);
        if left > 14.0 && left + width > WIDTH {
            (row, left) = (row + 1, 14.0);
        }
        rows.push((row, left));
        left += width;
    }
    rows
}

/// Width of a text `[px]`, on the safe side for the common sans-serif fonts.
fn text_width(text: &str, size: f64) -> f64 {
    0.58 * size * text.chars().count() as f64
}

/// Runs `draw` on an empty picture of the common width, and returns it as an `<svg>` element that shrinks
/// with the page.
fn svg(title: &str, height: f64, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, PlotError> {
    let failed = |reason: String| PlotError { title: title.into(), reason };
    let mut out = String::new();
    let root =
        SVGBackend::with_string(&mut out, (fine(WIDTH) as u32, fine(height) as u32)).into_drawing_area();
    draw(&root).and_then(|()| root.present().map_err(|error| error.to_string())).map_err(failed)?;
    drop(root);
    let old = format!(r#"<svg width="{}" height="{}""#, fine(WIDTH), fine(height));
    let new = format!(
        r#"<svg width="{WIDTH}" height="{height}" role="img" aria-label="{}""#,
        super::html::escape(title)
    );
    Ok(out.replacen(&old, &new, 1))
}

/// Writes a text whose anchor lies at a position `[px]`.
fn text(
    root: &Area<'_>,
    text: &str,
    at: (f64, f64),
    (across, down): (HPos, VPos),
    font: FontDesc<'_>,
) -> Drawn {
    text_in(INK, root, text, at, (across, down), font)
}

/// The same in a color.
fn text_in(
    color: RGBColor,
    root: &Area<'_>,
    text: &str,
    at: (f64, f64),
    (across, down): (HPos, VPos),
    font: FontDesc<'_>,
) -> Drawn {
    let style = TextStyle::from(font).color(&color).pos(Pos::new(across, down));
    root.draw(&Text::new(text, (fine(at.0), fine(at.1)), style)).map_err(|error| error.to_string())
}

/// Writes a text from a left middle to the edge of the picture `[px]`: smaller where it is long, and cut short
/// where that would be too small to read.
fn text_in_row(root: &Area<'_>, words: &str, at: (f64, f64), size: f64, style: FontStyle) -> Drawn {
    const SMALLEST: f64 = 10.0;
    let room = WIDTH - at.0 - 4.0;
    let size = (size * room / text_width(words, size)).clamp(SMALLEST, size);
    let n_fit = (room / text_width("x", size)) as usize;
    let cut = if words.chars().count() > n_fit {
        words.chars().take(n_fit.saturating_sub(1)).chain(['…']).collect()
    } else {
        words.to_owned()
    };
    text(root, &cut, at, (HPos::Left, VPos::Center), font(size).style(style))
}

/// The page's font. The plot crate draws a font of size 1.24 as one of size 1.
fn font(size: f64) -> FontDesc<'static> {
    ("sans-serif", size * FINE * 1.24).into_font()
}

/// A length of the page in the finer pixels of the plot crate.
fn fine(length: f64) -> i32 {
    (length * FINE).round() as i32
}

/// A line width in finer pixels.
fn width(length: f64) -> u32 {
    (length * FINE).round().max(1.0) as u32
}
