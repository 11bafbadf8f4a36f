// The linear equation of the staggered projection on the GPU: walls, sums of weights, entries of the matrix, the free
// surface and the right-hand side. One thread a particle, gather only, no atomics.
//
// The twin of `pack.rs`, `alpha.rs` and `matrix.rs` in `solver-projection/src/cpu`, loop by loop.
// Sums run over neighbors in ascending order in one chain, so they differ from the processor's, which has one chain a
// lane, in the last places.
#include "common/boundary/wall_surfaces.cuh"
#include "projection/shared.cuh"

inline namespace SPH_SPACE {
using namespace projection;

/// Blocks that a multiprocessor shall hold of the kernels with the longest loops: 128 registers.
constexpr u32 MATRIX_BLOCKS = 4;

// ---------------------------------------------------------------------------------------------------------- pack.rs

/// Depth of a point of the reference frame behind a surface, and the normal into the fluid at the nearest point of it, [m]. The
/// twin of `WallSurface::depth_and_normal`.
SPH_FN double depth_behind(const Surface& s, const Vec64& drawn, Vec64& normal) {
  const double phi = s.region.phi(drawn);
  normal = s.region.normal(drawn);
  if (!s.outside) {
    for (int a = 0; a < DIM; a++) normal[a] = -normal[a];
  }
  return s.outside ? -phi : phi;
}

/// Walls where they are: [x y z depth], [v τ] and [n A], A < 0 where the pressure acts by pairs. `surface` is that of each
/// rigid set among `surfaces`.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
projection_pack_walls(Constants c, Points x, Points x_0, Points v, Sets sets,
                      const u32* __restrict__ surface /* [sets.flags.len()] */,
                      const Surface* __restrict__ surfaces /* [0] */,
                      const Areas* __restrict__ areas /* [0] */, u32 n, Packed* __restrict__ samples,
                      Packed* __restrict__ motion, Packed* __restrict__ normal) {
  const u32 b = thread_index();
  if (b >= n) return;
  const real no_slip = sets.is_no_slip(b) ? real(1) : real(0);
  motion[b] = quad(v[b], c.own_slip ? no_slip : c.tangential);
  real depth = real(0);
  Packed facing = {};
  facing.a[3] = real(-1);
  const u32 k = surface[sets.body[b]];
  if (k != NONE) {
    const Surface& s = surfaces[k];
    Vec64 here, still, n_k;
    for (int a = 0; a < DIM; a++) here[a] = double(x.x[a][b]), still[a] = double(x_0.x[a][b]);
    // In the frame of a body samples stay: where two faces are as near, round-off would choose another one in each step.
    const Vec64 drawn = !s.posed ? here : sets.is_rigid(b) ? still : s.pose.inverse_transform(here);
    const double behind = depth_behind(s, drawn, n_k);
    depth = real(behind);
    if (c.mirrors_surface_region) facing.a[3] = real(areas[k].at(drawn, behind, n_k));
    if (s.posed) n_k = s.pose.rotate(n_k);
    for (int a = 0; a < DIM; a++) facing.a[a] = real(n_k[a]);
  }
  samples[b] = quad(x[b], depth), normal[b] = facing;
}
SHIM_EXPORT(projection_pack_walls)

// --------------------------------------------------------------------------------------------------------- alpha.rs

/// Sums over neighbors of one kind: `Σ w n`, `Σ w` and `Σ W`.
struct Moments {
  Vec w_n;
  real w, density;

  SPH_FN void add_pair(const Constants& c, Vec x_ij, real r2) {
    const Weighed at = c.weight.at(r2);
    add(w_n, at.w * at.inv_r, x_ij);
    w += at.w, density += CubicSpline{c.kernel}.w(r2);
  }
};

/// `[Σ w n | α]` and `ρ_i = m (W(0) + Σ W)`, over fluid and ghosts, which count as particles. `lost` becomes 1 where
/// these are not finite.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_moments(Constants c, Near near, const Packed* __restrict__ place, u32 n, Packed* __restrict__ moments,
                 real* __restrict__ rho, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector(load(place, i));
  Moments inner = {zero(), real(0), real(0)}, outer = inner;
  visit_points(c, near.fluid, place, i, x_i,
               [&](const Point&, Vec x_ij, real r2) { inner.add_pair(c, x_ij, r2); });
  visit_points(c, near.walls, near.ghosts.samples, i, x_i,
               [&](const Point&, Vec x_ik, real r2) { outer.add_pair(c, x_ik, r2); });
  for (int a = 0; a < DIM; a++) inner.w_n[a] += outer.w_n[a];
  const real alpha = inner.w + outer.w, density = c.m * (inner.density + c.kernel.w_0() + outer.density);
  moments[i] = quad(inner.w_n, alpha), rho[i] = density;
  if (!is_finite(density / c.rho_0 - real(1) + alpha)) lost[i] = 1u;
}
SHIM_EXPORT(projection_moments)

