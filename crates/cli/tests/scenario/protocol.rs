//! Framing, ids, order: JSON-RPC 2.0, one object a line.

use super::client::Server;
use crate::binary::bench::Bench;
use serde_json::{Value, json};

const LINE_MAX: usize = 8 * 1024 * 1024;

#[test]
fn every_line_that_is_no_request_is_answered_and_the_server_goes_on() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let long = "x".repeat(LINE_MAX + 1);
    for (line, code, id) in [
        (&b"nonsense"[..], -32700, Value::Null),
        (b"\xff\xfe", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\"}", -32700, Value::Null),
        (b"[]", -32600, Value::Null),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"session/list"}]"#, -32600, Value::Null),
        (b"7", -32600, Value::Null),
        (b"{}", -32600, Value::Null),
        (long.as_bytes(), -32600, Value::Null),
        (br#"{"id":3,"method":"session/list"}"#, -32600, json!(3)),
        (br#"{"jsonrpc":"2.0","id":"a"}"#, -32600, json!("a")),
        (br#"{"jsonrpc":"2.0","id":{},"method":"session/list"}"#, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#, -32601, json!(4)),
        (br#"{"jsonrpc":"2.0","id":5,"method":"session/list","params":[]}"#, -32602, json!(5)),
    ] {
        server.send("  \r");
        server.send("");
        server.send(line);
        let answer = server.answer().unwrap();
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]);
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}");
        assert!(answer.get("result").is_none(), "{shown}");
    }
    assert_eq!(server.get("session/list", json!({})), json!({"sessions": []}));
    assert_eq!(server.end(), (Vec::new(), 0));
}

#[test]
fn a_line_at_the_limit_counts() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#;
    server.send(format!("{request}{}", " ".repeat(LINE_MAX - request.len())));
    assert_eq!(server.answer().unwrap()["id"], 1);
    server.send(format!("{request}{}", " ".repeat(LINE_MAX - request.len() + 1)));
    let answer = server.answer().unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert_eq!(server.end(), (Vec::new(), 0));
}

#[test]
fn an_id_comes_back_as_it_was_and_a_notification_is_not_answered() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    for id in ["null", "\"x\\u00fc\"", "0", "-3", "1.50", "123456789012345678901234567890"] {
        server.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"session/list"}}"#));
        let line = String::from_utf8(server.take_bytes(26 + id.len() as u64)).unwrap();
        assert!(line.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{line}");
        let mut rest = line;
        while !rest.ends_with('\n') {
            rest.push_str(&String::from_utf8(server.take_bytes(1)).unwrap());
        }
    }
    let directory = bench.path("shop/api");
    server.notify("session/open", json!({"session": "a/1", "directory": directory}));
    server.notify("session/sync", json!({"session": "a/1"}));
    server.notify("no/such", json!({}));
    server.notify("session/sync", json!({"sesion": "a/1"}));
    // It waits its turn behind the two that were executed.
    let shown = server.get("session/show", json!({"session": "a/1"}));
    assert_eq!((&shown["revision"], &shown["epoch"]["number"]), (&json!(2), &json!(1)));
    assert_eq!(server.end(), (Vec::new(), 0));
}

#[test]
fn calls_of_one_session_take_effect_in_the_order_sent() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    let mut asked = Vec::new();
    for session in ["a/1", "a/2", "a/3"] {
        let directory = bench.path("shop/api");
        let open = json!({"session": session, "directory": directory});
        asked.push((session, server.ask("session/open", open)));
    }
    for round in 0..12 {
        for session in ["a/1", "a/2", "a/3"] {
            let set = json!({"session": session, "key": "round", "value": format!("r{round}")});
            asked.push((session, server.ask("context/set", set)));
            asked.push((session, server.ask("session/sync", json!({"session": session}))));
        }
    }
    let (answers, status) = server.end();
    assert_eq!((answers.len(), status), (asked.len(), 0));
    for session in ["a/1", "a/2", "a/3"] {
        let sent: Vec<_> =
            asked.iter().filter(|(of, _)| *of == session).map(|(_, id)| *id).collect();
        let of_session =
            answers.iter().filter(|answer| sent.contains(&answer["id"].as_u64().unwrap()));
        let of_session: Vec<_> = of_session.collect();
        let answered: Vec<_> =
            of_session.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
        assert_eq!(answered, sent, "answered in order");
        let syncs = of_session.iter().skip(2).step_by(2).map(|answer| &answer["result"]);
        for (round, briefing) in syncs.enumerate() {
            let (_, last) = super::client::texts(briefing).pop().unwrap();
            assert!(last.contains(&format!("r{round}")), "round {round}: {last}");
            assert_eq!(briefing["updates"].as_array().unwrap().len(), round, "{session}");
        }
    }
}

