//! Sources, and the registry that gives them their ids.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::text::untrusted::Untrusted;

/// Maximum length of a record id that is used as a source id unchanged.
const MAX_ID: usize = 40;

/// A record that was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Id in this run, which citations name. [`SourceRegistry::register`] sets it.
    #[serde(default)]
    pub id: String,
    /// The record's own primary id.
    pub record: String,
    /// Name of the tool that returned it.
    pub tool: String,
    /// Names of other tools that returned the same record, under the same primary id and web
    /// address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Title; empty if the record has none.
    #[serde(default)]
    pub title: Untrusted<String>,
    /// Address: `http`, `https` or `doc`.
    #[serde(default)]
    pub url: Option<String>,
    /// Beginning of the record, at most 300 characters.
    #[serde(default)]
    pub snippet: Untrusted<String>,
    /// The record's own fields.
    #[serde(default)]
    pub fields: Untrusted<Map<String, Value>>,
    /// Text of the record, from which quotes are taken.
    #[serde(default)]
    pub text: Untrusted<String>,
    /// Whether the text is only the beginning of the record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl Source {
    /// Returns the names of the tools that returned it, beginning with the first one.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        [&self.tool]
            .into_iter()
            .chain(&self.also)
            .map(String::as_str)
    }

    /// Returns the value of a field: by its exact name, else by its name in another case, else by a
    /// dotted path into objects.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let fields = self.fields.for_code();
        fields
            .get(name)
            .or_else(|| {
                fields
                    .iter()
                    .find(|(key, _)| key.eq_ignore_ascii_case(name))
                    .map(|(_, value)| value)
            })
            .or_else(|| {
                let mut parts = name.split('.');
                let first = fields.get(parts.next()?)?;
                parts.try_fold(first, |value, part| value.get(part))
            })
    }
}

/// All sources of a run in the order in which they were first seen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Source>", into = "Vec<Source>")]
pub struct SourceRegistry {
    entries: Vec<Arc<Source>>,
    by_id: HashMap<String, usize>,
    /// Indices by tool and primary id.
    by_record: HashMap<(String, String), usize>,
    /// Indices by primary id and web address.
    by_address: HashMap<(String, String), usize>,
}

/// The outcome of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Id of the source.
    pub id: String,
    /// Whether the record was not known before.
    pub new: bool,
}

impl SourceRegistry {
    /// Adds a source, and returns its id. Nothing is added if the registry has the same record of
    /// the same tool, or a record of another tool with the same primary id and web address.
    ///
    /// The id is the record's own if it has 1 to 40 characters of `A-Z a-z 0-9 . _ : -`, else
    /// `doc-` and the first hexadecimal digits of its SHA-256. If a record of another tool has that
    /// id, it is `tool:id`.
    ///
    /// ```
    /// use research_agents_report::evidence::{Source, SourceRegistry};
    ///
    /// let record =
    ///     |tool: &str| Source { tool: tool.into(), record: "7".into(), ..Source::default() };
    /// let mut sources = SourceRegistry::default();
    /// assert_eq!(sources.register(record("events")).id, "7");
    /// assert!(!sources.register(record("events")).new);
    /// assert_eq!(sources.register(record("reports")).id, "reports:7");
    /// ```
    pub fn register(&mut self, source: Source) -> Registered {
        self.register_after(source, &Self::default())
    }

    /// Adds a source in a run that follows earlier ones. A record that an earlier run knew keeps
    /// its id, and no other record gets an id of an earlier run. Otherwise as
    /// [`register`](Self::register).
    pub fn register_after(&mut self, mut source: Source, earlier: &Self) -> Registered {
        if let Some(at) = self.position(&source) {
            self.join(at, &source);
            return Registered {
                id: self
                    .entries
                    .get(at)
                    .map(|entry| entry.id.clone())
                    .unwrap_or_default(),
                new: false,
            };
        }

        let known = earlier
            .of_record(&source.tool, &source.record)
            .map(|known| known.id.clone());
        source.id = known
            .filter(|id| !self.by_id.contains_key(id))
            .unwrap_or_else(|| {
                self.free_id(&source.tool, &source.record, |id| {
                    earlier.by_id.contains_key(id)
                })
            });

        let id = source.id.clone();
        self.insert(source);
        Registered { id, new: true }
    }

    /// Returns the index of a source's record: of the same record of the same tool, or of a record
    /// of another tool with the same primary id and web address.
    fn position(&self, source: &Source) -> Option<usize> {
        let known = source.tools().find_map(|tool| {
            self.by_record
                .get(&(tool.to_owned(), source.record.clone()))
        });
        known
            .or_else(|| self.by_address.get(&address(source)?))
            .copied()
    }

