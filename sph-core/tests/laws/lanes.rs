//! Laws of the lanes: every instruction set does what plain numbers do, to the bit.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

use proptest::prelude::*;
use sph_core::{
    Real,
    numerics::lane::{Isa, Lane, WIDTH, wide},
    phase,
};

#[cfg(not(feature = "f64"))]
use proptest::num::f32 as real;
#[cfg(feature = "f64")]
use proptest::num::f64 as real;

type Wide = [Real; WIDTH];

/// Number of operations that give a number in each lane.
const N_OPERATIONS: usize = 10;

/// All operations on N lanes of `a` and `b`, one result of N numbers after the other.
///
/// # Safety
/// `a` and `b` hold L::N numbers, `out` capacity for `N_OPERATIONS` times as many.
#[inline(always)]
unsafe fn operate<L: Lane>(a: *const Real, b: *const Real, out: *mut Real) {
    // SAFETY: as demanded of the caller.
    unsafe {
        let (a, b, first) = (L::load(a), L::load(b), L::splat(*a));
        let results =
            [a + b, a - b, a * b, a / b, -a, a.max(b), a.min(b), a.sqrt(), first, first.max(b) * (a - b)];
        for (k, result) in results.into_iter().enumerate() {
            result.store(out.add(k * L::N));
        }
    }
}

/// An instruction set of this machine, or the portable lanes, which no phase uses on x86-64.
#[derive(Clone, Copy, Debug)]
enum Set {
    Isa(Isa),
    Portable,
}

fn sets() -> Vec<Set> {
    Isa::available().into_iter().map(Set::Isa).chain([Set::Portable]).collect()
}

/// Writes a function of a [`Set`]: a phase, and the same on portable lanes.
macro_rules! on_every_set {
    (fn $name:ident<$L:ident>($($arg:ident: $type:ty),*) -> $result:ty $body:block) => {
        fn $name(set: Set, $($arg: $type),*) -> $result {
            phase! {
                fn registers<$L>($($arg: $type),*) -> $result $body
            }
            #[allow(clippy::unused_unit)]
            fn portable($($arg: $type),*) -> $result {
                type $L = wide::Portable;
                $body
            }
            match set {
                Set::Isa(isa) => registers(isa, $($arg),*),
                Set::Portable => portable($($arg),*),
            }
        }
    };
}

on_every_set! {
    fn operations<L>(a: &Wide, b: &Wide) -> [Wide; N_OPERATIONS] {
        let mut out = [[0.0; WIDTH]; N_OPERATIONS];
        assert_eq!(L::N, WIDTH);
        // SAFETY: all arrays are WIDTH long.
        unsafe { operate::<L>(a.as_ptr(), b.as_ptr(), out.as_mut_ptr().cast()) };
        out
    }
}
on_every_set! {
    fn sum<L>(a: &Wide) -> Real {
        // SAFETY: WIDTH numbers.
        unsafe { L::load(a.as_ptr()) }.sum()
    }
}
on_every_set! {
    fn below<L>(a: &Wide, b: &Wide) -> u32 {
        // SAFETY: WIDTH numbers.
        unsafe { L::load(a.as_ptr()).below(L::load(b.as_ptr())) }
    }
}
on_every_set! {
    fn quads<L>(records: &[Real], stride: usize, j: &[u32; WIDTH]) -> [Wide; 4] {
        assert!(j.iter().all(|&j| j as usize * stride + 4 <= records.len()));
        let mut out = [[0.0; WIDTH]; 4];
        // SAFETY: WIDTH indices, all of them checked.
        unsafe {
            for (to, quad) in out.iter_mut().zip(L::quads(records.as_ptr(), stride, j.as_ptr())) {
                quad.store(to.as_mut_ptr());
            }
        }
        out
    }
}
on_every_set! {
    fn pack<L>(from: &Wide, mask: u32, to: &mut [Real; 2 * WIDTH]) -> () {
        // SAFETY: WIDTH numbers at both.
        unsafe { L::load(from.as_ptr()).pack(mask, to.as_mut_ptr()) }
    }
}
on_every_set! {
    fn pack_index<L>(from: &[u32; WIDTH], mask: u32, to: &mut [u32; 2 * WIDTH]) -> () {
        // SAFETY: WIDTH numbers at both.
        unsafe { L::pack_index(from.as_ptr(), mask, to.as_mut_ptr()) }
    }
}

