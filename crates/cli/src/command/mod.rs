//! What each subcommand does: it asks the facade, and gives back what is to be printed.

mod config;
mod doctor;
mod epoch;
mod explain;
mod life;
mod log;
mod preview;
mod session;
mod sessions;
mod show;
mod skills;
mod sources;
mod sync;
mod value;

use crate::{
    arguments::{Arguments, Boundary, Color, Command, Form, Named},
    failure::Failure,
    view::{Page, Places, Screen, text},
};
use serde::Serialize;
use std::path::{Path, PathBuf};
use told::{
    Engine, SyncRequest,
    configuration::{Chosen, Loaded, Surroundings},
    domain::{
        briefing::Briefing,
        command::OnUnavailable,
        path::AbsolutePath,
        render::{Blocks, Marks},
        session::SessionId,
    },
};

/// What standard output is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// It shows what is written to a person.
    pub(crate) present: bool,
    /// Its width in columns.
    pub(crate) columns: Option<usize>,
    /// It wants no colour: `NO_COLOR`, or it has none.
    pub(crate) plain: bool,
}

/// What a command gives back.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) status: Status,
}

/// How it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    #[default]
    Done,
    /// `doctor` found something broken, which it has said.
    Failed,
    /// `preview --check`: something would be told.
    WouldTell,
}

/// Runs any command but `serve`.
pub(crate) async fn run(
    arguments: Arguments,
    surroundings: &Surroundings,
    terminal: Terminal,
) -> Result<Output, Failure> {
    let desk = Desk::new(&arguments, surroundings, terminal);
    let command = arguments.command;
    // `doctor` says itself what is wrong with the configuration.
    if let Some(Command::Doctor(json)) = command {
        return doctor::run(&desk, json).await;
    }
    let desk = desk.with_configuration()?;
    match command {
        None => preview::fresh(&desk, arguments.form).await,
        Some(Command::Sync(asked)) => sync::run(&desk, asked).await,
        Some(Command::Preview(asked)) => preview::run(&desk, asked).await,
        Some(Command::Open(asked)) => session::open(&desk, asked).await,
        Some(Command::Settle(asked)) => life::settle(&desk, asked).await,
        Some(Command::Fork(asked)) => life::fork(&desk, asked).await,
        Some(Command::Revert(asked)) => life::revert(&desk, asked).await,
        Some(Command::Move(asked)) => life::move_to(&desk, asked).await,
        Some(Command::Window(asked)) => life::window(&desk, asked).await,
        Some(Command::Holds(asked)) => life::holds(&desk, asked).await,
        Some(Command::Adopt(asked)) => life::adopt(&desk, asked).await,
        Some(Command::Compact(asked)) => epoch::compact(&desk, asked).await,
        Some(Command::Rebase(asked)) => epoch::rebase(&desk, asked).await,
        Some(Command::Delete(asked)) => session::delete(&desk, asked).await,
        Some(Command::Sessions(asked)) => sessions::run(&desk, asked).await,
        Some(Command::Log(asked)) => log::run(&desk, asked).await,
        Some(Command::Show(asked)) => show::run(&desk, asked).await,
        Some(Command::Sources(asked)) => sources::run(&desk, asked).await,
        Some(Command::Explain(asked)) => explain::run(&desk, asked).await,
        Some(Command::Skills(asked)) => skills::run(&desk, asked).await,
        Some(Command::Set(asked)) => value::set(&desk, asked).await,
        Some(Command::Unset(asked)) => value::unset(&desk, asked).await,
        Some(Command::Config(asked)) => Ok(config::run(&desk, asked).await),
        // Answered above, and by `main`.
        Some(Command::Doctor(_) | Command::Serve(_)) => Ok(Output::default()),
    }
}

/// What every command works with. `C` is the configuration, once it is read.
pub(crate) struct Desk<'a, C = Loaded> {
    surroundings: &'a Surroundings,
    chosen: Chosen,
    /// The directory to work in, and whether `-C` named it.
    directory: PathBuf,
    named: bool,
    terminal: Terminal,
    screen: Screen,
    loaded: C,
}

