//! Window functions: OVER, WINDOW and frames.

use sqlparser::ast;

use super::call::Modifiers;
use super::functions::{Function, Kind};
use super::scope::Scope;
use super::{Analyzer, Result, all, group};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{
    Expr, ExprKind, Frame, FrameBound, FrameUnit, SortKey, Type, Value, Window,
};

/// A window, named in the WINDOW clause or written out in OVER.
#[derive(Clone, Debug, Default)]
pub(super) struct NamedWindow {
    name: String,
    partition_by: Vec<Expr>,
    order_by: Vec<SortKey>,
    frame: Option<Frame>,
}

impl Analyzer<'_> {
    pub(super) fn window(
        &mut self,
        function: &'static Function,
        args: Vec<Expr>,
        modifiers: Modifiers,
        over: &ast::WindowType,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        if !modifiers.order_by.is_empty() || modifiers.limit.is_some() {
            return Err(self.unsupported(span, "ORDER BY and LIMIT in a window function"));
        }
        let NamedWindow {
            name: _,
            partition_by,
            order_by,
            frame,
        } = match over {
            ast::WindowType::WindowSpec(spec) => self.window_spec(spec, scope, span)?,
            ast::WindowType::NamedWindow(name) => self.named_window(name)?,
        };
        if scope.ranges.is_empty() {
            return Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                span,
                "a window function needs a FROM clause",
            )));
        }
        if modifiers.distinct && (!order_by.is_empty() || frame.is_some()) {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "with DISTINCT, a window has no ORDER BY and no frame",
            )));
        }
        self.check_range(&order_by, frame.as_ref(), span)?;
        let inside = args
            .iter()
            .chain(&partition_by)
            .chain(order_by.iter().map(|key| &key.expr));
        for expr in inside {
            if group::has_window(expr) {
                return Err(self.refuse(Diagnostic::new(
                    Code::MisplacedWindow,
                    expr.span,
                    "a window function cannot stand inside another",
                )));
            }
        }
        let ordered = matches!(
            function.name,
            "RANK"
                | "DENSE_RANK"
                | "PERCENT_RANK"
                | "CUME_DIST"
                | "NTILE"
                | "LAG"
                | "LEAD"
                | "FIRST_VALUE"
                | "LAST_VALUE"
                | "NTH_VALUE"
        );
        if ordered && order_by.is_empty() {
            let message = format!("{} needs ORDER BY in its window", function.name);
            return Err(
                self.refuse(Diagnostic::new(Code::Syntax, span, message).help(
                    "write OVER (ORDER BY timestamp); for a value of any row, ANY_VALUE(x) OVER ()",
                )),
            );
        }
        let percentile = matches!(function.name, "PERCENTILE_CONT" | "PERCENTILE_DISC");
        if percentile && (!order_by.is_empty() || frame.is_some()) {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                format!("{} takes no ORDER BY and no window frame", function.name),
            )));
        }
        if matches!(function.name, "GROUPING" | "MAX_BY" | "MIN_BY") {
            return Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                span,
                format!("{} cannot have OVER", function.name),
            )));
        }
        let numbering = function.kind == Kind::Window
            && !matches!(function.name, "FIRST_VALUE" | "LAST_VALUE" | "NTH_VALUE");
        if numbering && frame.is_some() {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                format!("{} takes no window frame", function.name),
            )));
        }
        let (args, ty) = self.matched(function, args, span)?;
        self.check_modifiers(function, &args, &modifiers, span)?;
        Ok(Expr::new(
            ExprKind::Window(Box::new(Window {
                function,
                args,
                distinct: modifiers.distinct,
                ignore_nulls: modifiers.ignore_nulls,
                partition_by,
                order_by,
                frame,
            })),
            ty,
            span,
        ))
    }

    /// Analyses a WINDOW clause.
    pub(super) fn named_windows(
        &mut self,
        definitions: &[ast::NamedWindowDefinition],
        scope: &Scope<'_>,
    ) -> Result<Vec<NamedWindow>> {
        let outer = std::mem::take(&mut self.windows);
        let result = all(definitions.iter().map(|definition| {
            let ast::NamedWindowDefinition(name, window) = definition;
            let span = span_of(name.span);
            let mut window = match window {
                ast::NamedWindowExpr::NamedWindow(other) => self.named_window(other)?,
                ast::NamedWindowExpr::WindowSpec(spec) => self.window_spec(spec, scope, span)?,
            };
            self.identifier(name)?.clone_into(&mut window.name);
            if self
                .windows
                .iter()
                .any(|other| other.name.eq_ignore_ascii_case(&window.name))
            {
                return Err(self.refuse(Diagnostic::new(
                    Code::DuplicateName,
                    span,
                    format!("window `{}` is declared twice", window.name),
                )));
            }
            self.windows.push(window.clone());
            Ok(window)
        }));
        self.windows = outer;
        result
    }

    pub(super) fn named_window(&mut self, name: &ast::Ident) -> Result<NamedWindow> {
        let found = self
            .windows
            .iter()
            .find(|window| window.name.eq_ignore_ascii_case(&name.value));
        match found {
            Some(window) => Ok(window.clone()),
            None => Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span_of(name.span),
                format!("unknown window `{}`", name.value),
            ))),
        }
    }

    pub(super) fn window_spec(
        &mut self,
        spec: &ast::WindowSpec,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<NamedWindow> {
        let ast::WindowSpec {
            window_name,
            partition_by,
            order_by,
            window_frame,
        } = spec;
        let mut window = match window_name {
            Some(name) => self.named_window(name)?,
            None => NamedWindow::default(),
        };
        // A window that builds on another adds what that one leaves open.
        let repeated = window_name.is_some()
            && (!partition_by.is_empty()
                || (!order_by.is_empty() && !window.order_by.is_empty())
                || window.frame.is_some());
        if repeated {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "a window that builds on another can only add ORDER BY and a frame it does not have",
            )));
        }
        if !partition_by.is_empty() {
            window.partition_by = all(partition_by.iter().map(|key| {
                let key = self.expr(key, scope)?;
                if key.ty.is_groupable() && key.ty != Type::Float64 {
                    return Ok(key);
                }
                let message = format!("rows cannot be partitioned by values of type {:#}", key.ty);
                let diagnostic = Diagnostic::new(Code::TypeMismatch, key.span, message);
                Err(self.refuse(match key.ty {
                    Type::Struct(_) => diagnostic.help("partition by its fields: s.a, s.b"),
                    _ => diagnostic.help("partition by its text: TO_JSON_STRING(x)"),
                }))
            }))?;
        }
        if !order_by.is_empty() {
            window.order_by = self.sort_keys(order_by, scope)?;
        }
        if let Some(frame) = window_frame {
            window.frame = Some(self.frame(frame, scope, span)?);
        }
        Ok(window)
    }

    pub(super) fn frame(
        &mut self,
        frame: &ast::WindowFrame,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Frame> {
        let ast::WindowFrame {
            units,
            start_bound,
            end_bound,
        } = frame;
        let unit = match units {
            ast::WindowFrameUnits::Rows => FrameUnit::Rows,
            ast::WindowFrameUnits::Range => FrameUnit::Range,
            ast::WindowFrameUnits::Groups => {
                return Err(self.unsupported(span, "a frame in GROUPS"));
            }
        };
        let start = self.frame_bound(start_bound, scope, span)?;
        let end = match end_bound {
            Some(bound) => self.frame_bound(bound, scope, span)?,
            None => FrameBound::CurrentRow,
        };
        if place(&start) > place(&end)
            || start == FrameBound::UnboundedFollowing
            || end == FrameBound::UnboundedPreceding
        {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "this window frame ends before it starts",
            )));
        }
        Ok(Frame { unit, start, end })
    }

    /// Checks that distances of a RANGE frame have one number to count from.
    fn check_range(
        &mut self,
        order_by: &[SortKey],
        frame: Option<&Frame>,
        span: Span,
    ) -> Result<()> {
        let is_distance = |bound: &FrameBound| {
            matches!(bound, FrameBound::Preceding(_) | FrameBound::Following(_))
        };
        let Some(frame) = frame else { return Ok(()) };
        if frame.unit != FrameUnit::Range || !(is_distance(&frame.start) || is_distance(&frame.end))
        {
            return Ok(());
        }
        match order_by {
            [key] if key.expr.ty.is_numeric() => Ok(()),
            _ => Err(self.refuse(
                Diagnostic::new(
                    Code::TypeMismatch,
                    span,
                    "a frame of RANGE with a distance needs one number in ORDER BY",
                )
                .help("write ORDER BY UNIX_SECONDS(timestamp) RANGE BETWEEN 3600 PRECEDING AND CURRENT ROW"),
            )),
        }
    }

    pub(super) fn frame_bound(
        &mut self,
        bound: &ast::WindowFrameBound,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<FrameBound> {
        let (count, preceding) = match bound {
            ast::WindowFrameBound::CurrentRow => return Ok(FrameBound::CurrentRow),
            ast::WindowFrameBound::Preceding(None) => return Ok(FrameBound::UnboundedPreceding),
            ast::WindowFrameBound::Following(None) => return Ok(FrameBound::UnboundedFollowing),
            ast::WindowFrameBound::Preceding(Some(count)) => (count, true),
            ast::WindowFrameBound::Following(Some(count)) => (count, false),
        };
        let count = self.expr(count, scope)?;
        let ExprKind::Literal(Value::Int64(count)) = count.kind else {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "the bounds of a window frame are integer literals",
            )));
        };
        let Ok(count) = u64::try_from(count) else {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "the bounds of a window frame are not negative",
            )));
        };
        Ok(if preceding {
            FrameBound::Preceding(count)
        } else {
            FrameBound::Following(count)
        })
    }
}

/// Returns where a bound lies beside the current row, whatever its distance.
fn place(bound: &FrameBound) -> u8 {
    match bound {
        FrameBound::UnboundedPreceding => 0,
        FrameBound::Preceding(_) => 1,
        FrameBound::CurrentRow => 2,
        FrameBound::Following(_) => 3,
        FrameBound::UnboundedFollowing => 4,
    }
}
