//! Answers a question about a code base from the command line.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use research_agents_code::base::CodeBase;
use research_agents_code_agent::CodeAgent;
use research_agents_code_agent::agent::{CodeSystem, audit};
use research_agents_code_agent::answer::compose;
use research_agents_code_agent::artifacts::{html, report_md};
use research_agents_code_agent::lsp::{ServerSpec, Servers};
use research_agents_code_agent::program::{fail, open_model, parse_cache, print, run, say};
use research_agents_code_agent::run::{ResearchRun, RunStatus};
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::run::replay;
use research_core_sqlite::SqliteCheckpointer;
use tokio_util::sync::CancellationToken;

/// Exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

const EXAMPLES: &str = "\
Examples:
  research-code 'Who calls `resolve_path`?'
  research-code --root ~/src/django --scope 'django/db/**' 'What implements `BaseBackend`?'
  research-code --report page.html 'Where is `MAX_FILE_BYTES` defined?'
      A page with the answer and its lines; .md and .json as well
  research-code --json 'What is the default of `timeout`?' | jq -r .answer
  research-code --export run.json 'Who calls `run`?'
      The run in one file; --verify run.json checks it, --replay run.json repeats it without files
  research-code --model http://127.0.0.1:8080/v1 'How are retries decided?'
      A language model chooses the steps; its sentences pass the same checks

Nothing is written into the code base. Exit codes: 0 with an answer, 1 after an error or if --verify
finds a difference, 2 for wrong options, 130 after Ctrl-C.";

/// Answers a question about a code base in a few sentences with the lines that show them.
#[derive(Debug, Parser)]
#[command(name = "research-code", version, after_help = EXAMPLES)]
struct Args {
    /// The question, with names in backticks
    #[arg(required_unless_present_any = ["verify", "replay"])]
    question: Option<String>,

    /// Folder of the code base
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,

    /// Glob that limits the search, such as 'src/**'
    #[arg(long, value_name = "GLOB", default_value = "")]
    scope: String,

    /// Maximum number of steps, 1 to 20
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        allow_negative_numbers = true
    )]
    budget: i64,

    /// Show the steps
    #[arg(long)]
    debug: bool,

    /// Print the run as JSON
    #[arg(long)]
    json: bool,

    /// Write a report: .html, .md or .json
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// The model: `offline` computes its answers and needs no key and no network; PROVIDER:MODEL or
    /// the address of a local server is a language model
    #[arg(
        long,
        value_name = "SPEC",
        env = "RESEARCH_MODEL",
        default_value = "offline"
    )]
    model: String,

    /// Language server that may be asked, such as 'c,h=/usr/bin/clangd'; may be repeated
    #[arg(long = "language-server", value_name = "EXTENSIONS=PROGRAM ARGS…")]
    language_servers: Vec<ServerSpec>,

    /// Folder in which facts of files are kept between runs, or `memory`. It only saves time
    /// [default: the cache folder of the user]
    #[arg(long, value_name = "DIR")]
    cache: Option<String>,

    /// Keep the run on this thread of --db: after a crash the same command resumes it
    #[arg(long, value_name = "NAME", requires = "db")]
    thread: Option<String>,

    /// The file of --thread; it is made when it is not there
    #[arg(long, value_name = "FILE", requires = "thread")]
    db: Option<PathBuf>,

    /// Write the run into a bundle
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,

    /// Check everything in a bundle
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "question"])]
    verify: Option<PathBuf>,

    /// Repeat the run of a bundle, without a model and without files
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    replay: Option<PathBuf>,
}

