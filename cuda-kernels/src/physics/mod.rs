//! The formulas of the solvers as plain C++: one text for cards and for the processor.
