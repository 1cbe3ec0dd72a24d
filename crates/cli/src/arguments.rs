//! What can be typed: every subcommand, flag and value, and nothing of what they do.

pub(crate) mod age;
pub(crate) mod ask;
pub(crate) mod life;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use told::{
    configuration::Chosen,
    domain::{
        key::ApiKey,
        position::{Position, Revision},
        session::SessionId,
    },
};

/// Keeps what a model was told true: instruction files, host-set values, environment and date.
///
/// Without a command: what an agent would be told here, now. Nothing is written.
#[derive(Debug, Parser)]
#[command(name = "told", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) everywhere: Everywhere,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Everywhere {
    /// Work in this directory instead of the current one
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// The configuration file (else TOLD_CONFIG, else the user's)
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// The store (else TOLD_STORE, else the user's)
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) store: Option<PathBuf>,
    /// Colour; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub(crate) color: Color,
}

impl Everywhere {
    /// What they say of the configuration.
    pub(crate) fn chosen(&self) -> Chosen {
        Chosen { config: self.config.clone(), store: self.store.clone() }
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// The form of a briefing.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Form {
    /// Print exactly what the model is to be sent
    #[arg(long, conflicts_with = "json")]
    pub(crate) text: bool,
    /// Print the protocol's JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The form of everything else.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Json {
    /// Print the protocol's JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which session.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Named {
    /// The session; else one named after the directory
    #[arg(short = 's', long = "session", value_name = "SESSION")]
    pub(crate) session: Option<SessionId>,
}

/// Where in the transcript.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct At {
    /// Where the host's messages end
    #[arg(long, value_name = "N", value_parser = position)]
    pub(crate) position: Option<Position>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// One safe boundary: tell the model what it has to know, and record it
    Sync(Sync),
    /// The same as sync, and nothing is written
    Preview(Preview),
    /// Open a session in this directory
    Open(Open),
    /// A tool call read these paths: what applies there is told at the next sync
    Settle(life::Settle),
    /// Begin a session as a copy of another; nothing is told again
    Fork(life::Fork),
    /// The host took its messages back: what was told after a position is gone
    Revert(life::Revert),
    /// Let a session work in another directory
    Move(life::Move),
    /// The host dropped all messages before a position, without a compaction
    Window(life::Window),
    /// Say which texts the transcript holds: the others are told again
    Holds(life::Holds),
    /// Say which files or URLs were told by another channel: they are not told again
    Adopt(life::Adopt),
    /// The host compacted its messages: the next sync starts a new epoch
    Compact(Compact),
    /// Start a new epoch at the next sync, without a compaction
    Rebase(Rebase),
    /// Delete a session, or those with no record for some time
    Delete(Delete),
    /// List the sessions
    Sessions(ask::Sessions),
    /// What happened in a session, in order
    Log(ask::Log),
    /// What a session was told, as it stood at some revision
    Show(ask::Show),
    /// Every source of a session, and what became of it
    Sources(ask::Sources),
    /// Which instructions apply to a path, in order, and what is left out
    Explain(ask::Explain),
    /// The skills that can be loaded here, or the body of one
    Skills(ask::Skills),
    /// Set a value that every session in this directory, or one session, is told
    Set(Set),
    /// Take such a value back
    Unset(Unset),
    /// What counts, as TOML
    Config(ask::Config),
    /// Check the store, the configuration and this directory
    Doctor(Json),
    /// Serve the protocol, for hosts in any language
    Serve(Serve),
}

#[derive(Debug, Args)]
pub(crate) struct Sync {
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) boundary: Boundary,
    #[command(flatten)]
    pub(crate) form: Form,
}

/// How a boundary is held.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Boundary {
    #[command(flatten)]
    pub(crate) at: At,
    /// Start the first epoch without what cannot be read
    #[arg(long)]
    pub(crate) proceed: bool,
    /// Only what is newer than this revision
    #[arg(long, value_name = "REV", value_parser = revision)]
    pub(crate) since: Option<Revision>,
    /// Open each text with a line that names session and revision
    #[arg(long)]
    pub(crate) mark: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Preview {
    /// As if these files were read, or these directories listed
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) boundary: Boundary,
    /// As a new session
    #[arg(long, conflicts_with_all = ["session", "position", "since", "proceed", "mark"])]
    pub(crate) fresh: bool,
    /// Exit with status 3 if something would be told
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
pub(crate) struct Open {
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) at: At,
    /// What the model was told before told took part
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) prior: PriorWord,
    /// Withhold all that the project offers
    #[arg(long)]
    pub(crate) untrusted: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// What the model was told before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PriorWord {
    /// Nothing: the conversation is new
    #[default]
    None,
    /// Nobody knows: it was taken over
    Unknown,
}

#[derive(Debug, Args)]
pub(crate) struct Compact {
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) at: At,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Rebase {
    #[command(flatten)]
    pub(crate) named: Named,
    /// A word for the log, such as the new model's name
    #[arg(long)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false, args = ["session", "older_than"])]
pub(crate) struct Delete {
    /// The session
    pub(crate) session: Option<SessionId>,
    /// All sessions with no record for so long: 90d, 12h, 2w
    #[arg(long, value_name = "AGE")]
    pub(crate) older_than: Option<age::Age>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// The key, without api/
    pub(crate) key: ApiKey,
    /// The value; `-` or nothing reads standard input
    pub(crate) value: Option<String>,
    /// The value is JSON; else it is a text as it is
    #[arg(long)]
    pub(crate) parse: bool,
    /// The header it is told under; else the key
    #[arg(long)]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) owner: Owner,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Unset {
    /// The key, without api/
    pub(crate) key: ApiKey,
    #[command(flatten)]
    pub(crate) owner: Owner,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Who is told a host-set value.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Owner {
    /// Only this session; else every session in the directory
    #[arg(short = 's', long = "session", value_name = "SESSION")]
    pub(crate) session: Option<SessionId>,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// On standard input and output: the only way so far
    #[arg(long)]
    pub(crate) stdio: bool,
}

fn revision(text: &str) -> Result<Revision, std::num::ParseIntError> {
    text.parse().map(Revision)
}

fn position(text: &str) -> Result<Position, std::num::ParseIntError> {
    text.parse().map(Position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_holds() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        for line in [
            "told --text --json",
            "told sync --text --json",
            "told preview --fresh -s x",
            "told delete",
            "told delete x --older-than 90d",
            "told sync --position x",
            "told sync -s",
            "told hook x",
            "told settle",
            "told fork",
            "told preview --fresh --mark",
            "told revert -1",
            "told log --after -1",
        ] {
            assert!(Arguments::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }

    #[test]
    fn options_of_every_command_stand_before_or_behind_it() {
        for line in ["told -C /x sync -s a/b --json", "told sync --json -s a/b -C /x"] {
            let arguments = Arguments::try_parse_from(line.split(' ')).unwrap();
            assert_eq!(arguments.everywhere.directory, Some("/x".into()));
            let Some(Command::Sync(sync)) = arguments.command else { panic!("{line}") };
            assert_eq!(sync.named.session.unwrap().as_str(), "a/b");
            assert!(sync.form.json);
        }
    }
}
