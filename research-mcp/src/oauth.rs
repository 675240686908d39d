//! Signing in to a server with OAuth 2.1, through the SDK.

use std::sync::Arc;
use std::{fmt, io};

use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use secrecy::SecretString;

use crate::future::BoxFuture;

/// Asks the user to let this program speak for them: opens a page and waits until the user comes back from it.
pub trait Consent: Send + Sync {
    /// Where the authorization server sends the user afterwards, such as `http://127.0.0.1:8123/callback`.
    fn redirect_uri(&self) -> String;

    /// Shows the user the page at an address, which the authorization server has chosen, and resolves to the whole address that
    /// they were sent back to.
    ///
    /// # Errors
    ///
    /// When the page cannot be shown, or the user does not come back.
    fn ask(&self, page: String) -> BoxFuture<'_, io::Result<String>>;
}

/// How a program signs in to a server; give it to [`HttpServer::oauth`](crate::HttpServer::oauth).
///
/// It happens when the server asks for it, and again when it wants more rights. The limits of the connection or of the call hold meanwhile, so
/// give a person who signs in enough time by [`Limits::connect`](crate::Limits::connect). Addresses that the server names are
/// refused when they lead into private networks, unless the server is there itself. Proxies of the environment apply.
#[derive(Clone)]
pub struct OAuth {
    pub(crate) grant: Grant,
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<SecretString>,
    pub(crate) client_name: Option<String>,
    pub(crate) client_metadata_url: Option<String>,
    pub(crate) scopes: Vec<String>,
    pub(crate) store: Option<SharedStore>,
    pub(crate) private_addresses: bool,
}

/// In whose name the program speaks.
#[derive(Clone)]
pub(crate) enum Grant {
    /// In that of a user, who consents.
    User(Arc<dyn Consent>),
    /// In its own.
    ClientCredentials,
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

impl OAuth {
    /// Signs in in the name of a user. Unless a client is set, the program registers itself.
    pub fn user(consent: Arc<dyn Consent>) -> Self {
        Self {
            grant: Grant::User(consent),
            client_id: None,
            client_secret: None,
            client_name: None,
            client_metadata_url: None,
            scopes: Vec::new(),
            store: None,
            private_addresses: false,
        }
    }

    /// Signs in in the name of the program itself.
    pub fn client_credentials(client_id: impl Into<String>, client_secret: impl Into<SecretString>) -> Self {
        Self {
            grant: Grant::ClientCredentials,
            client_id: Some(client_id.into()),
            client_secret: Some(client_secret.into()),
            client_name: None,
            client_metadata_url: None,
            scopes: Vec::new(),
            store: None,
            private_addresses: false,
        }
    }

    /// Sets under which id the program is known to the authorization server.
    #[must_use]
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Sets the secret that goes with the id.
    #[must_use]
    pub fn client_secret(mut self, secret: impl Into<SecretString>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    /// Sets under which name the program registers itself.
    #[must_use]
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.client_name = Some(name.into());
        self
    }

    /// Sets the address of the document that describes the program, for authorization servers that read one.
    #[must_use]
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.client_metadata_url = Some(url.into());
        self
    }

    /// Sets the rights that are asked for; otherwise those that the server names.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets where tokens are kept; otherwise in memory, for as long as the hub lives.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn CredentialStore>) -> Self {
        self.store = Some(SharedStore(store));
        self
    }

    /// Allows an authorization server in a private network.
    #[must_use]
    pub fn allow_private_addresses(mut self) -> Self {
        self.private_addresses = true;
        self
    }
}

/// A store that several sign-ins share.
#[derive(Clone)]
pub(crate) struct SharedStore(Arc<dyn CredentialStore>);

#[async_trait::async_trait]
impl CredentialStore for SharedStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.0.load().await
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.0.save(credentials).await
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.0.clear().await
    }

    async fn on_refresh_token_rejected(&self, credentials: &StoredCredentials) -> Result<(), AuthError> {
        self.0.on_refresh_token_rejected(credentials).await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        self.0.acquire_refresh_guard().await
    }
}
