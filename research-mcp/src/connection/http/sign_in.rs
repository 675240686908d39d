//! The sign-in of one server: its token, and how it gets another.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, ClientCredentialsConfig, OAuthState, WWWAuthenticateParams,
};
use secrecy::ExposeSecret;
use tokio::sync::Mutex;

use crate::oauth::{Consent, Grant, OAuth};

/// How often more rights are asked for in a row without a request that is then allowed. With the first sign-in that makes three,
/// which is where the conformance suite of MCP begins to speak of an endless loop.
const WIDENINGS: u32 = 2;

/// A sign-in that all connections to a server share.
#[derive(Clone)]
pub(super) struct SignIn {
    settings: OAuth,
    state: Arc<Mutex<Option<OAuthState>>>,
    /// How often more rights were asked for since a request was allowed with them.
    widened: Arc<AtomicU32>,
}

impl SignIn {
    pub(super) fn new(settings: OAuth) -> Self {
        Self { settings, state: Arc::default(), widened: Arc::default() }
    }

    /// The token to send, when there is one. Waits for a sign-in that is under way.
    pub(super) async fn token(&self, url: &Url) -> Result<Option<String>, AuthError> {
        let mut state = self.state.lock().await;
        if state.is_none() && self.settings.store.is_some() {
            let mut manager = self.manager(url).await?;
            if manager.initialize_from_store().await? {
                *state = Some(OAuthState::Authorized(manager));
            }
        }
        match token_of(&state).await {
            Ok(token) => Ok(Some(token)),
            Err(AuthError::AuthorizationRequired) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Another token in place of one that the server refused.
    pub(super) async fn renew(&self, url: &Url, refused: Option<&str>, challenge: &str) -> Result<String, AuthError> {
        let mut state = self.state.lock().await;
        if let Some(token) = other_than(&state, refused).await {
            return Ok(token);
        }
        if let Some(OAuthState::Authorized(manager)) = &*state
            && manager.refresh_token().await.is_ok()
            && let Some(token) = other_than(&state, refused).await
        {
            return Ok(token);
        }
        *state = Some(self.signed_in(url, challenge, &[]).await?);
        token_of(&state).await
    }

    /// A token with the right that the server says is missing.
    pub(super) async fn widen(&self, url: &Url, refused: Option<&str>, challenge: &str) -> Result<String, AuthError> {
        let mut state = self.state.lock().await;
        if let Some(token) = other_than(&state, refused).await {
            return Ok(token);
        }
        // The SDK's own count begins again with each consent.
        if self.widened.fetch_add(1, Ordering::Relaxed) >= WIDENINGS {
            return Err(AuthError::InvalidScope(
                "the server is never content with the rights that it asks for".to_owned(),
            ));
        }
        let wanted = WWWAuthenticateParams::parse(challenge, url).scope.ok_or(AuthError::AuthorizationRequired)?;
        match (&self.settings.grant, state.as_mut()) {
            (Grant::User(consent), Some(open @ OAuthState::Authorized(_))) => {
                let page = open.request_scope_upgrade(&wanted, &consent.redirect_uri()).await?;
                if let Err(error) = consented(open, &**consent, page).await {
                    *state = None;
                    return Err(error);
                }
            }
            _ => *state = Some(self.signed_in(url, challenge, &[wanted]).await?),
        }
        token_of(&state).await
    }

    /// Takes in that a request with more rights was allowed.
    pub(super) fn allowed(&self) {
        self.widened.store(0, Ordering::Relaxed);
    }

    async fn signed_in(&self, url: &Url, challenge: &str, wanted: &[String]) -> Result<OAuthState, AuthError> {
        let mut state = OAuthState::Unauthorized(self.manager(url).await?);
        let settings = &self.settings;
        let scopes = if settings.scopes.is_empty() && wanted.is_empty() {
            Vec::new()
        } else {
            [&settings.scopes, wanted].concat()
        };
        match &settings.grant {
            Grant::ClientCredentials => {
                let secret = settings.client_secret.as_ref().map(|secret| secret.expose_secret().to_owned());
                state
                    .authenticate_client_credentials(ClientCredentialsConfig::ClientSecret {
                        client_id: settings.client_id.clone().unwrap_or_default(),
                        client_secret: secret.unwrap_or_default(),
                        scopes,
                        resource: Some(url.to_string()),
                    })
                    .await?;
            }
            Grant::User(consent) => {
                let mut request = AuthorizationRequest::new(consent.redirect_uri()).with_initial_scope_selection();
                request = request.with_scopes(scopes).with_challenge(challenge);
                request.client_id.clone_from(&settings.client_id);
                request.client_secret = settings.client_secret.as_ref().map(|secret| secret.expose_secret().to_owned());
                request.client_metadata_url.clone_from(&settings.client_metadata_url);
                let name = settings.client_name.as_deref().unwrap_or(env!("CARGO_PKG_NAME"));
                state.start_authorization(request.with_client_name(name)).await?;
                let page = state.get_authorization_url().await?;
                consented(&mut state, &**consent, page).await?;
            }
        }
        Ok(state)
    }

    async fn manager(&self, url: &Url) -> Result<AuthorizationManager, AuthError> {
        super::tls::choose_tls();
        let mut manager = if self.settings.private_addresses {
            AuthorizationManager::new_allowing_private_addresses(url.clone()).await?
        } else {
            AuthorizationManager::new(url.clone()).await?
        };
        if let Some(store) = &self.settings.store {
            manager.set_credential_store(store.clone());
        }
        Ok(manager)
    }
}

async fn consented(state: &mut OAuthState, consent: &dyn Consent, page: String) -> Result<(), AuthError> {
    let back = consent.ask(page).await.map_err(|error| AuthError::AuthorizationFailed(error.to_string()))?;
    state.handle_callback_url(&back).await
}

async fn token_of(state: &Option<OAuthState>) -> Result<String, AuthError> {
    match state {
        Some(OAuthState::Authorized(manager)) => manager.get_access_token().await,
        _ => Err(AuthError::AuthorizationRequired),
    }
}

/// The token that somebody else has got meanwhile.
async fn other_than(state: &Option<OAuthState>, refused: Option<&str>) -> Option<String> {
    token_of(state).await.ok().filter(|token| Some(token.as_str()) != refused)
}
