//! Cohesion, surface tension and adhesion, for every solver: launchers of `kernels/surface.cu`.
//!
//! Normals come first, as records `[n ρ]`, then forces, and of dynamic bodies what their samples get in turn. All in
//! the order of the cells of the fluid; only positions are read of its records, and of those of walls `[x y z psi]`.

use crate::{
    error::CudaError,
    executor::{Argument, Executor, Field, Kernel, Launch, arguments, count},
    fields::Packed,
    neighbors::{Near, Source},
    physics::{KernelConstants, kernel::Surface},
    walls::Sets,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/surface.cu", name: $name };)+
    };
}
kernels! { NORMALS = "surface_normals", FORCES = "surface_forces", REACTION = "surface_reaction" }

/// Launches the surface terms of one fluid.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceTerms<'a> {
    /// Where they run.
    pub executor: &'a dyn Executor,
    /// The constants of the smoothing kernel, of the normals.
    pub kernel: &'a KernelConstants,
    /// That kernel: [`KernelKind::type_name`](sph_core::kernel::KernelKind::type_name).
    pub smoothing: &'static str,
    /// Strengths and kernels of cohesion, curvature and adhesion.
    pub surface: &'a Surface,
    /// Mass of a particle, `[kg]`.
    pub m: Real,
    /// Rest density ρ₀, `[kg/m³]`.
    pub rho_0: Real,
}

impl SurfaceTerms<'_> {
    /// # Safety
    /// As of [`Executor::launch`], for one thread for each of `n` items.
    unsafe fn start(
        &self,
        kernel: Kernel,
        dim: usize,
        n: usize,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let launch = Launch { smoothing: Some(self.smoothing), ..kernel.for_each(dim, n)? };
        // SAFETY: by the caller's promise.
        unsafe { self.executor.launch(launch, arguments) }
    }

    fn near<const D: usize>(&self, kernel: Kernel, source: &Source<'_, D>) -> Result<Near<D>, CudaError> {
        source.near(self.executor, kernel, self.kernel.support.h)
    }

    /// Color normals of all particles and their densities, `[n ρ]`, into `normal`.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails.
    pub fn normals<const D: usize>(
        &self,
        fluid: &Source<'_, D>,
        rho: &Field<Real>,
        normal: &mut Field<Packed>,
    ) -> Result<(), CudaError> {
        let (executor, n) = (self.executor, fluid.cells.order.len());
        NORMALS.expect("rho", rho.len(), n)?;
        NORMALS.expect("normal", normal.len(), n)?;
        let (fluid, rho, normal) = (self.near(NORMALS, fluid)?, executor.input(rho), executor.output(normal));
        // SAFETY: a walk names points below the number of sorted ones, which all fields have.
        unsafe {
            self.start(
                NORMALS,
                D,
                n,
                arguments![@constants *self.kernel, fluid, rho, self.m, count(n)?, normal],
            )
        }
    }

    /// Adds the accelerations by cohesion, curvature and adhesion to `a`; `normal` is that of
    /// [`SurfaceTerms::normals`].
    ///
    /// # Errors
    /// As of [`SurfaceTerms::normals`].
    pub fn forces<const D: usize>(
        &self,
        fluid: &Source<'_, D>,
        normal: &Field<Packed>,
        walls: &Source<'_, D>,
        a: &mut [Field<Real>; D],
    ) -> Result<(), CudaError> {
        let (executor, n) = (self.executor, fluid.cells.order.len());
        FORCES.expect("normal", normal.len(), n)?;
        a.iter().try_for_each(|a| FORCES.expect("a", a.len(), n))?;
        let (fluid, walls) = (self.near(FORCES, fluid)?, self.near(FORCES, walls)?);
        let (normal, number, a) = (executor.input(normal), count(n)?, executor.writable(a));
        // SAFETY: as of `normals`.
        unsafe {
            self.start(
                FORCES,
                D,
                n,
                arguments![*self.surface, fluid, normal, walls, self.m, self.rho_0, number, a],
            )
        }
    }

    /// Adds the forces of adhesion on those samples of `walls` whose set is [`RIGID`](crate::walls::RIGID) to `force`, `[N]`.
    ///
    /// # Errors
    /// As of [`SurfaceTerms::normals`].
    pub fn reaction<const D: usize>(
        &self,
        fluid: &Source<'_, D>,
        walls: &Source<'_, D>,
        sets: Sets<'_>,
        force: &mut [Field<Real>; D],
    ) -> Result<(), CudaError> {
        let (executor, n) = (self.executor, walls.cells.order.len());
        REACTION.expect("samples", walls.records.len(), n)?;
        force.iter().try_for_each(|force| REACTION.expect("force", force.len(), n))?;
        let fluid = self.near(REACTION, fluid)?;
        let (samples, sets) = (executor.input(walls.records), sets.table(executor, REACTION, n)?);
        let (number, force) = (count(n)?, executor.writable(force));
        // SAFETY: as of `normals`; fields of samples have as many items as were sorted.
        unsafe {
            self.start(REACTION, D, n, arguments![*self.surface, fluid, samples, sets, self.m, number, force])
        }
    }
}
