//! Particles without a run, for the tests of metrics.

use bench_suite::metrics::HostView;
use sph_core::Real;

/// Particles at rest in 2D.
pub struct Cloud {
    /// Positions, one list an axis, `[m]`.
    pub x: [Vec<Real>; 2],
    /// Velocities, one list an axis, `[m/s]`.
    pub v: [Vec<Real>; 2],
    /// Pressures, `[Pa]`.
    pub p: Vec<Real>,
    /// Spacing, `[m]`.
    pub spacing: f64,
    /// Gravity downward, `[m/s²]`.
    pub gravity: f64,
}

impl Cloud {
    /// A block of `nx` by `ny` particles whose lower left corner is the origin.
    pub fn lattice(nx: usize, ny: usize, spacing: f64) -> Self {
        let mut cloud =
            Self { x: Default::default(), v: Default::default(), p: Vec::new(), spacing, gravity: 0.0 };
        for k in 0..nx * ny {
            cloud.push(((k % nx) as f64 + 0.5) * spacing, ((k / nx) as f64 + 0.5) * spacing);
        }
        cloud
    }

    /// Adds a particle at rest, without pressure.
    pub fn push(&mut self, x: f64, y: f64) {
        self.p.push(0.0);
        for (axis, x) in [x, y].into_iter().enumerate() {
            self.x[axis].push(x as Real);
            self.v[axis].push(0.0);
        }
    }

    /// Shows the particles to `f`, at time 0, with a support of three spacings and a rest density of 1.
    pub fn with<T>(&self, f: impl FnOnce(&HostView<'_>) -> T) -> T {
        self.with_time(0.0, f)
    }

    /// The same at time `t`, `[s]`.
    pub fn with_time<T>(&self, t: f64, f: impl FnOnce(&HostView<'_>) -> T) -> T {
        let n = self.x[0].len();
        f(&HostView {
            t,
            dim: 2,
            x: self.x.iter().map(Vec::as_slice).collect(),
            v: self.v.iter().map(Vec::as_slice).collect(),
            rho: &vec![1.0; n],
            p: &self.p,
            spacing: self.spacing,
            support: 3.0 * self.spacing,
            m: self.spacing * self.spacing,
            rho_0: 1.0,
            gravity: vec![0.0, -self.gravity],
            central: None,
            bodies: Vec::new(),
            internal_energy: &|_| 0.0,
            density_error: 0.0,
        })
    }
}
