//! The phases of a step: their declaration, their timing, and the hook by which tests inject faults.

use crate::method::stopwatch::Stopwatch;

/// Declares the phases of a method: `trait Phases`, and the same for [`Watched`] phases.
///
/// The first block lists the phases, which change the state and may fail: `fn name(dt: f64);` stands for
/// `fn name(&mut self, dt: f64) -> Result<(), StepError>`. The second lists what a step asks beside them, with a result:
/// `fn name(dt: f64) -> StepReport;` stands for `fn name(&mut self, dt: f64) -> StepReport`.
#[macro_export]
macro_rules! phases {
    (
        $(#[$of_trait:meta])*
        pub trait $Phases:ident {
            $($(#[$of_phase:meta])* fn $phase:ident($($argument:ident: $type:ty)?);)*
        }
        asked {
            $($(#[$of_ask:meta])* fn $ask:ident($($asked:ident: $asked_type:ty)?) -> $answer:ty;)*
        }
    ) => {
        $(#[$of_trait])*
        pub trait $Phases: $crate::method::phases::Timed {
            $(
                $(#[$of_phase])*
                fn $phase(&mut self $(, $argument: $type)?) -> Result<(), $crate::method::failure::StepError>;
            )*
            $(
                $(#[$of_ask])*
                fn $ask(&mut self $(, $asked: $asked_type)?) -> $answer;
            )*
        }

        impl<P: $Phases, F: FnMut(&mut P, &'static str)> $Phases for $crate::method::phases::Watched<P, F> {
            $(
                fn $phase(&mut self $(, $argument: $type)?) -> Result<(), $crate::method::failure::StepError> {
                    let done = self.phases.$phase($($argument)?);
                    self.after(stringify!($phase));
                    done
                }
            )*
            $(
                fn $ask(&mut self $(, $asked: $asked_type)?) -> $answer {
                    self.phases.$ask($($asked)?)
                }
            )*
        }
    };
}

/// Phases whose time is measured.
pub trait Timed {
    /// What measures it.
    fn stopwatch(&mut self) -> &mut Stopwatch;
}

/// The phases of one step, with the time of each counted from the end of the one before, or from the start of the step.
#[derive(Debug)]
pub struct Watched<P, F> {
    /// The phases.
    pub phases: P,
    /// Called after each phase with its name.
    hook: F,
}

/// The phases of a step that begins now, with `hook` called after each.
pub fn watched<P: Timed, F: FnMut(&mut P, &'static str)>(mut phases: P, hook: F) -> Watched<P, F> {
    phases.stopwatch().start();
    Watched { phases, hook }
}

impl<P: Timed, F: FnMut(&mut P, &'static str)> Watched<P, F> {
    /// A phase is over.
    pub fn after(&mut self, phase: &'static str) {
        self.phases.stopwatch().close(phase);
        (self.hook)(&mut self.phases, phase);
    }
}

impl<P: Timed, F> Timed for Watched<P, F> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        self.phases.stopwatch()
    }
}
