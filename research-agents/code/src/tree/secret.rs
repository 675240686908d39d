//! Names of files that hold keys and passwords.

use crate::tree::path::RelPath;

/// Names of files, in lower case.
const NAMES: &[&str] = &[
    ".env",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "service-account.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];

/// Extensions of keys and key stores, in lower case.
const EXTENSIONS: &[&str] = &[
    "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "asc", "gpg", "ppk",
];

/// Folders whose content is secret.
const FOLDERS: &[&str] = &[".ssh", ".aws", ".gnupg", ".kube", ".docker"];

/// Returns whether a file is one that usually holds keys or passwords.
pub(crate) fn is_secret(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    let is_environment = name.starts_with(".env.") && !name.ends_with(".example");
    let in_secret_folder = path
        .folder()
        .split('/')
        .any(|folder| FOLDERS.contains(&folder));
    NAMES.contains(&name.as_str())
        || is_environment
        || EXTENSIONS.contains(&path.extension().as_str())
        || in_secret_folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_code() {
        let is = |path: &str| is_secret(&RelPath::parse(path).unwrap());
        for path in [
            ".env",
            "a/.env.production",
            "deploy/server.pem",
            ".ssh/config",
            "ID_RSA",
        ] {
            assert!(is(path), "{path}");
        }

        for path in [
            "src/env.rs",
            "keys.rs",
            ".env.example",
            "src/credentials.rs",
            "monkey",
        ] {
            assert!(!is(path), "{path}");
        }
    }
}
