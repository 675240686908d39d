(function_definition name: (name) @name) @def.function
(method_declaration name: (name) @name) @def.method
(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.trait
(enum_declaration name: (name) @name) @def.enum
(enum_case name: (name) @name) @def.variable
(const_element (name) @name) @def.variable
(property_element name: (variable_name (name) @name)) @def.variable
(namespace_definition name: (namespace_name (name) @name)) @def.module

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call))
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression (name) @call)
(object_creation_expression (qualified_name (name) @call))

(namespace_use_clause (name) @import)
(namespace_use_clause (qualified_name (name) @import))

(named_type (name) @type)
(named_type (qualified_name (name) @type))

(class_declaration name: (name) @implementor (base_clause (name) @trait))
(class_declaration name: (name) @implementor (class_interface_clause (name) @trait))
(interface_declaration name: (name) @implementor (base_clause (name) @trait))

(string_content) @key
