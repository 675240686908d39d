//! Names of arguments: those in plans, and the synonyms that tools use.

/// The name in plans of the argument that selects records.
pub(crate) const FILTERS: &str = "filters";

/// The synonyms that tools use for the names in plans, in lower case and without separators.
pub(crate) const OTHER_WORDS: &[(&str, &[&str])] = &[
    (FILTERS, &["filters", "filter", "where", "conditions"]),
    (
        "group_by",
        &[
            "groupby",
            "group",
            "groupfields",
            "groupfield",
            "facet",
            "facets",
            "facetby",
            "countby",
        ],
    ),
    ("date_histogram", &["datehistogram"]),
    ("top_n", &["topn", "top", "maxgroups", "maxbuckets"]),
    (SAMPLES, &["samplesperbucket", "samplespergroup"]),
    (
        "measures",
        &[
            "measures",
            "metrics",
            "metric",
            "aggregates",
            "aggregate",
            "aggregations",
            "aggregation",
            "aggs",
            "statistics",
            "stats",
        ],
    ),
];

/// A plan's name for the argument that sets the number of sample records of each group.
pub(crate) const SAMPLES: &str = "samples_per_bucket";

/// Tools' names for the arguments that return records by chance or in another order, as [`plain`]
/// writes them.
pub(crate) const CHANCE: &[&str] = &[
    "sample",
    "samplesize",
    "seed",
    "randomseed",
    "randomstate",
    "shuffle",
    "random",
    "randomize",
];

pub(crate) const ORDER: &[&str] = &["sort", "sortby", "sortorder", "orderby", "order"];

/// Arguments that ask for groups, as [`plain`] writes them.
pub(crate) const GROUPING: &[&str] = &[
    "aggregate",
    "aggregates",
    "aggregation",
    "aggregations",
    "aggs",
    "correlations",
    "countby",
    "datehistogram",
    "facet",
    "facetby",
    "facets",
    "group",
    "groupby",
    "groupfield",
    "groupfields",
    "lookup",
    "maxbuckets",
    "maxgroups",
    "measures",
    "metric",
    "metricfield",
    "metrics",
    "samplesperbucket",
    "samplespergroup",
    "statistics",
    "stats",
    "top",
    "topn",
    "topnpergroup",
];

/// Arguments that change what records look like or how they are ordered, but not which they are.
pub(crate) const PRESENTATION: &[&str] = &[
    "fields",
    "format",
    "include",
    "locale",
    "order",
    "orderby",
    "pitid",
    "sort",
    "sortby",
    "sortorder",
    "verbose",
];

/// Returns a name in lower case and without separators.
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
