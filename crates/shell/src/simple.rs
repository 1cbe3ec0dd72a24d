//! One simple command: its redirections, what wraps it, and which program it is.

use crate::{
    builtin,
    fate::Fate,
    program,
    read::ReadKind,
    walk::{Shell, Walk},
    word::Word,
    wrapper::{self, Inner},
};
use brush_parser::ast::{
    CommandPrefixOrSuffixItem, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, SimpleCommand,
};

pub(crate) fn command(walk: &mut Walk, shell: &mut Shell, command: &SimpleCommand, fate: Fate) {
    let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
    let mut words = Vec::new();
    for item in prefix {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(found) => redirect(walk, shell, found, fate),
            CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                builtin::assigned(shell, &word.value);
                expanded(shell, &Word::of(&word.value));
            }
            CommandPrefixOrSuffixItem::Word(_)
            | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {}
        }
    }
    words.extend(command.word_or_name.iter().map(|name| Word::of(&name.value)));
    for item in suffix {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(found) => redirect(walk, shell, found, fate),
            CommandPrefixOrSuffixItem::Word(word)
            | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                words.push(Word::of(&word.value));
            }
            // The path of a pipe.
            CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {
                words.push(Word::Unknown { one: true, plain: true });
            }
        }
    }
    words.iter().for_each(|word| expanded(shell, word));
    if !words.is_empty() {
        run(walk, shell, &words, fate);
    }
}

fn expanded(shell: &mut Shell, word: &Word) {
    if word.literal().is_none() {
        shell.expands();
    }
}

/// `< file` is opened before its command runs, whatever that is.
pub(crate) fn redirect(walk: &mut Walk, shell: &mut Shell, redirect: &IoRedirect, fate: Fate) {
    let (kind, word) = match redirect {
        IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => (kind, word),
        IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => return,
        IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(..)) => {
            return shell.expands();
        }
        IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word))
        | IoRedirect::HereString(_, word)
        | IoRedirect::OutputAndError(word, _) => return expanded(shell, &Word::of(&word.value)),
        IoRedirect::HereDocument(_, document) => {
            if document.requires_expansion && document.doc.value.contains(['$', '`']) {
                shell.expands();
            }
            return;
        }
    };
    let word = Word::of(&word.value);
    expanded(shell, &word);
    match kind {
        IoFileRedirectKind::Read | IoFileRedirectKind::ReadAndWrite => {
            add(walk, shell, &word, ReadKind::File, fate);
        }
        IoFileRedirectKind::Write
        | IoFileRedirectKind::Append
        | IoFileRedirectKind::Clobber
        | IoFileRedirectKind::DuplicateInput
        | IoFileRedirectKind::DuplicateOutput => {}
    }
}

fn add(walk: &mut Walk, shell: &Shell, word: &Word, kind: ReadKind, fate: Fate) {
    if shell.is_unsure() {
        return;
    }
    if let Some(path) = word.literal().and_then(|text| shell.place.opened(text)) {
        walk.found.add(path, kind, fate);
    }
}

/// Runs `words`. Each turn takes a wrapper off, so there are fewer words at each.
fn run(walk: &mut Walk, shell: &mut Shell, words: &[Word], fate: Fate) {
    let only_redirects = words.len() == 1;
    let (mut words, mut builtin) = (words, true);
    let mut replaced = false;
    while let Some((name, arguments)) = words.split_first() {
        let Some(name) = name.literal() else {
            // It may be anything, `cd` and `exit` among them.
            shell.lost |= builtin;
            break;
        };
        if builtin {
            if walk.functions.contains(name) {
                shell.lost = true;
                break;
            }
            if matches!(name, "source" | ".") {
                sourced(walk, shell, arguments, fate);
                break;
            }
            if builtin::run(shell, name, arguments, fate) {
                break;
            }
        }
        let name = standard(name);
        replaced |= builtin && name == "exec";
        match wrapper::inner(name, arguments) {
            Inner::None => {
                read(walk, shell, name, arguments, fate);
                break;
            }
            Inner::Unknown => {
                // `command "$x"` may be `cd` as well.
                shell.lost |= builtin && matches!(name, "command" | "builtin") && !looks(arguments);
                break;
            }
            Inner::Command { words: inner, builtin: own } => {
                builtin &= own;
                words = inner;
            }
            Inner::Text { text, errexit, pipefail } => {
                let mut inner = Shell::new(shell.place.clone(), fate == Fate::Succeeded);
                (inner.errexit, inner.pipefail) = (errexit, pipefail);
                inner.lost = shell.is_unsure();
                walk.text(text, &mut inner, fate);
                break;
            }
        }
    }
    // Nothing follows a shell that became another program. Without one, `exec` only redirects.
    shell.lost |= replaced && !only_redirects;
}

/// `command -v name` runs nothing.
fn looks(arguments: &[Word]) -> bool {
    matches!(arguments.first().and_then(Word::literal), Some("-v" | "-V"))
}

/// `source file` reads its file, and what it then does is unknown.
fn sourced(walk: &mut Walk, shell: &mut Shell, arguments: &[Word], fate: Fate) {
    if let Some(file) = arguments.first()
        // Without a slash it is searched for elsewhere first.
        && file.literal().is_some_and(|text| text.contains('/'))
    {
        add(walk, shell, file, ReadKind::File, fate);
    }
    shell.lost = true;
}

/// The program's name, where it stands in a directory of the system.
fn standard(name: &str) -> &str {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
        .iter()
        .find_map(|directory| name.strip_prefix(directory))
        .unwrap_or(name)
}

fn read(walk: &mut Walk, shell: &Shell, name: &str, arguments: &[Word], fate: Fate) {
    let Some(reads) = program::reads(name, arguments) else {
        return;
    };
    if reads.all_or_none && fate != Fate::Succeeded {
        return;
    }
    let fate = if reads.ends_early { fate.whatever_status() } else { fate };
    // Cut short by who reads it: only what comes first was surely read.
    let count = if fate == Fate::Started { 1 } else { reads.paths.len() };
    for (word, kind) in reads.paths.iter().take(count) {
        if word.literal() != Some("-") {
            add(walk, shell, word, *kind, fate);
        }
    }
}
