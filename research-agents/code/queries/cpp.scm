(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @def.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name))) @def.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @def.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def.function
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @def.method
(class_specifier name: (type_identifier) @name body: (_)) @def.class
(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(enumerator name: (identifier) @name) @def.variable
(namespace_definition name: (namespace_identifier) @name) @def.module
(type_definition declarator: (type_identifier) @name) @def.type
(alias_declaration name: (type_identifier) @name) @def.type
(preproc_def name: (identifier) @name) @def.variable
(preproc_function_def name: (identifier) @name) @def.function
(field_declaration declarator: (field_identifier) @name) @def.variable
(declaration declarator: (init_declarator declarator: (identifier) @name)) @def.global
(declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @def.global
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @def.global
(declaration declarator: (identifier) @name) @def.global
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @def.variable
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @def.variable
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @def.method
(field_declaration declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @def.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @def.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @def.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name)))) @def.method
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name))))) @def.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name)))) @def.method
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (qualified_identifier name: (identifier) @call))
(call_expression function: (template_function name: (identifier) @call))
(new_expression type: (type_identifier) @call)

(using_declaration (qualified_identifier name: (identifier) @import))

(type_identifier) @type

(class_specifier name: (type_identifier) @implementor (base_class_clause (type_identifier) @trait))
(struct_specifier name: (type_identifier) @implementor (base_class_clause (type_identifier) @trait))
(class_specifier name: (type_identifier) @implementor (base_class_clause (qualified_identifier name: (type_identifier) @trait)))

(string_content) @key
