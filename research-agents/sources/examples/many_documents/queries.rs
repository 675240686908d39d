//! What is asked: words as people search documentation.

/// Queries of one to six words, common and rare.
pub(crate) const QUERIES: &[&str] = &[
    "borrow checker",
    "sort a vector by key",
    "mutable reference lifetime elision",
    "panic when index out of bounds",
    "iterator adapter that flattens nested iterators",
    "utf-8 string slice char boundary",
    "atomic memory ordering acquire release",
    "thread spawn join handle",
    "mutex poisoned",
    "hash map entry or insert",
    "send and sync marker traits",
    "file open options append",
    "tcp listener accept nonblocking",
    "duration as milliseconds",
    "trait",
    "std",
    "example",
    "saturating subtraction",
    "simd intrinsics load unaligned",
    "avx512 mask compress store",
    "neon vector multiply accumulate",
    "const generics array length",
    "drop order of temporaries",
    "pin projection unsafe",
    "closure captures by move",
    "cargo workspace dependency inheritance",
    "clippy lint configuration",
    "ipv6 multicast scope",
    "leap second",
    "zygohistomorphic prepromorphism",
];

/// Hits of a query.
pub(crate) const BEST: usize = 10;
