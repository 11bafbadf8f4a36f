//! Drawing of the lines of a plot: clipped to the plane, thinned to what the eye sees, marked by shape.

use plotters::element::{Circle, DashedPathElement, PathElement, Polygon};
use plotters::prelude::{Color, RGBColor, ShapeStyle};
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, VPos};

use super::labels::{self, Labels};
use super::{
    Area, Drawn, Frame, GUIDE, INK, Line, Look, PALETTE, fine, font, ink, text, text_in, text_in_row, width,
};

/// A curve is thinned to twice as many points.
pub const BUCKETS: usize = 400;
/// Markers along a curve.
const MARKERS: usize = 7;

impl Line {
    /// Draws line and markers.
    pub(super) fn draw(&self, root: &Area<'_>, frame: &Frame, labels: &mut Labels) -> Drawn {
        let points = thin(self.fractions(frame));
        if self.look != Look::Points {
            for stroke in clip(&points) {
                let pixels: Vec<_> = stroke.iter().map(|point| frame.at(*point)).collect();
                self.draw_stroke(root, &pixels)?;
                if matches!(self.look, Look::Joined | Look::Guide) {
                    pixels.windows(2).for_each(|pair| labels.take_stroke(pair[0], pair[1]));
                }
            }
        }
        for at in self.marked(&points).map(|point| frame.at(point)) {
            self.draw_marker(root, at)?;
            labels.take(at, 4.5);
        }
        Ok(())
    }

    /// Writes the texts beside the points; those of a guide stand at its last point inside the plane.
    pub(super) fn draw_texts(&self, root: &Area<'_>, frame: &Frame, labels: &mut Labels) -> Drawn {
        let size = font(labels::SIZE);
        if self.look == Look::Guide {
            let strokes = clip(&self.fractions(frame));
            let Some(last) = strokes.last().and_then(|stroke| stroke.last()) else { return Ok(()) };
            let Some(at) = labels.place(frame.at(*last), &self.label) else { return Ok(()) };
            return text(root, &self.label, at, (HPos::Center, VPos::Center), size);
        }
        for (point, label) in
            self.fractions(frame).into_iter().zip(&self.texts).filter(|(point, _)| inside(*point))
        {
            if let Some(at) = labels.place(frame.at(point), label) {
                let middle = (HPos::Center, VPos::Center);
                text_in(ink(self.style), root, label, at, middle, size.clone())?;
            }
        }
        Ok(())
    }

    /// Draws the entry of the legend whose left edge and middle are given `[px]`.
    pub(super) fn draw_key(&self, root: &Area<'_>, (left, middle): (f64, f64)) -> Drawn {
        if self.look != Look::Points {
            self.draw_stroke(root, &[(left, middle), (left + 24.0, middle)])?;
        }
        if self.look != Look::Exact {
            self.draw_marker(root, (left + 12.0, middle))?;
        }
        text_in_row(root, &self.label, (left + 30.0, middle), 12.5, FontStyle::Normal)
    }

    fn fractions(&self, frame: &Frame) -> Vec<(f64, f64)> {
        let fraction = |point: &(f64, f64)| (frame.x.fraction(point.0), frame.y.fraction(point.1));
        self.points.iter().map(fraction).collect()
    }

    fn color(&self) -> RGBColor {
        match self.look {
            Look::Points | Look::Exact => INK,
            Look::Guide => GUIDE,
            Look::Curve | Look::Joined => super::color(self.style),
        }
    }

    /// Number of the marker's shape; when colors come round again, they meet other shapes.
    fn marker(&self) -> usize {
        (self.style + 3 * (self.style / PALETTE.len())) % 8
    }

    /// The points that carry a marker: all of few, some of many, staggered by style so that lines that lie
    /// upon each other still show.
    fn marked(&self, points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
        let step = match self.look {
            Look::Joined | Look::Points => 1,
            Look::Curve => points.len().div_ceil(MARKERS).max(1),
            Look::Exact | Look::Guide => usize::MAX,
        };
        let first = if step == usize::MAX { points.len() } else { (self.style * step / 5 + step / 2) % step };
        points.iter().skip(first).step_by(step).copied().filter(|point| inside(*point))
    }

