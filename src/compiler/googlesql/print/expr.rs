//! Expressions as GoogleSQL text: every operator in parentheses, so that precedence plays no part.

use crate::compiler::ir::{
    Aggregate, BinaryOp, Expr, ExprKind, Field, Frame, FrameBound, FrameUnit, Query, SortKey,
    SubqueryKind, SubscriptMode, Type, UnaryOp, Value, Window,
};

use super::{Printer, literal};

impl<'a> Printer<'a> {
    /// Writes an expression. What it writes is one operand wherever it is put.
    pub(super) fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Literal(value) => literal::value(&mut self.out, value, &expr.ty),
            ExprKind::Parameter(name) => self.out.parameter(name.as_str()),
            ExprKind::Column { range, column } => {
                self.range(*range);
                self.text(".");
                self.name(column.as_str());
            }
            ExprKind::Element(range) | ExprKind::Row(range) => self.range(*range),
            ExprKind::Offset(range) => self.offset(*range),
            ExprKind::Output(index) => self.output(*index),
            ExprKind::GroupKey(index) => self.group_key(*index),
            ExprKind::Field { base, index } => self.field(base, *index),
            ExprKind::Subscript { base, index, mode } => {
                self.base(base);
                self.text(match mode {
                    SubscriptMode::Offset => "[OFFSET(",
                    SubscriptMode::SafeOffset => "[SAFE_OFFSET(",
                    SubscriptMode::Ordinal => "[ORDINAL(",
                    SubscriptMode::SafeOrdinal => "[SAFE_ORDINAL(",
                });
                self.expr(index);
                self.text(")]");
            }
            ExprKind::Unary { op, operand } => {
                self.text(match op {
                    UnaryOp::Not => "(NOT (",
                    UnaryOp::Minus => "(-(",
                    UnaryOp::BitNot => "(~(",
                });
                self.expr(operand);
                self.text("))");
            }
            ExprKind::Binary { op, left, right } => self.infix(left, binary_operator(*op), right),
            ExprKind::And(list) => self.chain(list, " AND ", "TRUE"),
            ExprKind::Or(list) => self.chain(list, " OR ", "FALSE"),
            ExprKind::IsNull { operand, negated } => {
                self.postfix(operand, if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            ExprKind::IsBool {
                operand,
                value,
                negated,
            } => self.postfix(
                operand,
                match (negated, value) {
                    (false, true) => " IS TRUE",
                    (false, false) => " IS FALSE",
                    (true, true) => " IS NOT TRUE",
                    (true, false) => " IS NOT FALSE",
                },
            ),
            ExprKind::IsDistinct {
                left,
                right,
                negated,
            } => self.infix(
                left,
                if *negated {
                    " IS NOT DISTINCT FROM "
                } else {
                    " IS DISTINCT FROM "
                },
                right,
            ),
            ExprKind::InList {
                operand,
                list,
                negated,
            } => self.in_list(operand, list, *negated),
            ExprKind::InQuery {
                operand,
                query,
                negated,
            } => {
                self.open_in(operand, *negated);
                self.text("(");
                self.query(query);
                self.text("))");
            }
            ExprKind::InUnnest {
                operand,
                array,
                negated,
            } => {
                self.open_in(operand, *negated);
                self.text("UNNEST(");
                self.expr(array);
                self.text("))");
            }
            ExprKind::Between {
                operand,
                low,
                high,
                negated,
            } => {
                self.text("(");
                self.expr(operand);
                self.text(if *negated {
                    " NOT BETWEEN "
                } else {
                    " BETWEEN "
                });
                self.expr(low);
                self.text(" AND ");
                self.expr(high);
                self.text(")");
            }
            ExprKind::Like {
                operand,
                pattern,
                negated,
            } => self.infix(
                operand,
                if *negated { " NOT LIKE " } else { " LIKE " },
                pattern,
            ),
            ExprKind::Case {
                operand,
                branches,
                otherwise,
            } => {
                self.text("(CASE");
                if let Some(operand) = operand {
                    self.text(" ");
                    self.expr(operand);
                }
                for branch in branches {
                    self.text(" WHEN ");
                    self.expr(&branch.condition);
                    self.text(" THEN ");
                    self.expr(&branch.value);
                }
                if let Some(otherwise) = otherwise {
                    self.text(" ELSE ");
                    self.expr(otherwise);
                }
                self.text(" END)");
            }
            // Nothing to do for the engine, which knows nothing of how we store an array.
            // The bare word NULL cannot stand where NULL of a type can.
            ExprKind::Cast { operand, safe: _ } if is_unwritten(expr, operand) => {
                self.expr(operand);
            }
            ExprKind::Cast { operand, safe } => {
                self.text(if *safe { "SAFE_CAST(" } else { "CAST(" });
                self.expr(operand);
                self.text(" AS ");
                literal::data_type(&mut self.out, &expr.ty);
                self.text(")");
            }
            ExprKind::Call {
                function,
                args,
                safe,
            } => {
                if *safe {
                    self.text("SAFE.");
                }
                self.text(function.name);
                self.text("(");
                match (function.name, args.as_slice()) {
                    ("EXTRACT", [part, value, zone @ ..]) => {
                        self.expr(part);
                        self.text(" FROM ");
                        self.expr(value);
                        for zone in zone {
                            self.text(" AT TIME ZONE ");
                            self.expr(zone);
                        }
                    }
                    (_, args) => self.list(args),
                }
                self.text(")");
            }
            ExprKind::Part(part) => self.text(part.as_str()),
            ExprKind::Mode(form) => self.text(form.as_str()),
            ExprKind::Named { name, value } => {
                self.text(name);
                self.text(" => ");
                self.expr(value);
            }
            ExprKind::Interval { value, part } => {
                self.text("INTERVAL ");
                self.expr(value);
                self.text(" ");
                self.text(part.as_str());
            }
            ExprKind::Aggregate(aggregate) => self.aggregate(aggregate),
            ExprKind::Window(window) => self.window(window),
            ExprKind::Array(list) if list.is_empty() => {
                literal::value(&mut self.out, &Value::Array(Vec::new()), &expr.ty);
            }
            ExprKind::Array(list) => {
                self.text("[");
                self.list(list);
                self.text("]");
            }
            ExprKind::Struct(list) => self.record(list, &expr.ty),
            // For readers of a trace; `rebuild` leaves none of it to an engine.
            ExprKind::Redact {
                operand,
                redaction: _,
            } => {
                self.text("REDACT(");
                self.expr(operand);
                self.text(")");
            }
            ExprKind::Subquery { kind, query } => self.subquery(*kind, query),
        }
    }