impl<'a> Desk<'a, ()> {
    fn new(arguments: &Arguments, surroundings: &'a Surroundings, terminal: Terminal) -> Self {
        let everywhere = &arguments.everywhere;
        let given = everywhere.directory.as_ref();
        let colour = match everywhere.color {
            Color::Auto => terminal.present && !terminal.plain,
            Color::Always => true,
            Color::Never => false,
        };
        Self {
            surroundings,
            chosen: everywhere.chosen(),
            directory: given.map_or_else(
                || surroundings.working_directory.clone(),
                |given| surroundings.working_directory.join(given),
            ),
            named: given.is_some(),
            terminal,
            screen: Screen::new(terminal.columns, colour),
            loaded: (),
        }
    }

    fn with_configuration(self) -> Result<Desk<'a>, Failure> {
        let loaded = Loaded::read(self.surroundings, &self.chosen)?;
        Ok(Desk {
            surroundings: self.surroundings,
            chosen: self.chosen,
            directory: self.directory,
            named: self.named,
            terminal: self.terminal,
            screen: self.screen,
            loaded,
        })
    }
}

impl<C> Desk<'_, C> {
    fn home(&self) -> Option<&Path> {
        self.surroundings.home.as_deref()
    }

    fn places<'p>(&'p self, boundary: Option<&'p AbsolutePath>) -> Places<'p> {
        Places { boundary, home: self.home() }
    }

    fn page(&self, page: &Page) -> Output {
        Output { text: page.render(self.screen.colour), status: Status::Done }
    }
}

impl Desk<'_> {
    fn engine(&self) -> Result<Engine, Failure> {
        Ok(told::connect(self.loaded.configuration())?)
    }

    /// The session that was named, else the one named after the directory.
    fn session(&self, named: &Named) -> Result<SessionId, Failure> {
        match &named.session {
            Some(session) => Ok(session.clone()),
            None => session_of(&self.directory),
        }
    }

    /// A briefing in the protocol's JSON or as the exact text; else `view` shows it.
    fn briefing(
        &self,
        form: Form,
        briefing: &Briefing,
        view: impl FnOnce() -> Page,
    ) -> Result<Output, Failure> {
        if form.json {
            return json(briefing);
        }
        if !form.text {
            return Ok(self.page(&view()));
        }
        let sent = text::sent(briefing);
        let sent = if self.terminal.present { text::on_terminal(&sent) } else { sent };
        Ok(Output { text: sent, status: Status::Done })
    }
}

/// `cli/home/u/repo` for `/home/u/repo`.
fn session_of(directory: &Path) -> Result<SessionId, Failure> {
    let unusable = |why: &str| {
        let shown = crate::view::Shown::from(directory.to_string_lossy());
        Failure::Refused(format!("{shown} {why}"))
    };
    let canonical = std::fs::canonicalize(directory).map_err(|error| {
        unusable(&format!("cannot be worked in ({error}); name another with -C"))
    })?;
    let path = canonical.to_str();
    let path = path.ok_or_else(|| unusable("has no UTF-8 path; name a session with -s"))?;
    let path = crate::view::Shown::from(path.replace('\\', "/"));
    let name = format!("cli/{}", path.as_str().trim_start_matches('/'));
    name.parse().map_err(|error| unusable(&format!("names no session ({error}); name one with -s")))
}

fn request(boundary: &Boundary) -> SyncRequest {
    SyncRequest {
        position: boundary.at.position,
        since: boundary.since,
        on_unavailable: if boundary.proceed {
            OnUnavailable::Proceed
        } else {
            OnUnavailable::Block
        },
        blocks: Blocks::Joined,
        marks: if boundary.mark { Marks::Shown } else { Marks::None },
    }
}

/// One line of JSON.
fn json(value: &impl Serialize) -> Result<Output, Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::Refused(format!("the answer is no JSON: {error}")))?;
    let mut text = crate::view::tame_json(text);
    text.push('\n');
    Ok(Output { text, status: Status::Done })
}

/// One sentence.
fn sentence(text: impl AsRef<str>) -> Output {
    let mut text = crate::view::Shown::from(text).to_string();
    text.push('\n');
    Output { text, status: Status::Done }
}