    /// Adds the tools of a source to the entry of the same record.
    fn join(&mut self, at: usize, source: &Source) {
        let Some(entry) = self.entries.get_mut(at) else {
            return;
        };
        for tool in source.tools() {
            if entry.tools().all(|known| known != tool) {
                Arc::make_mut(entry).also.push(tool.to_owned());
                self.by_record
                    .insert((tool.to_owned(), entry.record.clone()), at);
            }
        }
    }

    /// Adds a source with its id.
    fn insert(&mut self, source: Source) {
        let at = self.entries.len();
        self.by_id.insert(source.id.clone(), at);
        for tool in source.tools() {
            self.by_record
                .insert((tool.to_owned(), source.record.clone()), at);
        }
        self.by_address
            .extend(address(&source).map(|address| (address, at)));
        self.entries.push(Arc::new(source));
    }

    /// Removes a source. All others keep their ids and their order.
    pub fn remove(&mut self, id: &str) -> Option<Arc<Source>> {
        let at = *self.by_id.get(id)?;
        let removed = self.entries.remove(at);

        let keep = |index: &mut usize| {
            let stays = *index != at;
            *index -= usize::from(*index > at);
            stays
        };
        self.by_id.retain(|_, index| keep(index));
        self.by_record.retain(|_, index| keep(index));
        self.by_address.retain(|_, index| keep(index));
        Some(removed)
    }

    /// Returns the id of a new record: its own, else one that no other record has.
    fn free_id(&self, tool: &str, record: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let digest = hex(&Sha256::digest(record.as_bytes()));
        let own = if is_citable(record) {
            record.to_owned()
        } else {
            format!("doc-{}", &digest[..8])
        };
        let prefixed = format!("{tool}:{own}");
        let salted = hex(&Sha256::digest(format!("{tool}\0{record}").as_bytes()));

        let candidates = [own, prefixed].into_iter().filter(|id| is_citable(id));
        let hashed = (8..=salted.len()).map(|digits| format!("doc-{}", &salted[..digits.min(36)]));
        candidates
            .chain(hashed)
            .find(|id| !self.by_id.contains_key(id) && !is_taken(id))
            .unwrap_or_default()
    }

    /// Returns the source with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Source>> {
        self.by_id.get(id).and_then(|at| self.entries.get(*at))
    }

    /// Returns the source of a tool's record.
    pub fn of_record(&self, tool: &str, record: &str) -> Option<&Arc<Source>> {
        self.by_record
            .get(&(tool.to_owned(), record.to_owned()))
            .and_then(|at| self.entries.get(*at))
    }

    /// Returns the registered source of the same record, which [`register`](Self::register) would
    /// find. `None` if the source is new.
    pub fn find(&self, source: &Source) -> Option<&Arc<Source>> {
        self.entries.get(self.position(source)?)
    }

    /// Returns all sources in the order in which they were first seen.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Source>> {
        self.entries.iter()
    }

    /// Returns the number of sources.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if the registry is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl PartialEq for SourceRegistry {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl From<Vec<Source>> for SourceRegistry {
    /// Restores a stored registry with its ids. A source without an id gets one.
    fn from(sources: Vec<Source>) -> Self {
        let mut registry = Self::default();
        for source in sources {
            if source.id.is_empty() || registry.by_id.contains_key(&source.id) {
                registry.register(source);
            } else {
                registry.insert(source);
            }
        }
        registry
    }
}

impl From<SourceRegistry> for Vec<Source> {
    fn from(registry: SourceRegistry) -> Self {
        registry
            .entries
            .iter()
            .map(|source| Source::clone(source))
            .collect()
    }
}

/// Returns the primary id and the web address of a source. `None` without a web address.
fn address(source: &Source) -> Option<(String, String)> {
    let url = source
        .url
        .as_ref()
        .filter(|url| url.starts_with("https://") || url.starts_with("http://"))?;
    Some((source.record.clone(), url.clone()))
}

/// Returns whether a string can be an id in a citation.
pub(crate) fn is_citable(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
}

