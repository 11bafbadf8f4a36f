//! A run of a method whose steps are done elsewhere: what it leaves to the method.

/// The parts of a [`Solver`](crate::method::solver::Solver) that a run leaves to its `method`, a field with that name, behind a
/// pointer with `*`; `D` and `Real` are in scope.
#[macro_export]
macro_rules! left_to_the_method {
    ($($deref:tt)?) => {
        fn name(&self) -> &'static str {
            Solver::name(&$($deref)? self.method)
        }

        fn support_radius(&self) -> Real {
            Solver::support_radius(&$($deref)? self.method)
        }

        fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
            Solver::max_dt(&mut $($deref)? self.method, state)
        }

        fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<$crate::method::solver::Link<'a>> {
            Solver::chain(&$($deref)? self.method, state)
        }

        fn sound_speed(&self) -> Option<f64> {
            Solver::sound_speed(&$($deref)? self.method)
        }

        fn substeps(&self) -> u32 {
            Solver::substeps(&$($deref)? self.method)
        }

        fn field(&self, name: &str) -> Option<&[Real]> {
            Solver::field(&$($deref)? self.method, name)
        }

        fn fields(&self) -> &'static [$crate::method::report::FieldInfo] {
            Solver::fields(&$($deref)? self.method)
        }

        fn neighbors(&self) -> &$crate::neighbors::Neighbors<D> {
            Solver::neighbors(&$($deref)? self.method)
        }

        fn internal_energy(&self, rho: f64) -> f64 {
            Solver::internal_energy(&$($deref)? self.method, rho)
        }

        fn derived(&self, state: &State<D>) -> $crate::method::report::Derived {
            Solver::derived(&$($deref)? self.method, state)
        }
    };
}
