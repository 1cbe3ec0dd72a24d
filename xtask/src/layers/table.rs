//! The layers as data: what each crate may depend on. An edge that is missing here is forbidden;
//! adding one is a decision about the architecture, and belongs in the change that needs it.

/// What one crate may depend on.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) normal: &'static [&'static str],
    /// For tests, beside what is allowed as normal.
    pub(super) dev: &'static [&'static str],
    pub(super) build: &'static [&'static str],
}

/// Every crate of the workspace, from the inside out.
pub(super) const ROWS: &[Row] = &[
    // What is true: no I/O, no async, no clock.
    Row {
        name: "told-domain",
        normal: &[
            "encoding_rs",
            "globset",
            "jiff",
            "serde",
            "serde-saphyr",
            "serde_json",
            "sha2",
            "similar",
            "strsim",
            "thiserror",
            "toml",
            "url",
        ],
        dev: &["fastrand", "insta"],
        build: &[],
    },
    // What the application asks of the world.
    Row {
        name: "told-ports",
        normal: &["told-domain", "async-trait", "thiserror"],
        dev: &[],
        build: &[],
    },
    // One value and its two operations, on any runtime or none.
    Row { name: "told-refreshable", normal: &[], dev: &["mockall", "shuttle"], build: &[] },
    // What a shell line reads: text in, paths out.
    Row {
        name: "told-shell",
        normal: &["told-domain", "brush-parser"],
        dev: &["fastrand"],
        build: &[],
    },
    // Wires nothing: never an adapter, also not in a test.
    Row {
        name: "told-app",
        normal: &[
            "told-domain",
            "told-ports",
            "told-refreshable",
            "told-shell",
            "async-trait",
            "serde_json",
            "thiserror",
            "tokio",
            "tracing",
        ],
        dev: &["told-testkit", "insta", "mockall"],
        build: &[],
    },
    // An adapter knows its port, never another adapter nor the application.
    Row {
        name: "told-fs",
        normal: &["told-domain", "told-ports", "async-trait", "rustix", "tokio", "tracing"],
        dev: &["told-testkit", "fastrand", "tempfile"],
        build: &[],
    },
    // What two watchers of inodes share; it is no watcher itself.
    Row {
        name: "told-steps",
        normal: &["told-ports", "async-trait", "rustix", "tokio", "tracing"],
        dev: &[],
        build: &[],
    },
    Row {
        name: "told-inotify",
        normal: &["told-ports", "told-steps", "async-trait", "rustix"],
        dev: &["told-domain", "told-testkit", "tempfile", "tokio"],
        build: &[],
    },
    Row {
        name: "told-notify",
        normal: &[
            "told-ports",
            "told-steps",
            "async-trait",
            "notify",
            "rustix",
            "tempfile",
            "tokio",
        ],
        dev: &["told-domain", "told-testkit"],
        build: &[],
    },
    Row {
        name: "told-overlay",
        normal: &["told-domain", "told-ports", "async-trait"],
        dev: &["told-testkit"],
        build: &[],
    },
    Row {
        name: "told-redb",
        normal: &[
            "told-domain",
            "told-ports",
            "async-trait",
            "redb",
            "serde_json",
            "tempfile",
            "thiserror",
            "tokio",
            "tracing",
        ],
        dev: &["told-testkit"],
        build: &[],
    },
    Row {
        name: "told-reqwest",
        normal: &[
            "told-domain",
            "told-ports",
            "async-trait",
            "reqwest",
            "rustls",
            "rustls-platform-verifier",
            "tokio",
            "tracing",
        ],
        // A server with a certificate of its own, and every log line of every crate.
        dev: &["told-testkit", "log", "rcgen", "tracing-subscriber"],
        build: &[],
    },
    Row {
        name: "told-clock",
        normal: &["told-domain", "told-ports", "async-trait", "jiff", "tokio"],
        dev: &["told-testkit"],
        build: &[],
    },
    // Fakes, contract suites, simulator: on the real rules, never on a real adapter.
    Row {
        name: "told-testkit",
        normal: &[
            "told-app",
            "told-domain",
            "told-ports",
            "async-trait",
            "fastrand",
            "serde_json",
            "thiserror",
            "tokio",
        ],
        dev: &["tracing"],
        build: &[],
    },
    // The one crate that wires them.
    Row {
        name: "told",
        normal: &[
            "told-app",
            "told-clock",
            "told-domain",
            "told-fs",
            "told-inotify",
            "told-overlay",
            "told-ports",
            "told-redb",
            "told-reqwest",
            "serde",
            "serde_json",
            "thiserror",
        ],
        dev: &["async-trait", "told-testkit", "tempfile", "tokio"],
        build: &[],
    },
    // A host like any other: through the facade alone.
    Row {
        name: "told-cli",
        normal: &[
            "told",
            "anstyle",
            "clap",
            "serde",
            "serde_json",
            "terminal_size",
            "thiserror",
            "tokio",
            "tracing",
            "tracing-subscriber",
            "unicode-width",
        ],
        // A test begins sessions of long ago, which takes ports with a clock of its own.
        // A server of URLs, and its certificate.
        dev: &[
            "told-clock",
            "told-fs",
            "told-redb",
            "told-testkit",
            "async-trait",
            "insta",
            "rcgen",
            "rustix",
            "rustls",
            "tempfile",
        ],
        build: &[],
    },
    Row {
        name: "told-scenarios",
        // The race on disk swaps with the system's own calls.
        normal: &["told", "fastrand", "rustix", "tempfile", "tokio"],
        // What a host wires, with a count at each port.
        dev: &["told-clock", "told-fs", "told-inotify", "told-redb", "told-testkit", "async-trait"],
        build: &[],
    },
    // Measures what a host wires, beside the bare database.
    Row {
        name: "told-bench",
        normal: &[
            "told",
            "told-clock",
            "told-fs",
            "told-notify",
            "told-redb",
            "async-trait",
            "nix",
            "redb",
            "rustix",
            "tempfile",
            "tokio",
        ],
        dev: &[],
        build: &[],
    },
    // Strangers' bytes for everyone who reads them.
    Row {
        name: "told-fuzz",
        normal: &[
            "told",
            "told-cli",
            "told-domain",
            "told-shell",
            "arbitrary",
            "fastrand",
            "serde_json",
        ],
        dev: &[],
        build: &[],
    },
    Row { name: "xtask", normal: &["serde_json"], dev: &[], build: &[] },
];

/// Dependencies that are allowed in part: crate, dependency, features (`default` among them).
/// tokio beyond its locks, or jiff beyond its arithmetic, would be I/O or a clock without a port.
pub(super) const FEATURES: &[(&str, &str, &[&str])] =
    &[("told-domain", "jiff", &["alloc", "serde"]), ("told-app", "tokio", &["macros", "sync"])];

/// The crates that hold no I/O, clock, environment or process. `clippy.toml` lists the calls; these
/// lints, off elsewhere, forbid them.
pub(super) const PURE: &[&str] = &["crates/domain", "crates/ports", "crates/shell", "crates/app"];
pub(super) const PURE_LINTS: &str = "clippy::disallowed_methods, clippy::disallowed_types";
