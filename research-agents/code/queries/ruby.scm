(method name: (identifier) @name) @def.method
(method name: (setter (identifier) @name)) @def.method
(singleton_method name: (identifier) @name) @def.method
(class name: (constant) @name) @def.class
(class name: (scope_resolution name: (constant) @name)) @def.class
(module name: (constant) @name) @def.module
(module name: (scope_resolution name: (constant) @name)) @def.module
(assignment left: (constant) @name) @def.variable

(call method: (identifier) @call)
(call method: (constant) @call)

(class name: (constant) @implementor superclass: (superclass (constant) @trait))
(class name: (constant) @implementor superclass: (superclass (scope_resolution name: (constant) @trait)))

(constant) @type

(string_content) @key
