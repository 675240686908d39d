//! Finished reports as they are: the checker raises no alarm, over eight data sets in three formats.

use crate::data;
use crate::runs::{FORMATS, finished};

#[tokio::test]
async fn no_sentence_of_a_finished_report_raises_an_alarm() {
    let (mut reports, mut sentences, mut claims) = (0, 0, 0);
    let mut alarms = Vec::new();
    for data in data::all() {
        for run in finished(data, &FORMATS).await {
            let checker = run.checker();
            reports += 1;
            // What was withheld from a report was an alarm, too: the offline model writes only what holds.
            let withheld = run.report.limitations.iter().find(|line| line.contains("withheld"));
            alarms.extend(withheld.map(|line| format!("{} / {}: {line}", run.data, run.question)));
            alarms.extend(run.report.notes.iter().filter(|note| note.contains("withheld")).cloned());
            for sentence in run.sentences() {
                sentences += 1;
                claims += sentence.claims.len();
                if let Err(failure) = checker.verify(sentence) {
                    alarms.push(format!("{} / {}: {failure}: {}", run.data, run.question, sentence.text.as_str()));
                }
            }
        }
    }
    println!("{reports} reports, {sentences} sentences, {claims} claims, {} alarms", alarms.len());
    assert!(alarms.is_empty(), "{} false alarms:\n{}", alarms.len(), alarms.join("\n"));
    assert!(reports >= 40 && sentences > 150, "{reports} reports with {sentences} sentences");
}
