//! The same workloads on tokio without an engine: boxed async functions, a struct, a loop.

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::measure::Pass;

#[derive(Default)]
struct Work {
    n: u64,
    items: Vec<String>,
}

#[derive(Default)]
struct Update {
    n: Option<u64>,
    items: Vec<String>,
}

type Node = Arc<dyn Fn(&Work) -> Pin<Box<dyn Future<Output = Update> + Send>> + Send + Sync>;

fn apply(work: &mut Work, update: Update) {
    if let Some(n) = update.n {
        work.n = n;
    }
    work.items.extend(update.items);
}

/// An item of 200 bytes.
pub fn item(n: u64) -> String {
    format!("{n:08}-{:x<191}", "")
}

pub fn chain(nodes: u64) -> Pass {
    let nodes: Arc<Vec<Node>> =
        Arc::new((0..nodes).map(|_| -> Node { Arc::new(|_| Box::pin(async { Update::default() })) }).collect());
    Box::new(move || {
        let nodes = Arc::clone(&nodes);
        Box::pin(async move {
            let mut work = Work::default();
            for node in nodes.iter() {
                let update = black_box(node)(&work).await;
                apply(&mut work, update);
            }
            black_box(&work);
        })
    })
}

pub fn counting(limit: u64, append: bool) -> Pass {
    let node: Node = Arc::new(move |work| {
        let n = work.n;
        Box::pin(async move { Update { n: Some(n + 1), items: if append { vec![item(n)] } else { Vec::new() } } })
    });
    Box::new(move || {
        let node = Arc::clone(&node);
        Box::pin(async move {
            let mut work = Work::default();
            while work.n < limit {
                let update = black_box(&node)(&work).await;
                apply(&mut work, update);
            }
            assert_eq!(work.items.len() as u64, if append { limit } else { 0 });
        })
    })
}

pub fn fan_out(tasks: u64, wait: bool) -> Pass {
    Box::new(move || {
        Box::pin(async move {
            let mut set = JoinSet::new();
            for i in 0..tasks {
                set.spawn(async move {
                    if wait {
                        tokio::task::yield_now().await;
                    }
                    (i, Update { n: None, items: vec![format!("r{i}")] })
                });
            }
            let mut updates: Vec<Option<Update>> = (0..tasks).map(|_| None).collect();
            while let Some(joined) = set.join_next().await {
                let (i, update) = joined.unwrap();
                updates[i as usize] = Some(update);
            }
            let mut work = Work::default();
            updates.into_iter().flatten().for_each(|update| apply(&mut work, update));
            assert_eq!(work.items.len() as u64, tasks);
        })
    })
}
