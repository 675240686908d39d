use research_core::State;
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Login {
    #[serde(skip)]
    password: String,
    #[serde(default, skip_serializing, rename = "token")]
    token: String,
    #[serde(with = "hidden")]
    pin: u64,
    // These are as good as before: a field that is never stored, and what changes nothing of what is.
    #[serde(skip)]
    #[reduce(untracked)]
    session: String,
    #[serde(default, rename = "user", skip_serializing_if = "String::is_empty")]
    name: String,
}

mod hidden {
    pub fn serialize<S: serde::Serializer>(_: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(0)
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
}

fn main() {}
