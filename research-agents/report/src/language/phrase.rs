//! The phrases of a report, each with what is filled in. Their texts are in the catalogues under
//! `locales`.

use crate::language::catalogue::REPORT;
use crate::phrases;

phrases! {
    /// A string that every report shares: headings, the words around data and sources.
    #[expect(missing_docs, reason = "the catalogue holds the text of each phrase")]
    #[non_exhaustive]
    pub enum Phrase<'a> in REPORT {
        // Headings.
        Summary = "summary";
        KeyFindings = "key-findings";
        Contradictions = "contradictions";
        Analysis = "analysis";
        Questions = "questions";
        Conclusion = "conclusion";
        Limitations = "limitations";
        FurtherResearch = "further-research";
        Data = "data";
        Sources = "sources";

        // Lines of the report.
        Answered = "answered";
        NotAnswered = "not-answered";
        AllAnswered = "all-answered" { count: u64 };
        SomeAnswered = "some-answered" { answered: u64, count: u64 };
        LinkRemoved = "link-removed";
        KeyRemoved = "key-removed";
        ForExample = "for-example";

        // Data.
        Records = "records" { count: u64 };
        Others = "others";
        OtherGroups = "other-groups" { count: u64 };
        GroupsHold = "groups-hold" { listed: u64, total: u64 };
        GroupsAsTable = "groups-as-table" { count: u64 };
        GroupsMarked = "groups-marked";
        RecordsColumn = "records-column";
        AllGroups = "all-groups";

        // Tables.
        Details = "details";
        Answer = "answer";
        HowRead = "how-read";
        MinOf = "min-of" { field: &'a str };
        MaxOf = "max-of" { field: &'a str };
        MeanOf = "mean-of" { field: &'a str };
        MedianOf = "median-of" { field: &'a str };
        SumOf = "sum-of" { field: &'a str };
        CountOf = "count-of" { field: &'a str };
        DistinctOf = "distinct-of" { field: &'a str };
        PlaceColumn = "place-column";
        ValueColumn = "value-column";
        MeasureColumn = "measure-column";
        FieldsColumn = "fields-column";
        FieldColumn = "field-column";
        CorrelationColumn = "correlation-column";
        ValuesBehind = "values-behind";
        MoreRecords = "more-records" { count: u64 };
        MoreRows = "more-rows" { count: u64 };
    }
}
