//! Programs that search: `grep`, `rg`, `find`.

use super::Reads;
use crate::{
    options::{Arguments, Grammar},
    read::ReadKind,
    word::Word,
};

pub(super) fn grep(words: &[Word]) -> Option<Reads> {
    const GREP: Grammar = Grammar::letters("EFGPivwxcLlqshHnorRzZabTUuyI", "efmABC")
        .long(
            &[
                "extended-regexp",
                "fixed-strings",
                "basic-regexp",
                "perl-regexp",
                "ignore-case",
                "invert-match",
                "word-regexp",
                "line-regexp",
                "count",
                "color",
                "colour",
                "files-without-match",
                "files-with-matches",
                "only-matching",
                "quiet",
                "silent",
                "no-messages",
                "byte-offset",
                "with-filename",
                "no-filename",
                "line-number",
                "null",
                "text",
                "recursive",
                "dereference-recursive",
                "line-buffered",
            ],
            &[
                "regexp",
                "file",
                "max-count",
                "after-context",
                "before-context",
                "context",
                "include",
                "exclude",
                "exclude-dir",
                "binary-files",
            ],
        )
        .and_digits();
    let mut arguments = GREP.parse(words)?;
    let patterns = patterns(&mut arguments, &["e", "regexp"], &["f", "file"])?;
    let recursive = arguments.has(&["r", "R", "recursive", "dereference-recursive"]);
    let kind = match (recursive, arguments.has(&["include"])) {
        (false, _) => ReadKind::File,
        // A file named on the line is filtered as well.
        (true, true) => ReadKind::Directory,
        (true, false) => ReadKind::Either,
    };
    let kept = std::mem::take(&mut arguments.operands)
        .into_iter()
        .map(|operand| if excluded(&arguments, &operand) { unknown() } else { operand });
    let reads = Reads::all(kept, kind);
    Some(found(&arguments, patterns, reads))
}

/// What a program that succeeded with these options has read.
fn found(arguments: &Arguments, patterns: Vec<Word>, mut reads: Reads) -> Reads {
    if arguments.has(&["q", "quiet", "silent"]) {
        reads = reads.first_only();
    }
    reads.behind(patterns)
}

/// Takes the pattern from the operands, unless an option gave it. The files that patterns are read of.
fn patterns(arguments: &mut Arguments, given: &[&str], files: &[&str]) -> Option<Vec<Word>> {
    let read: Vec<_> = arguments.values(files).cloned().collect();
    if read.is_empty() && !arguments.has(given) {
        arguments.take_first()?;
    }
    Some(read)
}

/// Whether a glob that excludes may be meant for `operand` itself.
fn excluded(arguments: &Arguments, operand: &Word) -> bool {
    let Some(path) = operand.literal() else {
        return true;
    };
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    arguments.values(&["exclude", "exclude-dir"]).any(|glob| match glob.literal() {
        Some(glob) if !glob.contains(['*', '?', '[', '\\']) => {
            let glob = glob.trim_end_matches('/');
            glob == name || glob == path
        }
        Some(_) | None => true,
    })
}

const fn unknown() -> Word {
    Word::Unknown { one: true, plain: true }
}

pub(super) fn rg(words: &[Word]) -> Option<Reads> {
    const RG: Grammar = Grammar::letters("iSsvwxclnNHI0aFUPpqzuLo.", "efgtTmABCjMrd").long(
        &[
            "ignore-case",
            "smart-case",
            "case-sensitive",
            "invert-match",
            "word-regexp",
            "line-regexp",
            "count",
            "count-matches",
            "files-with-matches",
            "files-without-match",
            "line-number",
            "no-line-number",
            "with-filename",
            "no-filename",
            "null",
            "text",
            "fixed-strings",
            "multiline",
            "multiline-dotall",
            "pcre2",
            "pretty",
            "quiet",
            "search-zip",
            "unrestricted",
            "follow",
            "hidden",
            "no-ignore",
            "no-ignore-vcs",
            "only-matching",
            "heading",
            "no-heading",
            "json",
            "stats",
            "trim",
            "vimgrep",
            "column",
            "no-messages",
            "no-config",
            "files",
        ],
        &[
            "regexp",
            "file",
            "glob",
            "iglob",
            "type",
            "type-not",
            "max-count",
            "after-context",
            "before-context",
            "context",
            "threads",
            "max-columns",
            "replace",
            "max-depth",
            "color",
            "colors",
            "sort",
            "sortr",
            "max-filesize",
            "engine",
        ],
    );
    const FILTERS: &[&str] = &["g", "glob", "iglob", "t", "type", "T", "type-not", "max-filesize"];
    let mut arguments = RG.parse(words)?;
    let patterns = if arguments.has(&["files"]) {
        Vec::new()
    } else {
        patterns(&mut arguments, &["e", "regexp"], &["f", "file"])?
    };
    // At no depth a directory is not listed.
    if arguments.values(&["d", "max-depth"]).any(|depth| depth.literal().is_none_or(|d| d == "0")) {
        return None;
    }
    let names_alone = arguments.has(&["files"]);
    let kind =
        if names_alone || arguments.has(FILTERS) { ReadKind::Directory } else { ReadKind::Either };
    let reads = Reads::all(std::mem::take(&mut arguments.operands), kind);
    Some(found(&arguments, patterns, reads))
}

/// Lists its starting points, which stand before the expression.
pub(super) fn find(words: &[Word]) -> Option<Reads> {
    let mut rest = words;
    while let Some((Word::Literal(option), behind)) = rest.split_first()
        && matches!(option.as_str(), "-H" | "-L" | "-P")
    {
        rest = behind;
    }
    let mut starts = Vec::new();
    while let Some((word, behind)) = rest.split_first() {
        match word {
            Word::Literal(text)
                if text.starts_with('-') || matches!(text.as_str(), "(" | "!" | ")" | ",") =>
            {
                break;
            }
            Word::Unknown { plain: false, .. } => return None,
            Word::Literal(_) | Word::Unknown { .. } => starts.push(word.clone()),
        }
        rest = behind;
    }
    let literals: Vec<_> = rest.iter().map(Word::literal).collect();
    // Without depth nothing is listed; and starting points can come from a file.
    let odd = |pair: &[Option<&str>]| {
        pair[0] == Some("-maxdepth") && !matches!(pair[1], Some(depth) if depth != "0")
    };
    let known = !literals.windows(2).any(odd)
        && !literals.iter().any(|word| {
            matches!(
                word,
                Some("-files0-from" | "-help" | "--help" | "-version" | "--version" | "-quit")
            )
        });
    if starts.is_empty() {
        starts.push(Word::Literal(".".into()));
    }
    known.then(|| Reads::all(starts, ReadKind::Directory))
}
