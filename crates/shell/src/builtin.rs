//! The shell's own commands that change where it is or what follows.

use crate::{fate::Fate, walk::Shell, word::Word};

/// Runs `name` if it is one of them, and says whether it was.
pub(crate) fn run(shell: &mut Shell, name: &str, arguments: &[Word], fate: Fate) -> bool {
    match name {
        "cd" | "chdir" => change_directory(shell, arguments, fate),
        "pushd" => match arguments {
            [Word::Literal(text)] if text.starts_with(['+', '-']) => shell.place.lose(),
            _ => change_directory(shell, arguments, fate),
        },
        "popd" => shell.place.lose(),
        "exit" | "return" | "logout" => {
            let fails = matches!(arguments, [status] if is_failure(status));
            // A failure that did not happen, or the line would have failed.
            shell.lost |= !(name == "exit" && fails && shell.must_succeed);
        }
        // Elsewhere than in a loop's condition these end what may not have run anyway.
        "break" | "continue" => shell.lost |= fate != Fate::Maybe,
        "set" => set(shell, arguments, fate),
        "eval" | "alias" | "unalias" | "trap" | "enable" | "hash" | "shopt" | "setopt"
        | "unsetopt" | "emulate" => shell.lost = true,
        "export" | "declare" | "typeset" | "local" | "readonly" | "read" => {
            for argument in arguments {
                match argument {
                    Word::Literal(text) => assigned(shell, text),
                    Word::Unknown { .. } => {}
                }
            }
        }
        _ => return false,
    }
    true
}

/// A variable was set: one alone changes what `cd` means.
pub(crate) fn assigned(shell: &mut Shell, text: &str) {
    let name = text.split(['=', '+', '[']).next();
    shell.lost |= matches!(name, Some("CDPATH" | "cdpath"));
}

/// Whether this word as a status is surely a failure.
pub(crate) fn is_failure(status: &Word) -> bool {
    status.literal().and_then(|text| text.parse::<u8>().ok()).is_some_and(|status| status != 0)
}

fn change_directory(shell: &mut Shell, arguments: &[Word], fate: Fate) {
    let mut rest = arguments;
    while let Some((Word::Literal(option), behind)) = rest.split_first()
        && matches!(option.as_str(), "-L" | "--")
    {
        rest = behind;
        if option == "--" {
            break;
        }
    }
    match rest {
        [Word::Literal(target)] if fate == Fate::Succeeded && !target.starts_with('-') => {
            shell.place.enter(target);
        }
        // Home, the one before, a physical path, an unknown one, or one that may have failed.
        _ => shell.place.lose(),
    }
}

fn set(shell: &mut Shell, arguments: &[Word], fate: Fate) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.literal() else {
            (shell.errexit, shell.pipefail) = (false, false);
            return;
        };
        let on = match text.chars().next() {
            Some('-') if text != "--" => true,
            Some('+') => false,
            // Positional parameters.
            _ => return,
        };
        // What may not have run turns nothing on.
        let on = on && fate >= Fate::Started;
        for letter in text.chars().skip(1) {
            match letter {
                'e' => shell.errexit = on,
                'o' => match rest.next().and_then(Word::literal) {
                    Some("errexit") => shell.errexit = on,
                    Some("pipefail") => shell.pipefail = on,
                    Some("nounset" | "xtrace" | "noglob" | "verbose") => {}
                    Some(_) | None => shell.lost = true,
                },
                'u' | 'x' | 'v' | 'f' | 'a' | 'b' | 'h' | 'm' => {}
                // Not run at all, another way of `cd`, or not known.
                _ => shell.lost = true,
            }
        }
    }
}
