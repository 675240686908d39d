//! The evaluation as a program: against its baseline, with a worse model, and with files that cannot be used.
