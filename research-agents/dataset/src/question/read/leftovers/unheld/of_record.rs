//! Notes what is asked of one record and that no field holds: *the president of Kenya*.

use serde_json::Value;

use crate::question::read::functions::totals::RECORDS;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::AnswerShape;

impl Reader<'_, '_, '_> {
    /// Notes that nothing says a price, where *how much* asks for one in a word: *quanto costa*.
    pub(crate) fn settle_unheld_price(&mut self) {
        let of_price = |token: &Token<'_>| {
            let named = concepts().of(&token.lower, &token.stem, &token.own_stem);
            named.contains(&"price")
        };
        let asks = (0..self.len()).find(|at| {
            let item = &self.items[*at];
            let mut tokens = self.tokens[item.start..item.end].iter();
            item.has(Role::HowMuch) && item.end > item.start + 1 && tokens.any(of_price)
        });
        let Some(at) = asks.filter(|_| self.schema.with_concept("price").is_empty()) else {
            return;
        };
        let said = self.said(at, at + 1).to_owned();
        if self.out.measures.is_empty() && !self.asked.unheld.contains(&said) {
            self.refused(&said, "no field says it");
            self.asked.unheld.push(said);
        }
    }

    /// Notes the noun of `gdp of Norway` and `the president of Kenya`, which no field holds.
    pub(crate) fn settle_unheld_of_record(&mut self) {
        let is_open_shape = matches!(
            self.out.answer,
            AnswerShape::List | AnswerShape::Overview | AnswerShape::Groups
        );
        let is_named = |name: &String| {
            let field = self.field_named(name);
            field.is_some_and(|field| self.schema.record_name() == Some(field))
        };
        let is_asked = self.out.wanted.iter().all(is_named) && self.out.mentioned.is_empty();
        if !is_open_shape || !is_asked {
            return;
        }

        let selects_one = self.selects_one_record();
        let noun = (0..self.len()).find(|at| {
            let item = &self.items[*at];
            let is_noun = item.roles.is_empty()
                && item.fields.is_empty()
                && item.values.is_empty()
                && item.number.is_none()
                && !self.is_name(*at)
                && !self.breaks(at + 1);
            is_noun && (selects_one && self.is_linked(*at) || self.is_one_of_value(*at))
        });
        if let Some(noun) = noun {
            let said = self.said(noun, noun + 1).to_owned();
            self.asked.unheld.push(said);
        }
    }

    /// Returns whether the records with a name are selected, as where a person has several.
    pub(crate) fn selects_a_name(&self) -> bool {
        let name = self
            .schema
            .record_name()
            .or_else(|| self.schema.name_field());
        let value = name.and_then(|name| self.out.filters.get(self.name(name)));
        value.is_some_and(|value| Self::is_single(value) || value.get("contains").is_some())
    }

    /// Returns whether a noun is followed by what it belongs to.
    fn is_linked(&self, noun: usize) -> bool {
        let links = [Role::Of, Role::In, Role::By];
        let place = self.skip_roles(noun + 1, &[Role::Stop]);
        self.has_any(noun + 1, &links) || self.has_any(place, &links)
    }

    /// Returns whether a noun is the one thing that a value has, as *the coach of the Patriots*,
    /// and not the records with that value, as *movies of 1994*.
    fn is_one_of_value(&self, noun: usize) -> bool {
        let opening = self.before(noun);
        let is_asked =
            opening.is_none_or(|at| self.has_any(at, &[Role::Who, Role::What, Role::Is]));
        // Plurals of German and Italian do not tell.
        let is_singular = matches!(self.vocabulary.code, "en" | "fr" | "es" | "pt")
            && !self.lower(noun).ends_with(['s', 'x']);
        let value = self.skip_roles(noun + 1, &[Role::Of, Role::Stop]);
        let is_value = self.items.get(value).is_some_and(|item| {
            let is_filter = self.asked.filter_items.iter().any(|(at, _)| *at == value);
            is_filter && !item.values.is_empty() && item.number.is_none()
        });
        self.has(noun + 1, Role::Of) && is_asked && is_singular && is_value
    }

    /// Notes the noun of *who was the referee when Chelsea hosted Arsenal*, which no field holds.
    pub(crate) fn settle_unheld_person(&mut self) {
        const LINKS: &[Role] = &[
            Role::When,
            Role::Of,
            Role::In,
            Role::From,
            Role::Before,
            Role::After,
            Role::About,
        ];
        let is_open_shape = matches!(
            self.out.answer,
            AnswerShape::List
                | AnswerShape::Overview
                | AnswerShape::Groups
                | AnswerShape::TopGroup
                | AnswerShape::Compare
        );
        let opening = self.opener();
        let verb = opening + usize::from(self.has(opening + 1, Role::Is));
        let asks_who_is = self
            .said(verb, verb + 1)
            .to_lowercase()
            .split(' ')
            .any(|word| matches!(word, "is" | "was" | "who's"));
        let is_asked = self.has(opening, Role::Who) && asks_who_is;
        if !is_asked || !is_open_shape || self.asked.superlative.is_some() {
            return;
        }

        let noun = self.skip_roles(verb + 1, &[Role::Stop]);
        let is_linked = noun + 1 == self.len() || self.has_any(noun + 1, LINKS);
        let is_one = self.vocabulary.code == "en" && !self.lower(noun).ends_with('s');
        let is_noun = self.items.get(noun).is_some_and(|item| {
            item.roles.is_empty() && item.fields.is_empty() && item.values.is_empty()
        });
        if is_noun && is_one && is_linked && !self.is_name(noun) && !self.is_of_people(noun) {
            let said = self.said(noun, noun + 1).to_owned();
            self.asked.unheld.push(said);
        }
    }

    /// Reads a count of what one record has: `How many inhabitants does Kenya have?` asks for a
    /// field, and `How many copies did Thriller sell?` for what no field holds.
    pub(crate) fn settle_one_record(&mut self) {
        let opening = self
            .asked
            .opening
            .filter(|at| self.has_any(*at, &[Role::HowMany, Role::HowMuch]));
        let is_count = self.out.answer == AnswerShape::Count && self.out.search.is_empty();
        let Some(opening) = opening.filter(|_| is_count && self.selects_one_record()) else {
            return;
        };

        let mentioned = std::mem::take(&mut self.out.mentioned);
        let (quantities, others): (Vec<String>, Vec<String>) =
            mentioned.into_iter().partition(|name| {
                let field = self.field_named(name);
                field.is_some_and(|field| self.is_quantity(field))
            });
        self.out.mentioned = others;
        if !quantities.is_empty() {
            self.out.wanted.extend(quantities);
            self.out.answer = AnswerShape::List;
            return self.want_name();
        }

        let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
        // Texts, such as the names of members, are not how many there are.
        let is_noun = self.items.get(noun).is_some_and(|item| {
            let mut fields = item.fields.iter();
            let is_held = fields.any(|found| self.is_number(found.field));
            let is_record = RECORDS.contains(&self.lower(noun));
            let is_generic = item.has(Role::Generic) && (is_record || !self.ends_with_have());
            !is_held && item.values.is_empty() && !is_generic
        });
        if is_noun && !self.breaks(noun) && !self.is_name(noun) {
            let said = self.said(noun, noun + 1).to_owned();
            self.asked.unheld.push(said);
            self.out.answer = AnswerShape::List;
            self.want_name();
        }
    }

    /// Returns whether the filters name one record by a value that no other has.
    pub(crate) fn selects_one_record(&self) -> bool {
        let is_one = |name: &String, value: &Value| {
            let Some(field) = self.field_named(name) else {
                return false;
            };
            let found = self
                .found
                .entries
                .iter()
                .flat_map(|entry| &entry.candidates);
            let mut own = found.filter(|one| one.field == *name && one.value == *value);
            let is_rare = own.any(|one| one.doc_count == 1);
            let is_unique = self.schema.is_unique(field) && !self.is_number(field);
            Self::is_single(value) && (is_unique || is_rare)
        };
        let filters = &self.out.filters;
        filters.iter().any(|(name, value)| is_one(name, value))
            && filters.values().all(Self::is_single)
    }

    /// Returns whether the question counts what one record has, as *How many employees does Toyota
    /// have?*
    pub(crate) fn counts_what_a_record_has(&self) -> bool {
        let Some(opening) = self.asked.opening.filter(|at| self.has(*at, Role::HowMany)) else {
            return false;
        };
        let Some(noun) = self.foreign_noun(opening) else {
            return false;
        };
        self.ends_with_have()
            && self.has(noun + 1, Role::Is)
            && self.out.answer == AnswerShape::Count
    }

    /// Returns whether a question ends like *how many members does it have*.
    fn ends_with_have(&self) -> bool {
        let last = self.len().checked_sub(1);
        last.is_some_and(|last| {
            matches!(
                self.lower(last),
                "have" | "has" | "had" | "own" | "owns" | "employ" | "employs"
            )
        })
    }

    /// Returns whether nothing was found that a question asks of its records.
    pub(crate) fn gets_whole_record(&self) -> bool {
        let names = [self.schema.record_name(), self.schema.name_field()];
        let is_name = |wanted: &String| names.contains(&self.field_named(wanted));
        self.out.wanted.iter().all(is_name)
            && self.out.mentioned.is_empty()
            && self.out.measures.is_empty()
    }

    /// Notes the name of *what is the name of the oldest bride*, where records have numbers only.
    pub(crate) fn settle_unheld_name(&mut self) {
        let name = (0..self.len().min(5)).find(|at| {
            let is_name = matches!(self.lower(*at), "name" | "names");
            is_name && self.items[*at].fields.is_empty() && self.has(at + 1, Role::Of)
        });
        let is_number = self.schema.record_name().is_some_and(|field| {
            let last = self.field(field).words.last();
            last.is_some_and(|word| matches!(word.lower.as_str(), "id" | "no" | "nr" | "number"))
        });
        let is_record = matches!(self.out.answer, AnswerShape::Record | AnswerShape::List);
        if let Some(name) = name.filter(|_| is_number && is_record) {
            let said = self.said(name, name + 1).to_owned();
            self.asked.unheld.push(said);
        }
    }
}
