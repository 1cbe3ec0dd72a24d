//! Options and operands of a program, by a table of what it knows.

use crate::word::Word;

/// The options that we know of a program. Any other makes its command unknown.
pub(crate) struct Grammar {
    /// Single letters without a value.
    pub(crate) flags: &'static str,
    /// Single letters with one.
    pub(crate) values: &'static str,
    /// Long names without a value of their own; one may follow behind `=`.
    pub(crate) long_flags: &'static [&'static str],
    /// Long names with a value, behind `=` or as the next word.
    pub(crate) long_values: &'static [&'static str],
    /// Whether `-5` is an option.
    pub(crate) digits: bool,
}

impl Grammar {
    /// One of single letters alone.
    pub(crate) const fn letters(flags: &'static str, values: &'static str) -> Self {
        Self { flags, values, long_flags: &[], long_values: &[], digits: false }
    }

    /// The same with long names.
    pub(crate) const fn long(
        mut self,
        flags: &'static [&'static str],
        values: &'static [&'static str],
    ) -> Self {
        self.long_flags = flags;
        self.long_values = values;
        self
    }

    /// The same with numbers as options.
    pub(crate) const fn and_digits(mut self) -> Self {
        self.digits = true;
        self
    }

    /// Options wherever they stand, as GNU programs take them.
    pub(crate) fn parse(&self, words: &[Word]) -> Option<Arguments> {
        let mut arguments = Arguments::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            if word.literal() == Some("--") {
                arguments.operands.extend_from_slice(&words[at..]);
                break;
            }
            if !self.option(word, words, &mut at, &mut arguments)? {
                arguments.operands.push(word.clone());
            }
        }
        let whole = |word: &Word| match word {
            Word::Literal(_) => true,
            Word::Unknown { one, plain } => *one || *plain,
        };
        arguments.operands.iter().all(whole).then_some(arguments)
    }

    /// Options up to the first operand, which begins another command.
    pub(crate) fn parse_before<'a>(&self, words: &'a [Word]) -> Option<(Arguments, &'a [Word])> {
        let mut arguments = Arguments::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            if word.literal() == Some("--") {
                return Some((arguments, &words[at + 1..]));
            }
            let mut next = at + 1;
            if !self.option(word, words, &mut next, &mut arguments)? {
                break;
            }
            at = next;
        }
        Some((arguments, &words[at..]))
    }

    /// Takes `word` as an option, with its value where that follows. Nothing where it is unknown, or
    /// where it cannot be told whether it is one.
    fn option(
        &self,
        word: &Word,
        words: &[Word],
        at: &mut usize,
        arguments: &mut Arguments,
    ) -> Option<bool> {
        let text = match word {
            Word::Literal(text) => text,
            Word::Unknown { plain, .. } => return plain.then_some(false),
        };
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(Word::Literal(value.into()))),
                None => (long, None),
            };
            let value = if self.long_values.contains(&name) {
                Some(value.or_else(|| next(words, at))?)
            } else {
                self.long_flags.contains(&name).then_some(value)?
            };
            arguments.options.push((name.into(), value));
            return Some(true);
        }
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return Some(false);
        };
        if self.digits && letters.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(true);
        }
        for (index, letter) in letters.char_indices() {
            if self.values.contains(letter) {
                let attached = &letters[index + letter.len_utf8()..];
                let value = if attached.is_empty() {
                    next(words, at)?
                } else {
                    Word::Literal(attached.into())
                };
                arguments.options.push((letter.into(), Some(value)));
                break;
            }
            self.flags.contains(letter).then_some(())?;
            arguments.options.push((letter.into(), None));
        }
        Some(true)
    }
}

/// The next word as a value, where it is surely one word.
fn next(words: &[Word], at: &mut usize) -> Option<Word> {
    let value = words.get(*at)?;
    *at += 1;
    match value {
        Word::Literal(_) | Word::Unknown { one: true, .. } => Some(value.clone()),
        Word::Unknown { one: false, .. } => None,
    }
}

/// What a program was given.
#[derive(Default)]
pub(crate) struct Arguments {
    /// Names without dashes, in order, each with its value.
    options: Vec<(String, Option<Word>)>,
    pub(crate) operands: Vec<Word>,
}

impl Arguments {
    /// Whether any of these was given.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The values of these, in order.
    pub(crate) fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Word> {
        let named = |(name, _): &&(String, Option<Word>)| names.contains(&name.as_str());
        self.options.iter().filter(named).filter_map(|(_, value)| value.as_ref())
    }

    /// Takes the first operand, which is no path.
    pub(crate) fn take_first(&mut self) -> Option<Word> {
        (!self.operands.is_empty()).then(|| self.operands.remove(0))
    }
}
