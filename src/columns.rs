//! Rows of text in aligned columns: one line a row, whatever the cells hold.

use crate::out::one_line;

/// Between two columns.
const GAP: &str = "  ";

/// A line of heads and a line for each row. Columns of figures are aligned on the right; the last
/// column is as long as it is.
pub fn columns<const N: usize>(heads: [&str; N], rows: Vec<[String; N]>) -> String {
    let rows: Vec<[String; N]> = rows
        .into_iter()
        .map(|row| row.map(|cell| one_line(&cell, usize::MAX)))
        .collect();
    let is_figures = |at: usize| rows.iter().all(|row| is_figure(&row[at]));
    let right: [bool; N] = std::array::from_fn(is_figures);
    let heads = heads.map(str::to_owned);
    let width = |at: usize| rows.iter().chain([&heads]).map(|row| row[at].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|at| width(at).unwrap_or_default());
    let mut text = String::new();
    for row in std::iter::once(&heads).chain(&rows) {
        let cells = row.iter().enumerate().map(|(at, cell)| match right[at] {
            true => format!("{cell:>width$}", width = widths[at]),
            false => format!("{cell:width$}", width = widths[at]),
        });
        text.push_str(cells.collect::<Vec<_>>().join(GAP).trim_end());
        text.push('\n');
    }
    text
}

/// Digits, or the `-` of a figure that is not there.
fn is_figure(cell: &str) -> bool {
    cell == "-" || cell.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: [&str; 3]) -> [String; 3] {
        cells.map(str::to_owned)
    }

    #[test]
    fn figures_are_aligned_on_the_right_and_texts_on_the_left() {
        let rows = vec![
            row(["é", "1", "jwt"]),
            row(["session", "1000", ""]),
            row(["b", "-", "x"]),
        ];
        let text = "session  times  query\né            1  jwt\nsession   1000\nb            -  x\n";
        assert_eq!(columns(["session", "times", "query"], rows), text);
    }

    #[test]
    fn a_hostile_cell_stays_in_its_row() {
        let rows = vec![row(["a\n\u{1b}[31m", "1", "\u{202e}"])];
        let text = "id                times  query\na\\u{a}\\u{1b}[31m      1  \\u{202e}\n";
        assert_eq!(columns(["id", "times", "query"], rows), text);
    }
}
