//! Services, claims, Leases and ConfigMaps: what is refused, and what they are filled up with.

use serde_json::{Value, json};

use crate::server::{MERGE, Server};

checks![
    services_are_filled_up,
    services_that_are_refused,
    claims_are_filled_up,
    leases_are_checked,
    config_maps_are_checked,
];

const INVALID: &str = "FieldValueInvalid";

const REQUIRED: &str = "FieldValueRequired";

async fn services_are_filled_up(s: &Server) {
    let body = json!({
        "metadata": {"name": "a"},
        "spec": {"clusterIP": "None", "selector": {"x": "y"}, "publishNotReadyAddresses": true},
    });
    s.post(&s.core("services"), body).await.is(201).same(json!({
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": s.get(&s.core("services/a")).await.body["metadata"],
        "spec": {
            "clusterIP": "None",
            "clusterIPs": ["None"],
            "type": "ClusterIP",
            "sessionAffinity": "None",
            "selector": {"x": "y"},
            "publishNotReadyAddresses": true,
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
        },
        "status": {"loadBalancer": {}},
    }));
}

async fn services_that_are_refused(s: &Server) {
    s.post(
        &s.core("services"),
        json!({"metadata": {"name": "a.b"}, "spec": {"clusterIP": "None"}}),
    )
    .await
    .is(422)
    .like(json!({"reason": "Invalid", "details": {"causes": [{"field": "metadata.name"}]}}));
    s.post(
        &s.core("services"),
        json!({"metadata": {"name": "a"}, "spec": {"type": "Odd", "clusterIP": "None"}}),
    )
    .await
    .is(422)
    .like(json!({"details": {"kind": "Service"}}));
}

async fn claims_are_filled_up(s: &Server) {
    let body = json!({
        "metadata": {"name": "a"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "none",
        },
    });
    s.post(&s.core("persistentvolumeclaims"), body)
        .await
        .is(201)
        .like(json!({
            "metadata": {"finalizers": ["kubernetes.io/pvc-protection"]},
            "spec": {"volumeMode": "Filesystem", "resources": {"requests": {"storage": "1Gi"}}},
            "status": {"phase": "Pending"},
        }));
    s.post(
        &s.core("persistentvolumeclaims"),
        json!({"metadata": {"name": "b"}, "spec": {}}),
    )
    .await
    .invalid(
        "PersistentVolumeClaim",
        "b",
        &[
            (
                REQUIRED,
                "Required value: at least 1 access mode is required",
                "spec.accessModes",
            ),
            (REQUIRED, "Required value", "spec.resources[storage]"),
        ],
    );
}

async fn leases_are_checked(s: &Server) {
    let body = json!({
        "metadata": {"name": "a"},
        "spec": {"holderIdentity": "x", "leaseDurationSeconds": 0, "leaseTransitions": -1},
    });
    s.post(&s.leases(""), body).await.invalid(
        "Lease.coordination.k8s.io",
        "a",
        &[
            (
                INVALID,
                "Invalid value: 0: must be greater than 0",
                "spec.leaseDurationSeconds",
            ),
            (
                INVALID,
                "Invalid value: -1: must be greater than or equal to 0",
                "spec.leaseTransitions",
            ),
        ],
    );
    let body = json!({
        "metadata": {"name": "a"},
        "spec": {"renewTime": "2026-01-01T00:00:00.5Z"},
    });
    s.post(&s.leases(""), body).await.fails(
        400,
        "BadRequest",
        "Lease in version \"v1\" cannot be handled as a Lease: parsing time \"2026-01-01T00:00:00.5Z\" as \
         \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \".5Z\" as \".000000\"",
        Value::Null,
    );
    let times = json!({"spec": {
        "renewTime": "2026-01-01T00:00:00.500000Z", "acquireTime": "2026-01-01T00:00:00.000001Z",
    }});
    let mut body = times.clone();
    body["metadata"] = json!({"name": "a"});
    s.post(&s.leases(""), body).await.is(201).like(times);
}

async fn config_maps_are_checked(s: &Server) {
    s.post(
        &s.maps(""),
        json!({"metadata": {"name": "a"}, "data": {"a b": "x"}}),
    )
    .await
    .invalid(
        "ConfigMap",
        "a",
        &[(
            INVALID,
            "Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' \
             or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
             '[-._a-zA-Z0-9]+')",
            "data[a b]",
        )],
    );
    let large = "x".repeat(1024 * 1024 + 1);
    s.post(
        &s.maps(""),
        json!({"metadata": {"name": "a"}, "data": {"k": large}}),
    )
    .await
    .invalid(
        "ConfigMap",
        "a",
        &[(
            "FieldValueTooLong",
            "Too long: may not be more than 1048576 bytes",
            "[]",
        )],
    );
    let fixed = json!({"metadata": {"name": "f"}, "data": {"k": "1"}, "immutable": true});
    s.post(&s.maps(""), fixed).await.is(201);
    s.patch(&s.maps("/f"), MERGE, json!({"data": {"k": "2"}}))
        .await
        .invalid(
            "ConfigMap",
            "f",
            &[(
                "FieldValueForbidden",
                "Forbidden: field is immutable when `immutable` is set",
                "data",
            )],
        );
}
