//! Plain tables: the first column to the left, numbers to the right.

use unicode_width::UnicodeWidthStr;

/// Lays out rows under their headings.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&headings]).filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let mut out = String::new();
    for row in [&headings].into_iter().chain(rows) {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width - cell.width());
            line += &if column == 0 { format!("{cell}{gap}") } else { format!("  {gap}{cell}") };
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn numbers_stand_under_each_other() {
        let rows = [vec!["a".into(), "7".into()], vec!["long".into(), "100".into()]];
        assert_eq!(table(&["kind", "cases"], &rows), "kind  cases\na         7\nlong    100\n");
    }
}
