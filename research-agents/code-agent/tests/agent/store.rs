//! The store of runs.

use std::time::Duration;

use research_agents_code_agent::artifacts::{Lookup, RunStore, StoreLimits};
use research_agents_code_agent::run::{ResearchRun, RunId};

fn run(number: u32) -> ResearchRun {
    let run_id = RunId::parse(&format!("{number:08x}000000000000000000000000")).unwrap();
    ResearchRun {
        run_id,
        question: number.to_string(),
        ..ResearchRun::default()
    }
}

#[tokio::test(start_paused = true)]
async fn runs_leave_after_their_time() {
    let store = RunStore::default();
    store.put(run(1));
    tokio::time::advance(Duration::from_secs(3_599)).await;
    store.put(run(2));
    assert_eq!(store.list().len(), 2);

    tokio::time::advance(Duration::from_secs(1)).await;

    let left: Vec<String> = store
        .list()
        .iter()
        .map(|run| run.question.clone())
        .collect();
    assert_eq!(left, ["2"]);
    assert!(matches!(store.get("00000001"), Lookup::None));
}

#[tokio::test]
async fn the_oldest_leaves_and_the_newest_is_first() {
    let store = RunStore::new(StoreLimits {
        runs: 3,
        ..StoreLimits::default()
    });
    (1..=5).for_each(|number| store.put(run(number)));

    let left: Vec<String> = store
        .list()
        .iter()
        .map(|run| run.question.clone())
        .collect();

    assert_eq!(left, ["5", "4", "3"]);
}

#[tokio::test]
async fn a_beginning_of_an_id_must_be_unique() {
    let store = RunStore::default();
    for number in [0x1234_5678, 0x1234_9999, 0xabcd_0000] {
        store.put(run(number));
    }

    assert!(matches!(store.get("abcd0000"), Lookup::Found(_)));
    assert!(matches!(store.get("12345678"), Lookup::Found(_)));
    assert!(matches!(store.get("1234"), Lookup::Ambiguous));
    assert!(matches!(store.get("abc"), Lookup::None));
    assert!(matches!(store.get("../../etc/passwd"), Lookup::None));
}

#[tokio::test]
async fn runs_survive_in_a_folder_and_leave_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let limits = StoreLimits {
        runs: 2,
        ..StoreLimits::default()
    };
    let store = RunStore::in_folder(limits, folder.path()).unwrap();
    for number in 1..=3 {
        store.put(run(number));
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::write(folder.path().join("notes.json"), "not a run").unwrap();
    drop(store);

    let store = RunStore::in_folder(limits, folder.path()).unwrap();

    let left: Vec<String> = store
        .list()
        .iter()
        .map(|run| run.question.clone())
        .collect();
    assert_eq!(left, ["3", "2"]);
    assert!(folder.path().join("notes.json").exists());
    let ended = StoreLimits {
        life: Duration::ZERO,
        ..limits
    };
    assert!(
        RunStore::in_folder(ended, folder.path())
            .unwrap()
            .list()
            .is_empty()
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn the_folder_of_the_runs_is_outside_of_the_code_base() {
    let project = crate::project::Project::new();
    let root = project.path().canonicalize().unwrap();
    let server = research_agents_code_agent::server::CodeServer::new().root(&root);

    let built = server.store(root.join("runs")).build();

    assert!(
        built
            .unwrap_err()
            .to_string()
            .contains("is in the code base")
    );
}