    fn draw_stroke(&self, root: &Area<'_>, pixels: &[(f64, f64)]) -> Drawn {
        let points: Vec<_> = pixels.iter().map(|at| (fine(at.0), fine(at.1))).collect();
        let thick = if self.look == Look::Guide { 1.2 } else { 1.8 };
        let style = self.color().stroke_width(width(thick));
        let drawn = if self.look == Look::Guide {
            root.draw(&DashedPathElement::new(points, fine(5.0), fine(4.0), style))
        } else {
            root.draw(&PathElement::new(points, style))
        };
        drawn.map_err(|error| error.to_string())
    }

    fn draw_marker(&self, root: &Area<'_>, (x, y): (f64, f64)) -> Drawn {
        let at = (fine(x), fine(y));
        let drawn = match self.look {
            Look::Points => root.draw(&Circle::new(at, fine(3.2), INK.stroke_width(width(1.3)))),
            _ if self.marker() == 0 => root.draw(&Circle::new(at, fine(3.6), self.color().filled())),
            _ => root
                .draw(&Polygon::new(shape(self.marker(), (x, y)), ShapeStyle::from(self.color()).filled())),
        };
        drawn.map_err(|error| error.to_string())
    }
}

/// The outline of a marker: square, triangle, diamond, ... by number.
fn shape(marker: usize, (x, y): (f64, f64)) -> Vec<(i32, i32)> {
    // corners, turn against the upright [1/8 of a circle], radius, inner radius of a star
    let (corners, turn, radius, inner) = match marker {
        1 => (4, 1.0, 4.8, None),
        2 => (3, 0.0, 5.0, None),
        3 => (4, 0.0, 4.9, None),
        4 => (3, 4.0, 5.0, None),
        5 => (5, 0.0, 5.8, Some(2.3)),
        6 => (4, 1.0, 5.4, Some(2.0)),
        _ => (6, 0.0, 4.4, None),
    };
    let n = if inner.is_some() { 2 * corners } else { corners };
    let corner = |i: i32| {
        let angle = (f64::from(i) / f64::from(n) + turn / 8.0) * std::f64::consts::TAU;
        let radius = if i % 2 == 1 { inner.unwrap_or(radius) } else { radius };
        (fine(x + radius * angle.sin()), fine(y - radius * angle.cos()))
    };
    (0..n).map(corner).collect()
}

fn inside((x, y): (f64, f64)) -> bool {
    (-1e-9..=1.0 + 1e-9).contains(&x) && (-1e-9..=1.0 + 1e-9).contains(&y)
}

/// Keeps the highest and the lowest of each run of many points, in order, so that no peak is lost.
pub fn thin(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= 2 * BUCKETS {
        return points;
    }
    let size = points.len().div_ceil(BUCKETS);
    let mut kept = Vec::with_capacity(2 * BUCKETS);
    for run in points.chunks(size) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let ends = [run.iter().min_by(by_height), run.iter().max_by(by_height)];
        let [Some(&low), Some(&high)] = ends else { continue };
        if low.0 <= high.0 { kept.extend([low, high]) } else { kept.extend([high, low]) }
    }
    kept
}

/// The parts of a line within the unit square. A point that is not finite breaks the line.
pub fn clip(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut strokes: Vec<Vec<(f64, f64)>> = Vec::new();
    for pair in points.windows(2) {
        let Some((from, to)) = clip_segment(pair[0], pair[1]) else { continue };
        match strokes.last_mut() {
            Some(stroke) if stroke.last() == Some(&from) => stroke.push(to),
            _ => strokes.push(vec![from, to]),
        }
    }
    strokes
}

type Segment = ((f64, f64), (f64, f64));

/// The part of a segment within the unit square.
pub fn clip_segment(from: (f64, f64), to: (f64, f64)) -> Option<Segment> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    if !(dx.is_finite() && dy.is_finite()) {
        return None;
    }
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (start, step) in [(from.0, dx), (from.1, dy)] {
        if step == 0.0 {
            if !(0.0..=1.0).contains(&start) {
                return None;
            }
            continue;
        }
        let (a, b) = (-start / step, (1.0 - start) / step);
        (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    }
    let at = |part: f64| (from.0 + part * dx, from.1 + part * dy);
    let end = if leave < 1.0 { at(leave) } else { to };
    (enter <= leave).then(|| (if enter > 0.0 { at(enter) } else { from }, end))
}
