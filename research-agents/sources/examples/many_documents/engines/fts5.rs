//! SQLite FTS5 over the passages that our reader makes.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::engines::documents::each_passage;
use crate::engines::measured::Measured;
use crate::queries::BEST;

/// Makes a table in a file, with Porter stems, and searches it by its own BM25.
pub(crate) fn measure(folder: &Path) -> Result<Measured, Box<dyn Error>> {
    let mut measured = Measured::new("SQLite FTS5");
    let mut connection = Connection::open(folder.with_extension("fts5"))?;
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         CREATE VIRTUAL TABLE passages
         USING fts5(name UNINDEXED, text, tokenize = 'porter unicode61');",
    )?;

    let start = Instant::now();
    let transaction = connection.transaction()?;
    let mut inserting = Duration::ZERO;
    {
        let mut insert =
            transaction.prepare("INSERT INTO passages (name, text) VALUES (?1, ?2)")?;
        measured.documents = each_passage(folder, |passage| {
            let text = passage.parts.join("\n");
            let start = Instant::now();
            insert.execute((&passage.name, &text))?;
            inserting += start.elapsed();
            measured.passages += 1;
            Ok(())
        })?;
    }
    let committing = Instant::now();
    transaction.commit()?;
    measured.index_s = (inserting + committing.elapsed()).as_secs_f64();
    measured.read_s = start.elapsed().as_secs_f64() - measured.index_s;

    let mut select = connection.prepare(
        "SELECT name, bm25(passages) FROM passages WHERE passages MATCH ?1 ORDER BY rank LIMIT ?2",
    )?;
    let limit = i64::try_from(BEST)?;
    measured.ask(|query| {
        // Any of the words, as in our own searches.
        let words = query
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let asked: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        let rows = select.query_map((asked.join(" OR "), limit), |row| {
            Ok((row.get(0)?, -row.get::<_, f64>(1)?))
        })?;
        rows.collect::<Result<Vec<_>, _>>()
    })?;
    Ok(measured)
}
