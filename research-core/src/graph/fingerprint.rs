//! The fingerprint of a graph: one number that changes when the graph does.

use std::collections::BTreeSet;

use super::draft::Draft;
use super::plan::Plan;
use crate::handle::{END_INDEX, Fingerprint};
use crate::state::State;

/// A hash of the parts of a graph: FNV-1a of 64 bits, with the constants of
/// <http://www.isthe.com/chongo/tech/comp/fnv/>. Chosen because it is small, fixed for ever, and nobody profits from a clash.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn number(&mut self, number: usize) {
        self.bytes(&(number as u64).to_le_bytes());
    }

    /// Adds a list in which order and repetition do not matter. Lengths keep `ab, c` apart from `a, bc`.
    fn set(&mut self, entries: impl Iterator<Item = Vec<String>>) {
        self.list(entries.collect::<BTreeSet<_>>().into_iter().collect());
    }

    /// Adds a list in which order does not matter.
    fn list(&mut self, mut entries: Vec<Vec<String>>) {
        entries.sort_unstable();
        self.number(entries.len());
        for entry in entries {
            self.number(entry.len());
            for text in entry {
                self.number(text.len());
                self.bytes(text.as_bytes());
            }
        }
    }
}

pub(super) fn fingerprint<S: State, R>(graph: &Draft<S, R>, plan: &Plan) -> Fingerprint {
    let name = |index: &u32| match *index {
        END_INDEX => String::new(),
        // The mark keeps a node without a name apart from the end.
        index => format!("={}", graph.nodes[index as usize].name),
    };
    let names = |indexes: &[u32]| {
        let mut names: Vec<String> = indexes.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let flag = |set: bool| if set { "1" } else { "0" }.to_string();
    let mut hash = Hash::new();
    let nodes = (0..).zip(&graph.nodes).map(|(index, node)| {
        let deferred = plan.deferred.contains(&index);
        vec![node.name.clone(), flag(node.input.is_some()), flag(deferred)]
    });
    hash.set(nodes);
    hash.set(plan.entries.iter().map(|entry| vec![name(entry)]));
    hash.number(graph.entry_routes.len());
    hash.set(plan.wind_up.iter().map(|node| vec![name(node)]));
    hash.set(plan.edges.iter().map(|(from, to)| vec![name(from), name(to)]));
    let joins = plan.joins.iter().map(|join| {
        let mut parts = vec![join.need.to_string(), name(&join.target)];
        parts.extend(names(&join.sources));
        parts
    });
    hash.set(joins);
    let routes = plan.routes.iter().map(|(from, targets)| {
        let mut parts = vec![name(from), flag(targets.is_some())];
        parts.extend(names(targets.as_deref().unwrap_or_default()));
        parts
    });
    hash.list(routes.collect());
    let gotos = plan.gotos.iter().flat_map(|(from, targets)| targets.iter().map(|to| vec![name(from), name(to)]));
    hash.set(gotos);
    let fields = S::FIELDS.iter().map(|field| {
        let flags = [field.plain, field.ephemeral, field.untracked].map(flag);
        [field.name.to_string(), field.reducer.to_string()].into_iter().chain(flags).collect()
    });
    hash.set(fields);
    // A graph without a version of its own is told by its parts alone.
    if graph.version > 0 {
        hash.bytes(&graph.version.to_le_bytes());
    }
    Fingerprint(hash.0)
}

#[cfg(test)]
mod tests {
    use super::Hash;

    #[test]
    fn the_hash_gives_the_published_values() {
        for (text, expected) in
            [("", 0xcbf2_9ce4_8422_2325_u64), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            let mut hash = Hash::new();
            hash.bytes(text.as_bytes());
            assert_eq!(hash.0, expected, "{text}");
        }
    }
}
