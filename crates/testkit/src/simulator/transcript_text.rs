//! Reads the exact texts as a model would: from headers, leads and diffs back to values.

use super::naive::same;
use std::collections::BTreeMap;
use told_domain::{
    briefing::{ChangeKind, ChangeView},
    told::Form,
};

/// What the texts so far give in full, by key.
pub(super) type Values = BTreeMap<String, String>;

const RANK: &str = "Where the instructions below disagree, the more specific ones count: ";
const GONE: &str = "Previously loaded instructions no longer apply.";
const REPLACES_ALL: &str =
    "What follows replaces all instructions given before in this conversation.";

/// The values that a baseline gives, in its order.
pub(super) fn baseline(
    text: &str,
    changes: &[ChangeView],
) -> Result<Vec<(String, String)>, String> {
    let mut rest = Rest { left: text, begun: false };
    if changes.iter().filter(|change| is_instruction(change)).count() >= 2 {
        rest.begins(RANK)?;
    }
    let mut values = Vec::new();
    for change in changes {
        values.push((change.source.to_string(), rest.block(change)?));
    }
    rest.end()?;
    Ok(values)
}

/// What an update makes of the values.
pub(super) fn update(
    text: &str,
    changes: &[ChangeView],
    values: &mut Values,
    replaces_all: bool,
) -> Result<(), String> {
    let mut rest = Rest { left: text, begun: false };
    if replaces_all && changes.is_empty() {
        rest.is(GONE)?;
    } else if replaces_all {
        rest.is(REPLACES_ALL)?;
        if changes.iter().filter(|change| is_instruction(change)).count() >= 2 {
            rest.begins(RANK)?;
        }
    }
    let removed = changes.iter().take_while(|change| change.kind == ChangeKind::Removed).count();
    let (removals, told) = changes.split_at(removed);
    for removal in removals {
        let key = removal.source.to_string();
        rest.sentence_about(&key, "no longer appl")?;
        values.remove(&key).ok_or_else(|| format!("{key} is told as removed, and was not told"))?;
    }
    let added = told.iter().filter(|change| change.kind == ChangeKind::Added).map(is_instruction);
    let left = values.keys().filter(|key| key.starts_with("file:")).count()
        + added.filter(|instruction| *instruction).count();
    if removals.iter().any(is_instruction) && left == 0 {
        rest.is(GONE)?;
    }
    let mut kinds = Vec::new();
    for change in told {
        kinds.push(change.kind);
        let key = change.source.to_string();
        let before = values.get(&key).cloned();
        let now = match (change.kind, &before) {
            (ChangeKind::Removed, _) => return Err(format!("{key}: a removal behind others")),
            (ChangeKind::Added, Some(_)) => return Err(format!("{key} is told as new once more")),
            (ChangeKind::Changed, None) => return Err(format!("{key} changed and was not told")),
            (ChangeKind::Added, None) => rest.block(change)?,
            (ChangeKind::Changed, Some(before)) => {
                rest.sentence_about(&key, "changed")?;
                match change.form {
                    Form::Full => rest.block(change)?,
                    Form::Diff => patch(before, rest.paragraph()?)?,
                }
            }
        };
        if before.is_some_and(|before| same(&key, &before, &now)) {
            return Err(format!("{key} is told again with the value that it had"));
        }
        values.insert(key, now);
    }
    if kinds.windows(2).any(|pair| pair == [ChangeKind::Changed, ChangeKind::Added]) {
        return Err("an addition stands behind a change".to_owned());
    }
    rest.end()
}

fn is_instruction(change: &ChangeView) -> bool {
    change.path.is_some()
}

/// What is left of a text to read.
struct Rest<'a> {
    left: &'a str,
    begun: bool,
}

impl<'a> Rest<'a> {
    /// What stands between two parts.
    fn gap(&mut self) -> Result<(), String> {
        if std::mem::replace(&mut self.begun, true) {
            let left = self.left.strip_prefix("\n\n");
            self.left = left.ok_or_else(|| format!("no gap before {:?}", head(self.left)))?;
        }
        Ok(())
    }