fn main() -> ExitCode {
    run(async {
        match work(Args::parse()).await {
            Ok(code) => code,
            Err(error) if is_broken_pipe(&*error) => ExitCode::FAILURE,
            Err(error) => fail(&*error),
        }
    })
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

async fn work(args: Args) -> Result<ExitCode, Box<dyn Error>> {
    if let Some(file) = &args.verify {
        return check_bundle(file).await;
    }
    if let Some(file) = &args.replay {
        let ended = replay::<CodeSystem>(&read_bundle("--replay", file)?)?.await?;
        show(&args, ended.state.run())?;
        return Ok(ExitCode::SUCCESS);
    }
    let format = args.report.as_deref().map(report_format).transpose()?;
    for (option, file) in [("--report", &args.report), ("--export", &args.export)] {
        if let Some(file) = file {
            writable(option, file)?;
        }
    }

    // Ctrl-C ends the run with what it has; the second one ends the program.
    let cancel = CancellationToken::new();
    let interrupted = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });

    let model = open_model(&args.model).await?;
    let is_language_model = model.info().is_language_model();
    let cache = args.cache.as_deref().map(parse_cache).unwrap_or_default();
    let base = CodeBase::open(&args.root, &cache)?;
    let agent = CodeAgent::on(Arc::new(base))
        .model(model)
        .language_servers(Servers::new(args.language_servers.clone()))
        .build()?;
    let agent = match &args.db {
        Some(file) => agent.with_checkpointer(SqliteCheckpointer::open(file).await?),
        None => agent,
    };
    let mut question = agent
        .ask(args.question.as_deref().unwrap_or_default())
        .scope(&args.scope)
        .budget(args.budget)
        .cancel(cancel.clone());
    if is_language_model {
        question = question.listener(report_progress);
    }
    if args.export.is_some() {
        question = question.record();
    }
    let (run, bundle) = match &args.thread {
        Some(thread) => {
            let ended = question.graph()?.thread(thread.as_str()).await?;
            (ended.state.run().clone(), ended.bundle)
        }
        None => {
            let ended = question.run().await?;
            (ended.run, ended.bundle)
        }
    };

    if let (Some(file), Some(bundle)) = (&args.export, bundle.as_deref()) {
        export(file, bundle).await?;
    }
    if let (Some(file), Some(format)) = (&args.report, format) {
        write("--report", file, &format(&run))?;
    }
    show(&args, &run)?;
    Ok(match run.status {
        _ if cancel.is_cancelled() => ExitCode::from(INTERRUPTED),
        RunStatus::Error => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

fn report_progress(event: RunEvent) {
    match event {
        RunEvent::Progress { message, .. } => say(message),
        RunEvent::ToolResult { tool, summary, .. } => say(format_args!("  {tool}: {summary}")),
        _ => {}
    }
}

fn show(args: &Args, run: &ResearchRun) -> Result<(), Box<dyn Error>> {
    if args.json {
        return Ok(print(&json(run)?)?);
    }
    if let Some(error) = &run.error_message {
        return Err(error.clone().into());
    }
    Ok(print(&compose(run, args.debug))?)
}

fn json(run: &ResearchRun) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(run)?;
    let steps = value
        .get_mut("steps")
        .and_then(serde_json::Value::as_array_mut);
    for step in steps.into_iter().flatten() {
        if let Some(data) = step
            .get_mut("data")
            .and_then(serde_json::Value::as_object_mut)
        {
            data.remove("answer");
        }
    }
    serde_json::to_string_pretty(&value)
}

/// Checks a bundle, and that it replays.
async fn check_bundle(file: &Path) -> Result<ExitCode, Box<dyn Error>> {
    let bundle = read_bundle("--verify", file)?;
    let problems = audit(&bundle, None).await?;
    for problem in &problems {
        print(problem)?;
    }
    print(match problems.is_empty() {
        true => "everything holds",
        false => "it does not hold",
    })?;
    Ok(if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn read_bundle(option: &str, file: &Path) -> Result<Bundle, Box<dyn Error>> {
    let told = |error: &dyn Error| format!("{option} {}: {error}", file.display());
    let opened = fs::File::open(file).map_err(|error| told(&error))?;
    Ok(Bundle::read(opened).map_err(|error| told(&error))?)
}

async fn export(file: &Path, bundle: &Bundle) -> Result<(), Box<dyn Error>> {
    let mut bundle = Bundle::from_json(&bundle.to_json()?)?;
    bundle.replays = match replay::<CodeSystem>(&bundle) {
        Ok(replay) => replay.await.is_ok(),
        Err(_) => false,
    };
    bundle.seal()?;
    if !bundle.replays {
        say("warning: this bundle does not replay, and says so");
    }
    write("--export", file, &bundle.to_json()?)
}

type Format = fn(&ResearchRun) -> String;

fn report_format(file: &Path) -> Result<Format, String> {
    let extension = file.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("html" | "htm") => Ok(html),
        Some("md" | "markdown") => Ok(report_md),
        Some("json") => Ok(|run| json(run).unwrap_or_default()),
        _ => Err(format!(
            "--report {}: end the name in .html, .md or .json",
            file.display()
        )),
    }
}

/// Finds out before the work whether a file can be written. Leaves none behind.
fn writable(option: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    let opened = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file);
    let result = match opened {
        Ok(_) => fs::remove_file(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::OpenOptions::new().append(true).open(file).map(drop)
        }
        Err(error) => Err(error),
    };
    result.map_err(|error| not_written(option, file, &error))
}

/// Writes a file as a whole: under another name first, which then replaces it.
fn write(option: &str, file: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = file.with_file_name(name);
    fs::write(&part, text)
        .and_then(|()| fs::rename(&part, file))
        .map_err(|error| {
            drop(fs::remove_file(&part));
            not_written(option, file, &error)
        })
}

fn not_written(option: &str, file: &Path, error: &io::Error) -> Box<dyn Error> {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "create its folder first",
        _ => "name a file that you may write",
    };
    format!("{option} {}: {error}; {remedy}", file.display()).into()
}
