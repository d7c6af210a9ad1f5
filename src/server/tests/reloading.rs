//! Following the files of endpoints.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::scripted::{Deed, Scripted};
use super::service::{Service, load};
use crate::config::{Config, Tls};
use crate::server::reload::{self, Fixed, Load, Sources, watch};

/// Reads the folder of a service, which may have mistakes.
fn loader(service: &Service) -> Arc<Load> {
    let folder = service.folder.path().to_owned();
    let warehouse: Arc<Scripted> = Arc::clone(&service.warehouse);
    Arc::new(move |state| load(&folder, state.config().clone(), &warehouse))
}

fn edit(service: &Service, text: &str) {
    let file = service.folder.path().join("endpoints/plain.sql");
    std::fs::write(file, text).unwrap();
}

#[tokio::test]
async fn mistakes_change_nothing_and_are_seen() {
    let service = Service::new();
    let loader = loader(&service);
    edit(
        &service,
        "WITH t AS (SELECT id FROM s) SELECT nothing FROM t",
    );
    reload::reload(&service.app, &loader).await;
    let ready = service.get("/readyz").await;
    assert_eq!(ready.status, 200);
    assert_eq!(ready.json()["reload"], "failed");
    let metrics = service.get("/metrics").await;
    let metrics = String::from_utf8_lossy(&metrics.body).into_owned();
    assert!(metrics.contains("\nlogboom_reload_failed 1\n"), "{metrics}");
    assert_eq!(service.get("plain?project=a").await.status, 200);

    // One file is right, another is not: neither counts.
    let added = service.folder.path().join("endpoints/added.sql");
    std::fs::write(&added, "SELECT id FROM s").unwrap();
    reload::reload(&service.app, &loader).await;
    assert_eq!(service.get("added").await.status, 404);

    std::fs::write(
        added.with_extension("toml"),
        "id = '3fc4ed8f-6649-4adc-a5cb-55ee7c7884b6'\n",
    )
    .unwrap();
    edit(
        &service,
        "WITH t AS (SELECT id FROM s WHERE project = @project) SELECT id FROM t LIMIT 3",
    );
    reload::reload(&service.app, &loader).await;
    let ready = service.get("/readyz").await;
    assert_eq!(ready.json()["reload"], serde_json::Value::Null);
    assert_eq!(service.get("plain?project=a").await.status, 200);
    let queries = service.warehouse.queries();
    assert!(queries.last().unwrap().ends_with("LIMIT 3"), "{queries:?}");
}

/// Reads the folder of a service again under other settings.
async fn reconfigure(service: &Service, change: impl FnOnce(&mut Config)) {
    let mut config = service.app.state().config().clone();
    change(&mut config);
    let folder = service.folder.path().to_owned();
    let warehouse = Arc::clone(&service.warehouse);
    let load: Arc<Load> = Arc::new(move |_| load(&folder, config.clone(), &warehouse));
    reload::reload(&service.app, &load).await;
    let ready = service.get("/readyz").await;
    assert_eq!(ready.json()["reload"], serde_json::Value::Null);
}