// ------------------------------------------------------------------------------------------------ matrix.rs, pack.rs

/// 1/α with its floor.
SPH_FN real inverse_alpha(const Constants& c, const Packed& moments) {
  const real alpha = moments.a[3], most = c.surface.asymmetry * c.alpha;
  const bool is_asymmetric = norm2(vector(moments)) >= most * most;
  const bool has_floor = ((c.floor_everywhere != 0) | is_asymmetric | (alpha < SPRAY * c.alpha)) & (alpha < c.alpha);
  const real share = has_floor ? c.alpha : alpha;
  // Isolated particles of a spray have no α.
  return share > real(0) ? real(1) / share : real(0);
}

/// 1/α into the records `place`, `motion` [v*, 1 beside a wall], and the tangential wall correction, if there is
/// one. `lost` becomes 1 where a number is not finite.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_beside(Constants c, Near near, const Packed* __restrict__ moments, Points v, u32 n,
                  Packed* __restrict__ place, Packed* __restrict__ motion, WallCorrections out, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed sums = load(moments, i);
  const Vec x_i = vector(place[i]), v_i = v[i];
  const real inv_alpha = inverse_alpha(c, sums);
  real all = inv_alpha;
  for (int a = 0; a < DIM; a++) all += real(0) * (x_i[a] + v_i[a]);
  if (!is_finite(all)) lost[i] = 1u;
  place[i].a[3] = inv_alpha;
  const bool beside = c.wall_correction && near.walls.length(i) > 0;
  motion[i] = quad(v_i, beside ? real(1) : real(0));
  if (!c.wall_correction) return;
  WallCorrection g = {};
  visit_ghosts(c, near, i, x_i, [&](const Ghost& k, Vec x_ik, real r2) {
    const Weighed at = c.weight.at(r2);
    const WallCorrection term = WallCorrection::of_ghost(scaled(at.inv_r, x_ik), vector(k.normal));
#pragma unroll
    for (int t = 0; t < 6; t++) g.e[t] = g.e[t] + at.w * term.e[t];
  });
  const real share = beside ? correction_scale(g, sums.a[3], inv_alpha) : real(0);
#pragma unroll
  for (int t = 0; t < 6; t++) g.e[t] = share * g.e[t];
  out.upper[i] = Packed{{g.e[0], g.e[1], g.e[2], g.e[3]}};
  out.lower[i] = Packed{{g.e[4], g.e[5], share, real(0)}};
}
SHIM_EXPORT(projection_beside)

// ----------------------------------------------------------------------------------------------------- matrix.rs

