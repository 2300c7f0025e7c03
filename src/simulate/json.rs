//! The story of a simulation for programs: `jobset.simulation/v1`. Fields are only ever added within
//! `v1`; times are seconds since the start. Pure.

use k8s_openapi::jiff::SignedDuration;
use serde_json::{Value, json};

use crate::simulate::expectation::Expectation;
use crate::simulate::story::{End, Happening, Moment, Story};

/// Name of the format.
pub const SCHEMA: &str = "jobset.simulation/v1";

/// The document.
#[must_use]
pub fn document(story: &Story, expected: Option<&Expectation>) -> Value {
    let mut out = json!({
        "schema": SCHEMA,
        "jobset": story.name,
        "seed": story.seed,
        "assumptions": story.assumptions,
        "result": result(story),
        "attempts": story.attempts.iter().map(|a| json!({
            "number": a.number,
            "startedS": seconds(a.started),
            "readyAfterS": a.ready.map(seconds),
            "lastedS": seconds(a.lasted),
            "jobRestarts": a.job_restarts,
            "pods": a.cost.pods,
            "podSeconds": seconds(a.cost.time),
            "deviceSeconds": a.cost.devices.iter()
                .map(|(name, time)| (name.clone(), json!(seconds(*time))))
                .collect::<serde_json::Map<_, _>>(),
            "endedBy": a.cause,
        })).collect::<Vec<_>>(),
        "rules": story.rules.iter().enumerate().map(|(at, rule)| json!({
            "index": at,
            "name": rule.name,
            "action": rule.action,
            "lookedAt": rule.looked_at,
            "matched": rule.matched,
            "whyNot": rule.why_not,
        })).collect::<Vec<_>>(),
        "timeline": story.moments.iter().map(moment).collect::<Vec<_>>(),
    });
    if let Some(expected) = expected {
        out["expected"] = json!({"end": expected.to_string(), "met": expected.is_met(story)});
    }
    out
}

fn result(story: &Story) -> Value {
    let (state, reason, message) = match &story.end {
        End::Completed => ("Completed", None, None),
        End::Failed { reason, message } => ("Failed", Some(reason.clone()), Some(message.clone())),
        End::Unfinished { stuck, state } => {
            return json!({
                "finished": false,
                "state": state,
                "stuck": stuck,
                "afterS": seconds(story.after),
                "waiting": story.notes,
            });
        }
    };
    json!({
        "finished": true,
        "state": state,
        "reason": reason,
        "message": message,
        "afterS": seconds(story.after),
        "firstFailure": story.first_failure,
    })
}

fn moment(moment: &Moment) -> Value {
    let mut value = match &moment.what {
        Happening::Event(event) => serde_json::to_value(&event.kind).unwrap_or_default(),
        Happening::Decided(decision) => json!({
            "type": "policy.decided",
            "role": decision.role,
            "job": decision.job,
            "ruleIndex": decision.rule,
            "action": decision.action,
            "counts": decision.counts,
            "restarts": decision.restarts,
            "maxRestarts": decision.max_restarts,
            "limitReached": decision.limit_reached,
            "passedOver": decision.passed.iter()
                .map(|(at, why)| json!({"ruleIndex": at, "why": why}))
                .collect::<Vec<_>>(),
        }),
        Happening::Wish {
            text,
            place,
            nth,
            of,
        } => json!({"type": "wish", "wish": text, "place": place, "nth": nth, "of": of}),
    };
    value["atS"] = json!(seconds(moment.at));
    value
}

/// Seconds with milliseconds.
fn seconds(span: SignedDuration) -> f64 {
    (span.as_secs_f64() * 1_000.0).round() / 1_000.0
}
