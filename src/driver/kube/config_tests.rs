use std::path::Path;

use super::*;

/// A folder of its own per test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("kubectl-jobset-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn kubeconfig(name: &str, current: bool) -> String {
    let current = if current {
        format!("current-context: {name}\n")
    } else {
        String::new()
    };
    format!(
        "apiVersion: v1\nkind: Config\n{current}\
         clusters:\n- name: {name}\n  cluster: {{server: 'https://{name}.example:6443'}}\n\
         users:\n- name: {name}\n  user: {{token: token-of-{name}}}\n\
         contexts:\n- name: {name}\n  context: {{cluster: {name}, user: {name}, namespace: ns-{name}}}\n"
    )
}

fn token(found: &Found) -> serde_json::Value {
    serde_json::to_value(&found.config.auth_info).unwrap()["token"].clone()
}

fn options(files: &[&Path]) -> ConnectOptions {
    ConnectOptions {
        env_kubeconfig: files.iter().map(|f| f.to_path_buf()).collect(),
        ..ConnectOptions::default()
    }
}

#[tokio::test]
async fn the_order_of_sources_is_kubectls() {
    let folder = Folder::new("order");
    let flag = folder.file("flag", &kubeconfig("flag", true));
    let env = folder.file("env", &kubeconfig("env", true));
    folder.file(".kube/config", &kubeconfig("home", true));
    let mut options = ConnectOptions {
        kubeconfig: Some(flag),
        env_kubeconfig: vec![env],
        env_home: Some(folder.0.clone()),
        ..ConnectOptions::default()
    };
    assert_eq!(options.find().await.unwrap().namespace, "ns-flag");
    options.kubeconfig = None;
    assert_eq!(options.find().await.unwrap().namespace, "ns-env");
    options.env_kubeconfig.clear();
    assert_eq!(options.find().await.unwrap().namespace, "ns-home");
}

#[tokio::test]
async fn files_of_a_list_are_merged_and_may_be_missing() {
    let folder = Folder::new("merged");
    let missing = folder.0.join("missing");
    let first = folder.file("first", &kubeconfig("first", false));
    let second = folder.file("second", &kubeconfig("second", true));
    let mut options = options(&[&missing, &first, &second]);
    assert_eq!(options.find().await.unwrap().namespace, "ns-second");
    options.context = Some("first".to_owned());
    let found = options.find().await.unwrap();
    assert_eq!(found.namespace, "ns-first");
    assert!(
        found
            .origin
            .starts_with("https://first.example:6443 (context first of ")
    );
}

#[tokio::test]
async fn flags_win_over_the_file() {
    let folder = Folder::new("flags");
    let file = folder.file("config", &kubeconfig("dev", true));
    let options = ConnectOptions {
        namespace: Some("other".to_owned()),
        server: Some("https://elsewhere:1".to_owned()),
        token: Some("mine".to_owned()),
        tls_server_name: Some("name".to_owned()),
        insecure_skip_tls_verify: Some(true),
        as_user: Some("bob".to_owned()),
        as_groups: vec!["a".to_owned(), "b".to_owned()],
        as_uid: Some("7".to_owned()),
        as_user_extra: vec![
            ("k".to_owned(), "v1".to_owned()),
            ("k".to_owned(), "v2".to_owned()),
        ],
        ..options(&[&file])
    };
    let found = options.find().await.unwrap();
    assert_eq!(found.namespace, "other");
    assert_eq!(found.config.cluster_url.to_string(), "https://elsewhere:1/");
    assert_eq!(token(&found), "mine");
    assert_eq!(found.config.tls_server_name.as_deref(), Some("name"));
    assert!(found.config.accept_invalid_certs);
    let auth = &found.config.auth_info;
    assert_eq!(auth.impersonate.as_deref(), Some("bob"));
    assert_eq!(auth.impersonate_uid.as_deref(), Some("7"));
    assert_eq!(
        auth.impersonate_groups.as_deref(),
        Some(&["a".to_owned(), "b".to_owned()][..])
    );
    assert_eq!(
        auth.impersonate_user_extra.as_ref().unwrap()["k"],
        ["v1", "v2"]
    );
}

/// The client's own retries repeat a POST.
#[tokio::test]
async fn the_clients_own_retries_are_off() {
    let folder = Folder::new("retries");
    let file = folder.file("config", &kubeconfig("dev", true));
    assert!(!options(&[&file]).find().await.unwrap().config.default_retry);
}

#[tokio::test]
async fn what_is_not_there_is_named_with_what_is() {
    let folder = Folder::new("missing");
    let file = folder.file("config", &kubeconfig("dev", true));
    type Change = fn(&mut ConnectOptions);
    let cases: [(&str, Change); 3] = [
        ("context", |o| o.context = Some("nope".to_owned())),
        ("cluster", |o| o.cluster = Some("nope".to_owned())),
        ("user", |o| o.user = Some("nope".to_owned())),
    ];
    for (what, change) in cases {
        let mut options = options(&[&file]);
        change(&mut options);
        let error = options.find().await.unwrap_err();
        assert_eq!(
            error.message(),
            format!("{what} nope is not in the kubeconfig")
        );
        assert_eq!(error.hints(), ["there are: dev"]);
    }
}

#[tokio::test]
async fn no_current_context_names_the_choices() {
    let folder = Folder::new("current");
    let file = folder.file("config", &kubeconfig("dev", false));
    let error = options(&[&file]).find().await.unwrap_err();
    assert_eq!(error.hints(), ["--context is one of: dev"]);
}

/// A file that was asked for by name must be there; one of a list need not.
#[tokio::test]
async fn a_file_asked_for_must_be_there() {
    let folder = Folder::new("must");
    let options = ConnectOptions {
        kubeconfig: Some(folder.0.join("none")),
        ..ConnectOptions::default()
    };
    assert!(options.find().await.unwrap_err().render().contains("none"));
}
