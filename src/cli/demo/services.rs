//! What the services behind the edge log.

use serde_json::{Value, json};

use super::world::{World, rfc3339};

/// A row of the stream `database`.
pub(super) fn database(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let (ip, email) = (world.ip(), world.email());
    let random = &mut world.random;
    let milliseconds = random.between(200, 9000);
    let port = random.between(30_000, 60_000);
    let (severity, code, tag) = random.weighted(
        ("FATAL", "28P01", "authentication"),
        &[
            (84, ("LOG", "00000", "SELECT")),
            (8, ("ERROR", "23505", "INSERT")),
            (4, ("ERROR", "42P01", "SELECT")),
            (2, ("WARNING", "01000", "VACUUM")),
        ],
    );
    let user = random.pick(
        "authenticator",
        &["postgres", "service_role", "storage_admin"],
    );
    let (message, detail) = match code {
        "23505" => (
            "duplicate key value violates unique constraint \"profiles_email_key\"".to_owned(),
            Some(format!("Key (email)=({email}) already exists.")),
        ),
        "42P01" => ("relation \"public.tods\" does not exist".to_owned(), None),
        "28P01" => (
            format!("password authentication failed for user \"{user}\""),
            None,
        ),
        "01000" => ("there is no transaction in progress".to_owned(), None),
        _ if random.percent(30) => (
            format!("connection authorized: user={user} database=postgres host={ip}"),
            None,
        ),
        _ => (
            format!(
                "duration: {milliseconds}.{:03} ms  execute <unnamed>: select * from todos where user_id = $1",
                random.below(1000)
            ),
            None,
        ),
    };
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": message,
        "project": project,
        "metadata": {
            "host": format!("db-{project}"),
            "parsed": {
                "application_name": random.pick("rest-api", &["psql", "storage", "pooler"]),
                "backend_type": "client backend",
                "command_tag": tag,
                "connection_from": format!("{ip}:{port}"),
                "database_name": "postgres",
                "detail": detail,
                "error_severity": severity,
                "process_id": random.between(100, 99_999),
                "query": (severity == "ERROR").then_some("insert into profiles (email) values ($1)"),
                "query_id": random.next().cast_signed(),
                "session_id": format!("{}.{}", random.hex(8), random.hex(4)),
                "session_line_num": random.between(1, 40),
                "session_start_time": rfc3339(at - 60_000_000),
                "sql_state_code": code,
                "timestamp": rfc3339(at),
                "transaction_id": random.below(1_000_000),
                "user_name": user,
                "virtual_transaction_id": format!("{}/{}", random.below(90), random.below(9999)),
            },
        },
    })
}

/// A row of the stream `auth`, whose message is itself JSON.
pub(super) fn auth(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let (ip, email) = (world.ip(), world.email());
    let status = world.status(200);
    let random = &mut world.random;
    let (path, action) = random.weighted(
        ("/logout", "logout"),
        &[
            (50, ("/token", "token_refreshed")),
            (20, ("/token", "login")),
            (15, ("/user", "user_modified")),
            (10, ("/signup", "user_signedup")),
        ],
    );
    let method = if path == "/user" { "PUT" } else { "POST" };
    let level = if status < 400 { "info" } else { "error" };
    let error = (status >= 400).then_some("Invalid login credentials");
    let (duration, request, user) = (
        random.between(900_000, 90_000_000),
        random.uuid(),
        random.uuid(),
    );
    let message = json!({
        "component": "api",
        "duration": duration,
        "error": error,
        "level": level,
        "method": method,
        "msg": "request completed",
        "path": path,
        "remote_addr": ip,
        "request_id": request,
        "status": status,
        "time": rfc3339(at),
    });
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": message.to_string(),
        "project": project,
        "metadata": {
            "action": action,
            "component": "api",
            "duration": duration,
            "error": error,
            "error_code": error.map(|_| "invalid_credentials"),
            "grant_type": (path == "/token").then_some(if action == "login" { "password" } else { "refresh_token" }),
            "host": format!("auth-{project}"),
            "level": level,
            "login_method": (action == "login").then_some("password"),
            "method": method,
            "msg": "request completed",
            "path": path,
            "referer": format!("https://app.{project}.example.com"),
            "remote_addr": ip,
            "request_id": request,
            "status": status,
            "timestamp": rfc3339(at),
            "user_id": user,
            "auth_event": (status < 400).then(|| json!({
                "action": action,
                "actor_id": user,
                "actor_username": email,
                "actor_via_sso": false,
                "log_type": "account",
                "traits": {"provider": "email", "provider_type": "email", "user_email": email, "user_id": user},
            })),
        },
    })
}

/// A row of the stream `rest_api`.
pub(super) fn rest_api(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let random = &mut world.random;
    let message = random.weighted(
        "Warp server error: Thread killed by timeout manager",
        &[
            (40, "Schema cache queried in 21.4 milliseconds"),
            (
                25,
                "Schema cache loaded 23 Relations, 14 Relationships, 9 Functions",
            ),
            (20, "Config reloaded"),
            (
                10,
                "Attempting to reconnect to the database in 1 seconds...",
            ),
        ],
    );
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": format!("{}: {message}", rfc3339(at)),
        "project": project,
        "metadata": {"host": format!("rest-{project}"), "project": project, "region": "eu-central-1"},
    })
}

