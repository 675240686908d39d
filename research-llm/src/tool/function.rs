//! Tools from functions: the schema from the type of the argument.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::callable::Tool;
use super::output::{ToolError, ToolOutput};
use crate::call::ToolDefinition;
use crate::schema::restore;

/// A tool from an asynchronous function of one argument, whose fields are what the model fills in.
///
/// The doc comments of the argument's fields are what the model is told of them. Arguments that do not fit are answered
/// with the place and the reason, and the function is not called. A function that blocks the thread stops the other tools
/// of the turn: give such work to `tokio::task::spawn_blocking`.
///
/// ```
/// use research_llm::tool::{Tool, ToolError, tool_fn};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Place {
///     /// Name of the city.
///     city: String,
///     #[serde(default)]
///     days: Vec<u8>,
/// }
///
/// let weather = tool_fn("weather", "Tells the weather of a city.", |place: Place| async move {
///     Ok::<_, std::io::Error>(format!("It is raining in {}.", place.city))
/// });
/// assert_eq!(weather.definition().parameters["properties"]["city"]["description"], "Name of the city.");
/// # futures::executor::block_on(async {
/// assert_eq!(weather.call(json!({"city": "Graz"})).await?.content, "It is raining in Graz.");
/// let error = weather.call(json!({"city": "Graz", "days": [300]})).await.unwrap_err();
/// assert!(matches!(error, ToolError::InvalidArguments { path, .. } if path == "days[0]"));
/// # Ok::<(), ToolError>(()) }).unwrap();
/// ```
pub fn tool_fn<A, F, Fut, O, E>(name: impl Into<String>, description: impl Into<String>, function: F) -> FnTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, E>> + Send + 'static,
    O: Into<ToolOutput>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let parameters = parameters::<A>();
    let schema = parameters.clone();
    let function = move |arguments: Value| -> Answer {
        match read::<A>(&schema, arguments) {
            Ok(arguments) => {
                let answer = function(arguments);
                Box::pin(async move {
                    match answer.await {
                        Ok(output) => Ok(output.into()),
                        Err(error) => Err(ToolError::failed(error.into())),
                    }
                })
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    };
    FnTool { definition: ToolDefinition::new(name, description, parameters), function: Arc::new(function) }
}

type Answer = BoxFuture<'static, Result<ToolOutput, ToolError>>;

/// A tool that a function answers, made by [`tool_fn`]. Cheap to clone.
#[derive(Clone)]
pub struct FnTool {
    definition: ToolDefinition,
    function: Arc<dyn Fn(Value) -> Answer + Send + Sync>,
}

impl fmt::Debug for FnTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnTool").field("definition", &self.definition).finish_non_exhaustive()
    }
}

#[async_trait]
impl Tool for FnTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        (self.function)(arguments).await
    }
}

/// The schema of the arguments. Providers want an object with properties, even for no arguments at all.
fn parameters<A: JsonSchema>() -> Value {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<A>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        for noise in ["$schema", "title"] {
            fields.remove(noise);
        }
        // `()` is null for schemars, and no arguments for a model.
        if fields.get("type").is_none_or(|kind| kind == "null" || kind == "object") {
            fields.insert("type".to_owned(), json!("object"));
            fields.entry("properties").or_insert_with(|| json!({}));
        }
    }
    schema
}

fn read<A: DeserializeOwned>(schema: &Value, arguments: Value) -> Result<A, ToolError> {
    let restored = restore(schema, arguments);
    let is_empty = restored.as_object().is_some_and(serde_json::Map::is_empty);
    serde_path_to_error::deserialize(&restored).or_else(|error| {
        // A unit argument takes nothing, which a model writes as an empty object.
        if is_empty && let Ok(unit) = serde_json::from_value(Value::Null) {
            return Ok(unit);
        }
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        Err(ToolError::invalid_arguments(path, error.into_inner().to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Search {
        query: String,
        #[serde(default)]
        tags: Vec<String>,
    }

    #[test]
    fn tools_without_arguments_take_an_object() {
        let unit = tool_fn("now", "", |(): ()| async { Ok::<_, ToolError>("noon") });
        let empty = tool_fn("now", "", |_: Nothing| async { Ok::<_, ToolError>("noon") });
        assert_eq!(unit.definition().parameters["type"], "object");
        assert_eq!(block_on(unit.call(json!({}))).unwrap().content, "noon");
        assert_eq!(empty.definition().parameters["properties"], json!({}));
        assert_eq!(block_on(empty.call(json!({}))).unwrap().content, "noon");
    }

    #[test]
    fn nulls_of_a_strict_provider_are_left_out() {
        let search = tool_fn("search", "", |search: Search| async move {
            Ok::<_, ToolError>(format!("{} {}", search.query, search.tags.len()))
        });
        assert_eq!(block_on(search.call(json!({"query": "a", "tags": null}))).unwrap().content, "a 0");
    }

    #[test]
    fn an_error_of_the_function_keeps_its_source() {
        let fails = tool_fn("f", "", |(): ()| async { Err::<&str, _>("the shop is closed") });
        let error = block_on(fails.call(json!({}))).unwrap_err();
        assert_eq!(error.to_string(), "the tool failed: the shop is closed");
        let typed = tool_fn("f", "", |(): ()| async { Err::<&str, _>(ToolError::invalid_arguments("x", "too large")) });
        assert!(matches!(block_on(typed.call(json!({}))), Err(ToolError::InvalidArguments { .. })));
    }
}
