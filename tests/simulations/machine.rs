//! A machine that a driver runs on: its clock may be wrong, it may sleep, it may die between any two steps.
//! tokio's time goes on while it sleeps; a real machine's monotonic clock may stand still then.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::driver::clock::{self, Instant};

thread_local! {
    static TRUE_TIME: Cell<Option<(Timestamp, Instant)>> = const { Cell::new(None) };
}

/// From here on, on this thread, the world's time is `start` plus what passes of tokio's time.
pub(crate) fn start_time(start: Timestamp) {
    TRUE_TIME.set(Some((start, clock::instant())));
    clock::simulate(start);
}

/// The world's time, whoever's turn it is.
pub(crate) fn true_now() -> Timestamp {
    let (start, from) = TRUE_TIME.get().expect("the time has been started");
    start + SignedDuration::try_from(from.elapsed()).unwrap()
}

/// What happens to a machine.
#[derive(Debug, Default)]
pub(crate) struct Control {
    skew: Cell<SignedDuration>,
    asleep: Cell<bool>,
    dead: Cell<bool>,
    /// It dies after so many more steps.
    dies_in: Cell<Option<u32>>,
    waker: RefCell<Option<Waker>>,
}

impl Control {
    pub(crate) fn new(skew: SignedDuration) -> Rc<Self> {
        let control = Self::default();
        control.skew.set(skew);
        Rc::new(control)
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    pub(crate) fn sleep(&self, on: bool) {
        self.asleep.set(on);
        self.wake();
    }

    pub(crate) fn asleep(&self) -> bool {
        self.asleep.get()
    }

    /// Dies after that many steps.
    pub(crate) fn die_in(&self, steps: u32) {
        self.dies_in.set(Some(steps));
        self.wake();
    }

    /// Sets the clock anew.
    pub(crate) fn set_clock(&self, skew: SignedDuration) {
        self.skew.set(skew);
    }
}

/// Steps at one and the same moment that no program needs.
const SPINS: u32 = 20_000;

/// A program on a machine; none: the machine died.
pub(crate) struct Machine<F> {
    program: Option<Pin<Box<F>>>,
    control: Rc<Control>,
    /// The moment of the last step, and steps at it so far.
    at: (Timestamp, u32),
}

impl<F: Future> Machine<F> {
    pub(crate) fn new(control: &Rc<Control>, program: F) -> Self {
        Self {
            program: Some(Box::pin(program)),
            control: Rc::clone(control),
            at: (true_now(), 0),
        }
    }
}

impl<F: Future> Future for Machine<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        *this.control.waker.borrow_mut() = Some(cx.waker().clone());
        match this.control.dies_in.get() {
            Some(0) => this.control.dead.set(true),
            Some(n) if !this.control.asleep.get() => this.control.dies_in.set(Some(n - 1)),
            _ => {}
        }
        if this.control.dead.get() {
            this.program = None;
            return Poll::Ready(None);
        }
        if this.control.asleep.get() {
            return Poll::Pending;
        }
        let Some(program) = &mut this.program else {
            return Poll::Ready(None);
        };
        let now = true_now();
        let steps = if this.at.0 == now { this.at.1 + 1 } else { 0 };
        this.at = (now, steps);
        assert!(steps < SPINS, "it turns and turns, and no time passes");
        clock::simulate(now + this.control.skew.get());
        let out = program.as_mut().poll(cx);
        clock::simulate(now);
        out.map(Some)
    }
}
