//! A batch on the caller's own thread: what cannot wait is answered at once, and the rest is handed to
//! threads that may, which are at work while the others are still looked at.

use crate::{
    batch::{Answers, Batch, Ground, Place, delivered, observation},
    cause::Miss,
    crew::Crew,
    desk::{Desk, Pace},
};
use std::sync::Arc;
use told_domain::{
    look::{FileBytes, Looks, Read},
    observation::Observation,
    reason::{UnavailableReason, WithheldReason},
};

/// What one pass answered, and what it handed over.
pub(crate) struct Pass<'a> {
    looks: &'a Looks,
    ground: &'a Arc<Ground>,
    crew: &'a Crew,
    pub(crate) answers: Answers,
    pub(crate) handed: Option<Handed>,
    /// Bytes that were answered here.
    spent: u64,
    /// Bytes that the reads handed over may yet take.
    reserved: u64,
}

/// Looks that threads work on. It ends also where its caller no longer waits, so that no thread goes
/// on with it.
pub(crate) struct Handed(pub(crate) Arc<Batch>);

/// Looks and bytes that one batch answers on the caller's own thread, at most: together well under
/// a millisecond, so that the runtime's other tasks do not notice.
const INLINE_LOOKS: usize = 512;
const INLINE_BYTES: u64 = 1024 * 1024;

impl<'a> Pass<'a> {
    /// Goes over `looks` once, in the order asked, and waits for nothing.
    pub(crate) fn over(looks: &'a Looks, ground: &'a Arc<Ground>, crew: &'a Crew) -> Self {
        let answers = Answers::to(looks);
        let mut pass = Self { looks, ground, crew, answers, handed: None, spent: 0, reserved: 0 };
        let mut desk = Desk::new(Pace::Inline, &ground.trust, None);
        // Since a hook may wait, all looks take the hop.
        let mut left = if ground.hook.is_some() { 0 } else { INLINE_LOOKS };
        for (at, read) in looks.reads.iter().enumerate() {
            let inline = left > 0 && pass.spent <= INLINE_BYTES;
            match inline.then(|| pass.read(&mut desk, read)).flatten() {
                Some(file) => {
                    pass.spent += delivered(&file);
                    pass.answers.files[at] = Some(file);
                }
                None => pass.hand_over_read(at, read),
            }
            left = left.saturating_sub(1);
        }
        for (at, path) in looks.probes.iter().enumerate() {
            let kind = if left > 0 { desk.probe(path) } else { Err(Miss::WouldBlock) };
            match kind {
                Err(Miss::WouldBlock) => pass.hand_over(Place::Probe(at), 0),
                kind => pass.answers.probes[at] = Some(observation(kind)),
            }
            left = left.saturating_sub(1);
        }
        for at in 0..looks.listings.len() {
            pass.hand_over(Place::Listing(at), 0);
        }
        for at in 0..looks.scans.len() {
            pass.hand_over(Place::Scan(at), 0);
        }
        if let Some(Handed(batch)) = &pass.handed
            && batch.seal()
        {
            start_worker(crew, batch);
        }
        pass
    }

    /// Reads a file; nothing where that may have to wait.
    fn read(&self, desk: &mut Desk<'_>, read: &Read) -> Option<Observation<FileBytes>> {
        let left = self.looks.total_bytes.saturating_sub(self.spent.saturating_add(self.reserved));
        match desk.read(read, left) {
            Err(Miss::WouldBlock) => None,
            // Whether there is room is known once those before it have been read.
            Err(Miss::Withheld(WithheldReason::Limit)) if self.reserved > 0 => None,
            found => Some(observation(found)),
        }
    }

    fn hand_over_read(&mut self, at: usize, read: &Read) {
        let allowance = self.looks.total_bytes.saturating_sub(self.spent);
        self.hand_over(Place::Read(at), allowance);
        self.reserved = self.reserved.saturating_add(read.max_bytes);
    }

    fn hand_over(&mut self, place: Place, allowance: u64) {
        if let Some(Handed(batch)) = &self.handed {
            return batch.hand_over(place, allowance);
        }
        let batch = Arc::new(Batch::new(self.looks.clone(), Arc::clone(self.ground)));
        batch.hand_over(place, allowance);
        // It wakes up while this pass goes on. A thread that is through before the pass is gets no
        // successor before its end: waking one up costs as much as several looks.
        start_worker(self.crew, &batch);
        self.handed = Some(Handed(batch));
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        self.0.close(Answers::default(), UnavailableReason::Timeout);
    }
}

/// Has one more thread work on `batch`.
pub(crate) fn start_worker(crew: &Crew, batch: &Arc<Batch>) {
    batch.enlist();
    let batch = Arc::clone(batch);
    crew.run(move || batch.work());
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::Duration;
    use told_domain::{look::Containment, path::AbsolutePath};

    /// What has to wait is handed over; what is asked after it is still answered here.
    #[test]
    fn r_obs_10_only_what_has_to_wait_takes_the_hop() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let read = |name: &str| {
            std::fs::create_dir(root.join(name)).unwrap();
            std::fs::write(root.join(name).join("file"), "text").unwrap();
            let path = AbsolutePath::new(root.join(name).join("file")).unwrap();
            Read { path, containment: Containment::Anywhere, max_bytes: 1024 }
        };
        let (ground, crew) = (Arc::new(Ground::new(Duration::ZERO, None)), Crew::default());
        let known = read("known");
        assert!(Desk::new(Pace::Waiting, &ground.trust, None).read(&known, 1024).is_ok());
        // The kernel may say "not now" at any time: not for ever.
        let apart = (0..100).any(|attempt| {
            let reads = vec![read(&format!("unknown-{attempt}")), known.clone()];
            let looks = Looks { reads, total_bytes: 1 << 20, ..Looks::default() };
            let pass = Pass::over(&looks, &ground, &crew);
            assert!(pass.handed.is_some() && pass.answers.files[0].is_none());
            pass.answers.files[1].is_some()
        });
        // A file system that this way does not know takes the hop each time.
        let mut inline = Desk::new(Pace::Inline, &ground.trust, None);
        assert!(apart || inline.read(&known, 1024).is_err());
    }
}
