//! Random graphs under random timings: a run always ends as a sequential reading of the same program says.
//!
//! `program` is what the nodes of a random graph do; `engine` runs it on the engine under a chosen timing; `reference`
//! reads it step by step with its own folds. The reference knows nothing of the engine, so that it is also a check of
//! the semantics.

#[cfg(test)]
mod engine;
#[cfg(test)]
mod program;
#[cfg(test)]
mod reference;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use crate::engine::{Runtimes, Timing};
    use crate::program::{Program, program};
    use crate::reference::{self, End};

    /// How often each kind of end was seen, so that the cases are known to be worth something.
    #[derive(Debug, Default)]
    struct Ends {
        finished: u32,
        conflict: u32,
        limit: u32,
        failed: u32,
        wide: u32,
        joined: u32,
    }

    impl Ends {
        fn count(&mut self, program: &Program, end: &End) {
            match end {
                End::Finished { .. } => self.finished += 1,
                End::Conflict { .. } => self.conflict += 1,
                End::Limit { .. } => self.limit += 1,
                End::Failed { .. } => self.failed += 1,
            }
            let log = &end.state().log;
            self.wide += u32::from(log.len() > 6);
            self.joined += u32::from(
                program.joins.iter().any(|(_, to)| log.iter().any(|entry| program.nodes[*to].name == entry.node)),
            );
        }
    }

    #[test]
    fn every_timing_ends_as_the_sequential_reading_says() {
        let runtimes = Runtimes::new();
        let ends = std::cell::RefCell::new(Ends::default());
        let mut runner = TestRunner::new(Config { cases: 1_000, failure_persistence: None, ..Config::default() });
        runner
            .run(&(program(), any::<u64>()), |(program, seed)| {
                let expected = reference::run(&program);
                ends.borrow_mut().count(&program, &expected);
                for timing in Timing::several(seed) {
                    let end = runtimes.run(&program, timing);
                    prop_assert_eq!(&end, &expected, "under {:?}", timing);
                }
                Ok(())
            })
            .unwrap();
        let ends = ends.into_inner();
        let kinds = [ends.finished, ends.conflict, ends.limit, ends.failed, ends.wide, ends.joined];
        assert!(kinds.iter().all(|count| *count >= 10), "some kind of run was hardly tried: {ends:?}");
    }
}
