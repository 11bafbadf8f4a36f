// What the surface terms of every solver read; the twin of `sph-core/src/fluid/surface.rs` (Akinci, Akinci & Teschner 2013).
#pragma once
#include "common/numerics/kernel.cuh"

inline namespace SPH_SPACE {

/// Strengths and kernels of cohesion, curvature and adhesion.
struct Surface {
  /// Kernel of the cohesion.
  Cohesion cohesion_kernel;
  /// Kernel of the adhesion.
  Adhesion adhesion_kernel;
  /// γ_c, [m⁴/(kg s²)] in 3D.
  real cohesion;
  /// γ_κ, [m/s²].
  real curvature;
  /// β, [m⁴/(kg s²)] in 3D.
  real adhesion;
};

}  // namespace SPH_SPACE
