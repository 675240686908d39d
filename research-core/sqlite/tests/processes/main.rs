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
mod rollout;
#[cfg(unix)]
mod tests;
#[cfg(unix)]
mod workers;

#[cfg(unix)]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [
            "role",
            role @ ("version-1" | "version-2" | "retrying-worker" | "hanging-worker"),
            path,
        ] => {
            tests::runtime().block_on(async {
                match role {
                    "version-1" => rollout::version_1(path.as_ref()).await,
                    "version-2" => rollout::version_2(path.as_ref()).await,
                    "retrying-worker" => workers::retry(path.as_ref()).await,
                    _ => workers::hang(path.as_ref()).await,
                }
            });
        }
        ["role", role, path] => futures::executor::block_on(roles::play(role, path.as_ref())),
        // What the test harness would take, such as a filter, is of no meaning here.
        _ => tests::run_all(),
    }
}

#[cfg(not(unix))]
fn main() {}