    fn paragraph(&mut self) -> Result<&'a str, String> {
        self.gap()?;
        let end = self.left.find("\n\n").unwrap_or(self.left.len());
        let (paragraph, left) = self.left.split_at(end);
        self.left = left;
        Ok(paragraph)
    }

    fn begins(&mut self, begin: &str) -> Result<(), String> {
        let paragraph = self.paragraph()?;
        let fine = paragraph.starts_with(begin);
        fine.then_some(()).ok_or_else(|| format!("{begin:?} is missing: {:?}", head(paragraph)))
    }

    fn is(&mut self, sentence: &str) -> Result<(), String> {
        let paragraph = self.paragraph()?;
        let fine = paragraph == sentence;
        fine.then_some(()).ok_or_else(|| format!("{sentence:?} is missing: {:?}", head(paragraph)))
    }

    /// A sentence that names the source and says what became of it.
    fn sentence_about(&mut self, key: &str, what: &str) -> Result<(), String> {
        let sentence = self.paragraph()?;
        let name = match key.split_once([':', '/']) {
            Some(("file", path)) => path,
            Some(("api" | "core", name)) => name,
            _ => key,
        };
        let fine = sentence.contains(name) && sentence.contains(what) && !sentence.contains('\n');
        fine.then_some(()).ok_or_else(|| format!("{sentence:?} does not say {what:?} of {key}"))
    }

    /// A source's value in full.
    fn block(&mut self, change: &ChangeView) -> Result<String, String> {
        let Some(path) = &change.path else { return self.paragraph().map(str::to_owned) };
        self.gap()?;
        let header = format!("Instructions from: {path}\n");
        let left = self.left.strip_prefix(header.as_str());
        let left = left.ok_or_else(|| format!("no header {header:?}: {:?}", head(self.left)))?;
        let bytes = usize::try_from(change.bytes.unwrap_or_default()).unwrap_or(usize::MAX);
        let value = left.get(..bytes).ok_or_else(|| format!("{path} is cut short"))?;
        self.left = &left[bytes..];
        Ok(value.to_owned())
    }

    fn end(&self) -> Result<(), String> {
        let fine = self.left.is_empty();
        fine.then_some(()).ok_or_else(|| format!("nobody knows what {:?} is", head(self.left)))
    }
}

fn head(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Applies a unified diff.
fn patch(old: &str, diff: &str) -> Result<String, String> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    let mut last_was_added = false;
    for line in diff.split('\n') {
        let (mark, body) = line.split_at(line.len().min(1));
        match mark {
            "@" => {
                let start =
                    line.strip_prefix("@@ -").and_then(|rest| rest.split([',', ' ']).next());
                let start: usize = start.and_then(|s| s.parse().ok()).ok_or("no hunk")?;
                let start = start.saturating_sub(1);
                let kept = old.get(at..start).ok_or("a hunk out of order")?;
                new.extend(kept.iter().copied());
                at = start;
            }
            " " | "-" => {
                let line = old.get(at).ok_or("a diff beyond the end")?;
                if line.strip_suffix('\n').unwrap_or(line) != body {
                    return Err(format!("the diff's base is another: {line:?}, {body:?}"));
                }
                if mark == " " {
                    new.push_str(line);
                }
                last_was_added = false;
                at += 1;
            }
            "+" => {
                new.push_str(body);
                new.push('\n');
                last_was_added = true;
            }
            "\\" => {
                if last_was_added {
                    new.pop();
                }
            }
            _ => return Err(format!("no line of a diff: {line:?}")),
        }
    }
    new.extend(old.get(at..).unwrap_or_default().iter().copied());
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_read_back() {
        let old = "a\nb\nc\nd\n";
        let new = patch(old, "@@ -2,3 +2,3 @@\n b\n-c\n+x\n d").unwrap();
        assert_eq!(new, "a\nb\nx\nd\n");
        let end = "@@ -1,1 +1,1 @@\n-a\n+b\n\\ No newline at end of file";
        assert_eq!(patch("a\n", end).unwrap(), "b");
        assert!(patch(old, "@@ -1,1 +1,1 @@\n-z\n+y").is_err());
    }
}
