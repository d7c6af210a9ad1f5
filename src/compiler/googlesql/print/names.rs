//! What every range variable is called in the printed text.
//!
//! The IR knows FROM items by id, the text by name. Each gets a name that nothing else in the whole text
//! has: no other range, no CTE, no column or field that a FROM item brings into scope, no output column
//! and no part of a table's name. So whatever rule an engine has for a name with two meanings, it never
//! applies.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::ir::visit::{Visit, walk_from, walk_query, walk_select};
use crate::compiler::ir::{From, Query, RangeId, Select, Source, Statement, StreamName, Type};

use super::keys::key_column;

/// The names of one statement.
pub(super) struct Names {
    ranges: BTreeMap<RangeId, String>,
    offsets: BTreeMap<RangeId, String>,
    /// Every name in use, in lower case, because case does not tell names apart.
    taken: BTreeSet<String>,
}

impl Names {
    /// Names the ranges of a statement: the first one of a name keeps it, unless something else has it.
    pub(super) fn of(statement: &Statement, tables: &BTreeMap<StreamName, String>) -> Self {
        let mut taken = Taken(BTreeSet::new());
        for cte in &statement.ctes {
            taken.add(cte.name.as_str());
            taken.query(&cte.query);
        }
        taken.query(&statement.query);
        for part in tables.values().flat_map(|table| table.split('.')) {
            taken.add(part);
        }
        let mut names = Names {
            ranges: BTreeMap::new(),
            offsets: BTreeMap::new(),
            taken: taken.0,
        };
        for cte in &statement.ctes {
            names.query(&cte.query);
        }
        names.query(&statement.query);
        names
    }

    /// Returns a name that nothing has yet, as near to the wanted one as can be.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut count = 1;
        while !self.taken.insert(name.to_ascii_lowercase()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        name
    }

    /// Returns the name of a range.
    pub(super) fn range(&self, id: RangeId) -> Cow<'_, str> {
        match self.ranges.get(&id) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("range_{}", id.0)),
        }
    }

    /// Returns the name of a range's WITH OFFSET column.
    pub(super) fn offset(&self, id: RangeId) -> Cow<'_, str> {
        match self.offsets.get(&id) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("offset_{}", id.0)),
        }
    }

    fn name_range(&mut self, id: RangeId, wanted: &str) {
        if !self.ranges.contains_key(&id) {
            let name = self.fresh(wanted);
            self.ranges.insert(id, name);
        }
    }
}

impl Visit for Names {
    fn from(&mut self, from: &From) {
        match from {
            From::Table(table) => self.name_range(table.range, table.name.as_str()),
            From::Derived {
                range,
                name,
                query: _,
            } => self.name_range(*range, name.as_str()),
            From::Unnest(unnest) => {
                self.name_range(unnest.range, unnest.name.as_str());
                if let Some(offset) = &unnest.offset
                    && !self.offsets.contains_key(&unnest.range)
                {
                    let name = self.fresh(offset.as_str());
                    self.offsets.insert(unnest.range, name);
                }
            }
            From::Join(_) | From::Filtered { .. } => {}
        }
        walk_from(self, from);
    }
}

/// Collects what a range must not be called.
struct Taken(BTreeSet<String>);

impl Taken {
    fn add(&mut self, name: &str) {
        // Most names come up often, and in lower case.
        if !self.0.contains(name) {
            self.0.insert(name.to_ascii_lowercase());
        }
    }
}

impl Visit for Taken {
    fn query(&mut self, query: &Query) {
        for name in query.names() {
            self.add(name.as_str());
        }
        walk_query(self, query);
    }

    fn select(&mut self, select: &Select) {
        let keys = select.group_by.as_ref().map_or(0, |by| by.keys.len());
        for index in 0..keys {
            self.add(&key_column(index));
        }
        walk_select(self, select);
    }

    fn from(&mut self, from: &From) {
        match from {
            From::Table(table) => {
                for column in &table.columns {
                    self.add(column.name.as_str());
                }
                if let Source::Stream(stream) = &table.source {
                    self.add(stream.as_str());
                }
            }
            From::Unnest(unnest) => {
                let fields = unnest.array.ty.element().and_then(Type::fields);
                for name in fields.into_iter().flatten().filter_map(|f| f.name.as_ref()) {
                    self.add(name.as_str());
                }
            }
            // The visit of its query adds the columns.
            From::Derived { .. } | From::Join(_) | From::Filtered { .. } => {}
        }
        walk_from(self, from);
    }
}
