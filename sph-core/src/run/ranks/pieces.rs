//! A state in pieces: each rank's particles, with what a restart must keep of them. Rows of tables of pairs, as of springs, are
//! where the particles are that own them.

use super::{
    exchange::{packed, unpack},
    member::Member,
    wire::{Reader, put, put_all, put_at},
};
use crate::{
    Real,
    fluid::particles::Particles,
    method::{
        failure::Lost,
        solver::{Memory, of_parts},
        state::State,
    },
    neighbors::{Partition, Share},
    numerics::field::Scratch,
};
use std::{collections::HashMap, mem::take};

/// Gives `send` what [`take_piece`] reads of a state on each rank, the last rank first: one piece exists at a time.
///
/// # Errors
/// Those of `send`.
pub fn scatter<const D: usize>(
    state: &mut State<D>,
    method: &mut dyn Member<D>,
    partition: &Partition<D>,
    mut send: impl FnMut(usize, Vec<u8>) -> Result<(), Lost>,
) -> Result<(), Lost> {
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
    let fields: Vec<&[Real]> = kept.iter().map(Vec::as_slice).collect();
    let piece = |(places, rows): (&Vec<u32>, &Vec<u32>)| {
        let mut piece = Vec::new();
        put_all(&mut piece, &partition.to_words());
        put_particles(&mut piece, &state.fluid, &fields, places);
        put_rows(&mut piece, &pairs, rows);
        piece.extend_from_slice(&rest);
        piece
    };
    let sent = (0..places.len()).rev().try_for_each(|to| send(to, piece((&places[to], &rows[to]))));
    put_kept(method, kept, false);
    put_pairs(method, pairs);
    sent
}

/// Takes the piece of a rank in the place of its state. `None` when it cannot be read.
pub fn take_piece<const D: usize>(
    piece: &[u8],
    state: &mut State<D>,
    method: &mut dyn Member<D>,
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
    method.restored(state);
    Some(())
}

/// The particles of a rank, and the cells in whose order they stand, for [`join`].
pub fn give_piece<const D: usize>(state: &State<D>, method: &mut dyn Member<D>) -> Vec<u8> {
    let all = |n: usize| (0..n as u32).collect::<Vec<u32>>();
    let kept = take_kept(method, true);
    let fields: Vec<&[Real]> = kept.iter().map(Vec::as_slice).collect();
    let mut piece = give_some(state, method, &all(state.fluid.len()), &fields);
    put_kept(method, kept, true);
    let pairs = take_pairs(method);
    put_rows(&mut piece, &pairs, &all(pairs.first().map_or(0, Vec::len)));
    put_pairs(method, pairs);
    piece
}

/// The particles of a rank at `places`, ascending, the cells in whose order they stand, and what `fields` have of them.
pub fn give_some<const D: usize>(
    state: &State<D>,
    method: &dyn Member<D>,
    places: &[u32],
    fields: &[&[Real]],
) -> Vec<u8> {
    let (mut cells, mut counts, mut end, mut left) = (Vec::new(), Vec::new(), 0, places);
    let (sorted, share) = (method.shell().neighbors.cells(), method.shell().neighbors.share.as_ref());
    let is_own = |at| share.is_some_and(|share| share.owns(at));
    for (at, points) in sorted.points().filter(|(at, _)| is_own(*at)) {
        end += points.len();
        let (here, rest) = left.split_at(left.partition_point(|&i| (i as usize) < end));
        if !here.is_empty() {
            cells.extend(at.iter().rev());
            counts.push(here.len() as u32);
        }
        left = rest;
    }
    if end != state.fluid.len() {
        // After a failure in the midst of the search they are in no order.
        (cells, counts) = (vec![0; D], vec![places.len() as u32]);
    }
    let mut piece = Vec::new();
    put_all(&mut piece, &cells);
    put_all(&mut piece, &counts);
    put_particles(&mut piece, &state.fluid, fields, places);
    piece
}

/// Puts the pieces of all ranks together, which `gather` adds one by one: the particles have the order that they would have on
/// one, pairs that of the ranks. Fields that not all ranks have, as in the midst of a failed step, stay empty.
///
/// # Errors
/// Those of `gather`; state and method are then what they were.
pub fn join<const D: usize>(
    state: &mut State<D>,
    method: &mut dyn Member<D>,
    gather: impl FnOnce(&mut dyn FnMut(&[u8]) -> Option<()>) -> Result<(), Lost>,
) -> Result<(), Lost> {
    let (mut kept, mut pairs) = (Vec::new(), Vec::new());
    each_field(method, true, &mut |_| kept.push(Vec::new()));
    each_column(method, &mut |_| pairs.push(Vec::new()));
    let mut joined = Joined::new(&mut kept, state.fluid.len());
    gather(&mut |piece| joined.add(piece, |reader| take_rows(reader, &mut pairs)))?;
    state.fluid = joined.finish();
    put_kept(method, kept, true);
    put_pairs(method, pairs);
    Ok(())
}

/// Particles of several ranks, and their fields.
pub struct Joined<'a, const D: usize> {
    fluid: Particles<D>,
    fields: &'a mut [Vec<Real>],
    /// Each cell, where its particles begin, and how many they are.
    runs: Vec<([i32; D], u32, u32)>,
}

