//! A state in pieces: each rank's particles, with what a restart must keep of them. Rows of tables of pairs, as of springs, are
//! where the particles are that own them.

use super::{
    exchange::{packed, unpack},
    wire::{Reader, put, put_all, put_at},
};
use crate::{
    Real,
    fluid::particles::Particles,
    method::{
        failure::Lost,
        solver::{Memory, Solver, of_parts},
        state::State,
    },
    neighbors::{Partition, Share},
    numerics::field::Scratch,
    run::method::Method,
};
use std::{collections::HashMap, mem::take};

/// Makes of a state what [`take_piece`] reads on each rank.
pub fn scatter<const D: usize, M: Method<D>>(
    state: &mut State<D>,
    method: &mut M,
    partition: &Partition<D>,
) -> Vec<Vec<u8>> {
    let cell = |i: usize| partition.frame.cell(state.fluid.position(i));
    let mut places = vec![Vec::new(); partition.size()];
    for i in 0..state.fluid.len() {
        places[partition.owner(cell(i))].push(i as u32);
    }
    let (kept, pairs) = (take_kept(method, false), take_pairs(method));
    let has_pairs = pairs.first().is_some_and(|owners| !owners.is_empty());
    let (ranks, ids) = (places.iter().enumerate().filter(|_| has_pairs), &state.fluid.id);
    let rank_of = ranks.flat_map(|(rank, places)| places.iter().map(move |&i| (ids[i as usize], rank)));
    let rows = rows_of(&pairs, places.len(), &rank_of.collect());
    let mut rest = Vec::new();
    let mut numbers = Vec::new();
    each_number(state, method, &mut |number| numbers.push(*number));
    put_all(&mut rest, &numbers);
    let walls = &state.walls;
    put_all(&mut rest, &walls.id);
    put_all(&mut rest, &walls.body);
    put_all(&mut rest, &walls.volume);
    let axes = [&walls.x, &walls.v, &walls.a, &walls.x_0];
    axes.into_iter().flatten().for_each(|axis| put_all(&mut rest, axis));
    let piece = |(places, rows): (&Vec<u32>, &Vec<u32>)| {
        let mut piece = Vec::new();
        put_all(&mut piece, &partition.to_words());
        put_particles(&mut piece, &state.fluid, &kept, places);
        put_rows(&mut piece, &pairs, rows);
        piece.extend_from_slice(&rest);
        piece
    };
    let pieces = places.iter().zip(&rows).map(piece).collect();
    put_kept(method, kept, false);
    put_pairs(method, pairs);
    pieces
}

/// Takes the piece of a rank in the place of its state. `None` when it cannot be read.
pub fn take_piece<const D: usize, M: Method<D>>(
    piece: &[u8],
    state: &mut State<D>,
    method: &mut M,
    [rank, size]: [usize; 2],
) -> Option<()> {
    let mut reader = Reader::new(piece);
    let frame = method.shell().neighbors.cells().frame;
    let partition = Partition::of_words(frame, &reader.all::<i32>()?, size);
    method.shell_mut().neighbors.share = Some(Share::new(partition, rank));
    state.fluid = Particles::default();
    let mut kept = take_kept(method, false);
    kept.iter_mut().for_each(Vec::clear);
    take_particles(&mut reader, &mut state.fluid, &mut kept)?;
    put_kept(method, kept, false);
    let mut pairs = take_pairs(method);
    pairs.iter_mut().for_each(Vec::clear);
    take_rows(&mut reader, &mut pairs)?;
    put_pairs(method, pairs);
    let mut numbers = reader.all::<f64>()?.into_iter();
    each_number(state, method, &mut |number| numbers.next().into_iter().for_each(|from| *number = from));
    let walls = &mut state.walls;
    (walls.id, walls.body, walls.volume) = (reader.all()?, reader.all()?, reader.all()?);
    for axis in [&mut walls.x, &mut walls.v, &mut walls.a, &mut walls.x_0].into_iter().flatten() {
        *axis = reader.all()?;
    }
    Solver::restored(method, state);
    Some(())
}