#[tokio::test]
async fn sizes_take_effect_at_once() {
    let mut config = Config::default();
    config.server.max_queries = NonZeroUsize::MIN;
    config.server.max_queued_queries = 0;
    let service = Service::with(config);
    service.warehouse.next(Deed::Wait);
    let mut running = Box::pin(service.get("plain?project=a"));
    assert!(futures::poll!(&mut running).is_pending());
    let begun = service.warehouse.until(|warehouse| warehouse.begun() == 1);
    tokio::select! {
        () = begun => (),
        _ = &mut running => panic!("it waits"),
    }
    assert_eq!(service.get("plain?project=b").await.status, 503);
    reconfigure(&service, |config| {
        config.server.max_queries = NonZeroUsize::new(2).unwrap();
    })
    .await;
    service.warehouse.next(Deed::Answer);
    assert_eq!(service.get("plain?project=b").await.status, 200);
    service.warehouse.release();
    assert_eq!(running.await.status, 200);

    let hit = async || {
        let first = service.get("cached?project=a").await.run();
        service.get("cached?project=a").await.run() == first
    };
    assert!(hit().await);
    reconfigure(&service, |config| config.cache.capacity_bytes = 0).await;
    assert!(!hit().await);
    reconfigure(&service, |config| config.cache.capacity_bytes = 1 << 20).await;
    assert!(hit().await);
    reconfigure(&service, |config| {
        config.cache.capacity_bytes = 0;
        config.server.max_outgoing_bytes = 1;
        config.server.request_timeout_seconds = 1;
    })
    .await;
    // A unit of 1 KiB is left.
    service.warehouse.next(Deed::Many(1000));
    let refused = service.get("plain?project=a").await;
    assert_eq!(refused.status, 503, "{refused:?}");
}

#[tokio::test]
async fn counters_stay_behind_their_door() {
    // The listener for operators is made at the start or not at all.
    let service = Service::new();
    reconfigure(&service, |config| {
        config.server.admin_listen = Some("127.0.0.1:1".parse().unwrap());
    })
    .await;
    assert_eq!(service.get("/metrics").await.status, 200);

    let mut config = Config::default();
    config.server.admin_listen = Some("127.0.0.1:1".parse().unwrap());
    let service = Service::with(config);
    reconfigure(&service, |config| config.server.admin_listen = None).await;
    assert_eq!(service.get("/metrics").await.status, 404);
}

#[test]
fn what_needs_a_restart_is_told_until_it_is_taken_back() {
    type Change = fn(&mut Config);
    let started = Config::default();
    let fixed = Fixed::of(&started);
    let cases: [(&[&str], Change); 7] = [
        (&[], |_| ()),
        (&[], |config| {
            config.server.max_connections = NonZeroUsize::MIN
        }),
        (&[], |config| config.endpoints = "elsewhere".into()),
        (&["tokens"], |config| config.tokens = "elsewhere".into()),
        (&["server.listen"], |config| {
            config.server.listen = "127.0.0.1:1".parse().unwrap();
        }),
        (&["server.admin_listen"], |config| {
            config.server.admin_listen = Some("127.0.0.1:1".parse().unwrap());
        }),
        (&["server.tls"], |config| {
            let (cert, key) = ("cert.pem".into(), "key.pem".into());
            config.server.tls = Some(Tls { cert, key });
        }),
    ];
    for (expected, change) in cases {
        let mut config = started.clone();
        change(&mut config);
        assert_eq!(fixed.changed(&config), expected);
    }
}

#[tokio::test]
async fn a_change_is_seen_without_being_told() {
    let service = Service::new();
    let loader = loader(&service);
    let sources = Sources {
        paths: Box::new({
            let endpoints = service.folder.path().join("endpoints");
            let is_first = AtomicBool::new(true);
            // What is named later is followed as well.
            move |_| match is_first.swap(false, Ordering::Relaxed) {
                true => vec!["nowhere".into()],
                false => vec![endpoints.clone()],
            }
        }),
        load: Box::new(move |state| loader(state)),
    };
    let watching = tokio::spawn(watch(Arc::clone(&service.app), sources));
    let changed = async {
        // The watch may begin after the first edit: it is edited until it is seen.
        for number in 1.. {
            edit(
                &service,
                &format!(
                    "WITH t AS (SELECT id FROM s WHERE project = @project) SELECT id FROM t LIMIT {number}"
                ),
            );
            tokio::time::sleep(Duration::from_millis(400)).await;
            service.get("plain?project=a").await;
            let queries = service.warehouse.queries();
            if queries
                .last()
                .is_some_and(|query| !query.ends_with("LIMIT 1001"))
            {
                return;
            }
        }
    };
    let seen = tokio::time::timeout(Duration::from_secs(60), changed).await;
    watching.abort();
    seen.expect("the change is seen");
}
