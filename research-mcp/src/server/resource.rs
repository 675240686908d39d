//! Resources that a server offers.

use std::sync::Arc;

use futures::FutureExt;

use super::failure::Refusal;
use super::parts::{ResourceRead, ServerResource, ServerResourceTemplate};
use super::template::Template;
use crate::output::ResourceContent;

impl std::fmt::Debug for ServerResource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerResource").field("uri", &self.uri).field("name", &self.name).finish_non_exhaustive()
    }
}

impl ServerResource {
    /// A resource that is listed; what is in it comes from the [template](ServerResourceTemplate) that fits its address.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            media_type: None,
            size: None,
            reader: None,
        }
    }

    /// A text.
    pub fn text(uri: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let size = text.len() as u64;
        let resource = Self::new(uri, name).media_type("text/plain");
        let content = ResourceContent::text(resource.uri.clone(), text);
        Self { size: Some(size), ..resource.holding(content) }
    }

    /// Bytes in base 64.
    pub fn blob(uri: impl Into<String>, name: impl Into<String>, base64: impl Into<String>) -> Self {
        let resource = Self::new(uri, name).media_type("application/octet-stream");
        let content = ResourceContent::blob(resource.uri.clone(), base64);
        resource.holding(content)
    }

    fn holding(self, content: ResourceContent) -> Self {
        self.read_by(move |_| futures::future::ready(Ok(content.clone())))
    }

    /// Sets the function that reads it.
    #[must_use]
    pub fn read_by<F, R>(mut self, function: F) -> Self
    where
        F: Fn(ResourceRead) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ResourceContent, Refusal>> + Send + 'static,
    {
        self.reader = Some(Arc::new(move |read| function(read).boxed()));
        self
    }

    /// Sets the title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what it holds.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets its media type.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Sets its size in bytes.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// Whether it can be read without a template.
    pub(super) fn is_readable(&self) -> bool {
        self.reader.is_some()
    }

    pub(super) async fn read(&self, read: ResourceRead) -> Result<ResourceContent, Refusal> {
        match &self.reader {
            Some(reader) => Ok(typed(reader(read).await?, self.media_type.as_deref())),
            None => Err(Refusal::resource_not_found(read.uri)),
        }
    }
}

impl std::fmt::Debug for ServerResourceTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerResourceTemplate").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ServerResourceTemplate {
    /// Resources that this function reads. A variable stands for one or more characters other than `/`.
    pub fn new<F, R>(uri_template: impl Into<String>, name: impl Into<String>, function: F) -> Self
    where
        F: Fn(ResourceRead) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ResourceContent, Refusal>> + Send + 'static,
    {
        Self {
            template: Template::parse(uri_template.into()),
            name: name.into(),
            title: None,
            description: None,
            media_type: None,
            reader: Arc::new(move |read| function(read).boxed()),
        }
    }

    /// Sets the title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what the resources hold.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets their media type.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    pub(super) async fn read(&self, read: ResourceRead) -> Result<ResourceContent, Refusal> {
        Ok(typed((self.reader)(read).await?, self.media_type.as_deref()))
    }
}

/// With the media type of the listing, unless it has its own.
fn typed(mut content: ResourceContent, media_type: Option<&str>) -> ResourceContent {
    if content.media_type.is_none() {
        content.media_type = media_type.map(str::to_owned);
    }
    content
}