/// The particles of a rank, and the cells in whose order they stand, for [`join`].
pub fn give_piece<const D: usize, M: Method<D>>(state: &State<D>, method: &mut M) -> Vec<u8> {
    let (mut cells, mut counts, mut n) = (Vec::new(), Vec::new(), 0);
    let (sorted, share) = (method.shell().neighbors.cells(), method.shell().neighbors.share.as_ref());
    let is_own = |at| share.is_some_and(|share| share.owns(at));
    for (at, points) in sorted.points().filter(|(at, _)| is_own(*at)) {
        cells.extend(at.iter().rev());
        counts.push(points.len() as u32);
        n += points.len();
    }
    if n != state.fluid.len() {
        // After a failure in the midst of the search they are in no order.
        (cells, counts) = (vec![0; D], vec![state.fluid.len() as u32]);
    }
    let mut piece = Vec::new();
    put_all(&mut piece, &cells);
    put_all(&mut piece, &counts);
    let kept = take_kept(method, true);
    let all = |n: usize| (0..n as u32).collect::<Vec<u32>>();
    put_particles(&mut piece, &state.fluid, &kept, &all(state.fluid.len()));
    put_kept(method, kept, true);
    let pairs = take_pairs(method);
    put_rows(&mut piece, &pairs, &all(pairs.first().map_or(0, Vec::len)));
    put_pairs(method, pairs);
    piece
}

/// Puts the pieces of all ranks together: the particles have the order that they would have on one, pairs that of the ranks.
/// Fields that not all ranks have, as in the midst of a failed step, stay empty.
///
/// # Errors
/// Names the rank whose piece cannot be read.
pub fn join<const D: usize, M: Method<D>>(
    pieces: impl Iterator<Item = Vec<u8>>,
    state: &mut State<D>,
    method: &mut M,
) -> Result<(), Lost> {
    let mut runs: Vec<([i32; D], u32, u32)> = Vec::new();
    let (fluid, mut kept, mut pairs) = (&mut state.fluid, take_kept(method, true), take_pairs(method));
    *fluid = Particles::default();
    kept.iter_mut().chain(&mut pairs).for_each(Vec::clear);
    for (rank, piece) in pieces.enumerate() {
        let read = take_runs(&piece, fluid, (&mut kept, &mut pairs), &mut runs);
        read.ok_or(Lost::Garbled(rank))?;
    }
    runs.sort_unstable();
    let order: Vec<u32> = runs.iter().flat_map(|&(_, first, count)| first..first + count).collect();
    let mut scratch = Scratch::default();
    fluid.permute(&order, &mut scratch);
    for field in &mut kept {
        match field.len() == order.len() {
            true => scratch.permute(&order, field),
            false => field.clear(),
        }
    }
    put_kept(method, kept, true);
    put_pairs(method, pairs);
    Ok(())
}

/// Adds the particles of a piece, and to `runs` where those of each cell begin, and how many they are.
fn take_runs<const D: usize>(
    piece: &[u8],
    fluid: &mut Particles<D>,
    (kept, pairs): (&mut [Vec<Real>], &mut [Vec<Real>]),
    runs: &mut Vec<([i32; D], u32, u32)>,
) -> Option<()> {
    let mut reader = Reader::new(piece);
    let (cells, counts) = (reader.all::<i32>()?, reader.all::<u32>()?);
    let mut first = fluid.len() as u32;
    for (cell, count) in cells.chunks_exact(D).zip(counts) {
        runs.push((std::array::from_fn(|a| cell[a]), first, count));
        first += count;
    }
    take_particles(&mut reader, fluid, kept)?;
    take_rows(&mut reader, pairs)?;
    (first as usize == fluid.len()).then_some(())
}

/// Which fields of the method are used, and the particles at `places` with those.
fn put_particles<const D: usize>(
    piece: &mut Vec<u8>,
    fluid: &Particles<D>,
    kept: &[Vec<Real>],
    places: &[u32],
) {
    let is_used = |field: &&Vec<Real>| field.len() == fluid.len();
    put_all(piece, &kept.iter().map(|field| u8::from(is_used(&field))).collect::<Vec<u8>>());
    piece.extend(packed(fluid, &kept.iter().filter(is_used).collect::<Vec<_>>(), places));
}

/// Adds the particles of a piece.
fn take_particles<const D: usize>(
    reader: &mut Reader<'_>,
    fluid: &mut Particles<D>,
    kept: &mut [Vec<Real>],
) -> Option<()> {
    let used = reader.all::<u8>()?;
    let fields = kept.iter_mut().zip(used).filter(|(_, used)| *used != 0);
    unpack(reader, fluid, &mut fields.map(|(field, _)| field).collect::<Vec<_>>())
}

