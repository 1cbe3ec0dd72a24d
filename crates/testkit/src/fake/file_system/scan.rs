//! Scans: the last name first, depth first, which is as good an order as any.

use super::{Batch, Kind, Outcome, State, Step};
use std::path::PathBuf;
use told_domain::{
    look::{Below, Containment, EntryKind, Scan},
    observation::{Absence, Observation},
    reason::WithheldReason,
};

impl State {
    pub(super) fn scan(&mut self, scan: &Scan, batch: &mut Batch) -> Outcome<Below> {
        self.calls.scans += 1;
        let asked = scan.directory.as_path();
        self.pass(Kind::Scan, Step::Looking, asked, batch)?;
        let (node, root) = self.find(asked)?;
        if let Containment::Within(boundary) = &scan.containment
            && !root.starts_with(boundary.as_path())
        {
            return Err(Observation::Absent(Absence::Withheld(WithheldReason::OutsideProject)));
        }
        if self.tree.kind(node) != EntryKind::Directory {
            return Err(Observation::Absent(Absence::NotFound));
        }
        let mut below = Below::default();
        let (mut entries, mut directories) = (0, 0);
        let mut ahead = vec![(PathBuf::new(), 0)];
        while let Some((directory, depth)) = ahead.pop() {
            if depth >= scan.max_depth {
                below.deeper = true;
                continue;
            }
            if directories >= scan.max_directories {
                below.more = true;
                break;
            }
            directories += 1;
            if depth > 0 {
                self.pass(Kind::Scan, Step::Looking, &asked.join(&directory), batch)?;
            }
            let (node, _) = match self.find(&root.join(&directory)) {
                Err(Observation::Absent(_)) => continue,
                found => found?,
            };
            let Some(names) = self.tree.names(node) else { continue };
            if let Some(reason) = self.tree.refusal(node) {
                return Err(Observation::Unavailable(reason));
            }
            for name in names.into_iter().rev() {
                if entries >= scan.max_entries {
                    below.more = true;
                    break;
                }
                entries += 1;
                if !scan.counts(&name) {
                    continue;
                }
                let path = directory.join(&name);
                match self.tree.entry_kind(node, &name) {
                    Some(EntryKind::Directory) if !scan.enters(&name) => {}
                    Some(EntryKind::Directory) => ahead.push((path, depth + 1)),
                    Some(EntryKind::File | EntryKind::Other) => below.paths.push(path),
                    None => {}
                }
            }
            if below.more {
                break;
            }
        }
        below.paths.sort();
        Ok(below)
    }
}
