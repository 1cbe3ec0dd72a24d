//! `layers`: the rules are pure, the world is behind ports, and one crate wires them. The table in
//! `layers/table.rs` says which edge may exist; this compares it with what cargo resolved.

mod table;

use crate::{
    project::{Project, SourceFile, code_lines},
    report::{Report, Trouble, no_arguments},
};
use serde_json::Value;
use std::{collections::BTreeSet, fmt};
use table::{FEATURES, PURE, PURE_LINTS, ROWS, Row};

/// Compares the table with `cargo metadata`, and sees that the pure crates keep their lints.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Result<Report, Trouble> {
    no_arguments(arguments)?;
    let output = project
        .cargo(&["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|error| Trouble::new(format!("cannot start cargo: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Trouble::new(format!("cargo metadata failed\n{said}")));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| Trouble::new(format!("cargo metadata is no JSON: {error}")))?;
    let edges = edges(&metadata)?;
    let looked_at = format!("{} crates, {} edges", ROWS.len(), edges.len());
    let mut findings = unmatched_crates(&metadata)?;
    findings.extend(forbidden(&edges));
    findings.extend(unguarded(&project.files(".rs")?));
    Ok(Report::of("layers", &looked_at, findings))
}

/// What a dependency is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Normal,
    Dev,
    Build,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normal => "normal",
            Self::Dev => "dev",
            Self::Build => "build",
        })
    }
}

/// One dependency that a crate of the workspace declares, for any target, optional or not.
#[derive(Debug, PartialEq, Eq)]
struct Edge {
    from: String,
    to: String,
    kind: Kind,
    features: Vec<String>,
    defaults: bool,
    /// From a path: then it must be a crate of this workspace.
    local: bool,
}

/// The packages of the workspace itself.
fn members(metadata: &Value) -> Result<Vec<&Value>, Trouble> {
    let list = |name: &str| {
        let missing = || Trouble::new(format!("cargo metadata has no `{name}`"));
        metadata[name].as_array().ok_or_else(missing)
    };
    let ids = list("workspace_members")?;
    Ok(list("packages")?.iter().filter(|package| ids.contains(&package["id"])).collect())
}

fn edges(metadata: &Value) -> Result<Vec<Edge>, Trouble> {
    let mut edges = Vec::new();
    for package in members(metadata)? {
        let from = text(&package["name"])?;
        let dependencies = package["dependencies"]
            .as_array()
            .ok_or_else(|| Trouble::new(format!("{from} has no `dependencies`")))?;
        for dependency in dependencies {
            let kind = match dependency["kind"].as_str() {
                None => Kind::Normal,
                Some("dev") => Kind::Dev,
                Some("build") => Kind::Build,
                Some(other) => {
                    return Err(Trouble::new(format!("{from} has an edge of kind `{other}`")));
                }
            };
            let features = dependency["features"].as_array().map_or(&[][..], Vec::as_slice);
            edges.push(Edge {
                from: from.clone(),
                to: text(&dependency["name"])?,
                kind,
                features: features.iter().map(text).collect::<Result<_, _>>()?,
                defaults: dependency["uses_default_features"].as_bool().unwrap_or(true),
                local: dependency["source"].is_null(),
            });
        }
    }
    Ok(edges)
}

fn text(value: &Value) -> Result<String, Trouble> {
    let not_text = || Trouble::new(format!("cargo metadata: `{value}` is no text"));
    value.as_str().map(str::to_owned).ok_or_else(not_text)
}

/// Crates without a row, and rows without a crate.
fn unmatched_crates(metadata: &Value) -> Result<Vec<String>, Trouble> {
    let mut findings = Vec::new();
    let mut seen = BTreeSet::new();
    for package in members(metadata)? {
        let name = text(&package["name"])?;
        if row(&name).is_none() {
            findings.push(format!("{name} has no row in the table of layers"));
        }
        seen.insert(name);
    }
    for row in ROWS {
        if !seen.contains(row.name) {
            findings.push(format!("{} has a row, but is no crate of the workspace", row.name));
        }
    }
    Ok(findings)
}

fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// Every edge the table does not allow. A crate without a row is reported on its own.
fn forbidden(edges: &[Edge]) -> Vec<String> {
    let mut findings = Vec::new();
    for edge in edges {
        let Some(row) = row(&edge.from) else { continue };
        let Edge { from, to, kind, .. } = edge;
        let allowed = match kind {
            Kind::Normal => row.normal.contains(&to.as_str()),
            // What the code itself may use, its tests may use too.
            Kind::Dev => row.dev.contains(&to.as_str()) || row.normal.contains(&to.as_str()),
            Kind::Build => row.build.contains(&to.as_str()),
        };
        if !allowed {
            findings.push(format!("{from} may not depend on {to} ({kind})"));
        }
        if edge.local && self::row(to).is_none() {
            findings.push(format!("{from} depends on {to} ({kind}) by a path out of the project"));
        }
        findings.extend(forbidden_features(edge));
    }
    findings
}

