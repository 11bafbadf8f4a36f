//! How hard the steps of a run were to solve.

use crate::{
    metrics::Curve,
    result::{Series, SeriesGroup, series_name},
};

/// Counts the iterations of steps.
#[derive(Debug, Default)]
pub(super) struct Solved {
    steps: u64,
    iterations: u64,
    /// Steps and iterations up to the last look.
    seen: (u64, u64),
    curve: Curve,
}

impl Solved {
    /// A step was done with so many iterations.
    pub(super) fn count(&mut self, iterations: u32) {
        self.steps += 1;
        self.iterations += u64::from(iterations);
    }

    /// Notes the mean over the steps since the last look.
    pub(super) fn look(&mut self, t: f64) {
        let (steps, iterations) = (self.steps - self.seen.0, self.iterations - self.seen.1);
        if steps > 0 {
            self.curve.push(t, iterations as f64 / steps as f64);
            self.seen = (self.steps, self.iterations);
        }
    }

    /// Mean number of iterations over so many steps, if the method iterates.
    pub(super) fn mean(&self, steps: u64) -> Option<f64> {
        (self.iterations > 0).then(|| self.iterations as f64 / steps as f64)
    }

    /// What a report draws of it: nothing of a method that does not iterate, and no residuals where there are none.
    pub(super) fn series(&self, residuals: &[f64]) -> Vec<Series> {
        let draw = |curve: &Curve, name, x, y| curve.series(name, SeriesGroup::Iteration, x, y);
        let mut series = Vec::new();
        if self.iterations > 0 {
            series.push(draw(
                &self.curve,
                series_name::ITERATIONS,
                ("time", "s"),
                ("iterations of a step", "-"),
            ));
        }
        if !residuals.is_empty() {
            let x = (1..=residuals.len()).map(|k| k as f64).collect();
            let curve = Curve { x, y: residuals.to_vec() };
            let y = ("residual over right side", "-");
            series.push(draw(&curve, series_name::RESIDUAL, ("iteration", "-"), y));
        }
        series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_sees_the_mean_since_the_last_one() {
        let mut solved = Solved::default();
        solved.look(0.0);
        for (t, all) in [(1.0, vec![10, 20]), (2.0, vec![40]), (3.0, Vec::new())] {
            all.into_iter().for_each(|iterations| solved.count(iterations));
            solved.look(t);
        }
        assert_eq!(solved.mean(3), Some(70.0 / 3.0));
        let series = solved.series(&[0.5, 0.1]);
        assert_eq!((series[0].x.clone(), series[0].y.clone()), (vec![1.0, 2.0], vec![15.0, 40.0]));
        assert_eq!((series[1].x.clone(), series[1].y.clone()), (vec![1.0, 2.0], vec![0.5, 0.1]));
    }

    #[test]
    fn a_method_that_does_not_iterate_has_nothing_to_show() {
        let mut solved = Solved::default();
        solved.count(0);
        solved.look(1.0);
        assert!(solved.series(&[]).is_empty() && solved.mean(1).is_none());
    }
}
