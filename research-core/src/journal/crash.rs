//! Runs that are dropped as a crash of the process would: nothing that is queued gets to the store.

use std::cell::Cell;

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn is_on() -> bool {
    ON.try_with(Cell::get).unwrap_or(false)
}

/// Drops a run or something that holds it.
pub(crate) fn crash<T>(run: T) {
    /// Switches back also when a destructor panics.
    struct Back(bool);

    impl Drop for Back {
        fn drop(&mut self) {
            ON.set(self.0);
        }
    }
    let _back = Back(ON.replace(true));
    drop(run);
}
