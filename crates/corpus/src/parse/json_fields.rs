//! Which values of a JSON object are wanted? Everything else is skipped without being built.
//!
//! The program's reading speed hangs on this file, so it walks an object once: each key is compared
//! with the wanted paths, values of other keys are skipped, and a wanted string is copied exactly
//! once, into the row.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::field::FieldPath;
use crate::row::Found;

/// Fields that can be wanted at once: the bits of a set.
pub(crate) const MOST_FIELDS: usize = u64::BITS as usize;

/// A walk over one object.
pub(crate) struct Walk<'w, 'b> {
    pub(crate) paths: &'w [&'w FieldPath],
    /// One per path, filled by the walk.
    pub(crate) slots: &'w mut [Found<'b>],
    /// The slots that were filled by a field with the whole dotted name, which wins over a nested
    /// one.
    whole: u64,
}

impl<'w, 'b> Walk<'w, 'b> {
    /// Reads `line`, which must be one JSON object.
    pub(crate) fn read(
        line: &str,
        paths: &'w [&'w FieldPath],
        slots: &'w mut [Found<'b>],
    ) -> Result<(), serde_json::Error> {
        slots.fill(Found::Missing);
        let mut walk = Walk { paths, slots, whole: 0 };
        let mut input = serde_json::Deserializer::from_str(line);
        Object { walk: &mut walk, active: all(paths.len()), depth: 0 }.deserialize(&mut input)?;
        input.end()
    }

    fn set(&mut self, which: u64, found: Found<'b>) {
        let mut left = which;
        while left != 0 {
            let slot = left.trailing_zeros() as usize;
            left &= left - 1;
            if left == 0 {
                self.slots[slot] = found;
                return;
            }
            self.slots[slot] = found.clone();
        }
    }

    fn set_text(&mut self, which: u64, text: &str) {
        if which != 0 {
            self.set(which, Found::Text(text.to_owned().into()));
        }
    }
}

fn all(count: usize) -> u64 {
    if count >= MOST_FIELDS { u64::MAX } else { (1 << count) - 1 }
}

/// The wanted paths that a key belongs to.
#[derive(Clone, Copy)]
struct Matched {
    /// Those that end here: the value is theirs.
    ending: u64,
    /// Those that go on inside the value.
    inside: u64,
}

/// An object at some depth of the paths in `active`.
struct Object<'a, 'w, 'b> {
    walk: &'a mut Walk<'w, 'b>,
    active: u64,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Object { walk, active, depth } = self;
        while let Some(matched) = map.next_key_seed(Key { paths: walk.paths, active, depth })? {
            let ending = matched.ending;
            if depth == 0 {
                walk.whole |= ending;
            }
            let inside = matched.inside & !walk.whole;
            if ending | inside == 0 {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            // Of two equal keys the last counts, also when it holds less.
            walk.set(inside, Found::Missing);
            map.next_value_seed(Value { walk, ending, inside, depth })?;
        }
        Ok(())
    }
}

struct Key<'w> {
    paths: &'w [&'w FieldPath],
    active: u64,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Matched;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Matched, D::Error> {
        input.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Matched;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Matched, E> {
        let mut matched = Matched { ending: 0, inside: 0 };
        for (slot, path) in self.paths.iter().enumerate() {
            let bit = 1 << slot;
            if self.active & bit == 0 {
                continue;
            }
            let last = self.depth + 1 == path.segments().len();
            if (self.depth == 0 && key == path.as_str()) || (last && key == path.segments()[self.depth]) {
                matched.ending |= bit;
            } else if !last && key == path.segments()[self.depth] {
                matched.inside |= bit;
            }
        }
        Ok(matched)
    }
}

/// A value that some path ends at or goes into.
struct Value<'a, 'w, 'b> {
    walk: &'a mut Walk<'w, 'b>,
    ending: u64,
    inside: u64,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.walk.set_text(self.ending, text);
        Ok(())
    }

    fn visit_i64<E: Error>(self, integer: i64) -> Result<(), E> {
        self.walk.set(self.ending, Found::Integer(integer));
        Ok(())
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<(), E> {
        let found = i64::try_from(integer).map_or(Found::Unsigned(integer), Found::Integer);
        self.walk.set(self.ending, found);
        Ok(())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.walk.set(self.ending, Found::Number(number));
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.walk.set(self.ending, Found::Boolean);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        // What would be inside of null is null, too, as in a column of objects.
        self.walk.set(self.ending | self.inside, Found::Null);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        self.walk.set(self.ending, Found::Array);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.walk.set(self.ending, Found::Object);
        Object { walk: self.walk, active: self.inside, depth: self.depth + 1 }.visit_map(map)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value as Json;

    use super::*;

    /// The definition: build the whole value and look.
    fn naive(line: &str, path: &FieldPath) -> Result<Found<'static>, ()> {
        let Json::Object(object) = serde_json::from_str(line).map_err(drop)? else {
            return Err(());
        };
        let whole = object.get(path.as_str()).cloned();
        let nested = || {
            let mut value = &Json::Object(object);
            for segment in path.segments() {
                if value.is_null() {
                    break;
                }
                value = value.as_object()?.get(segment)?;
            }
            Some(value.clone())
        };
        Ok(match whole.or_else(nested) {
            None => Found::Missing,
            Some(Json::Null) => Found::Null,
            Some(Json::Bool(_)) => Found::Boolean,
            Some(Json::String(text)) => Found::Text(text.into()),
            Some(Json::Array(_)) => Found::Array,
            Some(Json::Object(_)) => Found::Object,
            Some(Json::Number(number)) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(integer), _, _) => Found::Integer(integer),
                (_, Some(integer), _) => Found::Unsigned(integer),
                (_, _, number) => Found::Number(number.unwrap_or_default()),
            },
        })
    }

    /// Objects with few names, so that equal keys, nested paths and whole dotted names collide.
    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            Just("-7".to_owned()),
            Just("18446744073709551615".to_owned()),
            Just("2.5".to_owned()),
            Just("[1,{\"a\":2}]".to_owned()),
            Just("\"x \\u00e9\\n\"".to_owned()),
            Just("\"text\"".to_owned()),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let key = prop_oneof![Just("a"), Just("b"), Just("a.b"), Just("\\u0061"), Just("other")];
            let members = proptest::collection::vec((key, inner), 0..4);
            members.prop_map(|members| {
                let members: Vec<String> =
                    members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(", "))
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_walk_finds_what_the_whole_value_holds(line in json()) {
            let paths: Vec<FieldPath> = ["a", "a.b", "b.a", "a.a.b"].map(|path| path.parse().unwrap()).to_vec();
            let wanted: Vec<&FieldPath> = paths.iter().collect();
            let mut slots = vec![Found::Missing; wanted.len()];
            let walked = Walk::read(&line, &wanted, &mut slots).map_err(drop).map(|()| slots);
            let expected: Result<Vec<Found>, ()> = paths.iter().map(|path| naive(&line, path)).collect();
            prop_assert_eq!(walked, expected);
        }
    }
}