/// Equal in every bit, or both NaN.
fn same(a: Real, b: Real) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn any_wide() -> impl Strategy<Value = Wide> {
    let special = prop_oneof![real::ANY, -1e3..1e3 as Real, Just(0.0), Just(-0.0), Just(Real::NAN)];
    // Of special numbers alone hardly a sum would depend on its order.
    prop_oneof![proptest::array::uniform(special), proptest::array::uniform(-1e3..1e3 as Real)]
}

fn any_mask() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), Just((1 << WIDTH) - 1), 0..1_u32 << WIDTH]
}

/// What IEEE 754 says, in plain Rust.
fn expected(a: &Wide, b: &Wide) -> [Wide; N_OPERATIONS] {
    let max = |a: Real, b: Real| if a > b { a } else { b };
    let of: [&dyn Fn(Real, Real) -> Real; N_OPERATIONS] = [
        &|a, b| a + b,
        &|a, b| a - b,
        &|a, b| a * b,
        &|a, b| a / b,
        &|a, _| -a,
        &max,
        &|a, b| if a < b { a } else { b },
        &|a, _| a.sqrt(),
        &|_, _| a[0],
        &|x, b| max(a[0], b) * (x - b),
    ];
    of.map(|f| std::array::from_fn(|k| f(a[k], b[k])))
}

proptest! {
    #[test]
    fn operations_agree_on_every_instruction_set(a in any_wide(), b in any_wide()) {
        let expected = expected(&a, &b);
        for set in sets() {
            let computed = operations(set, &a, &b);
            for (k, (x, y)) in computed.as_flattened().iter().zip(expected.as_flattened()).enumerate() {
                prop_assert!(same(*x, *y), "{set:?}: operation {}, lane {}: {x} not {y}", k / WIDTH, k % WIDTH);
            }
        }
    }

    #[test]
    fn a_plain_number_is_a_lane(a in any_wide(), b in any_wide()) {
        let expected = expected(&a, &b);
        let mut computed = [0.0; N_OPERATIONS];
        // SAFETY: one number each.
        unsafe { operate::<Real>(a.as_ptr(), b.as_ptr(), computed.as_mut_ptr()) };
        for (x, y) in computed.iter().zip(&expected) {
            prop_assert!(same(*x, y[0]), "{x} not {}", y[0]);
        }
        prop_assert!(same(a[0].sum(), a[0]));
        prop_assert_eq!(a[0].below(b[0]), u32::from(a[0] < b[0]));
    }

    #[test]
    fn sums_add_halves(a in any_wide()) {
        let (mut halves, mut n) = (a, WIDTH);
        while n > 1 {
            n /= 2;
            for k in 0..n {
                halves[k] += halves[k + n];
            }
        }
        for set in sets() {
            prop_assert!(same(sum(set, &a), halves[0]), "{set:?}: {} not {}", sum(set, &a), halves[0]);
        }
    }

    #[test]
    fn below_sets_the_bits_of_smaller_lanes(a in any_wide(), b in any_wide()) {
        let expected = (0..WIDTH).map(|k| u32::from(a[k] < b[k]) << k).sum::<u32>();
        for set in sets() {
            prop_assert_eq!(below(set, &a, &b), expected, "{:?}", set);
            prop_assert_eq!(below(set, &a, &a), 0, "{:?}", set);
        }
    }

    #[test]
    fn quads_transpose_records(
        records in proptest::collection::vec(real::ANY, 9 * 64),
        stride in 4_usize..=9,
        j in proptest::array::uniform::<_, WIDTH>(0_u32..64),
        offset in 0_usize..=4,
    ) {
        let offset = offset.min(stride - 4);
        for set in sets() {
            let computed = quads(set, &records[offset..], stride, &j);
            for (c, lanes) in computed.iter().enumerate() {
                for k in 0..WIDTH {
                    let number = records[offset + stride * j[k] as usize + c];
                    prop_assert_eq!(lanes[k].to_bits(), number.to_bits(), "{:?}: number {} of lane {}", set, c, k);
                }
            }
        }
    }

    #[test]
    fn pack_keeps_the_marked_numbers_in_order(a in any_wide(), mask in any_mask()) {
        let kept: Vec<Real> = (0..WIDTH).filter(|k| mask >> k & 1 == 1).map(|k| a[k]).collect();
        for set in sets() {
            let mut to = [7.0; 2 * WIDTH];
            pack(set, &a, mask, &mut to);
            prop_assert!(kept.iter().zip(&to).all(|(x, y)| x.to_bits() == y.to_bits()), "{set:?}: {to:?}");
            prop_assert!(to[WIDTH..].iter().all(|x| *x == 7.0), "{set:?} wrote more than a vector");
        }
    }

    #[test]
    fn pack_index_keeps_the_marked_indices_in_order(
        from in proptest::array::uniform::<_, WIDTH>(any::<u32>()),
        mask in any_mask(),
    ) {
        let kept: Vec<u32> = (0..WIDTH).filter(|k| mask >> k & 1 == 1).map(|k| from[k]).collect();
        for set in sets() {
            let mut to = [7; 2 * WIDTH];
            pack_index(set, &from, mask, &mut to);
            prop_assert_eq!(&to[..kept.len()], &kept[..], "{:?}", set);
            prop_assert!(to[WIDTH..].iter().all(|x| *x == 7), "{set:?} wrote more than a vector");
        }
    }
}

