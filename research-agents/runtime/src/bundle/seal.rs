//! The digest of a bundle: one hash over all of it.
//!
//! It reveals accidental changes and is not a signature: the author of a forged bundle can compute
//! it again. Verification can then only find that the forged parts do not follow from the recorded
//! traffic.

use serde_json::Value;

use crate::bundle::model::Bundle;
use crate::tape::digest::{canonical, sha256};

impl Bundle {
    /// Returns the SHA-256 of the canonical JSON of all fields but `digest`, in hexadecimal digits.
    ///
    /// # Errors
    ///
    /// When a part has no JSON form, which a bundle of a run never has.
    pub fn computed_digest(&self) -> Result<String, serde_json::Error> {
        let mut whole = serde_json::to_value(self)?;
        if let Value::Object(fields) = &mut whole {
            fields.remove("digest");
        }
        Ok(sha256(&canonical(whole)))
    }

    /// Sets the digest. Verification then finds later changes.
    ///
    /// # Errors
    ///
    /// As for [`computed_digest`](Self::computed_digest).
    pub fn seal(&mut self) -> Result<(), serde_json::Error> {
        self.digest = self.computed_digest()?;
        Ok(())
    }
}
