//! The transport of the providers: one place for keys, limits, proxies and the errors of HTTP.
