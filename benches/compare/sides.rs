//! The engine's and plain tokio's sides of each workload.

use research_benches::side::{Open, Side};
use research_benches::{plain, plain_store, research, research_store};
use research_core_sqlite::Synchronous;

use crate::table::{NORMAL, OURS};
use crate::workload::Workload;

const TOKIO: &str = "tokio";

/// Who does the workload, and how.
///
/// SQLite commits with `synchronous=FULL`, as the savers of the rivals do, and once more with `NORMAL`.
pub fn of(workload: &Workload) -> Vec<(String, Side)> {
    let steps = workload.steps;
    let memory = |ours, plain| vec![(OURS.to_string(), Side::Memory(ours)), (TOKIO.to_string(), Side::Memory(plain))];
    match workload.name.as_bytes()[0] {
        b'a' => memory(research::chain(steps), plain::chain(steps)),
        b'b' => memory(research::counting(steps, None), plain::counting(steps, None)),
        b'c' => memory(research::fan_out(steps, false), plain::fan_out(steps, false)),
        b'd' => memory(research::counting(steps, Some(200)), plain::counting(steps, Some(200))),
        b'e' => memory(research_store::in_memory(steps, None), plain_store::copying(steps)),
        b'f' => memory(research_store::in_memory(steps, Some(200)), plain_store::noting_changes(steps)),
        b'g' => {
            disk(|level| research_store::on_disk(steps, None, level), |level| plain_store::on_disk(steps, None, level))
        }
        b'h' => disk(
            |level| research_store::on_disk(steps, Some(1_000), level),
            |level| plain_store::on_disk(steps, Some(1_000), level),
        ),
        _ => disk(
            |level| research_store::threads_on_disk(200, steps / 200, level),
            |level| plain_store::threads_on_disk(200, steps / 200, level),
        ),
    }
}

fn disk(ours: impl Fn(Synchronous) -> Open, plain: impl Fn(&'static str) -> Open) -> Vec<(String, Side)> {
    [("", Synchronous::Full, "FULL"), (NORMAL, Synchronous::Normal, "NORMAL")]
        .into_iter()
        .flat_map(|(mark, level, name)| {
            let (ours, plain) = (Side::Disk(ours(level)), Side::Disk(plain(name)));
            [(format!("{OURS}{mark}"), ours), (format!("{TOKIO}{mark}"), plain)]
        })
        .collect()
}
