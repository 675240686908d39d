//! A tool that a server offers.

use std::sync::Arc;

use futures::FutureExt;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arguments::Checker;
use super::failure::ToolFailure;
use super::parts::{Checks, ServerTool, ToolCall};
use super::reply::ToolReply;
use super::schema::{portable_schema, result_schema};
use crate::tool::{Object, ToolHints};

impl std::fmt::Debug for ServerTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerTool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ServerTool {
    /// A tool whose arguments have this JSON schema, which is sent as it is. It must describe an object.
    pub fn new<F, R>(name: impl Into<String>, description: impl Into<String>, input_schema: Value, function: F) -> Self
    where
        F: Fn(ToolCall) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply, ToolFailure>> + Send + 'static,
    {
        let mut checker = Checker::new(&input_schema);
        let input_schema = match input_schema {
            Value::Object(schema) => schema,
            _ => Object::new(),
        };
        if input_schema.get("type").and_then(Value::as_str) != Some("object") {
            checker = Err("the schema of its arguments must have `\"type\": \"object\"`".to_owned());
        }
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input_schema: Arc::new(input_schema),
            output_schema: None,
            hints: ToolHints::default(),
            checker,
            checks: Checks::Strict,
            handler: Arc::new(move |call| function(call).boxed()),
        }
    }

    /// A tool whose arguments are a type. Their schema is made from it and is [portable](portable_schema); for an argument that is
    /// an `Option`, null is the same as nothing.
    pub fn typed<A, F, R>(name: impl Into<String>, description: impl Into<String>, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(A, ToolCall) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply, ToolFailure>> + Send + 'static,
    {
        let read = move |call: ToolCall| {
            let arguments = serde_json::from_value::<A>(Value::Object(call.arguments().clone()));
            match arguments {
                Ok(arguments) => function(arguments, call).boxed(),
                Err(error) => {
                    let failure = ToolFailure::new(format!("the arguments do not fit: {error}"));
                    futures::future::ready(Err(failure)).boxed()
                }
            }
        };
        Self { checks: Checks::NullIsAbsent, ..Self::new(name, description, portable_schema::<A>(), read) }
    }

    /// Sets the title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Promises structured content of this JSON schema.
    #[must_use]
    pub fn output_schema(mut self, schema: Object) -> Self {
        self.output_schema = Some(Arc::new(schema));
        self
    }

    /// Promises structured content of this type.
    #[must_use]
    pub fn returns<T: JsonSchema>(self) -> Self {
        self.output_schema(result_schema::<T>())
    }

    /// Sets all that is said about its behaviour.
    #[must_use]
    pub fn hints(mut self, hints: ToolHints) -> Self {
        self.hints = hints;
        self
    }

    /// Says whether it changes nothing.
    #[must_use]
    pub fn read_only(mut self, is: bool) -> Self {
        self.hints.read_only = Some(is);
        self
    }

    /// Says whether it may destroy something.
    #[must_use]
    pub fn destructive(mut self, is: bool) -> Self {
        self.hints.destructive = Some(is);
        self
    }

    /// Says whether calling it twice has the effect of calling it once.
    #[must_use]
    pub fn idempotent(mut self, is: bool) -> Self {
        self.hints.idempotent = Some(is);
        self
    }

    /// Says whether it deals with things outside the server.
    #[must_use]
    pub fn open_world(mut self, is: bool) -> Self {
        self.hints.open_world = Some(is);
        self
    }

    /// Passes arguments on without a check against the schema, for a function that checks them with better words.
    #[must_use]
    pub fn unchecked(mut self) -> Self {
        self.checks = Checks::None;
        self
    }

    /// What is wrong with the tool itself.
    pub(super) fn problem(&self) -> Option<String> {
        let fits = (1..=128).contains(&self.name.len())
            && self.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
        if !fits {
            return Some(format!("the tool name `{}` is not 1 to 128 letters, digits, `_`, `-` or `.`", self.name));
        }
        self.checker.as_ref().err().map(|reason| format!("tool `{}`: {reason}", self.name))
    }

    pub(super) async fn call(&self, mut call: ToolCall) -> Result<ToolReply, ToolFailure> {
        if self.checks == Checks::NullIsAbsent {
            call.arguments.retain(|name, value| !value.is_null() || !self.is_optional(name));
        }
        if self.checks != Checks::None
            && let Ok(checker) = &self.checker
        {
            let problems = checker.problems(Value::Object(call.arguments.clone())).await;
            if !problems.is_empty() {
                return Err(ToolFailure::new(format!("the arguments do not fit: {}", problems.join("; "))));
            }
        }
        (self.handler)(call).await
    }

    fn is_optional(&self, argument: &str) -> bool {
        let known = self.input_schema.get("properties").and_then(|properties| properties.get(argument)).is_some();
        let required = self.input_schema.get("required").and_then(Value::as_array);
        known && !required.is_some_and(|required| required.iter().any(|name| name == argument))
    }
}
