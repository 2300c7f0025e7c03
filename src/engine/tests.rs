//! The engine as a whole, in a world that obeys.

mod end;
mod failing;
mod races;
mod shown;
mod starting;
mod suspending;
