//! `told sync` as a whole process: how long, how much memory, and where the time goes.

use crate::{
    command::{Options, Trouble},
    figure::{Figure, Samples},
    rounds::Host,
    scene::{Scene, Shape, let_files_age},
};
use nix::sys::resource::{UsageWho, getrusage};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};
use told::{
    SyncRequest,
    configuration::{Chosen, Loaded, Surroundings},
};

const SHAPE: Shape = Shape { directories: 6, names: 2, one_in: 1 };
const ROUNDS: usize = 40;
const LONGEST: Duration = Duration::from_millis(25);
const MEMORY: u64 = 20_000_000;
const SESSION: &str = "bench/process";

/// Set for a process of this binary that measures one thing which has to be alone in its process.
const ALONE: &str = "TOLD_BENCH_ALONE";
/// One sync, and how long each part of it took.
const TIMES: &str = "times";
/// The memory of the binary that the argument names: the system keeps the most of all children, and
/// whoever began this run (cargo) may have had greater ones.
const MEMORY_OF: &str = "memory";
const PARTS: [&str; 5] =
    ["read the configuration", "wire", "open the store, load", "look, decide, commit", "close"];

pub(crate) fn run(options: &Options) -> Result<Vec<Figure>, Trouble> {
    let told = match &options.told {
        Some(told) => told.clone(),
        None => std::env::current_exe()?.with_file_name("told"),
    };
    let scene = Scene::new(options.directory.as_deref(), SHAPE)?;
    let config = scene.beside("config.toml");
    fs::write(&config, scene.configuration_text())?;
    let_files_age();
    let one = Invocation { binary: told, scene: &scene, config };
    one.call(&["open", "--session", SESSION])?;
    one.call(&["sync", "--session", SESSION])?;
    let (mut bare, mut still, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        bare.push(one.call(&["--version"])?);
        still.push(one.call(&["sync", "--session", SESSION])?);
        scene.edit(1, round)?;
        changed.push(one.call(&["sync", "--session", SESSION])?);
    }
    let memory = one.memory()?;
    let mut figures = vec![
        Figure::time("told sync, unchanged", Samples::new(still), LONGEST),
        Figure::time("told sync, one file edited", Samples::new(changed), LONGEST),
        Figure::bytes("told sync, peak memory", memory, MEMORY),
        Figure::part("  of it: start, parse, end (told --version)", Samples::new(bare)),
    ];
    figures.extend(one.parts("unchanged", |_| Ok(()))?);
    figures.extend(one.parts("edited", |round| Ok(scene.edit(1, ROUNDS + 1 + round)?))?);
    Ok(figures)
}

/// The binary, with the same project, store and configuration each time.
struct Invocation<'a> {
    binary: PathBuf,
    scene: &'a Scene,
    config: PathBuf,
}

impl Invocation<'_> {
    fn command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        command
            .current_dir(&self.scene.directory)
            .env("TOLD_STORE", self.scene.store())
            .env("TOLD_CONFIG", &self.config)
            .stdin(Stdio::null());
        command
    }

    /// Calls it and waits.
    fn call(&self, arguments: &[&str]) -> Result<Duration, Trouble> {
        let mut command = self.command(&self.binary);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let begun = Instant::now();
        let status = command.status()?;
        let taken = begun.elapsed();
        if status.success() { Ok(taken) } else { Err(format!("{command:?}: {status}").into()) }
    }

    /// The peak memory of one unchanged sync.
    fn memory(&self) -> Result<u64, Trouble> {
        let mut command = self.command(&std::env::current_exe()?);
        let output = command.env(ALONE, MEMORY_OF).arg(&self.binary).output()?;
        let why = || String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(str::from_utf8(&output.stdout)?.trim().parse().map_err(|_| why())?)
    }

    /// The parts of one sync, each by the median of many processes of this binary.
    fn parts(
        &self,
        what: &str,
        prepare: impl Fn(usize) -> Result<(), Trouble>,
    ) -> Result<Vec<Figure>, Trouble> {
        let own = std::env::current_exe()?;
        let mut times = vec![Vec::new(); PARTS.len()];
        for round in 0..ROUNDS {
            prepare(round)?;
            let output = self.command(&own).env(ALONE, TIMES).output()?;
            let said = String::from_utf8(output.stdout)?;
            let nanos: Vec<u64> =
                said.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            if nanos.len() != PARTS.len() {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(format!("one sync: {why}").into());
            }
            for (times, nanos) in times.iter_mut().zip(nanos) {
                times.push(Duration::from_nanos(nanos));
            }
        }
        let part = |(part, times): (&&str, Vec<Duration>)| {
            Figure::part(format!("  of it, {what}: {part}"), Samples::new(times))
        };
        Ok(PARTS.iter().zip(times).map(part).collect())
    }
}

/// What this process is to measure alone, if it is one of those.
pub(crate) fn alone() -> Option<ExitCode> {
    let lines = match std::env::var(ALONE).ok()?.as_str() {
        TIMES => timed().map(|parts| parts.map(|part| part.as_nanos().to_string()).join("\n")),
        _ => memory_of_child().map(|bytes| bytes.to_string()),
    };
    Some(match lines {
        Ok(lines) => {
            println!("{lines}");
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    })
}

/// The peak memory of the named binary's sync. This process is small when it starts it: what a parent
/// has at the start counts as its child's.
fn memory_of_child() -> Result<u64, Trouble> {
    let binary = std::env::args_os().nth(1).ok_or("the binary has no name")?;
    let mut command = Command::new(binary);
    let status = command.args(["sync", "--session", SESSION]).stdout(Stdio::null()).status()?;
    if !status.success() {
        return Err(format!("{command:?}: {status}").into());
    }
    let kibibytes = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    // macOS counts bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Ok(u64::try_from(kibibytes)? * unit)
}

/// What `told sync` does between its first and its last line, with a clock beside it.
fn timed() -> Result<[Duration; PARTS.len()], Trouble> {
    let mut last = Instant::now();
    let mut lap = || {
        let now = Instant::now();
        now - std::mem::replace(&mut last, now)
    };
    let loaded = Loaded::read(&Surroundings::of_this_process(), &Chosen::default())?;
    let configuration = lap();
    let runtime = Host::CurrentThread.runtime()?;
    let engine = told::connect(loaded.configuration())?;
    let wired = lap();
    let id = SESSION.parse()?;
    let session = runtime.block_on(engine.session(&id))?;
    let opened = lap();
    let briefing = runtime.block_on(session.sync(SyncRequest::default()))?;
    let synced = lap();
    drop((briefing, session, engine, runtime));
    Ok([configuration, wired, opened, synced, lap()])
}
