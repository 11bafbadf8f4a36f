//! A run of a method whose steps are done elsewhere: what it leaves to the method.

/// The parts of a [`Solver`](crate::method::solver::Solver) that a run leaves to its method, which `run => run.method` shows;
/// `D` and `Real` are in scope.
#[macro_export]
macro_rules! left_to_the_method {
    ($run:ident => $method:expr) => {
        fn name(&self) -> &'static str {
            let $run = self;
            Solver::name(&$method)
        }

        fn support_radius(&self) -> Real {
            let $run = self;
            Solver::support_radius(&$method)
        }

        fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
            let $run = self;
            Solver::max_dt(&mut $method, state)
        }

        fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<$crate::method::solver::Link<'a>> {
            let $run = self;
            Solver::chain(&$method, state)
        }

        fn sound_speed(&self) -> Option<f64> {
            let $run = self;
            Solver::sound_speed(&$method)
        }

        fn substeps(&self) -> u32 {
            let $run = self;
            Solver::substeps(&$method)
        }

        fn field(&self, name: &str) -> Option<&[Real]> {
            let $run = self;
            Solver::field(&$method, name)
        }

        fn fields(&self) -> &'static [$crate::method::report::FieldInfo] {
            let $run = self;
            Solver::fields(&$method)
        }

        fn neighbors(&self) -> &$crate::neighbors::Neighbors<D> {
            let $run = self;
            Solver::neighbors(&$method)
        }

        fn internal_energy(&self, rho: f64) -> f64 {
            let $run = self;
            Solver::internal_energy(&$method, rho)
        }

        fn derived(&self, state: &State<D>) -> $crate::method::report::Derived {
            let $run = self;
            Solver::derived(&$method, state)
        }
    };
}
