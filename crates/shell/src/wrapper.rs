//! Commands that run the command behind them.

use crate::{options::Grammar, word::Word};

/// What a wrapper leads to.
pub(crate) enum Inner<'a> {
    /// No wrapper.
    None,
    /// One whose command we cannot tell.
    Unknown,
    /// This command, still the shell's own where `builtin`.
    Command { words: &'a [Word], builtin: bool },
    /// This text, for another shell.
    Text { text: &'a str, errexit: bool, pipefail: bool },
}

/// What `name` does with the `words` behind it.
pub(crate) fn inner<'a>(name: &str, words: &'a [Word]) -> Inner<'a> {
    const ENV: Grammar = Grammar::letters("i", "u").long(&["ignore-environment"], &["unset"]);
    const TIMEOUT: Grammar = Grammar::letters("v", "sk")
        .long(&["foreground", "preserve-status", "verbose"], &["signal", "kill-after"]);
    const NICE: Grammar = Grammar::letters("", "n").long(&[], &["adjustment"]).and_digits();
    const STDBUF: Grammar = Grammar::letters("", "ioe").long(&[], &["input", "output", "error"]);
    const SUDO: Grammar = Grammar::letters("nEHSAkb", "ugp")
        .long(&["non-interactive", "preserve-env", "set-home", "stdin"], &["user", "group"]);
    let (grammar, builtin, leading): (Grammar, bool, usize) = match name {
        "command" => (Grammar::letters("p", ""), true, 0),
        "builtin" => (Grammar::letters("", ""), true, 0),
        "exec" => (Grammar::letters("cl", "a"), false, 0),
        "env" => (ENV, false, 0),
        "nohup" => (Grammar::letters("", ""), false, 0),
        "nice" => (NICE, false, 0),
        "stdbuf" => (STDBUF, false, 0),
        "time" => (Grammar::letters("pv", "fo"), false, 0),
        "timeout" => (TIMEOUT, false, 1),
        "sudo" => (SUDO, false, 0),
        "sh" | "bash" | "dash" | "zsh" | "ksh" => return script(words),
        _ => return Inner::None,
    };
    let Some((_, mut rest)) = grammar.parse_before(words) else {
        return Inner::Unknown;
    };
    // `timeout`'s first operand is a duration.
    for _ in 0..leading {
        match rest.split_first() {
            Some((Word::Literal(_), behind)) => rest = behind,
            Some((Word::Unknown { .. }, _)) | None => return Inner::Unknown,
        }
    }
    // `env` and `sudo` take assignments.
    while matches!(name, "env" | "sudo") && rest.first().is_some_and(assigns) {
        rest = &rest[1..];
    }
    if rest.is_empty() { Inner::Unknown } else { Inner::Command { words: rest, builtin } }
}

fn assigns(word: &Word) -> bool {
    word.literal().is_some_and(|text| text.contains('=') && !text.starts_with(['=', '-']))
}

/// `sh -c 'text'`, with the options that change nothing but how failures count.
fn script(words: &[Word]) -> Inner<'_> {
    let (mut errexit, mut pipefail, mut text) = (false, false, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(literal) = word.literal() else {
            return Inner::Unknown;
        };
        let Some(letters) = literal.strip_prefix('-') else {
            return if text {
                Inner::Text { text: literal, errexit, pipefail }
            } else {
                Inner::Unknown
            };
        };
        for letter in letters.chars() {
            match letter {
                'c' => text = true,
                'e' => errexit = true,
                'l' | 'u' | 'x' | 'v' => {}
                'o' => match rest.next().and_then(Word::literal) {
                    Some("pipefail") => pipefail = true,
                    Some("errexit") => errexit = true,
                    Some("nounset" | "xtrace") => {}
                    Some(_) | None => return Inner::Unknown,
                },
                _ => return Inner::Unknown,
            }
        }
    }
    Inner::Unknown
}
