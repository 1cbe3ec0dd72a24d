//! A length of time, as it can be typed.

use std::time::Duration;

/// A length of time in words of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Age {
    milliseconds: u64,
}

impl Age {
    pub(crate) const fn duration(self) -> Duration {
        Duration::from_millis(self.milliseconds)
    }
}

impl std::str::FromStr for Age {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "an age is a whole number with m, h, d or w, as in 90d";
        const SECOND: u64 = 1000;
        let unit = match text.as_bytes().last() {
            Some(b'm') => 60 * SECOND,
            Some(b'h') => 60 * 60 * SECOND,
            Some(b'd') => 24 * 60 * 60 * SECOND,
            Some(b'w') => 7 * 24 * 60 * 60 * SECOND,
            _ => return Err(WRONG),
        };
        let digits = &text[..text.len() - 1];
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(WRONG);
        }
        let milliseconds = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
        milliseconds.map(|milliseconds| Self { milliseconds }).ok_or(WRONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_with_a_unit() {
        for (text, hours) in [("90d", Some(2160)), ("12h", Some(12)), ("2w", Some(336))] {
            let age = text.parse::<Age>().ok();
            assert_eq!(age.map(|age| age.milliseconds / 3_600_000), hours, "{text}");
        }
        for text in ["", "d", "90", "-1d", "1.5d", "90 d", "18446744073709551615w", "ü"] {
            assert!(text.parse::<Age>().is_err(), "{text}");
        }
    }
}
