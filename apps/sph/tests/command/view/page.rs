//! A page that is served, and connections to it.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tungstenite::{Message, WebSocket};

/// A message that does not come in this time never comes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that serves the page on a free port.
pub struct Page {
    pub child: Child,
    pub address: SocketAddr,
    /// With its question mark, if the page has one.
    pub query: String,
}

impl Page {
    pub fn serve(more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sph"));
        command.args(["view", "--port", "0", "--threads", "2"]).args(more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (address, query) = line.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        Self { child, address: address.parse().unwrap(), query: query.to_owned() }
    }

    pub fn connect(&self) -> Connection {
        self.try_connect(&self.address.to_string()).unwrap()
    }

    /// Connects for a page of an origin.
    pub fn try_connect(&self, origin: &str) -> Result<Connection, Box<tungstenite::Error>> {
        let stream = self.stream();
        let request = tungstenite::http::Request::builder()
            .uri(format!("ws://{}/ws{}", self.address, self.query))
            .header("Host", self.address.to_string())
            .header("Origin", format!("http://{origin}"))
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key());
        let joined = tungstenite::client(request.body(()).unwrap(), stream);
        let (socket, _) = joined.map_err(|error| match error {
            tungstenite::HandshakeError::Failure(error) => Box::new(error),
            tungstenite::HandshakeError::Interrupted(_) => panic!("the page does not answer"),
        })?;
        let mut connection =
            Connection { socket, hello: Value::Null, words: Vec::new(), headers: Vec::new() };
        connection.hello = connection.hear("hello");
        connection.hear("opened"); // by someone else, or nothing yet
        Ok(connection)
    }

    pub fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Status and body of an answer to these bytes; nothing where the connection was closed instead.
    pub fn ask(&self, request: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = self.stream();
        // A server that has heard enough may close before the end.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let head = answer.windows(4).position(|four| four == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
        let first = String::from_utf8_lossy(&answer[..head]);
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, answer.split_off(head))
    }

    pub fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.ask(
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).as_bytes(),
        )
    }

    /// What the page downloads.
    pub fn save(&self, what: &str, pane: usize) -> Vec<u8> {
        let joint = if self.query.is_empty() { "?" } else { "&" };
        let (status, body) = self.get(&format!("/save/{what}{}{joint}pane={pane}", self.query));
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        body
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Connection {
    pub socket: WebSocket<TcpStream>,
    pub hello: Value,
    /// What was refused or warned of while something else was waited for.
    words: Vec<String>,
    /// Headers of packets, likewise.
    headers: Vec<Value>,
}

impl Connection {
    pub fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// The next message of a kind; of the others, words and headers are kept.
    pub fn hear(&mut self, kind: &str) -> Value {
        loop {
            match self.socket.read().unwrap() {
                Message::Text(text) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    if message["is"] == kind {
                        return message;
                    }
                    if message["is"] == "said" {
                        self.words.push(message["text"].as_str().unwrap().to_owned());
                    }
                }
                Message::Binary(bytes) => self.headers.push(parts(&bytes).0),
                Message::Close(_) => panic!("the page has closed the connection before {kind}"),
                _ => {}
            }
        }
    }

    /// The next packet of a kind.
    pub fn packet(&mut self, kind: &str) -> (Value, Vec<u16>) {
        loop {
            if let Message::Binary(bytes) = self.socket.read().unwrap() {
                let (header, numbers) = parts(&bytes);
                if header["kind"] == kind {
                    return (header, numbers);
                }
            }
        }
    }

    /// The headers of the packets so far that were not waited for.
    pub fn packets(&mut self, kind: &str) -> Vec<Value> {
        let all = std::mem::take(&mut self.headers);
        all.into_iter().filter(|header| header["kind"] == kind).collect()
    }

    /// What has been refused or warned of.
    pub fn said(&mut self) -> Vec<String> {
        // An answer to this comes after all that was asked before.
        self.say(json!({ "do": "inspect", "pane": 99 }));
        loop {
            let text = self.hear("said")["text"].as_str().unwrap().to_owned();
            if text.contains("pane = 99") {
                return std::mem::take(&mut self.words);
            }
            self.words.push(text);
        }
    }
}

fn parts(bytes: &[u8]) -> (Value, Vec<u16>) {
    let length = u32::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    assert_eq!((4 + length) % 8, 0);
    let header = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    let numbers =
        bytes[4 + length..].chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    (header, numbers)
}
