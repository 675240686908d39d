//! Turns: of equal calls at the same time one asks, and the others wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::Instant;

use super::key::CacheKey;
use crate::error::ModelError;

/// A call waits for a stream whose reader does not read on for so long, and then asks for itself.
const PATIENCE: Duration = Duration::from_secs(30);

/// The calls under way, by their keys.
#[derive(Clone, Default)]
pub(super) struct Flights {
    open: Arc<Mutex<HashMap<CacheKey, Arc<Flight>>>>,
}

/// The calls of one key.
struct Flight {
    turn: Arc<AsyncMutex<()>>,
    /// When the reader of the stream that has the turn last read on; `None` while a whole answer is awaited.
    moved: Mutex<Option<Instant>>,
}

/// The turn to ask the model; the next one gets it when it is dropped.
pub(super) struct Turn {
    /// Dropped before the flight is left, so that whoever is next finds the flight open.
    guard: Option<OwnedMutexGuard<()>>,
    seat: Seat,
    has_waited: bool,
}

/// A place in a flight. The last to leave closes it.
struct Seat {
    flights: Flights,
    key: CacheKey,
    flight: Arc<Flight>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = lock(&self.flights.open);
        // One is in the map and one is this. Nobody takes another while the map is locked.
        if Arc::strong_count(&self.flight) <= 2 {
            open.remove(&self.key);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.guard.is_some() {
            *lock(&self.seat.flight.moved) = None;
            self.guard = None;
        }
    }
}

impl Turn {
    /// Whether another call had the turn before.
    pub(super) fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// The reader of the stream read on.
    pub(super) fn has_moved(&self) {
        if self.guard.is_some() {
            *lock(&self.seat.flight.moved) = Some(Instant::now());
        }
    }
}

impl Flights {
    /// Waits for the turn.
    pub(super) async fn turn(&self, key: &CacheKey, deadline: Option<Instant>) -> Result<Turn, ModelError> {
        let seat = self.enter(key);
        if let Ok(guard) = Arc::clone(&seat.flight.turn).try_lock_owned() {
            return Ok(Turn { guard: Some(guard), seat, has_waited: false });
        }
        let start = Instant::now();
        let mut next = std::pin::pin!(Arc::clone(&seat.flight.turn).lock_owned());
        let guard = loop {
            let until = deadline.map_or(Instant::now() + PATIENCE, |end| end.min(Instant::now() + PATIENCE));
            if let Ok(guard) = tokio::time::timeout_at(until, &mut next).await {
                break Some(guard);
            }
            if deadline.is_some_and(|end| Instant::now() >= end) {
                return Err(ModelError::timeout(start.elapsed()));
            }
            let moved = *lock(&seat.flight.moved);
            if moved.is_some_and(|at| at.elapsed() >= PATIENCE) {
                break None;
            }
        };
        Ok(Turn { guard, seat, has_waited: true })
    }

    fn enter(&self, key: &CacheKey) -> Seat {
        let flight = Arc::clone(
            lock(&self.open)
                .entry(key.clone())
                .or_insert_with(|| Arc::new(Flight { turn: Arc::new(AsyncMutex::new(())), moved: Mutex::new(None) })),
        );
        Seat { flights: self.clone(), key: key.clone(), flight }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;

    fn key() -> CacheKey {
        CacheKey::of("m", &Request::new())
    }

    #[tokio::test]
    async fn flights_are_closed_when_the_last_call_leaves() {
        let flights = Flights::default();
        let first = flights.turn(&key(), None).await.unwrap();
        let waiting = flights.clone();
        let second = tokio::spawn(async move { waiting.turn(&key(), None).await.unwrap().has_waited() });
        tokio::task::yield_now().await;
        drop(first);
        assert!(second.await.unwrap());
        assert!(lock(&flights.open).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_ever_for_a_stream_that_is_not_read() {
        let flights = Flights::default();
        let stuck = flights.turn(&key(), None).await.unwrap();
        stuck.has_moved();
        let own = flights.turn(&key(), None).await.unwrap();
        assert!(own.guard.is_none() && own.has_waited());
        drop(own);
        // The one that went alone did not take the turn of the other.
        let error = flights.turn(&key(), Some(Instant::now() + Duration::from_secs(1))).await.err().unwrap();
        assert_eq!(error.kind(), crate::ErrorKind::Timeout);
        drop(stuck);
        assert!(!flights.turn(&key(), None).await.unwrap().has_waited());
    }
}
