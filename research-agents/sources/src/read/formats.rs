//! One reader for each format.

pub(crate) mod about;
pub(crate) mod plain;
pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod rest;
pub(crate) mod man;
pub(crate) mod pdf;
pub(crate) mod xml;
pub(crate) mod office;
