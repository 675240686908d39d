//! Results in the shapes of well-known services: what each record and the total must be read as.

use serde_json::json;

use super::*;
use crate::envelope::data_context;

/// A result, and what must be read from it.
struct Shape {
    name: &'static str,
    result: Value,
    /// Id, title, address, snippet and date of the first record; an empty date is none.
    first: [&'static str; 5],
    /// Ids of all records.
    ids: &'static [&'static str],
    matched: Option<u64>,
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape {
            name: "Elasticsearch hits",
            result: json!({"took": 3, "hits": {"total": {"value": 2, "relation": "eq"}, "max_score": 1.5, "hits": [
                {"_index": "a", "_id": "h1", "_score": 1.5, "_source": {"headline": "T", "body": "B", "published": "2024-01-02"}, "sort": [9]},
                {"_index": "a", "_id": "h2", "_score": 1.0, "_source": {"headline": "U", "body": "C", "published": "2024-01-03"}, "sort": [8]}
            ]}}),
            first: ["h1", "T", "doc://h1", "B", "2024-01-02"],
            ids: &["h1", "h2"],
            matched: Some(2),
        },
        Shape {
            name: "GitHub search",
            result: json!({"total_count": 40, "incomplete_results": false, "items": [
                {"id": 11, "node_id": "R_1", "name": "tower", "full_name": "a/tower", "url": "https://api.e.example/repos/a/tower",
                 "html_url": "https://e.example/a/tower", "description": "Services", "created_at": "2017-01-01T00:00:00Z", "topics": ["x"]},
                {"id": 12, "node_id": "R_2", "name": "axum", "full_name": "a/axum", "url": "https://api.e.example/repos/a/axum",
                 "html_url": "https://e.example/a/axum", "description": null, "created_at": "2021-01-01T00:00:00Z", "topics": []}
            ]}),
            first: ["11", "tower", "https://e.example/a/tower", "Services", "2017-01-01T00:00:00Z"],
            ids: &["11", "12"],
            matched: Some(40),
        },
        Shape {
            name: "Wikipedia search",
            result: json!({"batchcomplete": "", "continue": {"sroffset": 10}, "query": {"searchinfo": {"totalhits": 99}, "search": [
                {"ns": 0, "title": "Crane", "pageid": 501, "size": 90, "snippet": "A large bird", "timestamp": "2025-01-01T00:00:00Z"},
                {"ns": 0, "title": "Gull", "pageid": 502, "size": 80, "snippet": "A sea bird", "timestamp": "2025-02-01T00:00:00Z"}
            ]}}),
            first: ["501", "Crane", "doc://501", "A large bird", "2025-01-01T00:00:00Z"],
            ids: &["501", "502"],
            matched: Some(99),
        },
        Shape {
            name: "arXiv feed",
            result: json!({"feed": {"opensearch:totalResults": "many", "title": "ArXiv Query", "entry": [
                {"id": "http://arxiv.example/abs/1", "title": "P", "summary": "We show.", "published": "2024-03-01", "link": [{"rel": "alternate", "href": "http://arxiv.example/abs/1v2"}]},
                {"id": "http://arxiv.example/abs/2", "title": "Q", "summary": "We too.", "published": "2024-03-02", "link": []}
            ]}}),
            first: ["http://arxiv.example/abs/1", "P", "http://arxiv.example/abs/1v2", "We show.", "2024-03-01"],
            ids: &["http://arxiv.example/abs/1", "http://arxiv.example/abs/2"],
            matched: None,
        },
        Shape {
            name: "Solr",
            result: json!({"responseHeader": {"status": 0}, "response": {"numFound": 31, "start": 0, "numFoundExact": true, "docs": [
                {"id": "s1", "title": ["T"], "abstract": ["A"], "year": 1999}, {"id": "s2", "title": ["U"], "abstract": ["B"], "year": 2000}
            ]}, "facet_counts": {"facet_fields": {}}}),
            first: ["s1", "T", "doc://s1", "A", "1999"],
            ids: &["s1", "s2"],
            matched: Some(31),
        },
        Shape {
            name: "OpenAlex",
            result: json!({"meta": {"count": 7, "page": null, "next_cursor": "c"}, "results": [
                {"id": "https://openalex.example/W1", "doi": null, "display_name": "W", "publication_date": "2020-05-05",
                 "abstract": "On wings.", "primary_location": {"landing_page_url": "https://e.example/w1"}}
            ], "group_by": []}),
            first: ["https://openalex.example/W1", "W", "https://e.example/w1", "On wings.", "2020-05-05"],
            ids: &["https://openalex.example/W1"],
            matched: Some(7),
        },
        Shape {
            name: "rows under the names of columns",
            result: json!({"columns": ["record_id", "headline", "link", "summary"], "rows": [
                ["r1", "T", "https://e.example/r1", "S"], ["r2", "U", "https://e.example/r2", "V"]
            ]}),
            first: ["r1", "T", "https://e.example/r1", "S", ""],
            ids: &["r1", "r2"],
            matched: None,
        },
        Shape {
            name: "rows under a first row of names",
            result: json!({"data": [["uid", "title", "text"], [1, "T", "S"], [2, "U", "V"]]}),
            first: ["1", "T", "doc://1", "S", ""],
            ids: &["1", "2"],
            matched: None,
        },
        Shape {
            name: "JSON:API",
            result: json!({"data": [
                {"type": "articles", "id": "j1", "attributes": {"title": "T", "body": "B"}, "links": {"self": "https://e.example/j1"}},
                {"type": "articles", "id": "j2", "attributes": {"title": "U", "body": "C"}, "links": {"self": "https://e.example/j2"}}
            ], "meta": {"total": 2}, "links": {"next": null}}),
            first: ["j1", "T", "https://e.example/j1", "B", ""],
            ids: &["j1", "j2"],
            matched: Some(2),
        },
        Shape {
            name: "GraphQL edges",
            result: json!({"data": {"search": {"totalCount": 2, "pageInfo": {"hasNextPage": false}, "edges": [
                {"cursor": "a", "node": {"id": "g1", "name": "T", "url": "https://e.example/g1", "description": "D"}},
                {"cursor": "b", "node": {"id": "g2", "name": "U", "url": "https://e.example/g2", "description": "E"}}
            ]}}}),
            first: ["g1", "T", "https://e.example/g1", "D", ""],
            ids: &["g1", "g2"],
            matched: Some(2),
        },
        Shape {
            name: "a list in the envelope of FastMCP",
            result: json!({"structuredContent": {"result": [{"key": "f1", "label": "T", "excerpt": "S"}, {"key": "f2", "label": "U", "excerpt": "V"}]},
                "content": [{"type": "text", "text": "{\"key\":\"f1\"}"}]}),
            first: ["f1", "T", "doc://f1", "S", ""],
            ids: &["f1", "f2"],
            matched: None,
        },
        Shape {
            name: "one object in each text block",
            result: json!({"content": [
                {"type": "text", "text": "Two papers:"},
                {"type": "text", "text": "{\"doi\": \"10.1/a\", \"title\": \"T\", \"abstract\": \"A\"}"},
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "text", "text": "{\"doi\": \"10.1/b\", \"title\": \"U\", \"abstract\": \"B\"}"}
            ]}),
            first: ["10.1/a", "T", "doc://10.1/a", "A", ""],
            ids: &["10.1/a", "10.1/b"],
            matched: None,
        },
        Shape {
            name: "aggregations with samples only",
            result: json!({"documents": [], "aggregations": {"group_by": [{"field": "x", "buckets": [
                {"key": "AI", "doc_count": 2, "samples": [{"id": "a", "title": "A"}]},
                {"key": "ML", "doc_count": 1, "inner": {"buckets": [{"key": 1, "top": {"hits": {"hits": [{"_id": "h7", "_source": {"id": "b", "title": "B"}}]}}}]}}
            ]}]}}),
            first: ["a", "A", "doc://a", "id: a; title: A", ""],
            ids: &["a", "b"],
            matched: None,
        },
        Shape {
            name: "matches of a vector store",
            result: json!({"matches": [
                {"id": "v1", "score": 0.9, "metadata": {"title": "T", "text": "S", "source_url": "https://e.example/v1"}},
                {"id": "v2", "score": 0.8, "metadata": {"title": "U", "text": "V", "source_url": "https://e.example/v2"}}
            ], "namespace": ""}),
            first: ["v1", "T", "https://e.example/v1", "S", ""],
            ids: &["v1", "v2"],
            matched: None,
        },
        Shape {
            name: "one document that was fetched",
            result: json!({"id": "d1", "title": "T", "text": "S", "url": "https://e.example/d1", "metadata": {"source": "x"}}),
            first: ["d1", "T", "https://e.example/d1", "S", ""],
            ids: &["d1"],
            matched: None,
        },
    ]
}

#[test]
fn well_known_shapes_are_read() {
    for shape in shapes() {
        let extraction = read(shape.result.clone());
        let ids: Vec<&str> = extraction.documents.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids, shape.ids, "{}", shape.name);
        let first = &extraction.documents[0];
        let roles =
            [first.id.as_str(), &first.title, &first.url, &first.snippet, first.date.as_deref().unwrap_or_default()];
        assert_eq!(roles, shape.first, "{}", shape.name);
        assert_eq!((extraction.duplicates, extraction.skipped.total()), (0, 0), "{}", shape.name);
        assert!(extraction.documents.iter().all(|document| !document.anonymous), "{}", shape.name);
        assert_eq!(data_context(&shape.result).unique_ids_matched, shape.matched, "{}", shape.name);
    }
}
