//! Makes a table small for as long as it still fails.

use crate::model::{Says, Table};

/// Smaller tables, the much smaller ones first.
pub fn smaller(table: &Table) -> Vec<Table> {
    let mut all = Vec::new();
    let rows = table.rows.len();
    let mut size = rows / 2;
    while size > 0 {
        for start in (0..rows).step_by(size) {
            let mut less = table.clone();
            less.rows.drain(start..(start + size).min(rows));
            all.push(less);
        }
        size /= 2;
    }
    for column in &table.columns {
        if !column.role.decides() && column.says == Says::Nothing {
            all.push(table.without(&column.name));
        }
    }
    if table.child.is_some() {
        all.push(Table { child: None, ..table.clone() });
    }
    if !table.indexes.is_empty() {
        all.push(Table { indexes: Vec::new(), ..table.clone() });
    }
    all
}
