//! Messages, environment variables, commands and events, and words that name nothing.

use research_agents_code::answer::Outcome;

use crate::ask;

fn said(files: &[(&str, &str)], question: &str) -> String {
    let sentences = ask(files, question).sentences.into_iter();
    let texts: Vec<String> = sentences.map(|sentence| sentence.text).collect();
    texts.join(" ")
}

const MESSAGES: &str = "\
class Store:
    def open(self, path):
        if not path:
            raise ValueError(f\"Cannot open {path}, which is read-only\")
        return path


def load(path):
    raise ValueError('malformed header line')
";

#[test]
fn a_message_is_found_where_it_is_made() {
    let files = [
        ("a.py", MESSAGES),
        ("README.md", "It may say malformed header.\n"),
    ];

    let read_only = said(
        &files,
        "Where does \"Cannot open ..., which is read-only\" come from?",
    );
    assert!(
        read_only.contains("`a.py`, line 4, in `Store.open`"),
        "{read_only}"
    );
    let header = said(
        &files,
        "We fail with 'malformed header'. In which function is that?",
    );
    assert!(header.contains("in `load`"), "{header}");
    let other = ask(&files, "Where does \"no such text anywhere\" come from?");
    assert_ne!(other.outcome, Outcome::Computed);
}

#[test]
fn environment_variables_are_listed() {
    let files = [
        (
            "a.py",
            "import os\nHOME = os.environ.get('APP_HOME')\n# os.getenv('OLD')\n",
        ),
        ("b.js", "const level = process.env.APP_LEVEL\n"),
        ("c.rb", "ENV['OTHER_DEBUG'] && puts('x')\n"),
    ];

    let all = said(&files, "Which environment variables are read?");
    assert!(all.contains("3 environment variables"), "{all}");
    assert!(!all.contains("OLD"), "a comment reads nothing: {all}");
    let some = said(&files, "List the environment variables starting with APP_");
    assert!(
        some.contains("2 environment variables: `APP_HOME` and `APP_LEVEL`"),
        "{some}"
    );
    let none = ask(
        &[("a.py", "x = 1\n")],
        "Which environment variables are read?",
    );
    assert_eq!(none.outcome, Outcome::Absent);
}

#[test]
fn variables_that_are_read_without_their_names_are_not_denied() {
    let by_constant = "import os\nKEY = 'APP_HOME'\nHOME = os.getenv(KEY)\n";
    let answer = ask(
        &[("a.py", by_constant)],
        "Which environment variables are read?",
    );
    assert_eq!(answer.outcome, Outcome::NotComputed);
    let text = answer.text();
    assert!(
        text.contains("In 1 place they are read otherwise"),
        "{text}"
    );
    assert!(text.contains("`a.py`, line 3"), "{text}");

    let beside = format!("{by_constant}LEVEL = os.environ['LEVEL']\n");
    let text = said(
        &[("a.py", beside.as_str())],
        "Which environment variables are read?",
    );
    assert!(text.contains("1 environment variable: `LEVEL`"), "{text}");
    assert!(
        text.contains("In 1 place they are read otherwise"),
        "{text}"
    );
}

#[test]
fn variables_of_arguments_are_read_by_clap() {
    let arguments = "#[derive(clap::Parser)]\nstruct Args {\n    \
                     #[arg(long, env = \"APP_TOKEN\")]\n    token: String,\n}\n";
    let text = said(
        &[("a.rs", arguments)],
        "Which environment variables are read?",
    );
    assert!(text.contains("`APP_TOKEN` is read in `a.rs`"), "{text}");
}

#[test]
fn subcommands_and_events_are_listed() {
    let click = "import click\n\n@app.command()\n@click.option('--all')\ndef sync(all):\n    \
                 pass\n\n@app.command()\ndef repair():\n    pass\n";
    let text = said(&[("cli.py", click)], "What subcommands does the CLI have?");
    assert!(
        text.contains("2 subcommands: `sync` and `repair`"),
        "{text}"
    );

    let events =
        "class Client {\n  run () {\n    this.emit('ready')\n    this.emit('close', 1)\n  }\n}\n";
    let text = said(
        &[("a.js", events)],
        "List all events that a Client can emit.",
    );
    assert!(text.contains("2 events: `ready` and `close`"), "{text}");
}

#[test]
fn raised_errors_are_counted_where_they_are_raised() {
    let code = "import { BadMessage } from 'errors'\n\
                export function a () { throw new BadMessage('x') }\n\
                export function b (e: BadMessage) { throw new BadMessage('y') }\n";
    let text = said(
        &[("a.ts", code)],
        "How often is BadMessage thrown in the sources?",
    );
    assert!(
        text.contains("`BadMessage` is raised 2 times in the code."),
        "{text}"
    );
}

#[test]
fn interfaces_of_go_have_their_implementors() {
    let code = "package a\n\ntype Delegate interface {\n\t// Join is called.\n\
                \tJoin(n *Node)\n}\n\ntype Channel struct {\n\tCh int\n}\n\n\
                func (c *Channel) Join(n *Node) {}\n";
    let text = said(
        &[("a.go", code)],
        "Which type implements the Delegate interface?",
    );
    assert!(text.contains("`Channel`"), "{text}");
    let kind = said(&[("a.go", code)], "Where is `Channel` defined?");
    assert!(kind.contains("is a struct"), "{kind}");
}

#[test]
fn the_constant_of_a_default_is_its_value() {
    let ruby = "DEFAULT_RETRY_LIMIT = 4\n\nclass Connection\n  def retry_limit\n    \
                data[:retry_limit] ||= DEFAULT_RETRY_LIMIT\n  end\nend\n";
    let text = said(&[("a.rb", ruby)], "What is the default of retry_limit?");
    assert!(text.contains("`4`"), "{text}");

    // A key of a configuration has other capitals than the field that holds it.
    let c = "struct conf {\n  int maxclients;\n};\n\
             void init (struct conf *c) {\n  c->maxclients = 100;\n}\n";
    let files = [
        ("a.c", c),
        (
            "tokens.gperf",
            "maxclients, CD_maxclients\nMaxClients 100\n",
        ),
    ];
    let text = said(&files, "What's the default of MaxClients?");
    assert!(text.contains("`100`"), "{text}");
}

#[test]
fn a_common_word_is_not_taken_for_a_name() {
    let code = "def request(url):\n    return url\n\n\n\
                def redirect(url):\n    raise TooManyRedirects()\n";
    for question in [
        "What is raised when a request was sent on too often to other places?",
        "How many message kinds of a request are there for the other side?",
    ] {
        let answer = ask(&[("a.py", code)], question);
        assert_eq!(answer.outcome, Outcome::NotComputed, "{question}");
    }

    let missing = ask(
        &[("a.py", code)],
        "Where is the request of Outlook calendars made?",
    );
    assert_ne!(missing.outcome, Outcome::Computed);
}
