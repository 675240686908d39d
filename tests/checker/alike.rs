//! Groups called 0 and 1, records with the same name, and fields in conditions: true sentences hold, and those with exchanged
//! numbers do not.

use research_agents::kernel::claim::{Basis, Claim, Statement, Statistic};
use research_agents::kernel::evidence::{
    Evidence, Source, SourceRegistry, Table, TableKind, TableMeasure, TableOrder, TableRow,
};
use research_agents::kernel::language::Language;
use research_agents::kernel::{Checker, Untrusted};
use serde_json::{Value, json};

fn holds(evidence: &Evidence, text: String, claims: &[Claim]) -> bool {
    let context = ["hobby", "salary", "name", "protein"].into_iter();
    let checker = Checker::in_language(Language::ENGLISH, evidence, context);
    let statement = Statement { text, claims: claims.to_vec() };
    checker.check(&statement).is_ok()
}

#[test]
fn the_number_of_a_group_stands_before_the_name_of_its_field() {
    let row = |value: u64, count, mean| TableRow {
        measures: vec![TableMeasure::new("Salary", Statistic::Mean, mean, count)],
        ..TableRow::new("Hobby", json!(value), count)
    };
    let evidence = Evidence {
        tables: vec![Table {
            id: "A1".into(),
            field: "Hobby".into(),
            total: 5_594,
            rows: vec![row(0, 1_336, 72_026.0), row(1, 4_258, 71_951.2)],
            ..Table::default()
        }],
        ..Evidence::default()
    };
    let claim = |value: u64, number| Claim::GroupMeasure {
        over: "A1".into(),
        by: "Hobby".into(),
        value: json!(value),
        field: "Salary".into(),
        statistic: Statistic::Mean,
        number,
    };
    let claims = [claim(1, 71_951.2), claim(0, 72_026.0)];

    let said = |one: &str, other: &str| format!("The mean Salary is {one} for Hobby 1 and {other} for Hobby 0.");
    assert!(holds(&evidence, said("71,951.2", "72,026"), &claims));
    assert!(!holds(&evidence, said("72,026", "71,951.2"), &claims));
}

#[test]
fn records_of_one_name_are_ranked_by_their_own_numbers() {
    let mut sources = SourceRegistry::default();
    let amounts = [("Oysters", 232), ("Butter", 114), ("Butter", 100)];
    let ids = amounts.iter().enumerate().map(|(at, (name, protein))| {
        let fields = json!({"name": name, "protein": protein});
        let source = Source {
            tool: "foods".into(),
            record: format!("f{at}"),
            title: Untrusted::new((*name).to_owned()),
            fields: Untrusted::new(fields.as_object().unwrap().clone()),
            ..Source::default()
        };
        sources.register(source).id
    });
    let ids: Vec<String> = ids.collect();
    let rows = ids.iter().zip(amounts).map(|(id, (_, protein))| TableRow {
        source: Some(id.clone()),
        ..TableRow::new("protein", f64::from(protein), 1)
    });
    let table = Table {
        id: "A1".into(),
        kind: TableKind::Ranking,
        field: "protein".into(),
        total: 335,
        rows: rows.collect(),
        order: Some(TableOrder { field: "protein".into(), statistic: None, highest: true }),
        ..Table::default()
    };
    let evidence = Evidence { sources, tables: vec![table], ..Evidence::default() };

    let claims = ids.iter().zip(amounts).enumerate().flat_map(|(at, (id, (name, protein)))| {
        let field = |field: &str, value: Value| Claim::Field { source: id.clone(), field: field.into(), value };
        let ranked = Claim::Ranked {
            over: "A1".into(),
            source: id.clone(),
            place: at as u64 + 1,
            field: "protein".into(),
            highest: true,
        };
        [ranked, field("protein", json!(protein)), field("name", json!(name))]
    });
    let claims: Vec<Claim> = claims.collect();
    let said = |first: u32, second: u32| {
        format!("Oysters (232), Butter ({first}) and Butter ({second}) have the highest protein.")
    };
    assert!(holds(&evidence, said(114, 100), &claims));
    assert!(!holds(&evidence, said(100, 114), &claims));
    assert!(!holds(&evidence, said(114, 232), &claims));
}

#[test]
fn the_second_field_of_a_condition_is_not_what_is_told() {
    let mut sources = SourceRegistry::default();
    let days = ["2024-02-06", "2024-02-12"].map(|day| {
        let fields = json!({"name": day, "protein": 5.5, "salary": 4.25});
        let source = Source {
            tool: "days".into(),
            record: day.into(),
            fields: Untrusted::new(fields.as_object().unwrap().clone()),
            ..Source::default()
        };
        (sources.register(source).id, day)
    });
    let caption = "days: 502 records where protein > salary";
    let table =
        Table { id: "A1".into(), caption: caption.into(), kind: TableKind::Total, total: 502, ..Table::default() };
    let evidence = Evidence { sources, tables: vec![table], ..Evidence::default() };

    let total = Claim::Total { over: Basis::Aggregation("A1".into()), number: 502 };
    let named =
        days.iter().map(|(id, day)| Claim::Field { source: id.clone(), field: "name".into(), value: json!(day) });
    let claims: Vec<Claim> = [total].into_iter().chain(named).collect();
    let said = |count: u32, first: &str| {
        format!("There are {count} records where protein > salary; the first are {first} and 2024-02-12.")
    };
    assert!(holds(&evidence, said(502, "2024-02-06"), &claims));
    assert!(!holds(&evidence, said(503, "2024-02-06"), &claims));
    assert!(!holds(&evidence, said(502, "2024-02-07"), &claims));
}