#[test]
fn the_end_of_input_ends_the_server_when_all_is_answered() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    // More than is in flight at once.
    let mut asked = Vec::new();
    for number in 0..200 {
        let directory = bench.path("shop/api");
        let open = json!({"session": format!("many/{number}"), "directory": directory});
        asked.push(server.ask("session/open", open));
    }
    let (answers, status) = server.end();
    assert_eq!(status, 0);
    let mut answered: Vec<_> =
        answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, asked);
    assert!(answers.iter().all(|answer| answer["result"]["created"] == true));
    let mut again = Server::start(&bench);
    let sessions = again.get("session/list", json!({"directory": bench.path("shop/api")}));
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 200);
}

#[test]
fn a_last_line_without_its_end_counts() {
    let bench = Bench::new();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#;
    let ran = bench.run_with_input("serve --stdio", request);
    assert_eq!(ran.status, 0);
    assert_eq!(ran.out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessions\":[]}}\n");
}

#[test]
fn a_host_that_no_longer_reads_ends_the_server() {
    use std::io::Write;
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    server.open(&bench, "a/1");
    let (mut child, mut input) = server.stop_reading();
    let list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\"}\n";
    // Until the pipe says that the server is gone.
    while input.write_all(list.as_bytes()).is_ok() {}
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(Server::start(&bench).sync("a/1")["revision"], 2);
}

#[test]
fn a_host_that_reads_late_stops_the_server_and_loses_nothing() {
    let bench = Bench::new();
    bench.write("shop/AGENTS.md", "y".repeat(200_000));
    let mut server = Server::start(&bench);
    server.open(&bench, "a/1");
    // Twice what is kept of answers: the rest waits in the server's lanes and in the pipe.
    let asked: Vec<_> =
        (0..160).map(|_| server.ask("session/show", json!({"session": "a/1"}))).collect();
    let asked = [asked, vec![server.ask("session/sync", json!({"session": "a/1"}))]].concat();
    let (answers, status) = server.end();
    let answered: Vec<_> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!((answered, status), (asked, 0));
}

#[test]
fn initialize_lays_its_configuration_over_the_users_file() {
    let bench = Bench::new();
    let mut server = Server::start(&bench);
    // What is refused does not count as the one time.
    server.refused("initialize", json!({"protocols": [2, 3]}), -32011);
    let error = server.refused("initialize", json!({"protocols": []}), -32011);
    assert_eq!(error["data"]["supported"], json!([1]));
    let config = json!({"context": {"enviroment": false}});
    let error = server.refused("initialize", json!({"config": config}), -32602);
    assert!(error["message"].as_str().unwrap().contains("`context.environment`"), "{error}");
    // Before it, the user's file counts.
    server.open(&bench, "a/1");
    let text =
        |briefing: &Value| briefing["epoch"]["baseline"]["text"].as_str().unwrap().to_owned();
    assert!(text(&server.sync("a/1")).contains("Working directory"));
    let config = json!({"context": {"environment": false}});
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"config": config, "protocols": [7, 1], "client": client});
    let initialized = server.get("initialize", params);
    assert_eq!(initialized["protocol"], 1);
    assert_eq!(initialized["server"]["name"], "told");
    let methods = initialized["methods"].as_array().unwrap();
    assert!(methods.contains(&json!("session/sync")) && methods.contains(&json!("session/fork")));
    server.open(&bench, "a/2");
    assert!(!text(&server.sync("a/2")).contains("Working directory"));
    // What the user's file says still counts.
    assert!(!text(&server.sync("a/2")).contains("Today's date"));
    let removed = server.sync("a/1");
    assert_eq!(removed["updates"][0]["changes"][0]["kind"], "removed", "{removed}");
    server.refused("initialize", json!({}), -32600);
    assert_eq!(server.end(), (Vec::new(), 0));
}
