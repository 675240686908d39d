(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_constant name: (identifier) @name) @def.variable
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.variable
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.variable

(method_invocation name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type (type_identifier) @call))
(annotation name: (identifier) @call)
(marker_annotation name: (identifier) @call)

(import_declaration (scoped_identifier name: (identifier) @import))

(type_identifier) @type

(class_declaration name: (identifier) @implementor (superclass (type_identifier) @trait))
(class_declaration name: (identifier) @implementor (superclass (generic_type (type_identifier) @trait)))
(class_declaration name: (identifier) @implementor (super_interfaces (type_list (type_identifier) @trait)))
(class_declaration name: (identifier) @implementor (super_interfaces (type_list (generic_type (type_identifier) @trait))))
(interface_declaration name: (identifier) @implementor (extends_interfaces (type_list (type_identifier) @trait)))
(enum_declaration name: (identifier) @implementor (super_interfaces (type_list (type_identifier) @trait)))
(record_declaration name: (identifier) @implementor (super_interfaces (type_list (type_identifier) @trait)))

(string_fragment) @key
