//! Several processes on one file, and processes that are killed. The program starts itself in another role, and so is no
//! harness of many tests: `main` runs them one after the other.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test, whose processes speak over their standard output"
)]

#[cfg(unix)]
mod roles;
#[cfg(unix)]
mod tests;

#[cfg(unix)]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["role", role, path] => futures::executor::block_on(roles::play(role, path.as_ref())),
        // What the test harness would take, such as a filter, is of no meaning here.
        _ => tests::run_all(),
    }
}

#[cfg(not(unix))]
fn main() {}
