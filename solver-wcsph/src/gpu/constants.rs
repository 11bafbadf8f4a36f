//! The constants of the kernels, in the words of `cuda_kernels::wcsph`.

use crate::{
    Wcsph,
    cpu::{MAX_CORRECTION, Wall},
    physics,
};
use cuda_kernels::{
    common::{
        numerics::{
            kernel::KernelConstants,
            space::{Domain, Forces},
        },
        surface::Surface,
    },
    wcsph::{self, Constants, Contact, Eos, viscosity, wall},
};
use sph_core::{fluid::surface::Tension, kernel::Kernel as _, method::state::State};

/// What the kernels read in a step that begins at `state`.
pub fn constants<const D: usize>(method: &Wcsph<D>, state: &State<D>) -> Constants<D> {
    let (c, params, rest) = (&method.constants, &method.params, state.rest);
    let h = method.kernel.support_radius();
    let tension =
        Tension { cohesion: params.cohesion, curvature: params.surface_tension, adhesion: params.adhesion };
    let mut block = Constants {
        kernel: KernelConstants::new::<D>(params.kernel, h),
        domain: Domain::from(&state.domain),
        forces: Forces::from(&state.forces),
        surface: Surface::new::<D>(h, tension),
        eos: equation_of_state(c.eos),
        contact: Contact { stiffness: c.contact.stiffness, reach: c.contact.reach },
        monaghan: wcsph::Monaghan { alpha_h_c: 0.0 },
        morris: wcsph::Morris { mu: 0.0 },
        solenoidal: wcsph::Solenoidal { mu: 0.0 },
        m: rest.m,
        rho_0: rest.rho_0,
        spacing: rest.spacing,
        volume: rest.spacing.powi(D as i32),
        softening: c.softening,
        diffusion: c.diffusion,
        inv_w_dx: 1.0 / method.kernel.w(rest.spacing * rest.spacing),
        correction_limit: MAX_CORRECTION * rest.spacing,
        viscosity: viscosity::MONAGHAN,
        wall: wall_pressure(c.wall),
        clamps: params.clamps().into(),
    };
    choose_viscosity(&mut block, c.viscosity);
    block
}

fn equation_of_state(eos: physics::Eos) -> Eos {
    let (kind, b) = match eos {
        physics::Eos::Tait { b } => (Eos::TAIT, b),
        physics::Eos::Linear { c2 } => (Eos::LINEAR, c2),
    };
    Eos { kind, b }
}

fn wall_pressure(of: Wall) -> i32 {
    match of {
        Wall::Mirrored => wall::MIRRORED,
        Wall::Dummy { tensile: false } => wall::DUMMY,
        Wall::Dummy { tensile: true } => wall::DUMMY_TENSILE,
    }
}

fn choose_viscosity<const D: usize>(block: &mut Constants<D>, model: physics::Viscosity) {
    block.viscosity = match model {
        physics::Viscosity::Monaghan { alpha_h_c } => {
            block.monaghan = wcsph::Monaghan { alpha_h_c };
            viscosity::MONAGHAN
        }
        physics::Viscosity::Morris { mu } => {
            block.morris = wcsph::Morris { mu };
            viscosity::MORRIS
        }
        physics::Viscosity::Solenoidal { mu } => {
            block.solenoidal = wcsph::Solenoidal { mu };
            viscosity::SOLENOIDAL
        }
    };
}