/// Entries `a_ij w²_ij`, `[Σ_j a w² | the same with ghosts | (D v*)_i | neighbors beside walls]` and `Σ ½ a w¹ r`,
/// with `(D v)_i = Σ_j ½ a_ij w¹_ij v_ij·n_ij + Σ_k a_ik w¹_ik ũ_ik·n_ik`, `a_ik = 2/α_i`.
KERNEL void __launch_bounds__(THREADS, MATRIX_BLOCKS)
projection_assemble(Constants c, Near near, const Packed* __restrict__ place, const Packed* __restrict__ motion,
                    u32 n, real* __restrict__ entries /* [near.fluid.entries()] */, Packed* __restrict__ sums,
                    real* __restrict__ share) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed here = load(place, i);
  const Vec x_i = vector(here), v_i = vector(load(motion, i));
  const real inv_i = here.a[3];
  real inside = real(0), flow = real(0), part = real(0), beside = real(0);
  real* entry = entries + near.fluid.first(i);
  visit_twofold(c, near.fluid, place, motion, i, x_i, [&](const Twofold& j, Vec x_ij, real r2) {
    const Weighed at = c.weight.at(r2);
    const real a_ij = inv_i + j.place.a[3], coefficient = real(0.5) * a_ij * at.w1 * at.inv_r;
    *entry = a_ij * at.w2;
    inside += *entry, part += coefficient * r2, beside += j.beside.a[3];
    flow += coefficient * dot(difference(v_i, vector(j.beside)), x_ij);
    entry += 32;
  });
  real outside = real(0), wall_flow = real(0), wall_part = real(0);
  visit_ghosts(c, near, i, x_i, [&](const Ghost& k, Vec x_ik, real r2) {
    const Weighed at = c.weight.at(r2);
    const Vec u = difference(v_i, vector(k.motion));
    const Vec felt = against_wall(u, vector(k.normal), c.slide * k.motion.a[3], c.parting.separation);
    const real coefficient = inv_i * at.w1 * at.inv_r;
    outside += real(2) * inv_i * at.w2, wall_part += coefficient * r2;
    wall_flow += real(2) * coefficient * dot(felt, x_ik);
  });
  sums[i] = Packed{{inside, inside + outside, flow + wall_flow, beside}};
  share[i] = part + wall_part;
}
SHIM_EXPORT(projection_assemble)

/// Beside walls `n·(E_i + E_j) n` joins `a_ij` in entries, and `v_ij·E_i n` in the divergence. The last number of
/// `sums` becomes `Σ_j n·(E_i + E_j) n w²`.
KERNEL void __launch_bounds__(THREADS, MATRIX_BLOCKS)
projection_make_up(Constants c, Near near, const Packed* __restrict__ place, const Packed* __restrict__ motion,
                   WallCorrections all, u32 n, real* __restrict__ entries /* [near.fluid.entries()] */,
                   Packed* __restrict__ sums) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed sum = sums[i];
  const Packed moving = load(motion, i);
  // One number counts those beside a wall: the particle, and its neighbors.
  if (!(moving.a[3] + sum.a[3] > real(0))) return;
  const Vec x_i = vector(load(place, i)), v_i = vector(moving);
  const WallCorrection e_i = all.at(i);
  real left_out = real(0), more = real(0);
  real* entry = entries + near.fluid.first(i);
  for_each_in_row(near.fluid, i, [](u32 j) { return j; }, [&](u32 j) {
    const Vec x_ij = c.domain.periodic.nearest(difference(x_i, vector(load(place, j))));
    const real r2 = norm2(x_ij);
    const Weighed at = c.weight.at(r2);
    const Vec n_ij = scaled(at.inv_r, x_ij);
    WallCorrection both = all.at(j);
#pragma unroll
    for (int t = 0; t < 6; t++) both.e[t] = e_i.e[t] + both.e[t];
    const real made_up = at.w2 * dot(n_ij, both.times(n_ij));
    *entry += made_up, left_out += made_up;
    entry += 32;
    // E_i is 0 elsewhere.
    more += at.w1 * at.inv_r * dot(difference(v_i, vector(load(motion, j))), e_i.times(x_ij));
  });
  sum.a[2] += more, sum.a[3] = left_out;
  sums[i] = sum;
}
SHIM_EXPORT(projection_make_up)

// ---------------------------------------------------------------------------------------------------- surface.rs

