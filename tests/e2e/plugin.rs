//! Through the real kubectl: found, arguments untouched, exit code passed on.

use std::process::Command;

use crate::cluster::cluster;
use crate::support::{Namespace, Role, binary, manifest};

#[test]
#[ignore = "needs kubectl"]
fn kubectl_runs_the_plugin() {
    let ns = Namespace::new("plugin");
    let annotations = &[("run-for", "1"), ("exit-code", "9")];
    let text = manifest(
        "p",
        "",
        &[Role {
            annotations,
            ..Role::default()
        }],
    );
    let file = ns.file("p.yaml", &text);
    let dir = binary().parent().unwrap().to_owned();
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    let kubectl = std::env::var("KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
    let call = |args: &[&str]| {
        let out = Command::new(&kubectl)
            .args(args)
            .args(["-n", &ns.name])
            .env("PATH", &path)
            .env("KUBECONFIG", &cluster().user)
            .output()
            .unwrap();
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let (code, _, stderr) = call(&["jobset", "run", &file]);
    assert_eq!(code, Some(10), "{stderr}");
    let (code, stdout, stderr) = call(&["jobset", "status"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.starts_with("NAME"), "{stdout}");
    let (code, _, _) = call(&["jobset", "status", "p", "--exit-code"]);
    assert_eq!(code, Some(10));
    let (code, _, stderr) = call(&["jobset", "status", "nobody"]);
    assert_eq!(code, Some(4), "{stderr}");
    let (code, stdout, _) = call(&["jobset", "--help"]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("kubectl jobset"), "{stdout}");
    let (code, _, _) = call(&["jobset", "run", "--no-such-flag"]);
    assert_eq!(code, Some(2));
}
