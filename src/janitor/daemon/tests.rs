use super::*;
use crate::janitor::{PurgeOptions, Schedule};

struct Nowhere;

#[async_trait::async_trait]
impl Connect for Nowhere {
    async fn connect(&self) -> Result<Vec<Store>, StoreError> {
        Ok(Vec::new())
    }

    fn target(&self) -> String {
        "nowhere".to_owned()
    }
}

fn plan(tables: &[&str]) -> Plan {
    let purge = PurgeOrder {
        options: PurgeOptions::default(),
        schedule: Schedule::parse("@hourly", chrono_tz::UTC).unwrap(),
        max_lag: None,
    };
    let table = |name: &&str| TablePlan {
        table: (*name).to_owned(),
        reap: None,
        purge: purge.clone(),
        stuck_after: Duration::from_secs(900),
    };
    Plan {
        connect: Arc::new(Nowhere),
        tables: tables.iter().map(table).collect(),
        lease: Duration::from_secs(30),
        shutdown_timeout: Duration::from_secs(1),
        reconnect: (Duration::from_secs(1), Duration::from_secs(60)),
        audit_retention: Duration::from_secs(86_400),
        turn_every: Duration::from_secs(10),
        sample_every: None,
    }
}

/// A pass of the old plan may report back when the new one has fewer tables.
#[test]
fn a_pass_of_an_earlier_plan_is_none_of_this_one() {
    let mut daemon = Daemon::new(
        plan(&["one", "two"]),
        Mode::Forever,
        "host:1".to_owned(),
        Actor::default(),
        Arc::new(()),
    );
    let end = || PassEnd {
        table: "two".to_owned(),
        pass: Pass::Purge,
        report: None,
        took: Duration::ZERO,
        audit_expired: 0,
        succeeded_at: None,
        error: None,
    };
    daemon.on(Event::Ended(0, 1, Box::new(end()))).unwrap();
    assert!(daemon.jobs[1].status(wall(), None).last.is_some());
    daemon.replace_plan(plan(&["one"]));
    daemon.on(Event::Ended(0, 1, Box::new(end()))).unwrap();
    assert_eq!(daemon.jobs[0].status(wall(), None).last, None);
}
