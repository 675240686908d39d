//! The reference server that remembers a graph. It speaks MCP 2025-11-25 and before.

use research_mcp::HubEvent;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Eras, call, event, in_each_era, names, refusal, servers};

const TOOLS: &[&str] = &[
    "add_observations",
    "create_entities",
    "create_relations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "open_nodes",
    "read_graph",
    "search_nodes",
];

const GRAPH: &str = "memory://knowledge-graph";

fn wren() -> Value {
    json!({"name": "wren", "entityType": "bird", "observations": ["sings"]})
}

#[tokio::test]
async fn a_graph_is_built_told_of_searched_and_taken_down() {
    let folder = TempDir::new().unwrap();
    in_each_era(Eras::OnlyOld, servers::memory(&folder.path().join("graph.jsonl")), async |hub| {
        let mut listed = names(hub).await;
        listed.sort();
        assert_eq!(listed, TOOLS);

        let mut events = hub.events();
        hub.subscribe("server", GRAPH).await.unwrap();
        let entities = json!({"entities": [wren(), {"name": "hedge", "entityType": "place", "observations": []}]});
        call(hub, "create_entities", entities).await;
        let updated = event(&mut events, |event| match event {
            HubEvent::ResourceUpdated { uri, .. } => Some(uri),
            _ => None,
        });
        assert_eq!(updated.await, GRAPH);
        let relation = json!({"from": "wren", "to": "hedge", "relationType": "nests in"});
        call(hub, "create_relations", json!({"relations": [relation]})).await;

        let found = call(hub, "search_nodes", json!({"query": "sings"})).await.structured.unwrap();
        assert_eq!(found["entities"], json!([wren()]));
        let resource = hub.read_resource("server", GRAPH).await.unwrap().remove(0);
        assert_eq!(resource.media_type.as_deref(), Some("application/json"));
        let graph: Value = serde_json::from_str(&resource.text.unwrap()).unwrap();
        assert_eq!((graph["entities"].as_array().unwrap().len(), &graph["relations"]), (2, &json!([relation])));
        assert_eq!(call(hub, "read_graph", json!({})).await.structured, Some(graph));

        let nobody = json!({"observations": [{"entityName": "nobody", "contents": ["x"]}]});
        assert!(refusal(hub, "add_observations", nobody).await.contains("nobody not found"));
        assert!(refusal(hub, "create_entities", json!({"entities": [{"name": 5}]})).await.contains("Invalid"));

        call(hub, "delete_entities", json!({"entityNames": ["wren", "hedge"]})).await;
        let empty = json!({"entities": [], "relations": []});
        assert_eq!(call(hub, "read_graph", json!({})).await.structured, Some(empty));
    })
    .await;
}

#[tokio::test]
async fn what_one_process_learnt_the_next_one_knows() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("graph.jsonl");
    let known = async |expected: Vec<Value>| {
        in_each_era(Eras::OnlyOld, servers::memory(&file), async |hub| {
            let graph = call(hub, "read_graph", json!({})).await.structured.unwrap();
            assert_eq!(graph["entities"], Value::Array(expected.clone()));
        })
        .await;
    };
    known(Vec::new()).await;
    in_each_era(Eras::OnlyOld, servers::memory(&file), async |hub| {
        // The second time there is nothing new in it.
        call(hub, "create_entities", json!({"entities": [wren()]})).await;
    })
    .await;
    known(vec![wren()]).await;
}