    /// Writes expressions with commas between.
    pub(super) fn list(&mut self, list: &'a [Expr]) {
        for (i, item) in list.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.expr(item);
        }
    }

    /// Writes the keys of an ORDER BY. A constant orders nothing, and GoogleSQL takes an integer for an
    /// ordinal and refuses other literals, so it is left out.
    pub(super) fn order_by(&mut self, keys: &'a [SortKey]) {
        self.sort_keys(keys.iter().filter(|key| !is_literal(&key.expr)));
    }

    fn sort_keys(&mut self, keys: impl Iterator<Item = &'a SortKey>) {
        let mut first = true;
        for key in keys {
            let SortKey {
                expr,
                descending,
                nulls_first,
            } = key;
            self.text(if first { " ORDER BY " } else { ", " });
            first = false;
            self.expr(expr);
            self.text(if *descending { " DESC" } else { " ASC" });
            // NULL is the least value by default.
            match (descending, nulls_first) {
                (false, false) => self.text(" NULLS LAST"),
                (true, true) => self.text(" NULLS FIRST"),
                (false, true) | (true, false) => {}
            }
        }
    }

    fn postfix(&mut self, operand: &'a Expr, operator: &str) {
        self.text("(");
        self.expr(operand);
        self.text(operator);
        self.text(")");
    }

    fn infix(&mut self, left: &'a Expr, operator: &str, right: &'a Expr) {
        self.text("(");
        self.expr(left);
        self.text(operator);
        self.expr(right);
        self.text(")");
    }

    fn chain(&mut self, list: &'a [Expr], operator: &str, neutral: &str) {
        if list.is_empty() {
            self.text(neutral);
            return;
        }
        self.text("(");
        for (i, item) in list.iter().enumerate() {
            if i > 0 {
                self.text(operator);
            }
            self.expr(item);
        }
        self.text(")");
    }

    fn open_in(&mut self, operand: &'a Expr, negated: bool) {
        self.text("(");
        self.expr(operand);
        self.text(if negated { " NOT IN " } else { " IN " });
    }

    fn in_list(&mut self, operand: &'a Expr, list: &'a [Expr], negated: bool) {
        // In a list of its own, a sub-query would be read as the form that looks through all its rows.
        if let [only] = list
            && matches!(only.kind, ExprKind::Subquery { .. })
        {
            self.infix(operand, if negated { " != " } else { " = " }, only);
            return;
        }
        self.open_in(operand, negated);
        self.text("(");
        self.list(list);
        self.text("))");
    }

    /// Writes what a field or element is taken of.
    fn base(&mut self, base: &'a Expr) {
        let plain = matches!(
            base.kind,
            ExprKind::Column { .. }
                | ExprKind::Element(_)
                | ExprKind::Row(_)
                | ExprKind::Field { .. }
                | ExprKind::Subscript { .. }
        );
        if !plain {
            self.text("(");
        }
        self.expr(base);
        if !plain {
            self.text(")");
        }
    }

    fn field(&mut self, base: &'a Expr, index: usize) {
        self.base(base);
        let fields = base.ty.fields().unwrap_or(&[]);
        let name = fields.get(index).and_then(|field| field.name.as_ref());
        let unique = name.filter(|name| {
            let same = |field: &&Field| {
                field
                    .name
                    .as_ref()
                    .is_some_and(|n| n.matches(name.as_str()))
            };
            fields.iter().filter(same).count() == 1
        });
        match unique {
            Some(name) => {
                self.text(".");
                self.name(name.as_str());
            }
            None => {
                self.text("[OFFSET(");
                self.out.number(&index);
                self.text(")]");
            }
        }
    }

    /// Writes a STRUCT. A path gives its field a name where none is written, so a field that has none is then
    /// written with the types.
    fn record(&mut self, list: &'a [Expr], ty: &'a Type) {
        let fields = ty.fields().unwrap_or_default();
        let name = |i: usize| fields.get(i).and_then(|field: &Field| field.name.as_ref());
        let mut items = list.iter().enumerate();
        let typed = items.any(|(i, item)| has_name(item) && name(i).is_none());
        if typed {
            literal::data_type(&mut self.out, ty);
            self.text("(");
        } else {
            self.text("STRUCT(");
        }
        for (i, item) in list.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.expr(item);
            if let Some(name) = name(i).filter(|_| !typed) {
                self.text(" AS ");
                self.name(name.as_str());
            }
        }
        self.text(")");
    }

    fn subquery(&mut self, kind: SubqueryKind, query: &'a Query) {
        self.text(match kind {
            SubqueryKind::Scalar => "(",
            SubqueryKind::Exists => "EXISTS(",
            SubqueryKind::Array => "ARRAY(",
        });
        self.query(query);
        self.text(")");
    }

    fn arguments(
        &mut self,
        name: &str,
        distinct: bool,
        args: &'a [Expr],
        ignore_nulls: Option<bool>,
    ) {
        self.text(name);
        self.text("(");
        if distinct {
            self.text("DISTINCT ");
        }
        if args.is_empty() && name == "COUNT" {
            self.text("*");
        }
        self.list(args);
        match ignore_nulls {
            Some(true) => self.text(" IGNORE NULLS"),
            Some(false) => self.text(" RESPECT NULLS"),
            None => {}
        }
    }

    fn aggregate(&mut self, aggregate: &'a Aggregate) {
        let Aggregate {
            function,
            args,
            distinct,
            ignore_nulls,
            order_by,
            limit,
        } = aggregate;
        // The form that MAX_BY and MIN_BY are short for.
        let bound = match function.name {
            "MAX_BY" => Some(" HAVING MAX "),
            "MIN_BY" => Some(" HAVING MIN "),
            _ => None,
        };
        if let (Some(bound), [value, by]) = (bound, args.as_slice()) {
            self.text("ANY_VALUE(");
            self.expr(value);
            self.text(bound);
            self.expr(by);
            self.text(")");
            return;
        }
        self.arguments(function.name, *distinct, args, *ignore_nulls);
        self.order_by(order_by);
        if let Some(limit) = limit {
            self.text(" LIMIT ");
            self.out.number(limit);
        }
        self.text(")");
    }

    fn window(&mut self, window: &'a Window) {
        let Window {
            function,
            args,
            distinct,
            ignore_nulls,
            partition_by,
            order_by,
            frame,
        } = window;
        self.arguments(function.name, *distinct, args, *ignore_nulls);
        self.text(") OVER (");
        if !partition_by.is_empty() {
            self.text("PARTITION BY ");
            self.list(partition_by);
        }
        // Some functions need an order, and here a constant is one.
        self.sort_keys(order_by.iter());
        if let Some(Frame { unit, start, end }) = frame {
            self.text(match unit {
                FrameUnit::Rows => " ROWS BETWEEN ",
                FrameUnit::Range => " RANGE BETWEEN ",
            });
            self.frame_bound(*start);
            self.text(" AND ");
            self.frame_bound(*end);
        }
        self.text(")");
    }

    fn frame_bound(&mut self, bound: FrameBound) {
        match bound {
            FrameBound::UnboundedPreceding => self.text("UNBOUNDED PRECEDING"),
            FrameBound::Preceding(rows) => {
                self.out.number(&rows);
                self.text(" PRECEDING");
            }
            FrameBound::CurrentRow => self.text("CURRENT ROW"),
            FrameBound::Following(rows) => {
                self.out.number(&rows);
                self.text(" FOLLOWING");
            }
            FrameBound::UnboundedFollowing => self.text("UNBOUNDED FOLLOWING"),
        }
    }
}

