//! Colour and characters: whether, and which. The decisions are pure functions of what `cli` read
//! from flags and environment. Everything printed is complete without colour (cli.md 6.4).

use anstyle::{AnsiColor, Style};

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorFlag {
    /// As the environment and the stream say.
    #[default]
    Auto,
    /// On.
    Always,
    /// Off.
    Never,
}

/// What the colour decision depends on. Environment values as found: `None` if unset.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColorInputs<'a> {
    /// `--color`.
    pub flag: ColorFlag,
    /// `NO_COLOR`.
    pub no_color: Option<&'a str>,
    /// `CLICOLOR`.
    pub clicolor: Option<&'a str>,
    /// `CLICOLOR_FORCE`.
    pub clicolor_force: Option<&'a str>,
    /// `TERM`.
    pub term: Option<&'a str>,
    /// A console that can't do escape sequences (old Windows).
    pub no_escapes: bool,
    /// The stream in question is a terminal.
    pub is_terminal: bool,
}

/// Whether that stream gets colour: the first rule that applies (plugin-conventions C.7). `NO_COLOR`
/// counts when present, even empty; an empty `CLICOLOR_FORCE` counts as unset.
#[must_use]
pub fn use_color(i: &ColorInputs<'_>) -> bool {
    match i.flag {
        ColorFlag::Always => return true,
        ColorFlag::Never => return false,
        ColorFlag::Auto => {}
    }
    if i.no_color.is_some() || i.clicolor == Some("0") || i.term == Some("dumb") {
        return false;
    }
    if i.clicolor_force.is_some_and(|v| !v.is_empty() && v != "0") {
        return true;
    }
    i.is_terminal && !i.no_escapes
}

/// Whether characters beyond ASCII may be drawn: the first of `LC_ALL`, `LC_CTYPE`, `LANG` that is
/// not empty names UTF-8.
#[must_use]
pub fn use_unicode(lc_all: Option<&str>, lc_ctype: Option<&str>, lang: Option<&str>) -> bool {
    [lc_all, lc_ctype, lang]
        .into_iter()
        .flatten()
        .find(|v| !v.is_empty())
        .is_some_and(|v| {
            let v = v.to_ascii_lowercase();
            v.contains("utf-8") || v.contains("utf8")
        })
}

/// Colours of log prefixes: eight, none of them red, which is for errors (cli.md 6.4).
const PREFIX_COLORS: [AnsiColor; 8] = [
    AnsiColor::Green,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Magenta,
    AnsiColor::Cyan,
    AnsiColor::BrightGreen,
    AnsiColor::BrightBlue,
    AnsiColor::BrightCyan,
];

/// The styles in use; plain ones change nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Styles {
    colored: bool,
    /// Errors and failed runs.
    pub error: Style,
    /// Warnings.
    pub warning: Style,
    /// A run that completed.
    pub good: Style,
    /// Names in verdicts.
    pub name: Style,
    /// The word `hint:`.
    pub hint: Style,
    /// Less important.
    pub dim: Style,
}

impl Styles {
    /// No colour.
    #[must_use]
    pub fn plain() -> Self {
        Self::default()
    }
    /// With colour.
    #[must_use]
    pub fn colored() -> Self {
        Self {
            colored: true,
            error: AnsiColor::Red.on_default().bold(),
            warning: AnsiColor::Yellow.on_default(),
            good: AnsiColor::Green.on_default(),
            name: Style::new().bold(),
            hint: AnsiColor::Cyan.on_default(),
            dim: Style::new().dimmed(),
        }
    }
    /// [`Self::colored`] or [`Self::plain`].
    #[must_use]
    pub fn new(colored: bool) -> Self {
        if colored {
            Self::colored()
        } else {
            Self::plain()
        }
    }
    /// These styles have colour.
    #[must_use]
    pub fn is_colored(&self) -> bool {
        self.colored
    }
    /// The style of a source's log prefix: the same for the same `ROLE/JOB/INDEX` everywhere.
    #[must_use]
    pub fn prefix(&self, target: &str) -> Style {
        if !self.colored {
            return Style::new();
        }
        // FNV-1a: stable over versions and machines, unlike the standard library's hasher.
        let hash = target.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        // The low bits of FNV depend on few input bits; fold the high half in.
        let slot = usize::try_from((hash ^ (hash >> 32)) % 8).unwrap_or(0);
        PREFIX_COLORS[slot].on_default()
    }
}

/// `text` in that style, with a reset behind it; unchanged if the style is plain.
#[must_use]
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Characters for bars and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// Filled part of a bar.
    pub full: char,
    /// Empty part of a bar.
    pub empty: char,
    /// Horizontal rule.
    pub rule: char,
    /// End of a line that was cut.
    pub cut: &'static str,
}

