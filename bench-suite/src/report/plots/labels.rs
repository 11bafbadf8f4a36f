//! Texts beside points, placed where they cover nothing.

use super::{Frame, Pixels, text_width};

/// Height of a label `[px]`.
const HEIGHT: f64 = 13.0;
/// Size of its font `[px]`.
pub(super) const SIZE: f64 = 11.5;

/// The places of a plot that are taken.
#[derive(Debug)]
pub(super) struct Labels {
    plane: Pixels,
    taken: Vec<Pixels>,
}

impl Labels {
    /// An empty plot.
    pub fn new(frame: &Frame) -> Self {
        Self { plane: frame.pixels, taken: Vec::new() }
    }

    /// Keeps labels away from a place.
    pub fn take(&mut self, (x, y): (f64, f64), radius: f64) {
        self.taken.push(Pixels { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });
    }

    /// Keeps labels away from a stroke.
    pub fn take_stroke(&mut self, from: (f64, f64), to: (f64, f64)) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let n = (length / 5.0).ceil().clamp(1.0, 400.0) as usize;
        for i in 0..=n {
            let part = i as f64 / n as f64;
            self.take((from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1)), 1.5);
        }
    }

    /// The center of a free place for `text` near a point; takes it. `None` when all are taken: a label
    /// that is missing is better than two that cannot be read.
    pub fn place(&mut self, (x, y): (f64, f64), text: &str) -> Option<(f64, f64)> {
        let (half, up) = (0.5 * text_width(text, SIZE) + 1.0, 0.5 * HEIGHT);
        let (far, high) = (half + 6.0, up + 6.0);
        let steps = [
            (far, 0.0),
            (far, -high),
            (0.0, -high),
            (-far, -high),
            (-far, 0.0),
            (far, high),
            (0.0, high),
            (-far, high),
        ];
        let boxes = steps.into_iter().map(|(dx, dy)| {
            let (x, y) = (x + dx, y + dy);
            Pixels { left: x - half, right: x + half, top: y - up, bottom: y + up }
        });
        let free = boxes.into_iter().find(|place| {
            place.is_inside(&self.plane) && !self.taken.iter().any(|other| place.overlaps(other))
        })?;
        self.taken.push(free);
        Some((0.5 * (free.left + free.right), 0.5 * (free.top + free.bottom)))
    }
}

impl Pixels {
    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_inside(&self, other: &Self) -> bool {
        self.left > other.left
            && self.right < other.right
            && self.top > other.top
            && self.bottom < other.bottom
    }
}
