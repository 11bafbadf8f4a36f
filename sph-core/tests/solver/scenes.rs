//! Scenes that the tests of all methods run. What a method needs beside them stands in its `common.rs`.

use super::super::common::{self, NAME};
use super::measures::{jitter, scene};
use sph_core::{method::stopwatch::NoClock, numerics::lane::Isa, run::simulation::Simulation};

pub fn simulation<const D: usize>(text: &str) -> Simulation<D> {
    simulation_with(text, Isa::best())
}

pub fn simulation_with<const D: usize>(text: &str, isa: Isa) -> Simulation<D> {
    common::make(&scene(text), isa, Box::new(NoClock)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A cube of `n^D` particles with edge 1 m around the origin, rest density 1 kg/m³, no gravity.
#[derive(Clone, Debug)]
pub struct Block {
    pub n: usize,
    pub periodic: bool,
    pub jitter: f64,
    pub gravity: f64,
    /// Lines of the table `[solver]`.
    pub solver: String,
}

impl Block {
    pub fn free(n: usize, solver: &str) -> Self {
        Self { n, periodic: false, jitter: 0.0, gravity: 0.0, solver: solver.to_owned() }
    }

    pub fn periodic(n: usize, solver: &str) -> Self {
        Self { periodic: true, ..Self::free(n, solver) }
    }

    pub fn jitter(self, jitter: f64) -> Self {
        Self { jitter, ..self }
    }

    pub fn build<const D: usize>(&self) -> Simulation<D> {
        let vector = |x: f64| format!("{:?}", vec![x; D]);
        let (low, high) = (vector(-0.5), vector(0.5));
        let axes = &["\"x\"", "\"y\"", "\"z\""][..D].join(", ");
        let domain = match self.periodic {
            true => format!("domain = {{ min = {low}, max = {high}, periodic = [{axes}] }}"),
            false => String::new(),
        };
        let mut gravity = vec![0.0; D];
        gravity[1] = -self.gravity;
        let mut sim = simulation(&format!(
            "dim = {D}\nspacing = {:?}\nrest_density = 1.0\ngravity = {gravity:?}\nrun.end_time = 1.0\n{domain}\n\
             [[fluid]]\nshape.block = {{ min = {low}, max = {high} }}\n\
             [solver]\nname = \"{NAME}\"\n{}\n{}\n",
            1.0 / self.n as f64,
            common::of_block(&self.solver),
            self.solver,
        ));
        jitter(&mut sim.state, self.jitter / self.n as f64);
        sim
    }
}

/// A column of water that falls in a tank: a third of the tank's length, moved by nothing but gravity.
pub fn dam_break<const D: usize>(preset: &str, spacing: f64, extra: &str, solver: &str) -> String {
    let z = |x: f64| if D == 3 { format!(", {x:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n{extra}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{}], max = [0.5, 0.6{}] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{}], max = [1.2, 1.0{}] }}\n{}\n\
         [solver]\nname = \"{NAME}\"\npreset = \"{preset}\"\n{solver}\n",
        z(0.0),
        z(0.5),
        z(0.0),
        z(0.5),
        common::of_walls(preset),
    )
}

/// A block in containers, which it reaches at once.
pub fn contained<const D: usize>(more: &str, solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [0.5, 0.6{deep}] }}\n\
         velocity.uniform = [3.0, -3.0{low}]\n\
         [[container]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [1.0, 2.0{deep}] }}\n\
         restitution = 0.3\nfriction = 0.1\n\
         [[container]]\nshape.outside.ball = {{ center = [0.7, 0.3{middle}], radius = 0.12 }}\n\
         {more}[solver]\nname = \"{NAME}\"\n{solver}\n",
        low = z(0.0),
        deep = z(0.5),
        middle = z(0.25),
    )
}

/// A block that is thrown at an obstacle, in a tank with a belt as its floor and a plate that turns over it.
pub fn walled<const D: usize>(obstacle: &str, slip: &str, solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [0.5, 0.6{deep}] }}\n\
         velocity.uniform = [3.0, 0.0{low}]\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [1.2, 1.0{deep}] }}\n\
         faces = [\"x_min\", \"y_min\"]\n\
         surface_velocity = [{{ face = \"y_min\", velocity = [0.3, 0.0{low}] }}]\nslip = \"{slip}\"\n\
         [[wall]]\nside = \"outside\"\n{obstacle}\nslip = \"{slip}\"\n\
         [[wall]]\nside = \"outside\"\nshape.block = {{ min = [0.1, 0.64{low}], max = [0.4, 0.7{deep}] }}\n\
         slip = \"{slip}\"\nmotion.rotation = {{ center = [0.25, 0.67{low}], angular_velocity = 6.0 }}\n\
         [solver]\nname = \"{NAME}\"\n{solver}\n",
        spacing = if D == 2 { 0.05 } else { 0.1 },
        low = z(0.0),
        deep = z(0.5),
    )
}
