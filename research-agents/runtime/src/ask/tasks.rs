//! Tasks with their prompts.

/// Declares the names of tasks as public constants, each with the template of its prompt as one
/// that is private to the crate: name of the task, version of the prompt, and its file, by its path
/// from the file that declares it.
///
/// ```ignore
/// research_agents_runtime::tasks! {
///     /// Counts words. Input: `CountTask`; answer: `Counted`.
///     COUNT COUNT_PROMPT = "words.count" 1 "../prompts/count.v1.md",
/// }
/// ```
#[macro_export]
macro_rules! tasks {
    ($(
        $(#[$doc:meta])*
        $name:ident $template:ident = $task:literal $version:literal $file:literal
    ),* $(,)?) => {$(
        $(#[$doc])*
        pub const $name: &str = $task;
        pub(crate) const $template: $crate::ask::Template =
            $crate::ask::Template::new($task, $version, include_str!($file));
    )*};
}
