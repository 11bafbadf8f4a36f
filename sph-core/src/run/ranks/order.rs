//! What the first rank wants the others to do, and what their steps have come to.

use super::wire::{Reader, put, put_all};
use crate::{
    Real,
    method::failure::{Cause, Lost, StepError},
    neighbors::TooManyCells,
};

/// What all ranks do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Order<const D: usize> {
    /// A step.
    Step(Step<D>),
    /// Each takes a state, which follows for it alone.
    Load,
    /// Each gives its particles.
    Fetch,
    /// Each gives the particles that the penetration monitor looks for, by its words.
    Find(Vec<u64>),
    /// Each gives the particles near some places of measures, with fields of the method.
    Pick { places: u32, fields: Vec<String> },
    /// Each finds a new cut of the cells, the same on all; particles go over in the next step.
    Cut,
    /// A parameter gets another value, in the words of a scene.
    Set { name: String, value: String },
    /// The run is over.
    End,
}

/// A step, with what may have changed since the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<const D: usize> {
    /// Its size and the time before it, `[s]`.
    pub dt: f64,
    pub t: f64,
    /// Its number.
    pub step: u64,
    /// Whether the loads on walls are read after it.
    pub loads_due: bool,
    /// `[m/s²]`.
    pub gravity: [Real; D],
}

impl<const D: usize> Order<D> {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Step(Step { dt, t, step, loads_due, gravity }) => {
                put(&mut bytes, &[0, *step, u64::from(*loads_due)]);
                put(&mut bytes, &[*dt, *t]);
                put(&mut bytes, gravity);
            }
            Self::Load => put(&mut bytes, &[1_u64]),
            Self::Fetch => put(&mut bytes, &[2_u64]),
            Self::Set { name, value } => {
                put(&mut bytes, &[3_u64]);
                put_all(&mut bytes, name.as_bytes());
                put_all(&mut bytes, value.as_bytes());
            }
            Self::End => put(&mut bytes, &[4_u64]),
            Self::Cut => put(&mut bytes, &[7_u64]),
            Self::Find(words) => {
                put(&mut bytes, &[5_u64]);
                put_all(&mut bytes, words);
            }
            Self::Pick { places, fields } => {
                put(&mut bytes, &[6_u64, u64::from(*places)]);
                fields.iter().for_each(|name| put_all(&mut bytes, name.as_bytes()));
            }
        }
        bytes
    }

    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        Some(match reader.one::<u64>()? {
            0 => {
                let (step, loads_due) = (reader.one()?, reader.one::<u64>()? != 0);
                let (dt, t, mut gravity) = (reader.one()?, reader.one()?, [0.0; D]);
                for g in &mut gravity {
                    *g = reader.one()?;
                }
                Self::Step(Step { dt, t, step, loads_due, gravity })
            }
            1 => Self::Load,
            2 => Self::Fetch,
            3 => Self::Set { name: text(&mut reader)?, value: text(&mut reader)? },
            4 => Self::End,
            5 => Self::Find(reader.all()?),
            6 => {
                let (places, mut fields) = (reader.one::<u64>()? as u32, Vec::new());
                while !reader.is_empty() {
                    fields.push(text(&mut reader)?);
                }
                Self::Pick { places, fields }
            }
            7 => Self::Cut,
            _ => return None,
        })
    }
}

/// What a step has come to on a rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Particles that it owns after it.
    pub particles: usize,
    /// Phase, particle and cause where it has failed.
    pub failure: Option<(&'static str, Option<u64>, Cause)>,
}

impl Outcome {
    /// That of a step with its result.
    pub fn of<T>(particles: usize, done: &Result<T, StepError>) -> Self {
        let failure = done.as_ref().err().map(|error| (error.phase, error.particle, error.cause.clone()));
        Self { particles, failure }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, &[self.particles as u64]);
        let Some((phase, particle, cause)) = &self.failure else { return bytes };
        let (kind, field) = match cause {
            Cause::NotFinite { field } => (1, *field),
            Cause::Escaped => (2, ""),
            Cause::Rank(lost) if !matches!(lost, Lost::Silent(..)) => (3, ""),
            Cause::Neighbors(_) => (4, ""),
            _ => (0, ""),
        };
        put(&mut bytes, &[kind, particle.unwrap_or(u64::MAX)]);
        [*phase, field, &cause.to_string()].iter().for_each(|text| put_all(&mut bytes, text.as_bytes()));
        if let Cause::Neighbors(TooManyCells { cells, points }) = cause {
            put(&mut bytes, &[*cells]);
            put(&mut bytes, &[*points as u64]);
        }
        bytes
    }

    /// That of another rank.
    pub fn of_bytes(bytes: &[u8], rank: usize) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let particles = reader.one::<u64>()? as usize;
        let Some(kind) = reader.one::<u64>() else { return Some(Self { particles, failure: None }) };
        let particle = Some(reader.one::<u64>()?).filter(|id| *id != u64::MAX);
        // A run ends with its first failure, or after a few: what they name may stay in memory.
        let mut name = || text(&mut reader).map(|text| &*text.leak());
        let (phase, field, text) = (name()?, name()?, name()?);
        let cause = match kind {
            1 => Cause::NotFinite { field },
            2 => Cause::Escaped,
            3 => Cause::Rank(Lost::Failed(rank)),
            4 => {
                Cause::Neighbors(TooManyCells { cells: reader.one()?, points: reader.one::<u64>()? as usize })
            }
            _ => Cause::Rank(Lost::Broken(rank, text)),
        };
        Some(Self { particles, failure: Some((phase, particle, cause)) })
    }
}

fn text(reader: &mut Reader<'_>) -> Option<String> {
    String::from_utf8(reader.all()?).ok()
}
