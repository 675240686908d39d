//! Generated tables: groups with statistics, totals, a ranking, correlations and searches.

use research_agents::kernel::claim::{Claim, Statistic};
use research_agents::kernel::evidence::{
    Evidence, Searched, Source, SourceRegistry, Table, TableCorrelation, TableKind, TableMeasure, TableOrder, TableRow,
};
use research_agents::kernel::{Basis, Untrusted};
use serde_json::json;

pub(crate) const BODY: &str = "body_mass_g";
pub(crate) const FLIPPER: &str = "flipper_length_mm";
const NAMES: [&str; 6] = ["Adelie", "Chinstrap", "Gentoo", "Rockhopper", "King Penguin", "Macaroni"];
const BIRDS: [&str; 5] = ["Ada", "Bruno", "Clementine", "Dorothy", "Egon"];

/// A group with its statistics.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) count: u64,
    pub(crate) mean: f64,
    pub(crate) median: f64,
}

/// A record of the ranking.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) name: &'static str,
    pub(crate) mass: f64,
}

pub(crate) struct World {
    pub(crate) evidence: Evidence,
    /// The groups, those with the highest mean first.
    pub(crate) groups: Vec<Group>,
    /// The records, the heaviest first.
    pub(crate) records: Vec<Record>,
    pub(crate) mean: f64,
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) sum: f64,
    pub(crate) total: u64,
    pub(crate) values: u64,
    pub(crate) first: String,
    pub(crate) last: String,
    /// Correlations with flipper length, which is positive, and with bill depth, which is negative.
    pub(crate) related: [f64; 2],
}

/// The mean of one half of a group.
pub(crate) fn of_sex(group: &Group, sex: &str) -> f64 {
    if sex == "male" { group.mean + 211.3 } else { group.mean - 198.6 }
}