/// Some crates are harmless only in part: tokio's locks are, its sockets are not.
fn forbidden_features(edge: &Edge) -> Vec<String> {
    let Some((_, _, allowed)) = FEATURES
        .iter()
        .find(|(from, to, _)| edge.kind == Kind::Normal && *from == edge.from && *to == edge.to)
    else {
        return Vec::new();
    };
    let defaults = edge.defaults.then_some("default");
    let features = edge.features.iter().map(String::as_str).chain(defaults);
    features
        .filter(|feature| !allowed.contains(feature))
        .map(|feature| {
            format!("{} may not use feature `{feature}` of {} (normal)", edge.from, edge.to)
        })
        .collect()
}

/// Pure crates whose root does not deny what `clippy.toml` disallows, or that allow it again.
fn unguarded(files: &[SourceFile]) -> Vec<String> {
    let mut findings = Vec::new();
    for pure in PURE {
        let denies = |file: &SourceFile| {
            file.path == format!("{pure}/src/lib.rs")
                && code_lines(&file.text).any(|(_, line)| line == format!("#![deny({PURE_LINTS})]"))
        };
        if !files.iter().any(denies) {
            findings.push(format!("{pure}/src/lib.rs does not say #![deny({PURE_LINTS})]"));
        }
        let own = |file: &&SourceFile| file.path.starts_with(&format!("{pure}/src/"));
        for file in files.iter().filter(own) {
            for (number, line) in code_lines(&file.text) {
                let attribute = line.trim_start().starts_with('#');
                if attribute && line.contains("allow(") && line.contains("clippy::disallowed_") {
                    findings.push(format!("{}:{number}: allows what is disallowed", file.path));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A workspace of one crate with one dependency.
    fn forged(from: &str, to: &str, kind: Value) -> Value {
        forged_with(
            from,
            json!({ "name": to, "kind": kind, "source": "registry",
            "features": [], "uses_default_features": false }),
        )
    }

    fn forged_with(from: &str, dependency: Value) -> Value {
        json!({
            "workspace_members": ["path+file:///p#1"],
            "packages": [
                { "id": "path+file:///p#1", "name": from, "dependencies": [dependency] },
                { "id": "registry#other", "name": "other", "dependencies": [
                    { "name": "anything", "kind": null, "source": "registry", "features": [] },
                ] },
            ],
        })
    }

    fn check(metadata: &Value) -> Vec<String> {
        forbidden(&edges(metadata).unwrap())
    }

    #[test]
    fn a_forbidden_edge_is_found_with_its_crate_dependency_and_kind() {
        for (from, to, kind, expected) in [
            ("told-domain", "tokio", json!(null), "told-domain may not depend on tokio (normal)"),
            ("told-app", "told-redb", json!("dev"), "told-app may not depend on told-redb (dev)"),
            ("told-ports", "cc", json!("build"), "told-ports may not depend on cc (build)"),
            (
                "told-app",
                "told-testkit",
                json!(null),
                "told-app may not depend on told-testkit (normal)",
            ),
        ] {
            assert_eq!(check(&forged(from, to, kind)), [expected]);
        }
    }

    #[test]
    fn an_allowed_edge_and_what_other_packages_do_are_no_findings() {
        assert_eq!(check(&forged("told-ports", "told-domain", json!(null))), [""; 0]);
        assert_eq!(check(&forged("told-app", "told-testkit", json!("dev"))), [""; 0]);
    }

    #[test]
    fn a_forbidden_feature_is_found() {
        let tokio = json!({ "name": "tokio", "kind": null, "source": "registry",
            "features": ["sync", "fs"], "uses_default_features": true });
        assert_eq!(
            check(&forged_with("told-app", tokio)),
            [
                "told-app may not use feature `fs` of tokio (normal)",
                "told-app may not use feature `default` of tokio (normal)",
            ]
        );
    }

    #[test]
    fn a_path_out_of_the_project_is_found() {
        let serde = json!({ "name": "serde", "kind": null, "source": null, "features": [] });
        assert_eq!(
            check(&forged_with("told-domain", serde)),
            ["told-domain depends on serde (normal) by a path out of the project",]
        );
    }

    #[test]
    fn a_crate_without_a_row_and_a_row_without_a_crate_are_found() {
        let findings = unmatched_crates(&forged("told-new", "serde", json!(null))).unwrap();
        assert_eq!(findings.len(), ROWS.len() + 1);
        assert_eq!(findings[0], "told-new has no row in the table of layers");
    }

    #[test]
    fn metadata_of_another_shape_is_trouble_not_silence() {
        assert!(edges(&json!({ "packages": [] })).is_err());
        assert!(edges(&forged("told-domain", "serde", json!("odd"))).is_err());
    }

    #[test]
    fn a_pure_crate_without_its_lints_or_with_an_exception_is_found() {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
        let deny = format!("//! A.\n\n#![deny({PURE_LINTS})]\n");
        let mut files: Vec<_> =
            PURE.iter().map(|pure| file(&format!("{pure}/src/lib.rs"), &deny)).collect();
        assert_eq!(unguarded(&files), [""; 0]);
        files[0].text = "//! A.\n".into();
        files.push(file(
            &format!("{}/src/a.rs", PURE[1]),
            "#[allow(clippy::disallowed_methods)]\nfn a() {}\n",
        ));
        let findings = unguarded(&files);
        assert_eq!(findings.len(), 2);
        assert!(findings[0].starts_with("crates/domain/src/lib.rs does not say #![deny("));
        assert_eq!(findings[1], "crates/ports/src/a.rs:1: allows what is disallowed");
    }
}
