//! A whole host: its own list of messages, a scripted model, and told for the standing instructions.
//!
//! Run it with `cargo run -p told --example agent`. It works in a scratch directory of its own.

use std::{error::Error, fs, path::Path};
use told::{
    OpenRequest, Session, SyncRequest,
    configuration::{Configuration, Surroundings},
    domain::{
        briefing::Briefing,
        position::Position,
        session::{Prior, Trust},
    },
};

/// What the host keeps. told's texts are not in it: they are woven in anew for each request.
enum Message {
    User(String),
    Assistant(String),
}

struct Agent {
    session: Session,
    messages: Vec<Message>,
}

impl Agent {
    /// One turn: the prompt is appended, then comes the safe boundary, then the provider call.
    async fn turn(
        &mut self,
        prompt: &str,
        model: fn(&str) -> String,
    ) -> Result<String, told::Error> {
        self.messages.push(Message::User(prompt.to_owned()));
        let position = Some(Position(self.messages.len() as u64));
        let briefing =
            self.session.sync(SyncRequest { position, ..SyncRequest::default() }).await?;
        let request = weave(&self.messages, &briefing);
        self.messages.push(Message::Assistant(model(&request)));
        Ok(request)
    }
}

/// The request: the baseline is the system text, and each update stands behind the message that was
/// the last one at its boundary. Equal conversations give equal bytes, so the prompt cache holds.
fn weave(messages: &[Message], briefing: &Briefing) -> String {
    let mut request =
        format!("<system>\n{}\n", briefing.epoch.baseline.text.as_deref().unwrap_or_default());
    let mut updates = briefing.updates.iter().peekable();
    for (index, message) in messages.iter().enumerate() {
        request += &match message {
            Message::User(text) => format!("<user>\n{text}\n"),
            Message::Assistant(text) => format!("<assistant>\n{text}\n"),
        };
        while let Some(update) = updates.next_if(|update| update.position.0 <= index as u64 + 1) {
            request += &format!("<system>\n{}\n", update.text);
        }
    }
    request
}

/// Two turns with an edit between them. Gives the two requests that the model got.
pub async fn run(scratch: &Path) -> Result<[String; 2], Box<dyn Error>> {
    let rules = scratch.join("AGENTS.md");
    fs::write(&rules, "Answer in one word.\n")?;
    let mut configuration = Configuration::new(&Surroundings::default());
    configuration.store.path = Some(scratch.join("told.redb"));
    configuration.context.date = false;
    let engine = told::connect(&configuration)?;
    let name = "example/1".parse()?;
    let (directory, prior, trust) = (scratch.to_owned(), Prior::None, Trust::Trusted);
    let opened =
        engine.open(OpenRequest { session: name, directory, position: None, prior, trust }).await?;
    let session = engine.session(&opened.session).await?;
    let mut agent = Agent { session, messages: Vec::new() };
    let model = |_: &str| "Yes.".to_owned();
    let first = agent.turn("Is the sky blue?", model).await?;
    fs::write(&rules, "Answer in one sentence.\n")?;
    let second = agent.turn("And the sea?", model).await?;
    Ok([first, second])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let [_, second] = run(&scratch.path().canonicalize()?).await?;
    print!("{second}");
    Ok(())
}
