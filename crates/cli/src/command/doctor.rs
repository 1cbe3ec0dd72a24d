//! `told doctor`: what works here, what does not, and what to do about it.

use super::{Desk, Output, Status, json};
use crate::{
    arguments::Json,
    failure::Failure,
    view::{
        checks::{self, Check, Verdict},
        reason,
    },
};
use serde_json::json;
use std::path::Path;
use told::{
    Engine, Error, RootCoverage, RootStatus,
    configuration::{Configuration, Include, Loaded},
    domain::{briefing::SourceView, instruction::ProjectSight, key::SourceKind, url::of_user},
    ports::Uncovered,
};

pub(crate) async fn run(desk: &Desk<'_, ()>, form: Json) -> Result<Output, Failure> {
    let mut checks = vec![platform()];
    match Loaded::read(desk.surroundings, &desk.chosen) {
        Err(error) => checks.push(check("configuration", Verdict::Fail, error.to_string())),
        Ok(loaded) => {
            let configuration = loaded.configuration();
            checks.push(file(&loaded));
            checks.extend(excludes(configuration));
            let global = configuration.instructions.global.iter();
            checks.extend(global.map(|path| named("global file", path)));
            checks.extend(configuration.instructions.include.iter().filter_map(included));
            checks.push(limits(configuration));
            match told::connect(configuration) {
                Err(error) => checks.push(check("store", Verdict::Fail, error.to_string())),
                Ok(engine) => {
                    checks.push(store(configuration, &engine).await);
                    // What one look found of a URL, the next need not ask again.
                    let _location = engine.location(&desk.directory).await;
                    checks.push(location(&desk.directory, &engine).await);
                    checks.extend(urls(configuration, &desk.directory, &engine).await);
                    checks.extend(project(&desk.directory, &engine).await);
                    checks.extend(watching(&desk.directory, &engine).await);
                }
            }
        }
    }
    let failed = checks.iter().any(|check| check.verdict == Verdict::Fail);
    let mut output = if form.json {
        json(&json!({ "checks": checks }))?
    } else {
        desk.page(&checks::listed(&checks, desk.screen))
    };
    if failed {
        output.status = Status::Failed;
    }
    Ok(output)
}

const fn check(what: &'static str, verdict: Verdict, found: String) -> Check {
    Check { what, verdict, found }
}

fn platform() -> Check {
    let (version, system) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS);
    let found = format!("told {version} on {system}");
    check("platform", Verdict::Ok, found)
}

fn file(loaded: &Loaded) -> Check {
    let found = match loaded.file() {
        None => "there is no home directory, so no file; the defaults count".into(),
        Some((file, _)) if loaded.file_exists() => format!("{} counts", file.display()),
        Some((file, _)) => format!("the defaults count; {} does not exist", file.display()),
    };
    match loaded.configuration().policy() {
        Ok(_) => check("configuration", Verdict::Ok, found),
        Err(error) => check("configuration", Verdict::Fail, error.to_string()),
    }
}

/// Globs are matched against whole paths, so one that starts in the middle matches nothing.
fn excludes(configuration: &Configuration) -> Option<Check> {
    let useless = |glob: &&String| {
        !glob.starts_with('/') && !glob.starts_with("**") && !Path::new(glob).is_absolute()
    };
    let glob = configuration.instructions.exclude.iter().find(useless)?;
    let found = format!(
        "`{glob}` in `instructions.exclude` matches no whole path; write `**/{glob}` to match it \
         in every directory"
    );
    Some(check("exclude", Verdict::Warn, found))
}

fn included(include: &Include) -> Option<Check> {
    match include {
        Include::Path(path) => Some(named("included file", path.as_path())),
        Include::Glob(glob) => {
            let found = format!("{} is scanned at every boundary", glob.as_path().on_one_line());
            Some(check("included glob", Verdict::Ok, found))
        }
        // What became of it, a look says.
        Include::Url(_) => None,
    }
}

