//! What the compiler says to users' mistakes, word for word.
//!
//! The texts are those of Rust 1.95; `TRYBUILD=overwrite` renews them for another compiler.

#[test]
fn mistakes_get_the_texts_that_stand_beside_them() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
