//! What the usual programs read of their operands.

mod script;
mod search;

use crate::{
    options::{Arguments, Grammar},
    read::ReadKind,
    word::Word,
};

/// The paths that a program opens, in its order.
pub(crate) struct Reads {
    pub(crate) paths: Vec<(Word, ReadKind)>,
    /// It ends at what it wants, and so may succeed though the first of many could not be read.
    pub(crate) ends_early: bool,
    /// Where one cannot be read, none is: only success says anything.
    pub(crate) all_or_none: bool,
}

impl Reads {
    fn all(paths: impl IntoIterator<Item = Word>, kind: ReadKind) -> Self {
        let paths = paths.into_iter().map(|path| (path, kind)).collect();
        Self { paths, ends_early: false, all_or_none: false }
    }

    /// The same, with files that are read before.
    fn behind(mut self, files: Vec<Word>) -> Self {
        let files = files.into_iter().map(|file| (file, ReadKind::File));
        self.paths.splice(..0, files);
        self
    }

    /// The first alone: it may end before it comes to a later one.
    fn first_only(mut self) -> Self {
        self.ends_early = self.paths.len() > 1;
        self.paths.truncate(1);
        self
    }
}

/// What `name` reads when it is given `words`; nothing where we do not know.
pub(crate) fn reads(name: &str, words: &[Word]) -> Option<Reads> {
    match name {
        "grep" | "egrep" | "fgrep" => search::grep(words),
        "rg" => search::rg(words),
        "find" => search::find(words),
        "sed" | "gsed" => script::sed(words),
        "awk" | "gawk" | "mawk" | "nawk" => script::awk(words),
        "jq" => script::jq(words),
        "ls" => listing(&LS, words, &["d", "directory"]),
        "tree" => listing(&TREE, words, &[]),
        "diff" | "cmp" => two(name, words),
        "bat" | "batcat" => bat(words),
        _ => {
            let grammar = files(name)?;
            let operands = grammar.parse(words)?.operands;
            // `+5` was an option once, and `less +/text` still is one.
            let odd = operands
                .iter()
                .any(|word| word.literal().is_some_and(|text| text.starts_with('+')));
            (!odd).then(|| Reads::all(operands, ReadKind::File))
        }
    }
}

/// The grammars of programs that read every operand, to its end or from its start.
fn files(name: &str) -> Option<Grammar> {
    Some(match name {
        "cat" => Grammar::letters("AbeEnstTuv", "").long(
            &["show-all", "number-nonblank", "show-ends", "number", "squeeze-blank", "show-tabs"],
            &[],
        ),
        "tac" => Grammar::letters("br", "s"),
        "head" => Grammar::letters("qvz", "nc")
            .long(&["quiet", "silent", "verbose"], &["lines", "bytes"])
            .and_digits(),
        "tail" => Grammar::letters("qvzfFr", "nc")
            .long(&["quiet", "silent", "verbose", "follow", "retry"], &["lines", "bytes"])
            .and_digits(),
        "less" => Grammar::letters("NRSXFEeniMmsgGqQrwWc", "").long(
            &[
                "LINE-NUMBERS",
                "RAW-CONTROL-CHARS",
                "chop-long-lines",
                "no-init",
                "quit-if-one-screen",
            ],
            &[],
        ),
        "more" => Grammar::letters("dflcpsu", "").and_digits(),
        "nl" => Grammar::letters("p", "bdfhilnsvw")
            .long(&["no-renumber"], &["body-numbering", "number-format", "number-width"]),
        "wc" => Grammar::letters("clmLw", "")
            .long(&["bytes", "chars", "lines", "words", "max-line-length"], &[]),
        "file" => Grammar::letters("bikLhprzZ0S", "").long(
            &["brief", "mime", "mime-type", "mime-encoding", "dereference", "no-dereference"],
            &[],
        ),
        "md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" | "b2sum" => {
            Grammar::letters("btz", "").long(&["binary", "text", "tag"], &[])
        }
        "cksum" => Grammar::letters("", "a"),
        "sort" => Grammar::letters("bdfghiMnRrVcCmsuz", "koStT").long(
            &["reverse", "unique", "numeric-sort", "human-numeric-sort", "version-sort", "stable"],
            &["key", "field-separator", "output"],
        ),
        "cut" => Grammar::letters("snz", "bcdf").long(
            &["only-delimited", "complement"],
            &["bytes", "characters", "delimiter", "fields"],
        ),
        "od" => Grammar::letters("abcdfiloxvs", "AjNtw"),
        "hexdump" | "hd" => Grammar::letters("bcCdovx", "ens"),
        "strings" => Grammar::letters("af", "neto"),
        "column" => {
            Grammar::letters("tnex", "sco").long(&["table"], &["separator", "output-separator"])
        }
        "fold" => Grammar::letters("bs", "w"),
        "expand" | "unexpand" => Grammar::letters("ai", "t"),
        "base64" => Grammar::letters("di", "w").long(&["decode"], &["wrap"]),
        _ => return None,
    })
}

