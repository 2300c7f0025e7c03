//! Tables with kubectl's look: upper-case headings, two spaces between columns, no lines, never wrapped
//! (cli.md 6.6). Cells are escaped, so that nothing from the cluster can break a row.

use comfy_table::{ColumnConstraint, ContentArrangement, Table as Comfy, Width, presets::NOTHING};
use console::measure_text_width;

use crate::report::escape;

/// Stands for a value that isn't there.
pub const NONE: &str = "<none>";
/// Stands for a value that should be there.
pub const LOST: &str = "<lost>";

/// Spaces between columns.
const GAP: u16 = 2;

/// A table in the making. Kept over several renderings it keeps its column widths, so that rows printed
/// later (`-w`) stand under the earlier ones.
#[derive(Clone, Debug)]
pub struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
    widths: Vec<u16>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new<S: Into<String>>(headings: impl IntoIterator<Item = S>) -> Self {
        let headings: Vec<String> = headings.into_iter().map(Into::into).collect();
        Self {
            widths: vec![0; headings.len()],
            headings,
            rows: Vec::new(),
        }
    }

    /// Adds a row; `cells` has as many as there are headings. An empty cell becomes `<none>`.
    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells = cells
            .into_iter()
            .map(|c| match c.as_ref() {
                "" => NONE.to_owned(),
                text => escape::text(text).replace('\t', " "),
            })
            .collect();
        self.rows.push(cells);
    }

    /// The lines, without spaces at their ends; the rows are used up, the widths are kept.
    #[must_use]
    pub fn render(&mut self, with_headings: bool) -> Vec<String> {
        let rows = std::mem::take(&mut self.rows);
        let headings = with_headings.then_some(&self.headings);
        for row in headings.into_iter().chain(&rows) {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(u16::try_from(measure_text_width(cell)).unwrap_or(u16::MAX));
            }
        }
        let mut table = Comfy::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled);
        if with_headings {
            table.add_row(self.headings.clone());
        }
        table.add_rows(rows);
        for (at, width) in self.widths.iter().enumerate() {
            if let Some(column) = table.column_mut(at) {
                column.set_padding((0, GAP));
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(
                    width.saturating_add(GAP),
                )));
            }
        }
        table.lines().map(|l| l.trim_end().to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_like_kubectl() {
        let mut table = Table::new(["NAME", "STATE", "AGE"]);
        table.row(["train", "Running", "47m"]);
        table.row(["a-much-longer-name", "", "3h"]);
        insta::assert_snapshot!(table.render(true).join("\n"), @r"
        NAME                STATE    AGE
        train               Running  47m
        a-much-longer-name  <none>   3h
        ");
    }

    #[test]
    fn later_rows_stand_under_earlier_ones() {
        let mut table = Table::new(["NAME", "STATE"]);
        table.row(["train-long", "Running"]);
        assert_eq!(
            table.render(true),
            ["NAME        STATE", "train-long  Running"]
        );
        table.row(["x", "Failed"]);
        assert_eq!(table.render(false), ["x           Failed"]);
    }

    #[test]
    fn never_wraps_and_never_breaks_a_row() {
        let mut table = Table::new(["NAME", "MESSAGE"]);
        table.row(["x".repeat(300), "two\nlines \u{1b}[2J".to_owned()]);
        let lines = table.render(false);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].ends_with("  two^Jlines ^[[2J"), "{lines:?}");
    }

    #[test]
    fn without_rows_only_headings() {
        assert_eq!(Table::new(["NAME", "AGE"]).render(true), ["NAME  AGE"]);
        assert!(Table::new(["NAME", "AGE"]).render(false).is_empty());
    }
}
