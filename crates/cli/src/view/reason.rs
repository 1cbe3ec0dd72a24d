//! Why, in words for a person. The protocol's word for each is in the JSON.

use told::domain::{
    decide::NotAdopted,
    discover::Ignorance,
    look::Held,
    reason::{UnavailableReason, Warning, WithheldReason},
};

/// Why a source is left out or held, from the protocol's word.
pub(crate) fn sentence(word: &str) -> String {
    let withheld = WithheldReason::ALL.iter().find(|reason| reason.as_str() == word);
    match (withheld, word.parse().ok()) {
        (Some(reason), _) => withheld_because(*reason).to_owned(),
        (None, Some(UnavailableReason::Http(status))) => format!("its server answered {status}"),
        (None, Some(reason)) => unavailable_because(reason).to_owned(),
        (None, None) => word.replace('_', " "),
    }
}

/// Why a source is held, and what stands meanwhile.
pub(super) fn held_because(held: &Held) -> String {
    let why = sentence(held.reason.as_str());
    match held.since {
        Some(since) => format!("{why}; what revision {since} told still stands"),
        None => format!("{why}; it was never told"),
    }
}

/// Why a path of a settled call discovers nothing.
pub(super) const fn ignored(reason: Ignorance) -> &'static str {
    match reason {
        Ignorance::OutsideProject => "it lies outside the project",
        Ignorance::OtherProject => {
            "it lies in a project of its own; `instructions.nested_projects` would allow it"
        }
        Ignorance::FailedCall => "the call failed",
        Ignorance::Managed => "it is a tool output that the host manages",
        Ignorance::External => "it comes from elsewhere",
        Ignorance::Disabled => "the configuration switches path-local instructions off",
        Ignorance::PathNotUtf8 => "its path is not UTF-8, so no text can name it",
        Ignorance::Unavailable(reason) => unavailable_because(reason),
    }
}

/// Why a source cannot be taken as told.
pub(super) const fn not_adopted(reason: NotAdopted) -> &'static str {
    match reason {
        NotAdopted::OtherContent => "another text stands there now",
        NotAdopted::UnknownSource => "nothing that would be told stands there",
    }
}

const fn withheld_because(reason: WithheldReason) -> &'static str {
    match reason {
        WithheldReason::NotRegularFile => "it is a directory, pipe or device, not a file",
        WithheldReason::OutsideProject => {
            "its link leads out of the project; `instructions.links_outside_project` would allow it"
        }
        WithheldReason::Excluded => "a pattern in `instructions.exclude` matches it",
        WithheldReason::Disabled => "the configuration switches it off",
        WithheldReason::Shadowed => {
            "an earlier name of its group stands in the same directory, or a nearer skill has its name"
        }
        WithheldReason::NearMiss => {
            "its name differs from a wanted one in letter case only; rename it to have it told"
        }
        WithheldReason::Limit => "it passes a limit in `[limits]`, and was not read",
        WithheldReason::PathNotUtf8 => "its path is not UTF-8, so no text can name it",
        WithheldReason::EmptyText => "its renderer gave no text, which is a programming error",
        WithheldReason::InvalidConfiguration => {
            "it breaks the format of a configuration, so the last good one counts; `told doctor` \
             says where"
        }
        WithheldReason::InvalidSkill => "it breaks the format of a skill; `told skills` says how",
        WithheldReason::Untrusted => "the project offers it, and this session does not trust it",
    }
}

const fn unavailable_because(reason: UnavailableReason) -> &'static str {
    match reason {
        UnavailableReason::Timeout => {
            "it did not answer in time (`limits.look_ms`, or `urls.timeout_ms` for a URL)"
        }
        UnavailableReason::PermissionDenied => "no permission to read it",
        UnavailableReason::IoError => "reading it failed",
        UnavailableReason::TooManyLinks => "its links form a loop or too long a chain",
        UnavailableReason::NameTooLong => "its name is longer than the file system takes",
        UnavailableReason::ChangedWhileRead => "it changed during each of three reads",
        UnavailableReason::NotRegistered => "nothing in this process provides it",
        UnavailableReason::TooManyRedirects => "its server redirects more than five times",
        UnavailableReason::EncodedBody => "its server sent a compressed body, which is not read",
        UnavailableReason::TooLarge => "it is larger than `urls.max_bytes`",
        UnavailableReason::UnexpectedContentType => {
            "its server sent a page or data where text was expected"
        }
        UnavailableReason::AddressRefused => "it leads to an address that it may not reach",
        UnavailableReason::DnsFailure => "the name of its server leads to no address",
        UnavailableReason::TlsFailure => "its server did not prove who it is",
        UnavailableReason::ConnectionFailed => "no whole answer came from its server",
        UnavailableReason::Http(_) => "its server answered with another status than success",
    }
}

/// What a reader of the delivered text may want to know.
pub(super) const fn warning(warning: Warning) -> &'static str {
    match warning {
        Warning::InvalidText => "some bytes were no valid text and are told as U+FFFD",
        Warning::InvisibleCharacters => "it holds invisible characters: read it with care",
        Warning::Truncated => "cut at the size limit: the model sees only its beginning",
        Warning::UnexpandedImport => "it seems to import other files, which is not followed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_sentence() {
        let withheld = WithheldReason::ALL.iter().map(|reason| reason.as_str());
        let words = withheld.chain(UnavailableReason::ALL.iter().map(|reason| reason.as_str()));
        for word in words {
            let sentence = sentence(word);
            assert!(sentence.contains(' ') && sentence != word.replace('_', " "), "{word}");
        }
        assert_eq!(sentence("http_403"), "its server answered 403");
        assert_eq!(sentence("eaten_by_cat"), "eaten by cat", "a word of a newer told");
    }
}
