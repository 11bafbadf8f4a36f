//! Tables of pairs, as of springs ([`Memory::Pairs`]): their rows are on the ranks of the particles that own them.

use super::wire::{Reader, put, put_at};
use crate::{
    Real,
    method::solver::{Memory, of_parts},
    run::method::Method,
};
use std::{collections::HashMap, mem::take};

/// Takes the columns out of the method, to handle them together.
pub fn take_pairs<const D: usize, M: Method<D>>(method: &mut M) -> Vec<Vec<Real>> {
    let mut table = Vec::new();
    each_column(method, &mut |column| table.push(take(column)));
    table
}

/// Puts them back.
pub fn put_pairs<const D: usize, M: Method<D>>(method: &mut M, table: Vec<Vec<Real>>) {
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
pub fn rows_of(table: &[Vec<Real>], receivers: usize, of_owner: &HashMap<u64, usize>) -> Vec<Vec<u32>> {
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
pub fn put_rows(message: &mut Vec<u8>, table: &[Vec<Real>], rows: &[u32]) {
    put(message, &[rows.len() as u64]);
    table.iter().for_each(|column| put_at(message, column, rows));
}

/// Adds the rows of a message to a table.
pub fn take_rows(reader: &mut Reader<'_>, table: &mut [Vec<Real>]) -> Option<()> {
    let n = usize::try_from(reader.one::<u64>()?).ok()?;
    table.iter_mut().try_for_each(|column| reader.append(n, column))
}
