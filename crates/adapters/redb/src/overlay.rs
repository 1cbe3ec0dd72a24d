//! A file that is never written: what redb would write stays in memory. With it a file that needs a
//! repair can be read before anybody knows whether it is a store, and where it cannot be written.

use crate::backend::PatientFile;
use redb::{BackendError, StorageBackend};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    io,
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
};

const BLOCK: u64 = 4096;

/// A file below what was written to it in memory.
#[derive(Debug)]
pub(crate) struct Overlay {
    file: PatientFile,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    len: u64,
    blocks: BTreeMap<u64, Box<[u8; BLOCK as usize]>>,
}

impl Overlay {
    pub(crate) fn new(file: PatientFile) -> io::Result<Self> {
        let written = Mutex::new(Written { len: file.len()?, blocks: BTreeMap::new() });
        Ok(Self { file, written })
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One block as the file has it, zeros behind its end.
    fn below(&self, block: u64) -> io::Result<Box<[u8; BLOCK as usize]>> {
        let mut bytes = Box::new([0; BLOCK as usize]);
        let start = block * BLOCK;
        let there = self.file.len()?.saturating_sub(start).min(BLOCK);
        if let Some(part) = usize::try_from(there).ok().and_then(|there| bytes.get_mut(..there)) {
            self.file.read(start, part)?;
        }
        Ok(bytes)
    }
}

/// The parts of `len` bytes from `offset` by block: block, start within it, length.
fn parts(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset + len as u64;
    std::iter::successors(Some(offset), move |at| Some((at / BLOCK + 1) * BLOCK))
        .take_while(move |at| *at < end)
        .map(move |at| {
            let stop = ((at / BLOCK + 1) * BLOCK).min(end);
            let within = usize::try_from(at % BLOCK).unwrap_or_default();
            (at / BLOCK, within, usize::try_from(stop - at).unwrap_or_default())
        })
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        if offset + out.len() as u64 > written.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut done = 0;
        for (block, within, length) in parts(offset, out.len()) {
            let below;
            let bytes = match written.blocks.get(&block) {
                Some(bytes) => bytes,
                None => {
                    below = self.below(block)?;
                    &below
                }
            };
            out[done..done + length].copy_from_slice(&bytes[within..within + length]);
            done += length;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut written = self.written();
        if len < written.len {
            written.blocks.retain(|block, _| block * BLOCK < len);
        }
        written.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        let mut done = 0;
        for (block, within, length) in parts(offset, data.len()) {
            let bytes = match written.blocks.entry(block) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(below) => below.insert(self.below(block)?),
            };
            bytes[within..within + length].copy_from_slice(&data[done..done + length]);
            done += length;
        }
        written.len = written.len.max(offset + data.len() as u64);
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    // A shared lock keeps writers out, and needs no right to write.

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
