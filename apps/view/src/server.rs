//! The page over HTTP: its files, its connection, and what it downloads.

mod files;
mod hub;
mod socket;

use crate::wire::Wanted;
use crate::{
    hello,
    scenes::Scenes,
    session::{Session, audience::Saved},
};
use axum::{
    Router,
    body::Body,
    extract::{Path, Query, Request as HttpRequest, State, WebSocketUpgrade},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use bench_suite::system::processor::Processor;
use hub::{FRAME, Hub, QUEUE, Request};
use serde::Deserialize;
use sph_core::{error::Error, scene::Scene};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, SyncSender},
    },
    thread,
    time::Duration,
};
use tokio::{net::TcpListener, sync::oneshot, time::timeout};

/// A download that the runs do not answer in this time is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where and how the page is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Scenes beside those that come with the program; the first one is shown first.
    pub scenes: Vec<PathBuf>,
    /// Other values at keys of the scene that is shown first, as `KEY=VALUE`.
    pub set: Vec<String>,
    /// Address and port; port 0 for any that is free.
    pub address: SocketAddr,
    /// Must stand in every address, if there is one.
    pub token: Option<String>,
    /// Particles of a pane, at most.
    pub most_particles: usize,
    /// Where steps may run; the first unless a pane asks for another.
    pub processors: Vec<Processor>,
}

impl Options {
    /// The scene that is opened first.
    ///
    /// # Errors
    /// What is wrong with it, or with what is set in it.
    pub fn first_scene(&self) -> Result<Scene, Error> {
        let scenes = Scenes::with(&self.scenes);
        let scene = scenes.first().unwrap_or_default().to_owned();
        let wanted = Wanted { scene, text: None, set: self.set.clone(), backend: None, optional: false };
        scenes.scene(&wanted).map(|(scene, _, _)| scene)
    }
}

/// Serves the page until `end` becomes true; `ready` is called once with its address.
///
/// # Errors
/// When the address cannot be had, or the system fails to take connections.
pub fn serve(options: Options, ready: impl FnOnce(&str), end: &AtomicBool) -> io::Result<()> {
    let listener = std::net::TcpListener::bind(options.address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let (to_runs, requests) = mpsc::sync_channel(QUEUE);
    let hub = Arc::new(Hub::new());
    let scenes = Scenes::with(&options.scenes);
    let hello = hello(&scenes, &options.set, &options.processors, options.most_particles).to_string();
    let query = options.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
    let shared = Shared { hub: Arc::clone(&hub), requests: to_runs, hello, token: options.token, address };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let connections =
        move || runtime.block_on(async { listen(TcpListener::from_std(listener)?, Arc::new(shared)).await });
    let connections = thread::Builder::new().name("connections".into()).spawn(connections)?;
    let shown = if address.ip().is_unspecified() {
        SocketAddr::new(local(address.ip()), address.port())
    } else {
        address
    };
    ready(&format!("http://{shown}/{query}"));
    let mut session = Session::new(Box::new(hub), scenes, options.processors, options.most_particles, FRAME);
    hub::run(&mut session, &requests, end);
    if end.load(Ordering::Relaxed) {
        return Ok(());
    }
    // Nobody can ask any more.
    connections.join().unwrap_or_else(|_| Err(io::Error::other("the server has ended")))
}

/// The address of this machine for itself, in place of one that stands for all of its addresses.
fn local(any: IpAddr) -> IpAddr {
    if any.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() }
}

/// What all connections share.
struct Shared {
    /// What the runs tell.
    pub hub: Arc<Hub>,
    /// What they are asked.
    pub requests: SyncSender<Request>,
    /// The first message to the page.
    pub hello: String,
    /// Must stand in every address, where the page is served to other machines.
    pub token: Option<String>,
    /// Where the page is served.
    pub address: SocketAddr,
}

/// Serves the page, as long as the program lives.
async fn listen(listener: TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let router = Router::new()
        .route("/", get(|| async { files::index() }))
        .route("/page/{*name}", get(|Path(name): Path<String>| async move { files::file(&name) }))
        .route("/save/{what}", get(save))
        .route("/ws", any(connect))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared);
    axum::serve(listener, router).await
}

/// Lets in what this page's own address leads to. A page of another origin must not reach a program on this machine, be it by
/// a name that resolves to it: so the host of the address is checked, and the origin of whoever asks.
async fn guard(State(shared): State<Arc<Shared>>, request: HttpRequest, next: Next) -> Response {
    let refused = |status: StatusCode, why: &str| (status, format!("{why}\n")).into_response();
    if request.method() != Method::GET {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered");
    }
    let headers = request.headers();
    let Some(host) = text(headers, header::HOST).filter(|host| shared.answers_to(host)) else {
        return refused(StatusCode::FORBIDDEN, "the host of the address is not this page's");
    };
    if text(headers, header::ORIGIN).is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
        return refused(StatusCode::FORBIDDEN, "another page asks");
    }
    // Scripts and styles are no secret, and are named without the token.
    if !request.uri().path().starts_with("/page/") && !shared.is_known(request.uri()) {
        return refused(StatusCode::FORBIDDEN, "the token is missing from the address, or another one");
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

impl Shared {
    /// Asks the runs. False when too much waits already.
    fn ask(&self, request: Request) -> bool {
        self.requests.try_send(request).is_ok()
    }

    /// On this machine by its own address and names alone. Elsewhere the token protects the page.
    fn answers_to(&self, host: &str) -> bool {
        let port = self.address.port();
        let names = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        // The port of every address without one.
        let is_plain = |name: &String| port == 80 && name.strip_suffix(":80") == Some(host);
        let own =
            names.into_iter().chain([self.address.to_string()]).any(|name| name == host || is_plain(&name));
        self.token.is_some() || own
    }

    fn is_known(&self, uri: &Uri) -> bool {
        let given =
            uri.query().and_then(|query| query.split('&').find_map(|part| part.strip_prefix("token=")));
        self.token.as_deref().is_none_or(|token| given.is_some_and(|given| is_equal(token, given)))
    }
}

/// Takes as long for any text of the same length.
fn is_equal(one: &str, two: &str) -> bool {
    one.len() == two.len() && one.bytes().zip(two.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

async fn connect(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Some(client) = shared.hub.enter() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "there are too many connections\n").into_response();
    };
    socket::upgrade(upgrade, client, shared)
}

/// The pane of a download.
#[derive(Deserialize)]
struct Of {
    #[serde(default)]
    pane: usize,
}

async fn save(State(shared): State<Arc<Shared>>, Path(what): Path<Saved>, Query(of): Query<Of>) -> Response {
    let (to, answer) = oneshot::channel();
    let busy = || (StatusCode::SERVICE_UNAVAILABLE, "the runs do not answer\n".to_owned()).into_response();
    if !shared.ask(Request::Save { what, pane: of.pane, to }) {
        return busy();
    }
    let saved = match timeout(PATIENCE, answer).await {
        Ok(Ok(saved)) => saved,
        _ => return busy(),
    };
    let (name, kind) = match what {
        Saved::Scene => ("scene.toml", "application/toml"),
        Saved::Script => ("script.toml", "application/toml"),
        Saved::Checkpoint => ("checkpoint.sph", "application/octet-stream"),
    };
    match saved {
        Ok(bytes) => {
            let attachment = format!("attachment; filename=\"{name}\"");
            (
                [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, attachment)],
                Body::from(bytes),
            )
                .into_response()
        }
        Err(why) => (StatusCode::BAD_REQUEST, format!("{why}\n")).into_response(),
    }
}
