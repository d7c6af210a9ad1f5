//! Warehouses that a reload replaced. Requests that began before it go on with them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;

use crate::warehouse::Warehouse;

/// The replaced warehouses that may still be used, or whose engines may not know yet what was cancelled.
#[derive(Default)]
pub(crate) struct Replaced(Mutex<Vec<Arc<dyn Warehouse>>>);

impl Replaced {
    /// Takes a warehouse that no new request gets.
    pub(crate) fn add(&self, warehouse: Arc<dyn Warehouse>) {
        self.lock().push(warehouse);
    }

    /// Closes those that no request uses any more, and lets them go.
    pub(crate) async fn let_go(&self) {
        let mut unused = self.lock().clone();
        // Held by the list and by the copy.
        unused.retain(|warehouse| Arc::strong_count(warehouse) == 2);
        close(&unused).await;
        self.lock()
            .retain(|warehouse| !unused.iter().any(|other| Arc::ptr_eq(other, warehouse)));
    }

    /// Closes all of them.
    pub(crate) async fn close(&self) {
        let all = self.lock().clone();
        close(&all).await;
    }

    /// A list of pointers is never half changed.
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<dyn Warehouse>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn close(warehouses: &[Arc<dyn Warehouse>]) {
    join_all(warehouses.iter().map(|warehouse| warehouse.close())).await;
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;

    use super::*;
    use crate::compiler::{Compiled, Target};
    use crate::config::Config;
    use crate::endpoint::Endpoints;
    use crate::server::auth::SharedTokens;
    use crate::server::{App, Clock, State};
    use crate::warehouse::{Rows, Terms, WarehouseError};

    /// Counts how often it was closed.
    #[derive(Default)]
    struct Closing(Arc<AtomicUsize>);

    #[async_trait]
    impl Warehouse for Closing {
        fn target(&self) -> &Target {
            &Target::Embedded
        }

        async fn ready(&self) -> Result<(), WarehouseError> {
            Ok(())
        }

        async fn run(&self, _: &Compiled, _: Terms) -> Result<Rows, WarehouseError> {
            Err(WarehouseError::Failure("not part of these tests".into()))
        }

        async fn close(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns a state over a new warehouse, and how often that was closed.
    fn state() -> (State, Arc<AtomicUsize>) {
        let closed = Arc::<AtomicUsize>::default();
        let warehouse = Arc::new(Closing(Arc::clone(&closed)));
        let state = State::new(Config::default(), Endpoints::default(), warehouse);
        (state, closed)
    }

    #[tokio::test]
    async fn a_warehouse_is_closed_when_its_last_request_is_over() {
        let tokens = SharedTokens::open(Path::new("/nowhere/tokens.toml")).unwrap();
        let ((first, of_first), (second, of_second), (third, of_third)) =
            (state(), state(), state());
        let app = App::new(first, tokens, Clock::Frozen(0)).unwrap();
        let request = app.state();
        app.replace(second);
        app.replace(third);
        let closed = || [&of_first, &of_second, &of_third].map(|c| c.load(Ordering::Relaxed));
        app.replaced.let_go().await;
        assert_eq!(closed(), [0, 1, 0], "a request has the first");
        assert_eq!(Arc::strong_count(&of_second), 1, "it is gone");
        // At the end all are closed that are left.
        app.close().await;
        assert_eq!(closed(), [1, 1, 1]);
        drop(request);
        app.replaced.let_go().await;
        assert_eq!(Arc::strong_count(&of_first), 1, "it is gone");
    }

    #[tokio::test]
    async fn a_warehouse_that_goes_on_is_not_replaced() {
        let tokens = SharedTokens::open(Path::new("/nowhere/tokens.toml")).unwrap();
        let (first, closed) = state();
        let app = App::new(first, tokens, Clock::Frozen(0)).unwrap();
        let same = Arc::clone(&app.state().warehouse);
        app.replace(State::new(Config::default(), Endpoints::default(), same));
        app.replaced.let_go().await;
        assert_eq!(closed.load(Ordering::Relaxed), 0);
        app.close().await;
        assert_eq!(closed.load(Ordering::Relaxed), 1);
    }
}
