(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (identifier) @name) @def.class
(method_definition name: (property_identifier) @name) @def.method
(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])) @def.function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)))
(program (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))
(field_definition property: (property_identifier) @name) @def.variable
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name) right: (assignment_expression right: [(arrow_function) (function_expression)])) @def.function
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name) right: [(arrow_function) (function_expression)]) @def.function
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @owner) property: (property_identifier) @name) right: [(arrow_function) (function_expression)]) @def.function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @def.function

(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (property_identifier) @call))

(import_specifier name: (identifier) @import)
(import_clause (identifier) @import)
(namespace_import (identifier) @import)

(class_declaration name: (identifier) @implementor (class_heritage (identifier) @trait))
(class_declaration name: (identifier) @implementor (class_heritage (member_expression property: (property_identifier) @trait)))

(string_fragment) @key
