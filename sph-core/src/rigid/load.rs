//! What the fluid does to walls and containers on which the force is measured.

use super::Wrench;

/// The force of the fluid on a wall, as that of a body, and its torque about the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Load<const D: usize> {
    /// Name of the wall.
    pub wall: String,
    /// Force and torque of the last step in which they were due.
    pub wrench: Wrench<D>,
}

/// The force of the fluid on a container, and its torque about the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerLoad<const D: usize> {
    /// Its place in the list of containers.
    pub container: usize,
    /// Force and torque of the last step in which they were due.
    pub wrench: Wrench<D>,
}
