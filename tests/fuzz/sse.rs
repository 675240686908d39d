//! Streams of server-sent events: however they are cut, they read as the standard says.

use fastrand::Rng;
use research_llm::sse::{Event, Parser};

use crate::{fuzz, mutate};

/// Bytes of a stream, most of which make sense.
fn stream(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    if rng.u8(0..4) == 0 {
        bytes.extend("\u{feff}".bytes());
    }
    for _ in 0..rng.usize(0..12) {
        let name = ["data", "event", "id", "retry", "", "other", "data "][rng.usize(0..7)];
        bytes.extend(name.bytes());
        bytes.extend(["", ":", ": ", ":  "][rng.usize(0..4)].bytes());
        bytes.extend(mutate::text(rng).bytes());
        for _ in 0..rng.usize(0..3) {
            bytes.extend(["\n", "\r", "\r\n"][rng.usize(0..3)].bytes());
        }
    }
    if rng.bool() {
        mutate::bytes(rng, &mut bytes);
    }
    bytes
}

/// The events that the parser reads, and whether it gave up.
fn read<'a>(parser: Parser, pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Event>, bool) {
    let mut parser = parser;
    let mut events = Vec::new();
    for piece in pieces {
        parser.push(piece);
        while let Some(next) = parser.next_event() {
            match next {
                Ok(event) => events.push(event),
                Err(_) => {
                    parser.push(b"data: more\n\n");
                    assert!(parser.next_event().is_none(), "something comes after the error");
                    return (events, true);
                }
            }
        }
    }
    (events, false)
}

/// The events as type, data and id, by the words of the standard and over the whole stream at once.
fn as_the_standard_says(bytes: &[u8]) -> Vec<(String, String, Option<String>)> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut lines = vec![Vec::new()];
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\r' | b'\n' => {
                at += usize::from(bytes[at..].starts_with(b"\r\n"));
                lines.push(Vec::new());
            }
            byte => lines.last_mut().unwrap().push(byte),
        }
        at += 1;
    }
    // The last line has no end.
    lines.pop();

    let (mut kind, mut data, mut id, mut events) = (String::new(), None::<Vec<String>>, None, Vec::new());
    for line in lines {
        let line = String::from_utf8_lossy(&line).into_owned();
        if line.is_empty() {
            let kind = std::mem::take(&mut kind);
            if let Some(data) = data.take() {
                let kind = if kind.is_empty() { "message".to_owned() } else { kind };
                events.push((kind, data.join("\n"), id.clone()));
            }
            continue;
        }
        let (name, said) = line.split_once(':').unwrap_or((&line, ""));
        let said = said.strip_prefix(' ').unwrap_or(said);
        match name {
            "data" => data.get_or_insert_default().push(said.to_owned()),
            "event" => kind = said.to_owned(),
            // An empty id is what the standard begins with: none.
            "id" if !said.contains('\0') => id = Some(said.to_owned()).filter(|id| !id.is_empty()),
            _ => {}
        }
    }
    events
}

#[test]
fn streams_read_as_the_standard_says_however_they_are_cut() {
    fuzz(20_000, |rng| {
        let bytes = stream(rng);
        let expected = as_the_standard_says(&bytes);
        let mut rest = bytes.as_slice();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(rng.usize(0..=rest.len().min(9)));
            pieces.push(piece);
            rest = more;
        }

        let (events, gave_up) = read(Parser::new(), pieces.into_iter());

        assert!(!gave_up);
        let events: Vec<_> = events.into_iter().map(|event| (event.event, event.data, event.id)).collect();
        assert_eq!(events, expected, "{:?}", String::from_utf8_lossy(&bytes));
    });
}

#[test]
fn no_event_is_larger_than_allowed() {
    fuzz(5_000, |rng| {
        let bytes: Vec<u8> = (0..rng.usize(1..6)).flat_map(|_| stream(rng)).collect();
        let most = rng.usize(0..60);

        let (events, gave_up) = read(Parser::new().max_event(most), bytes.chunks(rng.usize(1..30)));

        let (all, _) = read(Parser::new(), std::iter::once(bytes.as_slice()));
        assert!(all.starts_with(&events), "an event was changed");
        assert!(gave_up || events == all, "an event is missing");
        // The line ends between the lines of the data count with them or do not.
        assert!(events.iter().all(|event| event.data.chars().filter(|c| *c != '\n').count() <= most));
    });
}
