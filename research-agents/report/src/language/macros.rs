//! The macro that declares the phrases of a system.

/// Declares the phrases of a system: its name in the program, its key in the
/// [`Catalogue`](crate::language::Catalogue), and its variables.
///
/// ```
/// use research_agents_report::language::{Catalogue, Language, phrases};
///
/// static CATALOGUE: Catalogue = Catalogue::new(&[
///     ("en", "greeting = Hello, { $name }!"),
///     ("de", "greeting = Hallo, { $name }!"),
/// ]);
///
/// phrases! {
///     /// What the program says.
///     enum Phrase<'a> in CATALOGUE {
///         Greeting = "greeting" { name: &'a str };
///     }
/// }
///
/// let german: Language = "de".parse()?;
/// assert_eq!(german.say(Phrase::Greeting { name: "Ada" }), "Hallo, Ada!");
/// # Ok::<(), research_agents_report::language::UnknownLanguage>(())
/// ```
#[macro_export]
macro_rules! phrases {
    ($(#[$attribute:meta])*
    $visibility:vis enum $Phrase:ident $(<$a:lifetime>)? in $catalogue:ident {
        $($name:ident = $key:literal $({ $($variable:ident: $kind:ty),* })?;)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        $visibility enum $Phrase $(<$a>)? {
            $($name $({ $($variable: $kind),* })?,)*
        }

        impl $(<$a>)? $crate::language::Say for $Phrase $(<$a>)? {
            fn catalogue(&self) -> &'static $crate::language::Catalogue {
                &$catalogue
            }

            fn key(&self) -> &'static str {
                match self {
                    $(Self::$name $({ $($variable: _),* })? => $key,)*
                }
            }

            fn arguments(&self) -> $crate::language::FluentArgs<'_> {
                let mut arguments = $crate::language::FluentArgs::new();
                match *self {
                    $(Self::$name $({ $($variable),* })? => {
                        $($(arguments.set(stringify!($variable), $variable);)*)?
                    })*
                }
                arguments
            }
        }

        impl $(<$a>)? $Phrase $(<$a>)? {
            /// The key of every phrase, with its variables.
            #[cfg(test)]
            pub(crate) const ALL: &'static [(&'static str, &'static [&'static str])] =
                &[$(($key, &[$($(stringify!($variable)),*)?])),*];
        }
    };
}
