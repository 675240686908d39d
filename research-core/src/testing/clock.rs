//! A clock whose time passes only when a test says so.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::clock::Clock;

/// How many turns the tasks of the runtime have, without a sleep that begins or ends, before an automatic clock jumps.
const TURNS: u32 = 16;

/// A clock on virtual time: retries, time limits and expiry are tested without waiting. Clones share the time.
///
/// It begins at the Unix epoch. Time passes by [`advance`](FakeClock::advance), or, with [`auto`](FakeClock::auto), by itself
/// whenever somebody sleeps.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use research_core::Clock;
/// use research_core::testing::FakeClock;
///
/// let clock = FakeClock::new();
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + Duration::from_secs(60));
/// ```
#[derive(Clone, Debug)]
pub struct FakeClock {
    time: Arc<Mutex<Time>>,
}

#[derive(Debug)]
struct Time {
    now: SystemTime,
    /// What the clock on the wall shows, and the time since the beginning when it was set to that.
    wall: Option<(SystemTime, SystemTime)>,
    /// The beginning, as a moment of tokio.
    began: Instant,
    auto: bool,
    /// A task watches for the moment to jump.
    jumping: bool,
    /// Who sleeps, by the end of the sleep and a number that tells equal ends apart.
    sleeps: BTreeMap<(SystemTime, u64), Waker>,
    numbers: u64,
    /// Sleeps that began or ended.
    changes: u64,
    /// Who waits for sleepers.
    observers: Vec<Waker>,
}

impl FakeClock {
    /// A clock that stands still between calls of [`advance`](FakeClock::advance).
    #[must_use]
    pub fn new() -> Self {
        Self::with(false)
    }

    /// A clock that jumps to the end of the earliest sleep when the tasks of the runtime have nothing else to do; a time limit and
    /// the work that it limits are both sleeps. It needs a tokio runtime, of one thread if the order is to be the same each
    /// time, and does not wait for what happens outside of that runtime.
    #[must_use]
    pub fn auto() -> Self {
        Self::with(true)
    }

    fn with(auto: bool) -> Self {
        let time = Time {
            now: SystemTime::UNIX_EPOCH,
            wall: None,
            began: Instant::now(),
            auto,
            jumping: false,
            sleeps: BTreeMap::new(),
            numbers: 0,
            changes: 0,
            observers: Vec::new(),
        };
        Self { time: Arc::new(Mutex::new(time)) }
    }

    /// Lets time pass; every sleep that ends in it wakes.
    pub fn advance(&self, duration: Duration) {
        let now = self.lock().now + duration;
        self.jump(now);
    }

    /// Sets the clock on the wall, as an administrator or a time server does. Sleeps and limits of time do not notice.
    pub fn set_wall(&self, to: SystemTime) {
        let mut time = self.lock();
        time.wall = Some((to, time.now));
    }

    fn jump(&self, now: SystemTime) {
        let woken = {
            let mut time = self.lock();
            time.now = time.now.max(now);
            let later = time.sleeps.split_off(&(now, u64::MAX));
            std::mem::replace(&mut time.sleeps, later)
        };
        woken.into_values().for_each(Waker::wake);
    }

    /// Jumps from end to end while somebody sleeps.
    async fn jump_on(self) {
        let mut jumping = Jumping(Some(self.clone()));
        loop {
            let before = self.lock().changes;
            for _ in 0..TURNS {
                yield_now().await;
            }
            let (changes, first) = {
                let mut time = self.lock();
                let first = time.sleeps.first_key_value().map(|((end, _), _)| *end);
                // Said while the time is held: the next to sleep watches anew.
                time.jumping = first.is_some();
                (time.changes, first)
            };
            match first {
                None => {
                    jumping.0 = None;
                    return;
                }
                Some(end) if changes == before => self.jump(end),
                Some(_) => {}
            }
        }
    }

