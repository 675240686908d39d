//! The durable engine over the store in memory.

#[cfg(test)]
mod background;
#[cfg(test)]
mod growth;
#[cfg(test)]
mod recording;
#[cfg(test)]
#[macro_use]
mod suite;

#[cfg(test)]
mod memory {
    use research_core::MemoryCheckpointer;

    use crate::suite::lab::Place;

    /// Handles on the same threads in memory.
    #[derive(Default)]
    pub(crate) struct Memory(MemoryCheckpointer);

    impl Place for Memory {
        type Store = MemoryCheckpointer;
        const SEEDS: u64 = 60;

        async fn open(&self) -> MemoryCheckpointer {
            self.0.clone()
        }
    }
}

matrix!(crate::memory::Memory);
