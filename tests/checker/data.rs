//! Data sets with odd names, values that are ordinary words, numbers, dates, addresses, long texts and other scripts.

use serde_json::json;

/// A file to serve and questions to ask of it.
pub(crate) struct Data {
    pub(crate) name: &'static str,
    /// Content of the file; none for the shipped strikes.
    pub(crate) file: Option<(&'static str, String)>,
    pub(crate) questions: &'static [&'static str],
    /// Questions that are answered by what the data source computes, in one page.
    pub(crate) computed: &'static [&'static str],
}

/// All of them.
pub(crate) fn all() -> Vec<Data> {
    vec![strikes(), fleet(), sensors(), sales(), survey(), notes(), cities(), codes()]
}

/// Those on which every mutation is tried.
pub(crate) fn for_mutation() -> Vec<Data> {
    vec![strikes(), fleet(), sensors(), sales(), notes()]
}

fn strikes() -> Data {
    Data {
        name: "wildlife strikes",
        file: None,
        questions: &[
            "Bird strikes on approach at 120 knots by wildlife size",
            "Strikes at night by phase of flight",
            "Strikes in Texas over time",
        ],
        computed: &[],
    }
}

/// Codes, a name with a point and a slash, empty cells, and values that are numbers.
fn fleet() -> Data {
    let mut text = String::from("A/C type,Engine No. 2,Engines,Home base,Delivered,Seats\n");
    let types = ["B-737-300", "A320", "B-737-300", "MD-80", "B-737-300", "A320", "B-747-8"];
    for i in 0..140_usize {
        let base = ["KJFK", "EGLL", "", "KORD"][i % 4];
        let (engine, engines) = (["CFM56-3", "V2500", "JT8D"][i * 7 % 3], [2, 2, 3, 4, 2][i % 5]);
        let (year, seats) = (1990 + i % 6, 100 + i * 13 % 90);
        text.push_str(&format!("{},{engine},{engines},{base},{year}-0{}-15,{seats}\n", types[i % 7], 1 + i % 9));
    }
    Data {
        name: "fleet",
        file: Some(("fleet.csv", text)),
        questions: &["Aircraft by A/C type", "Which home base has most aircraft?", "Deliveries over time"],
        computed: &[
            "What are the mean seats by A/C type?",
            "Which aircraft have the most seats?",
            "What is the median Seats?",
            "How are seats and engines related?",
            "Is there a correlation between Seats and Engines?",
            "What is the earliest Delivered?",
            "What is the latest Delivered?",
            "top 10 aircraft by seats",
            "How many aircraft are of type Concorde?",
            "How many aircraft are of type Zeppelin?",
        ],
    }
}

/// Decimals, negative numbers and dates; names of fields as programs spell them.
fn sensors() -> Data {
    let lines = (0..90_usize).map(|i| {
        let celsius = f64::from(u32::try_from(i * 37 % 200).unwrap()) / 8.0 - 9.25;
        let state = if i % 11 == 0 { json!(null) } else { json!(["ok", "drift", "ok", "lost signal"][i % 4]) };
        let day = format!("2024-{:02}-{:02}T06:00:00Z", 1 + i % 12, 1 + i % 28);
        json!({"id": format!("ev-{i}"), "sensorId": format!("TS_{:02}", i % 9), "measuredAt": day,
               "celsius": celsius, "state_code": state, "ok": i % 3 == 0})
        .to_string()
    });
    Data {
        name: "sensors",
        file: Some(("sensors.jsonl", lines.collect::<Vec<_>>().join("\n"))),
        questions: &["Readings by state_code", "How is celsius distributed?", "Readings over time"],
        computed: &[
            "What is the latest measuredAt?",
            "What is the range of celsius?",
            "top 10 readings by celsius",
            "Which 10 readings have the lowest celsius?",
            "Which state_code has the lowest mean celsius?",
        ],
    }
}

