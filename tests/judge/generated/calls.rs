//! Calls of scalar and aggregate functions.

use std::sync::LazyLock;

use logboom::compiler::analyze::functions::{Arg, Function, Kind, Ret, Signature, T, all};

use super::super::samples;
use super::expr::{Generator, Ty};
use super::verdict::TRUNCATING;

/// Functions that are not called: those whose rows the judge cannot give (`differences.toml`), those with
/// arguments that have to fit each other, and those that are only written in a form of their own.
const LEFT_OUT: &[&str] = &[
    "ANY_VALUE",
    "APPROX_COUNT_DISTINCT",
    "APPROX_QUANTILES",
    "APPROX_TOP_COUNT",
    "APPROX_TOP_SUM",
    "FROM_BASE32",
    "GROUPING",
    "MAX_BY",
    "MIN_BY",
    "NET.PUBLIC_SUFFIX",
    "NET.REG_DOMAIN",
    "TO_BASE32",
];

/// A way of calling a function.
pub type Call = (&'static Function, &'static Signature);

/// The calls of every function.
pub static CALLS: LazyLock<Vec<Call>> = LazyLock::new(|| {
    all()
        .filter(|f| !LEFT_OUT.contains(&f.name) && !f.name.starts_with("HLL_COUNT."))
        .flat_map(|f| f.signatures.iter().map(move |signature| (f, signature)))
        .collect()
});

/// Returns the calls of a kind that give a type.
pub fn calls(kind: Kind, ty: Ty) -> Vec<Call> {
    let gives = |result: Ret| match (result, ty) {
        (Ret::Of(of), Ty::Of(ty)) | (Ret::ArrayOf(of), Ty::Array(ty)) => of == ty,
        (Ret::Any | Ret::Element, Ty::Of(_)) | (Ret::ArrayOfAny, Ty::Array(_)) => true,
        (Ret::Extracted, ty) => ty == Ty::Of(T::Int64),
        _ => false,
    };
    let takes = |signature: &Signature| {
        ty != Ty::Of(T::Json)
            || !signature
                .args
                .iter()
                .any(|arg| matches!(arg, Arg::Orderable))
    };
    let listed = CALLS.iter().copied();
    listed
        .filter(|(f, signature)| f.kind == kind && gives(signature.result) && takes(signature))
        .collect()
}

impl Generator {
    /// Returns a call of a scalar function that gives a type.
    pub fn call(&mut self, ty: Ty, depth: usize) -> String {
        let calls = calls(Kind::Scalar, ty);
        if calls.is_empty() {
            return self.leaf(ty);
        }
        let (function, signature) = self.one_of(&calls);
        self.spelt(function, signature, ty, depth)
    }

    /// Returns one of these calls: each function as often as any other, whatever the number of its signatures.
    pub fn one_of(&mut self, calls: &[Call]) -> Call {
        let mut functions: Vec<&str> = calls.iter().map(|(f, _)| f.name).collect();
        functions.dedup();
        let name = functions[self.choices.below(functions.len())];
        let ways: Vec<&Call> = calls.iter().filter(|(f, _)| f.name == name).collect();
        *ways[self.choices.below(ways.len())]
    }

    /// Returns a call of a scalar function with this signature.
    pub fn spelt(
        &mut self,
        function: &Function,
        signature: &'static Signature,
        ty: Ty,
        depth: usize,
    ) -> String {
        if function.name == "FORMAT" {
            return self.format(depth);
        }
        let args = self.args(function, signature, ty, depth);
        if function.name == "EXTRACT" {
            return match args.as_slice() {
                [part, value, zone] => format!("EXTRACT({part} FROM {value} AT TIME ZONE {zone})"),
                [part, value, ..] => format!("EXTRACT({part} FROM {value})"),
                _ => self.leaf(ty),
            };
        }
        let safe = if function.can_fail && !self.choices.rarely(10) {
            "SAFE."
        } else {
            ""
        };
        format!("{safe}{}({})", function.name, args.join(", "))
    }

