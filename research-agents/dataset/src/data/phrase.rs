//! The phrases of the dataset agent, each with what is filled in. Their texts are in the catalogues
//! under `locales`.

use research_agents_report::language::{Catalogue, phrases};

static CATALOGUE: Catalogue = Catalogue::new(&[
    ("de", include_str!("../../locales/de.ftl")),
    ("en", include_str!("../../locales/en.ftl")),
    ("es", include_str!("../../locales/es.ftl")),
    ("fr", include_str!("../../locales/fr.ftl")),
    ("it", include_str!("../../locales/it.ftl")),
    ("pt", include_str!("../../locales/pt.ftl")),
]);

phrases! {
    /// A text of the dataset agent.
    pub(crate) enum Phrase<'a> in CATALOGUE {
        // Lines of the report.
        NoFinding = "no-finding";
        SubQuestion = "sub-question" { id: &'a str };
        FirstOf = "first-of" { read: u64, total: u64 };
        Coverage = "coverage" { parts: &'a str, confidence: &'a str };
        CoverageComputed = "coverage-computed" { total: u64, confidence: &'a str };
        Confidence = "confidence" { number: &'a str, band: &'a str, why: &'a str };
        ByAll = "by-all";
        ByAmount = "by-amount";
        ByAnswer = "by-answer";
        ByReview = "by-review";
        ByEstimate = "by-estimate";
        NothingRead = "nothing-read";
        NothingMatches = "nothing-matches";
        ReadUnknown = "read-unknown" { read: u64, how: &'a str };
        ReadAll = "read-all" { read: u64, total: u64 };
        ReadPart = "read-part" { read: u64, total: u64, share: &'a str, how: &'a str };
        ToolOrder = "tool-order";
        FirstInOrder = "first-in-order" { first: u64, order: &'a str };
        SamplesOfEach = "samples-of-each" { each: u64, by: &'a str };
        SamplesOfSome = "samples-of-some" { each: u64, groups: u64, by: &'a str };
        GaveWay = "gave-way" { words: &'a str, count: u64 };
        Among = "among" { read: &'a str };
        AllOf = "all-of" { total: u64 };
        PartOf = "part-of" { read: u64, total: u64 };
        FirstRead = "first-read" { read: u64 };
        SomeRead = "some-read" { read: u64 };
        SamplesOf = "samples-of" { samples: &'a str, total: u64 };
        OfTool = "of-tool" { words: &'a str, tool: &'a str };
        Both = "both" { first: &'a str, second: &'a str };
        ReadLimit = "read-limit" { words: &'a str, limit: u64 };
        RecordsCut = "records-cut" { count: u64, most: u64 };

        // Limitations.
        Author = "author" { model: &'a str, calls: u64, input: u64, output: u64 };
        OfflineEnglish = "offline-english" { language: &'a str };
        HoldsForThese = "holds-for-these" { words: &'a str };
        EndedEarly = "ended-early" { reason: &'a str };
        RunNote = "run-note" { note: &'a str };
        FurtherNotes = "further-notes" { count: u64 };
        Withheld = "withheld" { count: u64, reasons: &'a str };
        ListedByProgram = "listed-by-program";
        NotDrafted = "not-drafted" { error: &'a str };

        // Why sentences are withheld.
        FlawNumber = "flaw-number" { count: u64 };
        FlawQuote = "flaw-quote" { count: u64 };
        FlawCitation = "flaw-citation" { count: u64 };
        FlawWords = "flaw-words" { count: u64 };
        FlawKey = "flaw-key" { count: u64 };
        FlawNoEvidence = "flaw-no-evidence" { count: u64 };

        // Data.
        RecordsOf = "records-of" { count: u64, tool: &'a str };
        Where = "where" { what: &'a str, filters: &'a str };
        And = "and" { first: &'a str, second: &'a str };
        OneOf = "one-of" { field: &'a str, values: &'a str };
        Empty = "empty" { field: &'a str };
        GroupedBy = "grouped-by" { what: &'a str, field: &'a str, groups: &'a str };
        OverTimeBy = "over-time-by" { what: &'a str, field: &'a str, groups: &'a str };
        Contains = "contains" { field: &'a str, text: &'a str };
        Lacks = "lacks" { field: &'a str, text: &'a str };
        TextContains = "text-contains" { text: &'a str };
        NotValue = "not-value" { field: &'a str, values: &'a str };
        Filled = "filled" { field: &'a str };
        InMonth = "in-month" { field: &'a str, months: &'a str };
        MonthName = "month-name" { number: u64 };
        HighestFirst = "highest-first" { what: &'a str, field: &'a str, groups: &'a str };
        LowestFirst = "lowest-first" { what: &'a str, field: &'a str, groups: &'a str };
        Correlated = "correlated" { what: &'a str, fields: &'a str };
        SearchedFor =
            "searched-for" { text: &'a str, fields: u64, records: u64, groups: &'a str };
        Computed = "computed" { what: &'a str, groups: &'a str };
        MeasuresBy = "measures-by" { measures: &'a str, fields: &'a str };
        MeasuresOverTime = "measures-over-time" { measures: &'a str, fields: &'a str };
        FurtherGroups = "further-groups";
        MoreGroups = "more-groups" { count: u64 };
        NoGroup = "no-group";
        RecordsBy = "records-by" { fields: &'a str };
        RecordsOverTime = "records-over-time" { fields: &'a str };
        Match = "match" { count: u64 };

        // Contradictions and gaps.
        Quoted = "quoted" { text: &'a str };
        ByTheModel = "by-the-model" { claims: &'a str };
        TwoCounts = "two-counts" { field: &'a str, value: &'a str, first: u64, second: u64 };
        TwoFindings = "two-findings" { first: &'a str, second: &'a str };
        TwoTexts = "two-texts" { first: &'a str, second: &'a str };
        GapNoData = "gap-no-data" { question: &'a str };
        GapLittleData = "gap-little-data" { question: &'a str };
        GapCountsOnly = "gap-counts-only" { question: &'a str };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_catalogue_has_every_phrase() {
        assert_eq!(CATALOGUE.mismatches(Phrase::ALL), Vec::<String>::new());
    }
}