    /// How many sleeps have not ended.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        self.lock().sleeps.len()
    }

    /// Waits until at least `count` sleeps have not ended.
    pub async fn until_sleeping(&self, count: usize) {
        poll_fn(|cx| {
            let mut time = self.lock();
            if time.sleeps.len() >= count {
                return Poll::Ready(());
            }
            time.observers.push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn lock(&self) -> MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> SystemTime {
        let time = self.lock();
        match time.wall {
            None => time.now,
            Some((to, set)) => to + time.now.duration_since(set).unwrap_or_default(),
        }
    }

    fn instant(&self) -> Instant {
        let time = self.lock();
        time.began + time.now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let end = self.lock().now.checked_add(duration);
        Box::pin(Sleep { clock: self.clone(), end, key: None })
    }
}

/// Says that its clock jumps no more, when a runtime ends in the midst.
struct Jumping(Option<FakeClock>);

impl Drop for Jumping {
    fn drop(&mut self) {
        if let Some(clock) = &self.0 {
            clock.lock().jumping = false;
        }
    }
}

struct Sleep {
    clock: FakeClock,
    /// `None` when it lies beyond all time.
    end: Option<SystemTime>,
    /// Under which it is entered, once it was polled.
    key: Option<(SystemTime, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(end) = self.end else { return Poll::Pending };
        let clock = self.clock.clone();
        let mut time = clock.lock();
        if time.now >= end {
            drop(time);
            self.leave();
            return Poll::Ready(());
        }
        let key = *self.key.get_or_insert_with(|| {
            (time.numbers, time.changes) = (time.numbers + 1, time.changes + 1);
            time.observers.drain(..).for_each(Waker::wake);
            (end, time.numbers)
        });
        time.sleeps.insert(key, cx.waker().clone());
        if time.auto && !std::mem::replace(&mut time.jumping, true) {
            drop(time);
            tokio::spawn(clock.jump_on());
        }
        Poll::Pending
    }
}

impl Sleep {
    fn leave(&mut self) {
        if let Some(key) = self.key.take() {
            let mut time = self.clock.lock();
            time.sleeps.remove(&key);
            time.changes += 1;
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::executor::block_on;

    use super::*;

    const fn secs(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_sleep_ends_when_its_time_has_been_let_pass() {
        let clock = FakeClock::new();
        let (mut short, mut long) = (clock.sleep(secs(1)), clock.sleep(secs(5)));
        assert!(short.as_mut().now_or_never().is_none() && long.as_mut().now_or_never().is_none());
        assert_eq!(clock.sleepers(), 2);
        clock.advance(secs(1));
        assert!(short.as_mut().now_or_never().is_some() && long.as_mut().now_or_never().is_none());
        drop(long);
        assert_eq!(clock.sleepers(), 0);
    }

    #[tokio::test]
    async fn an_automatic_clock_jumps_from_end_to_end_in_order() {
        let clock = FakeClock::auto();
        let sleep = |count| {
            let clock = clock.clone();
            async move {
                clock.sleep(secs(count)).await;
                clock.now().duration_since(SystemTime::UNIX_EPOCH).unwrap()
            }
        };
        let ends = futures::future::join3(sleep(7), sleep(2), sleep(3)).await;
        assert_eq!(ends, (secs(7), secs(2), secs(3)));
    }

    #[tokio::test]
    async fn an_automatic_clock_lets_work_that_is_ready_go_first() {
        let clock = FakeClock::auto();
        let mut limit = clock.sleep(secs(1));
        assert!(limit.as_mut().now_or_never().is_none());
        for _ in 0..3 {
            yield_now().await;
        }
        assert!(limit.as_mut().now_or_never().is_none());
        drop(limit);
        clock.sleep(secs(2)).await;
        assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + secs(2));
    }

    #[test]
    fn sleepers_can_be_waited_for() {
        let clock = FakeClock::new();
        let (sleeping, ()) = block_on(futures::future::join(
            async {
                clock.until_sleeping(1).await;
                clock.advance(secs(9));
                clock.sleepers()
            },
            clock.sleep(secs(9)),
        ));
        assert_eq!(sleeping, 0);
        assert!(clock.sleep(Duration::MAX).now_or_never().is_none());
    }
}
