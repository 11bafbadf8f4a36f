//! Who is shown and told what becomes of the runs.

use crate::wire::{Message, Status};

/// What can be kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saved {
    /// The scene, with all its defaults.
    Scene,
    /// What was done to its run by hand.
    Script,
    /// The run.
    Checkpoint,
}

/// The newest particles of all panes.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// Of the fluid.
    pub fluid: Vec<Message>,
    /// Of the walls, each with a number that grows with every change.
    pub walls: Vec<(u64, Message)>,
}

impl Frames {
    /// The number of the newest walls.
    pub fn newest(&self) -> u64 {
        self.walls.iter().map(|walls| walls.0).max().unwrap_or(0)
    }

    /// What a page needs to show these that knows walls with the numbers `known`.
    pub fn since(&self, known: &mut Vec<u64>) -> Vec<Message> {
        known.resize(self.walls.len(), 0);
        let mut messages = Vec::new();
        for ((number, walls), known) in self.walls.iter().zip(known) {
            if known != number && matches!(walls, Message::Binary(_)) {
                *known = *number;
                messages.push(walls.clone());
            }
        }
        messages.extend(self.fluid.iter().cloned());
        messages
    }
}

/// Whoever looks at the runs. Nothing here may wait.
pub trait Audience {
    /// True if somebody has asked for frames since the last call.
    fn wants_frames(&self) -> bool;
    /// Shows the newest particles.
    fn show(&self, frames: &Frames);
    /// Tells whether the runs go on.
    fn tell_status(&self, status: Status);
    /// Tells the diagnosis of each pane that has failed.
    fn tell_failures(&self, failures: &[Option<String>]);
    /// Tells what the panes are.
    fn tell_opened(&self, opened: Message);
    /// Says something once.
    fn tell(&self, message: Message);
}
