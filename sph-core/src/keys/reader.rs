//! Values of a file as serde reads them. An error knows the path of its key, and where it stands in the text; that of `toml` knows
//! the place alone. With its reader, all that reads and writes keys is a third of the time to compile this crate; with this, a tenth.
use std::{fmt, ops::Range};

use serde::{
    Deserialize,
    de::{
        self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Unexpected, VariantAccess,
        Visitor,
        value::{CowStrDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

/// Why a value was not read. In a box: readers return it from every field.
#[derive(Debug, Default)]
pub(crate) struct Refused(pub Box<Reason>);

/// See [`Refused`].
#[derive(Debug, Default)]
pub(crate) struct Reason {
    /// In the words of serde.
    pub message: String,
    /// A key that is not there.
    pub missing: Option<&'static str>,
    /// The path of the value, or of the table without the key, as `fluid[0].shape`.
    pub path: String,
    /// The bytes of it in the text; none for the whole text.
    pub span: Option<Range<usize>>,
    /// Whether the key is refused, and not its value.
    pub is_key: bool,
}

impl Refused {
    /// The same, of a value within the one at `step`: a key, or `[index]`.
    pub fn within(mut self, step: &str, span: Range<usize>) -> Self {
        let inner = &self.0.path;
        let joint = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        self.0.path = format!("{step}{joint}{inner}");
        self.0.span.get_or_insert(span);
        self
    }

    /// The same, of a key.
    fn of_key(self, key: &Spanned<DeString<'_>>) -> Self {
        let mut refused = self.within(key.get_ref(), key.span());
        refused.0.is_key = true;
        refused
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self(Box::new(Reason { message: message.to_string(), ..Reason::default() }))
    }

    fn missing_field(name: &'static str) -> Self {
        let message = format!("missing field `{name}`");
        Self(Box::new(Reason { message, missing: Some(name), ..Reason::default() }))
    }
}

/// Reads a value as a `T`.
///
/// # Errors
///
/// Unknown and missing keys, and wrong types.
pub(crate) fn read<'de, T: Deserialize<'de>>(value: DeValue<'de>) -> Result<T, Refused> {
    T::deserialize(Reader(value))
}

/// Reads a whole text as a `T`.
///
/// # Errors
///
/// Syntax, and as [`read`].
pub(crate) fn read_text<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Refused> {
    let table = DeTable::parse(text).map_err(|error| <Refused as de::Error>::custom(error.message()))?;
    read(DeValue::Table(table.into_inner()))
}

// Its methods stay calls: what they call would be compiled wherever they are inlined.
struct Reader<'de>(DeValue<'de>);

impl<'de> Reader<'de> {
    #[inline(never)]
    fn refusal(&self, expected: &dyn de::Expected) -> Refused {
        let found = match &self.0 {
            DeValue::String(text) => Unexpected::Str(text),
            DeValue::Integer(_) => integer(&self.0).map_or(Unexpected::Other("integer"), Unexpected::Signed),
            DeValue::Float(_) => float(&self.0).map_or(Unexpected::Other("number"), Unexpected::Float),
            DeValue::Boolean(value) => Unexpected::Bool(*value),
            DeValue::Datetime(_) => Unexpected::Other("date"),
            DeValue::Array(_) => Unexpected::Seq,
            DeValue::Table(_) => Unexpected::Map,
        };
        de::Error::invalid_type(found, expected)
    }

    #[inline(never)]
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match &self.0 {
            DeValue::Integer(digits) => match integer(&self.0) {
                Some(value) => visitor.visit_i64(value),
                None => match u64::from_str_radix(digits.as_str(), digits.radix()) {
                    Ok(value) => visitor.visit_u64(value),
                    Err(_) => Err(de::Error::invalid_value(Unexpected::Other(digits.as_str()), &visitor)),
                },
            },
            DeValue::Float(_) => match float(&self.0) {
                Some(value) => visitor.visit_f64(value),
                None => Err(de::Error::custom("is too large a number")),
            },
            _ => Err(self.refusal(&visitor)),
        }
    }

    #[inline(never)]
    fn text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            DeValue::String(text) => visitor.visit_string(text.into_owned()),
            _ => Err(self.refusal(&visitor)),
        }
    }

    #[inline(never)]
    fn boolean<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            DeValue::Boolean(value) => visitor.visit_bool(value),
            _ => Err(self.refusal(&visitor)),
        }
    }

    #[inline(never)]
    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            DeValue::Array(items) => visitor.visit_seq(Items { items: items.into_iter(), next: 0 }),
            _ => Err(self.refusal(&visitor)),
        }
    }

    #[inline(never)]
    fn table<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            DeValue::Table(table) => visitor.visit_map(Entries { left: table.into_iter(), value: None }),
            _ => Err(self.refusal(&"a table")),
        }
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    value.as_integer().and_then(|digits| i64::from_str_radix(digits.as_str(), digits.radix()).ok())
}

