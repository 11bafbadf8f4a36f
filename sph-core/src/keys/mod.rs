//! One declaration for a parameter: unit, range, default and text stand together, once.
//!
//! [`parameters!`](crate::parameters!) makes of it the struct, its documentation, its reading and
//! writing, its check, a table for the command line, and a schema for editors. Imports no other layer.
use std::fmt::Display;

use crate::error::Error;

pub mod csv;
pub mod error;
mod fields;
pub mod file;
pub mod formula;
pub mod npz;
mod range;
pub(crate) mod reader;
mod schema;

#[doc(hidden)]
pub use fields::Fields;
pub use range::Range;
#[doc(hidden)]
pub use schema::ObjectSchema;
pub(crate) use schema::declared;
#[doc(hidden)]
pub use {schemars, serde};

/// What is declared about one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterInfo {
    /// Key in the scene file.
    pub name: &'static str,
    /// SI unit, `-` for a pure number, empty for a choice or a table.
    pub unit: &'static str,
    /// Allowed interval as `(0, 1]`, empty for a choice or a table.
    pub range: &'static str,
    /// Default as written in the source, `auto` for a value that is derived, empty if it must be given.
    pub default: &'static str,
    /// What it is, with the tag of its source.
    pub doc: &'static str,
    bounds: Option<Range>,
}

impl ParameterInfo {
    /// Used by [`parameters!`](crate::parameters!); a malformed range fails to compile there.
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        range: &'static str,
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        let default = if matches!(default.as_bytes(), b"None") { "auto" } else { default };
        let bounds = if range.is_empty() { None } else { Some(Range::parse(range)) };
        Self { name, unit, range, default, doc: doc.trim_ascii(), bounds }
    }

    /// The allowed interval, if the parameter is a number.
    pub const fn bounds(&self) -> Option<Range> {
        self.bounds
    }
}

/// A number, or several, that can be held against a [`Range`].
pub trait Bounded {
    /// Refuses a value that is not finite or lies outside, naming it `key`.
    ///
    /// # Errors
    ///
    /// Names key, value, range and unit.
    fn check(&self, key: &str, unit: &str, range: &Range) -> Result<(), Error>;
}

fn refuse(inside: bool, key: &str, value: impl Display, unit: &str, range: &Range) -> Result<(), Error> {
    if inside { Ok(()) } else { Err(Error::range(key, value, range.text()).unit(unit)) }
}

impl Bounded for f64 {
    fn check(&self, key: &str, unit: &str, range: &Range) -> Result<(), Error> {
        refuse(range.contains(*self), key, self, unit, range)
    }
}

impl Bounded for f32 {
    fn check(&self, key: &str, unit: &str, range: &Range) -> Result<(), Error> {
        refuse(range.contains_f32(*self), key, self, unit, range)
    }
}

macro_rules! bounded_integers {
    ($($integer:ty),*) => {$(
        impl Bounded for $integer {
            fn check(&self, key: &str, unit: &str, range: &Range) -> Result<(), Error> {
                // Above 2^53 the cast rounds, which no range in use can tell.
                refuse(range.contains(*self as f64), key, self, unit, range)
            }
        }
    )*};
}
bounded_integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl<T: Bounded> Bounded for Option<T> {
    fn check(&self, key: &str, unit: &str, range: &Range) -> Result<(), Error> {
        self.as_ref().map_or(Ok(()), |value| value.check(key, unit, range))
    }
}

impl<T: Bounded> Bounded for Vec<T> {
    fn check(&self, key: &str, unit: &str, range: &Range) -> Result<(), Error> {
        check_all(self, key, unit, range)
    }
}

impl<T: Bounded, const N: usize> Bounded for [T; N] {
    fn check(&self, key: &str, unit: &str, range: &Range) -> Result<(), Error> {
        check_all(self, key, unit, range)
    }
}

fn check_all<T: Bounded>(values: &[T], key: &str, unit: &str, range: &Range) -> Result<(), Error> {
    values.iter().enumerate().try_for_each(|(i, value)| value.check(&format!("{key}[{i}]"), unit, range))
}

/// Something made of parameters, that can check all of them.
pub trait Validate {
    /// Checks every number; keys in errors begin with `prefix`.
    ///
    /// # Errors
    ///
    /// The first refused value.
    fn validate(&self, prefix: &str) -> Result<(), Error>;
}

impl<T: Validate> Validate for Option<T> {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        self.as_ref().map_or(Ok(()), |value| value.validate(prefix))
    }
}

impl<T: Validate + ?Sized> Validate for Box<T> {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        (**self).validate(prefix)
    }
}

impl<T: Validate> Validate for Vec<T> {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        self.iter().enumerate().try_for_each(|(i, value)| value.validate(&format!("{prefix}[{i}]")))
    }
}

