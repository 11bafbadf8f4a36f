//! The reference of the tests: every pair is tested, in plain scalar code that shares nothing with the fast search.

use super::{
    build::Search,
    lists::{Chunk, PAD},
};
use crate::{Real, numerics::vector::norm2};

/// The rows of one chunk.
pub fn rows<const D: usize>(search: &Search<'_, D>, chunk: &mut Chunk) {
    chunk.offsets.clear();
    chunk.offsets.push(0);
    chunk.indices.clear();
    for i in chunk.first..chunk.end {
        for j in 0..search.from_x[0].len() {
            let d: [Real; D] = std::array::from_fn(|a| search.from_x[a][j] - search.query_x[a][i]);
            let near = norm2(search.periodic.nearest(d)) < search.radius * search.radius;
            if near && !(search.same && i == j) {
                chunk.indices.push(j as u32);
            }
        }
        while !chunk.indices.len().is_multiple_of(PAD) {
            chunk.indices.push(chunk.null);
        }
        chunk.offsets.push(chunk.indices.len() as u32);
    }
}