/// Dirichlet terms `s_i` of the free surface, and `A_ii = Σ_j a w² + s_i`. The last number of `motion` becomes 1 at the
/// surface.
KERNEL void __launch_bounds__(THREADS)
projection_detect_surface(Constants c, const Packed* __restrict__ sums, const Packed* __restrict__ moments, u32 n,
                          Packed* __restrict__ motion, real* __restrict__ dirichlet, real* __restrict__ diagonal) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed sum = load(sums, i);
  const real inside = sum.a[0], total = c.surface.counted(inside, sum.a[1]);
  const Packed moment = load(moments, i);
  const real asymmetry = sqrt(norm2(vector(moment))) / c.alpha, alpha = moment.a[3] / c.alpha;
  const bool at_surface = c.free_surface && c.surface.holds(total, alpha, asymmetry, total > inside);
  const real s_i = at_surface ? c.surface.missing(total, alpha, total > inside) : real(0);
  motion[i].a[3] = at_surface ? real(1) : real(0);
  dirichlet[i] = s_i, diagonal[i] = inside + sum.a[3] + s_i;
}
SHIM_EXPORT(projection_detect_surface)

/// `[N | 1 in the surface region]` with `N = Σ_j w n_ji` over neighbors of the surface, and at it `Σ w n` besides. There the
/// Dirichlet term is no less than `d σ²`, with the mirrored gradient `d σ` of the pressure 1, `σ = Σ_j a w¹ n + Σ_k 2/α_i
/// w¹ n`, where this gradient is of either sign.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_find_surface_region(Constants c, Near near, const Packed* __restrict__ place,
                               const Packed* __restrict__ motion, const Packed* __restrict__ moments, u32 n,
                               Packed* __restrict__ region, real* __restrict__ dirichlet,
                               real* __restrict__ diagonal) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed here = load(place, i), sums = load(moments, i);
  const Vec x_i = vector(here);
  const real inv_i = here.a[3], own = load(motion, i).a[3];
  Vec out = zero(), sigma = zero(), outer = zero();
  real share = real(0);
  visit_twofold(c, near.fluid, place, motion, i, x_i, [&](const Twofold& j, Vec x_ij, real r2) {
    const Weighed at = c.weight.at(r2);
    const real part = at.w * j.beside.a[3];
    add(out, real(0) - part * at.inv_r, x_ij);
    add(sigma, (inv_i + j.place.a[3]) * at.w1 * at.inv_r, x_ij);
    share += part;
  });
  if (own + share < REACH * c.alpha) {
    region[i] = Packed{};
    return;
  }
  for (int a = 0; a < DIM; a++) out[a] += own * sums.a[a];
  region[i] = quad(out, real(1));
  if (!c.mirrors_surface_region) return;
  visit_points(c, near.walls, near.ghosts.samples, i, x_i, [&](const Point&, Vec x_ik, real r2) {
    const Weighed at = c.weight.at(r2);
    add(outer, real(2) * inv_i * at.w1 * at.inv_r, x_ik);
  });
  for (int a = 0; a < DIM; a++) sigma[a] += outer[a];
  const real least = real(DIM) * norm2(sigma), s_i = dirichlet[i];
  if (least > s_i) diagonal[i] += least - s_i, dirichlet[i] = least;
}
SHIM_EXPORT(projection_find_surface_region)

// ----------------------------------------------------------------------------------------------------- matrix.rs

/// `b_i = rate_e (ρ_i/ρ₀ − 1) − rate (D v*)_i`, with ρ₀/dt and λ̂ ρ₀/(d dt dt_max). `lost` becomes 1 where a row is not
/// finite.
KERNEL void __launch_bounds__(THREADS)
projection_right_hand_side(Constants c, const Packed* __restrict__ sums, const real* __restrict__ dirichlet,
                           const real* __restrict__ diagonal, const real* __restrict__ rho,
                           const Packed* __restrict__ region /* [n if c.has_surface_region != 0] */, real rate,
                           real excess_rate, u32 n, real* __restrict__ b, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const bool is_inside = dirichlet[i] == real(0) && !(c.has_surface_region && load(region, i).a[3] != real(0));
  const real error = density_error(rho[i] / c.rho_0 - real(1), c.two_sided && is_inside);
  const real b_i = excess_rate * error - rate * load(sums, i).a[2];
  b[i] = b_i;
  if (!is_finite(diagonal[i] + b_i)) lost[i] = 1u;
}
SHIM_EXPORT(projection_right_hand_side)

}  // namespace SPH_SPACE
