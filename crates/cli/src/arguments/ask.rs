//! Questions, as they can be typed: nothing is written by any of them.

use super::{Form, Json, Named, revision};
use clap::Args;
use std::path::PathBuf;
use told::domain::{position::Revision, session::SessionId};

#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// Only those in this directory (-C)
    #[arg(long)]
    pub(crate) here: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    #[command(flatten)]
    pub(crate) named: Named,
    /// Only records after this revision
    #[arg(long, value_name = "REV", value_parser = revision, default_value = "0")]
    pub(crate) after: Revision,
    /// At most so many records
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) named: Named,
    /// As it stood then; else as it stands
    #[arg(value_name = "REV", value_parser = revision)]
    pub(crate) revision: Option<Revision>,
    #[command(flatten)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
pub(crate) struct Sources {
    #[command(flatten)]
    pub(crate) named: Named,
    /// Look at each now, instead of answering from the last boundary
    #[arg(long)]
    pub(crate) look: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The path; it need not exist
    pub(crate) path: PathBuf,
    /// Say what of it this session was told; else the one named after the directory
    #[arg(short = 's', long = "session", value_name = "SESSION")]
    pub(crate) session: Option<SessionId>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Skills {
    /// The skill whose body to print
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    /// Say where each value comes from
    #[arg(long)]
    pub(crate) origin: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}