/// Numbers by chance that are the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Chance(seed * 77 + 5);
        let mut names = NAMES;
        for at in (1..names.len()).rev() {
            names.swap(at, chance.below(at as u64 + 1) as usize);
        }

        // Statistics of which no two are near each other, nor their differences.
        let mut mean = 2_000.0 + chance.below(900) as f64;
        let mut groups = Vec::new();
        for (at, name) in names.into_iter().enumerate() {
            mean += 137.0 + 61.0 * at as f64 + chance.below(40) as f64 + 0.1 * (chance.below(8) + 1) as f64;
            let median = mean - 23.0 - chance.below(9) as f64 - 0.3;
            groups.push(Group { name, count: 31 + 17 * at as u64 + chance.below(9), mean, median });
        }
        groups.reverse();

        let mut mass = 9_300.0 + chance.below(300) as f64;
        let mut records = Vec::new();
        let mut sources = SourceRegistry::default();
        for (at, name) in BIRDS.into_iter().enumerate() {
            mass -= 41.0 + chance.below(60) as f64;
            let fields = json!({"name": name, "note": "seen", BODY: mass, FLIPPER: 210 + 3 * at, "bill_depth_mm": 15.5 + at as f64});
            let source = Source {
                tool: "birds".into(),
                record: format!("b{at}"),
                title: Untrusted::new(name.to_owned()),
                fields: Untrusted::new(fields.as_object().unwrap().clone()),
                ..Source::default()
            };
            records.push(Record { id: sources.register(source).id, name, mass });
        }

        let total: u64 = groups.iter().map(|group| group.count).sum::<u64>();
        let (mean, median) = (3_456.7 + chance.below(400) as f64, 3_101.5 + chance.below(200) as f64);
        let (min, max) = (1_107.0 + chance.below(90) as f64, 9_900.0 + chance.below(90) as f64);
        let mut world = Self {
            evidence: Evidence { sources, tables: Vec::new(), ..Evidence::default() },
            groups,
            records,
            mean,
            median,
            min,
            max,
            sum: 1_234_567.8 + chance.below(9_000) as f64,
            total,
            values: total - 3,
            first: format!("200{}-03-1{}", chance.below(9), chance.below(9)),
            last: format!("201{}-11-2{}", chance.below(9), chance.below(9)),
            related: [0.61 + chance.below(30) as f64 / 100.0, -0.55 - chance.below(30) as f64 / 100.0],
        };
        world.evidence.tables = world.tables();
        world
    }

    /// The texts that a sentence may repeat: the names of the fields of the tool.
    pub(crate) fn context(&self) -> [&'static str; 4] {
        ["species", BODY, FLIPPER, "bill_depth_mm"]
    }

    fn tables(&self) -> Vec<Table> {
        let rows = self.groups.iter().map(|group| {
            let measure = |field: &str, kind, number: f64| TableMeasure::new(field, kind, number, group.count - 1);
            TableRow {
                measures: vec![
                    measure(BODY, Statistic::Mean, group.mean),
                    measure(BODY, Statistic::Median, group.median),
                    measure(FLIPPER, Statistic::Mean, group.mean / 17.0),
                ],
                ..TableRow::new("species", group.name, group.count)
            }
        });
        let measure = |kind, number| TableMeasure::new(BODY, kind, number, self.values);
        let measures = vec![
            measure(Statistic::Mean, self.mean),
            measure(Statistic::Median, self.median),
            measure(Statistic::Min, self.min),
            measure(Statistic::Max, self.max),
            measure(Statistic::Sum, self.sum),
            TableMeasure::new(FLIPPER, Statistic::Mean, 201.3, self.values),
        ];
        let ranked = self
            .records
            .iter()
            .map(|record| TableRow { source: Some(record.id.clone()), ..TableRow::new(BODY, record.mass, 1) });
        let correlation = |other: &str, number| TableCorrelation {
            fields: [BODY.to_owned(), other.to_owned()],
            number: Some(number),
            count: self.values - 2,
        };
        let search = |id: &str, text: &str, total| Table {
            id: id.into(),
            kind: TableKind::Search,
            text: Some(text.to_owned()),
            total,
            rows: vec![TableRow::new("", "note", total)],
            searched: Some(Searched { fields: 12, records: self.total }),
            ..Table::default()
        };

        vec![
            Table {
                id: "A1".into(),
                field: "species".into(),
                total: self.total,
                rows: rows.collect(),
                ..Table::default()
            },
            Table { id: "A2".into(), kind: TableKind::Total, total: self.total, measures, ..Table::default() },
            Table {
                id: "A3".into(),
                kind: TableKind::Ranking,
                field: BODY.into(),
                total: self.total,
                rows: ranked.collect(),
                order: Some(TableOrder { field: BODY.into(), statistic: None, highest: true }),
                ..Table::default()
            },
            Table {
                id: "A4".into(),
                kind: TableKind::Correlation,
                total: self.total,
                correlations: vec![
                    correlation(FLIPPER, self.related[0]),
                    correlation("bill_depth_mm", self.related[1]),
                ],
                ..Table::default()
            },
            search("A5", "helium", 0),
            search("A6", "oxygen", 7),
            Table {
                id: "A7".into(),
                kind: TableKind::Total,
                total: self.total,
                measures: self.dates(),
                ..Table::default()
            },
            self.by_sex(),
        ]
    }

    fn dates(&self) -> Vec<TableMeasure> {
        let date = |statistic, text: &str| TableMeasure {
            field: "date".into(),
            statistic,
            number: None,
            count: self.values,
            text: Some(text.to_owned()),
        };
        vec![date(Statistic::Min, &self.first), date(Statistic::Max, &self.last)]
    }

    fn by_sex(&self) -> Table {
        let rows = self.groups.iter().flat_map(|group| {
            ["male", "female"].map(|sex| TableRow {
                measures: vec![TableMeasure::new(BODY, Statistic::Mean, of_sex(group, sex), group.count / 2)],
                ..TableRow::new("species,sex", json!([group.name, sex]), group.count / 2)
            })
        });
        Table {
            id: "A8".into(),
            field: "species,sex".into(),
            total: self.total,
            rows: rows.collect(),
            ..Table::default()
        }
    }

    pub(crate) fn mean_by_sex(&self, at: usize, sex: &str) -> Claim {
        Claim::GroupMeasure {
            over: "A8".into(),
            by: "species,sex".into(),
            value: json!([self.groups[at].name, sex]),
            field: BODY.into(),
            statistic: Statistic::Mean,
            number: of_sex(&self.groups[at], sex),
        }
    }

    pub(crate) fn date(&self, statistic: Statistic) -> Claim {
        let text = if statistic == Statistic::Min { &self.first } else { &self.last };
        Claim::MeasureText { over: "A7".into(), field: "date".into(), statistic, text: text.clone(), group: None }
    }

    pub(crate) fn total_claim(&self) -> Claim {
        Claim::Total { over: Basis::Aggregation("A2".into()), number: self.total }
    }

    pub(crate) fn measure(&self, statistic: Statistic, number: f64) -> Claim {
        Claim::Measure { over: "A2".into(), field: BODY.into(), statistic, number }
    }

    pub(crate) fn mean_of(&self, at: usize) -> Claim {
        self.of_group(at, Statistic::Mean, self.groups[at].mean)
    }

    pub(crate) fn of_group(&self, at: usize, statistic: Statistic, number: f64) -> Claim {
        Claim::GroupMeasure {
            over: "A1".into(),
            by: "species".into(),
            value: json!(self.groups[at].name),
            field: BODY.into(),
            statistic,
            number,
        }
    }

    /// The claims on a record of the ranking: its place, its name and its mass.
    pub(crate) fn record(&self, at: usize) -> Vec<Claim> {
        let record = &self.records[at];
        let field = |field: &str, value| Claim::Field { source: record.id.clone(), field: field.into(), value };
        vec![
            Claim::Ranked {
                over: "A3".into(),
                source: record.id.clone(),
                place: at as u64 + 1,
                field: BODY.into(),
                highest: true,
            },
            field("name", json!(record.name)),
            field(BODY, json!(record.mass)),
        ]
    }
}
