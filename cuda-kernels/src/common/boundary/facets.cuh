// Closed surfaces of facets: signed distances and normals of polygons and meshes. The twin of
// `sph-core/src/geometry/shape/hull.rs` and `hull/tree.rs`, which visit the same boxes in the same order.
#pragma once
#include "common/numerics/vec64.cuh"

inline namespace SPH_SPACE {

/// Further than all facets, whose distance is then always found, [m].
constexpr double EVERYWHERE = 1.7976931348623157e308;

/// The nearest point of a facet.
struct Foot {
  /// From it to the point that looks for it, [m].
  Vec64 away;
  /// Normals around it, of any length.
  const double* around;
  /// False on edges and corners.
  bool in_middle;
};

/// A box around facets, of a leaf or of the two boxes that it is halved into.
// TWIN
struct FacetBox {
  /// Smallest coordinates, [m].
  double low[DIM];
  /// Largest coordinates, [m].
  double high[DIM];
  /// Facets of a leaf; 0 for others.
  u32 count;
  /// The first facet of a leaf; else the second half. The first half is the next box.
  u32 at;

  SPH_FN double distance2(const Vec64& x) const {
    Vec64 d;
    for (int k = 0; k < DIM; k++) d[k] = fmax(fmax(exact_sub(low[k], x[k]), exact_sub(x[k], high[k])), 0.0);
    return dot(d, d.a);
  }
};

/// A segment or a triangle, and the normals that tell the sides of the surface apart.
// TWIN
struct Facet {
  /// Its corners, [m].
  double corner[DIM][DIM];
  /// Outward normal, of length 1.
  double normal[DIM];
  /// Sums of normals around its edges, each from its corner to the next.
  double at_edge[DIM][DIM];
  /// Sums of normals around its corners.
  double at_corner[DIM][DIM];

  SPH_FN Vec64 side(int from, int to) const {
    Vec64 d;
    for (int k = 0; k < DIM; k++) d[k] = exact_sub(corner[to][k], corner[from][k]);
    return d;
  }

  /// The point `from + s d + t e` of the facet, seen from `x`.
  SPH_FN Foot foot_at(const Vec64& x, const double* from, double s, const Vec64& d, double t, const Vec64& e,
                      const double* around) const {
    Foot foot;
    for (int k = 0; k < DIM; k++) {
      const double place = exact_add(exact_add(from[k], exact_mul(s, d[k])), exact_mul(t, e[k]));
      foot.away[k] = exact_sub(x[k], place);
    }
    foot.around = around, foot.in_middle = around == normal;
    return foot;
  }

#if DIM == 2
  /// Its nearest point, seen from `x`.
  SPH_FN Foot foot(const Vec64& x) const {
    const Vec64 d = side(0, 1);
    const double s = dot(minus(x, corner[0]), d.a) / dot(d, d.a);
    if (s <= 0.0) return foot_at(x, corner[0], 0.0, d, 0.0, d, at_corner[0]);
    if (s >= 1.0) return foot_at(x, corner[1], 0.0, d, 0.0, d, at_corner[1]);
    return foot_at(x, corner[0], s, d, 0.0, d, normal);
  }
#else
  /// `a b − c d`.
  SPH_FN static double minor(double a, double b, double c, double d) {
    return exact_sub(exact_mul(a, b), exact_mul(c, d));
  }

  /// Its nearest point, seen from `x`, by the regions of corners and edges (Ericson 2005, 5.1.5).
  SPH_FN Foot foot(const Vec64& x) const {
    const Vec64 ab = side(0, 1), ac = side(0, 2);
    // How far the point is along both sides, seen from each corner.
    double along[3][2];
    for (int k = 0; k < 3; k++) {
      const Vec64 d = minus(x, corner[k]);
      along[k][0] = dot(ab, d.a), along[k][1] = dot(ac, d.a);
    }
    const double a1 = along[0][0], a2 = along[0][1], b1 = along[1][0], b2 = along[1][1], c1 = along[2][0],
                 c2 = along[2][1];
    const double va = minor(b1, c2, c1, b2), vb = minor(c1, a2, a1, c2), vc = minor(a1, b2, b1, a2);
    const double from_b = exact_sub(b2, b1), from_c = exact_sub(c1, c2);
    double s = 0.0, t = 0.0;
    Vec64 d = ab;
    const double *from = corner[0], *around = normal;
    if (a1 <= 0.0 && a2 <= 0.0) {
      around = at_corner[0];
    } else if (b1 >= 0.0 && b2 <= b1) {
      from = corner[1], around = at_corner[1];
    } else if (c2 >= 0.0 && c1 <= c2) {
      from = corner[2], around = at_corner[2];
    } else if (vc <= 0.0 && a1 >= 0.0 && b1 <= 0.0) {
      s = a1 / exact_sub(a1, b1), around = at_edge[0];
    } else if (vb <= 0.0 && a2 >= 0.0 && c2 <= 0.0) {
      s = a2 / exact_sub(a2, c2), d = ac, around = at_edge[2];
    } else if (va <= 0.0 && from_b >= 0.0 && from_c >= 0.0) {
      s = from_b / exact_add(from_b, from_c), d = side(1, 2), from = corner[1], around = at_edge[1];
    } else {
      const double whole = exact_add(exact_add(va, vb), vc);
      s = vb / whole, t = vc / whole;
    }
    return foot_at(x, from, s, d, t, ac, around);
  }
#endif
};

/// Halvings of a tree that numbers of 32 bits can have.
constexpr int MOST_HALVINGS = 32;

/// All facets of a closed surface.
struct Hull {
  const FacetBox* boxes;
  const Facet* facets;

  /// The facet that is nearest; `NONE` if none is nearer than `within`, [m].
  SPH_CALL static u32 nearest(const FacetBox* boxes, const Facet* facets, Vec64 x, double within) {
    double best = exact_mul(within, within);
    u32 found = NONE, later[MOST_HALVINGS], at = 0;
    for (int n = 0;;) {
      const FacetBox& box = boxes[at];
      const u32 first = box.at;
      if (box.distance2(x) < best) {
        if (box.count == 0) {
          const bool is_left = boxes[at + 1].distance2(x) <= boxes[first].distance2(x);
          later[n++] = is_left ? first : at + 1;
          at = is_left ? at + 1 : first;
          continue;
        }
        const u32 end = first + box.count;
#pragma unroll 1
        for (u32 k = first; k < end; k++) {
          const Vec64 away = facets[k].foot(x).away;
          const double distance2 = dot(away, away.a);
          if (distance2 < best) best = distance2, found = k;
        }
      }
      if (n == 0) return found;
      at = later[--n];
    }
  }

  /// The nearest point of the surface, seen from `x`; NaN if it is not nearer than `within`, [m].
  SPH_FN Foot foot(const Vec64& x, double within) const {
    const u32 k = nearest(boxes, facets, x, within);
    Foot foot = facets[k == NONE ? 0 : k].foot(x);
    if (k == NONE) {
      for (int a = 0; a < DIM; a++) foot.away[a] = nan("");
      foot.around = facets[0].normal, foot.in_middle = true;
    }
    return foot;
  }

  /// Signed distance, negative inside; NaN if the surface is not nearer than `within`, [m].
  SPH_FN double phi(const Vec64& x, double within) const {
    const Foot foot = this->foot(x, within);
    const double distance = norm(foot.away);
    return dot(foot.away, foot.around) < 0.0 ? -distance : distance;
  }

  /// Gradient of the signed distance, of length 1; on edges and corners one of its limits.
  SPH_FN Vec64 normal(const Vec64& x) const {
    const Foot foot = this->foot(x, EVERYWHERE);
    Vec64 n = foot.away, around;
    double size = 0.0;
    for (int k = 0; k < DIM; k++) {
      around[k] = foot.around[k], size = fmax(size, exact_sub(boxes->high[k], boxes->low[k]));
    }
    if (foot.in_middle) return around;
    // Directions nearer than that are round-off: there the normals around count.
    if (norm(n) <= exact_mul(1e-10, size)) n = around;
    const double length = dot(n, around.a) < 0.0 ? -norm(n) : norm(n);
    for (int k = 0; k < DIM; k++) n[k] = n[k] / length;
    return n;
  }
};

}  // namespace SPH_SPACE
