// The linear equation of the staggered projection: products with the matrix, and the steps of conjugate gradients.
// The twin of `equation.rs` in `solver-projection/src/cpu`.
//
// Numbers that the iteration computes stay on the GPU. Sums are those of `reduce.cuh`: the first pass stands in the
// kernel that has the terms, the second one in a kernel of one block, which also decides.
#include "projection/shared.cuh"
#include "common/numerics/reduce.cuh"

inline namespace SPH_SPACE {
using namespace projection;

/// Iterations from one observation to the next.
constexpr int OBSERVE_EVERY = 8;

/// `d·A d` below this part of `Σ A_ii d_i²` is rounding.
constexpr double ROUNDING = sizeof(real) == 4 ? 0.25 * 1.1920928955078125e-7 : 0.25 * 2.220446049250313e-16;

/// How an iteration stands, the `status` of `Numbers`.
enum : int { GOES_ON, BREAKDOWN, INDEFINITE };

/// Numbers of the iteration.
struct Numbers {
  /// `r·z` before and after the last iteration, in turns.
  double rho[2];
  /// `d·q`.
  double sigma;
  /// `Σ A_ii d_i²`.
  double size;
  /// `‖r‖²`.
  double r2;
  /// `‖b‖²`.
  double b2;
  /// 0 while the iteration goes on, 1 after a breakdown, where `d·q` was rounding, 2 where it was negative or NaN.
  double status;
  /// Iterations so far.
  double done;
  /// `‖r‖²` after iteration `k` at `k % OBSERVE_EVERY`.
  double history[OBSERVE_EVERY];

  SPH_FN bool goes_on(double target) const { return status == GOES_ON && r2 > target; }
  SPH_FN bool has_curvature() const { return sigma > ROUNDING * size; }
};

/// Two sums.
struct Two {
  double a, b;
};
struct SumTwo {
  typedef Two T;
  SPH_FN static T identity() { return {0.0, 0.0}; }
  SPH_FN static T merge(T a, T b) { return {a.a + b.a, a.b + b.b}; }
};

/// The matrix `A_ij = −scale c_ij` with the entries c of the rows.
struct Matrix {
  Rows rows;
  const real *entries /* [rows.entries()] */, *diagonal;
  real scale;

  /// `own − scale Σ_j c_ij x_j`.
  SPH_FN real times(const real* x, u32 i, real own) const {
    const real* c = entries + rows.first(i);
    real sum = real(0);
    for_each_in_row(rows, i, [=](u32 j) { return __ldg(x + j); }, [&](real x_j) {
      sum += __ldg(c) * x_j;
      c += 32;
    });
    return own - scale * sum;
  }
};

/// What a product of the viscosity along lines of centers reads of a neighbor.
struct Moving {
  Packed place;
  Vec v;
};

/// The same of a field that has its axes one after the other, over n particles each.
SPH_FN Vec gathered(const real* x, u32 n, u32 i) {
  Vec v;
  for (int a = 0; a < DIM; a++) v[a] = __ldg(x + (u64(a) * n + i));
  return v;
}

/// The matrix of the viscosity along lines of centers, over all axes; `place` is [x y z 1/α].
struct Central {
  Near near;
  const Packed* place;
  const real* diagonal /* [n * D] */;
  real scale;

  /// `own + scale [Σ_j a_ij w² n n·(own − x_j) + Σ_k a_ik w² τ β n n·own]`.
  SPH_FN Vec times(const Constants& c, const real* x, u32 n, u32 i, Vec own) const {
    const Packed here = load(place, i);
    const Vec x_i = vector(here);
    Vec inner = zero(), outer = zero();
    const Packed* const places = place;
    visit(c, near.fluid, i, x_i, [=](u32 j) { return Moving{load(places, j), gathered(x, n, j)}; },
          [&](const Moving& j, Vec x_ij, real r2) {
            const CentralWeights at = c.weight.central(r2);
            const Vec n_ij = scaled(at.inv_r, x_ij);
            add(inner, (here.a[3] + j.place.a[3]) * at.w2 * dot(n_ij, difference(own, j.v)), n_ij);
          });
    visit_ghosts(c, near, i, x_i, [&](const Ghost& k, Vec x_ik, real r2) {
      const Friction at = friction(c, k, x_ik, r2);
      add(outer, here.a[3] * at.weight * dot(at.n, own), at.n);
    });
    for (int a = 0; a < DIM; a++) own[a] = own[a] + scale * (inner[a] + outer[a]);
    return own;
  }
};

/// First pass over rows: not unrolled, since rows are.
template <class Term> SPH_FN void sum_rows(u32 n, Two* __restrict__ partial, Term term) {
  Two mine = SumTwo::identity();
#pragma unroll 1
  for (u64 i = thread_index(); i < n; i += u64(reduce_blocks(n)) * REDUCE_THREADS) {
    mine = SumTwo::merge(mine, term(u32(i)));
  }
  mine = merge_block<SumTwo>(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

/// `r ← b − A x`, and the partial sums of `‖b‖²` and `‖r‖²`.
// THEN projection_merge_residual
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_residual(Matrix a, const real* __restrict__ x, const real* __restrict__ b, u32 n, real* __restrict__ r,
                    Two* __restrict__ partial) {
  sum_rows(n, partial, [=](u32 i) -> Two {
    const real b_i = b[i], r_i = b_i - a.times(x, i, a.diagonal[i] * __ldg(x + i));
    r[i] = r_i;
    return {double(b_i) * double(b_i), double(r_i) * double(r_i)};
  });
}
SHIM_EXPORT(projection_residual)

/// `r ← b − A x` over all axes, and the partial sums of `‖b‖²` and `‖r‖²`.
// THEN projection_merge_residual
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_central_residual(Constants c, Central a, const real* __restrict__ x /* [n * D] */,
                            const real* __restrict__ b /* [n * D] */, u32 n, real* __restrict__ r /* [n * D] */,
                            Two* __restrict__ partial) {
  sum_rows(n, partial, [=](u32 i) -> Two {
    const Vec b_i = gathered(b, n, i), product = a.times(c, x, n, i, gathered(x, n, i));
    const Vec r_i = difference(b_i, product);
    for (int k = 0; k < DIM; k++) r[u64(k) * n + i] = r_i[k];
    double b2 = 0.0, r2 = 0.0;
    for (int k = 0; k < DIM; k++) b2 += double(b_i[k]) * double(b_i[k]), r2 += double(r_i[k]) * double(r_i[k]);
    return {b2, r2};
  });
}
SHIM_EXPORT(projection_central_residual)

/// The numbers before the first iteration.
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_merge_residual(const Two* __restrict__ partial, u32 n, Numbers* __restrict__ numbers /* [1] */) {
  Two sum = {};
  reduce_partials<SumTwo>(partial, n, &sum);
  if (threadIdx.x > 0) return;
  Numbers first = {};
  first.b2 = sum.a, first.r2 = sum.b;
  *numbers = first;
}
SHIM_EXPORT(projection_merge_residual)

/// `q ← A d`, and the partial sums of `d·q` and `Σ A_ii d_i²`.
// THEN projection_merge_product
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_product(Matrix a, const real* __restrict__ d, u32 n, real* __restrict__ q, Two* __restrict__ partial) {
  sum_rows(n, partial, [=](u32 i) -> Two {
    const real d_i = __ldg(d + i), own = a.diagonal[i] * d_i, q_i = a.times(d, i, own);
    q[i] = q_i;
    return {double(d_i) * double(q_i), double(d_i) * double(own)};
  });
}
SHIM_EXPORT(projection_product)

/// `q ← A d` over all axes, and the partial sums of `d·q` and `Σ A_ii d_i²`.
// THEN projection_merge_product
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_central_product(Constants c, Central a, const real* __restrict__ d /* [n * D] */, u32 n,
                           real* __restrict__ q /* [n * D] */, Two* __restrict__ partial) {
  sum_rows(n, partial, [=](u32 i) -> Two {
    const Vec d_i = gathered(d, n, i), q_i = a.times(c, d, n, i, d_i), size = gathered(a.diagonal, n, i);
    for (int k = 0; k < DIM; k++) q[u64(k) * n + i] = q_i[k];
    Two sum = SumTwo::identity();
    for (int k = 0; k < DIM; k++) {
      sum.a += double(d_i[k]) * double(q_i[k]), sum.b += double(size[k]) * double(d_i[k]) * double(d_i[k]);
    }
    return sum;
  });
}
SHIM_EXPORT(projection_central_product)

KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_merge_product(const Two* __restrict__ partial, u32 n, Numbers* __restrict__ numbers /* [1] */) {
  Two sum = {};
  reduce_partials<SumTwo>(partial, n, &sum);
  if (threadIdx.x == 0) numbers->sigma = sum.a, numbers->size = sum.b;
}
SHIM_EXPORT(projection_merge_product)

/// `z ← M⁻¹ r`, and the partial sums of `r·z`.
// THEN projection_merge_precondition
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_precondition(u32 divides /* bool */, const real* __restrict__ diagonal, const real* __restrict__ r, u32 n,
                        real* __restrict__ z, double* __restrict__ partial) {
  reduce_terms<Sum>(n, partial, [=](u32 i) {
    const real r_i = r[i], z_i = divides ? divided(r_i, diagonal[i]) : r_i;
    z[i] = z_i;
    return double(z_i) * double(r_i);
  });
}
SHIM_EXPORT(projection_precondition)

/// The partial sums of `r·z`.
// THEN projection_merge_precondition
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_multiply(const real* __restrict__ r, const real* __restrict__ z, u32 n, double* __restrict__ partial) {
  reduce_terms<Sum>(n, partial, [=](u32 i) { return double(z[i]) * double(r[i]); });
}
SHIM_EXPORT(projection_multiply)

KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_merge_precondition(const double* __restrict__ partial, u32 n, u32 slot,
                              Numbers* __restrict__ numbers /* [1] */) {
  double sum = 0.0;
  reduce_partials<Sum>(partial, n, &sum);
  if (threadIdx.x == 0) numbers->rho[slot] = sum;
}
SHIM_EXPORT(projection_merge_precondition)

/// `α = r·z/d·q`, `x ← x + α d`, `r ← r − α q`, and the partial sums of `‖r‖²`. Nothing moves once the iteration is
/// over.
// THEN projection_merge_advance
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_advance(const real* __restrict__ d, const real* __restrict__ q, u32 n, u32 slot, double target,
                   const Numbers* __restrict__ numbers /* [1] */, real* __restrict__ x, real* __restrict__ r,
                   double* __restrict__ partial) {
  if (!(numbers->goes_on(target) && numbers->has_curvature())) return;
  const real alpha = real(numbers->rho[slot] / numbers->sigma);
  reduce_terms<Sum>(n, partial, [=](u32 i) {
    const real r_i = r[i] - alpha * q[i];
    x[i] = x[i] + alpha * d[i], r[i] = r_i;
    return double(r_i) * double(r_i);
  });
}
SHIM_EXPORT(projection_advance)

/// What the iteration has come to.
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_merge_advance(const double* __restrict__ partial, u32 n, double target,
                         Numbers* __restrict__ numbers /* [1] */) {
  double r2 = 0.0;
  reduce_partials<Sum>(partial, n, &r2);
  if (threadIdx.x > 0) return;
  Numbers& now = *numbers;
  if (now.goes_on(target)) {
    if (now.has_curvature()) {
      now.r2 = r2;
    } else {
      now.status = now.sigma >= -ROUNDING * now.size ? BREAKDOWN : INDEFINITE;
    }
  }
  if (now.status != GOES_ON) return;
  now.history[u64(now.done) % OBSERVE_EVERY] = now.r2;
  now.done += 1.0;
}
SHIM_EXPORT(projection_merge_advance)

/// `d ← z` at the beginning, then `β = (r·z)_next/(r·z)`, `d ← z + β d`; `next` is the slot of the new `r·z`.
KERNEL void __launch_bounds__(THREADS)
projection_turn(const real* __restrict__ z, u32 n, u32 begins /* bool */, u32 next,
                const Numbers* __restrict__ numbers /* [1] */, real* __restrict__ d) {
  const u32 i = thread_index();
  if (i >= n) return;
  const real beta = real(numbers->rho[next] / numbers->rho[1 - next]);
  d[i] = begins ? z[i] : z[i] + beta * d[i];
}
SHIM_EXPORT(projection_turn)

/// Multiplies a field.
KERNEL void __launch_bounds__(THREADS) projection_scale(real factor, u32 n, real* __restrict__ field) {
  const u32 i = thread_index();
  if (i < n) field[i] *= factor;
}
SHIM_EXPORT(projection_scale)

/// Removes the mean of a field whose sum is `sum`, without a free surface: where the sum of the Dirichlet terms is 0.
KERNEL void __launch_bounds__(THREADS)
projection_remove_mean(const double* __restrict__ sum /* [1] */, const double* __restrict__ dirichlet /* [1] */, u32 n,
                  real* __restrict__ field) {
  const u32 i = thread_index();
  if (i < n && *dirichlet == 0.0) field[i] -= real(*sum / double(n));
}
SHIM_EXPORT(projection_remove_mean)

/// The partial maxima of `−x`.
// THEN merge_maxima
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_depth(const real* __restrict__ x, u32 n, double* __restrict__ partial) {
  reduce_terms<Max>(n, partial, [=](u32 i) { return -double(x[i]); });
}
SHIM_EXPORT(projection_depth)

/// Makes the least number of a field 0, `depth` being the largest of `−x`, without a free surface.
KERNEL void __launch_bounds__(THREADS)
projection_fix_constant(const double* __restrict__ depth /* [1] */, const double* __restrict__ dirichlet /* [1] */, u32 n,
                real* __restrict__ field) {
  const u32 i = thread_index();
  if (i < n && *dirichlet == 0.0) field[i] += real(*depth);
}
SHIM_EXPORT(projection_fix_constant)

/// Pressures as they act: the part `share` of each; and the partial maxima of the sizes of pressures.
/// `lost` becomes 1 where one is not finite.
// THEN merge_maxima
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_act(const real* __restrict__ p, const real* __restrict__ share, u32 n, real* __restrict__ acting, u32* __restrict__ lost, double* __restrict__ partial) {
  reduce_terms<Max>(n, partial, [=](u32 i) {
    const real p_i = p[i];
    acting[i] = share[i] * p_i;
    if (!is_finite(p_i)) lost[i] = 1u;
    return fabs(double(p_i));
  });
}
SHIM_EXPORT(projection_act)

}  // namespace SPH_SPACE
