//! What the scripted server does by default: jobs, pages, dry runs, tokens.

use serde_json::{Value as Json, json};

use super::{Act, Job, Op, Prepared, Seen, State, failure};

impl State {
    pub(super) fn respond(&mut self, act: Option<Act>, seen: &Seen) -> Prepared {
        let (status, header, body) = match act {
            None | Some(Act::After(_)) => {
                let (status, body) = self.usual(seen);
                (status, None, body.to_string())
            }
            Some(Act::Change(change)) => {
                let (status, mut body) = self.usual(seen);
                change(&mut body);
                (status, None, body.to_string())
            }
            Some(Act::Json(status, body)) => (status, None, body.to_string()),
            Some(Act::JsonWith(status, name, value, body)) => {
                (status, Some((name, value)), body.to_string())
            }
            Some(Act::Text(text)) => (200, None, text.to_owned()),
            Some(Act::Drop) => return Prepared::Nothing,
            Some(Act::RunThenDrop) => {
                self.usual(seen);
                return Prepared::Nothing;
            }
            Some(Act::RunThenCut) => return Prepared::Half(self.usual(seen).1.to_string()),
        };
        Prepared::Whole {
            status,
            header,
            body,
            gzip: self.habits.gzip && header.is_none(),
        }
    }

    fn usual(&mut self, seen: &Seen) -> (u16, Json) {
        if seen.op != Op::Token && self.habits.needs_token {
            let current = format!("Bearer token-{}", self.tokens);
            if seen
                .headers
                .get("authorization")
                .is_none_or(|t| *t != current)
            {
                let Act::Json(status, body) = failure(401, "authError", "Invalid Credentials")
                else {
                    unreachable!("a failure is an answer");
                };
                return (status, body);
            }
        }
        match seen.op {
            Op::Token => {
                self.tokens += 1;
                let token = format!("token-{}", self.tokens);
                let seconds = self.habits.token_seconds;
                (
                    200,
                    json!({"access_token": token, "expires_in": seconds, "token_type": "Bearer"}),
                )
            }
            Op::DryRun => (200, self.dry_run()),
            Op::Query => {
                let id = self.start(&seen.body);
                (200, self.page(&id, &seen.body["maxResults"], None))
            }
            Op::Results => {
                let id = seen.path.rsplit('/').next().unwrap_or_default().to_owned();
                let rows: Json = seen.query["maxResults"].parse::<u64>().unwrap().into();
                let token = seen.query.get("pageToken").cloned();
                (200, self.page(&id, &rows, token.as_deref()))
            }
            Op::Cancel => {
                let id = seen.path.rsplit('/').nth(1).unwrap_or_default();
                for job in self.jobs.iter_mut().filter(|job| job.id == id) {
                    job.cancelled = true;
                }
                (200, json!({"kind": "bigquery#jobCancelResponse"}))
            }
            Op::Get => (
                200,
                json!({"statistics": {"query": {"totalBytesBilled": "20971520"}}}),
            ),
            Op::Table => (200, json!({"type": "TABLE", "schema": schema()})),
        }
    }

    fn dry_run(&self) -> Json {
        let tables: Vec<Json> = self
            .habits
            .tables
            .iter()
            .map(|name| {
                let parts: Vec<&str> = name.split('.').collect();
                json!({"projectId": parts[0], "datasetId": parts[1], "tableId": parts[2]})
            })
            .collect();
        json!({"status": {"state": "DONE"}, "statistics": {
            "totalBytesProcessed": "1048576",
            "query": {"totalBytesProcessed": "1048576", "referencedTables": tables, "schema": schema()},
        }})
    }

    /// Starts a job, once for each request id.
    fn start(&mut self, request: &Json) -> String {
        let known = self
            .jobs
            .iter()
            .find(|job| job.request["requestId"] == request["requestId"]);
        if let Some(job) = known {
            return job.id.clone();
        }
        let id = format!("job-{}", self.jobs.len());
        self.jobs.push(Job {
            id: id.clone(),
            request: request.clone(),
            polls: self.habits.polls,
            cancelled: false,
        });
        id
    }

    fn page(&mut self, id: &str, size: &Json, token: Option<&str>) -> Json {
        let total = self.habits.rows;
        let job = self
            .jobs
            .iter_mut()
            .find(|job| job.id == id)
            .expect("a job");
        let reference = json!({"projectId": "p", "jobId": id, "location": "EU"});
        if job.polls > 0 {
            job.polls -= 1;
            return json!({"jobReference": reference, "jobComplete": false});
        }
        let size = usize::try_from(size.as_u64().expect("a number")).unwrap();
        let from: usize = token.map_or(0, |token| token.parse().unwrap());
        let to = total.min(from + size);
        let n = &job.request["queryParameters"][0]["parameterValue"]["value"];
        let rows: Vec<Json> = (from..to)
            .map(|row| json!({"f": [{"v": n}, {"v": row.to_string()}]}))
            .collect();
        let mut page = json!({
            "jobReference": reference, "jobComplete": true, "schema": schema(),
            "totalRows": total.to_string(), "rows": rows, "cacheHit": false,
        });
        if job.request["timeoutMs"] != 0 && token.is_none() {
            page["totalBytesBilled"] = json!("10485760");
        }
        if to < total {
            page["pageToken"] = json!(to.to_string());
        }
        page
    }
}

/// The schema of every result: the parameter `n` and the number of the row.
pub fn schema() -> Json {
    json!({"fields": [
        {"name": "n", "type": "STRING", "mode": "NULLABLE"},
        {"name": "row", "type": "INTEGER", "mode": "NULLABLE"},
    ]})
}
