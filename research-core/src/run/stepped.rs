//! A runner whose tasks end in the order that a test chooses.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tracing::Span;

use super::flight::Flight;
use super::runner::{Call, Outcome, Settled, TaskRunner};
use super::task_env::TaskEnv;
use crate::error::{Cause, NodeError};
use crate::state::State;

/// Shared by the runner and the test.
#[derive(Default)]
pub(crate) struct Control(Mutex<Inside>);

#[derive(Default)]
pub(crate) struct Inside {
    /// Tasks that have not been told to end, by their position in the step: names of their nodes.
    pub(crate) held: Vec<(usize, Arc<str>)>,
    orders: VecDeque<(usize, Order)>,
    /// Every task runs as it comes.
    free: bool,
    /// The run waits for an order.
    pub(crate) waits: bool,
    pub(crate) step: u64,
}

/// What a task is to do.
pub(crate) enum Order {
    Finish,
    Fail(NodeError),
}

impl Control {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn order(&self, index: usize, order: Order) {
        let mut inside = self.lock();
        inside.held.retain(|(held, _)| *held != index);
        inside.orders.push_back((index, order));
        inside.waits = false;
    }

    /// Lets every task run as it comes, from now on.
    pub(crate) fn release(&self) {
        let mut inside = self.lock();
        inside.free = true;
        inside.waits = false;
    }
}

pub(crate) struct SteppedRunner<S: State, R> {
    env: TaskEnv<S, R>,
    control: Arc<Control>,
    calls: Vec<Call<S>>,
    running: Option<Flight<S>>,
}

impl<S: State, R> SteppedRunner<S, R> {
    pub(crate) fn new(env: TaskEnv<S, R>, control: Arc<Control>) -> Self {
        Self { env, control, calls: Vec::new(), running: None }
    }
}

impl<S: State, R: Send + Sync + 'static> TaskRunner<S> for SteppedRunner<S, R> {
    fn start(&mut self, calls: &mut Vec<Call<S>>) {
        self.calls.append(calls);
        let mut inside = self.control.lock();
        let names = &self.env.graph.names;
        inside.step = self.calls.first().map_or(0, |call| call.step);
        inside.held = self.calls.iter().map(|call| (call.index, Arc::clone(&names[call.node as usize]))).collect();
    }

    fn next(&mut self, outcomes: &mut Vec<Outcome<S>>) -> impl Future<Output = ()> + Send {
        poll_fn(move |cx| {
            loop {
                if let Some(flight) = &mut self.running {
                    let outcome = std::task::ready!(flight.poll(&self.env.shared, cx));
                    self.running = None;
                    outcomes.push(outcome);
                    return Poll::Ready(());
                }
                let order = {
                    let mut inside = self.control.lock();
                    let order = inside.orders.pop_front();
                    let order = match (order, inside.held.first()) {
                        (None, Some((index, _))) if inside.free => Some((*index, Order::Finish)),
                        (order, _) => order,
                    };
                    if let Some((index, _)) = &order {
                        let index = *index;
                        inside.held.retain(|(held, _)| *held != index);
                    }
                    inside.waits = order.is_none();
                    order
                };
                let Some((index, order)) = order else { return Poll::Pending };
                let Some(place) = self.calls.iter().position(|call| call.index == index) else { continue };
                let call = self.calls.swap_remove(place);
                match order {
                    Order::Finish => self.running = Some(Flight::start(&self.env, call, &Span::none())),
                    Order::Fail(error) => {
                        let settled = Settled::ran(Err(Cause::Error(error)));
                        outcomes.push(Outcome { index, settled, left: None });
                        return Poll::Ready(());
                    }
                }
            }
        })
    }

    fn stop(&mut self, _outcomes: &mut Vec<Outcome<S>>) {
        self.calls.clear();
        self.running = None;
        self.control.lock().held.clear();
    }
}
