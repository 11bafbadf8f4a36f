//! Which points of a rank stand in rows of another, and which of others in its own.

use super::{links::Links, wire};
use crate::{method::failure::Lost, neighbors::Share};
use bytemuck::Pod;
use std::ops::Range;

/// For each rank beside this one the points that go there and the points that come from there, both by cell and id: the
/// order is the same on both sides, and needs no words.
#[derive(Debug, Default)]
pub struct Plan {
    send: Vec<Vec<u32>>,
    receive: Vec<Vec<u32>>,
}

impl Plan {
    /// Finds them among the points of cells.
    pub fn make<const D: usize>(
        &mut self,
        cells: impl Iterator<Item = ([i32; D], Range<u32>)>,
        share: &Share<D>,
    ) {
        for places in [&mut self.send, &mut self.receive] {
            places.resize_with(share.beside.len(), Vec::new);
            places.iter_mut().for_each(Vec::clear);
        }
        for (at, points) in cells {
            if share.is_inner(at) {
                continue;
            }
            if share.owns(at) {
                for (k, send) in self.send.iter_mut().enumerate() {
                    if share.reaches_beside(k, at) {
                        send.extend(points.clone());
                    }
                }
            } else if share.reaches(at)
                && let Ok(k) = share.beside.binary_search(&share.partition.owner(at))
            {
                self.receive[k].extend(points);
            }
        }
    }

    /// Brings what their owners have to the points of other ranks.
    ///
    /// # Errors
    /// When a rank is gone, or its step has failed.
    pub fn refresh<T: Pod>(&self, links: &mut Links, beside: &[usize], values: &mut [T]) -> Result<(), Lost> {
        for (&to, send) in beside.iter().zip(&self.send) {
            let mut message = Vec::new();
            wire::put_at(&mut message, values, send);
            links.send(to, &message)?;
        }
        for (&from, receive) in beside.iter().zip(&self.receive) {
            let message = links.receive(from)?;
            let mut reader = wire::Reader::new(&message);
            reader.write_at(values, receive).filter(|()| reader.is_empty()).ok_or(Lost::Garbled(from))?;
        }
        Ok(())
    }
}
