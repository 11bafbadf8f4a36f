//! Fluid and walls that leave the box of cells which a run on a GPU has fitted around them.

use super::super::common::{self, NAME};
use super::{
    on_gpu::{Difference, stirred},
    restarting::{go, load, save},
    scenes::simulation,
};
use sph_core::{Real, method::solver::Memory, run::simulation::Simulation};

/// Points outside of the box for which no method fits it anew, in scenes of few particles.
const FEW_POINTS: usize = 128;

/// How many more roundings may part a stirred fluid in f64: it parts as fast, from a distance that is 2²⁹ times as small, and
/// must still be a hundred times as near as in f32.
const OF_WIDTH: f64 = if size_of::<Real>() == 8 { 5e6 } else { 1.0 };

/// A block at rest, one that flies away from it, and a wall that flies to the other side.
pub fn flight<const D: usize>(preset: &str, solver: &str) -> String {
    let (n, spacing) = if D == 2 { (0.9, 0.05) } else { (0.8, 0.1) };
    let point = |x: f64, y: f64| format!("{:?}", &[x, y, 0.0][..D]);
    let block = |x: f64| format!("{{ min = {}, max = {:?} }}", point(x, 0.0), &[x + n, n, n][..D]);
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\ngravity = {}\n\
         domain = {{ min = {:?}, max = {:?} }}\n\
         [[fluid]]\nshape.block = {}\n[[fluid]]\nshape.block = {}\nvelocity.uniform = {}\n\
         [[wall]]\nshape.block = {}\nside = \"outside\"\n{}\nmotion.translation = {{ velocity = {} }}\n\
         [solver]\nname = \"{NAME}\"\npreset = \"{preset}\"\n{}\n{solver}\n",
        point(0.0, 0.0),
        vec![-90.0; D],
        vec![90.0; D],
        block(0.0),
        block(1.2),
        point(3.0, 20.0),
        block(2.4),
        common::of_walls(preset),
        point(2.0, -20.0),
        common::of_block(solver),
    )
}

/// Ends of the box of cells, one axis after the other.
fn cells<const D: usize>(run: &mut Simulation<D>) -> [Vec<f64>; 2] {
    let mut ends = [Vec::new(), Vec::new()];
    run.solver.memory(&mut |name, memory| {
        if let (Some(axis), Memory::Number(end)) = (name.strip_prefix("cells_"), memory)
            && axis != "left"
        {
            ends[usize::from(axis.starts_with("high"))].push(*end);
        }
    });
    ends
}

/// Points of the state in no cell of a box.
fn outside<const D: usize>(run: &Simulation<D>, [low, high]: &[Vec<f64>; 2]) -> usize {
    let (state, edge) = (&run.state, f64::from(run.solver.support_radius()) * (1.0 + 1e-5));
    let leaves = |x: &[Vec<Real>; D], i: usize| {
        let cell = |x: f64| (x / edge).floor();
        (0..D).any(|a| !(cell(low[a])..=cell(high[a])).contains(&cell(f64::from(x[a][i]))))
    };
    (0..state.fluid.len()).filter(|&i| leaves(&state.fluid.x, i)).count()
        + (0..state.walls.len()).filter(|&i| leaves(&state.walls.x, i)).count()
}

/// The box of cells follows what leaves it, seldom; particles are where `on_cpu` has them, but for `bound` roundings; and a
/// restart with points outside goes on with the same bits.
pub fn box_follows<const D: usize>(text: &str, on_cpu: Simulation<D>, steps: u64, bound: f64) {
    let (mut run, mut on_cpu) = (stirred(simulation::<D>(text)), stirred(on_cpu));
    go(&mut run, 1);
    let (first, mut fits, mut most, mut before, mut saved) = (cells(&mut run), 0, 0, 0, None);
    let mut last = first.clone();
    for step in 2..=steps {
        go(&mut run, 1);
        let now = cells(&mut run);
        fits += usize::from(now != last);
        let left = outside(&run, &now);
        // A step sees what the one before has left.
        assert!(left.min(before) <= FEW_POINTS, "{before} and {left} points outside");
        (most, before) = (most.max(left), left);
        if saved.is_none() && fits > 0 && left > FEW_POINTS / 4 {
            saved = Some((step, save(&mut run)));
            go(&mut on_cpu, step);
            Difference::between(&on_cpu.state, &run.state).check(OF_WIDTH * bound, "with points outside");
        }
        last = now;
    }
    let size = |ends: &[Vec<f64>; 2]| ends[1][1] - ends[0][1];
    let grown = size(&last) / size(&first);
    println!(
        "{D}D {NAME}: {fits} fits in {steps} steps, the box is {grown:.1} times as high, {most} outside"
    );
    assert!((2..=8).contains(&fits) && grown > 3.0, "{fits} fits, {grown} times as high");
    let (step, bytes) = saved.expect("points were outside");
    let mut again = load::<D>(text, &bytes);
    assert_eq!(save(&mut again), bytes);
    go(&mut again, steps - step);
    assert_eq!(again.state.hash(), run.state.hash(), "a restart after step {step}");
}
