//! Resolves host names, and lets only checked addresses reach a connection.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve as HttpResolve, Resolving};

use crate::fetch::error::FetchError;
use crate::fetch::guard::Guard;

/// Resolves host names. Implement it for a host with its own resolver.
pub trait Resolve: Send + Sync {
    /// Returns the addresses of a host name.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The resolver of an HTTP client. The connection goes to the addresses that it returns, and it
/// returns none that was not checked.
pub(crate) struct CheckedResolver {
    pub(crate) inner: Arc<dyn Resolve>,
    /// Judges addresses; `None` for hosts that the user allowed.
    pub(crate) guard: Option<Guard>,
}

impl CheckedResolver {
    /// Returns the addresses of a host name, if all of them may be opened.
    pub(crate) async fn checked(&self, host: &str) -> Result<Vec<IpAddr>, FetchError> {
        let unresolved = |problem: String| FetchError::Unresolved { problem };
        let found = self
            .inner
            .resolve(host)
            .await
            .map_err(|error| unresolved(error.to_string()))?;
        if found.is_empty() {
            return Err(unresolved("the resolver returned nothing".to_owned()));
        }
        if let Some(guard) = &self.guard {
            guard.check_resolved(&found)?;
        }
        Ok(found)
    }
}

/// The resolver as HTTP clients take it.
pub(crate) struct HttpResolver(pub(crate) Arc<CheckedResolver>);

impl HttpResolve for HttpResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = Arc::clone(&self.0);
        Box::pin(async move {
            let found = resolver.checked(name.as_str()).await?;
            let addresses: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::fetch::error::RefusedReason;

    /// A name that is public at first and private afterwards.
    struct Rebinding(AtomicUsize);

    impl Resolve for Rebinding {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
            let address = match self.0.fetch_add(1, Ordering::Relaxed) {
                0 => [93, 184, 216, 34],
                _ => [127, 0, 0, 1],
            };
            Box::pin(async move { Ok(vec![IpAddr::from(address)]) })
        }
    }

    #[tokio::test]
    async fn the_connection_gets_the_address_that_was_checked() {
        let resolver = Arc::new(CheckedResolver {
            inner: Arc::new(Rebinding(AtomicUsize::new(0))),
            guard: Some(Guard::default()),
        });
        let http = HttpResolver(Arc::clone(&resolver));

        // One look-up gives both the check and the connection their addresses.
        let first: Vec<_> = http
            .resolve("rebind.net".parse().unwrap())
            .await
            .unwrap()
            .collect();
        assert_eq!(first, [SocketAddr::from(([93, 184, 216, 34], 0))]);

        let second = resolver.checked("rebind.net").await;
        let refused = FetchError::refused(RefusedReason::PrivateHost);
        assert_eq!(second, Err(refused));
        assert!(http.resolve("rebind.net".parse().unwrap()).await.is_err());
    }
}
