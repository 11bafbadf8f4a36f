// Where the fields of the blocks lie.
#include "physics/pbf.cuh"
#include "physics/viscoelastic.cuh"
#include "physics/wcsph.cuh"
#include "physics_table.h"

#define BLOCK(B) {#B, "", 0, sizeof(B)}
#define FIELD(B, f) {#B, #f, offsetof(B, f), sizeof(B::f)}

extern "C" const PhysicsField* PHYSICS_ENTRY(layout)() {
  static const PhysicsField TABLE[] = {
      BLOCK(Periodic), FIELD(Periodic, low), FIELD(Periodic, length), FIELD(Periodic, inv_length),
      FIELD(Periodic, any),
      BLOCK(Domain), FIELD(Domain, low), FIELD(Domain, high), FIELD(Domain, periodic),
      BLOCK(Forces), FIELD(Forces, gravity), FIELD(Forces, center), FIELD(Forces, strength),
      BLOCK(Support), FIELD(Support, h), FIELD(Support, inv_h),
      BLOCK(KernelConstants), FIELD(KernelConstants, support), FIELD(KernelConstants, half_h),
      FIELD(KernelConstants, h2), FIELD(KernelConstants, inv_h2), FIELD(KernelConstants, w_scale),
      FIELD(KernelConstants, f_scale),
      BLOCK(ViscosityLaplacian), FIELD(ViscosityLaplacian, support), FIELD(ViscosityLaplacian, scale),
      BLOCK(Cohesion), FIELD(Cohesion, support), FIELD(Cohesion, scale),
      BLOCK(Adhesion), FIELD(Adhesion, support), FIELD(Adhesion, half_h), FIELD(Adhesion, scale),
      BLOCK(Surface), FIELD(Surface, cohesion_kernel), FIELD(Surface, adhesion_kernel), FIELD(Surface, cohesion),
      FIELD(Surface, curvature), FIELD(Surface, adhesion),
      BLOCK(wcsph::Eos), FIELD(wcsph::Eos, kind), FIELD(wcsph::Eos, b), FIELD(wcsph::Eos, gamma),
      BLOCK(wcsph::Contact), FIELD(wcsph::Contact, stiffness), FIELD(wcsph::Contact, reach),
      BLOCK(wcsph::Monaghan), FIELD(wcsph::Monaghan, alpha_h_c), FIELD(wcsph::Monaghan, beta_h2),
      BLOCK(wcsph::Morris), FIELD(wcsph::Morris, mu),
      BLOCK(wcsph::Muller), FIELD(wcsph::Muller, mu), FIELD(wcsph::Muller, laplacian), FIELD(wcsph::Muller, h),
      BLOCK(wcsph::Solenoidal), FIELD(wcsph::Solenoidal, mu),
      BLOCK(wcsph::Constants), FIELD(wcsph::Constants, kernel), FIELD(wcsph::Constants, domain),
      FIELD(wcsph::Constants, forces), FIELD(wcsph::Constants, surface), FIELD(wcsph::Constants, eos),
      FIELD(wcsph::Constants, contact), FIELD(wcsph::Constants, monaghan), FIELD(wcsph::Constants, morris),
      FIELD(wcsph::Constants, muller), FIELD(wcsph::Constants, solenoidal), FIELD(wcsph::Constants, m),
      FIELD(wcsph::Constants, rho_0), FIELD(wcsph::Constants, spacing), FIELD(wcsph::Constants, volume),
      FIELD(wcsph::Constants, cavitation), FIELD(wcsph::Constants, gradient), FIELD(wcsph::Constants, softening),
      FIELD(wcsph::Constants, diffusion), FIELD(wcsph::Constants, friction), FIELD(wcsph::Constants, inv_w_dx),
      FIELD(wcsph::Constants, correction_limit), FIELD(wcsph::Constants, viscosity),
      FIELD(wcsph::Constants, wall), FIELD(wcsph::Constants, clamps), FIELD(wcsph::Constants, clamps_walls),
      FIELD(wcsph::Constants, corrected_diffusion),
      BLOCK(pbf::Scorr), FIELD(pbf::Scorr, k), FIELD(pbf::Scorr, inv_w_dq), FIELD(pbf::Scorr, n),
      BLOCK(pbf::Weights), FIELD(pbf::Weights, equal_mass),
      BLOCK(pbf::Bdf2), FIELD(pbf::Bdf2, history), FIELD(pbf::Bdf2, rate), FIELD(pbf::Bdf2, kappa),
      BLOCK(pbf::Constants), FIELD(pbf::Constants, kernel), FIELD(pbf::Constants, domain),
      FIELD(pbf::Constants, forces), FIELD(pbf::Constants, surface), FIELD(pbf::Constants, scorr),
      FIELD(pbf::Constants, weights), FIELD(pbf::Constants, m), FIELD(pbf::Constants, rho_0),
      FIELD(pbf::Constants, solid), FIELD(pbf::Constants, epsilon), FIELD(pbf::Constants, mass_spread),
      FIELD(pbf::Constants, relaxation), FIELD(pbf::Constants, xsph), FIELD(pbf::Constants, wall_xsph),
      FIELD(pbf::Constants, half_k), FIELD(pbf::Constants, unilateral),
      FIELD(pbf::Constants, walls_in_denominator), FIELD(pbf::Constants, averages),
      FIELD(pbf::Constants, symmetric), FIELD(pbf::Constants, unequal),
      BLOCK(visco::Stiffness), FIELD(visco::Stiffness, k), FIELD(visco::Stiffness, k_near),
      FIELD(visco::Stiffness, k_rest), FIELD(visco::Stiffness, balance),
      BLOCK(visco::Viscosity), FIELD(visco::Viscosity, linear), FIELD(visco::Viscosity, quadratic),
      FIELD(visco::Viscosity, most),
      BLOCK(visco::Spring), FIELD(visco::Spring, stiffness), FIELD(visco::Spring, h),
      BLOCK(visco::Flow), FIELD(visco::Flow, rate), FIELD(visco::Flow, yield_ratios), FIELD(visco::Flow, least),
      BLOCK(visco::Constants), FIELD(visco::Constants, domain), FIELD(visco::Constants, forces),
      FIELD(visco::Constants, stiffness), FIELD(visco::Constants, viscosity), FIELD(visco::Constants, spring),
      FIELD(visco::Constants, flow), FIELD(visco::Constants, inv_h), FIELD(visco::Constants, dt2),
      FIELD(visco::Constants, most), FIELD(visco::Constants, factor), FIELD(visco::Constants, to_density),
      FIELD(visco::Constants, inv_volume), FIELD(visco::Constants, creates),
      FIELD(visco::Constants, full_length),
      {nullptr, nullptr, 0, 0},
  };
  return TABLE;
}
