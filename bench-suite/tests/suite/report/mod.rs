//! Laws of `report`.

mod against;
mod axis;
mod csv;
mod figures;
mod html;
mod lines;
mod markdown;
mod page;
mod plots;
mod ranking;
mod screenshot;
mod synthetic;
