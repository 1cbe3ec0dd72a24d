//! A host that speaks the protocol to a server of its own.

use crate::binary::bench::Bench;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// A running `told serve`.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Server {
    pub(crate) fn start(bench: &Bench) -> Self {
        Self::start_with(bench, "serve")
    }

    /// With these words on the command line.
    pub(crate) fn start_with(bench: &Bench, line: &str) -> Self {
        Self::start_by(bench.command(line))
    }

    /// By this command, which says where and in which environment.
    pub(crate) fn start_by(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, last_id: 0 }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request, and gives its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    /// Sends a request that is not answered.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// The next answer, whole; `None` at the end.
    pub(crate) fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        if !line.ends_with('\n') {
            return None;
        }
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["jsonrpc"], "2.0");
        Some(answer)
    }

    /// Takes so many bytes of what the server writes; fewer at the end.
    pub(crate) fn take_bytes(&mut self, count: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.output.by_ref().take(count).read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// So many bytes of the next answer, or all of it where it is shorter.
    pub(crate) fn take_bytes_of_answer(&mut self, count: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.output.by_ref().take(count.max(1)).read_until(b'\n', &mut bytes).unwrap();
        bytes
    }

    /// Asks, and gives the result or the error. Nothing else may be in flight.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        let mut answer = self.answer().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        }
    }

    /// Asks what must succeed.
    pub(crate) fn get(&mut self, method: &str, params: Value) -> Value {
        self.call(method, params.clone())
            .unwrap_or_else(|error| panic!("{method} {params}: {error}"))
    }

    /// Asks what must be refused with this number.
    pub(crate) fn refused(&mut self, method: &str, params: Value, code: i64) -> Value {
        let error = self.call(method, params.clone()).unwrap_err();
        assert_eq!(error["code"], code, "{method} {params}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.chars().any(char::is_control), "{message:?}");
        let retry = error["data"]["retry"].as_str();
        assert!(matches!(retry, Some("now" | "later" | "no")), "{error}");
        error
    }

    pub(crate) fn open(&mut self, bench: &Bench, session: &str) -> Value {
        let directory = bench.path("shop/api");
        self.get("session/open", json!({"session": session, "directory": directory}))
    }

    pub(crate) fn sync(&mut self, session: &str) -> Value {
        self.get("session/sync", json!({"session": session}))
    }

    /// The whole log.
    pub(crate) fn log(&mut self, session: &str) -> Vec<Value> {
        let mut records = Vec::new();
        loop {
            let after = records.last().map_or(json!(0), |last: &Value| last["revision"].clone());
            let params = json!({"session": session, "after": after, "limit": 1000});
            let mut page = self.get("session/log", params);
            records.extend(std::mem::take(page["records"].as_array_mut().unwrap()));
            if page["more"] == false {
                return records;
            }
        }
    }

    /// Ends the input. What the server still answers, and its exit status.
    pub(crate) fn end(mut self) -> (Vec<Value>, i32) {
        drop(self.input.take());
        let answers = std::iter::from_fn(|| self.answer()).collect();
        (answers, self.child.wait().unwrap().code().unwrap_or(-1))
    }

    /// Nobody reads the answers any more.
    pub(crate) fn stop_reading(self) -> (Child, ChildStdin) {
        drop(self.output);
        (self.child, self.input.unwrap())
    }

    /// SIGKILL, or what the platform has of it. What was answered before, line by line.
    pub(crate) fn kill(mut self) -> Vec<u8> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        rest
    }
}

/// The texts of a briefing by the revision that told them: the baseline, then the updates.
pub(crate) fn texts(briefing: &Value) -> Vec<(u64, String)> {
    let text = |at: &Value, holder: &Value| {
        (at["revision"].as_u64().unwrap(), holder["text"].as_str().unwrap().to_owned())
    };
    let epoch = &briefing["epoch"];
    let baseline = epoch["baseline"].get("text").map(|_| text(epoch, &epoch["baseline"]));
    let updates = briefing["updates"].as_array().unwrap();
    baseline.into_iter().chain(updates.iter().map(|update| text(update, update))).collect()
}
