(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.variable
(delegate_declaration name: (identifier) @name) @def.type
(namespace_declaration name: (identifier) @name) @def.module
(method_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.method
(property_declaration name: (identifier) @name) @def.variable
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.variable
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.variable

(invocation_expression function: (identifier) @call)
(invocation_expression function: (member_access_expression name: (identifier) @call))
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @call)))
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name (identifier) @call))
(attribute name: (identifier) @call)

(using_directive (identifier) @import)
(using_directive (qualified_name name: (identifier) @import))

(variable_declaration type: (identifier) @type)
(parameter type: (identifier) @type)
(method_declaration returns: (identifier) @type)
(property_declaration type: (identifier) @type)
(type_argument_list (identifier) @type)
(cast_expression type: (identifier) @type)

(class_declaration name: (identifier) @implementor (base_list (identifier) @trait))
(class_declaration name: (identifier) @implementor (base_list (generic_name (identifier) @trait)))
(struct_declaration name: (identifier) @implementor (base_list (identifier) @trait))
(interface_declaration name: (identifier) @implementor (base_list (identifier) @trait))
(record_declaration name: (identifier) @implementor (base_list (identifier) @trait))

(string_literal_content) @key
