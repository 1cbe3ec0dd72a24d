//! How two things are measured beside each other: turn by turn, in one task of a runtime as a host
//! has it, so that both meet the same machine.

use crate::{command::Trouble, figure::Samples};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// Which runtime a host has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Host {
    CurrentThread,
    MultiThread,
}

impl Host {
    pub(crate) const ALL: [Self; 2] = [Self::CurrentThread, Self::MultiThread];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::CurrentThread => "current_thread",
            Self::MultiThread => "multi_thread",
        }
    }

    pub(crate) fn runtime(self) -> Result<Runtime, Trouble> {
        let mut builder = match self {
            Self::CurrentThread => Builder::new_current_thread(),
            Self::MultiThread => Builder::new_multi_thread(),
        };
        Ok(builder.enable_all().build()?)
    }

    /// Runs a task as a host would: spawned, and so on a worker where there are workers.
    pub(crate) fn run<T: Send + 'static>(
        self,
        task: impl Future<Output = Result<T, Trouble>> + Send + 'static,
    ) -> Result<T, Trouble> {
        let runtime = self.runtime()?;
        runtime.block_on(async { tokio::spawn(task).await })?
    }
}

/// Two lists of times that were taken in turns.
#[derive(Default)]
pub(crate) struct Turns {
    ours: Vec<Duration>,
    other: Vec<Duration>,
}

/// A number of calls measured as one, where a single one is too short for the clock.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    count: u32,
    begun: Instant,
}

impl Calls {
    pub(crate) fn begin(count: u32) -> Self {
        Self { count, begun: Instant::now() }
    }

    /// The time of one of them.
    pub(crate) fn each(self) -> Duration {
        self.begun.elapsed() / self.count
    }
}

impl Turns {
    pub(crate) fn ours(&mut self, calls: Calls) {
        self.took(calls.each());
    }

    pub(crate) fn took(&mut self, time: Duration) {
        self.ours.push(time);
    }

    pub(crate) fn other(&mut self, calls: Calls) {
        self.other.push(calls.each());
    }

    pub(crate) fn samples(self) -> (Samples, Samples) {
        (Samples::new(self.ours), Samples::new(self.other))
    }
}
