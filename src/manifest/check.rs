//! Checks a JSON value against a serde type and reports **every** mismatch in one pass, with its path:
//! unknown fields (with the names that are known there), wrong types, words that aren't one of the allowed.
//!
//! An ordinary decode stops at the first wrong type. This deserializer records the mismatch, hands
//! the type a harmless stand-in and goes on. What it decodes to is therefore thrown away.

use std::cell::RefCell;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde_json::Value;

use crate::manifest::path::{FieldPath, Segment};
use crate::manifest::yaml::integral;

/// Most problems that are recorded; more would not be read.
const MAX_PROBLEMS: usize = 100;
/// How often a check starts again after a type that gave up.
const MAX_STOPS: usize = 20;

/// One mismatch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    /// The field.
    pub(super) path: FieldPath,
    /// What is wrong with it.
    pub(super) kind: ProblemKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProblemKind {
    /// The type has no such field; the names it has.
    Unknown(&'static [&'static str]),
    /// Another type was expected; said in words.
    Type { expected: &'static str },
    /// An integer outside its range; said in words.
    Range { expected: &'static str },
    /// A float with a decimal point where an integer stands (`1.0`).
    Float { integer: i64 },
    /// Not one of the allowed words.
    Word(&'static [&'static str]),
    /// What the type itself said.
    Other(String),
}

/// Checks `value` as a `T` that stands at `base`.
pub(super) fn check<T: DeserializeOwned>(value: &Value, base: &FieldPath) -> Vec<Problem> {
    let mut stopped_at = Vec::new();
    let mut rest = value.clone();
    loop {
        let problems = RefCell::new(Vec::new());
        let node = Node {
            value: &rest,
            track: &Track::Root(base),
            known: &[],
            problems: &problems,
        };
        let stopped = T::deserialize(node).err();
        let mut problems = problems.into_inner();
        if let Some(Stopped(Some(message))) = stopped {
            problems.push(Problem {
                path: base.clone(),
                kind: ProblemKind::Other(message),
            });
        } else if stopped.is_some()
            && stopped_at.len() < MAX_STOPS
            && let Some(last) = problems.pop()
        {
            // The type gave up here: take the value away and look at the rest.
            let within = &last.path.segments()[base.segments().len()..];
            put(&mut rest, within, Value::Null);
            stopped_at.push(last);
            continue;
        }
        problems.append(&mut stopped_at);
        return problems;
    }
}

/// Puts a value where `path` leads, if anything stands there.
pub(super) fn put(value: &mut Value, path: &[Segment], new: Value) {
    let mut at = value;
    for segment in path {
        let next = match segment {
            Segment::Key(key) => at.get_mut(key),
            Segment::Index(i) => at.get_mut(*i),
        };
        match next {
            Some(next) => at = next,
            None => return,
        }
    }
    *at = new;
}

/// Way from the root, as a list on the stack: paths are built only for problems.
enum Track<'t> {
    Root(&'t FieldPath),
    Key(&'t Self, &'t str),
    Index(&'t Self, usize),
}

impl Track<'_> {
    fn path(&self) -> FieldPath {
        match self {
            Self::Root(base) => FieldPath::from_segments(base.segments().to_vec()),
            Self::Key(parent, key) => parent.path().key(*key),
            Self::Index(parent, i) => parent.path().index(*i),
        }
    }
}

fn note(problems: &RefCell<Vec<Problem>>, track: &Track<'_>, kind: ProblemKind) {
    let mut problems = problems.borrow_mut();
    if problems.len() < MAX_PROBLEMS {
        problems.push(Problem {
            path: track.path(),
            kind,
        });
    }
}

/// The error of a type that can't go on. The message is taken out where it is first seen, with the path.
#[derive(Debug)]
struct Stopped(Option<String>);

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("stopped"))
    }
}
impl std::error::Error for Stopped {}
impl de::Error for Stopped {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(Some(message.to_string()))
    }
}