    /// Returns a call of an aggregate function that gives a type, or MAX of such.
    pub fn aggregate(&mut self, ty: Ty, depth: usize) -> String {
        if let Some(key) = self.key.take() {
            let call = match self.choices.rarely(8) {
                true => {
                    let most = self.choices.pick(&["MAX", "MIN"]);
                    format!("ANY_VALUE({} HAVING {most} {key})", self.expr(ty, depth))
                }
                false => self.aggregate(ty, depth),
            };
            self.key = Some(key);
            return call;
        }
        let calls = calls(Kind::Aggregate, ty);
        if calls.is_empty() {
            return format!("ANY_VALUE({})", self.literal(ty));
        }
        let (function, signature) = self.one_of(&calls);
        if function.name == "COUNT" && self.choices.below(2) == 0 {
            return "COUNT(*)".to_owned();
        }
        let args = self.args(function, signature, ty, depth);
        if args.is_empty() {
            return "COUNT(*)".to_owned();
        }
        let list = args.join(", ");
        let first = args.first().cloned().unwrap_or_default();
        let name = function.name;
        match name {
            "ARRAY_AGG" | "STRING_AGG" => {
                let ignore = match name {
                    "ARRAY_AGG" => self.choices.pick(&[" IGNORE NULLS", ""]),
                    _ => "",
                };
                match self.choices.below(3) {
                    0 => format!("{name}({list}{ignore} ORDER BY {first})"),
                    1 => format!("{name}({list}{ignore} ORDER BY {first} DESC LIMIT 2)"),
                    _ => format!("{name}(DISTINCT {list}{ignore} ORDER BY {first})"),
                }
            }
            // Without an order what is concatenated comes in any.
            "ARRAY_CONCAT_AGG" => format!("{name}({list} ORDER BY TO_JSON_STRING({first}))"),
            "COUNT" | "SUM" | "MIN" | "MAX" | "COUNTIF" => {
                let distinct = self.choices.pick(&["", "", "DISTINCT "]);
                format!("{name}({distinct}{list})")
            }
            _ => format!("{name}({list})"),
        }
    }

    /// Returns arguments for a signature.
    pub fn args(
        &mut self,
        function: &Function,
        signature: &'static Signature,
        ty: Ty,
        depth: usize,
    ) -> Vec<String> {
        let least = signature.args.len() - signature.optional;
        let most = match signature.optional > 0 && self.choices.below(2) == 0 {
            true => least,
            false => signature.args.len(),
        };
        let shared = match (signature.result, ty) {
            (Ret::Any | Ret::ArrayOfAny | Ret::Element, Ty::Of(ty) | Ty::Array(ty)) => ty,
            _ => self.any_orderable(),
        };
        let args = (0..most).map(|index| {
            let arg = self.arg(function, index, &signature.args[index], shared, depth);
            match &signature.args[index] {
                Arg::Of(T::Int64) if TRUNCATING.contains(&function.name) => {
                    format!("MOD({arg}, 3000)")
                }
                _ => arg,
            }
        });
        args.collect()
    }

    fn arg(
        &mut self,
        function: &Function,
        index: usize,
        arg: &'static Arg,
        shared: T,
        depth: usize,
    ) -> String {
        let special = samples::special(function.name, index, arg);
        if let Some(list) = special
            && (samples::is_literal(arg) || !self.choices.rarely(4))
        {
            return self.choices.pick(list).to_owned();
        }
        match arg {
            Arg::Of(ty) => self.expr(Ty::Of(*ty), depth),
            Arg::ArrayOf(ty) => self.expr(Ty::Array(*ty), depth),
            Arg::Any | Arg::Orderable => self.expr(Ty::Of(shared), depth),
            Arg::AnyConstant => match self.literal(Ty::Of(shared)) {
                text if text.contains("CAST") => "NULL".to_owned(),
                text => text,
            },
            Arg::AnyArray | Arg::ArrayOfAny => self.expr(Ty::Array(shared), depth),
            Arg::Free | Arg::FreeOrderable => {
                let ty = self.any_orderable();
                self.expr(Ty::Of(ty), depth)
            }
            _ => {
                let list = samples::of(function, index, arg);
                list[self.choices.below(list.len())].clone()
            }
        }
    }
}
