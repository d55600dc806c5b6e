//! Milliseconds since 1970-01-01T00:00:00Z, and their RFC 3339 form.
//!
//! Written by hand because the graph alone must stay small: no calendar, no time zones, only the
//! proleptic Gregorian day count (Howard Hinnant, "chrono-compatible low-level date algorithms").

/// Milliseconds since the Unix epoch, UTC.
pub type Millis = u64;

/// A day in milliseconds.
pub const DAY: Millis = 86_400_000;

/// Reads `2026-11-30T12:00:00.123456789Z` or an offset instead of `Z`; digits of the fraction
/// beyond the millisecond are cut off. `None`: not such a time, or before 1970.
///
/// ```
/// assert_eq!(rekal::time::parse_rfc3339("1970-01-01T01:00:00.0019+01:00"), Some(1));
/// assert_eq!(rekal::time::parse_rfc3339("0001-01-01T00:00:00Z"), None);
/// ```
pub fn parse_rfc3339(text: &str) -> Option<Millis> {
    let (date, rest) = text.split_at_checked(10)?;
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = split_offset(clock)?;
    let seconds = days_from_civil(date)? * 86_400 + seconds_of_day(clock.get(..8)?)? - offset;
    let millis = seconds * 1000 + fraction_millis(&clock[8..])?;
    u64::try_from(millis).ok()
}

/// `2026-11-30T12:00:00.123Z`.
///
/// ```
/// assert_eq!(rekal::time::format_rfc3339(1_796_040_000_123), "2026-11-30T12:00:00.123Z");
/// ```
pub fn format_rfc3339(at: Millis) -> String {
    let (year, month, day) = civil_from_days((at / DAY) as i64);
    let (hour, minute) = (at / 3_600_000 % 24, at / 60_000 % 60);
    let (second, milli) = (at / 1000 % 60, at % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// `2 November 2026`.
///
/// ```
/// assert_eq!(rekal::time::day(1_796_040_000_123), "30 November 2026");
/// ```
pub fn day(at: Millis) -> String {
    let (year, month, day) = civil_from_days((at / DAY) as i64);
    let name = usize::try_from(month - 1).ok().and_then(|month| MONTHS.get(month));
    format!("{day} {} {year}", name.copied().unwrap_or_default())
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn split_offset(clock: &str) -> Option<(&str, i64)> {
    if let Some(utc) = clock.strip_suffix(['Z', 'z']) {
        return Some((utc, 0));
    }
    let at = clock.rfind(['+', '-'])?;
    let (hours, minutes) = clock[at + 1..].split_once(':')?;
    let seconds = number(hours, 2, 23)? * 3600 + number(minutes, 2, 59)? * 60;
    Some((
        &clock[..at],
        if clock[at..].starts_with('-') {
            -seconds
        } else {
            seconds
        },
    ))
}

fn seconds_of_day(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    // 60 is a leap second, which becomes the first second of the next minute.
    Some(number(hour, 2, 23)? * 3600 + number(minute, 2, 59)? * 60 + number(second, 2, 60)?)
}

fn fraction_millis(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    let digits = text.strip_prefix('.')?;
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let padded: String = digits.chars().chain("00".chars()).take(3).collect();
    padded.parse().ok()
}

fn number(text: &str, len: usize, max: i64) -> Option<i64> {
    if text.len() != len || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|n| *n <= max)
}

fn days_from_civil(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4, 9999)?;
    let month = number(parts.next()?, 2, 12)?;
    let day = number(parts.next()?, 2, 31)?;
    if month == 0 || day == 0 {
        return None;
    }
    // The year begins in March, so that the leap day is its last.
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    // A 31st of April counts into May and is refused.
    (civil_from_days(days) == (year, month, day)).then_some(days)
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form_that_writers_use() {
        assert_eq!(parse_rfc3339("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_rfc3339("2026-11-30T12:00:00.123Z"), Some(1_796_040_000_123));
        assert_eq!(parse_rfc3339("2026-11-30T12:00:00.123456789Z"), Some(1_796_040_000_123));
        assert_eq!(parse_rfc3339("2026-11-30T14:00:00.1+02:00"), Some(1_796_040_000_100));
        assert_eq!(parse_rfc3339("2024-02-29T00:00:00Z"), Some(1_709_164_800_000));
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "",
            "2026-11-30",
            "2026-11-30T12:00:00",
            "2026-02-30T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-11-30T24:00:00Z",
            "2026-11-30T12:00:00.Z",
            "2026-11-30T12:00:00.1234567890Z",
            "58136-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-11-30Tééééé",
            "ééééé-11-30T12:00:00Z",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text:?}");
        }
    }

    #[test]
    fn every_day_of_eight_centuries_survives_the_round_trip() {
        for day in 0..300_000u64 {
            let at = day * DAY + 86_399_999;
            assert_eq!(parse_rfc3339(&format_rfc3339(at)), Some(at));
        }
    }
}
