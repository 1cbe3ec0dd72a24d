//! The facade as a host uses it.

#![allow(missing_docs, reason = "tests document themselves")]

#[path = "../../../examples/agent.rs"]
#[allow(dead_code, unreachable_pub, reason = "the example's `main` is not run here")]
mod agent;

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
