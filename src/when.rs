//! Times that people type: `30d`, `2026-11-02`, `2026-11-02T10:00`, or RFC 3339.

use std::str::FromStr;

use jiff::ZonedDateTime;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use rekal::time::{DAY, Millis, parse_rfc3339};

/// A time as it was typed. What it means depends on the clock and the time zone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum When {
    /// So long before now.
    Ago(Millis),
    /// A day of the local calendar.
    Day(Date),
    /// A local time.
    Local(DateTime),
    /// A time that needs no time zone.
    At(Millis),
}

/// The clock.
pub fn now() -> Millis {
    millis(&ZonedDateTime::now())
}

/// The time zone that dates are typed in.
pub fn zone() -> TimeZone {
    TimeZone::system()
}

impl When {
    /// The first millisecond that `--since` lets in.
    pub fn since(self, now: Millis, zone: &TimeZone) -> Option<Millis> {
        match self {
            When::Ago(span) => Some(now.saturating_sub(span)),
            When::Day(day) => day.to_zoned_datetime(zone.clone()).ok().as_ref().map(millis),
            When::Local(time) => time.to_zoned_datetime(zone.clone()).ok().as_ref().map(millis),
            When::At(at) => Some(at),
        }
    }

    /// The last millisecond that `--until` lets in: a day counts as a whole.
    pub fn until(self, now: Millis, zone: &TimeZone) -> Option<Millis> {
        match self {
            When::Day(day) => {
                let next = When::Day(day.tomorrow().ok()?).since(now, zone)?;
                Some(next.saturating_sub(1))
            }
            _ => self.since(now, zone),
        }
    }
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let local = |text: &str| -> Option<When> {
            let has_clock = text.contains(['T', 't', ' ']);
            if has_clock {
                text.parse().ok().map(When::Local)
            } else {
                text.parse().ok().map(When::Day)
            }
        };
        span(text)
            .map(When::Ago)
            .or_else(|| parse_rfc3339(text).map(When::At))
            .or_else(|| local(text))
            .ok_or_else(|| "give a span (12h, 30d, 8w) or a date (2026-11-02, 2026-11-02T10:00)".to_owned())
    }
}

fn span(text: &str) -> Option<Millis> {
    let unit = match text.chars().next_back()? {
        'h' => DAY / 24,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let is_number = digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse::<Millis>().ok())??.checked_mul(unit)
}

/// A time before 1970 is 1970.
fn millis(time: &ZonedDateTime) -> Millis {
    u64::try_from(time.timestamp().as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_796_040_000_000; // 2026-11-30T12:00:00Z

    fn zone() -> TimeZone {
        TimeZone::fixed(jiff::tz::Offset::constant(2))
    }

    fn since(text: &str) -> Option<Millis> {
        text.parse::<When>().expect("a time").since(NOW, &zone())
    }

    fn until(text: &str) -> Option<Millis> {
        text.parse::<When>().expect("a time").until(NOW, &zone())
    }

    fn utc(text: &str) -> Option<Millis> {
        parse_rfc3339(text)
    }

    #[test]
    fn a_span_counts_back_from_now() {
        assert_eq!(since("30d"), utc("2026-10-31T12:00:00Z"));
        assert_eq!(since("12h"), utc("2026-11-30T00:00:00Z"));
        assert_eq!(until("1w"), utc("2026-11-23T12:00:00Z"));
        assert_eq!(since("9000000000d"), Some(0));
    }

    #[test]
    fn a_date_is_a_day_of_the_local_calendar() {
        assert_eq!(since("2026-11-02"), utc("2026-11-01T22:00:00Z"));
        assert_eq!(until("2026-11-02"), utc("2026-11-02T21:59:59.999Z"));
        assert_eq!(since("2026-11-02T10:00"), utc("2026-11-02T08:00:00Z"));
        assert_eq!(until("2026-11-02 10:00"), utc("2026-11-02T08:00:00Z"));
        assert_eq!(since("2026-11-02T10:00:00.5Z"), utc("2026-11-02T10:00:00.500Z"));
        assert_eq!(since("1960-01-01"), Some(0));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "d",
            "-3d",
            "+3d",
            "3",
            "yesterday",
            "2026-02-30",
            "99999999999999999999d",
            "3é",
        ] {
            assert!(text.parse::<When>().is_err(), "{text:?}");
        }
    }
}
