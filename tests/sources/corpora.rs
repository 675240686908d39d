//! Folders: every file is read or listed, and passages are ranked.

use std::fs;

use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec, IndexPlace};
use research_agents_sources::read::ReadLimits;
use tempfile::TempDir;

use crate::made;

pub fn corpus(folder: &TempDir, options: &CorpusOptions) -> Corpus {
    Corpus::open(&CorpusSpec::new("docs", folder.path()).unwrap(), options).unwrap()
}

fn written(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

#[test]
fn every_file_is_read_or_listed_with_its_reason() {
    let pdf = made::pdf(&["The pump leaks."]);
    let (docx, encrypted) = (made::docx(), made::encrypted_pdf());
    let big = vec![b'x'; 2_000_000];
    let folder = written(&[
        ("a.md", b"# Pumps\n\nThe seal is worn."),
        ("deep/er/b.html", b"<p>The valve is closed."),
        ("c.pdf", &pdf),
        ("d.docx", &docx),
        ("e.pdf", &encrypted),
        ("f.pdf", b"%PDF-1.4 broken"),
        ("g.png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("h.txt", b""),
        ("big.txt", &big),
        (".git/config", b"[core]"),
        (".env", b"KEY=secret"),
        ("no-ending", b"The tank is empty."),
    ]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.txt")).unwrap();
        std::os::unix::fs::symlink("deep", folder.path().join("linked")).unwrap();
        std::process::Command::new("mkfifo").arg(folder.path().join("pipe.txt")).status().unwrap();
    }
    let options = CorpusOptions::default().limits(ReadLimits::default().file(1_000_000));
    let corpus = corpus(&folder, &options);

    let read: Vec<&str> = corpus.report().read.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(read, ["a.md", "c.pdf", "d.docx", "deep/er/b.html", "no-ending"]);
    let not_read: Vec<(&str, &str)> =
        corpus.report().not_read.iter().map(|file| (file.path.as_str(), file.reason.code())).collect();
    let mut expected = vec![
        (".env", "hidden"),
        (".git", "hidden"),
        ("big.txt", "too_large"),
        ("e.pdf", "encrypted"),
        ("f.pdf", "malformed"),
        ("g.png", "unknown_format"),
        ("h.txt", "no_text"),
    ];
    if cfg!(unix) {
        expected.extend([("link.txt", "link"), ("linked", "link"), ("pipe.txt", "not_a_file")]);
    }
    assert_eq!(not_read, expected);
    assert!(corpus.search("root secret core", 50).is_empty());
}

#[test]
fn a_passage_is_found_by_its_words_its_title_and_its_headings() {
    let folder = written(&[
        ("a.md", b"# Pumps\n\n## Seals\n\nReplace them every year.\n\n## Motors\n\nOil them every year."),
        ("b.md", b"# Valves\n\nClose the valve before the pump is opened."),
    ]);
    let corpus = corpus(&folder, &CorpusOptions::default());

    let hits = corpus.search("replacing seals", 10);
    assert_eq!(hits[0].document, "a.md");
    assert_eq!(hits[0].headings, ["Pumps", "Seals"]);
    assert_eq!(hits[0].text.for_code(), "Seals\n\nReplace them every year.");
    assert_eq!(corpus.search("valve", 1)[0].document, "b.md");
    assert!(corpus.search("bicycle", 10).is_empty() && corpus.search("", 10).is_empty());

    let document = corpus.document("a.md").unwrap();
    assert_eq!(document.slice(&hits[0].passage.range), hits[0].text.for_code());
    assert!(corpus.document("../a.md").is_none() && corpus.document("/etc/passwd").is_none());
}

#[test]
fn ties_come_in_the_order_of_the_files() {
    let files: Vec<(String, &[u8])> = (0..40).map(|n| (format!("{n:02}.txt"), b"The pump leaks.".as_slice())).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let folder = written(&files);
    for _ in 0..3 {
        let hits = corpus(&folder, &CorpusOptions::default()).search("pump", 50);
        let names: Vec<&str> = hits.iter().map(|hit| hit.document.as_str()).collect();
        assert_eq!(names, files.iter().map(|file| file.0).collect::<Vec<_>>());
    }
}

#[test]
fn an_index_file_keeps_what_did_not_change() {
    let folder =
        written(&[("a.md", b"The pump leaks."), ("b.md", b"The seal is worn."), ("c.md", b"The tank is full.")]);
    let kept = tempfile::tempdir().unwrap();
    let index = kept.path().join("index.sqlite");
    let options = CorpusOptions::default().index(IndexPlace::File(index.clone()));
    assert_eq!(corpus(&folder, &options).report().reused, 0);

    fs::write(folder.path().join("b.md"), "The valve is new.").unwrap();
    fs::rename(folder.path().join("c.md"), folder.path().join("d.md")).unwrap();
    let second = corpus(&folder, &options);
    assert_eq!(second.report().reused, 2);
    assert_eq!(second.search("valve", 5)[0].document, "b.md");
    assert_eq!(second.search("tank", 5)[0].document, "d.md");
    assert!(second.search("seal", 5).is_empty());

    // The same hits as without a file.
    let fresh = corpus(&folder, &CorpusOptions::default());
    for query in ["pump", "valve new", "tank full leaks"] {
        assert_eq!(second.search(query, 9), fresh.search(query, 9));
    }

    // A damaged file is made again.
    drop(second);
    fs::write(&index, "not a database, and longer than a header of one needs to be to be read as one at all, really")
        .unwrap();
    let _ = fs::remove_file(kept.path().join("index.sqlite-wal"));
    assert_eq!(corpus(&folder, &options).report().reused, 0);
    assert_eq!(corpus(&folder, &options).report().reused, 3);
}

#[test]
fn a_corpus_is_refreshed_in_place() {
    let folder = written(&[("a.md", b"The pump leaks.")]);
    let mut corpus = corpus(&folder, &CorpusOptions::default());
    fs::write(folder.path().join("b.md"), "The seal is worn.").unwrap();
    corpus.refresh().unwrap();
    assert_eq!((corpus.report().reused, corpus.report().read.len()), (1, 2));
    assert_eq!(corpus.search("seal", 5)[0].document, "b.md");
}

#[test]
fn a_folder_that_is_not_there_is_an_error_with_its_path() {
    let error = Corpus::open(&"docs=/no/such/folder".parse().unwrap(), &CorpusOptions::default()).unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
    assert!("a b=/tmp".parse::<CorpusSpec>().is_err());
}

/// BM25 as in Robertson and Zaragoza, computed over all passages without an index.
#[test]
fn ranks_are_those_of_a_scorer_without_an_index() {
    let words = ["pump", "seal", "valve", "tank", "motor", "oil", "leak", "worn", "full", "pressure"];
    let mut random = 7_u64;
    let mut next = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % most
    };
    let files: Vec<(String, String)> = (0..300)
        .map(|n| {
            (format!("{n:03}.txt"), (0..3 + next(40)).map(|_| words[next(words.len())]).collect::<Vec<_>>().join(" "))
        })
        .collect();
    let folder = written(&files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect::<Vec<_>>());
    let corpus = corpus(&folder, &CorpusOptions::default());

    let stems = |text: &str| research_agents_report::text::content_stems(text);
    // The first line of a plain file is its title if it is short, and counts as its words.
    let passages: Vec<Vec<String>> = files
        .iter()
        .map(|(_, text)| if text.len() <= 120 { [stems(text), stems(text)].concat() } else { stems(text) })
        .collect();
    let mean = passages.iter().map(Vec::len).sum::<usize>() as f64 / passages.len() as f64;
    for query in ["pump seal", "worn valve pressure", "oil", "tank tank motor"] {
        let mut wanted = stems(query);
        wanted.sort();
        wanted.dedup();
        let mut expected: Vec<(f64, &str)> = Vec::new();
        for (passage, (name, _)) in passages.iter().zip(&files) {
            let score: f64 = wanted
                .iter()
                .map(|word| {
                    let has = passages.iter().filter(|passage| passage.contains(word)).count() as f64;
                    let count = passage.iter().filter(|stem| *stem == word).count() as f64;
                    let idf = (1.0 + (passages.len() as f64 - has + 0.5) / (has + 0.5)).ln();
                    idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * passage.len() as f64 / mean))
                })
                .sum();
            if score > 0.0 {
                expected.push((score, name));
            }
        }
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let hits = corpus.search(query, 1_000);
        assert_eq!(hits.len(), expected.len());
        for (hit, (score, _)) in hits.iter().zip(&expected) {
            assert!((f64::from(hit.score) - score).abs() < 1e-4, "{query}: {} and {score}", hit.score);
        }
        let top: Vec<&str> = hits.iter().take(10).map(|hit| hit.document.as_str()).collect();
        let best: Vec<&str> = expected.iter().take(10).map(|hit| hit.1).collect();
        assert_eq!(top, best, "{query}");
    }
}