impl Glyphs {
    /// For any terminal.
    pub const ASCII: Self = Self {
        full: '=',
        empty: ' ',
        rule: '-',
        cut: "~",
    };
    /// For UTF-8 locales.
    pub const UNICODE: Self = Self {
        full: '━',
        empty: ' ',
        rule: '─',
        cut: "…",
    };
    /// By [`use_unicode`].
    #[must_use]
    pub fn new(unicode: bool) -> Self {
        if unicode { Self::UNICODE } else { Self::ASCII }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// plugin-conventions C.7, rule by rule, each against all weaker ones.
    #[test]
    fn colour_rules_in_order() {
        let tty = ColorInputs {
            is_terminal: true,
            term: Some("xterm"),
            ..ColorInputs::default()
        };
        let pipe = ColorInputs::default();
        let table = [
            ("terminal", tty, true),
            ("pipe", pipe, false),
            (
                "always beats everything",
                ColorInputs {
                    flag: ColorFlag::Always,
                    no_color: Some("1"),
                    clicolor: Some("0"),
                    term: Some("dumb"),
                    no_escapes: true,
                    ..pipe
                },
                true,
            ),
            (
                "never beats everything",
                ColorInputs {
                    flag: ColorFlag::Never,
                    clicolor_force: Some("1"),
                    ..tty
                },
                false,
            ),
            (
                "NO_COLOR",
                ColorInputs {
                    no_color: Some("1"),
                    ..tty
                },
                false,
            ),
            (
                "NO_COLOR, empty",
                ColorInputs {
                    no_color: Some(""),
                    ..tty
                },
                false,
            ),
            (
                "NO_COLOR beats force",
                ColorInputs {
                    no_color: Some("1"),
                    clicolor_force: Some("1"),
                    ..tty
                },
                false,
            ),
            (
                "CLICOLOR=0",
                ColorInputs {
                    clicolor: Some("0"),
                    ..tty
                },
                false,
            ),
            (
                "CLICOLOR=0 beats force",
                ColorInputs {
                    clicolor: Some("0"),
                    clicolor_force: Some("1"),
                    ..tty
                },
                false,
            ),
            (
                "CLICOLOR=1 doesn't force",
                ColorInputs {
                    clicolor: Some("1"),
                    ..pipe
                },
                false,
            ),
            (
                "dumb",
                ColorInputs {
                    term: Some("dumb"),
                    ..tty
                },
                false,
            ),
            (
                "dumb beats force",
                ColorInputs {
                    term: Some("dumb"),
                    clicolor_force: Some("1"),
                    ..tty
                },
                false,
            ),
            (
                "force",
                ColorInputs {
                    clicolor_force: Some("1"),
                    ..pipe
                },
                true,
            ),
            (
                "force=0",
                ColorInputs {
                    clicolor_force: Some("0"),
                    ..pipe
                },
                false,
            ),
            (
                "force, empty",
                ColorInputs {
                    clicolor_force: Some(""),
                    ..pipe
                },
                false,
            ),
            (
                "force beats old console",
                ColorInputs {
                    clicolor_force: Some("1"),
                    no_escapes: true,
                    ..pipe
                },
                true,
            ),
            (
                "old console",
                ColorInputs {
                    no_escapes: true,
                    ..tty
                },
                false,
            ),
        ];
        for (what, inputs, want) in table {
            assert_eq!(use_color(&inputs), want, "{what}");
        }
    }

    #[test]
    fn unicode_by_locale() {
        assert!(use_unicode(None, None, Some("en_GB.UTF-8")));
        assert!(use_unicode(Some("C.utf8"), None, Some("C")));
        assert!(!use_unicode(Some("C"), Some("en_GB.UTF-8"), None));
        assert!(use_unicode(Some(""), None, Some("de_DE.UTF-8")));
        assert!(!use_unicode(None, None, None));
        assert!(!use_unicode(None, None, Some("POSIX")));
    }

    #[test]
    fn prefixes_are_never_red_and_use_all_colours() {
        let styles = Styles::colored();
        let mut seen = std::collections::BTreeSet::new();
        for job in 0..64 {
            let style = styles.prefix(&format!("worker/{job}/0"));
            let code = style.render().to_string();
            assert!(!code.contains("[31") && !code.contains("[91"), "{code:?}");
            seen.insert(code);
        }
        assert_eq!(seen.len(), PREFIX_COLORS.len());
        assert_eq!(styles.prefix("a/0/0"), styles.prefix("a/0/0"));
    }

    #[test]
    fn plain_paints_nothing() {
        let plain = Styles::plain();
        assert_eq!(paint(plain.error, "x"), "x");
        assert_eq!(paint(plain.prefix("a"), "x"), "x");
        assert_eq!(
            paint(Styles::colored().warning, "x"),
            "\u{1b}[33mx\u{1b}[0m"
        );
    }
}