/// Takes them out of the method, to handle them together.
pub fn take_kept<const D: usize, M: Method<D>>(method: &mut M, shown: bool) -> Vec<Vec<Real>> {
    let mut kept = Vec::new();
    each_field(method, shown, &mut |field| kept.push(take(field)));
    kept
}

/// The fields that a restart must keep, and those that a run shows if asked for.
fn each_field<const D: usize, M: Method<D>>(
    method: &mut M,
    shown: bool,
    visit: &mut dyn FnMut(&mut Vec<Real>),
) {
    Method::memory(method, &mut |_, memory| {
        if let Memory::Field(field) = memory {
            visit(field);
        }
    });
    for info in M::FIELDS.iter().filter(|_| shown) {
        method.field_mut(info.name).into_iter().for_each(&mut *visit);
    }
}

/// Puts them back.
pub fn put_kept<const D: usize, M: Method<D>>(method: &mut M, kept: Vec<Vec<Real>>, shown: bool) {
    let mut kept = kept.into_iter();
    each_field(method, shown, &mut |field| kept.next().into_iter().for_each(|from| *field = from));
}

/// Every number that a restart must keep, of bodies and of the method.
fn each_number<const D: usize, M: Method<D>>(
    state: &mut State<D>,
    method: &mut M,
    visit: &mut dyn FnMut(&mut f64),
) {
    state.bodies.numbers(&mut |_, number| visit(number));
    each_own_number(method, visit);
}

fn each_own_number<const D: usize, M: Method<D>>(method: &mut M, visit: &mut dyn FnMut(&mut f64)) {
    Method::numbers(method, visit);
    method.shell_mut().memory(&mut |_, memory| {
        if let Memory::Number(number) = memory {
            visit(number);
        }
    });
}

/// Gives a method the numbers of another, which has done a step.
pub fn copy_numbers<const D: usize, M: Method<D>>(from: &mut M, to: &mut M) {
    let mut numbers = Vec::new();
    each_own_number(from, &mut |number| numbers.push(*number));
    let mut numbers = numbers.into_iter();
    each_own_number(to, &mut |number| numbers.next().into_iter().for_each(|from| *number = from));
}

/// Takes the columns out of the method, to handle them together.
fn take_pairs<const D: usize, M: Method<D>>(method: &mut M) -> Vec<Vec<Real>> {
    let mut table = Vec::new();
    each_column(method, &mut |column| table.push(take(column)));
    table
}

/// Puts them back.
fn put_pairs<const D: usize, M: Method<D>>(method: &mut M, table: Vec<Vec<Real>>) {
    let mut columns = table.into_iter();
    each_column(method, &mut |column| columns.next().into_iter().for_each(|from| *column = from));
}

fn each_column<const D: usize, M: Method<D>>(method: &mut M, visit: &mut dyn FnMut(&mut Vec<Real>)) {
    Method::memory(method, &mut |_, memory| {
        if let Memory::Pairs(column) = memory {
            visit(column);
        }
    });
}

/// The rows that go to each of so many receivers, ascending, by the receiver of each owner; where one is not among these, a row
/// goes nowhere.
fn rows_of(table: &[Vec<Real>], receivers: usize, of_owner: &HashMap<u64, usize>) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); receivers];
    if let [low, high, ..] = table
        && !of_owner.is_empty()
    {
        for (row, (&low, &high)) in low.iter().zip(high).enumerate() {
            if let Some(&to) = of_owner.get(&of_parts([low, high])) {
                rows[to].push(row as u32);
            }
        }
    }
    rows
}

/// Adds the rows at `rows` to a message.
fn put_rows(message: &mut Vec<u8>, table: &[Vec<Real>], rows: &[u32]) {
    put(message, &[rows.len() as u64]);
    table.iter().for_each(|column| put_at(message, column, rows));
}

/// Adds the rows of a message to a table.
fn take_rows(reader: &mut Reader<'_>, table: &mut [Vec<Real>]) -> Option<()> {
    let n = usize::try_from(reader.one::<u64>()?).ok()?;
    table.iter_mut().try_for_each(|column| reader.append(n, column))
}
