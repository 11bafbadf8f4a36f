//! What page and program say to each other.
//!
//! Text messages are JSON. The page names what it wants in `do`; the program names what it tells in `is`. Particles come as
//! binary messages: the length of a header as `u32`, the header as JSON padded with spaces to a multiple of eight bytes, and
//! numbers of 16 bit, all little-endian.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use std::{ops::RangeInclusive, sync::Arc};

/// The longest message that the page may send, `[B]`: that of a scene file, and room for its escapes.
pub const LONGEST_MESSAGE: usize = 2 << 20;
/// How many panes there may be.
pub const PANES: RangeInclusive<usize> = 1..=4;
/// Speeds that may be asked for, simulated over wall-clock time, `[-]`.
pub const SPEEDS: RangeInclusive<f64> = 1e-4..=100.0;
/// Stands for what is no number.
const NONE: u16 = u16::MAX;

/// What the page wants. Those without a value have braces, so that a key too much is refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Other runs in all panes.
    Open {
        /// One for each pane.
        panes: Vec<Wanted>,
    },
    /// Steps, until told otherwise.
    Play {},
    /// No more steps.
    Pause {},
    /// One step in each pane.
    Step {},
    /// All panes from their start.
    Reset {},
    /// As fast as this, if the machine can.
    Speed {
        /// Simulated over wall-clock time, `[-]`.
        factor: f64,
    },
    /// Back to the newest moment that is kept and no later than this.
    Rewind {
        /// Simulated time, `[s]`.
        t: f64,
    },
    /// Something done to runs between two steps.
    Command {
        /// One pane, or all.
        #[serde(default)]
        pane: Option<usize>,
        /// As a script has it.
        command: Value,
    },
    /// What frames show: the field that colors the particles, and velocities.
    Show {
        /// The pane.
        pane: usize,
        /// Name of the field.
        field: String,
        /// Lower end of the colors; automatic if left out.
        #[serde(default)]
        low: Option<f64>,
        /// Upper end.
        #[serde(default)]
        high: Option<f64>,
        /// Sends velocities, too.
        #[serde(default)]
        vectors: bool,
    },
    /// The particle to tell about, or none.
    Inspect {
        /// The pane.
        pane: usize,
        /// Its id.
        #[serde(default)]
        id: Option<u64>,
    },
    /// The same of the particle nearest to a place.
    Pick {
        /// The pane.
        pane: usize,
        /// The place, `[m]`.
        x: Vec<f64>,
    },
    /// One step, recorded phase by phase.
    Phases {
        /// The pane.
        pane: usize,
    },
    /// Ready for the next frames: of the connection, not of the runs.
    Next {},
}

/// The run of a pane.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Name of a scene that comes with the program, or of a text.
    pub scene: String,
    /// The text, TOML.
    #[serde(default)]
    pub text: Option<String>,
    /// Other values at keys, as `KEY=VALUE`.
    #[serde(default)]
    pub set: Vec<String>,
    /// Where its steps run, by one of the names that the program gives; the first of them if left out.
    #[serde(default)]
    pub backend: Option<String>,
    /// Left out if it is refused, and the others are opened.
    #[serde(default)]
    pub optional: bool,
}

/// How important what is said is.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Something was refused.
    Error,
    /// Something is doubtful, or has ended.
    Warning,
}

/// A message to the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// JSON.
    Text(Arc<str>),
    /// Particles.
    Binary(Arc<[u8]>),
    /// What a page gets whole or not at all.
    Several(Arc<[Message]>),
}

impl Message {
    /// A text message.
    pub fn text(value: &Value) -> Self {
        Self::Text(value.to_string().into())
    }

    /// What the panes are.
    pub fn opened(panes: &[Value]) -> Self {
        Self::text(&json!({ "is": "opened", "panes": panes }))
    }

    /// Whether the runs go on, told to a page that controls them or not, beside so many others.
    pub fn state(status: Status, is_controller: bool, watchers: usize) -> Self {
        let mut told = json!(status);
        told["is"] = "state".into();
        told["controller"] = is_controller.into();
        told["watchers"] = watchers.into();
        Self::text(&told)
    }

    /// The diagnosis of each pane that has failed.
    pub fn failures(panes: &[Option<String>]) -> Self {
        Self::text(&json!({ "is": "failures", "panes": panes }))
    }

    /// Words for people, about a pane and a line of its scene if they are known.
    pub fn said(level: Level, pane: Option<usize>, line: Option<usize>, text: &str) -> Self {
        Self::text(&json!({ "is": "said", "level": level, "pane": pane, "line": line, "text": text }))
    }
}

/// What helps against too many particles; where there is a command line, its option does, too.
pub fn by_option(other: &str) -> String {
    if cfg!(feature = "server") { format!("{other}, or give --most-particles") } else { other.to_owned() }
}

/// Whether the runs go on, and where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// True while they step.
    pub running: bool,
    /// The speed that is asked for, `[-]`.
    pub speed: f64,
    /// The earliest time to go back to, `[s]`.
    pub kept_from: f64,
    /// Simulated time, `[s]`.
    pub t: f64,
}

/// An interval of a number, or of each coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        [self.low, self.high].serialize(to)
    }
}

impl Interval {
    /// That which holds nothing.
    pub const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// The same, with another finite number in it.
    #[must_use]
    pub fn with(self, x: f64) -> Self {
        if x.is_finite() { Self { low: self.low.min(x), high: self.high.max(x) } } else { self }
    }

    /// That of the finite ones among some numbers; from 0 to 1 if there are none.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let found = values.fold(Self::EMPTY, Self::with);
        if found.low > found.high { Self { low: 0.0, high: 1.0 } } else { found }
    }

    /// `x` as one of 65 535 places from end to end; beyond an end it is there.
    fn place(self, x: f64) -> u16 {
        let part = (x - self.low) / (self.high - self.low).max(f64::MIN_POSITIVE);
        if part.is_nan() { NONE } else { (part.clamp(0.0, 1.0) * f64::from(NONE - 1)).round() as u16 }
    }
}

/// A binary message that grows.
#[derive(Debug)]
pub struct Packet(Vec<u8>);

impl Packet {
    /// One with this header.
    pub fn new(header: &Value) -> Self {
        let mut text = header.to_string().into_bytes();
        text.resize((text.len() + 4).next_multiple_of(8) - 4, b' ');
        let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
        bytes.append(&mut text);
        Self(bytes)
    }

    /// Adds points, one array an axis, particle after particle.
    #[must_use]
    pub fn points<const D: usize, R: Copy + Into<f64>>(
        mut self,
        x: &[Vec<R>; D],
        bounds: &[Interval; D],
    ) -> Self {
        self.0.reserve(2 * D * x[0].len());
        for i in 0..x[0].len() {
            for a in 0..D {
                self.0.extend(bounds[a].place(x[a][i].into()).to_le_bytes());
            }
        }
        self
    }

    /// Adds values.
    #[must_use]
    pub fn values(mut self, values: impl Iterator<Item = f64>, range: Interval) -> Self {
        self.0.extend(values.flat_map(|value| range.place(value).to_le_bytes()));
        self
    }

    /// The message.
    pub fn bytes(self) -> Arc<[u8]> {
        self.0.into()
    }
}
