//! The corpus of this crate.

use std::convert::Infallible;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec, IndexPlace};

use crate::engines::documents::name_of;
use crate::engines::measured::Measured;
use crate::queries::BEST;

/// Opens the folder, with its index in memory or in a file, and searches it.
pub(crate) fn measure(folder: &Path, index: Option<&Path>) -> Result<Measured, Box<dyn Error>> {
    let mut measured = Measured::new(match index {
        None => "a folder, index in memory",
        Some(file) if file.exists() => "a folder, opened again from its file",
        Some(_) => "a folder, index in a file",
    });
    let place = index.map_or(IndexPlace::Memory, |file| IndexPlace::File(file.to_owned()));

    let start = Instant::now();
    let options = CorpusOptions::default().index(place);
    let corpus = Corpus::open(&CorpusSpec::new("documents", folder)?, &options)?;
    measured.index_s = start.elapsed().as_secs_f64();
    measured.documents = corpus.report().read.len();
    measured.passages = corpus.report().passages;
    measured.ranks_as_we_do = true;

    measured.ask(|query| {
        let hits = corpus.search(query, BEST);
        let named = hits.iter().map(|hit| {
            let name = name_of(&hit.document, hit.passage.range.start);
            (name, f64::from(hit.score))
        });
        Ok::<_, Infallible>(named.collect())
    })?;
    Ok(measured)
}
