//! What the tasks of a step spent, and what their subgraphs remember.

use super::{Driver, Step};
use crate::run::runner::{Outcome, TaskRunner};
use crate::state::State;
use crate::stored::SubgraphMemory;

/// What the tasks of a step spent, by counter, and what their subgraphs remember, by node.
#[derive(Default)]
pub(super) struct Tally {
    spent: Vec<(String, u64)>,
    remembered: Vec<(u32, SubgraphMemory)>,
}

impl<S: State, R, T: TaskRunner<S>> Driver<S, R, T> {
    /// What the tasks of a step spent and what their subgraphs remember; `None`, as in most steps, when they did neither.
    #[inline]
    pub(super) fn tally(&self, step: &Step<S>) -> Option<Box<Tally>> {
        let counts = |outcome: &Outcome<S>| {
            outcome.left.is_some() || self.graph.nodes[step.tasks[outcome.index] as usize].budget.is_some()
        };
        step.outcomes.iter().any(counts).then(|| self.tally_tasks(step))
    }

    #[cold]
    fn tally_tasks(&self, step: &Step<S>) -> Box<Tally> {
        let mut tally = Box::<Tally>::default();

        for outcome in &step.outcomes {
            let node = step.tasks[outcome.index];
            let (policy, name) = (&self.graph.nodes[node as usize], &self.graph.names[node as usize]);
            if let Some(budget) = &policy.budget {
                let of_task = outcome.left.as_ref().map_or(&[][..], |left| &left.spent);
                tally.spent.extend(budget.count(name, of_task));
            }
            if let Some(left) = &outcome.left {
                tally.spent.extend(left.spent.iter().cloned());
                tally.remembered.extend(left.memory.clone().map(|memory| (node, memory)));
            }
        }

        tally
    }

    /// Adds what the tasks of a step spent, and keeps what their subgraphs remember.
    #[cold]
    pub(super) fn settle(&mut self, Tally { spent, remembered }: Tally) {
        for (counter, amount) in spent {
            let total: &mut u64 = self.checkpoint.spent.entry(counter).or_default();
            *total = total.saturating_add(amount);
        }
        if remembered.is_empty() {
            return;
        }

        for (node, memory) in remembered {
            self.checkpoint.memories.known.insert(self.graph.names[node as usize].to_string(), memory);
        }
        self.shared.ledger.put_memories(self.checkpoint.memories.clone());
    }
}
