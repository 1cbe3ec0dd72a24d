//! One measured figure and the bound that it keeps or breaks.

use std::{fmt, time::Duration};

/// Something measured beside its floor, or against a fixed limit.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    name: String,
    ours: Samples,
    held_to: HeldTo,
}

#[derive(Clone, Debug)]
enum HeldTo {
    /// At most so many times the floor.
    Floor(Samples, f64),
    /// At most so long.
    Time(Duration),
    /// At most so many bytes, of so many.
    Bytes { bytes: u64, most: u64 },
    /// Nothing: it only says where the time goes.
    Nothing,
}

/// Times of one thing, sorted.
#[derive(Clone, Debug)]
pub(crate) struct Samples(Vec<Duration>);

/// A ratio may pass its bound by so much before it counts as broken: the medians of two runs on a
/// shared machine differ by a few hundredths.
const TOLERANCE: f64 = 0.10;

impl Samples {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The middle one; zero where there is none.
    pub(crate) fn median(&self) -> Duration {
        self.0.get(self.0.len() / 2).copied().unwrap_or_default()
    }

    fn range(&self) -> (Duration, Duration) {
        let end = |time: Option<&Duration>| time.copied().unwrap_or_default();
        (end(self.0.first()), end(self.0.last()))
    }
}

impl Figure {
    /// `ours` is to cost at most `bound` times `floor`.
    pub(crate) fn ratio(
        name: impl Into<String>,
        ours: Samples,
        floor: Samples,
        bound: f64,
    ) -> Self {
        Self { name: name.into(), ours, held_to: HeldTo::Floor(floor, bound) }
    }

    /// `ours` is to take at most `most`.
    pub(crate) fn time(name: impl Into<String>, ours: Samples, most: Duration) -> Self {
        Self { name: name.into(), ours, held_to: HeldTo::Time(most) }
    }

    /// `bytes` is to be at most `most`.
    pub(crate) fn bytes(name: impl Into<String>, bytes: u64, most: u64) -> Self {
        let ours = Samples::new(Vec::new());
        Self { name: name.into(), ours, held_to: HeldTo::Bytes { bytes, most } }
    }

    /// A part of something else.
    pub(crate) fn part(name: impl Into<String>, ours: Samples) -> Self {
        Self { name: name.into(), ours, held_to: HeldTo::Nothing }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the bound is passed by more than the tolerance.
    pub(crate) fn is_broken(&self) -> bool {
        match &self.held_to {
            HeldTo::Floor(floor, bound) => {
                self.ours.median().as_secs_f64()
                    > floor.median().as_secs_f64() * bound * (1.0 + TOLERANCE)
            }
            HeldTo::Time(most) => self.ours.median() > most.mul_f64(1.0 + TOLERANCE),
            HeldTo::Bytes { bytes, most } => bytes > most,
            HeldTo::Nothing => false,
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<44} ", self.name)?;
        match &self.held_to {
            HeldTo::Floor(floor, bound) => {
                let ratio = self.ours.median().as_secs_f64() / floor.median().as_secs_f64();
                write!(f, "{ratio:>5.2} (≤ {bound})  {} / {floor}", self.ours)
            }
            HeldTo::Time(most) => write!(f, "{} (≤ {most:?})", self.ours),
            HeldTo::Bytes { bytes, most } => {
                let mebibytes = |bytes: &u64| *bytes as f64 / (1024.0 * 1024.0);
                write!(f, "{:.1} MiB (≤ {:.1} MiB)", mebibytes(bytes), mebibytes(most))
            }
            HeldTo::Nothing => self.ours.fmt(f),
        }
    }
}

impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = self.range();
        write!(f, "{} [{}–{}]", shown(self.median()), shown(least), shown(most))
    }
}

fn shown(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1000.0 { format!("{micros:.1} µs") } else { format!("{:.2} ms", micros / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(micros: u64) -> Samples {
        Samples::new(vec![Duration::from_micros(micros); 3])
    }

    #[test]
    fn a_bound_is_broken_only_by_a_clear_margin() {
        let figure = |ours, floor| Figure::ratio("it", all(ours), all(floor), 1.5);
        assert!(!figure(150, 100).is_broken());
        assert!(!figure(164, 100).is_broken());
        assert!(figure(166, 100).is_broken());
        assert!(Figure::bytes("it", 21, 20).is_broken());
        assert!(!Figure::part("it", all(1)).is_broken());
    }

    #[test]
    fn the_median_is_the_middle_and_the_range_is_shown() {
        let micros = [9, 1, 5].map(Duration::from_micros).to_vec();
        assert_eq!(Samples::new(micros).to_string(), "5.0 µs [1.0 µs–9.0 µs]");
    }
}