#[test]
fn f32_and_f64_convert_where_they_meet_memory() {
    // SAFETY: arrays are as long as is read and written.
    unsafe {
        let third = 1.0 / 3.0 as Real;
        assert_eq!(<f64 as Lane>::load(&third), f64::from(third));
        assert_eq!(<f32 as Lane>::load(&third), (1.0_f64 / 3.0) as f32);
        assert_eq!(<f64 as Lane>::splat(third), f64::from(third));
        let records = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        assert_eq!(<f64 as Lane>::quads(records.as_ptr(), 2, &2), [4.0, 5.0, 6.0, 7.0]);
        assert_eq!(<f32 as Lane>::quads(records.as_ptr(), 1, &3), [3.0, 4.0, 5.0, 6.0]);
        let mut to = 0.0;
        <f64 as Lane>::store(1.0 / 3.0, &mut to);
        assert_eq!(to, third);
        <f32 as Lane>::pack(1.0 / 3.0, 1, &mut to);
        assert_eq!(to, (1.0_f32 / 3.0) as Real);
        let mut index = 0;
        <f64 as Lane>::pack_index(&5, 1, &mut index);
        assert_eq!(index, 5);
    }
}

#[test]
fn instruction_sets_are_found_by_name() {
    for isa in Isa::available() {
        assert_eq!(isa.to_string().parse(), Ok(isa));
    }
    let unknown = "neon9".parse::<Isa>().unwrap_err();
    assert!(
        unknown.to_string().contains("\"neon9\"") && unknown.to_string().contains(Isa::BASELINE.name()),
        "{unknown}"
    );
    assert_eq!(Isa::available().last(), Some(&Isa::best()));
    assert_eq!(Isa::available().first(), Some(&Isa::BASELINE));
}

trait Weight<const D: usize> {
    fn weight<L: Lane>(&self, x: L) -> L;
}
struct Power;
impl<const D: usize> Weight<D> for Power {
    #[inline(always)]
    fn weight<L: Lane>(&self, x: L) -> L {
        (0..D).fold(L::splat(1.0), |power, _| power * x)
    }
}

#[inline(always)]
fn for_each_vector<L: Lane>(x: &[Real], mut f: impl FnMut(L)) {
    for x in x.chunks_exact(L::N) {
        // SAFETY: L::N numbers.
        f(unsafe { L::load(x.as_ptr()) });
    }
}

phase! {
    /// `D` appears in no argument, `'a` in the result; two loops share one closure.
    #[must_use]
    pub(crate) fn weigh<L>['a, const D: usize, W: Weight<D> + Sync](w: &W, x: &'a [Real], sums: &mut Vec<Real>)
        -> &'a [Real]
    {
        let mut total = L::splat(0.0);
        let mut add = |x: L| total = total + w.weight(x);
        for_each_vector(x, &mut add);
        for_each_vector(x, &mut add);
        sums.push(total.sum());
        &x[..D]
    }
}
phase! {
    fn dimension<L>[const D: usize]() -> usize { D }
}

#[test]
fn phases_take_generics_lifetimes_and_closures() {
    let x: Vec<Real> = (0..2 * WIDTH).map(|k| k as Real).collect();
    let expected = |power: i32| x.iter().map(|x| 2.0 * x.powi(power)).sum::<Real>();
    for isa in Isa::available() {
        let mut sums = Vec::new();
        assert_eq!(weigh::<2, _>(isa, &Power, &x, &mut sums), &x[..2]);
        assert_eq!(weigh::<3, _>(isa, &Power, &x, &mut sums), &x[..3]);
        assert_eq!(sums, [expected(2), expected(3)]);
        assert_eq!(dimension::<2>(isa), 2);
    }
}
