//! A run of a method whose steps are done elsewhere: what it leaves to the method.

/// The parts of a [`Solver`](crate::method::solver::Solver) that a run leaves to its `method`, a field with that name; `D` and
/// `Real` are in scope.
#[macro_export]
macro_rules! left_to_the_method {
    () => {
        fn name(&self) -> &'static str {
            Solver::name(&self.method)
        }

        fn support_radius(&self) -> Real {
            Solver::support_radius(&self.method)
        }

        fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
            Solver::max_dt(&mut self.method, state)
        }

        fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<$crate::method::solver::Link<'a>> {
            Solver::chain(&self.method, state)
        }

        fn sound_speed(&self) -> Option<f64> {
            Solver::sound_speed(&self.method)
        }

        fn substeps(&self) -> u32 {
            Solver::substeps(&self.method)
        }

        fn field(&self, name: &str) -> Option<&[Real]> {
            Solver::field(&self.method, name)
        }

        fn fields(&self) -> &'static [$crate::method::report::FieldInfo] {
            M::FIELDS
        }

        fn neighbors(&self) -> &$crate::neighbors::Neighbors<D> {
            &self.method.shell().neighbors
        }

        fn internal_energy(&self, rho: f64) -> f64 {
            Solver::internal_energy(&self.method, rho)
        }

        fn derived(&self, state: &State<D>) -> $crate::method::report::Derived {
            Solver::derived(&self.method, state)
        }
    };
}
