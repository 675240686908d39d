//! Nodes that are tested without a graph: what they see, and a look into what they give back.

use research_core::testing::TestCx;
use research_core::{Command, Cx, END, Graph, NodeError, State, Targets};

use crate::support::{Trail, mark};

/// What the nodes of these tests ask for.
struct Shop {
    price: u32,
}

#[tokio::test]
async fn a_node_sees_its_state_its_resources_and_its_answers() {
    async fn buy(cx: Cx<Trail, Shop>) -> Result<Command<Trail>, NodeError> {
        let pieces: u32 = cx.interrupt(("pieces", cx.state.value)).await?;
        let receipt: String = cx.once("pay", async { Ok::<_, NodeError>(format!("paid {pieces}")) }).await?;
        cx.spend("money", u64::from(pieces * cx.resources.price));
        Ok(Command::goto("pack").with(mark(receipt).value(pieces)))
    }
    let start = Trail { seen: vec!["began".to_string()], value: 7, ..Trail::default() };

    let unanswered = TestCx::with_resources(start.clone(), Shop { price: 3 });
    assert!(buy(unanswered.cx()).await.is_err());
    assert_eq!(unanswered.questions()[0].payload, 7);
    assert_eq!(unanswered.spent("money"), 0);

    let answered = TestCx::with_resources(start, Shop { price: 3 }).answer("pieces", 2);
    let command = buy(answered.cx()).await.unwrap();
    assert_eq!((command.targets(), answered.spent("money")), (vec!["pack".to_string()], 6));
    let after = answered.after(command);
    assert_eq!((after.seen, after.value, after.count), (vec!["began".to_string(), "paid 2".to_string()], 2, 1));
    assert!(answered.questions().is_empty());
}

#[tokio::test]
async fn an_answer_of_the_wrong_type_and_a_key_used_twice_are_errors() {
    async fn ask(cx: Cx<Trail>) -> Result<(), NodeError> {
        let _: u32 = cx.interrupt(("number", 1)).await?;
        let _: u32 = cx.interrupt(("number", 2)).await?;
        Ok(())
    }

    let wrong = TestCx::new(Trail::default()).answer("number", "a word");
    assert!(ask(wrong.cx()).await.is_err());

    let twice = TestCx::new(Trail::default()).answer("number", 1);
    let error = ask(twice.cx()).await.unwrap_err();
    assert!(error.to_string().contains("number the keys"), "{error}");
}

#[test]
fn targets_and_updates_of_a_command_can_be_looked_at() {
    let mut g = Graph::<Trail>::new("targets");
    let work = g.task("work", |_cx: Cx<Trail>, n: u32| async move { Ok(mark(n.to_string())) });
    let node = g.node("node", |_cx| async { Ok(()) });

    let many = Command::<Trail>::goto(Targets::from(node).and(work.send(1)).and(END).and("named"));
    assert_eq!(many.targets(), ["node 1", "task 0", "END", "named"]);

    let none = Command::<Trail>::from(mark("only"));
    assert_eq!(none.targets(), Vec::<String>::new());
    let written = research_core::Update::written(none.update());
    let names: Vec<&str> = written.iter().map(|field| Trail::FIELDS[field].name).collect();
    assert_eq!(names, ["seen", "count"]);
}
