//! The reporter as the audience of a session.

use k8s_openapi::jiff::Timestamp;

use crate::driver::port::Audience;
use crate::engine::{Event, Snapshot};
use crate::report::reporter::Reporter;

impl Audience for Reporter {
    fn event(&mut self, event: &Event) {
        self.event(event);
    }
    fn tick(&mut self, now: Timestamp, snapshot: &Snapshot) {
        self.tick(now, snapshot);
    }
    fn prompt(&mut self, now: Timestamp, snapshot: &Snapshot) {
        self.prompt(now, snapshot);
    }
    fn prompt_over(&mut self) {
        self.prompt_over();
    }
    fn back_from_suspension(&mut self, seconds: i64) {
        self.back_from_suspension(seconds);
    }
}
