//! Reads one version of an opened file: stamp, bytes, stamp again (R-OBS-9).

use crate::{
    cause::Miss,
    step::{Hook, Step},
};
use std::{
    cell::Cell,
    time::{Duration, SystemTime},
};
use told_domain::{look::Read, reason::WithheldReason};

/// Attempts at one look, whatever fails to be coherent (R-OBS-9).
pub(crate) const ATTEMPTS: usize = 3;

/// Bytes that one system call reads. Most instruction files fit, so one call reads them.
const CHUNK: usize = 64 * 1024;

/// Where the system's clock is coarse, two changes so close have one stamp: a file that changed this
/// recently is read twice.
const COARSE: Duration = Duration::from_millis(20);

/// An opened file, on whatever platform.
pub(crate) trait Opened {
    /// What tells its versions apart.
    fn stamp(&self) -> Result<Stamp, Miss>;

    /// Returns when no write is under way that had begun at `stamp`: the system stamps a write
    /// before it copies the bytes, so that the stamps alone cannot tell.
    fn settle(&self, stamp: &Stamp) -> Result<(), Miss>;

    /// The moment of this look, or one a little before.
    fn now(&self) -> Now;

    /// Reads at `offset`; zero bytes mean the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Miss>;
}

/// One version of an opened file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) regular: bool,
    pub(crate) size: u64,
    /// Device and number, where the platform tells.
    pub(crate) identity: (u64, u64),
    /// Nanoseconds since 1970.
    pub(crate) modified: i128,
    /// Nanoseconds since 1970 of the last change of any kind; nobody can set it at will.
    pub(crate) changed: i128,
}

impl Stamp {
    /// Whether at `now` the file had changed less than so long ago, or, by a clock that was set
    /// back, later.
    pub(crate) fn is_younger_than(&self, age: Duration, now: Now) -> bool {
        now.0 - self.changed < age.as_nanos() as i128
    }
}

/// Nanoseconds since 1970. Asked once for many looks: a moment too early takes a file for younger
/// than it is, which costs time and no truth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now(i128);

impl Now {
    pub(crate) fn ask() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self(since.map_or(0, |since| since.as_nanos() as i128))
    }
}

/// The bytes of one version, and its whole size.
pub(crate) struct Whole {
    pub(crate) bytes: Vec<u8>,
    pub(crate) size: u64,
}

thread_local! {
    /// Read into and copied from, so that a result is allocated once at its own size.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Reads `file`, whose first stamp is `before`, within `read.max_bytes` and `allowance`.
pub(crate) fn read_whole(
    file: &impl Opened,
    mut before: Stamp,
    read: &Read,
    allowance: u64,
    hook: Option<&Hook>,
) -> Result<Whole, Miss> {
    let mut scratch = SCRATCH.take();
    scratch.resize(CHUNK, 0);
    let mut attempt = || {
        for _ in 0..ATTEMPTS {
            if before.size.min(read.max_bytes) > allowance {
                return Err(Miss::Withheld(WithheldReason::Limit));
            }
            Step::Reading(read.path.as_path()).tell(hook);
            file.settle(&before)?;
            let whole = fill(file, before.size, read.max_bytes, allowance, &mut scratch)?;
            Step::Stamping(read.path.as_path()).tell(hook);
            let after = file.stamp()?;
            if after == before
                && (!after.is_younger_than(COARSE, file.now())
                    || same(file, &whole.bytes, &mut scratch)?)
            {
                return Ok(whole);
            }
            before = after;
        }
        Err(Miss::Changed)
    };
    let outcome = attempt();
    SCRATCH.set(scratch);
    outcome
}

/// Reads up to the limit. Memory follows the bytes that arrive, never what the file claims to be.
fn fill(
    file: &impl Opened,
    claimed: u64,
    max_bytes: u64,
    allowance: u64,
    scratch: &mut [u8],
) -> Result<Whole, Miss> {
    if claimed == 0 {
        return fill_unknown(file, max_bytes, allowance, scratch);
    }
    let wanted = claimed.min(max_bytes);
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < wanted {
        let left = (wanted - bytes.len() as u64).min(scratch.len() as u64) as usize;
        let got = file.read_at(&mut scratch[..left], bytes.len() as u64)?;
        if got == 0 {
            // Shorter than it claims: the stamps tell whether it shrank or lied.
            let size = bytes.len() as u64;
            return Ok(Whole { bytes, size });
        }
        append(&mut bytes, &scratch[..got], wanted);
    }
    Ok(Whole { bytes, size: claimed })
}

/// Reads a file that claims no size: an empty one, or one that the system makes up as it is read.
fn fill_unknown(
    file: &impl Opened,
    max_bytes: u64,
    allowance: u64,
    scratch: &mut [u8],
) -> Result<Whole, Miss> {
    let limit = max_bytes.min(allowance);
    let mut bytes = Vec::new();
    loop {
        // One byte more than may be kept tells whether there is more.
        let left = (limit - bytes.len() as u64).saturating_add(1).min(scratch.len() as u64);
        let got = file.read_at(&mut scratch[..left as usize], bytes.len() as u64)?;
        let size = bytes.len() as u64 + got as u64;
        if size > limit && allowance < max_bytes {
            return Err(Miss::Withheld(WithheldReason::Limit));
        }
        let kept = size.min(limit) - bytes.len() as u64;
        append(&mut bytes, &scratch[..kept as usize], limit);
        if got == 0 || size > limit {
            return Ok(Whole { bytes, size });
        }
    }
}

/// Adds a chunk, at the exact size where it is the only one.
fn append(bytes: &mut Vec<u8>, chunk: &[u8], limit: u64) {
    if bytes.is_empty() {
        bytes.reserve_exact(chunk.len());
    } else if bytes.capacity() - bytes.len() < chunk.len() {
        let left = limit - bytes.len() as u64;
        let double = (bytes.len() as u64).max(chunk.len() as u64);
        bytes.reserve_exact(double.min(left) as usize);
    }
    bytes.extend_from_slice(chunk);
}

/// Whether the file still has these bytes, once all writes that had begun are done.
fn same(file: &impl Opened, bytes: &[u8], scratch: &mut [u8]) -> Result<bool, Miss> {
    file.settle(&file.stamp()?)?;
    let mut compared = 0;
    while compared < bytes.len() {
        let left = (bytes.len() - compared).min(scratch.len());
        let got = file.read_at(&mut scratch[..left], compared as u64)?;
        if got == 0 || scratch[..got] != bytes[compared..compared + got] {
            return Ok(false);
        }
        compared += got;
    }
    Ok(true)
}
