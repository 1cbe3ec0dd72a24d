//! Programs whose first operand is a script: `sed`, `awk`, `jq`.

use super::Reads;
use crate::{options::Grammar, read::ReadKind, word::Word};

pub(super) fn sed(words: &[Word]) -> Option<Reads> {
    // `-i` is not among them: it writes.
    const SED: Grammar = Grammar::letters("nErsuz", "ef").long(
        &["quiet", "silent", "regexp-extended", "separate", "unbuffered", "null-data", "posix"],
        &["expression", "file"],
    );
    let mut arguments = SED.parse(words)?;
    let mut scripts: Vec<Word> = arguments.values(&["e", "expression"]).cloned().collect();
    let files: Vec<Word> = arguments.values(&["f", "file"]).cloned().collect();
    if scripts.is_empty() && files.is_empty() {
        scripts.push(arguments.take_first()?);
    }
    // `q` ends it in whatever file it is.
    let may_stop = !files.is_empty()
        || scripts
            .iter()
            .any(|script| script.literal().is_none_or(|text| text.contains(['q', 'Q'])));
    let mut reads = Reads::all(arguments.operands, ReadKind::File);
    if may_stop {
        reads = reads.first_only();
    }
    Some(reads.behind(files))
}

pub(super) fn awk(words: &[Word]) -> Option<Reads> {
    const AWK: Grammar =
        Grammar::letters("", "Fvf").long(&[], &["field-separator", "assign", "file"]);
    let mut arguments = AWK.parse(words)?;
    let files: Vec<Word> = arguments.values(&["f", "file"]).cloned().collect();
    if !files.is_empty() {
        // What they do with the rest we do not know.
        return Some(Reads::all(files, ReadKind::File));
    }
    let program = arguments.take_first()?;
    let program = program.literal()?;
    // It may read nothing, or something else.
    let odd = ["BEGIN", "exit", "getline", "ARGV", "ARGC", "nextfile"];
    if program.trim().is_empty() || odd.iter().any(|word| program.contains(word)) {
        return None;
    }
    // `name=value` is an assignment.
    let operands = arguments
        .operands
        .into_iter()
        .filter(|operand| operand.literal().is_none_or(|text| !text.contains('=')));
    Some(Reads::all(operands, ReadKind::File))
}

pub(super) fn jq(words: &[Word]) -> Option<Reads> {
    const JQ: Grammar = Grammar::letters("crseaSCMjf", "L").long(
        &[
            "compact-output",
            "raw-output",
            "slurp",
            "exit-status",
            "ascii-output",
            "sort-keys",
            "color-output",
            "monochrome-output",
            "join-output",
            "tab",
            "from-file",
        ],
        &["indent"],
    );
    // Some options take two words.
    let (mut named, mut others) = (Vec::new(), Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.literal() {
            Some("--arg" | "--argjson") => {
                rest.next()?;
                one(rest.next()?)?;
            }
            Some("--slurpfile" | "--rawfile") => {
                rest.next()?;
                named.push(one(rest.next()?)?.clone());
            }
            Some(_) | None => others.push(word.clone()),
        }
    }
    let mut arguments = JQ.parse(&others)?;
    let program = arguments.take_first()?;
    let from_file = arguments.has(&["f", "from-file"]);
    let mut reads = Reads::all(arguments.operands, ReadKind::File);
    if from_file {
        named.insert(0, program);
    } else if program.literal().is_none_or(|text| text.contains("halt")) {
        reads = reads.first_only();
    }
    Some(reads.behind(named))
}

fn one(word: &Word) -> Option<&Word> {
    matches!(word, Word::Literal(_) | Word::Unknown { one: true, .. }).then_some(word)
}
