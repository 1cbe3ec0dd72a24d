//! Lines of toned text, and the one place where they become bytes.

use super::{Shown, fit};
use anstyle::{AnsiColor, Style};

/// The terminal, or what stands for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// Columns.
    pub(crate) width: usize,
    /// Whether tones become colours.
    pub(crate) colour: bool,
}

impl Screen {
    /// What does not know its width, as a pipe, has this.
    pub(crate) const WIDTH: usize = 80;
    /// Narrower than this nothing can be aligned; a terminal then wraps by itself.
    pub(crate) const WIDTH_MIN: usize = 40;
    /// Wider than this a line is hard to follow.
    pub(crate) const WIDTH_MAX: usize = 110;

    /// A screen of `columns`, as far as that can be used.
    pub(crate) fn new(columns: Option<usize>, colour: bool) -> Self {
        let width = columns.unwrap_or(Self::WIDTH).clamp(Self::WIDTH_MIN, Self::WIDTH_MAX);
        Self { width, colour }
    }
}

/// What a piece of text is, for the eye.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Heading,
    Quiet,
    Added,
    Changed,
    Removed,
    Caution,
    Trouble,
}

impl Tone {
    const fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Heading => Style::new().bold(),
            Self::Quiet => Style::new().dimmed(),
            Self::Added => AnsiColor::Green.on_default(),
            Self::Changed => AnsiColor::Cyan.on_default(),
            Self::Removed => AnsiColor::Red.on_default(),
            Self::Caution => AnsiColor::Yellow.on_default(),
            Self::Trouble => AnsiColor::Red.on_default().bold(),
        }
    }
}

/// One line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<(Tone, Shown)>);

impl Line {
    /// The line with `text` behind it.
    #[must_use]
    pub(crate) fn and(mut self, tone: Tone, text: impl Into<Shown>) -> Self {
        self.0.push((tone, text.into()));
        self
    }

    #[must_use]
    pub(crate) fn plain(self, text: impl Into<Shown>) -> Self {
        self.and(Tone::Plain, text)
    }

    /// The line filled with blanks up to `column`.
    #[must_use]
    pub(crate) fn to(self, column: usize) -> Self {
        let blanks = column.saturating_sub(self.width());
        self.plain(" ".repeat(blanks))
    }

    /// The line with `text` ending at `column`.
    #[must_use]
    pub(crate) fn up_to(self, column: usize, tone: Tone, text: impl Into<Shown>) -> Self {
        let text = text.into();
        self.to(column.saturating_sub(text.width())).and(tone, text)
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
    }
}

/// A page of lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page(Vec<Line>);

impl Page {
    pub(crate) fn line(&mut self, line: Line) {
        self.0.push(line);
    }

    /// An empty line, unless nothing stands above it.
    pub(crate) fn gap(&mut self) {
        if !self.0.is_empty() {
            self.0.push(Line::default());
        }
    }

    pub(crate) fn heading(&mut self, text: impl Into<Shown>) {
        self.line(Line::default().and(Tone::Heading, text));
    }

    /// `text` behind `start`, broken at blanks, its lines aligned where the first began.
    pub(crate) fn paragraph(&mut self, start: Line, tone: Tone, text: &str, width: usize) {
        let column = start.width();
        let room = width.saturating_sub(column).max(fit::WORDS_MIN);
        let mut start = Some(start);
        for part in fit::wrapped(Shown::from(text).as_str(), room) {
            let line = start.take().unwrap_or_else(|| Line::default().to(column));
            self.line(line.and(tone, part));
        }
    }

    /// The bytes. No line ends in blanks.
    pub(crate) fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        for Line(pieces) in &self.0 {
            let full = |piece: &(Tone, Shown)| !piece.1.as_str().trim_end().is_empty();
            let end = pieces.iter().rposition(full).map_or(0, |last| last + 1);
            for (index, (tone, text)) in pieces[..end].iter().enumerate() {
                let text = text.as_str();
                let text = if index + 1 == end { text.trim_end() } else { text };
                if colour && *tone != Tone::Plain {
                    let style = tone.style();
                    out.push_str(&format!("{style}{text}{style:#}"));
                } else {
                    out.push_str(text);
                }
            }
            out.push('\n');
        }
        out
    }
}
