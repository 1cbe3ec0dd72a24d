//! A real server on loopback that does what a [`Script`] says, a thread a connection.

use super::url_script::{Answer, Asked, Body, Reply, Script};
use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// A server that lives until it is dropped.
pub struct Server {
    address: SocketAddr,
    over: Arc<AtomicBool>,
}

/// One side of a connection.
pub trait Talk: Read + Write {}
impl<T: Read + Write> Talk for T {}

/// What a connection is wrapped in before the first byte: TLS, or nothing.
pub type Wrap = dyn Fn(TcpStream) -> io::Result<Box<dyn Talk>> + Send + Sync;

impl Server {
    /// A server in plain text.
    ///
    /// # Errors
    /// Where the system gives no port.
    pub fn start(script: &Arc<Script>) -> io::Result<Self> {
        Self::wrapped(script, Arc::new(|stream| Ok(Box::new(stream))))
    }

    /// A server of which each connection is wrapped.
    ///
    /// # Errors
    /// Where the system gives no port.
    pub fn wrapped(script: &Arc<Script>, wrap: Arc<Wrap>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let over = Arc::new(AtomicBool::new(false));
        let (script, ends) = (Arc::clone(script), Arc::clone(&over));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::Acquire) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (script, wrap) = (Arc::clone(&script), Arc::clone(&wrap));
                script.open.send_modify(|open| *open += 1);
                thread::spawn(move || {
                    // A client that goes away is what some scripts are about.
                    let _ = serve(&script, stream, &*wrap);
                    script.open.send_modify(|open| *open -= 1);
                });
            }
        });
        Ok(Self { address, over })
    }

    /// Its port on loopback.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.address.port()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // Wakes the one who accepts.
        let _ = TcpStream::connect(self.address);
    }
}

/// Nobody waits longer for a client that neither speaks nor leaves.
const PATIENCE: Duration = Duration::from_secs(60);
const DRIP: Duration = Duration::from_millis(5);

fn serve(script: &Script, stream: TcpStream, wrap: &Wrap) -> io::Result<()> {
    let raw = stream.try_clone()?;
    raw.set_read_timeout(Some(PATIENCE))?;
    raw.set_nodelay(true)?;
    let mut client = wrap(stream)?;
    let Some(asked) = request(&mut *client)? else { return Ok(()) };
    match script.reply(asked) {
        Reply::Silence => until_closed(&mut *client),
        Reply::HangUp => Ok(()),
        Reply::Noise => client.write_all(b"SSH-2.0-told\r\n"),
        Reply::Answer(answer) => {
            client.write_all(head(&answer).as_bytes())?;
            body(script, &raw, &mut *client, &answer.body)?;
            client.flush()
        }
    }
}

/// The longest request that is read.
const REQUEST_BYTES: usize = 64 * 1024;

fn request(client: &mut dyn Talk) -> io::Result<Option<Asked>> {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(b"\r\n\r\n") {
        if text.len() == REQUEST_BYTES || client.read(&mut byte)? == 0 {
            return Ok(None);
        }
        text.push(byte[0]);
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut lines = text.lines();
    let line = lines.next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    Ok(Some(Asked { line, headers: lines.filter_map(header).collect() }))
}

fn head(answer: &Answer) -> String {
    let mut head = format!("HTTP/1.1 {} \r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = match &answer.body {
        // These two never have a body, nor a length.
        Body::Whole(_) if matches!(answer.status, 204 | 304) => None,
        Body::Whole(bytes) => Some(bytes.len() as u64),
        Body::Announced(length, _) | Body::Endless(Some(length)) => Some(*length),
        Body::Stalls => Some(10),
        Body::Chunked(_) | Body::BrokenOff(_) | Body::Endless(None) | Body::Drips => {
            // A test that says how a body is coded says it alone.
            if !answer.headers.iter().any(|(name, _)| name == "transfer-encoding") {
                head.push_str("transfer-encoding: chunked\r\n");
            }
            None
        }
        Body::UntilClosed(_) => None,
    };
    if let Some(length) = length {
        head.push_str(&format!("content-length: {length}\r\n"));
    }
    head + "\r\n"
}

fn body(script: &Script, raw: &TcpStream, client: &mut dyn Talk, body: &Body) -> io::Result<()> {
    match body {
        Body::Whole(bytes) | Body::UntilClosed(bytes) | Body::Announced(_, bytes) => {
            client.write_all(bytes)
        }
        Body::Chunked(bytes) => {
            chunks(client, bytes)?;
            client.write_all(b"0\r\n\r\n")
        }
        Body::BrokenOff(bytes) => chunks(client, bytes),
        Body::Stalls => until_closed(client),
        Body::Drips => drip(raw, client),
        Body::Endless(length) => loop {
            let block = [b'a'; 16 * 1024];
            if length.is_some() {
                client.write_all(&block)?;
            } else {
                chunks(client, &block)?;
            }
            script.sent.fetch_add(block.len() as u64, Ordering::Relaxed);
        },
    }
}

fn chunks(client: &mut dyn Talk, bytes: &[u8]) -> io::Result<()> {
    for part in bytes.chunks(16 * 1024) {
        client.write_all(format!("{:x}\r\n", part.len()).as_bytes())?;
        client.write_all(part)?;
        client.write_all(b"\r\n")?;
    }
    Ok(())
}

/// Waits for the client to go.
fn until_closed(client: &mut dyn Talk) -> io::Result<()> {
    client.flush()?;
    while client.read(&mut [0; 64])? > 0 {}
    Ok(())
}

/// The wait between two drops is a look for the client's end.
fn drip(raw: &TcpStream, client: &mut dyn Talk) -> io::Result<()> {
    raw.set_read_timeout(Some(DRIP))?;
    loop {
        chunks(client, b"a")?;
        match client.read(&mut [0; 64]) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {}
                _ => return Err(error),
            },
        }
    }
}
