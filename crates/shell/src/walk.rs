//! Through the tree of a line, with the fate of each command: the line as a whole succeeded, and its
//! status is that of its last command.

use crate::{
    fate::Fate,
    limits,
    parse::{Parsed, parse},
    place::Place,
    read::{Found, ShellRead},
    simple,
    word::Word,
};
use brush_parser::ast::{
    AndOr, AndOrList, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    CompoundListItem, Pipeline, RedirectList, SeparatorOperator, SimpleCommand,
};
use std::collections::BTreeSet;
use told_domain::path::AbsolutePath;

/// What `command` reads.
pub(crate) fn line(command: &str, cwd: &AbsolutePath) -> Vec<ShellRead> {
    let mut walk = Walk { found: Found::default(), functions: BTreeSet::new(), shells: 0 };
    walk.text(command, &mut Shell::new(Place::new(cwd), true), Fate::Succeeded);
    walk.found.into_reads()
}

/// One shell process.
#[derive(Clone)]
pub(crate) struct Shell {
    pub(crate) place: Place,
    /// `set -e`.
    pub(crate) errexit: bool,
    /// `set -o pipefail`.
    pub(crate) pipefail: bool,
    /// Its ending with a failure would contradict the line's success.
    pub(crate) must_succeed: bool,
    /// A failure here is looked at, so that `set -e` does not end the shell.
    tolerant: bool,
    /// What follows may not run, or may mean something else.
    pub(crate) lost: bool,
    /// It may have ended by an error of its own: an unset variable, a pattern without a match.
    ended: bool,
}

impl Shell {
    pub(crate) fn new(place: Place, must_succeed: bool) -> Self {
        Self {
            place,
            errexit: false,
            pipefail: false,
            must_succeed,
            tolerant: false,
            lost: false,
            ended: false,
        }
    }

    /// Whether nothing that follows is sure.
    pub(crate) fn is_unsure(&self) -> bool {
        self.lost || self.ended
    }

    /// Something was expanded that may fail, and so end the shell. Where that would contradict the
    /// line's success, it did not.
    pub(crate) fn expands(&mut self) {
        self.ended |= !self.must_succeed;
    }

    /// A child of this shell.
    fn child(&self, fate: Fate) -> Self {
        Self { must_succeed: fate == Fate::Succeeded, ..self.clone() }
    }

    /// Whether a failing command would end this shell, and so the line.
    fn ends_by_failure(&self) -> bool {
        self.errexit && self.must_succeed && !self.tolerant
    }
}

/// The walk through one line.
pub(crate) struct Walk {
    pub(crate) found: Found,
    pub(crate) functions: BTreeSet<String>,
    /// Shells inside of shells, now.
    shells: usize,
}

impl Walk {
    /// A whole command line, run by `shell`.
    pub(crate) fn text(&mut self, text: &str, shell: &mut Shell, fate: Fate) {
        if self.shells >= limits::SHELLS {
            return;
        }
        let Some(Parsed { program, functions }) = parse(text) else {
            return;
        };
        let outer = std::mem::replace(&mut self.functions, functions);
        self.shells += 1;
        let items = program.complete_commands.iter().flat_map(|list| &list.0).collect();
        self.items(shell, items, fate);
        self.shells -= 1;
        self.functions = outer;
    }

    fn list(&mut self, shell: &mut Shell, list: &CompoundList, fate: Fate) {
        self.items(shell, list.0.iter().collect(), fate);
    }

