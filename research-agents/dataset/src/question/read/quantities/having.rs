//! Reads bounds on groups: *countries with more than 20 storms*, *teams that scored more than 80*.

use crate::question::read::quantities::figure::Figure;
use crate::question::read::reader::Reader;
use crate::question::reading::{Having, Sign};

impl Reader<'_, '_, '_> {
    /// Reads `which regions have a mean health above 75`: a condition on a measure of each group.
    pub(super) fn read_having(&mut self, field: usize, sign: Sign, number: f64) -> bool {
        let name = self.name(field);
        let measure = self
            .out
            .measures
            .iter()
            .position(|measure| measure.field == name);
        measure.is_some() && self.group_by_which() && {
            self.out.having = Some(Having {
                said: String::new(),
                measure,
                sign,
                number,
            });
            true
        }
    }

    /// Reads `which genres have more than 100 films`: a condition on the number of records.
    pub(super) fn read_having_count(&mut self, figure: &Figure, sign: Sign) -> bool {
        self.group_by_which() && {
            self.out.having = Some(Having {
                said: self.said(figure.start, figure.end + 1).to_owned(),
                measure: None,
                sign,
                number: figure.low,
            });
            true
        }
    }

    /// Groups by the category that a question word asks for, unless groups were read. Returns
    /// whether there are groups.
    fn group_by_which(&mut self) -> bool {
        if self.out.group_by.is_empty()
            && let Some(which) = self.asked.which
            && self.is_groupable(which)
            && !self.schema.is_unique(which)
        {
            self.add_group(which);
        }
        !self.out.group_by.is_empty()
    }
}
