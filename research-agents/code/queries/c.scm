(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(enumerator name: (identifier) @name) @def.variable
(type_definition declarator: (type_identifier) @name) @def.type
(preproc_def name: (identifier) @name) @def.variable
(preproc_function_def name: (identifier) @name) @def.function
(field_declaration declarator: (field_identifier) @name) @def.variable
(declaration declarator: (init_declarator declarator: (identifier) @name)) @def.global
(declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @def.global
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @def.global
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)))) @def.global
(declaration declarator: (array_declarator declarator: (identifier) @name)) @def.global
(declaration declarator: (identifier) @name) @def.global
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @def.variable
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @def.variable

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))

(type_identifier) @type

(string_content) @key
