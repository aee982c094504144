//! Ten million rows, and the memory that it takes to purge them.

use std::time::{Duration, Instant};

use crate::lab::{Lab, memory};
use crate::purge::FULL_SPEED;
use crate::{Options, median, median_time, result};

pub async fn measure(lab: &mut Lab, options: &Options) {
    let rows = options.rows.unwrap_or(10_000_000);
    let rounds = options.rounds.min(3);
    let filled = lab.filled(rows, false).await;
    let (mut delete, mut purge, mut peaks, mut growths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let database = lab.copy_of(&filled).await;
        delete.push(lab.single_delete(&database).await);
        lab.drop_database(&database).await;

        let database = lab.copy_of(&filled).await;
        let began = Instant::now();
        let mut child = lab.idemctl(&database, &FULL_SPEED).spawn().expect("starts");
        let pid = child.id().expect("it runs");
        let mut resident = Vec::new();
        let mut peak = 0;
        while child.try_wait().expect("it can be asked").is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            resident.extend(memory(pid, "VmRSS:").filter(|kib| *kib > 0));
            peak = memory(pid, "VmHWM:").unwrap_or(0).max(peak);
        }
        purge.push(began.elapsed());
        let report = child.wait_with_output().await.expect("it ended").stdout;
        let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
        assert_eq!(report["deleted"], rows, "{report}");
        lab.drop_database(&database).await;
        // Once it is under way: after a tenth of its time.
        let early = resident[resident.len() / 10];
        let late = resident[resident.len() - 1 - resident.len() / 50];
        peaks.push(peak);
        growths.push(late as f64 / early as f64);
        println!(
            "DELETE {delete:.1?}, purge {purge:.1?}, peak {peak} KiB, {early} KiB early, {late} KiB late"
        );
    }
    let (delete, purge) = (median_time(&delete), median_time(&purge));
    let rate = |time: f64| format!("{:.0} rows/s", rows as f64 / time);
    let details = format!("purge {}, DELETE {}", rate(purge), rate(delete));
    result(&format!("purge of {rows} rows against DELETE"), delete / purge, ">= 0.9", &details);
    let mib = median(&peaks) as f64 / 1024.0;
    result("peak resident memory of that purge in MiB", mib, "< 19 (20 MB)", "VmHWM");
    result("its memory at the end against early on", median(&growths), "1.0", "VmRSS");
}
