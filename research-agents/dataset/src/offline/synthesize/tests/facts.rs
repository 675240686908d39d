//! Quantities, groups and pairs that a report mentions.

use crate::offline::synthesize::tests::*;

#[test]
fn who_asks_for_an_average_is_told_it() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    let tells_mean = |task: &SynthesizeTask| {
        let draft = synthesize(task);
        fixture.check(&draft.summary);
        texts(&draft.summary)
            .iter()
            .any(|text| text.starts_with("Cost lies between") && text.contains("its mean"))
    };
    task.query = "What is the average cost?".into();
    assert!(tells_mean(&task), "{:?}", texts(&synthesize(&task).summary));
    task.query = "What do they cost?".into();
    assert!(
        !tells_mean(&task),
        "{:?}",
        texts(&synthesize(&task).summary)
    );
}

#[test]
fn what_goes_together_stands_against_what_it_would_be_by_chance() {
    let fixture = Fixture::sightings(120, 120);
    let mut task = fixture.synthesize();
    let pair = ValuePair {
        fields: ["Size".into(), "Species".into()],
        values: ["Small".into(), "Gull".into()],
        together: 12,
        each: [60, 24],
    };
    task.relations = Relations {
        pairs: vec![pair],
        measures: Vec::new(),
    };
    let draft = synthesize(&task);
    fixture.check(&draft.summary);
    let wanted = "Among the 60 records with Size Small, 12 (20.0 %) have Species Gull, against 24 \
        of 120 overall (20.0 %).";

    assert!(
        texts(&draft.summary).contains(&wanted),
        "{:?}",
        texts(&draft.summary)
    );
}

/// Returns a measure of the fixture's own field as the relations give it.
fn measure(fixture: &Fixture, field: &str, by: &str, few: &[&str]) -> GroupedMeasure {
    let rows = &fixture.rows[..fixture.read];
    let mut values: Vec<&Value> = rows
        .iter()
        .map(|row| &row[by])
        .filter(|value| !value.is_null())
        .collect();
    values.sort_by_key(|value| value.to_string());
    values.dedup();

    let group = |value: &&Value| {
        let mut own: Vec<f64> = rows
            .iter()
            .filter(|row| row[by] == **value)
            .filter_map(|row| row[field].as_f64())
            .collect();
        own.sort_by(f64::total_cmp);
        let (records, middle, sum) = (own.len() as u64, own.len() / 2, own.iter().sum::<f64>());
        let median = if own.len() % 2 == 1 {
            own[middle]
        } else {
            (own[middle - 1] + own[middle]) / 2.0
        };
        MeasuredGroup {
            value: (*value).clone(),
            records,
            median,
            mean: sum / own.len() as f64,
            sum,
        }
    };

    let mut groups: Vec<MeasuredGroup> = values.iter().map(group).collect();
    groups.sort_by(|a, b| b.median.total_cmp(&a.median));
    let (left_out, groups) = groups
        .into_iter()
        .partition(|group| few.iter().any(|few| group.value == *few));

    GroupedMeasure {
        field: field.into(),
        by: by.into(),
        groups,
        left_out,
    }
}

#[test]
fn groups_with_too_few_numbers_are_named_and_means_of_what_is_mostly_nothing_are_not_told() {
    let mut fixture = Fixture::sightings(120, 120);
    for (at, row) in fixture.rows.iter_mut().enumerate() {
        row.insert("Height".into(), json!(at % 6 * 10 + at % 3));
        row.insert("Cost".into(), json!(if at % 20 == 3 { 100 } else { 0 }));
    }

    let mut task = fixture.synthesize();
    task.sub_questions.truncate(1);
    task.sub_questions[0].question = "What differs by Size?".into();
    let said = |task: &SynthesizeTask| {
        let draft = synthesize(task);
        check(&fixture, &draft);
        texts(&draft.analysis[0].statements).join(" ")
    };
    task.relations = Relations {
        pairs: vec![],
        measures: vec![measure(&fixture, "Height", "Size", &["Large"])],
    };
    let wanted = "The median Height by Size is 35.5 for Medium and 11 for Small; Large has too \
        few numbers to compare.";

    assert!(said(&task).contains(wanted), "{}", said(&task));

    task.sub_questions[0].question = "What differs by State?".into();
    task.relations.measures[0] = measure(&fixture, "Cost", "State", &[]);

    assert!(
        said(&task).contains("no other field differs clearly by State"),
        "{}",
        said(&task)
    );
}

