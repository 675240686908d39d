//! One server of a configuration.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::expand::expand;
use super::server::{ConfiguredServer, Endpoint};
use crate::connection::StdioServer;
use crate::limits::Limits;
use crate::policy::ServerPolicy;

/// What an entry may hold besides its policy. Clients add keys of their own; those change nothing here.
const KNOWN: &[&str] = &[
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "httpUrl",
    "serverUrl",
    "headers",
    "type",
    "transport",
    "disabled",
    "policy",
    "description",
    "name",
];

const POLICY: &[&str] = &["allow", "deny", "parallelCalls", "connectTimeout", "callTimeout", "totalTimeout"];

/// The kind of a JSON value, for messages.
struct Kind<'a>(&'a Value);

impl fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        })
    }
}

type Fields = Map<String, Value>;

type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads an entry, or says what is wrong with it.
pub(super) fn read(
    name: &str,
    entry: &Value,
    variable: Variable<'_>,
    warnings: &mut Vec<String>,
) -> Result<ConfiguredServer, String> {
    let fields = entry.as_object().ok_or_else(|| format!("it is {}, not an object", Kind(entry)))?;
    let fields = Entry { fields, variable };
    for key in fields.fields.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
        warnings.push(format!("MCP server `{name}`: `{key}` is not known and has no effect"));
    }
    let kind = fields.text("type")?.or(fields.text("transport")?);
    let url = ["url", "httpUrl", "serverUrl"].iter().find_map(|key| fields.text(key).transpose()).transpose()?;
    let endpoint = match (fields.text("command")?, url, kind.as_deref()) {
        (_, _, Some("sse")) => {
            return Err("the transport `sse` was replaced by streamable HTTP in 2025; give the server's streamable HTTP address".to_owned());
        }
        (Some(_), Some(_), _) => return Err("it has both a command and a url; keep one".to_owned()),
        (None, None, _) => return Err("it has neither a `command` nor a `url`".to_owned()),
        (Some(command), None, None | Some("stdio")) => Endpoint::Stdio(fields.command(command)?),
        (None, Some(url), None | Some("http" | "streamable-http" | "streamableHttp" | "streamable_http")) => {
            fields.address(url)?
        }
        (_, _, Some(kind)) => {
            return Err(format!("the type `{kind}` does not fit; write `stdio` with a command or `http` with a url"));
        }
    };
    Ok(ConfiguredServer { name: name.to_owned(), endpoint, policy: fields.policy()? })
}

struct Entry<'a> {
    fields: &'a Fields,
    variable: Variable<'a>,
}

impl Entry<'_> {
    fn expand(&self, key: &str, value: &Value) -> Result<String, String> {
        let text = match value {
            Value::String(text) => text.clone(),
            // Files have ports and switches without quotes.
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            other => return Err(format!("`{key}` holds {}, not a text", Kind(other))),
        };
        expand(&text, self.variable).map_err(|reason| format!("`{key}`: {reason}"))
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        self.fields.get(key).map(|value| self.expand(key, value)).transpose()
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, String> {
        match self.fields.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| self.expand(key, item)).collect(),
            Some(other) => Err(format!("`{key}` is {}, not a list", Kind(other))),
        }
    }

    fn pairs(&self, key: &str) -> Result<Vec<(String, String)>, String> {
        match self.fields.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Object(pairs)) => {
                pairs.iter().map(|(name, value)| Ok((name.clone(), self.expand(key, value)?))).collect()
            }
            Some(other) => Err(format!("`{key}` is {}, not an object", Kind(other))),
        }
    }

    fn command(&self, command: String) -> Result<StdioServer, String> {
        if command.trim().is_empty() {
            return Err("its `command` is empty".to_owned());
        }
        let mut server = StdioServer::new(command).args(self.texts("args")?);
        server.env = self.pairs("env")?;
        server.cwd = self.text("cwd")?.map(Into::into);
        Ok(server)
    }

    #[cfg(feature = "http")]
    fn address(&self, url: String) -> Result<Endpoint, String> {
        let server = crate::connection::HttpServer::new(url);
        let server =
            self.pairs("headers")?.into_iter().fold(server, |server, (name, value)| server.header(name, value));
        Ok(Endpoint::Http(server))
    }

    #[cfg(not(feature = "http"))]
    fn address(&self, _: String) -> Result<Endpoint, String> {
        Err("this program was built without HTTP; build it with the feature `http`".to_owned())
    }

    fn policy(&self) -> Result<ServerPolicy, String> {
        let fields = match self.fields.get("policy") {
            None => return Ok(ServerPolicy::new()),
            Some(Value::Object(fields)) => Entry { fields, variable: self.variable },
            Some(other) => return Err(format!("`policy` is {}, not an object", Kind(other))),
        };
        // A rule that is misspelt would protect nothing.
        if let Some(key) = fields.fields.keys().find(|key| !POLICY.contains(&key.as_str())) {
            return Err(format!("`policy` knows no `{key}`; it knows {}", POLICY.join(", ")));
        }
        let mut policy = ServerPolicy::new();
        if fields.fields.contains_key("allow") {
            policy.allow = Some(fields.texts("allow")?);
        }
        policy.deny = fields.texts("deny")?;
        if let Some(calls) = fields.fields.get("parallelCalls") {
            let calls = calls.as_u64().filter(|calls| *calls > 0).and_then(|calls| usize::try_from(calls).ok());
            policy = policy.parallel_calls(calls.ok_or("`parallelCalls` is no whole number above 0")?);
        }
        let (connect, call, total) =
            (fields.seconds("connectTimeout")?, fields.seconds("callTimeout")?, fields.seconds("totalTimeout")?);
        if connect.is_some() || call.is_some() || total.is_some() {
            let mut limits = Limits::default();
            limits.connect = connect.unwrap_or(limits.connect);
            limits.call_total = total.unwrap_or(limits.call_total);
            policy.limits = Some(call.map_or(limits.clone(), |call| limits.call(call)));
        }
        Ok(policy)
    }

    fn seconds(&self, key: &str) -> Result<Option<Duration>, String> {
        let Some(value) = self.fields.get(key) else { return Ok(None) };
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
        let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        limit.map(Some).ok_or_else(|| format!("`{key}` is no number of seconds above 0"))
    }
}
