//! Fields of transcripts, whose shapes differ from version to version: a value of another shape is
//! as good as absent, and never costs the line.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::time::{Millis, parse_rfc3339};

/// The first millisecond of the year 10000: no stamp lies behind it.
const YEAR_10000: f64 = 253_402_300_800_000.0;

/// A number below this counts seconds, else milliseconds: the year 5138, or March 1973.
const SECONDS_BELOW: f64 = 1e11;

/// A text.
#[derive(Debug, Default)]
pub(super) struct Text(pub(super) Option<String>);

/// `true`.
#[derive(Debug, Default)]
pub(super) struct Flag(pub(super) bool);

/// A time: RFC 3339 or a number of seconds or milliseconds.
#[derive(Debug, Default)]
pub(super) struct Stamp(pub(super) Option<Millis>);

/// A command: a text, or a list of words.
#[derive(Debug, Default)]
pub(super) struct Words(pub(super) Vec<String>);

/// What was said: a text, or a list of blocks or texts.
#[derive(Debug)]
pub(super) struct Blocks<B>(pub(super) Vec<B>);

/// An object.
#[derive(Debug, Default)]
pub(super) struct Object<T>(pub(super) Option<T>);

/// Made from a plain text where an object could stand.
pub(super) trait FromText {
    fn from_text(text: String) -> Self;
}

impl Text {
    /// The text, empty when absent.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<B> Default for Blocks<B> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// What a shape makes of each kind of value. The default is absence.
trait Shape<'de>: Default {
    fn text(_: String) -> Self {
        Self::default()
    }
    fn flag(_: bool) -> Self {
        Self::default()
    }
    fn number(_: f64) -> Self {
        Self::default()
    }
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

impl Shape<'_> for Text {
    fn text(text: String) -> Self {
        Self(Some(text))
    }
}

impl Shape<'_> for Flag {
    fn flag(flag: bool) -> Self {
        Self(flag)
    }
}

impl Shape<'_> for Stamp {
    fn text(text: String) -> Self {
        match text.parse() {
            Ok(number) => Self::number(number),
            Err(_) => Self(parse_rfc3339(&text).filter(|&at| at > 0)),
        }
    }

    fn number(number: f64) -> Self {
        let millis = if number < SECONDS_BELOW {
            number * 1000.0
        } else {
            number
        };
        Self((1.0..YEAR_10000).contains(&millis).then_some(millis as Millis))
    }
}

impl<'de> Shape<'de> for Words {
    fn text(text: String) -> Self {
        Self(vec![text])
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = list.next_element::<Text>()? {
            words.extend(word.0);
        }
        Ok(Self(words))
    }
}

impl<'de, B: FromText + Deserialize<'de>> Shape<'de> for Blocks<B> {
    fn text(text: String) -> Self {
        Self(vec![B::from_text(text)])
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut blocks = Vec::new();
        while let Some(Blocks(mut inner)) = list.next_element::<Self>()? {
            blocks.append(&mut inner);
        }
        Ok(Self(blocks))
    }

    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        B::deserialize(MapAccessDeserializer::new(object)).map(|block| Self(vec![block]))
    }
}

impl<'de, T: Deserialize<'de> + Default> Shape<'de> for Object<T> {
    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(|object| Self(Some(object)))
    }
}

struct Any<S>(PhantomData<S>);

impl<'de, S: Shape<'de>> Visitor<'de> for Any<S> {
    type Value = S;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<S, E> {
        Ok(S::flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<S, E> {
        Ok(S::number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<S, E> {
        Ok(S::number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<S, E> {
        Ok(S::number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<S, E> {
        Ok(S::text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<S, E> {
        Ok(S::text(text))
    }

    fn visit_unit<E>(self) -> Result<S, E> {
        Ok(S::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<S, A::Error> {
        S::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<S, A::Error> {
        S::object(object)
    }
}

macro_rules! any_value {
    ($($shape:ty),*) => {$(
        impl<'de> Deserialize<'de> for $shape {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(Any(PhantomData))
            }
        }
    )*};
}

any_value!(Text, Flag, Stamp, Words);

impl<'de, B: FromText + Deserialize<'de>> Deserialize<'de> for Blocks<B> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Any(PhantomData))
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Any(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(json: &str) -> Option<Millis> {
        serde_json::from_str::<Stamp>(json).expect("any value").0
    }

    #[test]
    fn stamps_are_read_by_their_magnitude() {
        assert_eq!(stamp("\"2026-11-30T12:00:00.123Z\""), Some(1_796_040_000_123));
        assert_eq!(stamp("1796040000"), Some(1_796_040_000_000));
        assert_eq!(stamp("1796040000.5"), Some(1_796_040_000_500));
        assert_eq!(stamp("1796040000123"), Some(1_796_040_000_123));
        assert_eq!(stamp("\"1796040000\""), Some(1_796_040_000_000));
    }

    #[test]
    fn what_is_no_time_is_absent() {
        for json in [
            "0",
            "-5",
            "null",
            "{}",
            "[1]",
            "true",
            "\"\"",
            "\"2026-11-30T12:00:00\"",
            "\"2026-11-30 12:00\"",
            "\"1970-01-01T00:00:00Z\"",
            "1772323200000000",
            "1e300",
            "\"nan\"",
            "\"inf\"",
            "\"58136-01-01T00:00:00Z\"",
        ] {
            assert_eq!(stamp(json), None, "{json}");
        }
    }

    #[test]
    fn another_shape_is_absent() {
        assert_eq!(serde_json::from_str::<Text>("[{\"a\":1}]").expect("any value").0, None);
        assert_eq!(
            serde_json::from_str::<Words>("[\"ls\",1,\"-l\"]").expect("any value").0,
            ["ls", "-l"]
        );
        assert!(
            serde_json::from_str::<Object<Vec<u8>>>("7")
                .expect("any value")
                .0
                .is_none()
        );
    }
}