    /// Commands one after another: the last one's status is the list's.
    fn items(&mut self, shell: &mut Shell, items: Vec<&CompoundListItem>, fate: Fate) {
        let last = items.len().saturating_sub(1);
        for (at, CompoundListItem(commands, separator)) in items.into_iter().enumerate() {
            let mut own = if at == last { fate } else { fate.whatever_status() };
            if at > 0 {
                own = own.behind();
                // One before may have failed and ended this shell.
                if shell.errexit && !shell.must_succeed && !shell.tolerant {
                    own = Fate::Maybe;
                }
            }
            match separator {
                // It may still be running, or be ended early.
                SeparatorOperator::Async => {
                    self.and_or(&mut shell.child(Fate::Maybe), commands, Fate::Maybe);
                }
                SeparatorOperator::Sequence => {
                    let decides = match commands.additional.last() {
                        Some(AndOr::Or(_)) => true,
                        Some(AndOr::And(_)) => false,
                        None => !commands.first.bang,
                    };
                    if own == Fate::Ran && decides && shell.ends_by_failure() {
                        own = Fate::Succeeded;
                    }
                    self.and_or(shell, commands, own);
                }
            }
        }
    }

    fn and_or(&mut self, shell: &mut Shell, list: &AndOrList, fate: Fate) {
        let mut fates = vec![Fate::Maybe; list.additional.len() + 1];
        let mut front = fate;
        for (at, next) in list.additional.iter().enumerate().rev() {
            match next {
                AndOr::And(_) => fates[at + 1] = front.if_sure(),
                AndOr::Or(otherwise) => {
                    let impossible = front >= Fate::Ran
                        && (shell.must_succeed && leaves_with_failure(otherwise)
                            || front == Fate::Succeeded && is_false(otherwise));
                    let impossible = impossible && !self.redefines_failure();
                    front = if impossible { Fate::Succeeded } else { front.whatever_status() };
                }
            }
        }
        fates[0] = front;
        let tolerant = shell.tolerant;
        let last = list.additional.len();
        let rest = list.additional.iter().map(|next| match next {
            AndOr::And(pipeline) | AndOr::Or(pipeline) => pipeline,
        });
        let pipelines = std::iter::once(&list.first).chain(rest);
        for (at, (pipeline, fate)) in pipelines.zip(fates).enumerate() {
            shell.tolerant = tolerant || at != last;
            self.pipeline(shell, pipeline, fate);
        }
        shell.tolerant = tolerant;
    }

    /// Whether the line gives those names a meaning that prove a failure.
    fn redefines_failure(&self) -> bool {
        ["exit", "false", "echo", "printf"].iter().any(|name| self.functions.contains(*name))
    }

    fn pipeline(&mut self, shell: &mut Shell, pipeline: &Pipeline, fate: Fate) {
        let tolerant = shell.tolerant;
        let fate = if pipeline.bang { fate.whatever_status() } else { fate };
        shell.tolerant |= pipeline.bang;
        match pipeline.seq.as_slice() {
            [alone] => self.command(shell, alone, fate),
            commands => self.piped(shell, commands, fate),
        }
        shell.tolerant = tolerant;
    }

    /// Each in a shell of its own, the last one's status the pipeline's.
    fn piped(&mut self, shell: &mut Shell, commands: &[Command], fate: Fate) {
        let last = commands.len().saturating_sub(1);
        for (at, command) in commands.iter().enumerate() {
            let own = if at == last || (shell.pipefail && fate == Fate::Succeeded) {
                fate
            } else {
                fate.min(Fate::Started)
            };
            let mut child = shell.child(own);
            self.command(&mut child, command, own);
            // Some shells run the last one themselves.
            if at == last {
                if child.place != shell.place {
                    shell.place.lose();
                }
                shell.lost |= child.lost;
                shell.ended |= child.ended && !shell.must_succeed;
            }
        }
    }

    fn command(&mut self, shell: &mut Shell, command: &Command, fate: Fate) {
        match command {
            Command::Simple(command) => simple::command(self, shell, command, fate),
            Command::Compound(command, redirects) => {
                self.redirects(shell, redirects.as_ref(), fate);
                self.compound(shell, command, fate);
            }
            // Defined, not run; its name is known already.
            Command::Function(_) => {}
            Command::ExtendedTest(_) => shell.expands(),
        }
    }

