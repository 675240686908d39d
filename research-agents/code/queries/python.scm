(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(module (expression_statement (assignment left: (identifier) @name) @def.variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @def.variable)))

(module (if_statement consequence: (block (expression_statement (assignment left: (identifier) @name) @def.variable))))
(module (try_statement body: (block (expression_statement (assignment left: (identifier) @name) @def.variable))))

(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(decorator (identifier) @call)
(decorator (attribute attribute: (identifier) @call))

(import_statement name: (dotted_name (identifier) @import))
(import_statement name: (aliased_import name: (dotted_name (identifier) @import)))
(import_from_statement module_name: (dotted_name (identifier) @import))
(import_from_statement name: (dotted_name (identifier) @import))
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @import)))

(type (identifier) @type)
(type (attribute attribute: (identifier) @type))
(type (generic_type (identifier) @type))

(class_definition name: (identifier) @implementor superclasses: (argument_list (identifier) @trait))
(class_definition name: (identifier) @implementor superclasses: (argument_list (subscript value: (identifier) @trait)))
(class_definition name: (identifier) @implementor superclasses: (argument_list (subscript value: (attribute attribute: (identifier) @trait))))
(class_definition name: (identifier) @implementor superclasses: (argument_list (attribute attribute: (identifier) @trait)))

(string_content) @key
