//! Who has which token.

use std::collections::BTreeMap;

use http::HeaderMap;

use crate::cluster::api::Status;
use crate::cluster::api::rights::ADMIN;

/// Tokens and their users.
#[derive(Clone, Debug, Default)]
pub struct Users(BTreeMap<String, String>);

impl Users {
    /// 128 bits that nobody can guess; none: the system has no random numbers.
    #[must_use]
    pub fn token() -> Option<String> {
        let bytes: [u8; 16] = ring::rand::generate(&ring::rand::SystemRandom::new())
            .ok()?
            .expose();
        Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Lets a user in with that token.
    pub fn add(&mut self, user: &str, token: &str) {
        self.0.insert(token.to_owned(), user.to_owned());
    }

    /// Who sent these headers. The administrator may speak as somebody else.
    pub(super) fn who(&self, headers: &HeaderMap) -> Result<String, Status> {
        let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
        let user = text("authorization")
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .and_then(|(_, token)| self.0.get(token.trim()))
            .ok_or_else(|| Status::new(401, "Unauthorized", "Unauthorized"))?;
        match text("impersonate-user") {
            None => Ok(user.clone()),
            Some(other) if user == ADMIN => Ok(other.to_owned()),
            Some(other) => Err(Status::new(
                403,
                "Forbidden",
                format!(
                    "users {other:?} is forbidden: User {user:?} cannot impersonate resource \"users\" in API group \"\" at the cluster scope"
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn without_a_token_nobody_gets_in() {
        let mut users = Users::default();
        users.add(ADMIN, "a");
        users.add("ada", "b");
        let who = |pairs: &[(&'static str, &str)]| users.who(&headers(pairs)).map_err(|s| s.code);
        assert_eq!(who(&[]), Err(401));
        assert_eq!(who(&[("authorization", "Bearer x")]), Err(401));
        assert_eq!(who(&[("authorization", "Basic b")]), Err(401));
        assert_eq!(who(&[("authorization", "Bearer b")]), Ok("ada".to_owned()));
        let speak = |token: &str| who(&[("authorization", token), ("impersonate-user", "bob")]);
        assert_eq!(speak("bearer a"), Ok("bob".to_owned()));
        assert_eq!(speak("Bearer b"), Err(403));
    }
}