/// Each URL that the user or the project names, as a look now finds it.
async fn urls(configuration: &Configuration, directory: &Path, engine: &Engine) -> Vec<Check> {
    // What is wrong with either is said elsewhere.
    let (Ok(found), Ok(policy)) =
        (engine.explain(directory, directory).await, configuration.policy())
    else {
        return Vec::new();
    };
    let left_out = found.held.iter().chain(&found.withheld);
    let is_url = |view: &&SourceView| view.kind == SourceKind::Url;
    let shown = |view: &SourceView| view.url.clone().unwrap_or_default();
    let told = found.applies.iter().filter(is_url).map(|view| {
        let found = format!("{}, {} bytes", shown(view), view.bytes.unwrap_or_default());
        check("included URL", Verdict::Ok, found)
    });
    let failed = left_out.clone().filter(is_url).map(|view| {
        let why = reason::sentence(view.reason.unwrap_or_default());
        check("included URL", Verdict::Warn, format!("{}: {why}", shown(view)))
    });
    let known = found.applies.iter().chain(left_out).map(|view| &view.source);
    let gone =
        of_user(&policy).into_iter().filter(|named| !known.clone().any(|key| *key == named.key));
    let gone = gone.map(|named| {
        let found = format!("{}: its server says that it is gone, so none is told", named.url);
        check("included URL", Verdict::Warn, found)
    });
    told.chain(failed).chain(gone).collect()
}

async fn project(directory: &Path, engine: &Engine) -> Option<Check> {
    let project = engine.project(directory).await.ok()?;
    let shown = project.file()?.on_one_line();
    let (verdict, found) = match project.sight() {
        ProjectSight::Unseen | ProjectSight::Missing => return None,
        ProjectSight::Good(_) => (Verdict::Ok, format!("{shown} counts")),
        ProjectSight::Broken(_, why) => (
            Verdict::Warn,
            format!("{why}; sessions that knew a good one go on by it, others without"),
        ),
        ProjectSight::Withheld(reason) => {
            (Verdict::Warn, format!("{shown}: {}", reason::sentence(reason.as_str())))
        }
        ProjectSight::Unavailable(reason) => (
            Verdict::Fail,
            format!("{shown}: {}, which blocks new sessions", reason::sentence(reason.as_str())),
        ),
    };
    Some(check("project", verdict, found))
}

fn named(what: &'static str, path: &Path) -> Check {
    let shown = path.display();
    // The kind first: the opening of a FIFO waits for a writer.
    let kind = std::fs::metadata(path);
    let regular = kind.as_ref().is_ok_and(std::fs::Metadata::is_file);
    match if regular { std::fs::File::open(path).and_then(|file| file.metadata()) } else { kind } {
        Ok(found) if found.is_file() => {
            check(what, Verdict::Ok, format!("{shown}, {} bytes", found.len()))
        }
        Ok(_) => {
            let found = format!("{shown} is no regular file, so it is left out; move it away");
            check(what, Verdict::Warn, found)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            check(what, Verdict::Ok, format!("{shown} does not exist, so none is told"))
        }
        Err(error) => {
            let found = format!(
                "{shown} cannot be read ({error}), which blocks new sessions; make it readable"
            );
            check(what, Verdict::Fail, found)
        }
    }
}

fn limits(configuration: &Configuration) -> Check {
    let (file, all) = (configuration.instructions.max_bytes, configuration.limits.total_bytes);
    if all < file {
        let found = format!(
            "`limits.total_bytes` ({all}) is below `instructions.max_bytes` ({file}), so one large \
             file can leave all others out; raise it"
        );
        return check("limits", Verdict::Warn, found);
    }
    let look = configuration.limits.look_ms;
    let found = format!("{file} bytes a file, {all} bytes in all, {look} ms a look");
    check("limits", Verdict::Ok, found)
}