/// A row of the stream `storage`.
pub(super) fn storage(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let (ip, agent) = (world.ip(), world.agent());
    let status = world.status(200);
    let random = &mut world.random;
    let object = format!("avatars/{}.png", random.below(500));
    let url = format!("/object/public/{object}");
    let request = random.uuid();
    let milliseconds =
        f64::from(u32::try_from(random.between(2_000, 400_000)).unwrap_or_default()) / 1000.0;
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": format!("{project} | GET | {status} | {ip} | {request} | {url} | {agent}"),
        "metadata": {
            "level": if status < 400 { "info" } else { "error" },
            "error": (status >= 400).then_some("Object not found"),
            "objectPath": object,
            "operation": "storage.object.get_public",
            "project": project,
            "region": "eu-central-1",
            "reqId": request,
            "role": "anon",
            "tenantId": project,
            "type": "request",
            "executionTime": milliseconds * 0.8,
            "responseTime": milliseconds,
            "context": {"host": format!("storage-{}", random.below(4)), "pid": random.between(10, 999)},
            "req": {
                "hostname": format!("{project}.example.co"),
                "method": "GET",
                "remoteAddress": ip,
                "remotePort": random.between(30_000, 60_000),
                "url": url,
                "headers": {"accept": "image/*", "cf_connecting_ip": ip, "user_agent": agent},
            },
            "res": {
                "statusCode": status,
                "headers": {"content_type": "image/png", "content_length": random.between(900, 90_000)},
            },
        },
    })
}

/// A row of the stream `realtime`.
pub(super) fn realtime(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let random = &mut world.random;
    let (level, message, code) = random.weighted(
        (
            "error",
            "Token has expired 120 seconds ago",
            Some("InvalidJWTExpiration"),
        ),
        &[
            (
                50,
                ("info", "Billing metrics: [:realtime, :connections]", None),
            ),
            (30, ("info", "Tenant connected to channel room:lobby", None)),
            (12, ("warning", "Channel join rate limit is close", None)),
        ],
    );
    let connected = random.between(1, 300);
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": message,
        "metadata": {
            "cluster": "eu-1",
            "error_code": code,
            "external_id": project,
            "level": level,
            "project": project,
            "region": "eu-central-1",
            "tenant": project,
            "request_id": random.hex(20),
            "context": {
                "application": "realtime",
                "domain": ["elixir"],
                "file": "lib/realtime/channel.ex",
                "line": random.between(20, 400),
                "time": at,
                "vm": {"node": format!("realtime@{}", random.below(3))},
            },
            "measurements": {"connected": connected, "connected_cluster": connected * 3, "limit": 500},
        },
    })
}

/// A row of the stream `pooler`.
pub(super) fn pooler(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let ip = world.ip();
    let random = &mut world.random;
    let (level, message) = random.weighted(
        (
            "error",
            "ClientHandler: Connection failed: authentication error",
        ),
        &[
            (55, ("info", "ClientHandler: Connection authenticated")),
            (25, ("info", "ClientHandler: Client disconnected")),
            (15, ("notice", "DbHandler: Terminating with reason :normal")),
        ],
    );
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": message,
        "project": project,
        "metadata": {
            "client_addr": format!("{ip}:{}", random.between(30_000, 60_000)),
            "db_name": "postgres",
            "level": level,
            "mode": random.pick("transaction", &["session"]),
            "peer_ip": ip,
            "project": project,
            "region": "eu-central-1",
            "state": "idle",
            "tenant": project,
            "type": "single",
            "user": random.pick("postgres", &["authenticator"]),
            "context": {
                "application": "pooler",
                "mfa": ["Pooler.ClientHandler", "handle_event/4"],
                "line": random.between(20, 900),
                "time": at,
            },
        },
    })
}

/// A row of the stream `function`.
pub(super) fn function(world: &mut World, at: i64) -> Value {
    let project = world.project();
    let email = world.email();
    let random = &mut world.random;
    let (event, level) = random.weighted(
        ("UncaughtException", "error"),
        &[
            (50, ("Log", "info")),
            (22, ("Boot", "log")),
            (22, ("Shutdown", "log")),
        ],
    );
    let boot_time = random.between(20, 120);
    let message = match event {
        "Log" => format!("sending mail to {email}\n"),
        "Boot" => format!("booted (time: {boot_time}ms)"),
        "Shutdown" => "shutdown".to_owned(),
        _ => "TypeError: cannot read properties of undefined (reading 'id')\n    at handler (index.ts:12:7)".to_owned(),
    };
    let (external, heap) = (
        random.between(1 << 20, 1 << 24),
        random.between(1 << 22, 1 << 26),
    );
    json!({
        "id": random.uuid(),
        "timestamp": at,
        "event_message": message,
        "metadata": {
            "deployment_id": format!("{project}_{}", random.below(9)),
            "event_type": event,
            "execution_id": random.uuid(),
            "function_id": random.uuid(),
            "level": level,
            "project_ref": project,
            "reason": (event == "Shutdown").then_some("WallClockTime"),
            "region": "eu-central-1",
            "served_by": "edge-runtime-eu-central-1",
            "timestamp": rfc3339(at),
            "version": random.between(1, 40).to_string(),
            "boot_time": (event == "Boot").then_some(boot_time),
            "cpu_time_used": random.between(1, 200),
            "memory_used": {"external": external, "heap": heap, "total": external + heap},
        },
    })
}
