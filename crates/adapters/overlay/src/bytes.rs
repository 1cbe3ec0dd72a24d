//! The total limit over both file systems: reads count in the order asked (FS-8).

use told_domain::{
    look::FileBytes,
    observation::{Absence, Observation},
    reason::WithheldReason,
};

/// One read's answer, before the total over both is counted.
pub(crate) enum Answer {
    /// Not yet asked.
    Open,
    /// As if there were no total.
    Seen(Observation<FileBytes>),
    /// The inner file system withheld it: it is larger than this.
    LargerThan(u64),
}

/// The answers as they count, up to where one has to be asked again.
pub(crate) enum Count {
    Final(Vec<Observation<FileBytes>>),
    /// The read at this index may fit into the bytes that are left there.
    Ask {
        from: usize,
        left: u64,
    },
}

const LIMIT: Observation<FileBytes> = Observation::Absent(Absence::Withheld(WithheldReason::Limit));

/// Counts `answers` against `total`. With `decide`, what may fit is withheld.
pub(crate) fn count(answers: &[Answer], total: u64, decide: bool) -> Count {
    let mut left = total;
    let mut files = Vec::with_capacity(answers.len());
    for (from, answer) in answers.iter().enumerate() {
        let file = match answer {
            Answer::Seen(Observation::Available(file)) => {
                match left.checked_sub(file.bytes.len() as u64) {
                    Some(rest) => {
                        left = rest;
                        Observation::Available(file.clone())
                    }
                    None => LIMIT,
                }
            }
            Answer::Seen(missed) => missed.clone(),
            Answer::LargerThan(size) if decide || *size >= left => LIMIT,
            Answer::Open if decide => LIMIT,
            Answer::LargerThan(_) | Answer::Open => return Count::Ask { from, left },
        };
        files.push(file);
    }
    Count::Final(files)
}

/// What the inner file system says, given `total` bytes for all of it, in its order.
pub(crate) fn answers(
    files: Vec<Observation<FileBytes>>,
    total: u64,
) -> impl Iterator<Item = Answer> {
    let mut left = total;
    files.into_iter().map(move |file| {
        if file == LIMIT {
            return Answer::LargerThan(left);
        }
        if let Observation::Available(file) = &file {
            left = left.saturating_sub(file.bytes.len() as u64);
        }
        Answer::Seen(file)
    })
}
