//! The digest of a bundle: one hash over all of it.
//!
//! It finds changes; it is no signature. Whoever rewrites a bundle can compute it again, and is found, if at all, because what
//! was changed no longer follows from the recorded traffic.

use serde_json::Value;

use super::{Bundle, canonical, sha256};

impl Bundle {
    /// SHA-256, in hexadecimal digits, of the canonical JSON of all fields but `digest`.
    ///
    /// # Errors
    ///
    /// When a part has no form in JSON, which a bundle of a run never has.
    pub fn computed_digest(&self) -> Result<String, serde_json::Error> {
        let mut whole = serde_json::to_value(self)?;
        if let Value::Object(fields) = &mut whole {
            fields.remove("digest");
        }
        Ok(sha256(&canonical(whole)))
    }

    /// Sets the digest. What is changed afterwards is found.
    ///
    /// # Errors
    ///
    /// As [`computed_digest`](Self::computed_digest).
    pub fn seal(&mut self) -> Result<(), serde_json::Error> {
        self.digest = self.computed_digest()?;
        Ok(())
    }
}
