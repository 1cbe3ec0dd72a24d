//! The facade as a host uses it.

#![allow(missing_docs, reason = "tests document themselves")]

#[path = "../../../examples/agent.rs"]
#[allow(dead_code, unreachable_pub, reason = "the example's `main` is not run here")]
mod agent;

#[path = "../../../examples/plugin.rs"]
#[allow(dead_code, unreachable_pub, reason = "the example's `main` is not run here")]
mod plugin;

#[tokio::test]
async fn the_example_plugin_has_its_say_and_its_tool_discovers() {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path().canonicalize().unwrap();
    let [baseline, update] = plugin::run(&scratch).await.unwrap();
    assert!(baseline.contains("Use `view_image` to look at a picture"), "{baseline}");
    assert!(!baseline.contains("public domain"), "{baseline}");
    let art = scratch.join("art");
    let expect = format!(
        "Instructions from: {art}/AGENTS.md\nApplies to: {art}\nPictures are in the public domain.\n",
        art = art.display()
    );
    assert_eq!(update, expect);
}

#[tokio::test]
async fn the_example_host_tells_an_edit_once_and_keeps_its_prefix() {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path().canonicalize().unwrap();
    let [first, second] = agent::run(&scratch).await.unwrap();
    assert!(first.contains("\nAnswer in one word.\n"), "{first}");
    assert!(second.starts_with(&first), "the prefix of a request never changes:\n{second}");
    let news = &second[first.len()..];
    assert_eq!(news.matches("Answer in one sentence.").count(), 1, "{news}");
    assert!(!news.contains("Answer in one word."), "{news}");
}