const LS: Grammar = Grammar::letters("aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "").long(
    &[
        "all",
        "almost-all",
        "classify",
        "color",
        "directory",
        "escape",
        "file-type",
        "full-time",
        "group-directories-first",
        "human-readable",
        "inode",
        "literal",
        "no-group",
        "numeric-uid-gid",
        "recursive",
        "reverse",
        "si",
        "size",
    ],
    &["format", "indicator-style", "sort", "time", "time-style"],
);

const TREE: Grammar = Grammar::letters("adflxpsughDFqNnrtUciAJXCS", "LPIH").long(
    &["dirsfirst", "noreport", "gitignore", "prune", "du", "si", "inodes", "device"],
    &["charset", "filelimit", "sort", "timefmt"],
);

/// Lists its operands, or where it is.
fn listing(grammar: &Grammar, words: &[Word], unless: &[&str]) -> Option<Reads> {
    let mut arguments = grammar.parse(words)?;
    if arguments.has(unless) {
        return None;
    }
    here_unless_named(&mut arguments);
    Some(Reads::all(arguments.operands, ReadKind::Directory))
}

fn here_unless_named(arguments: &mut Arguments) {
    if arguments.operands.is_empty() {
        arguments.operands.push(Word::Literal(".".into()));
    }
}

/// Compares two files, or what is in two directories. A file and a directory: with the file of its
/// name in there, which makes the directory one that was read in.
fn two(name: &str, words: &[Word]) -> Option<Reads> {
    const DIFF: Grammar = Grammar::letters("abBcdeEfHiklnpqrsStTuwyZ", "UCWFxI")
        .long(
            &[
                "brief",
                "color",
                "context",
                "ignore-all-space",
                "ignore-blank-lines",
                "ignore-case",
                "ignore-space-change",
                "minimal",
                "recursive",
                "report-identical-files",
                "side-by-side",
                "strip-trailing-cr",
                "text",
                "unified",
            ],
            &["exclude", "label", "width"],
        )
        .and_digits();
    const CMP: Grammar = Grammar::letters("bls", "in");
    let compares_directories = name == "diff";
    let grammar = if compares_directories { DIFF } else { CMP };
    let operands = grammar.parse(words)?.operands;
    let [first, second] = operands.as_slice() else {
        return None;
    };
    // A glob may be more than one file.
    let one = |word: &Word| matches!(word, Word::Literal(_) | Word::Unknown { one: true, .. });
    if !one(first) || !one(second) {
        return None;
    }
    let kind = if compares_directories { ReadKind::Either } else { ReadKind::File };
    // A missing file ends it before it has opened the other.
    Some(Reads { all_or_none: true, ..Reads::all(operands, kind) })
}

fn bat(words: &[Word]) -> Option<Reads> {
    const BAT: Grammar = Grammar::letters("pAnPfuS", "lrmH").long(
        &["plain", "show-all", "number", "force-colorization", "unbuffered", "chop-long-lines"],
        &[
            "language",
            "line-range",
            "highlight-line",
            "map-syntax",
            "style",
            "theme",
            "color",
            "paging",
            "decorations",
            "wrap",
            "tabs",
            "file-name",
            "terminal-width",
        ],
    );
    let operands = BAT.parse(words)?.operands;
    // `bat cache` is a command of its own.
    let cache = operands.first().and_then(Word::literal) == Some("cache");
    (!cache).then(|| Reads::all(operands, ReadKind::File))
}
