//! One particle: its fields, and its neighbors.

use super::picture::numbers;
use crate::wire::Message;
use bench_suite::output::{FrameData, Values};
use serde_json::{Value, json};
use sph_core::{error::Error, method::state::State, numerics::lane::each, run::simulation::Simulation};

/// The id of the particle nearest to a place; none of an empty fluid.
pub(super) fn nearest<const D: usize>(state: &State<D>, x: &[f64]) -> Result<Option<u64>, Error> {
    let Ok(x) = <[f64; D]>::try_from(x) else {
        return Err(Error::invalid("pick.x", format!("has {} coordinates, must have {D}", x.len())));
    };
    let far = |i: &usize| {
        let offset = state.domain.periodic.nearest(each(|a| state.fluid.x[a][*i] - x[a] as sph_core::Real));
        offset.iter().map(|d| f64::from(*d).powi(2)).sum::<f64>()
    };
    let found = (0..state.fluid.len()).min_by(|i, j| far(i).total_cmp(&far(j)));
    Ok(found.map(|i| state.fluid.id[i]))
}

/// What is told of the particle of an id, whose fields are in `frame`.
pub(super) fn message<const D: usize>(
    pane: usize,
    id: u64,
    frame: &FrameData<D>,
    run: &Simulation<D>,
) -> Message {
    let (state, support) = (&run.state, f64::from(run.solver.support_radius()));
    let Some(i) = state.fluid.id.iter().position(|&known| known == id) else {
        return Message::text(&json!({ "is": "particle", "pane": pane, "id": id, "gone": true }));
    };
    let place = |x: &[Vec<sph_core::Real>; D], j: usize| each::<f64, D>(|a| f64::from(x[a][j])).to_vec();
    let is_near = |x: &[Vec<sph_core::Real>; D], j: usize| {
        let offset = each(|a| x[a][j] - state.fluid.x[a][i]);
        let offset = state.domain.periodic.nearest(offset);
        offset.iter().map(|d| f64::from(*d).powi(2)).sum::<f64>() < support * support
    };
    // Rows are those of the last step, in its order, which is that of the particles now.
    let lists = run.solver.neighbors();
    let of = |rows: &sph_core::neighbors::NeighborLists| match rows.len() == state.fluid.len() {
        true => rows.neighbors(i).collect::<Vec<_>>(),
        false => Vec::new(),
    };
    let fluid = of(&lists.fluid).into_iter().filter(|&j| is_near(&state.fluid.x, j));
    let walls = of(&lists.walls).into_iter().filter(|&j| is_near(&state.walls.x, j));
    let fields = frame.fields.iter().map(|field| {
        let value = match &field.values {
            Values::Vector(axes) => axes.iter().map(|axis| f64::from(axis[i])).collect::<Vec<_>>().into(),
            other => Value::from(numbers(other)[i]),
        };
        json!({ "name": field.name, "unit": field.unit, "value": value })
    });
    Message::text(&json!({
        "is": "particle",
        "pane": pane,
        "id": id,
        "gone": false,
        "x": place(&state.fluid.x, i),
        "support": support,
        "fields": fields.collect::<Vec<_>>(),
        "neighbors": fluid.map(|j| json!({ "id": state.fluid.id[j], "x": place(&state.fluid.x, j) })).collect::<Vec<_>>(),
        "wall_neighbors": walls.map(|j| place(&state.walls.x, j)).collect::<Vec<_>>(),
    }))
}
