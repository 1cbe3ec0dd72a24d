//! What befalls a session between two boundaries, as it can be typed.

use super::{At, Json, Named, position, revision};
use clap::Args;
use std::{convert::Infallible, path::PathBuf, str::FromStr};
use told::domain::{
    hash::ContentHash,
    position::{Position, Revision},
    session::SessionId,
};

#[derive(Debug, Args)]
pub(crate) struct Settle {
    /// What the call read; a directory was listed
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) named: Named,
    /// The tool's name, for those who take part
    #[arg(long, default_value = "read")]
    pub(crate) tool: String,
    /// Whose call it was, for the log
    #[arg(long)]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) at: At,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Fork {
    /// The new session
    pub(crate) child: SessionId,
    #[command(flatten)]
    pub(crate) named: Named,
    /// The child has what was told up to here; else all
    #[arg(long, value_name = "N", value_parser = position)]
    pub(crate) position: Option<Position>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Revert {
    /// Where the host's messages end now
    #[arg(value_parser = position)]
    pub(crate) position: Position,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Move {
    /// Where it is to work
    #[arg(value_name = "DIR")]
    pub(crate) to: PathBuf,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Window {
    /// The first position that is still there
    #[arg(value_parser = position)]
    pub(crate) from: Position,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Holds {
    /// The revisions of the epoch's texts that the transcript holds, the baseline's among them
    #[arg(value_name = "REV", value_parser = revision)]
    pub(crate) revisions: Vec<Revision>,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Adopt {
    /// Files and URLs as they stand now; with @SHA256 only that text
    #[arg(required = true, value_name = "PATH|URL[@SHA256]")]
    pub(crate) sources: Vec<Given>,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) at: At,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// A source that was told by another channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) source: String,
    pub(crate) sha256: Option<ContentHash>,
}

impl FromStr for Given {
    type Err = Infallible;

    /// What stands behind the last `@` is a hash where it looks like one, else part of the name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hashed = text.rsplit_once('@');
        let hashed = hashed.and_then(|(source, hash)| Some((source, hash.parse().ok()?)));
        Ok(match hashed {
            Some((source, sha256)) => Self { source: source.to_owned(), sha256: Some(sha256) },
            None => Self { source: text.to_owned(), sha256: None },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_behind_a_name_is_told_from_an_at_in_it() {
        let hash = ContentHash::of("x");
        for (text, source, sha256) in [
            ("AGENTS.md", "AGENTS.md", None),
            ("a@b/AGENTS.md", "a@b/AGENTS.md", None),
            (&*format!("a@b/AGENTS.md@{hash}"), "a@b/AGENTS.md", Some(hash)),
            ("AGENTS.md@00", "AGENTS.md@00", None),
        ] {
            let source = source.to_owned();
            assert_eq!(text.parse(), Ok(Given { source, sha256 }), "{text}");
        }
    }
}