struct Node<'v, 't> {
    value: &'v Value,
    track: &'t Track<'t>,
    /// Names that the type around it has, if it is a field.
    known: &'static [&'static str],
    problems: &'t RefCell<Vec<Problem>>,
}

impl<'v> Node<'v, '_> {
    fn wrong(&self, expected: &'static str) {
        if !self.value.is_null() {
            note(self.problems, self.track, ProblemKind::Type { expected });
        }
    }
    /// The integer here, or 0 after a complaint.
    fn int(&self, min: i64, max: i64, expected: &'static str) -> i64 {
        let Value::Number(n) = self.value else {
            self.wrong("an integer");
            return 0;
        };
        let Some(i) = n.as_i64() else {
            match integral(n) {
                Some(integer) => {
                    note(self.problems, self.track, ProblemKind::Float { integer });
                }
                None => self.wrong("an integer"),
            }
            return 0;
        };
        if (min..=max).contains(&i) {
            return i;
        }
        note(self.problems, self.track, ProblemKind::Range { expected });
        0
    }
    fn map<V: Visitor<'v>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stopped> {
        let entries = self.value.as_object().map_or_else(
            || {
                self.wrong("a mapping");
                Vec::new()
            },
            |map| map.iter().collect(),
        );
        visitor.visit_map(Entries {
            entries: entries.into_iter(),
            current: None,
            known,
            track: self.track,
            problems: self.problems,
        })
    }
}

macro_rules! ints {
    ($($method:ident $visit:ident $ty:ty, $expected:literal;)*) => {$(
        fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
            let max = i64::try_from(<$ty>::MAX).unwrap_or(i64::MAX);
            let min = i64::try_from(<$ty>::MIN).unwrap_or(i64::MIN);
            let n = self.int(min, max, $expected);
            visitor.$visit(<$ty>::try_from(n).unwrap_or_default())
        }
    )*};
}

impl<'v> Deserializer<'v> for Node<'v, '_> {
    type Error = Stopped;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(i), _) => visitor.visit_i64(i),
                (None, Some(u)) => visitor.visit_u64(u),
                _ => visitor.visit_f64(n.as_f64().unwrap_or(0.0)),
            },
            Value::String(s) => visitor.visit_borrowed_str(s),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.map(&[], visitor),
        }
    }
    fn deserialize_bool<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        visitor.visit_bool(self.value.as_bool().unwrap_or_else(|| {
            self.wrong("true or false");
            false
        }))
    }
    ints! {
        deserialize_i8 visit_i8 i8, "an 8-bit integer";
        deserialize_i16 visit_i16 i16, "a 16-bit integer";
        deserialize_i32 visit_i32 i32, "a 32-bit integer";
        deserialize_i64 visit_i64 i64, "a 64-bit integer";
        deserialize_u8 visit_u8 u8, "an integer of 0 to 255";
        deserialize_u16 visit_u16 u16, "an integer of 0 to 65535";
        deserialize_u32 visit_u32 u32, "an integer of 0 to 4294967295";
        deserialize_u64 visit_u64 u64, "an integer of 0 or more";
    }
    fn deserialize_f32<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        self.deserialize_f64(visitor)
    }
    fn deserialize_f64<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        visitor.visit_f64(self.value.as_f64().unwrap_or_else(|| {
            self.wrong("a number");
            0.0
        }))
    }
    fn deserialize_char<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        self.deserialize_str(visitor)
    }
    fn deserialize_str<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        visitor.visit_borrowed_str(self.value.as_str().unwrap_or_else(|| {
            self.wrong("a string");
            ""
        }))
    }
    fn deserialize_string<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        self.deserialize_str(visitor)
    }
    fn deserialize_bytes<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        self.deserialize_str(visitor)
    }
    fn deserialize_byte_buf<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        self.deserialize_str(visitor)
    }
    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }
    fn deserialize_unit<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        visitor.visit_unit()
    }
    fn deserialize_unit_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stopped> {
        visitor.visit_unit()
    }
    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stopped> {
        // The API server takes a bare number for a quantity (`cpu: 4`), and null for none.
        if name == "Quantity" && !self.value.is_string() {
            if !self.value.is_number() {
                self.wrong("a quantity such as 2, 500m or 1Gi");
            }
            let stand_in: StrDeserializer<'_, Stopped> = "1".into_deserializer();
            return visitor.visit_newtype_struct(stand_in);
        }
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        let items: &[Value] = self.value.as_array().map_or_else(
            || {
                self.wrong("a list");
                &[] as &[Value]
            },
            Vec::as_slice,
        );
        visitor.visit_seq(Items {
            items,
            next: 0,
            track: self.track,
            problems: self.problems,
        })
    }
    fn deserialize_tuple<V: Visitor<'v>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Stopped> {
        self.deserialize_seq(visitor)
    }
    fn deserialize_tuple_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Stopped> {
        self.deserialize_seq(visitor)
    }
    fn deserialize_map<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        self.map(&[], visitor)
    }
    fn deserialize_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stopped> {
        self.map(fields, visitor)
    }
    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stopped> {
        let word = match self.value {
            Value::String(s) if variants.contains(&s.as_str()) => s.as_str(),
            Value::String(_) => {
                note(self.problems, self.track, ProblemKind::Word(variants));
                variants.first().copied().unwrap_or_default()
            }
            _ => {
                self.wrong("a string");
                variants.first().copied().unwrap_or_default()
            }
        };
        let word: StrDeserializer<'_, Stopped> = word.into_deserializer();
        visitor.visit_enum(word)
    }
    fn deserialize_identifier<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        self.deserialize_str(visitor)
    }
    /// A type ignores exactly the values of fields that it doesn't know.
    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Stopped> {
        note(self.problems, self.track, ProblemKind::Unknown(self.known));
        visitor.visit_unit()
    }
}

