//! Changes of what a server offers, and who is told of them.

use std::sync::{Arc, PoisonError};

use rmcp::model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification};

use super::failure::ServeError;
use super::parts::{Announcer, ServerPrompt, ServerTool, Shared};

impl std::fmt::Debug for Announcer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Announcer").finish_non_exhaustive()
    }
}

impl Announcer {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::downgrade(shared) }
    }

    /// Adds a tool, in place of one of the same name. Returns what is wrong with it, if anything; then nothing changes.
    ///
    /// # Errors
    ///
    /// [`ServeError::Invalid`](super::ServeError::Invalid) when its name or its schema cannot be used.
    pub async fn set_tool(&self, tool: ServerTool) -> Result<(), ServeError> {
        let Some(shared) = self.shared.upgrade() else { return Ok(()) };
        if let Some(problem) = tool.problem() {
            return Err(ServeError::Invalid { server: shared.name.clone(), problems: vec![problem] });
        }
        set(&mut shared.tools.write().unwrap_or_else(PoisonError::into_inner), tool, |tool| &tool.name);
        self.tools_changed().await;
        Ok(())
    }

    /// Takes a tool away. Whether it was there.
    pub async fn remove_tool(&self, name: &str) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let was_there =
            remove(&mut shared.tools.write().unwrap_or_else(PoisonError::into_inner), |tool| tool.name == name);
        if was_there {
            self.tools_changed().await;
        }
        was_there
    }

    /// Adds a prompt, in place of one of the same name.
    pub async fn set_prompt(&self, prompt: ServerPrompt) {
        let Some(shared) = self.shared.upgrade() else { return };
        set(&mut shared.prompts.write().unwrap_or_else(PoisonError::into_inner), prompt, |prompt| &prompt.name);
        self.prompts_changed().await;
    }

    /// Takes a prompt away. Whether it was there.
    pub async fn remove_prompt(&self, name: &str) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let was_there =
            remove(&mut shared.prompts.write().unwrap_or_else(PoisonError::into_inner), |prompt| prompt.name == name);
        if was_there {
            self.prompts_changed().await;
        }
        was_there
    }

    /// Tells clients that the list of tools is another one.
    pub async fn tools_changed(&self) {
        self.list_changed(ServerNotification::ToolListChangedNotification(Default::default())).await;
    }

    /// Tells clients that the list of prompts is another one.
    pub async fn prompts_changed(&self) {
        self.list_changed(ServerNotification::PromptListChangedNotification(Default::default())).await;
    }

    /// Tells clients that the list of resources is another one.
    pub async fn resources_changed(&self) {
        self.list_changed(ServerNotification::ResourceListChangedNotification(Default::default())).await;
    }

    /// Tells the clients that subscribed to a resource that it has changed.
    pub async fn resource_updated(&self, uri: impl Into<String>) {
        let Some(shared) = self.shared.upgrade() else { return };
        if shared.offers.subscriptions {
            let params = ResourceUpdatedNotificationParam::new(uri);
            let notification = ResourceUpdatedNotification::new(params);
            shared.audience.tell(ServerNotification::ResourceUpdatedNotification(notification)).await;
        }
    }

    async fn list_changed(&self, notification: ServerNotification) {
        let Some(shared) = self.shared.upgrade() else { return };
        if shared.offers.changes {
            shared.audience.tell(notification).await;
        }
    }
}

fn set<T>(list: &mut Vec<Arc<T>>, new: T, name: impl Fn(&T) -> &String) {
    match list.iter_mut().find(|old| name(old) == name(&new)) {
        Some(old) => *old = Arc::new(new),
        None => list.push(Arc::new(new)),
    }
}

fn remove<T>(list: &mut Vec<Arc<T>>, is: impl Fn(&T) -> bool) -> bool {
    let before = list.len();
    list.retain(|item| !is(item));
    list.len() < before
}