/// A number that is written as infinite may be so.
fn float(value: &DeValue<'_>) -> Option<f64> {
    let digits = value.as_float()?.as_str();
    digits.parse().ok().filter(|value: &f64| !value.is_infinite() || digits.contains("inf"))
}

/// Methods of [`Deserializer`] that one of [`Reader`] is for.
macro_rules! by {
    ($($reader:ident: $($method:ident)*;)*) => {$($(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            self.$reader(visitor)
        }
    )*)*};
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Refused;

    by! {
        number: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i8 deserialize_i16
            deserialize_i32 deserialize_i64 deserialize_f32 deserialize_f64;
        text: deserialize_str deserialize_string deserialize_char deserialize_identifier deserialize_bytes
            deserialize_byte_buf;
        boolean: deserialize_bool;
        list: deserialize_seq;
        table: deserialize_map;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match &self.0 {
            DeValue::String(_) => self.text(visitor),
            DeValue::Integer(_) | DeValue::Float(_) => self.number(visitor),
            DeValue::Boolean(_) => self.boolean(visitor),
            DeValue::Array(_) => self.list(visitor),
            DeValue::Table(_) => self.table(visitor),
            DeValue::Datetime(_) => Err(self.refusal(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refused> {
        self.list(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.table(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self.0 {
            DeValue::String(name) => visitor.visit_enum(CowStrDeserializer::new(name)),
            DeValue::Table(table) => {
                let n_choices = table.len();
                match table.into_iter().next() {
                    Some((name, value)) if n_choices == 1 => visitor.visit_enum(Choice { name, value }),
                    _ => Err(de::Error::custom("must name exactly one of its choices")),
                }
            }
            _ => Err(de::Error::custom("must be a name in quotes, or a table with one name")),
        }
    }

    forward_to_deserialize_any! { i128 u128 unit unit_struct tuple_struct ignored_any }
}

struct Items<I> {
    items: I,
    next: usize,
}

impl<'de, I: Iterator<Item = Spanned<DeValue<'de>>>> SeqAccess<'de> for Items<I> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let (index, span) = (self.next, item.span());
        self.next += 1;
        let value = seed.deserialize(Reader(item.into_inner()));
        value.map(Some).map_err(|error| error.within(&format!("[{index}]"), span))
    }
}

struct Entries<'de> {
    left: <DeTable<'de> as IntoIterator>::IntoIter,
    value: Option<(Spanned<DeString<'de>>, Spanned<DeValue<'de>>)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        let Some((key, value)) = self.left.next() else { return Ok(None) };
        let found = seed
            .deserialize(StrDeserializer::new(key.get_ref()))
            .map_err(|error: Refused| error.of_key(&key));
        self.value = Some((key, value));
        found.map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Refused> {
        let Some((key, value)) = self.value.take() else {
            return Err(de::Error::custom("a value without its key"));
        };
        let span = value.span();
        seed.deserialize(Reader(value.into_inner())).map_err(|error| error.within(key.get_ref(), span))
    }
}

/// A choice that has a value.
struct Choice<'de> {
    name: Spanned<DeString<'de>>,
    value: Spanned<DeValue<'de>>,
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Refused;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Refused> {
        let name = StrDeserializer::new(self.name.get_ref());
        let variant = seed.deserialize(name).map_err(|error: Refused| error.of_key(&self.name))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        match self.value.get_ref() {
            DeValue::Table(table) if table.is_empty() => Ok(()),
            _ => Err(<Refused as de::Error>::custom("takes no value").of_key(&self.name)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        let span = self.value.span();
        let value = seed.deserialize(Reader(self.value.into_inner()));
        value.map_err(|error| error.within(self.name.get_ref(), span))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refused> {
        Err(Reader(self.value.into_inner()).refusal(&visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        Err(Reader(self.value.into_inner()).refusal(&visitor))
    }
}