    fn redirects(&mut self, shell: &mut Shell, redirects: Option<&RedirectList>, fate: Fate) {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            simple::redirect(self, shell, redirect, fate);
        }
    }

    fn compound(&mut self, shell: &mut Shell, command: &CompoundCommand, fate: Fate) {
        if matches!(
            command,
            CompoundCommand::ForClause(_)
                | CompoundCommand::ArithmeticForClause(_)
                | CompoundCommand::CaseClause(_)
                | CompoundCommand::Arithmetic(_)
        ) {
            shell.expands();
        }
        match command {
            CompoundCommand::BraceGroup(group) => self.list(shell, &group.list, fate),
            CompoundCommand::Subshell(subshell) => {
                self.list(&mut shell.child(fate), &subshell.list, fate);
            }
            CompoundCommand::IfClause(clause) => {
                self.condition(shell, &clause.condition, fate);
                self.list(shell, &clause.then, Fate::Maybe);
                for part in clause.elses.iter().flatten() {
                    if let Some(condition) = &part.condition {
                        self.condition(shell, condition, Fate::Maybe);
                    }
                    self.list(shell, &part.body, Fate::Maybe);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.condition(shell, &clause.0, fate);
                self.list(shell, &clause.1.list, Fate::Maybe);
            }
            CompoundCommand::ForClause(clause) => {
                self.list(shell, &clause.body.list, Fate::Maybe);
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                self.list(shell, &clause.body.list, Fate::Maybe);
            }
            CompoundCommand::CaseClause(clause) => {
                for list in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    self.list(shell, list, Fate::Maybe);
                }
            }
            CompoundCommand::Arithmetic(_) => {}
        }
    }

    /// It runs first, and its status only chooses.
    fn condition(&mut self, shell: &mut Shell, condition: &CompoundList, fate: Fate) {
        let tolerant = std::mem::replace(&mut shell.tolerant, true);
        self.list(shell, condition, fate.whatever_status());
        shell.tolerant = tolerant;
    }
}

/// `exit 1`, alone or behind messages: where it ran, the shell failed.
fn leaves_with_failure(pipeline: &Pipeline) -> bool {
    match sole(pipeline) {
        Some(Command::Simple(command)) => exits_with_failure(command),
        Some(Command::Compound(CompoundCommand::BraceGroup(group), _)) => {
            let Some((CompoundListItem(last, _), before)) = group.list.0.split_last() else {
                return false;
            };
            let says = |item: &CompoundListItem| {
                let named = lone_simple(&item.0).and_then(name);
                matches!(named.as_deref(), Some("echo" | "printf"))
                    && matches!(item.1, SeparatorOperator::Sequence)
            };
            lone_simple(last).is_some_and(exits_with_failure) && before.iter().all(says)
        }
        Some(_) | None => false,
    }
}

fn is_false(pipeline: &Pipeline) -> bool {
    matches!(sole(pipeline), Some(Command::Simple(command)) if name(command).as_deref() == Some("false"))
}

fn sole(pipeline: &Pipeline) -> Option<&Command> {
    match pipeline.seq.as_slice() {
        [alone] if !pipeline.bang => Some(alone),
        _ => None,
    }
}

fn lone_simple(list: &AndOrList) -> Option<&SimpleCommand> {
    match sole(&list.first) {
        Some(Command::Simple(command)) if list.additional.is_empty() => Some(command),
        Some(_) | None => None,
    }
}

fn name(command: &SimpleCommand) -> Option<String> {
    Word::of(&command.word_or_name.as_ref()?.value).literal().map(str::to_owned)
}

fn exits_with_failure(command: &SimpleCommand) -> bool {
    let Some(suffix) = &command.suffix else {
        return false;
    };
    let words: Vec<_> = suffix.0.iter().collect();
    name(command).as_deref() == Some("exit")
        && matches!(words.as_slice(), [CommandPrefixOrSuffixItem::Word(status)]
            if crate::builtin::is_failure(&Word::of(&status.value)))
}
