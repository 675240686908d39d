//! Pieces of SQL with the values of their parameters.

use rusqlite::types::Value;

/// A piece of SQL whose `?` marks stand for the values, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sql {
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

impl Sql {
    /// Creates a piece without parameters.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), values: Vec::new() }
    }

    /// Adds text without parameters.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Adds a parameter.
    pub(crate) fn value(mut self, value: impl Into<Value>) -> Self {
        self.text.push('?');
        self.values.push(value.into());
        self
    }

    /// Adds a list of parameters in parentheses.
    pub(crate) fn list(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        let before = self.values.len();
        self.values.extend(values);
        let marks = vec!["?"; self.values.len() - before].join(",");
        self.text.push_str(&format!("({marks})"));
        self
    }

    /// Adds another piece.
    pub(crate) fn sql(mut self, other: Self) -> Self {
        self.text.push_str(&other.text);
        self.values.extend(other.values);
        self
    }
}

/// Joins conditions by `AND` or `OR`; none of them are the truth value that changes nothing.
///
/// SQLite refuses deep expressions, and a chain of a thousand conditions is one, so they are joined as a balanced tree.
pub(crate) fn joined(mut pieces: Vec<Sql>, word: &str) -> Sql {
    match pieces.len() {
        0 => Sql::new(if word == "AND" { "1" } else { "0" }),
        1 => pieces.remove(0),
        count => {
            let right = joined(pieces.split_off(count / 2), word);
            Sql::new("(").sql(joined(pieces, word)).text(&format!(" {word} ")).sql(right).text(")")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_values_in_order() {
        let sql = Sql::new("a = ").value(1_i64).sql(Sql::new(" AND b IN ").list(["x".to_owned().into(), Value::Null]));
        assert_eq!(sql.text, "a = ? AND b IN (?,?)");
        assert_eq!(sql.values, [Value::Integer(1), Value::Text("x".to_owned()), Value::Null]);
    }

    #[test]
    fn many_conditions_make_no_deep_expression() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let many = joined((0..5_000_i64).map(|at| Sql::new("1 <> ").value(at + 2)).collect(), "AND");
        let params = rusqlite::params_from_iter(many.values);
        assert!(connection.query_one(&format!("SELECT {}", many.text), params, |row| row.get::<_, bool>(0)).unwrap());
        assert_eq!((joined(vec![], "AND").text, joined(vec![], "OR").text), ("1".to_owned(), "0".to_owned()));
    }
}
