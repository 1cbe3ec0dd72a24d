//! One step as written: words, `name=value` options, and texts in quotes.

/// A step's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Which session it is for.
    pub(super) session: String,
    /// What is to be done.
    pub(super) verb: String,
    /// With what.
    pub(super) words: Vec<String>,
    options: Vec<(String, String)>,
}

impl Line {
    /// `[@session] verb word… option=value…`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut session = "s".to_owned();
        let mut verb = None;
        let mut words = Vec::new();
        let mut options = Vec::new();
        for word in split(text)? {
            match word {
                Word::Quoted(text) => words.push(text),
                Word::Option(name, value) => options.push((name, value)),
                Word::Plain(word) => match (word.strip_prefix('@'), &verb) {
                    (Some(name), None) => session = name.to_owned(),
                    (_, None) => verb = Some(word),
                    (_, Some(_)) => words.push(word),
                },
            }
        }
        Ok(Self { session, verb: verb.ok_or("no verb")?, words, options })
    }

    /// The word at `index`.
    pub(super) fn word(&self, index: usize) -> Result<&str, String> {
        self.words.get(index).map(String::as_str).ok_or_else(|| format!("no word {index}"))
    }

    /// An option's value.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// An option that is a number.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let number = |value: &str| value.parse().map_err(|_| format!("{name} is no number"));
        self.option(name).map(number).transpose()
    }

    /// Every option.
    pub(super) fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

enum Word {
    Plain(String),
    Quoted(String),
    Option(String, String),
}

fn split(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (text, after) = unquote(quoted)?;
            words.push(Word::Quoted(text));
            rest = after.trim_start();
            continue;
        }
        let end = rest.find([' ', '"']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match (word.split_once('='), after.strip_prefix('"')) {
            (Some((name, "")), Some(quoted)) => {
                let (text, after) = unquote(quoted)?;
                words.push(Word::Option(name.to_owned(), text));
                rest = after.trim_start();
                continue;
            }
            (Some((name, value)), _) => words.push(Word::Option(name.into(), value.into())),
            (None, _) => words.push(Word::Plain(word.to_owned())),
        }
        rest = after.trim_start();
    }
    Ok(words)
}

/// A text up to its closing quote, with `\n`, `\r`, `\t`, `\\`, `\"` and `\u{…}` resolved.
fn unquote(text: &str) -> Result<(String, &str), String> {
    let mut out = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((out, &text[at + 1..])),
            '\\' => match characters.next().map(|(_, escaped)| escaped) {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some('u') => {
                    let digits: String = characters
                        .by_ref()
                        .map(|(_, digit)| digit)
                        .skip_while(|digit| *digit == '{')
                        .take_while(|digit| *digit != '}')
                        .collect();
                    let code = u32::from_str_radix(&digits, 16).map_err(|_| "no such escape")?;
                    out.push(char::from_u32(code).ok_or("no such character")?);
                }
                Some(other) => out.push(other),
                None => return Err("an escape without an end".to_owned()),
            },
            other => out.push(other),
        }
    }
    Err("a text without its closing quote".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_session_a_verb_words_and_options() {
        let line = Line::parse(r#"@two set key "a\n\u{1b}b" title="On \"x\"" position=5"#).unwrap();
        assert_eq!((&*line.session, &*line.verb), ("two", "set"));
        assert_eq!(line.words, ["key", "a\n\u{1b}b"]);
        assert_eq!(line.option("title"), Some("On \"x\""));
        assert_eq!(line.number("position"), Ok(Some(5)));
        assert!(Line::parse("write \"open").is_err());
    }
}
