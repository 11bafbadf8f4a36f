//! Conjugate gradients, on small dense equations.

use solver_projection::cg::*;
use std::convert::Infallible;

/// A dense equation, preconditioned by its diagonal.
struct Dense {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    x: Vec<f64>,
    r: Vec<f64>,
    z: Vec<f64>,
    d: Vec<f64>,
    q: Vec<f64>,
    history: Vec<f64>,
    observed: Observed,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Dense {
    fn new(a: &[&[f64]], b: &[f64]) -> Self {
        let zero = vec![0.0; b.len()];
        Self {
            a: a.iter().map(|row| row.to_vec()).collect(),
            b: b.to_vec(),
            x: zero.clone(),
            r: zero.clone(),
            z: zero.clone(),
            d: zero.clone(),
            q: zero,
            history: Vec::new(),
            observed: Observed::Nothing,
        }
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        self.a.iter().map(|row| dot(row, x)).collect()
    }
}

impl Equation for Dense {
    type Error = Infallible;
    type Scalar = f64;

    fn residual(&mut self) -> Result<[f64; 2], Infallible> {
        let ax = self.times(&self.x);
        self.r = self.b.iter().zip(ax).map(|(b, ax)| b - ax).collect();
        Ok([dot(&self.b, &self.b), dot(&self.r, &self.r)])
    }

    fn precondition(&mut self) -> Result<f64, Infallible> {
        self.z = (0..self.r.len()).map(|i| self.r[i] / self.a[i][i].abs().max(1e-300)).collect();
        Ok(dot(&self.r, &self.z))
    }

    fn begin(&mut self) -> Result<(), Infallible> {
        self.d.clone_from(&self.z);
        Ok(())
    }

    fn apply(&mut self) -> Result<f64, Infallible> {
        self.q = self.times(&self.d);
        let (work, size) = (dot(&self.d, &self.q), dot(&self.d, &self.d));
        self.observed = match work {
            work if work > 1e-14 * size => Observed::Nothing,
            work if work >= -1e-14 * size => Observed::Breakdown,
            _ => Observed::Indefinite,
        };
        Ok(work)
    }

    fn advance(&mut self, rho: f64, sigma: f64, _target: f64) -> Result<(), Infallible> {
        if self.observed == Observed::Nothing {
            let alpha = rho / sigma;
            for i in 0..self.x.len() {
                self.x[i] += alpha * self.d[i];
                self.r[i] -= alpha * self.q[i];
            }
            self.history.push(dot(&self.r, &self.r));
            self.observed = Observed::Residual(dot(&self.r, &self.r));
        }
        Ok(())
    }

    fn turn(&mut self, next: f64, rho: f64) -> Result<(), Infallible> {
        self.d = self.z.iter().zip(&self.d).map(|(z, d)| z + next / rho * d).collect();
        Ok(())
    }

    fn observe(&mut self, _k: u32, _last: bool) -> Result<Observed, Infallible> {
        Ok(self.observed)
    }

    fn history(&self) -> &[f64] {
        &self.history
    }
}

fn limits(iterations: u32) -> Limits {
    Limits { tolerance: 1e-12, absolute: None, iterations }
}

const CHAIN: [&[f64]; 3] = [&[2.0, -1.0, 0.0], &[-1.0, 2.0, -1.0], &[0.0, -1.0, 2.0]];
/// The same without its ends: constants are in its null space.
const LOOP: [&[f64]; 3] = [&[2.0, -1.0, -1.0], &[-1.0, 2.0, -1.0], &[-1.0, -1.0, 2.0]];

#[test]
fn n_iterations_solve_n_equations() {
    let mut e = Dense::new(&CHAIN, &[1.0, 2.0, -4.0]);
    let Ok(solved) = solve(&mut e, &limits(3));
    assert_eq!(solved.outcome, Outcome::Converged);
    // By hand: x = (0.75, 0.5, -1.75).
    let error = e.x.iter().zip([0.75, 0.5, -1.75]).map(|(a, b)| (a - b).abs()).sum::<f64>();
    assert!(error < 1e-13, "{:?}", e.x);
    assert!((solved.right_hand_side - 21.0_f64.sqrt()).abs() < 1e-14 && solved.residual < 1e-11);
}

#[test]
fn each_way_to_end_has_its_name() {
    let end = |a: &[&[f64]], b: &[f64], n| {
        let Ok(solved) = solve(&mut Dense::new(a, b), &limits(n));
        (solved.outcome, solved.iterations)
    };
    assert_eq!(end(&CHAIN, &[0.0; 3], 9), (Outcome::Converged, 0), "nothing asked, nothing done");
    assert_eq!(end(&CHAIN, &[1.0, 2.0, -4.0], 1), (Outcome::IterationLimitReached, 1));
    assert_eq!(end(&CHAIN, &[f64::INFINITY, 0.0, 0.0], 9), (Outcome::Indefinite, 0), "not below infinity");
    assert_eq!(end(&[&[1.0, 0.0], &[0.0, -1.0]], &[0.0, 1.0], 9).0, Outcome::Indefinite);
    assert_eq!(end(&LOOP, &[1.0, 1.0, 1.0], 9).0, Outcome::Singular, "no x has such a right-hand side");
    assert_eq!(end(&LOOP, &[1.0, 0.0, -1.0], 9).0, Outcome::Converged, "this one many have");
}

#[test]
fn a_good_start_saves_iterations() {
    let mut e = Dense::new(&CHAIN, &[1.0, 2.0, -4.0]);
    e.x = vec![0.75, 0.5, -1.75];
    let Ok(solved) = solve(&mut e, &limits(9));
    assert_eq!((solved.outcome, solved.iterations), (Outcome::Converged, 0));
}
