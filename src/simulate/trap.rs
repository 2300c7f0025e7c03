//! Where a driver is to die: at the n-th effect of a kind, before it was sent or after it has reached
//! the server. Pure.

use std::str::FromStr;

use crate::engine::Action;

/// What a driver does that outlives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Any of them.
    Any,
    /// A write of the record.
    Write,
    /// The Service is created.
    Service,
    /// A Job is created.
    Create,
    /// A Job is deleted.
    Delete,
    /// A Job is suspended.
    Suspend,
    /// A Job is resumed.
    Resume,
    /// Last lines are read.
    Evidence,
}

impl Effect {
    /// Of an action.
    #[must_use]
    pub fn of(action: &Action) -> Self {
        match action {
            Action::CreateService => Self::Service,
            Action::CreateJob { .. } => Self::Create,
            Action::DeleteJob { .. } => Self::Delete,
            Action::SuspendJob { .. } => Self::Suspend,
            Action::ResumeJob { .. } => Self::Resume,
            Action::KeepEvidence { .. } => Self::Evidence,
        }
    }
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// At which effects.
    pub effect: Effect,
    /// At which of them, from 0.
    pub nth: usize,
    /// After it has reached the server, without an answer; else before it was sent.
    pub after: bool,
}

impl Trap {
    fn fits(self, effect: Effect, after: bool) -> bool {
        self.after == after && (self.effect == Effect::Any || self.effect == effect)
    }

    /// The driver dies at this effect.
    #[must_use]
    pub fn is_now(self, effect: Effect, after: bool) -> bool {
        self.nth == 0 && self.fits(effect, after)
    }

    /// The driver dies here; counts the effects that it lives through.
    pub fn springs(&mut self, effect: Effect, after: bool) -> bool {
        if self.is_now(effect, after) {
            return true;
        }
        if self.fits(effect, after) {
            self.nth -= 1;
        }
        false
    }
}

/// `EFFECT before|after [N]`.
impl FromStr for Trap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split(' ');
        let effect = match words.next().unwrap_or_default() {
            "any" => Effect::Any,
            "write" => Effect::Write,
            "service" => Effect::Service,
            "create" => Effect::Create,
            "delete" => Effect::Delete,
            "suspend" => Effect::Suspend,
            "resume" => Effect::Resume,
            "evidence" => Effect::Evidence,
            other => return Err(format!("no such effect: {other}")),
        };
        let after = match words.next() {
            Some("after") => true,
            Some("before") => false,
            _ => return Err("trap EFFECT before|after [N]".to_owned()),
        };
        let nth = words
            .next()
            .unwrap_or("0")
            .parse()
            .map_err(|_| "trap EFFECT before|after [N]".to_owned())?;
        Ok(Self { effect, nth, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_only_its_own_effects() {
        let mut trap: Trap = "create before 1".parse().unwrap();
        let seen = [
            (Effect::Write, false),
            (Effect::Create, true),
            (Effect::Create, false),
            (Effect::Delete, false),
        ];
        for (effect, after) in seen {
            assert!(!trap.springs(effect, after), "{effect:?}");
        }
        assert!(trap.springs(Effect::Create, false));
        let mut any: Trap = "any after".parse().unwrap();
        assert!(!any.springs(Effect::Resume, false) && any.springs(Effect::Resume, true));
        assert!(
            "jump before".parse::<Trap>().is_err() && "create sometime".parse::<Trap>().is_err()
        );
    }
}