/// Returns whether a cast is to the type that its operand has.
fn is_unwritten(cast: &Expr, operand: &Expr) -> bool {
    operand.ty.same(&cast.ty) && !operand.is_untyped_null()
}

/// Returns whether an expression is written as a literal.
fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Cast { operand, safe: _ } => is_unwritten(expr, operand) && is_literal(operand),
        _ => false,
    }
}

fn binary_operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => " + ",
        BinaryOp::Subtract => " - ",
        BinaryOp::Multiply => " * ",
        BinaryOp::Divide => " / ",
        BinaryOp::Concat => " || ",
        BinaryOp::Equal => " = ",
        BinaryOp::NotEqual => " != ",
        BinaryOp::Less => " < ",
        BinaryOp::LessOrEqual => " <= ",
        BinaryOp::Greater => " > ",
        BinaryOp::GreaterOrEqual => " >= ",
        BinaryOp::BitAnd => " & ",
        BinaryOp::BitOr => " | ",
        BinaryOp::BitXor => " ^ ",
        BinaryOp::ShiftLeft => " << ",
        BinaryOp::ShiftRight => " >> ",
    }
}

/// Returns whether GoogleSQL knows a name for an expression that is written without AS.
fn has_name(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Column { .. }
            | ExprKind::Element(_)
            | ExprKind::Offset(_)
            | ExprKind::Row(_)
            | ExprKind::Field { .. }
    )
}
