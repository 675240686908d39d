//! Interfaces that the code base does not define itself.

/// Interfaces of the standard library of Go with their methods (<https://pkg.go.dev/std>).
pub(crate) const STANDARD: &[(&str, &[&str])] = &[
    ("error", &["Error"]),
    ("encoding.BinaryMarshaler", &["MarshalBinary"]),
    ("encoding.TextMarshaler", &["MarshalText"]),
    ("encoding.TextUnmarshaler", &["UnmarshalText"]),
    ("flag.Value", &["Set", "String"]),
    ("fmt.Formatter", &["Format"]),
    ("fmt.GoStringer", &["GoString"]),
    ("fmt.Stringer", &["String"]),
    ("heap.Interface", &["Len", "Less", "Pop", "Push", "Swap"]),
    ("http.Handler", &["ServeHTTP"]),
    ("http.RoundTripper", &["RoundTrip"]),
    ("io.Closer", &["Close"]),
    ("io.ReadCloser", &["Close", "Read"]),
    ("io.ReadWriter", &["Read", "Write"]),
    ("io.Reader", &["Read"]),
    ("io.ReaderFrom", &["ReadFrom"]),
    ("io.Seeker", &["Seek"]),
    ("io.StringWriter", &["WriteString"]),
    ("io.WriteCloser", &["Close", "Write"]),
    ("io.Writer", &["Write"]),
    ("io.WriterTo", &["WriteTo"]),
    ("json.Marshaler", &["MarshalJSON"]),
    ("json.Unmarshaler", &["UnmarshalJSON"]),
    ("sort.Interface", &["Len", "Less", "Swap"]),
];
