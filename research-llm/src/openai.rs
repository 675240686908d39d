//! OpenAI and the servers that speak like it.
