//! R-LOC-1, R-LOC-2, R-LOC-9.

use super::*;
use crate::testing::{canonical, location, policy};

fn found(directory: &str, nested: Option<&str>) -> Resource {
    let found = Found { directory: canonical(directory), nested: nested.map(canonical) };
    Resource { path: directory.into(), found: Ok(found) }
}

/// What `resources` discover for a session at `/repo/here`: each scope, then each ignored path.
fn look(resources: &[Resource], policy: &Policy) -> Vec<String> {
    let discovery = discover(&location("/repo/here", "/repo"), resources, policy);
    let scopes =
        discovery.scopes.iter().map(|scope| format!("{} of {}", scope.directory, scope.project));
    let ignored = discovery.ignored.iter().map(|i| format!("{} {}", i.path, i.reason.as_str()));
    scopes.chain(ignored).collect()
}

#[test]
fn r_loc_2_scopes_go_from_below_the_boundary_down_less_what_is_ambient() {
    let check = |directory: &str, expect: &[&str]| {
        assert_eq!(look(&[found(directory, None)], &Policy::default()), expect, "{directory}");
    };
    check("/repo", &[]);
    check("/repo/here", &[]);
    check("/repo/here/x", &["/repo/here/x of /repo"]);
    check("/repo/a/b", &["/repo/a of /repo", "/repo/a/b of /repo"]);
    check("/repo2", &["/repo2 outside_project"]);
    check("/", &["/ outside_project"]);
}

#[test]
fn r_loc_8_a_directory_of_two_paths_is_one_scope() {
    let resources = [found("/repo/a/b", None), found("/repo/a/c", None)];
    let expect = ["/repo/a of /repo", "/repo/a/b of /repo", "/repo/a/c of /repo"];
    assert_eq!(look(&resources, &Policy::default()), expect);
}

#[test]
fn r_loc_9_a_nested_project_has_its_own_scopes_or_none() {
    let resources = [found("/repo/vendor/lib/src", Some("/repo/vendor/lib"))];
    let expect =
        ["/repo/vendor/lib of /repo/vendor/lib", "/repo/vendor/lib/src of /repo/vendor/lib"];
    assert_eq!(look(&resources, &Policy::default()), expect);
    let ignore = policy(|p| p.instructions.nested_projects = NestedProjects::Ignore);
    assert_eq!(look(&resources, &ignore), ["/repo/vendor/lib/src other_project"]);
}

#[test]
fn r_loc_1_what_discovers_nothing_says_why() {
    for reason in
        [Ignorance::FailedCall, Ignorance::Managed, Ignorance::External, Ignorance::PathNotUtf8]
    {
        let resource = Resource { path: "x".into(), found: Err(reason) };
        assert_eq!(look(&[resource], &Policy::default()), [format!("x {}", reason.as_str())]);
    }
    let off = policy(|p| p.instructions.path_local = PathLocal::Off);
    assert_eq!(look(&[found("/repo/a", None)], &off), ["/repo/a disabled"]);
    let off = policy(|p| p.instructions.project = ProjectFiles::Disabled);
    assert_eq!(look(&[found("/repo/a", None)], &off), ["/repo/a disabled"], "R-AMB-5");
}