/// How many small files are read; the long proofs take 10,000.
fn many() -> usize {
    if std::env::var_os("SOURCES_FULL").is_some() { 10_000 } else { 500 }
}

#[test]
fn many_small_files_are_all_read() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..many() {
        let path = folder.path().join(format!("{}/{n}.md", n % 50));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("# Part {n}\n\nThe part number{n} is made of steel.\n")).unwrap();
    }
    let corpus = corpus(&folder, &CorpusOptions::default());
    assert_eq!((corpus.report().read.len(), corpus.report().not_read.len()), (many(), 0));
    assert_eq!(corpus.search("number77", 5)[0].document, "27/77.md");

    let limited =
        Corpus::open(&CorpusSpec::new("docs", folder.path()).unwrap(), &CorpusOptions::default().most_files(100))
            .unwrap();
    assert_eq!((limited.report().read.len(), limited.report().not_read.len()), (100, many() - 100));
    assert!(limited.report().not_read.iter().all(|file| file.reason.code() == "beyond"));
}

#[test]
fn a_file_of_100_megabytes_is_refused_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let line = "The pump number 7 leaks because its seal is worn, says the manual.\n\n";
    let size = 100_000_000;
    fs::write(folder.path().join("big.txt"), line.repeat(size / line.len() + 1)).unwrap();
    let small = corpus(&folder, &CorpusOptions::default());
    assert_eq!(small.report().not_read[0].reason.code(), "too_large");

    if std::env::var_os("SOURCES_FULL").is_some() {
        let time = std::time::Duration::from_secs(600);
        let limits = ReadLimits::default().file(200 << 20).text(200 << 20).time(time);
        let large = corpus(&folder, &CorpusOptions::default().limits(limits));
        assert_eq!(large.report().read.len(), 1);
        assert!(large.report().passages > 100_000);
    }
}
