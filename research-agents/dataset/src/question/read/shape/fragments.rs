//! Settles what questions without a verb ask for: `height of lincoln`, `calories in a whopper`.

use crate::data::task::FieldKind;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;

impl Reader<'_, '_, '_> {
    /// Returns whether a question may name what a field counts: it does not list or rank records.
    pub(crate) fn names_what_is_counted(&self, opener: usize) -> bool {
        let lists = [Role::Which, Role::Who, Role::Where, Role::When, Role::Show];
        self.asked.which.is_none()
            && self.asked.share.is_none()
            && self.out.wanted.is_empty()
            && !self.has_any(opener, &lists)
    }

    /// Returns whether a number is wanted of the one record that is named.
    pub(crate) fn asks_number_of_record(&self) -> bool {
        let is_number = |name: &String| self.field_named(name).is_some_and(|f| self.is_quantity(f));
        let is_name = |name: &String| {
            let field = self.field_named(name);
            field.is_some_and(|field| self.schema.record_name() == Some(field))
        };
        let filters = &self.out.filters;
        !self.out.wanted.is_empty()
            && self.out.wanted.iter().all(is_number)
            && !filters.is_empty()
            && filters
                .iter()
                .all(|(name, value)| is_name(name) && Self::is_single(value))
    }

    /// Returns the field of texts that a question without a verb opens with, if it has conditions:
    /// `address of the chargers at Turtle Bay`.
    pub(crate) fn text_of_selected(&self, opener: usize) -> Option<usize> {
        let item = self.items.get(opener)?;
        let best = item.fields.first().filter(|best| best.is_full)?;
        let is_text = self.kind(best.field) == FieldKind::Text && item.roles.is_empty();
        let is_owned = self.has(opener + 1, Role::Of) && !self.breaks(opener + 1);
        let has_conditions = !self.out.filters.is_empty() || !self.out.search.is_empty();
        let is_free = self.asked.functions.is_empty() && self.out.group_by.is_empty();
        (is_text && is_owned && has_conditions && is_free).then_some(best.field)
    }

    /// Returns the number that is asked of the records whose name has a word, where no function of
    /// it is asked for: `calories in a whopper`.
    pub(crate) fn number_of_some_named(&self) -> Option<usize> {
        let [measure] = self.out.measures.as_slice() else {
            return None;
        };
        let name = self
            .schema
            .record_name()
            .or_else(|| self.schema.name_field())?;
        let mut filters = self.out.filters.iter();
        let (Some((field, value)), None) = (filters.next(), filters.next()) else {
            return None;
        };
        let is_named = *field == self.name(name) && value.get("contains").is_some();
        let says_none = self.asked.functions.is_empty() && self.out.group_by.is_empty();
        let asks_total = (0..self.len()).any(|at| self.has_any(at, &[Role::Sum, Role::Mean]));
        let number = self.field_named(&measure.field)?;
        (is_named && says_none && !asks_total).then_some(number)
    }

    /// Lists a field of the records, in place of what was measured.
    pub(crate) fn list_field(&mut self, field: usize, opener: usize) {
        self.out.measures.clear();
        self.want(field);
        self.settle_list(opener);
    }
}
