//! A second research system on the runtime: the survey of the examples, which is written in 150 lines. Everything that the
//! runtime promises a system is shown on it.

#[path = "../../examples/survey_system/survey.rs"]
mod survey;

mod bundle;
mod clarification;
mod killed;
mod limits;
mod passages;
mod plain_loop;
mod session;
mod stream;
mod texts;
mod threads;
