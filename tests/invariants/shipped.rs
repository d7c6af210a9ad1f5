//! The shipped endpoints as what callers send queries to. The fuzz targets include this file.

use std::sync::{Arc, LazyLock};

use logboom::compiler::invariant::{self, Subject};
use logboom::compiler::{AdHoc, Limits};
use logboom::endpoint::{Argument, Bound, Endpoint, Endpoints};

static ENDPOINTS: LazyLock<Endpoints> = LazyLock::new(|| Endpoints::built_in(&Limits::default()));

/// The endpoints with the arguments that a call must have.
static SHIPPED: LazyLock<Vec<(Arc<Endpoint>, Bound)>> = LazyLock::new(|| {
    let argument = |name: &str, value: &str| (name.to_owned(), Argument::Text(value.to_owned()));
    let project = argument("project", "demo");
    let usage = vec![project.clone(), argument("interval", "daily")];
    let calls = [("logs.all", vec![project]), ("usage.api-counts", usage)];
    let calls = calls.into_iter().map(|(name, arguments)| {
        let endpoint = ENDPOINTS.get(name).expect("it ships");
        let bound = endpoint.bind(&arguments).expect("the arguments are right");
        (Arc::clone(endpoint), bound)
    });
    calls.collect()
});

/// Sends a text to both shipped endpoints; returns how many accept it.
pub fn sandbox(ad_hoc: AdHoc<'_>) -> Result<usize, String> {
    let mut accepted = 0;
    for (endpoint, bound) in SHIPPED.iter() {
        let subject = Subject {
            query: &endpoint.query,
            catalog: ENDPOINTS.catalog(),
            parameters: &bound.parameters,
        };
        let is_accepted = invariant::sandbox(subject, ad_hoc)
            .map_err(|broken| format!("{}: {ad_hoc:?}\n{broken}", endpoint.name))?;
        accepted += usize::from(is_accepted);
    }
    Ok(accepted)
}
