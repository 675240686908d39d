//! An address as it may be shown.

/// An address without what may be secret in it.
pub(super) fn shown(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(mut url) => {
            // Both fail only for addresses that cannot have a user.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.set_query(None);
            url.set_fragment(None);
            url.to_string()
        }
        Err(_) => "an address that cannot be read".to_owned(),
    }
}
