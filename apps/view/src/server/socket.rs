//! One connection: orders in, frames and words out.

use super::{
    Shared,
    hub::{Client, Request},
};
use crate::{
    session::audience::Frames,
    wire::{LONGEST_MESSAGE, Level, Message, Order, Status},
};
use axum::{
    extract::{
        WebSocketUpgrade,
        ws::{self, WebSocket},
    },
    response::Response,
};
use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use tokio::{
    select,
    sync::{broadcast::error::RecvError, watch},
    time::{interval, timeout},
};

/// A connection that takes no message for so long is closed.
const PATIENCE: Duration = Duration::from_secs(20);
/// A page is asked this often whether it is still there, and is gone when nothing is heard of it for so long.
const PING: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(35);
/// Messages a second that a page may send in the long run, and at once.
const RATE: f64 = 200.0;
const BURST: f64 = 400.0;

/// Answers with a connection.
pub(super) fn upgrade(upgrade: WebSocketUpgrade, client: Client, shared: Arc<Shared>) -> Response {
    upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE).on_upgrade(
        move |socket| async move {
            let connection = Connection {
                socket,
                client,
                shared,
                is_ready: false,
                walls: Vec::new(),
                allowance: BURST,
                refilled: Instant::now(),
                heard: Instant::now(),
            };
            // Whoever has gone needs no reason.
            let _ = connection.serve().await;
        },
    )
}

/// Why a connection ends: nothing more can be sent.
struct Gone;

struct Connection {
    socket: WebSocket,
    client: Client,
    shared: Arc<Shared>,
    /// True when the page has drawn the frames that it got.
    is_ready: bool,
    /// Numbers of the walls that it has.
    walls: Vec<u64>,
    allowance: f64,
    refilled: Instant,
    /// When the page was last heard of.
    heard: Instant,
}

impl Connection {
    async fn serve(mut self) -> Result<(), Gone> {
        let hub = Arc::clone(&self.shared.hub);
        let mut frames = changed(&hub.frames);
        let mut status = changed(&hub.status);
        let mut opened = changed(&hub.opened);
        let mut failures = changed(&hub.failures);
        let mut pings = interval(PING);
        let mut clients = hub.clients.subscribe();
        let mut said = hub.said.subscribe();
        self.send(Message::Text(self.shared.hello.as_str().into())).await?;
        loop {
            let is_ready = self.is_ready;
            select! {
                // In this order: who is in control, what the panes are, and what is in them.
                biased;
                message = self.socket.recv() => self.hear(message).await?,
                Ok(()) = async { select! { it = status.changed() => it, it = clients.changed() => it } } => {
                    let (now, n) = (*status.borrow_and_update(), clients.borrow_and_update().len());
                    self.tell(now, n).await?;
                }
                Ok(()) = opened.changed() => {
                    let message = opened.borrow_and_update().clone();
                    self.walls.clear();
                    self.send(message).await?;
                }
                Ok(()) = failures.changed() => {
                    let told = Message::failures(&failures.borrow_and_update());
                    self.send(told).await?;
                }
                _ = pings.tick() => self.ping().await?,
                message = said.recv() => match message {
                    Ok(message) => self.send(message).await?,
                    // A page that reads too slowly misses words, not states.
                    Err(RecvError::Lagged(n)) => self.refuse(&format!("too slow: {n} messages are left out")).await?,
                    Err(RecvError::Closed) => return Err(Gone),
                },
                Ok(()) = frames.changed(), if is_ready => {
                    let newest = Arc::clone(&frames.borrow_and_update());
                    self.show(&newest).await?;
                }
            }
        }
    }

    /// Ends a connection of which nothing is heard any more: it may be the one that controls the runs.
    async fn ping(&mut self) -> Result<(), Gone> {
        if self.heard.elapsed() > SILENCE {
            return Err(Gone);
        }
        self.deliver(ws::Message::Ping(Vec::new().into())).await
    }

    async fn hear(&mut self, message: Option<Result<ws::Message, axum::Error>>) -> Result<(), Gone> {
        self.heard = Instant::now();
        match message {
            Some(Ok(ws::Message::Text(text))) => self.obey(&text).await,
            Some(Ok(ws::Message::Ping(_) | ws::Message::Pong(_))) => Ok(()),
            Some(Ok(ws::Message::Binary(_))) => self.refuse("binary messages are not understood").await,
            Some(Ok(ws::Message::Close(_)) | Err(_)) | None => Err(Gone),
        }
    }

    /// Sends frames, and walls that the page does not have; a page that got none still waits for some.
    async fn show(&mut self, frames: &Frames) -> Result<(), Gone> {
        self.is_ready = frames.fluid.is_empty();
        for message in frames.since(&mut self.walls) {
            self.send(message).await?;
        }
        Ok(())
    }

    /// Does what the page asks, or says why not.
    async fn obey(&mut self, text: &str) -> Result<(), Gone> {
        let now = Instant::now();
        let gained = RATE * now.duration_since(self.refilled).as_secs_f64();
        (self.allowance, self.refilled) = ((self.allowance + gained).min(BURST) - 1.0, now);
        if self.allowance < 0.0 {
            let was_told = self.allowance < -1.0;
            self.allowance = self.allowance.max(-2.0);
            return if was_told { Ok(()) } else { self.refuse("too many messages: some are left out").await };
        }
        match serde_json::from_str(text) {
            Ok(Order::Next {}) => {
                self.is_ready = true;
                self.shared.hub.is_wanted.store(true, Ordering::Relaxed);
                Ok(())
            }
            Ok(_) if !self.client.is_controller() => {
                self.refuse("only the connection that came first controls the runs; this one watches").await
            }
            Ok(order) => match self.shared.ask(Request::Order(order)) {
                true => Ok(()),
                false => self.refuse("the runs are busy: left out").await,
            },
            Err(error) => self.refuse(&format!("message: {error}")).await,
        }
    }

    async fn tell(&mut self, status: Status, clients: usize) -> Result<(), Gone> {
        self.send(Message::state(status, self.client.is_controller(), clients.saturating_sub(1))).await
    }

    async fn refuse(&mut self, why: &str) -> Result<(), Gone> {
        self.send(Message::said(Level::Error, None, None, why)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match message {
            Message::Text(text) => self.deliver(ws::Message::text(&*text)).await,
            Message::Binary(bytes) => self.deliver(ws::Message::binary(bytes.to_vec())).await,
            Message::Several(messages) => {
                for message in messages.iter() {
                    Box::pin(self.send(message.clone())).await?;
                }
                Ok(())
            }
        }
    }

    async fn deliver(&mut self, message: ws::Message) -> Result<(), Gone> {
        match timeout(PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}

/// What a connection that has come now has not seen yet.
fn changed<T>(sender: &watch::Sender<T>) -> watch::Receiver<T> {
    let mut receiver = sender.subscribe();
    receiver.mark_changed();
    receiver
}
