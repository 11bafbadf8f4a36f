//! Requests and frames that no page sends: none stops the runs, or changes a bit of them.

use super::{
    page::{Connection, Page},
    repeated,
};
use crate::cli::folder;
use serde::Deserialize;
use serde_json::json;
use std::{
    io::{ErrorKind, Write},
    iter,
    net::TcpStream,
};
use tungstenite::Message;

/// Memory that all of it together may cost, `[B]`.
const MEMORY: u64 = 100 << 20;

#[derive(Deserialize)]
struct Table {
    request: Vec<Requests>,
    message: Vec<Messages>,
}

/// Requests with the same headers, and the status that answers each.
#[derive(Deserialize)]
struct Requests {
    status: u16,
    lines: Vec<String>,
    headers: String,
}

/// Messages, and words of what refuses each.
#[derive(Deserialize)]
struct Messages {
    said: String,
    texts: Vec<String>,
}

fn table(address: &str) -> Table {
    let text = include_str!("hostile.toml").replace("ADDRESS", address).replace("LONG", &"a".repeat(100_000));
    let text = text.replace("WIDE", "x: y\\r\\n".repeat(5000).trim_end_matches("\\r\\n"));
    let text = text.replace("DEEP", &format!("{}{}", "[".repeat(5000), "]".repeat(5000)));
    toml::from_str(&text.replace("TEXT", &"# long ".repeat(160_000))).unwrap()
}

fn resident(page: &Page) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", page.child.id())).unwrap_or_default();
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    1024 * kib.unwrap_or(0)
}

#[test]
fn hostile_requests_neither_stop_the_runs_nor_change_them() {
    let (page, folder) = (Page::serve(&["--most-particles", "50000"]), folder("view-hostile"));
    let mut controller = page.connect();
    controller.say(json!({ "do": "open", "panes": [{ "scene": "square" }] }));
    controller.hear("opened");
    controller.say(json!({ "do": "step" }));
    controller.said();
    let before = resident(&page);

    // Half-open connections that never ask, and one that stops in the middle of its request.
    let mut idle: Vec<TcpStream> = (0..20).map(|_| page.stream()).collect();
    idle.iter_mut().for_each(|stream| stream.write_all(b"GET / HT").unwrap());
    let table = table(&page.address.to_string());
    let mut tries = 0;
    for Requests { status, lines, headers } in &table.request {
        for line in lines {
            let request = format!("{line}\r\n{headers}\r\nConnection: close\r\n\r\n");
            let (answered, body) = page.ask(request.as_bytes());
            let body = String::from_utf8_lossy(&body);
            assert_eq!(answered, *status, "{}\n{body}", request.chars().take(200).collect::<String>());
            assert!(!body.contains("root:"), "{line}");
            tries += 1;
        }
    }
    for Messages { said, texts } in &table.message {
        for text in texts {
            controller.socket.send(Message::text(text)).unwrap();
            let answer = controller.hear("said")["text"].as_str().unwrap().to_owned();
            assert!(answer.contains(said), "{}: {answer}", text.chars().take(200).collect::<String>());
            controller.said();
            tries += 1;
        }
    }
    controller.socket.send(Message::binary(vec![0; 1000])).unwrap();
    assert!(controller.hear("said")["text"].as_str().unwrap().contains("binary messages"));
    assert!(tries >= 80, "{tries}");
    hundred_connections(&page);
    flood(&page);
    assert!(resident(&page) < before + MEMORY, "{before} -> {}", resident(&page));

    // The run is where it was, and goes on.
    (0..5).for_each(|_| controller.say(json!({ "do": "step" })));
    controller.said();
    assert_eq!(repeated(&page, 0, &folder).0, 6);
}

/// A hundred connections: as many as there may be are let in, and none of them controls the run.
fn hundred_connections(page: &Page) {
    let own = page.address.to_string();
    let all: Vec<_> = (0..100).map(|_| page.try_connect(&own)).collect();
    assert_eq!(all.iter().filter(|joined| joined.is_ok()).count(), 63);
    assert!(page.try_connect("evil.example").is_err());
    let mut watchers: Vec<_> = all.into_iter().flatten().collect();
    // Whoever never reads misses what is said; here all but one.
    let one = watchers.last_mut().unwrap();
    one.say(json!({ "do": "play" }));
    assert!(one.hear("said")["text"].as_str().unwrap().contains("this one watches"));
    one.socket.get_mut().write_all(&[0xff; 64]).unwrap(); // no frame of this protocol
    assert!(ends(one), "nonsense was not answered by the end of the connection");
}

/// Ten thousand orders at once, of which few are taken, and a message that is too long, which ends the connection.
fn flood(page: &Page) {
    // As soon as one of the hundred has left.
    let own = page.address.to_string();
    let mut watcher = iter::repeat_with(|| page.try_connect(&own)).find_map(Result::ok).unwrap();
    for _ in 0..10_000 {
        watcher.say(json!({ "do": "next" }));
    }
    assert!(watcher.hear("said")["text"].as_str().unwrap().contains("too many messages"));
    let mut long = page.connect();
    let _ = long.socket.send(Message::text("x".repeat(3 << 20)));
    assert!(ends(&mut long), "a message of 3 MiB was taken");
}

/// Whether the page ends a connection, and not only says nothing more.
fn ends(connection: &mut Connection) -> bool {
    loop {
        match connection.socket.read() {
            Ok(_) => {}
            Err(tungstenite::Error::Io(error)) => return error.kind() != ErrorKind::WouldBlock,
            Err(_) => return true,
        }
    }
}

#[test]
fn elsewhere_the_page_wants_its_token() {
    let page = Page::serve(&["--listen", "0.0.0.0"]);
    assert_eq!(page.query.len(), "?token=".len() + 32);
    for path in ["/", "/ws", "/save/scene?pane=0", "/?token=", "/?token=00000000000000000000000000000000"] {
        assert_eq!(page.get(path).0, 403, "{path}");
    }
    assert_eq!(page.get(&format!("/{}", page.query)).0, 200);
    let mut connection = page.connect();
    connection.say(json!({ "do": "open", "panes": [{ "scene": "square" }] }));
    connection.hear("opened");
    assert!(String::from_utf8(page.save("scene", 0)).unwrap().contains("spacing = 0.02"));
}
