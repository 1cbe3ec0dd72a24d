//! What a word is after expansion and quote removal, where the text alone decides that.

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Exactly this.
    Literal(String),
    /// Something that only the running shell knows.
    Unknown {
        /// It is one word, whatever its text.
        one: bool,
        /// It is one word or more, and none begins with a dash.
        plain: bool,
    },
}

impl Word {
    /// The word that `raw`, a word as the parser gives it, becomes.
    pub(crate) fn of(raw: &str) -> Self {
        // The command; as a pattern it would want its other half.
        if raw == "[" {
            return Self::Literal(raw.into());
        }
        let mut reading = Reading::new(raw);
        match reading.all() {
            Ok(()) if reading.known => Self::Literal(reading.text),
            Ok(()) => Self::Unknown { one: reading.one, plain: reading.plain },
            Err(Lost) => Self::Unknown { one: false, plain: false },
        }
    }

    /// Its text, where that is known.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Unknown { .. } => None,
        }
    }
}

/// The word holds something whose end we do not look for.
struct Lost;

struct Reading<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    /// Whether a brace could be an expansion.
    braces: bool,
    text: String,
    known: bool,
    one: bool,
    /// Nothing yet, or a first character that is no dash, and no splitting behind it.
    plain: bool,
    begun: bool,
    last_unquoted: Option<char>,
}

impl<'a> Reading<'a> {
    fn new(raw: &'a str) -> Self {
        Self {
            rest: raw.chars().peekable(),
            braces: raw.contains(',') || raw.contains(".."),
            text: String::new(),
            known: true,
            one: true,
            plain: true,
            begun: false,
            last_unquoted: None,
        }
    }

    fn all(&mut self) -> Result<(), Lost> {
        while let Some(character) = self.rest.next() {
            let before = self.last_unquoted.take();
            match character {
                '\\' => match self.rest.next() {
                    Some('\n') => {}
                    Some(escaped) => self.push(escaped),
                    None => self.push('\\'),
                },
                '\'' => self.single()?,
                '"' => self.double()?,
                '$' => self.dollar(false)?,
                '*' | '?' | '[' => {
                    // It begins with what a name begins with: a file may be called `-x`.
                    self.unknown(!self.begun);
                    self.one = false;
                }
                '{' if self.braces => {
                    self.unknown(!self.begun);
                    self.one = false;
                }
                // A home directory; with zsh, a command's path.
                '~' if !self.begun || matches!(before, Some('=' | ':')) => self.unknown(false),
                '=' if !self.begun => self.unknown(false),
                '`' | '(' | ')' | '<' | '>' | '|' | '&' | ';' | '\0' => return Err(Lost),
                _ if character.is_whitespace() => return Err(Lost),
                _ => {
                    self.push(character);
                    self.last_unquoted = Some(character);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, character: char) {
        if !self.begun && character == '-' {
            self.plain = false;
        }
        self.begun = true;
        self.text.push(character);
    }

    /// Something unknown stands here, which may begin with a dash.
    fn unknown(&mut self, dash: bool) {
        self.known = false;
        self.plain &= !dash;
        self.begun = true;
    }

    fn single(&mut self) -> Result<(), Lost> {
        loop {
            match self.rest.next().ok_or(Lost)? {
                '\'' => return Ok(()),
                character => self.push(character),
            }
        }
    }

    fn double(&mut self) -> Result<(), Lost> {
        loop {
            match self.rest.next().ok_or(Lost)? {
                '"' => return Ok(()),
                '`' => return Err(Lost),
                '$' => self.dollar(true)?,
                '\\' => match self.rest.next().ok_or(Lost)? {
                    '\n' => {}
                    escaped @ ('$' | '`' | '"' | '\\') => self.push(escaped),
                    other => {
                        self.push('\\');
                        self.push(other);
                    }
                },
                character => self.push(character),
            }
        }
    }

    /// A parameter without operators is read over; all else behind a dollar ends the reading.
    fn dollar(&mut self, quoted: bool) -> Result<(), Lost> {
        let name = |character: &char| character.is_ascii_alphanumeric() || *character == '_';
        match self.rest.peek().copied() {
            Some(first) if name(&first) => while self.rest.next_if(name).is_some() {},
            Some('{') => {
                self.rest.next();
                while self.rest.next_if(name).is_some() {}
                self.rest.next_if_eq(&'}').ok_or(Lost)?;
            }
            Some('?' | '#' | '!' | '$' | '-' | '*') => {
                self.rest.next();
            }
            Some('@' | '(' | '[' | '`') => return Err(Lost),
            Some('\'' | '"') if !quoted => return Err(Lost),
            Some(_) | None => {
                self.push('$');
                return Ok(());
            }
        }
        self.unknown(!self.begun);
        if !quoted {
            // It may be split into any words, or vanish.
            self.one = false;
            self.plain = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Word;

    #[test]
    fn quotes_go_and_their_text_stays() {
        for (raw, text) in [
            ("a", "a"),
            ("a\\ b", "a b"),
            ("'a b'", "a b"),
            ("\"a b\"", "a b"),
            ("a'*'\"?\"\\[", "a*?["),
            ("'a'\\''b'", "a'b"),
            ("\"a\\\"b\\$c\\d\"", "a\"b$c\\d"),
            ("\"$\"", "$"),
            ("a$", "a$"),
            ("{}", "{}"),
            ("a~b", "a~b"),
            ("''", ""),
            ("a=b", "a=b"),
            ("é", "é"),
        ] {
            assert_eq!(Word::of(raw), Word::Literal(text.into()), "{raw}");
        }
    }

    #[test]
    fn what_the_running_shell_decides_is_unknown() {
        for (raw, one, plain) in [
            ("~", true, true),
            ("~/a", true, true),
            ("=ls", true, true),
            ("a=~/b", true, true),
            ("\"$a\"", true, false),
            ("\"${a}\"", true, false),
            ("src/\"$a\"", true, true),
            ("-\"$a\"", true, false),
            ("$a", false, false),
            ("src/$a", false, false),
            ("src/*.rs", false, true),
            ("*.rs", false, false),
            ("src/{a,b}", false, true),
            ("{a,b}", false, false),
            ("{1..3}", false, false),
            ("\"$@\"", false, false),
            ("\"$(a)\"", false, false),
            ("`a`", false, false),
            ("\"`a`\"", false, false),
            ("$'a'", false, false),
            ("$((1))", false, false),
            ("${a:-b}", false, false),
            ("\"a", false, false),
            ("'a", false, false),
            ("@(a)", false, false),
        ] {
            assert_eq!(Word::of(raw), Word::Unknown { one, plain }, "{raw}");
        }
    }
}
