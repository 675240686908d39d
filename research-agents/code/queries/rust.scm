; Definitions: the whole item, and its name.
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(enum_variant name: (identifier) @name) @def.variable
(union_item name: (type_identifier) @name) @def.struct
(type_item name: (type_identifier) @name) @def.type
(trait_item name: (type_identifier) @name) @def.trait
(mod_item name: (identifier) @name) @def.module
(const_item name: (identifier) @name) @def.variable
(static_item name: (identifier) @name) @def.variable
(macro_definition name: (identifier) @name) @def.function
(field_declaration name: (field_identifier) @name) @def.variable
(associated_type name: (type_identifier) @name) @def.type
(impl_item type: (_) @name) @def.impl

; Calls.
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @call)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @call)))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier name: (identifier) @call))

; Imports.
(use_declaration argument: (identifier) @import)
(use_declaration argument: (scoped_identifier name: (identifier) @import))
(use_list (identifier) @import)
(use_list (scoped_identifier name: (identifier) @import))
(use_as_clause path: (identifier) @import)
(use_as_clause path: (scoped_identifier name: (identifier) @import))

; Types.
(type_identifier) @type

; Implementations.
(impl_item trait: (type_identifier) @trait type: (_) @implementor)
(impl_item trait: (generic_type type: (type_identifier) @trait) type: (_) @implementor)
(impl_item trait: (scoped_type_identifier name: (type_identifier) @trait) type: (_) @implementor)
(impl_item trait: (generic_type type: (scoped_type_identifier name: (type_identifier) @trait)) type: (_) @implementor)

; Strings that may be keys.
(string_content) @key
