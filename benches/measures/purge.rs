//! A purge at full speed against one single DELETE of the same rows.

use std::time::Duration;

use sqlx::Connection as _;

use crate::lab::{Lab, timed};
use crate::{Options, median_time, result};

pub const FULL_SPEED: [&str; 7] = ["purge", "--duty", "1", "--batch-size", "20000", "-o", "json"];

pub async fn measure(lab: &mut Lab, options: &Options) {
    let rows = options.rows.unwrap_or(1_000_000);
    for tied in [false, true] {
        let filled = lab.filled(rows, tied).await;
        let (mut delete, mut plain, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..options.rounds {
            let database = lab.copy_of(&filled).await;
            delete.push(lab.single_delete(&database).await);
            lab.drop_database(&database).await;
            for (times, snapshot) in [(&mut plain, false), (&mut held, true)] {
                let database = lab.copy_of(&filled).await;
                times.push(purge(lab, &database, rows, snapshot).await);
                lab.drop_database(&database).await;
            }
            println!("tied {tied}: DELETE {delete:.2?}, purge {plain:.2?}, snapshot held {held:.2?}");
        }
        let [delete, plain, held] = [delete, plain, held].map(|times| median_time(&times));
        let rate = |time: f64| format!("{:.0} rows/s", rows as f64 / time);
        let of = if tied { ", one expires_at" } else { "" };
        let details = format!("purge {}, DELETE {}", rate(plain), rate(delete));
        result(&format!("purge of {rows} rows against DELETE{of}"), delete / plain, ">= 0.8", &details);
        let details = format!("held {}, without {}", rate(held), rate(plain));
        result(&format!("purge, snapshot held against without{of}"), plain / held, ">= 0.9", &details);
        let details = format!("held {}, DELETE {}", rate(held), rate(delete));
        let target = if tied { ">= 0.8" } else { "none" };
        result(&format!("purge, snapshot held, against DELETE{of}"), delete / held, target, &details);
    }
}

async fn purge(lab: &Lab, database: &str, rows: u64, snapshot: bool) -> Duration {
    let holder = if snapshot {
        let mut holder = lab.connect(database).await;
        sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM idempotency_keys LIMIT 1")
            .execute(&mut holder)
            .await
            .expect("it takes a snapshot");
        Some(holder)
    } else {
        None
    };
    let (took, report) = timed(lab.idemctl(database, &FULL_SPEED)).await;
    assert_eq!(report["deleted"], rows, "{report}");
    if let Some(holder) = holder {
        let _ = holder.close().await;
    }
    took
}