async fn store(configuration: &Configuration, engine: &Engine) -> Check {
    let path = match configuration.store_path() {
        Ok(path) => path,
        Err(error) => return check("store", Verdict::Fail, error.to_string()),
    };
    let shown = path.display();
    let size = match std::fs::metadata(path) {
        Ok(found) => found.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let found = format!("{shown} does not exist yet; the first `told sync` makes it");
            return check("store", Verdict::Ok, found);
        }
        Err(error) => {
            let found = format!(
                "{shown} cannot be looked at ({error}); let this user search its directories, or \
                 name another with --store"
            );
            return check("store", Verdict::Fail, found);
        }
    };
    let sessions = match engine.sessions(None).await {
        Ok(sessions) => sessions.len(),
        Err(error) => return check("store", Verdict::Fail, what_to_do(&error)),
    };
    // Opened for writing and left as it is.
    if let Err(error) = std::fs::OpenOptions::new().write(true).open(path) {
        let found = format!("{shown} opens, but cannot be written: {error}");
        return check("store", Verdict::Fail, found);
    }
    if let Some(found) = readable_by_others(path) {
        return check("store", Verdict::Warn, found);
    }
    let found = format!("{shown} opens, sessions: {sessions}, bytes: {size}");
    check("store", Verdict::Ok, found)
}

#[cfg(unix)]
fn readable_by_others(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let shown = path.display();
    (mode & 0o077 != 0)
        .then(|| format!("{shown} has mode {mode:o}, so others can reach it; chmod 600 it"))
}

#[cfg(not(unix))]
fn readable_by_others(_path: &Path) -> Option<String> {
    None
}

async fn location(directory: &Path, engine: &Engine) -> Check {
    let briefing = match engine.preview(directory).await {
        Ok(briefing) => briefing,
        Err(error) => return check("location", Verdict::Fail, what_to_do(&error)),
    };
    let location = &briefing.location;
    let project = if location.directory == location.boundary {
        format!("{} is its own project", location.directory)
    } else {
        format!("{} in the project {}", location.directory, location.boundary)
    };
    let sources = briefing.totals.sources;
    match briefing.held.len() {
        0 => check("location", Verdict::Ok, format!("{project}; sources: {sources}")),
        held => {
            let found = format!("{project}; sources that cannot be read: {held}; see `told`");
            check("location", Verdict::Warn, found)
        }
    }
}

/// Each root, and whether a server's boundaries must look at its files.
async fn watching(directory: &Path, engine: &Engine) -> Vec<Check> {
    // What is wrong with the directory is said above.
    let Ok(status) = engine.try_watching(directory).await else { return Vec::new() };
    if status.roots.is_empty() {
        let found = "nothing watches here: every boundary looks at its files".to_owned();
        return vec![check("watching", Verdict::Ok, found)];
    }
    let root = |RootStatus { root, coverage }: &RootStatus| match coverage {
        RootCoverage::Covered => {
            let found = format!("{root} is covered: a server looks at what changed there");
            check("watching", Verdict::Ok, found)
        }
        RootCoverage::Direct(Uncovered::Limit) => {
            let found = format!("{root} is looked at directly: no watches are left; {}", raise());
            check("watching", Verdict::Warn, found)
        }
        RootCoverage::Direct(_) | RootCoverage::NotYet | RootCoverage::Provided => {
            let reason = coverage.reason().unwrap_or_default();
            let found = format!("{root} is looked at directly ({reason}), which is never wrong");
            check("watching", Verdict::Ok, found)
        }
    };
    status.roots.iter().map(root).chain(watch_limits()).collect()
}

/// How many watches the system allows this user.
fn watch_limits() -> Option<Check> {
    let number = |name: &str| {
        let read = std::fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?;
        read.trim().parse::<u64>().ok()
    };
    let (watches, instances) = (number("max_user_watches")?, number("max_user_instances")?);
    let found = format!(
        "this user may have {watches} watches and {instances} inotify instances; told takes one \
         instance a process and a quarter of the watches"
    );
    Some(check("watch limits", Verdict::Ok, found))
}

const fn raise() -> &'static str {
    "raise fs.inotify.max_user_watches (`sudo sysctl fs.inotify.max_user_watches=524288`)"
}

fn what_to_do(error: &Error) -> String {
    use told::domain::reason::Retry;
    match error.retry() {
        Retry::Now | Retry::Later => format!("{error}; try again"),
        Retry::No => error.to_string(),
    }
}
