//! The trait of an action, and its object-safe twin.

use std::future::Future;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;

/// An action that the agent can choose. It reads the code base and changes nothing.
///
/// ```
/// use research_agents_code_agent::actions::{Action, ActionContext, ActionResult};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// /// Counts the files of the scope.
/// struct CountFiles;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Nothing {}
///
/// impl Action for CountFiles {
///     const NAME: &'static str = "count_files";
///     const DESCRIPTION: &'static str = "Counts the files of the scope.";
///     type Input = Nothing;
///
///     async fn execute(&self, _: Nothing, cx: &ActionContext) -> ActionResult {
///         match cx.view.paths() {
///             Ok(paths) => ActionResult::done(format!("{} files", paths.len())),
///             Err(error) => ActionResult::failed(error),
///         }
///     }
/// }
/// ```
pub trait Action: Send + Sync + 'static {
    /// Name in snake case, by which the action is chosen.
    const NAME: &'static str;
    /// What it does, in a sentence or two for the model.
    const DESCRIPTION: &'static str;
    /// Its input.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// Executes the action. Failures are part of the result.
    fn execute(
        &self,
        input: Self::Input,
        cx: &ActionContext,
    ) -> impl Future<Output = ActionResult> + Send;
}

/// An action as the registry stores it. Implemented for every [`Action`].
#[async_trait]
pub trait DynAction: Send + Sync {
    /// Returns the name.
    fn name(&self) -> &'static str;

    /// Returns the description.
    fn description(&self) -> &'static str;

    /// Returns the JSON schema of the input.
    fn input_schema(&self) -> Value;

    /// Returns why an input does not fit, if it does not.
    fn check_input(&self, input: &Value) -> Option<String>;

    /// Executes the action.
    async fn execute(&self, input: Value, cx: &ActionContext) -> ActionResult;
}

#[async_trait]
impl<A: Action> DynAction for A {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn description(&self) -> &'static str {
        A::DESCRIPTION
    }

    fn input_schema(&self) -> Value {
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let schema = settings.into_generator().into_root_schema_for::<A::Input>();
        let mut schema = schema.to_value();
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("title");
        }
        schema
    }

    fn check_input(&self, input: &Value) -> Option<String> {
        serde_json::from_value::<A::Input>(input.clone())
            .err()
            .map(|error| error.to_string())
    }

    async fn execute(&self, input: Value, cx: &ActionContext) -> ActionResult {
        match serde_json::from_value(input) {
            Ok(input) => Action::execute(self, input, cx).await,
            Err(error) => {
                ActionResult::failed(format!("the input of `{}` does not fit: {error}", A::NAME))
            }
        }
    }
}