#[test]
fn groups_with_the_same_number_share_it_and_no_number_is_given_to_another() {
    let mut fixture = Fixture::sightings(120, 120);
    for (at, row) in fixture.rows.iter_mut().enumerate() {
        row.insert(
            "Height".into(),
            json!(if at % 6 == 5 { 12_500 } else { 370 }),
        );
    }

    let mut task = fixture.synthesize();
    task.sub_questions.truncate(1);
    task.sub_questions[0].question = "What differs by Size?".into();
    task.relations = Relations {
        pairs: vec![],
        measures: vec![measure(&fixture, "Height", "Size", &[])],
    };
    let draft = synthesize(&task);
    check(&fixture, &draft);
    let mut statement = draft.analysis[0].statements[0].clone();

    assert_eq!(
        statement.text,
        "The median Height by Size is 12,500 for Large and 370 for Medium and Small."
    );

    statement.text =
        "The median Height by Size is 370 for Large and 12,500 for Medium and Small.".into();
    let evidence = fixture.evidence();

    assert!(
        research_agents_report::check::Checker::new(&evidence, [])
            .check(&statement)
            .is_err()
    );
}

#[test]
fn what_is_mostly_nothing_is_told_with_what_the_others_add_up_to() {
    let mut fixture = Fixture::sightings(120, 120);
    fixture.question = "How much does it cost by size?";
    let said = |fixture: &Fixture| {
        let draft = synthesize(&fixture.synthesize());
        check(fixture, &draft);
        draft
            .summary
            .into_iter()
            .map(|statement| statement.text)
            .find(|text| text.contains("Cost"))
            .unwrap_or_default()
    };

    assert_eq!(
        said(&fixture),
        "Cost is 0 in 114 of 120 records (95.0 %) that were read; the others add up to 31,800, of \
         which the largest is 10,300 (32.4 %)."
    );

    fixture
        .rows
        .iter_mut()
        .skip(4)
        .for_each(|row| drop(row.insert("Cost".into(), json!(0))));

    assert_eq!(
        said(&fixture),
        "Cost is 0 in 119 of 120 records (99.2 %) that were read; the one other number is 300."
    );
}

#[test]
fn groups_inside_groups_show_what_goes_together_over_all_records() {
    let mut fixture = Fixture::sightings(120, 120);
    fixture.read = 6;
    let mut task = fixture.synthesize();
    let inner = |size: &str, texas: u64, other: u64| Bucket {
        key: size.into(),
        doc_count: texas + other,
        buckets: [("Texas", texas), ("Ohio", other)]
            .map(|(key, doc_count)| Bucket {
                key: key.into(),
                doc_count,
                buckets: vec![],
                ..Bucket::default()
            })
            .to_vec(),
        ..Bucket::default()
    };
    task.aggregations[2].buckets = [("Texas", 40), ("Ohio", 80)]
        .map(|(key, doc_count)| Bucket {
            key: key.into(),
            doc_count,
            buckets: vec![],
            ..Bucket::default()
        })
        .to_vec();
    task.aggregations.push(AggregationResult {
        id: "A4".into(),
        field: "Size,State".into(),
        buckets: vec![
            inner("Small", 5, 55),
            inner("Medium", 15, 25),
            inner("Large", 20, 0),
        ],
        ..task.aggregations[0].clone()
    });
    let draft = synthesize(&task);
    let wanted =
        "All 20 records with Size Large have State Texas, against 40 of 120 overall (33.3 %).";

    assert!(
        texts(&draft.summary).contains(&wanted),
        "{:?}",
        texts(&draft.summary)
    );

    // What is rarer there than elsewhere is reported if it is the clearer.
    let nested = task.aggregations.len() - 1;
    task.aggregations[2].buckets = [("Ohio", 86), ("Texas", 21), ("Utah", 13)]
        .map(|(key, doc_count)| Bucket {
            key: key.into(),
            doc_count,
            buckets: vec![],
            ..Bucket::default()
        })
        .to_vec();
    let ohio = |size: &str, ohio: u64, texas: u64, utah: u64| Bucket {
        key: size.into(),
        doc_count: ohio + texas + utah,
        buckets: [("Ohio", ohio), ("Texas", texas), ("Utah", utah)]
            .map(|(key, doc_count)| Bucket {
                key: key.into(),
                doc_count,
                buckets: vec![],
                ..Bucket::default()
            })
            .to_vec(),
        ..Bucket::default()
    };
    task.aggregations[nested].buckets = vec![
        ohio("Small", 53, 5, 2),
        ohio("Medium", 31, 7, 2),
        ohio("Large", 2, 9, 9),
    ];
    let draft = synthesize(&task);
    let wanted = "Among the 20 records with Size Large, only 2 (10.0 %) have State Ohio, against \
        86 of 120 overall (71.7 %).";

    assert!(
        texts(&draft.summary).contains(&wanted),
        "{:?}",
        texts(&draft.summary)
    );

    fixture.check_over(&task.aggregations, &draft.summary);
}
