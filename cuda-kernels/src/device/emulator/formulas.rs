//! The C++ formulas on the processor (feature `host`), function by function, for the tests that compare them with Rust.

use std::ffi::{CStr, c_char};

use crate::device::layout::Member;
use sph_core::Real;

/// A function of a source; the twin of `PhysicsFunction` in `host/physics_table.h`.
#[repr(C)]
struct Function {
    name: *const c_char,
    n_in: usize,
    n_out: usize,
    of: Option<unsafe extern "C" fn(*const Real, *mut Real)>,
}

/// The twin of `PhysicsField`.
#[repr(C)]
struct MemberRow {
    block: *const c_char,
    name: *const c_char,
    offset: usize,
    size: usize,
}

unsafe extern "C" {
    fn physics_vec_2d() -> *const Function;
    fn physics_vec_3d() -> *const Function;
    fn physics_kernel_2d() -> *const Function;
    fn physics_kernel_3d() -> *const Function;
    fn physics_wcsph_2d() -> *const Function;
    fn physics_wcsph_3d() -> *const Function;
    fn physics_pbf_2d() -> *const Function;
    fn physics_pbf_3d() -> *const Function;
    fn physics_viscoelastic_2d() -> *const Function;
    fn physics_viscoelastic_3d() -> *const Function;
    fn physics_projection_2d() -> *const Function;
    fn physics_projection_3d() -> *const Function;
    fn physics_layout_2d() -> *const MemberRow;
    fn physics_layout_3d() -> *const MemberRow;
}

/// A file with formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulas {
    /// `common/numerics/space.cuh`.
    Vec,
    /// `common/numerics/kernel.cuh`.
    Kernel,
    /// `wcsph/formula.cuh`.
    Wcsph,
    /// `pbf/formula.cuh`.
    Pbf,
    /// `viscoelastic/formula.cuh`.
    Viscoelastic,
    /// `projection/formula.cuh`.
    Projection,
}

impl Formulas {
    fn table<const D: usize>(self) -> *const Function {
        const { assert!(D == 2 || D == 3, "the source is built in 2 and 3 dimensions") };
        // SAFETY: these functions take nothing and return a table that lives as long as the program.
        unsafe {
            match (self, D) {
                (Self::Vec, 2) => physics_vec_2d(),
                (Self::Vec, _) => physics_vec_3d(),
                (Self::Kernel, 2) => physics_kernel_2d(),
                (Self::Kernel, _) => physics_kernel_3d(),
                (Self::Wcsph, 2) => physics_wcsph_2d(),
                (Self::Wcsph, _) => physics_wcsph_3d(),
                (Self::Pbf, 2) => physics_pbf_2d(),
                (Self::Pbf, _) => physics_pbf_3d(),
                (Self::Viscoelastic, 2) => physics_viscoelastic_2d(),
                (Self::Viscoelastic, _) => physics_viscoelastic_3d(),
                (Self::Projection, 2) => physics_projection_2d(),
                (Self::Projection, _) => physics_projection_3d(),
            }
        }
    }

    /// The functions that can be called in `D` dimensions, by their place in the table.
    fn functions<const D: usize>(self) -> impl Iterator<Item = &'static Function> {
        let table = self.table::<D>();
        // SAFETY: the table ends with an entry without a name, and nothing behind it is read.
        (0..).map(move |k| unsafe { &*table.add(k) }).take_while(|function| !function.name.is_null())
    }

    /// Their names.
    pub fn names<const D: usize>(self) -> Vec<String> {
        self.functions::<D>().map(|function| text(function.name)).collect()
    }

    /// What `function` makes of the numbers `input` in `D` dimensions: vectors are `D` of them, structs their fields
    /// in order.
    ///
    /// # Errors
    /// When there is no such function, or it takes another count of numbers.
    pub fn call<const D: usize>(self, function: &str, input: &[Real]) -> Result<Vec<Real>, String> {
        let found = self.functions::<D>().find(|f| text(f.name) == function);
        let Some(Function { n_in, n_out, of: Some(of), .. }) = found else {
            return Err(format!("{self:?} has no function {function}"));
        };
        if input.len() != *n_in {
            return Err(format!("{function} takes {n_in} numbers, not {}", input.len()));
        }
        let mut out = vec![0.0; *n_out];
        // SAFETY: the function reads `n_in` numbers and writes `n_out`, which is what it gets.
        unsafe { of(input.as_ptr(), out.as_mut_ptr()) };
        Ok(out)
    }

    /// Compares what `function` makes of `input` with `rust`, bit by bit.
    ///
    /// # Errors
    /// What differs, or why it cannot be called.
    pub fn compare<const D: usize>(
        self,
        function: &str,
        input: &[Real],
        rust: &[Real],
    ) -> Result<(), String> {
        let cuda = self.call::<D>(function, input)?;
        // Every NaN is the same: its sign and payload have no meaning.
        let same = |(a, b): (&Real, &Real)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        if cuda.len() == rust.len() && cuda.iter().zip(rust).all(same) {
            return Ok(());
        }
        Err(format!("{function} in {D}D of {input:?}: CUDA {cuda:?}, Rust {rust:?}"))
    }
}

fn text(name: *const c_char) -> String {
    // SAFETY: names in the tables are string literals.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// The fields of the C++ struct `block` in `D` dimensions, and its size; empty when it is in no table.
pub fn layout<const D: usize>(block: &str) -> (Vec<Member>, usize) {
    // SAFETY: as for the tables of functions.
    let table = unsafe { if D == 2 { physics_layout_2d() } else { physics_layout_3d() } };
    // SAFETY: the table ends with an entry without a block, and nothing behind it is read.
    let members = (0..).map(|k| unsafe { &*table.add(k) }).take_while(|member| !member.block.is_null());
    let (mut fields, mut size) = (Vec::new(), 0);
    for member in members.filter(|member| text(member.block) == block) {
        match text(member.name) {
            name if name.is_empty() => size = member.size,
            name => fields.push(Member { name, offset: member.offset, size: member.size }),
        }
    }
    (fields, size)
}