impl<'a, const D: usize> Joined<'a, D> {
    /// Nothing yet, with room for `n` particles. The fields are empty.
    pub fn new(fields: &'a mut [Vec<Real>], n: usize) -> Self {
        let mut fluid = Particles::default();
        fluid.reserve(n);
        Self { fluid, fields, runs: Vec::new() }
    }

    /// Adds the particles of a piece. What else is in it is left to `rest`.
    pub fn add(&mut self, piece: &[u8], rest: impl FnOnce(&mut Reader<'_>) -> Option<()>) -> Option<()> {
        let mut reader = Reader::new(piece);
        let (cells, counts) = (reader.all::<i32>()?, reader.all::<u32>()?);
        let mut first = self.fluid.len() as u32;
        for (cell, count) in cells.chunks_exact(D).zip(counts) {
            self.runs.push((std::array::from_fn(|a| cell[a]), first, count));
            first += count;
        }
        take_particles(&mut reader, &mut self.fluid, self.fields)?;
        rest(&mut reader)?;
        (first as usize == self.fluid.len() && reader.is_empty()).then_some(())
    }

    /// All of them, in the order that they would have on one rank.
    pub fn finish(mut self) -> Particles<D> {
        self.runs.sort_unstable();
        let order: Vec<u32> = self.runs.iter().flat_map(|&(_, first, count)| first..first + count).collect();
        let mut scratch = Scratch::default();
        self.fluid.permute(&order, &mut scratch);
        for field in self.fields {
            match field.len() == order.len() {
                true => scratch.permute(&order, field),
                false => field.clear(),
            }
        }
        self.fluid
    }
}

/// Which fields are used, and the particles at `places` with those.
fn put_particles<const D: usize>(
    piece: &mut Vec<u8>,
    fluid: &Particles<D>,
    fields: &[&[Real]],
    places: &[u32],
) {
    let is_used = |field: &&[Real]| field.len() == fluid.len();
    put_all(piece, &fields.iter().map(|field| u8::from(is_used(field))).collect::<Vec<u8>>());
    piece.extend(packed(fluid, &fields.iter().copied().filter(is_used).collect::<Vec<_>>(), places));
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
pub fn take_kept<const D: usize>(method: &mut dyn Member<D>, shown: bool) -> Vec<Vec<Real>> {
    let mut kept = Vec::new();
    each_field(method, shown, &mut |field| kept.push(take(field)));
    kept
}

/// The fields that a restart must keep, and those that a run shows if asked for.
fn each_field<const D: usize>(
    method: &mut dyn Member<D>,
    shown: bool,
    visit: &mut dyn FnMut(&mut Vec<Real>),
) {
    method.own_memory(&mut |_, memory| {
        if let Memory::Field(field) = memory {
            visit(field);
        }
    });
    for info in method.fields().iter().filter(|_| shown) {
        method.field_mut(info.name).into_iter().for_each(&mut *visit);
    }
}

/// Puts them back.
pub fn put_kept<const D: usize>(method: &mut dyn Member<D>, kept: Vec<Vec<Real>>, shown: bool) {
    let mut kept = kept.into_iter();
    each_field(method, shown, &mut |field| kept.next().into_iter().for_each(|from| *field = from));
}

/// Every number that a restart must keep, of bodies and of the method.
fn each_number<const D: usize>(
    state: &mut State<D>,
    method: &mut dyn Member<D>,
    visit: &mut dyn FnMut(&mut f64),
) {
    state.bodies.numbers(&mut |_, number| visit(number));
    each_own_number(method, visit);
}

fn each_own_number<const D: usize>(method: &mut dyn Member<D>, visit: &mut dyn FnMut(&mut f64)) {
    method.own_numbers(visit);
    method.shell_mut().memory(&mut |_, memory| {
        if let Memory::Number(number) = memory {
            visit(number);
        }
    });
}

/// Gives a method the numbers of another, which has done a step.
pub fn copy_numbers<const D: usize>(from: &mut dyn Member<D>, to: &mut dyn Member<D>) {
    let mut numbers = Vec::new();
    each_own_number(from, &mut |number| numbers.push(*number));
    let mut numbers = numbers.into_iter();
    each_own_number(to, &mut |number| numbers.next().into_iter().for_each(|from| *number = from));
}

/// Takes the columns out of the method, to handle them together.
fn take_pairs<const D: usize>(method: &mut dyn Member<D>) -> Vec<Vec<Real>> {
    let mut table = Vec::new();
    each_column(method, &mut |column| table.push(take(column)));
    table
}

/// Puts them back.
fn put_pairs<const D: usize>(method: &mut dyn Member<D>, table: Vec<Vec<Real>>) {
    let mut columns = table.into_iter();
    each_column(method, &mut |column| columns.next().into_iter().for_each(|from| *column = from));
}

fn each_column<const D: usize>(method: &mut dyn Member<D>, visit: &mut dyn FnMut(&mut Vec<Real>)) {
    method.own_memory(&mut |_, memory| {
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
