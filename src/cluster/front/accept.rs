//! In which form the one who asks wants the answer. JSON is all that is spoken; who would like another
//! encoding gets JSON as well, as `Accept` lists it everywhere as a second choice.

use crate::cluster::api::Status;

/// Form of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As they are.
    Plain,
    /// Rows of a table, as `kubectl get` shows them.
    Table,
    /// Only their metadata.
    Metadata,
    /// Aggregated discovery.
    Discovery,
}

/// Nothing that is asked for can be had.
pub(super) fn refused() -> Status {
    // The list is the real one's; of these only JSON is spoken here.
    Status::new(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf, application/json;stream=watch, \
         application/vnd.kubernetes.protobuf;stream=watch",
    )
}

/// Encodings of the API that are answered with JSON.
const OTHERS: [&str; 4] = [
    "application/yaml",
    "application/cbor",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
];

/// The first form in `Accept` that is known; none if all of it is something that the API doesn't have.
pub(super) fn form(accept: &str) -> Option<Form> {
    let mut any = false;
    for choice in accept.split(',') {
        let mut parts = choice.split(';').map(str::trim);
        let encoding = parts.next().unwrap_or_default();
        if !matches!(encoding, "application/json" | "application/*" | "*/*" | "") {
            any |= OTHERS.contains(&encoding);
            continue;
        }
        let mut group = "";
        let mut shape = "";
        let mut version = "";
        for part in parts {
            match part.split_once('=') {
                Some(("g", value)) => group = value,
                Some(("v", value)) => version = value,
                Some(("as", value)) => shape = value,
                _ => {}
            }
        }
        match (group, version, shape) {
            (_, _, "") => return Some(Form::Plain),
            ("meta.k8s.io", "v1", "Table") => return Some(Form::Table),
            ("meta.k8s.io", "v1", "PartialObjectMetadata" | "PartialObjectMetadataList") => {
                return Some(Form::Metadata);
            }
            ("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList") => {
                return Some(Form::Discovery);
            }
            // Another choice may follow.
            _ => any = true,
        }
    }
    any.then_some(Form::Plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_choice_counts() {
        for (accept, wanted) in [
            ("", Form::Plain),
            ("*/*", Form::Plain),
            ("application/json", Form::Plain),
            (
                "application/vnd.kubernetes.protobuf,application/json",
                Form::Plain,
            ),
            (
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                Form::Table,
            ),
            (
                "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                Form::Plain,
            ),
            (
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
                Form::Metadata,
            ),
            (
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
                Form::Discovery,
            ),
        ] {
            assert_eq!(form(accept), Some(wanted), "{accept}");
        }
        assert_eq!(form("application/xml"), None);
    }
}
