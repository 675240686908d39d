//! The provider of TLS for this process.

/// The first program part to need TLS chooses the provider for all; another choice stands.
pub(super) fn choose_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
