//! Sums over the square or cubic lattice on which particles start: what masses and viscosities are
//! calibrated by.
//!
//! All take the origin as particle `i` and every other site within the support as a neighbor `j`. They run once,
//! in `f64`.

use crate::kernel::choice::ScalarKernel;

/// Number of neighbors, self excluded and `r < h` strictly.
///
/// `eta = h / Δx` \[-\]. A site at `h` up to round-off is no neighbor.
#[must_use]
pub fn n_neighbors<const D: usize>(eta: f64) -> usize {
    let mut n = 0;
    for_each_site::<D>(eta, |offset| {
        let r2: f64 = offset.iter().map(|c| c * c).sum();
        n += usize::from(r2 > 0.0 && r2 < eta * eta * (1.0 - 1e-6));
    });
    n
}

/// `Σ_j W(r_j)`, self included, on a lattice of spacing `dx` \[m\]; \[m⁻ᴰ\].
#[must_use]
pub fn density_sum<const D: usize>(kernel: &dyn ScalarKernel<D>, dx: f64) -> f64 {
    sum(kernel, dx, |r2, _| kernel.w_f64(r2))
}

/// Mass of a particle for which the lattice of spacing `dx` \[m\] has exactly the density `rho_0` \[kg/m³\]:
/// `m = ρ_0 / Σ_j W(r_j)` \[kg\] (in 2D per meter of depth).
#[must_use]
pub fn calibrated_mass<const D: usize>(kernel: &dyn ScalarKernel<D>, dx: f64, rho_0: f64) -> f64 {
    rho_0 / density_sum(kernel, dx)
}

/// Factor by which the lattice exaggerates a gradient, ideally 1: `G = -Σ_j V W'(r_j) / r_j y_j²` \[-\].
///
/// `volume` is the `V = m / ρ` of a particle \[mᴰ\], `Δx^D` unless the mass is calibrated.
#[must_use]
pub fn gradient_factor<const D: usize>(kernel: &dyn ScalarKernel<D>, dx: f64, volume: f64) -> f64 {
    sum(kernel, dx, |r2, y2| -volume * kernel.grad_factor_f64(r2) * y2)
}

/// Factor by which the lattice exaggerates a viscosity in Morris' or Brookshaw's form, ideally 1:
/// `G_ν = -Σ_j V W'(r_j) / r_j y_j² r_j² / (r_j² + 0.01 h_s²)` \[-\], `h_s = h / 2`.
///
/// A viscosity divided by it is the intended one. `volume` as for [`gradient_factor`].
#[must_use]
pub fn viscosity_factor<const D: usize>(kernel: &dyn ScalarKernel<D>, dx: f64, volume: f64) -> f64 {
    let h_s = 0.5 * f64::from(kernel.support_radius());
    sum(kernel, dx, |r2, y2| -volume * kernel.grad_factor_f64(r2) * y2 * r2 / (r2 + 0.01 * h_s * h_s))
}

/// `Σ_j |V ∇W(r_j)|²` \[m⁻²\]: what the density constraint of an inner particle has for its neighbors' gradients.
///
/// `volume` as for [`gradient_factor`].
#[must_use]
pub fn gradient_squares<const D: usize>(kernel: &dyn ScalarKernel<D>, dx: f64, volume: f64) -> f64 {
    sum(kernel, dx, |r2, _| {
        let f = volume * kernel.grad_factor_f64(r2);
        f * f * r2
    })
}

/// Spectral radius of Jacobi's iteration for the density constraints of the rest lattice,
/// `max_k |Σ_j ∇W(r_j) sin(k·r_j)|² / Σ_j |∇W(r_j)|²` \[-\]: constraints overlap, and together over-correct a wave of
/// wavenumber k. The largest lies on the diagonal of the lattice, or next to it.
#[must_use]
pub fn jacobi_radius<const D: usize>(kernel: &dyn ScalarKernel<D>, dx: f64) -> f64 {
    const WAVES: u32 = 64;
    let wave = |k: u32| {
        let k = std::f64::consts::PI * f64::from(k) / f64::from(WAVES);
        let mut along = [0.0; D];
        for_each_site::<D>(f64::from(kernel.support_radius()) / dx, |offset| {
            let r2 = offset.iter().map(|c| c * c).sum::<f64>() * dx * dx;
            let factor = kernel.grad_factor_f64(r2) * (k * offset.iter().sum::<f64>()).sin();
            (0..D).for_each(|a| along[a] += factor * offset[a] * dx);
        });
        along.iter().map(|a| a * a).sum::<f64>()
    };
    (1..WAVES).map(wave).fold(0.0, f64::max) / gradient_squares(kernel, dx, 1.0)
}

/// `Σ_j term(r_j², y_j²)`, self included.
fn sum<const D: usize>(kernel: &dyn ScalarKernel<D>, dx: f64, term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut total = 0.0;
    for_each_site::<D>(f64::from(kernel.support_radius()) / dx, |offset| {
        let x = offset.map(|c| c * dx);
        total += term(x.iter().map(|c| c * c).sum(), x[1] * x[1]);
    });
    total
}

/// Visits all sites of the cube of half edge `eta` around the origin, itself included, in units of the spacing.
pub fn for_each_site<const D: usize>(eta: f64, mut visit: impl FnMut([f64; D])) {
    let reach = eta.ceil() as usize;
    let edge = 2 * reach + 1;
    for site in 0..edge.pow(D as u32) {
        visit(std::array::from_fn(|axis| (site / edge.pow(axis as u32) % edge) as f64 - reach as f64));
    }
}