/// Returns bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(tool: &str, id: &str) -> Source {
        Source {
            tool: tool.into(),
            record: id.into(),
            ..Source::default()
        }
    }

    #[test]
    fn the_id_is_the_records_own() {
        let mut registry = SourceRegistry::default();
        assert_eq!(
            registry.register(record("t", "PAG090")),
            Registered {
                id: "PAG090".into(),
                new: true
            }
        );
        assert_eq!(registry.register(record("t", "4711")).id, "4711");
    }

    #[test]
    fn the_same_record_keeps_its_id_in_every_round() {
        let mut registry = SourceRegistry::default();
        registry.register(record("t", "7"));
        assert_eq!(
            registry.register(record("t", "7")),
            Registered {
                id: "7".into(),
                new: false
            }
        );
        assert_eq!(registry.len(), 1);
    }

    #[test]
    fn equal_content_under_two_ids_makes_two_sources() {
        let mut registry = SourceRegistry::default();
        for id in ["1", "2"] {
            let url = Some("https://example.org/same".to_owned());
            registry.register(Source {
                url,
                text: Untrusted::new("same".into()),
                ..record("t", id)
            });
        }
        assert_eq!(registry.len(), 2);
    }

    #[test]
    fn the_same_id_from_a_second_tool_is_prefixed() {
        let mut registry = SourceRegistry::default();
        registry.register(record("events", "7"));
        assert_eq!(registry.register(record("reports", "7")).id, "reports:7");
        assert_eq!(registry.register(record("reports", "8")).id, "8");
    }

    #[test]
    fn a_record_that_an_earlier_run_knew_keeps_its_id_and_no_other_gets_it() {
        let mut earlier = SourceRegistry::default();
        earlier.register(record("events", "7"));
        earlier.register(record("reports", "7"));
        let mut registry = SourceRegistry::default();
        let id = |registry: &mut SourceRegistry, tool| {
            registry.register_after(record(tool, "7"), &earlier).id
        };
        assert_eq!(id(&mut registry, "reports"), "reports:7");
        assert_eq!(id(&mut registry, "notes"), "notes:7");
        assert_eq!(id(&mut registry, "events"), "7");
    }

    #[test]
    fn records_of_two_tools_are_one_source_when_id_and_web_address_agree() {
        let at = |tool: &str, id: &str, url: &str| Source {
            url: Some(url.into()),
            ..record(tool, id)
        };
        let mut registry = SourceRegistry::default();
        registry.register(at("events", "7", "https://example.org/7"));
        assert_eq!(
            registry
                .find(&at("reports", "7", "https://example.org/7"))
                .unwrap()
                .id,
            "7"
        );
        assert!(
            registry
                .find(&at("reports", "7", "https://example.org/other"))
                .is_none()
        );

        let same = registry.register(at("reports", "7", "https://example.org/7"));
        assert_eq!(
            same,
            Registered {
                id: "7".into(),
                new: false
            }
        );
        assert_eq!(
            registry
                .register(at("news", "7", "https://example.org/other"))
                .id,
            "news:7"
        );
        assert!(registry.register(at("events", "8", "doc://8")).new);
        assert!(
            registry.register(at("reports", "8", "doc://8")).new,
            "an address that was made up says nothing"
        );

        let stored = serde_json::to_string(&registry).unwrap();
        let back: SourceRegistry = serde_json::from_str(&stored).unwrap();
        assert_eq!(back, registry);
        assert_eq!(back.of_record("reports", "7").unwrap().id, "7");
        assert!(
            back.of_record("reports", "7")
                .unwrap()
                .tools()
                .eq(["events", "reports"])
        );
    }

    #[test]
    fn a_source_that_is_taken_out_leaves_the_others_as_they_were() {
        let mut registry = SourceRegistry::default();
        for id in ["7", "8", "9"] {
            registry.register(record("t", id));
        }
        assert_eq!(registry.remove("8").unwrap().record, "8");
        assert!(registry.remove("8").is_none());
        assert!(
            registry
                .iter()
                .map(|source| source.id.as_str())
                .eq(["7", "9"])
        );
        assert_eq!(registry.of_record("t", "9").unwrap().id, "9");
        assert!(registry.of_record("t", "8").is_none() && registry.get("8").is_none());
    }

    #[test]
    fn an_id_that_cannot_be_cited_is_hashed() {
        let mut registry = SourceRegistry::default();
        let id = registry.register(record("t", "a b [c]")).id;
        assert_eq!(id.len(), "doc-".len() + 8);
        assert_ne!(registry.register(record("t", "a b [d]")).id, id);
        assert!(
            registry
                .register(record("t", &"9".repeat(41)))
                .id
                .starts_with("doc-")
        );
        assert!(
            registry
                .register(record("u", "a b [c]"))
                .id
                .starts_with("u:doc-")
        );
    }

    #[test]
    fn a_stored_registry_comes_back_with_the_same_ids() {
        let mut registry = SourceRegistry::default();
        registry.register(record("events", "7"));
        registry.register(record("reports", "7"));
        let stored = serde_json::to_string(&registry).unwrap();
        let back: SourceRegistry = serde_json::from_str(&stored).unwrap();
        assert_eq!(back, registry);
        assert_eq!(back.of_record("reports", "7").unwrap().id, "reports:7");
    }

    #[test]
    fn fields_are_found_by_name_case_and_path() {
        let Value::Object(fields) = json!({"Wildlife Size": "Small", "place": {"state": "Ohio"}})
        else {
            panic!()
        };
        let source = Source {
            fields: Untrusted::new(fields),
            ..record("t", "1")
        };
        assert_eq!(source.field("wildlife size"), Some(&json!("Small")));
        assert_eq!(source.field("place.state"), Some(&json!("Ohio")));
        assert_eq!(source.field("none"), None);
    }
}
