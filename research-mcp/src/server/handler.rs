//! Answers the requests of MCP; what was not declared is refused.

use std::collections::HashMap;
use std::sync::PoisonError;

#[expect(deprecated, reason = "clients of the revisions up to 2025-11-25 send it")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, CompletionInfo, GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, JsonObject, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsRequestMethod,
    ListToolsResult, PaginatedRequestParams, PromptsCapability, ReadResourceRequestMethod, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference, ResourcesCapability, ServerCapabilities, ServerConfig,
    SetLevelRequestMethod, SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter, Tool, ToolsCapability,
    UnsubscribeRequestMethod, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::caller::Brought;
use super::context::{Context, is_of_2026};
use super::failure::ToolFailure;
use super::log::LogLevel;
use super::parts::{Caller, Completing, PromptCall, ToolCall};
use super::tool_server::ToolServer;
use super::wire;
use super::work::{error, of_request, refused};

/// Addresses that a client can subscribe to.
const SUBSCRIBED: usize = 1000;

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let (shared, offers) = (&self.shared, &self.shared.offers);
        let mut capabilities = ServerCapabilities::default();
        let changes = offers.changes.then_some(true);
        if offers.tools {
            let mut tools = ToolsCapability::default();
            tools.list_changed = changes;
            capabilities.tools = Some(tools);
        }
        if offers.prompts {
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = changes;
            capabilities.prompts = Some(prompts);
        }
        if offers.resources {
            let mut resources = ResourcesCapability::default();
            resources.list_changed = changes;
            resources.subscribe = offers.subscriptions.then_some(true);
            capabilities.resources = Some(resources);
        }
        capabilities.logging = offers.logging.then(JsonObject::new);
        capabilities.completions = shared.completer.is_some().then(JsonObject::new);
        let mut implementation = Implementation::new(shared.name.clone(), shared.version.clone());
        implementation.title = shared.title.clone();
        let mut info = ServerConfig::new(capabilities).with_server_info(implementation);
        info.instructions = shared.instructions.clone();
        info
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.session.peer.set(context.peer).is_ok() {
            self.shared.audience.join(&self.session);
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tool(name).map(|tool| wire::tool(&tool))
    }

    async fn list_tools(&self, page: Option<PaginatedRequestParams>, _: Context) -> Result<ListToolsResult, ErrorData> {
        self.declared::<ListToolsRequestMethod>(self.shared.offers.tools, page)?;
        let tools = self.shared.tools();
        let mut result = ListToolsResult::with_all_items(tools.iter().map(|tool| wire::tool(tool)).collect());
        if let Some((life, scope)) = self.cache() {
            result = result.with_ttl_ms(life).with_cache_scope(scope);
        }
        Ok(result)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        self.declared::<CallToolRequestMethod>(self.shared.offers.tools, None)?;
        let Some(tool) = self.shared.tool(&request.name) else {
            let tools = self.shared.tools();
            let names: Vec<String> = tools.iter().take(20).map(|tool| format!("`{}`", tool.name)).collect();
            let message = format!("there is no tool `{}`; there is {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let any_structure = is_of_2026(&context);
        let brought = Brought {
            method: "tools/call",
            name: tool.name.clone(),
            arguments: Value::Object(arguments.clone()),
            responses: request.input_responses,
            state: request.request_state,
        };
        let caller = Caller::new(self, context.clone(), brought).map_err(error)?;
        let call = ToolCall { tool: tool.name.clone(), arguments, caller: caller.clone() };
        match self.run(caller, tool.call(call), &context).await {
            Ok(reply) => Ok(wire::reply(reply, false, any_structure).into()),
            Err(ToolFailure::Reported(reply)) => Ok(wire::reply(reply, true, any_structure).into()),
            Err(ToolFailure::Refused(refusal)) => refused(refusal),
        }
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.declared::<ListPromptsRequestMethod>(self.shared.offers.prompts, page)?;
        let prompts = self.shared.prompts();
        let mut result = ListPromptsResult::with_all_items(prompts.iter().map(|prompt| wire::prompt(prompt)).collect());
        if let Some((life, scope)) = self.cache() {
            result = result.with_ttl_ms(life).with_cache_scope(scope);
        }
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.declared::<GetPromptRequestMethod>(self.shared.offers.prompts, None)?;
        let Some(prompt) = self.shared.prompts().into_iter().find(|prompt| prompt.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let brought = Brought {
            method: "prompts/get",
            name: prompt.name.clone(),
            arguments: Value::Object(arguments.clone()),
            responses: request.input_responses,
            state: request.request_state,
        };
        let caller = Caller::new(self, context.clone(), brought).map_err(error)?;
        let arguments = arguments.into_iter().map(|(name, value)| (name, wire::text(value))).collect();
        let call = PromptCall { prompt: prompt.name.clone(), arguments, caller: caller.clone() };
        let written = self.run(caller, async { Ok(prompt.write(call).await?) }, &context).await;
        match written {
            Ok(messages) => {
                let mut result = GetPromptResult::new(messages.into_iter().map(wire::prompt_message).collect());
                result.description = prompt.description.clone();
                Ok(result.into())
            }
            Err(failure) => refused(of_request(failure)),
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.declared::<ListResourcesRequestMethod>(self.shared.offers.resources, page)?;
        let mut resources: Vec<_> = self.shared.resources.iter().map(wire::resource).collect();
        if let Some(lister) = &self.shared.lister {
            resources.extend(lister().await.map_err(error)?.iter().map(wire::resource));
        }
        let mut result = ListResourcesResult::with_all_items(resources);
        if let Some((life, scope)) = self.cache() {
            result = result.with_ttl_ms(life).with_cache_scope(scope);
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.declared::<ListResourceTemplatesRequestMethod>(self.shared.offers.resources, page)?;
        let templates = self.shared.templates.iter().filter_map(wire::template).collect();
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        if let Some((life, scope)) = self.cache() {
            result = result.with_ttl_ms(life).with_cache_scope(scope);
        }
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.declared::<ReadResourceRequestMethod>(self.shared.offers.resources, None)?;
        let brought = Brought {
            method: "resources/read",
            name: request.uri.clone(),
            arguments: Value::Null,
            responses: request.input_responses,
            state: request.request_state,
        };
        let caller = Caller::new(self, context.clone(), brought).map_err(error)?;
        let reading = self.read(request.uri, caller.clone());
        match self.run(caller, async { Ok(reading.await?) }, &context).await {
            Ok(content) => {
                let mut result = ReadResourceResult::new(vec![wire::contents(content)]);
                if let Some((life, scope)) = self.cache() {
                    result = result.with_ttl_ms(life).with_cache_scope(scope);
                }
                Ok(result.into())
            }
            Err(failure) => refused(of_request(failure)),
        }
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        let Some(completer) = &self.shared.completer else {
            return Err(ErrorData::method_not_found::<CompleteRequestMethod>());
        };
        let (of, is_prompt) = match request.r#ref {
            Reference::Prompt(prompt) => (prompt.name, true),
            Reference::Resource(template) => (template.uri, false),
            _ => return Err(ErrorData::invalid_params("only prompts and resource templates are completed", None)),
        };
        let others: HashMap<_, _> = request.context.and_then(|context| context.arguments).unwrap_or_default();
        let wanted = Completing {
            of,
            is_prompt,
            argument: request.argument.name,
            value: request.argument.value,
            others: others.into_iter().collect(),
        };
        let mut values = completer(wanted).await.map_err(error)?;
        let found = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let (total, has_more) = (u32::try_from(found).ok(), found > values.len());
        let completion = CompletionInfo::with_pagination(values, total, has_more);
        Ok(CompleteResult::new(completion.map_err(|reason| ErrorData::internal_error(reason, None))?))
    }

    #[expect(deprecated, reason = "clients of the revisions up to 2025-11-25 send it")]
    async fn set_level(&self, request: SetLevelRequestParams, context: Context) -> Result<(), ErrorData> {
        if !self.shared.offers.logging || is_of_2026(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        let level = LogLevel::read(request.level);
        *self.session.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
        Ok(())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        self.declared::<SubscribeRequestMethod>(self.shared.offers.subscriptions, None)?;
        let mut subscribed = self.session.subscribed.lock().unwrap_or_else(PoisonError::into_inner);
        if subscribed.len() >= SUBSCRIBED {
            let message = format!("a client can subscribe to {SUBSCRIBED} resources; unsubscribe from others first");
            return Err(ErrorData::invalid_params(message, None));
        }
        subscribed.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        self.declared::<UnsubscribeRequestMethod>(self.shared.offers.subscriptions, None)?;
        self.session.subscribed.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let offers = &self.shared.offers;
        (offers.changes || offers.subscriptions).then(|| requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _listening = self.shared.audience.listen(context.sink().clone());
        self.closing.run_until_cancelled(context.cancelled()).await;
        Ok(())
    }
}
