//! Many sessions, several engines, and what is left when they end.

mod race;

use told_scenarios::{Ground, sync, texts};

/// R-BND-7: boundaries of different sessions run side by side, and share the writer.
#[tokio::test(flavor = "multi_thread")]
async fn every_session_is_told_each_change_once() {
    let ground = Ground::new();
    let engine = ground.engine();
    let mut sessions = Vec::new();
    for number in 0..24 {
        sessions.push(ground.open(&engine, &format!("host/{number}")).await);
    }
    for round in 1..=4 {
        ground.write("shop/AGENTS.md", &format!("Rule {round}.\n"));
        // Two boundaries of each at once.
        let tasks: Vec<_> = sessions
            .iter()
            .chain(&sessions)
            .cloned()
            .map(|session| tokio::spawn(async move { sync(&session).await }))
            .collect();
        let mut admitted = 0;
        for task in tasks {
            let briefing = task.await.unwrap();
            assert_eq!(texts(&briefing).len(), round);
            assert!(texts(&briefing)[round - 1].contains(&format!("Rule {round}.")));
            admitted += usize::from(briefing.admitted.is_some());
        }
        assert_eq!(admitted, sessions.len(), "one admission a session");
    }
}

/// R-BND-6: no byte changes across a restart, and an engine that ended leaves nothing behind.
#[tokio::test(flavor = "multi_thread")]
async fn another_engine_tells_the_same_bytes() {
    let ground = Ground::new();
    let mut told = Vec::new();
    for round in 1..=3 {
        let engine = ground.engine();
        let session = ground.open(&engine, "host/1").await;
        if round > 1 {
            assert_eq!(texts(&sync(&session).await), told, "before the change");
        }
        ground.write("shop/api/AGENTS.md", &format!("Rule {round}.\n"));
        told = texts(&sync(&session).await);
        assert_eq!(told.len(), round);
        assert_eq!(engine.locations_open(), 1);
        drop(session);
        assert_eq!(engine.locations_open(), 0, "closed with its last session");
    }
    let kept: Vec<_> = std::fs::read_dir(ground.path(".local/share/told"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(kept, ["store.redb"]);
}

/// Two engines on one store are two processes to it: each sees at once what the other wrote.
#[tokio::test(flavor = "multi_thread")]
async fn two_engines_tell_one_story() {
    let ground = Ground::new();
    let engines = [ground.engine(), ground.engine()];
    let mine = ground.open(&engines[0], "host/1").await;
    let theirs = ground.open(&engines[1], "host/1").await;
    for round in 1..=6 {
        ground.write("shop/AGENTS.md", &format!("Rule {round}.\n"));
        let (one, other) = tokio::join!(sync(&mine), sync(&theirs));
        assert_eq!(texts(&one), texts(&other), "round {round}");
        assert_eq!(texts(&one).len(), round);
        let admissions = [one.admitted, other.admitted].into_iter().flatten().count();
        assert_eq!(admissions, 1, "round {round}");
    }
}

/// R-SES-6: each revision is shown as it was returned, by an engine that never saw it.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_returned_is_shown_by_another_engine() {
    let ground = Ground::new();
    let engine = ground.engine();
    let session = ground.open(&engine, "host/1").await;
    let mut returned = Vec::new();
    for round in 1..=5 {
        if round == 4 {
            session.compact(None).await.unwrap();
        }
        ground.write("shop/AGENTS.md", &format!("Rule {round}.\n"));
        returned.push(sync(&session).await);
    }
    let other = ground.engine();
    let other = other.session(session.id()).await.unwrap();
    for briefing in &returned {
        let shown = other.show(Some(briefing.revision)).await.unwrap();
        assert_eq!((&shown.epoch, &shown.updates), (&briefing.epoch, &briefing.updates));
        assert_eq!(shown.totals, briefing.totals);
    }
}
