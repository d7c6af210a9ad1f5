//! Requests as the edge sees them.

use serde_json::{Value, json};

use super::world::World;

/// A request to one of the APIs.
struct Request {
    method: &'static str,
    path: String,
    search: &'static str,
    success: u64,
}

fn request(world: &mut World) -> Request {
    let api: fn(&mut World) -> Request = world.random.weighted(
        functions,
        &[
            (55, rest as fn(&mut World) -> Request),
            (15, auth),
            (15, storage),
            (10, realtime),
        ],
    );
    api(world)
}

fn rest(world: &mut World) -> Request {
    let random = &mut world.random;
    if random.percent(12) {
        let function = random.pick("search", &["dashboard_stats", "match_documents"]);
        return Request {
            method: "POST",
            path: format!("/rest/v1/rpc/{function}"),
            search: "",
            success: 200,
        };
    }
    let table = random.pick(
        "todos",
        &["profiles", "orders", "products", "messages", "order_items"],
    );
    let (method, search, success) = random.weighted(
        ("DELETE", "?id=eq.42", 204),
        &[
            (70, ("GET", "?select=*&order=created_at.desc&limit=20", 200)),
            (16, ("POST", "", 201)),
            (10, ("PATCH", "?id=eq.42", 204)),
        ],
    );
    Request {
        method,
        path: format!("/rest/v1/{table}"),
        search,
        success,
    }
}

fn auth(world: &mut World) -> Request {
    let (method, path, search) = world.random.weighted(
        ("POST", "/auth/v1/logout", ""),
        &[
            (45, ("POST", "/auth/v1/token", "?grant_type=refresh_token")),
            (15, ("POST", "/auth/v1/token", "?grant_type=password")),
            (25, ("GET", "/auth/v1/user", "")),
            (6, ("POST", "/auth/v1/signup", "")),
            (5, ("POST", "/auth/v1/otp", "")),
        ],
    );
    Request {
        method,
        path: path.to_owned(),
        search,
        success: 200,
    }
}

fn storage(world: &mut World) -> Request {
    let random = &mut world.random;
    let number = random.below(500);
    let (method, path) = if random.percent(70) {
        (
            "GET",
            format!("/storage/v1/object/public/avatars/{number}.png"),
        )
    } else {
        (
            "POST",
            format!("/storage/v1/object/sign/invoices/{number}.pdf"),
        )
    };
    Request {
        method,
        path,
        search: "",
        success: 200,
    }
}

fn realtime(_: &mut World) -> Request {
    Request {
        method: "GET",
        path: "/realtime/v1/websocket".to_owned(),
        search: "?vsn=1.0.0",
        success: 101,
    }
}

fn functions(world: &mut World) -> Request {
    let name = world
        .random
        .pick("hello-world", &["send-mail", "stripe-webhook"]);
    Request {
        method: "POST",
        path: format!("/functions/v1/{name}"),
        search: "",
        success: 200,
    }
}

/// A row of the stream `edge`.
pub(super) fn row(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let Request {
        method,
        path,
        search,
        success,
    } = request(world);
    let (ip, agent, location) = (world.ip(), world.agent(), world.location());
    let status = world.status(success);
    let host = format!("{project}.example.co");
    let url = format!("https://{host}{path}{search}");
    let ray = format!("{}-{}", world.random.hex(16), location.colo);
    let signed_in = world.random.percent(60);
    let random = &mut world.random;
    let origin_time = random.between(8, 60)
        + if random.percent(5) {
            random.below(3000)
        } else {
            0
        };
    let seconds = at.div_euclid(1_000_000);
    let payload = json!({
        "algorithm": "HS256",
        "issuer": format!("https://{host}/auth/v1"),
        "role": if signed_in { "authenticated" } else { "anon" },
        "session_id": signed_in.then(|| random.uuid()),
        "subject": signed_in.then(|| random.uuid()),
        "issued_at": seconds - 600,
        "expires_at": seconds + 3000,
    });
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": format!("{method} | {status} | {ip} | {ray} | {url} | {agent}"),
        "project": project,
        "metadata": {
            "request": {
                "host": host,
                "method": method,
                "path": path,
                "protocol": "https:",
                "search": (!search.is_empty()).then_some(search),
                "url": url,
                "cf": {
                    "asOrganization": location.organization,
                    "asn": location.asn,
                    "city": location.city,
                    "colo": location.colo,
                    "continent": location.continent,
                    "country": location.country,
                    "timezone": location.timezone,
                    "httpProtocol": random.pick("HTTP/2", &["HTTP/3", "HTTP/1.1"]),
                    "tlsVersion": "TLSv1.3",
                    "tlsCipher": "AEAD-AES128-GCM-SHA256",
                    "clientTcpRtt": random.between(3, 180),
                    "botManagement": {
                        "corporateProxy": false,
                        "verifiedBot": false,
                        "staticResource": path.starts_with("/storage"),
                        "score": random.between(1, 100),
                        "detectionIds": if random.percent(4) { vec![random.below(1 << 25)] } else { vec![] },
                    },
                },
                "headers": {
                    "accept": "application/json",
                    "cf_connecting_ip": ip,
                    "cf_ipcountry": location.country,
                    "cf_ray": ray,
                    "host": host,
                    "user_agent": agent,
                    "x_client_info": random.pick("client-js/2.58.0", &["client-py/2.6.0", "client-dart/2.10.1"]),
                    "x_forwarded_proto": "https",
                    "x_real_ip": ip,
                    "referer": random.percent(40).then(|| format!("https://app.{project}.example.com/")),
                },
                "sb": {
                    "auth_user": payload.get("subject"),
                    "jwt": {"authorization": {"payload": payload}},
                },
            },
            "response": {
                "origin_time": origin_time,
                "status_code": status,
                "headers": {
                    "cf_cache_status": if path.contains("/public/") { "HIT" } else { "DYNAMIC" },
                    "cf_ray": ray,
                    "content_type": "application/json; charset=utf-8",
                    "content_length": random.between(2, 20_000).to_string(),
                    "sb_request_id": random.uuid(),
                    "x_sb_error_code": (status >= 500).then_some("upstream_timeout"),
                },
            },
        },
    })
}

/// A row of the stream `function_edge`: the relay in front of the functions.
pub(super) fn function_row(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let Request { method, path, .. } = functions(world);
    let status = world.status(200);
    let (ip, agent, location) = (world.ip(), world.agent(), world.location());
    let host = format!("{project}.example.co");
    let url = format!("https://{host}{path}");
    let random = &mut world.random;
    let region = random.pick("eu-central-1", &["us-east-1", "ap-southeast-1"]);
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": format!("{method} | {status} | {url}"),
        "metadata": {
            "deployment_id": format!("{project}_{}", random.below(9)),
            "execution_id": random.uuid(),
            "function_id": random.uuid(),
            "project_ref": project,
            "request_id": random.uuid(),
            "version": random.between(1, 40).to_string(),
            "execution_time_ms": random.between(4, 900),
            "request": {
                "host": host,
                "method": method,
                "pathname": path,
                "protocol": "https:",
                "url": url,
                "headers": {
                    "accept": "*/*",
                    "cf_connecting_ip": ip,
                    "host": host,
                    "user_agent": agent,
                },
            },
            "response": {
                "status_code": status,
                "headers": {
                    "content_type": "application/json",
                    "server": location.colo,
                    "x_sb_edge_region": region,
                    "x_served_by": format!("edge-runtime-{region}"),
                },
            },
        },
    })
}
