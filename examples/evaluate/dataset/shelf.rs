//! The cases and their data: those that come with the program, or those of a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use research_examples::dataset::{self, Dataset};

use super::answer::Question;
use super::case::{Case, CaseFile};
use super::records::Records;
use crate::harness::unusable::Unusable;

/// The files of cases that come with the program.
const CASES: [(&str, &str); 8] = [
    ("strikes.json", include_str!("../cases/strikes.json")),
    ("pumps.json", include_str!("../cases/pumps.json")),
    ("events.json", include_str!("../cases/events.json")),
    ("reviews.json", include_str!("../cases/reviews.json")),
    ("single.json", include_str!("../cases/single.json")),
    ("nothing.json", include_str!("../cases/nothing.json")),
    ("penguins.json", include_str!("../cases/penguins.json")),
    ("voyages.json", include_str!("../cases/voyages.json")),
];

/// Their data.
const DATA: [(&str, &[u8]); 8] = [
    ("birdstrikes.csv", include_bytes!("../../data/birdstrikes.csv")),
    ("pumps.csv", include_bytes!("../data/pumps.csv")),
    ("events.json", include_bytes!("../data/events.json")),
    ("reviews.jsonl", include_bytes!("../data/reviews.jsonl")),
    ("single.json", include_bytes!("../data/single.json")),
    ("nothing.csv", include_bytes!("../data/nothing.csv")),
    ("penguins.json", include_bytes!("../../data/penguins.json")),
    ("voyages.csv", include_bytes!("../data/voyages.csv")),
];

/// A data set with the cases about it.
pub struct Book {
    /// The data.
    pub data: Arc<Data>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A data set twice: as the agent gets it, and as the truth is counted.
pub struct Data {
    /// Name of the file.
    pub file: String,
    /// What the agent reads through its server.
    pub served: Dataset,
    /// What the truth is counted from.
    pub records: Records,
}

/// Opens the cases that come with the program, or those of a folder, whose data may be in another one.
///
/// # Errors
/// When a file cannot be read, or a case does not fit its data.
pub fn open(folder: Option<&Path>, data: Option<&Path>) -> Result<Vec<Book>, Unusable> {
    let mut books = Vec::new();
    match folder {
        None => {
            for (name, text) in CASES {
                books.push(book(name, text, |file| {
                    let known = DATA.iter().find(|(name, _)| *name == file);
                    known.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
                })?);
            }
        }
        Some(folder) => {
            for path in case_files(folder)? {
                let shown = path.display().to_string();
                let text = fs::read_to_string(&path).map_err(|error| Unusable::file(&shown, &error))?;
                books.push(book(&shown, &text, |file| read_data(folder, data, file))?);
            }
        }
    }
    let mut ids: Vec<&str> = books.iter().flat_map(|book| &book.cases).map(|case| case.id.as_str()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Unusable::new(format!("two cases are called `{}`; give one another id", pair[0]))),
        None => Ok(books),
    }
}

fn case_files(folder: &Path) -> Result<Vec<PathBuf>, Unusable> {
    let shown = folder.display().to_string();
    let entries = fs::read_dir(folder).map_err(|error| Unusable::file(&shown, &error))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Unusable::file(&shown, &error))?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Unusable::new(format!("--cases {shown}: there is no .json file; see examples/evaluate/cases")));
    }
    Ok(files)
}

/// Reads a data file from the folder `data` in or beside that of the cases, else from beside the cases.
fn read_data(folder: &Path, data: Option<&Path>, file: &str) -> io::Result<Vec<u8>> {
    if Path::new(file).components().count() != 1 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it must be the name of a file, without a folder"));
    }
    let folders = match data {
        Some(data) => vec![data.to_path_buf()],
        None => vec![folder.join("data"), folder.join("../data"), folder.to_path_buf()],
    };
    let found = folders.iter().map(|folder| folder.join(file)).find(|path| path.is_file());
    fs::read(found.unwrap_or_else(|| folder.join(file)))
}

fn book(name: &str, text: &str, read: impl Fn(&str) -> io::Result<Vec<u8>>) -> Result<Book, Unusable> {
    let file: CaseFile = serde_json::from_str(text).map_err(|error| {
        Unusable::new(format!("{name} is not a file of cases: {error}; see examples/evaluate/cases"))
    })?;
    let data = &file.data;
    let bytes = read(&data.file).map_err(|error| Unusable::new(format!("{name}: its data {}: {error}", data.file)))?;
    let of_name = |error: &dyn std::error::Error| Unusable::new(format!("{name}: its data: {error}"));
    let records =
        Records::parse(&data.file, &bytes, data.id.as_deref(), data.delimiter).map_err(|error| of_name(&error))?;
    let path = Path::new(&data.file);
    let stem = path.file_stem().map_or("data".into(), |stem| stem.to_string_lossy());
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let served = dataset::parse(&stem, &bytes, ending.as_deref()).map_err(|error| of_name(&error))?;
    let questions = file.questions.into_iter().map(Question::into_case);
    let cases: Vec<Case> = file.cases.into_iter().chain(questions).collect();
    for case in &cases {
        if let Some(problem) = case.problems(&records).first() {
            return Err(Unusable::new(format!("{name}: case {}: {problem}; correct the case", case.id)));
        }
    }
    Ok(Book { data: Arc::new(Data { file: file.data.file, served, records }), cases })
}
