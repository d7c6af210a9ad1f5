//! Following the files of endpoints.

use std::sync::Arc;
use std::time::Duration;

use super::scripted::Scripted;
use super::service::{Service, load};
use crate::server::reload::{self, Load, Sources, watch};

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

#[tokio::test]
async fn a_change_is_seen_without_being_told() {
    let service = Service::new();
    let loader = loader(&service);
    let sources = Sources {
        paths: vec![service.folder.path().join("endpoints")],
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
