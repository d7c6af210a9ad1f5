//! Traces: whether the environment asks for them, and where they go.
//!
//! The standard variables of OpenTelemetry are followed; there is no setting of our own.

use anyhow::bail;

use crate::server::span::Spans;

/// The variables that say where spans go; either of them switches the export on.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

/// Where spans go, if anywhere, and what must be told when no more will come.
#[cfg_attr(not(feature = "otlp"), derive(Default))]
pub(super) struct Telemetry {
    #[cfg(feature = "otlp")]
    exporter: Option<std::sync::Arc<crate::otlp::Exporter>>,
}

impl Telemetry {
    /// Does as the environment of this process says. Needs a tokio runtime.
    ///
    /// # Errors
    /// The environment asks for something that cannot be done, and this build exports traces.
    pub(super) fn open() -> anyhow::Result<Self> {
        let wanted = is_wanted(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        #[cfg(feature = "otlp")]
        let telemetry = Self {
            exporter: match wanted? {
                true => Some(std::sync::Arc::new(crate::otlp::Exporter::open()?)),
                false => None,
            },
        };
        #[cfg(not(feature = "otlp"))]
        let telemetry = Self::default();
        #[cfg(not(feature = "otlp"))]
        if wanted.unwrap_or(true) {
            tracing::warn!(
                "the environment asks for traces, which this build does not export; build with the \
                 cargo feature `otlp`"
            );
        }
        Ok(telemetry)
    }

    /// Returns where spans go.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_self, reason = "nothing goes anywhere")
    )]
    pub(super) fn spans(&self) -> Option<Spans> {
        #[cfg(feature = "otlp")]
        return self.exporter.clone().map(|exporter| exporter as Spans);
        #[cfg(not(feature = "otlp"))]
        None
    }

    /// Sends what was not sent yet.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(clippy::unused_async, reason = "nothing waits to be sent")
    )]
    pub(super) async fn close(self) {
        #[cfg(feature = "otlp")]
        if let Some(exporter) = self.exporter {
            exporter.close().await;
        }
    }
}

/// Returns whether spans are to be exported.
fn is_wanted(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<bool> {
    let is_disabled =
        variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let exporter = variable("OTEL_TRACES_EXPORTER");
    if is_disabled || exporter.as_deref() == Some("none") {
        return Ok(false);
    }
    if !ENDPOINTS.iter().any(|name| variable(name).is_some()) && exporter.is_none() {
        return Ok(false);
    }
    if let Some(exporter) = exporter.filter(|exporter| exporter != "otlp") {
        bail!("OTEL_TRACES_EXPORTER is `{exporter}`; there are `otlp` and `none`");
    }
    let protocol = variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
        .or_else(|| variable("OTEL_EXPORTER_OTLP_PROTOCOL"));
    if let Some(protocol) = protocol.filter(|protocol| protocol != "http/protobuf") {
        bail!("OTEL_EXPORTER_OTLP_PROTOCOL is `{protocol}`; there is only `http/protobuf`");
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides() {
        const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        for (variables, expected) in [
            (&[][..], Some(false)),
            (&[ENDPOINT], Some(true)),
            (
                &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h/x")],
                Some(true),
            ),
            (&[("OTEL_TRACES_EXPORTER", "otlp")], Some(true)),
            (&[ENDPOINT, ("OTEL_TRACES_EXPORTER", "none")], Some(false)),
            (&[ENDPOINT, ("OTEL_SDK_DISABLED", "True")], Some(false)),
            (
                &[ENDPOINT, ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")],
                Some(true),
            ),
            (&[ENDPOINT, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")], None),
            (&[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")], Some(false)),
            (&[ENDPOINT, ("OTEL_TRACES_EXPORTER", "console")], None),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(is_wanted(variable).ok(), expected, "{variables:?}");
        }
    }
}
