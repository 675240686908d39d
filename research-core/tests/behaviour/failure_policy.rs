//! What a failure means for the other tasks of its step, and what the build says of policies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use research_core::{CachePolicy, Cx, END, FailurePolicy, Graph, NodeError, Problem, Retry, Timeout};
use tokio::sync::Notify;

use crate::support::{Trail, TrailUpdate, mark, step};

/// Counts how often it is dropped.
struct Dropped(Arc<AtomicU32>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn when_siblings_are_to_be_cancelled_a_failure_stops_those_that_run_and_those_that_wait() {
    let (dropped, began) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let all_begun = Arc::new(Notify::new());
    let mut g = Graph::<Trail>::new("cancelled");
    let (drops, begins, begun) = (Arc::clone(&dropped), Arc::clone(&began), Arc::clone(&all_begun));
    let task = g.task("work", move |_cx: Cx<Trail>, n: u32| {
        let (drops, begins, begun) = (Arc::clone(&drops), Arc::clone(&begins), Arc::clone(&begun));
        async move {
            if begins.fetch_add(1, Ordering::SeqCst) == 3 {
                begun.notify_one();
            }
            if n == 0 {
                begun.notified().await;
                return Err::<TrailUpdate, _>(NodeError::msg("out"));
            }
            let _dropped = Dropped(drops);
            std::future::pending::<()>().await;
            Ok(mark("never"))
        }
    });
    g.entry_route(move |_: &Trail| (0..9).map(|n| task.send(n)).collect::<research_core::Sends>()).edge(task, END);
    let run = g.compile().unwrap().run(Trail::update()).max_concurrency(4).on_failure(FailurePolicy::CancelSiblings);
    let error = run.await.unwrap_err();
    assert_eq!(error.to_string(), "graph `cancelled`: node `work` in step 1 (task 0) failed: out");
    while dropped.load(Ordering::SeqCst) < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(began.load(Ordering::SeqCst), 4, "tasks that waited for their turn never begin");
}

#[test]
fn policies_of_nodes_that_do_not_exist_or_cannot_have_them_are_build_errors() {
    let mut g = Graph::<Trail>::new("wrong");
    let plan = step(&mut g, "plan");
    let read = g.task("read", |_cx: Cx<Trail>, _n: u32| async { Ok(()) });
    g.entry(plan).route(plan, move |_: &Trail| read.send(1)).edge(read, END);
    g.retry("pln", Retry::attempts(2)).timeout(END, Timeout::none());
    g.on_error(plan, |_cx, _failure| async { Ok(()) }).on_error("plan", |_cx, _failure| async { Ok(()) });
    g.cache("read", CachePolicy::by(|s: &Trail| s.value));
    let error = g.compile().unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `wrong` has 4 problems:\n  \
         - `.retry(…)` names `pln`, which is not in the graph; did you mean `plan`?\n  \
         - `.timeout(…)` starts at END; nothing runs after the end\n  \
         - `.on_error(…)` was called twice for `plan`; keep one of the calls\n  \
         - `read` is cached and takes an input, which is no part of the key, so that all inputs would get one result; \
         call `.cache_task(…)`"
    );
    assert!(matches!(&error.problems()[2], Problem::SetTwice { node, method: "on_error" } if node == "plan"));
}