/// The key path of a field: `prefix.name`, or `name` at the root.
pub fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// Declares a struct of parameters.
///
/// A field is `pub name: Type = default, "unit", "range";`. Left out, the default makes the key
/// required; left out, unit and range make it a choice that needs no check. A field whose type is itself
/// made of parameters ends in `, validate`. Fields behind them, as `hidden name: Type;`, are not part of
/// the file. The range is an interval as in mathematics, `inf` standing for no bound; infinite and
/// undefined values are always refused. A derived default is an `Option` with the default `None`.
///
/// # Example
///
/// ```
/// sph_core::parameters! {
///     /// Numbers of a method.
///     pub struct Params {
///         /// Courant number of the step [Mon92].
///         pub cfl: sph_core::Real = 0.4, "-", "(0, 1]";
///         /// Speed of sound; derived from the depth when left out.
///         pub sound_speed: Option<sph_core::Real> = None, "m/s", "(0, inf)";
///     }
/// }
/// assert_eq!(Params::default().validate("solver"), Ok(()));
/// let error = Params { cfl: 1.5, ..Params::default() }.validate("solver").unwrap_err();
/// assert_eq!(error.to_string(), "solver.cfl = 1.5: must lie in (0, 1] [-]");
/// assert_eq!(Params::PARAMETERS[1].default, "auto");
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                pub $field:ident: $type:ty $(= $default:expr)? $(, $unit:literal, $range:literal)? $(, $check:ident)?;
            )*
            $(hidden $hidden:ident: $hidden_type:ty;)*
        }
    ) => {
        $(#[doc = $about])*
        // Tags of sources, as [Mon92], are no links.
        #[allow(rustdoc::broken_intra_doc_links)]
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $(
                $(#[doc = $doc])*
                #[doc = ""]
                #[doc = concat!(
                    $("Unit `", $unit, "`, range `", $range, "`. ",)?
                    $("Default `", stringify!($default), "`.",)?
                )]
                pub $field: $type,
            )*
            $($hidden: $hidden_type,)*
        }

        impl $name {
            /// Name, unit, range, default and text of every parameter.
            pub const PARAMETERS: &'static [$crate::keys::ParameterInfo] = &[$(
                $crate::keys::ParameterInfo::new(
                    stringify!($field),
                    concat!($($unit)?),
                    concat!($($range)?),
                    concat!($(stringify!($default))?),
                    concat!($($doc,)*),
                ),
            )*];

            /// Checks that every number is finite and in its range; keys in errors begin with `prefix`.
            ///
            /// # Errors
            ///
            /// The first refused value, with key, range and unit.
            pub fn validate(&self, prefix: &str) -> Result<(), $crate::error::Error> {
                let _ = prefix; // A table of names alone has no number to check.
                $(
                    $({
                        const RANGE: $crate::keys::Range = $crate::keys::Range::parse($range);
                        let key = $crate::keys::join(prefix, stringify!($field));
                        $crate::keys::Bounded::check(&self.$field, &key, $unit, &RANGE)?;
                    })?
                    $($crate::keys::Validate::$check(
                        &self.$field,
                        &$crate::keys::join(prefix, stringify!($field)),
                    )?;)?
                )*
                Ok(())
            }
        }

        impl $crate::keys::Validate for $name {
            fn validate(&self, prefix: &str) -> Result<(), $crate::error::Error> {
                $name::validate(self, prefix)
            }
        }

        impl $crate::keys::serde::Serialize for $name {
            #[inline(never)]
            fn serialize<T>(&self, serializer: T) -> Result<T::Ok, T::Error>
            where
                T: $crate::keys::serde::Serializer,
            {
                let mut fields = $crate::keys::Fields::default();
                $(fields.add(stringify!($field), &self.$field);)*
                fields.write(serializer)
            }
        }

        $crate::__parameters_default! { $name { $($field $(= $default)?;)* } $($hidden)* }

        impl<'de> $crate::keys::serde::Deserialize<'de> for $name {
            #[inline(never)]
            fn deserialize<T>(deserializer: T) -> Result<Self, T::Error>
            where
                T: $crate::keys::serde::Deserializer<'de>,
            {
                // The same fields, optional where there is a default, which may thus be any expression.
                #[derive($crate::keys::serde::Deserialize)]
                #[serde(crate = "::sph_core::keys::serde", deny_unknown_fields)]
                struct Fields {
                    $($field: $crate::__parameters_field!($type $(, $default)?),)*
                }
                let fields: Fields = $crate::keys::serde::Deserialize::deserialize(deserializer)?;
                Ok(Self {
                    $($field: $crate::__parameters_read!(fields.$field $(, $default)?),)*
                    $($hidden: Default::default(),)*
                })
            }
        }

        impl $crate::keys::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(
                generator: &mut $crate::keys::schemars::SchemaGenerator,
            ) -> $crate::keys::schemars::Schema {
                let mut object = $crate::keys::ObjectSchema::new(concat!($($about,)*));
                let mut infos = Self::PARAMETERS.iter();
                $(object.add::<$type>(infos.next(), generator, $crate::__parameters_known!($($default)?));)*
                object.finish()
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __parameters_default {
    ($name:ident { $($field:ident = $default:expr;)* } $($hidden:ident)*) => {
        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($hidden: Default::default(),)* }
            }
        }
    };
    // A required field leaves no sensible default of the whole.
    ($($any:tt)*) => {};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __parameters_field {
    ($type:ty, $default:expr) => { Option<$type> };
    ($type:ty) => { $type };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __parameters_read {
    ($value:expr, $default:expr) => {
        match $value {
            Some(value) => value,
            None => $default,
        }
    };
    ($value:expr) => {
        $value
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __parameters_known {
    ($default:expr) => {
        Some($default)
    };
    () => {
        None
    };
}