/// Nested objects, addresses, titles and sentences.
fn sales() -> Data {
    let records: Vec<_> = (0..120_usize)
        .map(|i| {
            let country = ["India", "Peru", "India", "Chad", "United States", "United Kingdom"][i % 6];
            let product = ["Rock pigeon feed", "Rock salt", "Pigeon loft", "Rock pigeon feed"][i * 3 % 4];
            json!({
                "order": {"id": format!("SO-{:05}", i * 7), "country": country, "channel": (["web", "shop", "phone"][i * i % 3])},
                "product": product,
                "amount": 20 + i * 17 % 300,
                "buyer": format!("buyer{i}@example.org"),
                "link": format!("https://shop.example/o/{i}"),
                "remark": format!("The {product} was sent to {country} and did not arrive before day {}.", 2 + i % 9),
            })
        })
        .collect();
    Data {
        name: "sales",
        file: Some(("sales.json", serde_json::to_string(&records).unwrap())),
        questions: &[
            "Orders by country and channel",
            "Which product sells best?",
            "What do the remarks say about India?",
        ],
        computed: &[
            "What is the median amount by product?",
            "Which orders have the lowest amount?",
            "top 10 orders by amount",
            "top 5 products by amount",
            "How many orders mention Greenland?",
        ],
    }
}

/// Values that are ordinary words of every sentence.
fn survey() -> Data {
    let mut text = String::from("Answer,Part of day,Rating,Group,Largest\n");
    for i in 0..75_usize {
        let answer = ["Yes", "No", "None", "Other", "Yes", "More"][i % 6];
        let (part, rating) = (["Day", "Night", "day", "All"][i % 4], 1 + i % 5);
        let (group, largest) = (["a", "b", "c", "The"][i * 5 % 4], ["records", "with", "most"][i % 3]);
        text.push_str(&format!("{answer},{part},{rating},{group},{largest}\n"));
    }
    Data {
        name: "survey",
        file: Some(("survey.csv", text)),
        questions: &["Answers by part of day", "How many answered Yes?", "What does this data set show?"],
        computed: &[],
    }
}

/// Long texts with numbers, quotation marks and negations.
fn notes() -> Data {
    let lines = (0..60_usize).map(|i| {
        let what = ["gull", "hawk", "“unknown” bird", "bat"][i % 4];
        let text = format!(
            "At {} ft the pilot saw a {what} and did not brake. No damage was found; the largest dent had {} mm. \
             The tower said \"{} more, none near\".",
            300 + i * 50,
            i % 7,
            i % 5
        );
        json!({"case": 1000 + i, "text": text, "severity": (["minor", "major", "minor"][i % 3])}).to_string()
    });
    Data {
        name: "notes",
        file: Some(("notes.jsonl", lines.collect::<Vec<_>>().join("\n"))),
        questions: &[
            "What did pilots see?",
            "Cases by severity",
            "Was the dent large?",
            "What did the tower say about gulls?",
        ],
        computed: &[],
    }
}

/// Names in other scripts and with other digits.
fn cities() -> Data {
    let mut text = String::from("都市;Größe;Région;Nombre\n");
    for i in 0..66_usize {
        let city = ["東京", "大阪", "Zürich", "São Paulo", "Москва"][i * i % 5];
        let (size, region) = (["groß", "klein", "mittel"][i % 3], ["Île-de-France", "Côte d’Azur"][i % 2]);
        text.push_str(&format!("{city};{size};{region};{},5\n", i % 12));
    }
    Data {
        name: "cities",
        file: Some(("cities.csv", text)),
        questions: &["Records by Größe", "Records by Région and Größe", "What does this data set show?"],
        computed: &[],
    }
}

/// Values that begin alike, differ in case only, or are parts of each other.
fn codes() -> Data {
    let mut text = String::from("code,code group,n of 10,percent %\n");
    for i in 0..84_usize {
        let code = ["B-737", "B-737-300", "b-737", "B-737-300 F", "C"][i % 5];
        let group = ["Small", "Small ship", "Small ship, old", "small"][i * 3 % 4];
        text.push_str(&format!("{code},\"{group}\",{},{}\n", i % 10, i % 4 * 25));
    }
    Data {
        name: "codes",
        file: Some(("codes.csv", text)),
        questions: &["Records by code", "Records by code group", "How many records have 25 percent?"],
        computed: &[],
    }
}
