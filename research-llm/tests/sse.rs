//! The parser of server-sent events, by the examples of the standard and under every way of cutting a stream.

use std::time::Duration;

use proptest::prelude::*;
use research_llm::ErrorKind;
use research_llm::sse::{Event, Parser};

/// The events of a stream that comes in these pieces, and the kind of the error that ended it.
fn read_with<'a>(mut parser: Parser, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Option<ErrorKind>) {
    let mut events = Vec::new();
    for piece in pieces {
        parser.push(piece);
        while let Some(event) = parser.next_event() {
            match event {
                Ok(event) => events.push(event),
                Err(error) => return (events, Some(error.kind())),
            }
        }
    }
    (events, None)
}

fn read(stream: &[u8]) -> Vec<(String, String, Option<String>)> {
    let (events, error) = read_with(Parser::new(), [stream]);
    assert_eq!(error, None);
    events.into_iter().map(|event| (event.event, event.data, event.id)).collect()
}

fn messages(stream: &[u8]) -> Vec<String> {
    read(stream).into_iter().map(|(_, data, _)| data).collect()
}

const CASES: &[&[u8]] = &[
    b"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\n",
    b"\xEF\xBB\xBFevent: x\r\ndata: 1\r\ndata: 2\r\nid: 7\r\n\r\n: comment\r\ndata\r\n\r\n",
    "data: {\"text\": \"Grüße, 世界 🌍\"}\n\n".as_bytes(),
    b"data: bad \xF0\x9F\x8C utf \xFF\xC3\n\ndata: \xC3",
    b"retry: 1500\nevent: e\n\ndata: after\nunknown: field\nid: a\0b\n\n",
    b"data: cut off\n",
    b"\n\n\r\r\r\n\r\n",
];

#[test]
fn lines_may_end_in_every_way() {
    for end in ["\n", "\r", "\r\n"] {
        let stream = format!("event: e{end}data: 1{end}data: 2{end}{end}data: 3{end}{end}");
        let events = read(stream.as_bytes());
        assert_eq!(events, [("e".into(), "1\n2".into(), None), ("message".into(), "3".into(), None)], "{end:?}");
    }
}

#[test]
fn the_examples_of_the_standard_are_read_as_it_says() {
    assert_eq!(messages(b"data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
    let stream = b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n";
    assert_eq!(
        read(stream),
        [("message".into(), "first event".into(), Some("1".into())), ("message".into(), "second event".into(), None),]
    );
    assert_eq!(messages(b"data\n\ndata\ndata\n\ndata:\n"), ["", "\n"]);
    assert_eq!(messages(b"data:test\n\ndata: test\n\n"), ["test", "test"]);
}

#[test]
fn a_byte_order_mark_is_left_out_at_the_start_alone() {
    assert_eq!(messages(b"\xEF\xBB\xBFdata: a\n\n"), ["a"]);
    assert_eq!(messages(b"\n\xEF\xBB\xBFdata: a\n\n"), [""; 0]);
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(messages(b"data: a\xFFb\n\n"), ["a\u{FFFD}b"]);
}

#[test]
fn an_event_without_its_empty_line_was_never_sent() {
    assert_eq!(messages(b"data: a\n\ndata: b\n"), ["a"]);
}

#[test]
fn the_wait_before_connecting_again_is_kept() {
    let mut parser = Parser::new();
    parser.push(b"retry: 1500\nretry: soon\n");
    assert_eq!(parser.retry(), Some(Duration::from_millis(1500)));
}

#[test]
fn an_event_that_is_too_large_ends_the_stream_with_an_error_after_those_before_it() {
    let stream = b"data: small\n\ndata: 0123456789\ndata: 0123456789\n\ndata: small\n\n";
    let (events, error) = read_with(Parser::new().max_event(20), [&stream[..]]);
    assert_eq!((events.len(), error), (1, Some(ErrorKind::InvalidResponse)));
    let (events, error) = read_with(Parser::new().max_event(32), [&stream[..]]);
    assert_eq!((events.len(), error), (3, None));
}

#[test]
fn a_stream_cut_at_any_two_places_is_the_same_stream() {
    for case in CASES {
        let whole = read_with(Parser::new(), [*case]);
        assert_eq!(read_with(Parser::new(), case.chunks(1)), whole);
        for one in 0..=case.len() {
            for two in one..=case.len() {
                let pieces = [&case[..one], &case[one..two], &case[two..]];
                assert_eq!(read_with(Parser::new(), pieces), whole, "cut at {one} and {two}");
            }
        }
    }
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(b"data: ".to_vec()),
        Just(b"data".to_vec()),
        Just(b"event: tick".to_vec()),
        Just(b"id: 4".to_vec()),
        Just(b"retry: 10".to_vec()),
        Just(b":".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just("ä世🌍".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn a_stream_is_the_same_under_every_cutting(
        stream in stream(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
        max in prop_oneof![Just(usize::MAX / 4), 4usize..40],
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]);
        let parser = || Parser::new().max_event(max);
        prop_assert_eq!(read_with(parser(), pieces), read_with(parser(), [&stream[..]]));
    }
}
