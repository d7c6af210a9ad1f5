//! Stored queries over streams of their own, and what callers may send to them.

use std::collections::BTreeMap;

use logboom::compiler::ir::{Column, ColumnName, Field, ParameterName, StreamName, Type, Value};
use logboom::compiler::{
    AdHoc, Call, Catalog, Compiled, Declaration, Diagnostics, Limits, Parameters, Target, compile,
    prepare,
};

fn column(name: &str, ty: Type) -> Column {
    let name = ColumnName::new(name);
    Column { name, ty }
}

fn field(name: &str, ty: Type) -> Field {
    let name = Some(ColumnName::new(name));
    Field { name, ty }
}

/// A stream with a dot in its name, and one that only the first sub-table reads.
fn catalog() -> Catalog {
    let headers = Type::array(Type::record([field("host", Type::String)]));
    let metadata = Type::array(Type::record([field("headers", headers)]));
    let mut catalog = Catalog::default();
    let mail = vec![
        column("id", Type::String),
        column("tenant", Type::String),
        column("metadata", metadata),
    ];
    catalog.insert(StreamName::new("mailer.prod"), mail);
    let ledger = vec![column("id", Type::String), column("amount", Type::Int64)];
    catalog.insert(StreamName::new("ledger"), ledger);
    catalog
}

fn run(stored: &str, ad_hoc: Option<&str>, target: &Target) -> Result<Compiled, Diagnostics> {
    let limits = Limits::default();
    let tenant = Declaration {
        name: ParameterName::new("tenant"),
        ty: Type::String,
    };
    let declared: Vec<Declaration> = if stored.contains("@tenant") {
        vec![tenant]
    } else {
        Vec::new()
    };
    let mut parameters = Parameters::default();
    parameters.insert(ParameterName::new("tenant"), Value::string("acme"));
    let query = prepare(stored, &catalog(), &declared, None, &limits)?;
    let call = Call {
        ad_hoc: ad_hoc.map(AdHoc::Sql),
        parameters: &parameters,
        now: 0,
        max_rows: 10,
        redaction: None,
        target,
        limits: &limits,
    };
    compile(&query, &call, None)
}

const MAIL: &str =
    "with mail as (select t.id, t.metadata from `mailer.prod` as t where t.tenant = @tenant)
    select id from mail";

#[test]
fn streams_may_have_dots_in_their_names() {
    let bigquery = Target::BigQuery {
        tables: BTreeMap::new(),
    };
    let forms = [
        (
            "select prod.id from `mailer.prod`",
            "FROM `mailer`.`prod` AS `prod`",
        ),
        (
            "select prod.id from mailer.prod",
            "FROM `mailer`.`prod` AS `prod`",
        ),
        (
            "select t.id from `mailer`.`prod` as t",
            "FROM `mailer`.`prod` AS `t`",
        ),
    ];
    for (stored, expected) in forms {
        let compiled = run(stored, None, &bigquery).expect(stored);
        assert!(compiled.sql.contains(expected), "{}", compiled.sql);
        assert_eq!(compiled.reads, [StreamName::new("mailer.prod")]);
    }
    let physical = Target::BigQuery {
        tables: BTreeMap::from([(StreamName::new("mailer.prod"), "p.logs.mail".to_owned())]),
    };
    let compiled = run(MAIL, None, &physical).expect("it compiles");
    assert!(
        compiled.sql.contains("FROM `p`.`logs`.`mail` AS `t`"),
        "{}",
        compiled.sql
    );
    let compiled = run(MAIL, None, &Target::Embedded).expect("it compiles");
    assert!(
        compiled.sql.contains("FROM \"mailer.prod\" AS"),
        "{}",
        compiled.sql
    );
}

#[test]
fn callers_read_sub_tables_over_such_streams() {
    let bigquery = Target::BigQuery {
        tables: BTreeMap::new(),
    };
    for sql in [
        "select m.id, h.host from mail as m left join unnest(m.metadata) as md left join unnest(md.headers) as h",
        "select id, '@tenant' as s from mail",
    ] {
        let compiled = run(MAIL, Some(sql), &bigquery).expect(sql);
        assert_eq!(compiled.reads, [StreamName::new("mailer.prod")]);
    }
}

#[test]
fn callers_cannot_name_a_stream_in_any_form() {
    for sql in [
        "select id from `mailer.prod`",
        "select id from mailer.prod",
        "select id from `mailer`.`prod`",
        "select id from ledger",
        "select mail.id from mail, `mail.metadata` as m",
        "with `mailer.prod` as (select 1 as id) select id from `mailer.prod`",
        "select id from mail union all select id from ledger",
        "select (select max(amount) from ledger) as x from mail",
    ] {
        let refused = run(MAIL, Some(sql), &Target::Embedded).expect_err(sql);
        let text = refused.to_string();
        assert!(
            text.contains("LB201") || text.contains("LB108"),
            "{sql}: {text}"
        );
    }
}
