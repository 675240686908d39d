(function_declaration name: (identifier) @name) @def.function
(function_signature name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(internal_module name: (identifier) @name) @def.module
(module name: (identifier) @name) @def.module
(method_definition name: (property_identifier) @name) @def.method
(method_signature name: (property_identifier) @name) @def.method
(abstract_method_signature name: (property_identifier) @name) @def.method
(lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])) @def.function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)))
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name) right: (assignment_expression right: [(arrow_function) (function_expression)])) @def.function
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name) right: [(arrow_function) (function_expression)]) @def.function
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @owner) property: (property_identifier) @name) right: [(arrow_function) (function_expression)]) @def.function
(public_field_definition name: (property_identifier) @name) @def.variable
(property_signature name: (property_identifier) @name) @def.variable

(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (property_identifier) @call))

(import_specifier name: (identifier) @import)
(import_clause (identifier) @import)
(namespace_import (identifier) @import)

(type_identifier) @type

(class_declaration name: (type_identifier) @implementor (class_heritage (extends_clause value: (identifier) @trait)))
(class_declaration name: (type_identifier) @implementor (class_heritage (implements_clause (type_identifier) @trait)))
(class_declaration name: (type_identifier) @implementor (class_heritage (implements_clause (generic_type name: (type_identifier) @trait))))
(abstract_class_declaration name: (type_identifier) @implementor (class_heritage (extends_clause value: (identifier) @trait)))
(abstract_class_declaration name: (type_identifier) @implementor (class_heritage (implements_clause (type_identifier) @trait)))
(interface_declaration name: (type_identifier) @implementor (extends_type_clause type: (type_identifier) @trait))

(string_fragment) @key
