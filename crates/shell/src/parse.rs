//! From text to a syntax tree, within bounds.

use crate::limits;
use brush_parser::{
    ParserOptions, SourceInfo, Token, ast::Program, parse_tokens, uncached_tokenize_str,
};
use std::{collections::BTreeSet, panic::catch_unwind};

/// A line taken apart.
pub(crate) struct Parsed {
    pub(crate) program: Program,
    /// Names that the line itself gives a meaning.
    pub(crate) functions: BTreeSet<String>,
}

/// The tree of `command`; nothing where it is no shell, or passes a limit.
pub(crate) fn parse(command: &str) -> Option<Parsed> {
    let expansions = command.matches("$(").count() + command.matches("${").count();
    let bounded = command.len() <= limits::COMMAND_BYTES && expansions <= limits::NESTING;
    if !bounded || command.contains('\0') {
        return None;
    }
    // A defect of the parser costs a discovery, not the session.
    catch_unwind(|| {
        let options = ParserOptions::default();
        let tokens = uncached_tokenize_str(command, &options.tokenizer_options()).ok()?;
        if !shallow(&tokens) {
            return None;
        }
        let program = parse_tokens(&tokens, &options, &SourceInfo::default()).ok()?;
        Some(Parsed { program, functions: functions(&tokens) })
    })
    .ok()
    .flatten()
}

/// Whether the parser's stack and time are bounded. Words count wherever they stand, so that
/// nothing can hide a level.
fn shallow(tokens: &[Token]) -> bool {
    let (mut nesting, mut cases, mut open, mut deepest) = (0, 0, 0_usize, 0);
    for token in tokens {
        match token {
            Token::Operator(operator, _) if operator == "(" => {
                nesting += 1;
                open += 1;
                deepest = deepest.max(open);
            }
            Token::Operator(operator, _) if operator == ")" => open = open.saturating_sub(1),
            Token::Operator(..) => {}
            Token::Word(word, _) => match word.as_str() {
                "case" => {
                    nesting += 1;
                    cases += 1;
                }
                "{" | "!" | "if" | "while" | "until" | "for" | "select" | "[[" | "coproc"
                | "function" => nesting += 1,
                _ => {}
            },
        }
    }
    nesting <= limits::NESTING && cases <= limits::CASES && deepest <= limits::PARENTHESES
}

/// `name ()` and `function name`, wherever they stand.
fn functions(tokens: &[Token]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(name, _) = token else {
            continue;
        };
        let next = |steps: usize| tokens.get(at + steps).map(Token::to_str);
        let keyword = at.checked_sub(1).and_then(|before| tokens.get(before)).map(Token::to_str);
        if (next(1) == Some("(") && next(2) == Some(")")) || keyword == Some("function") {
            names.insert(name.clone());
        }
    }
    names
}
