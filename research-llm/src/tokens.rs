//! How many tokens a text has.