struct Items<'v, 't> {
    items: &'v [Value],
    next: usize,
    track: &'t Track<'t>,
    problems: &'t RefCell<Vec<Problem>>,
}

impl<'v> de::SeqAccess<'v> for Items<'v, '_> {
    type Error = Stopped;

    fn next_element_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Stopped> {
        let Some(value) = self.items.get(self.next) else {
            return Ok(None);
        };
        let track = Track::Index(self.track, self.next);
        self.next += 1;
        step(seed, value, &track, &[], self.problems).map(Some)
    }
}

struct Entries<'v, 't> {
    entries: std::vec::IntoIter<(&'v String, &'v Value)>,
    current: Option<(&'v String, &'v Value)>,
    known: &'static [&'static str],
    track: &'t Track<'t>,
    problems: &'t RefCell<Vec<Problem>>,
}

impl<'v> de::MapAccess<'v> for Entries<'v, '_> {
    type Error = Stopped;

    fn next_key_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Stopped> {
        self.current = self.entries.next();
        let Some((key, _)) = self.current else {
            return Ok(None);
        };
        let key: StrDeserializer<'_, Stopped> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }
    fn next_value_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<S::Value, Stopped> {
        let Some((key, value)) = self.current.take() else {
            return Err(Stopped(None));
        };
        let track = Track::Key(self.track, key);
        step(seed, value, &track, self.known, self.problems)
    }
}

/// One step down. The innermost failure is noted, with its path, on its way up.
fn step<'v, S: DeserializeSeed<'v>>(
    seed: S,
    value: &'v Value,
    track: &Track<'_>,
    known: &'static [&'static str],
    problems: &RefCell<Vec<Problem>>,
) -> Result<S::Value, Stopped> {
    let node = Node {
        value,
        track,
        known,
        problems,
    };
    seed.deserialize(node).map_err(|stopped| {
        if let Some(message) = stopped.0 {
            // The one type of the API that takes either, and says so in its own words only.
            let kind = if message.contains("IntOrString") {
                ProblemKind::Type {
                    expected: "an integer or a string",
                }
            } else {
                ProblemKind::Other(message)
            };
            problems.borrow_mut().push(Problem {
                path: track.path(),
                kind,
            });
        }
        Stopped(None)
    })
}

#[cfg(test)]
mod tests;
