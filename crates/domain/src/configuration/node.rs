//! One shape for what TOML and JSON say, with the lines where TOML says it.

use super::error::Problem;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// A value and the line where it starts; JSON has no lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// What stands there.
    pub value: Value,
}

/// What a text can say.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number.
    Whole(i128),
    /// True or false.
    Truth(bool),
    /// A list.
    List(Vec<Node>),
    /// A table, in the order of the text.
    Table(Vec<Named>),
    /// What no key takes, by its name in a sentence.
    Other(&'static str),
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The line of the name.
    pub line: Option<usize>,
    /// What it is.
    pub node: Node,
}

impl Node {
    /// What kind of value it is, in a sentence.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a string",
            Value::Whole(_) => "a whole number",
            Value::Truth(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other(kind) => kind,
        }
    }

    /// Reads TOML.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn of_toml(text: &str) -> Result<Self, (usize, Problem)> {
        let lines = Lines::of(text);
        let table = DeTable::parse(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            (lines.at(start), Problem::Syntax(error.message().to_owned()))
        })?;
        Ok(Self { line: None, value: lines.table(table.into_inner()) })
    }

    /// The same shape of JSON.
    #[must_use]
    pub fn of_json(json: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        let whole = |number: &serde_json::Number| {
            let signed = number.as_i64().map(i128::from);
            signed.or_else(|| number.as_u64().map(i128::from))
        };
        let value = match json {
            Json::Null => Value::Other("null"),
            Json::Bool(truth) => Value::Truth(*truth),
            Json::Number(number) => whole(number).map_or(Value::Other("a fraction"), Value::Whole),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(list) => Value::List(list.iter().map(Self::of_json).collect()),
            Json::Object(table) => Value::Table(
                table
                    .iter()
                    .map(|(name, value)| Named {
                        name: name.clone(),
                        line: None,
                        node: Self::of_json(value),
                    })
                    .collect(),
            ),
        };
        Self { line: None, value }
    }
}

/// Where each line of a text starts.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect())
    }

    /// The line of the byte at `offset`, counted from 1.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }

    fn table(&self, table: DeTable<'_>) -> Value {
        let mut entries = table.into_iter().collect::<Vec<_>>();
        // A table comes sorted by name; the first mistake of the text is to be told first.
        entries.sort_by_key(|(name, _)| name.span().start);
        let named = entries.into_iter().map(|(name, value)| Named {
            line: Some(self.at(name.span().start)),
            name: name.into_inner().into_owned(),
            node: self.node(value),
        });
        Value::Table(named.collect())
    }

    fn node(&self, value: Spanned<DeValue<'_>>) -> Node {
        let line = Some(self.at(value.span().start));
        let value = match value.into_inner() {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
                .map_or(Value::Other("a number too large to read"), Value::Whole),
            DeValue::Float(_) => Value::Other("a fraction"),
            DeValue::Boolean(truth) => Value::Truth(truth),
            DeValue::Datetime(_) => Value::Other("a date"),
            DeValue::Array(list) => {
                Value::List(list.into_iter().map(|entry| self.node(entry)).collect())
            }
            DeValue::Table(table) => self.table(table),
        };
        Node { line, value }
    }
}
