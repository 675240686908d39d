//! The workloads, under the names that the programs of the rivals print.

/// A workload and how the engine's side of it is measured.
#[derive(Debug, PartialEq)]
pub struct Workload {
    pub name: &'static str,
    /// Steps of one run; of a fan-out, tasks; of many threads, the steps of all.
    pub steps: u64,
    /// Turns in one pass: more where the speed of the disk drifts within seconds.
    pub turns: usize,
    /// Runs in one turn.
    pub runs: usize,
}

const fn workload(name: &'static str, steps: u64, runs: usize) -> Workload {
    Workload { name, steps, turns: 1, runs }
}

const fn on_disk(name: &'static str, steps: u64) -> Workload {
    Workload { name, steps, turns: 3, runs: 1 }
}

pub const ALL: &[Workload] = &[
    workload("a_chain_10", 10, 500),
    workload("a_chain_1000", 1_000, 100),
    workload("b_loop_1000", 1_000, 100),
    workload("c_fanout_100", 100, 100),
    workload("c_fanout_1000", 1_000, 50),
    workload("d_accum_250", 250, 50),
    workload("d_accum_1000", 1_000, 50),
    workload("d_accum_4000", 4_000, 20),
    workload("e_loop_ckpt_1000", 1_000, 50),
    workload("f_accum_ckpt_250", 250, 20),
    workload("f_accum_ckpt_1000", 1_000, 20),
    on_disk("g_loop_sqlite_1000", 1_000),
    on_disk("h_accum1k_sqlite_1000", 1_000),
    on_disk("i_threads_sqlite_200x10", 2_000),
];

/// Workloads that a rival's program runs for one filter, which is a part of a name.
#[derive(Debug, PartialEq)]
pub struct Group {
    pub filter: &'static str,
    pub workloads: Vec<&'static Workload>,
}

/// The workloads whose name contains `part`, those together whose names one filter cannot tell apart.
pub fn groups(part: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for workload in ALL.iter().filter(|workload| workload.name.contains(part)) {
        match groups.iter_mut().find(|group| workload.name.contains(group.filter)) {
            Some(group) => group.workloads.push(workload),
            None => groups.push(Group { filter: workload.name, workloads: vec![workload] }),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{ALL, groups};

    #[test]
    fn every_workload_is_in_one_group_and_no_filter_reaches_another() {
        let groups = groups("");
        assert_eq!(groups.iter().map(|group| group.workloads.len()).sum::<usize>(), ALL.len());
        for group in &groups {
            let reached: Vec<_> = ALL.iter().filter(|workload| workload.name.contains(group.filter)).collect();
            assert_eq!(reached, group.workloads);
        }
    }

    #[test]
    fn a_part_of_a_name_selects() {
        let names = |part| -> Vec<_> {
            groups(part).into_iter().flat_map(|group| group.workloads).map(|workload| workload.name).collect()
        };
        assert_eq!(names("chain_1"), ["a_chain_10", "a_chain_1000"]);
        assert_eq!(names("1000x"), Vec::<&str>::new());
    }
}
