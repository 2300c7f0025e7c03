//! The help text of every command, as people see it.

use crate::place::Place;

const VERBS: [&str; 14] = [
    "run",
    "attach",
    "status",
    "logs",
    "suspend",
    "resume",
    "stop",
    "delete",
    "validate",
    "render",
    "simulate",
    "version",
    "completion",
    "help",
];

#[test]
fn help_of_every_verb() {
    let place = Place::new();
    let list = place.run("help").good();
    for verb in VERBS {
        assert!(list.contains(&format!("\n  {verb} ")), "{verb}: {list}");
        let long = place.run(&format!("help {verb}")).good();
        assert_eq!(
            place.run(&format!("{verb} --help")).good().trim_end(),
            long.trim_end(),
            "{verb}"
        );
        insta::assert_snapshot!(format!("help-{verb}"), long);
    }
    let listed = list.lines().skip_while(|l| *l != "Commands:").skip(1);
    assert_eq!(
        listed.take_while(|l| !l.is_empty()).count(),
        VERBS.len(),
        "{list}"
    );
}

#[test]
fn short_help_is_short() {
    let place = Place::new();
    for verb in VERBS {
        let short = place.run(&format!("{verb} -h")).good();
        assert!(short.lines().count() <= 80, "{verb}: {short}");
        assert!(
            short.lines().all(|l| l.chars().count() <= 100),
            "{verb}: {short}"
        );
    }
}

#[test]
fn help_of_the_exit_codes() {
    let text = Place::new().run("help exit-codes").good();
    for code in kubectl_jobset::cli::ExitCode::ALL {
        assert!(
            text.contains(&format!("{:>5}  {}\n", code.code(), code.meaning())),
            "{text}"
        );
    }
}
