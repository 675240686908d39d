# Los textos del programa en los informes. Lo que está entre llaves lo completa el programa.

## Líneas del informe

no-finding = Los datos no respaldan ningún hallazgo.
sub-question = Subpregunta { $id }
first-of = los primeros { $read } de { $total } registros
coverage = Cobertura: { $parts }. Confianza: { $confidence }.
coverage-computed = Cobertura: calculado por la fuente de datos sobre los { $total } registros que coinciden. Confianza: { $confidence }.
confidence =
    { $number } ({ $band ->
        [high] alta
        [low] baja
       *[medium] media
    }): { $why }
by-all = se contaron y leyeron todos los registros que coinciden
by-amount = una medida de cuánto se contó, se leyó y se halló
by-answer = en qué medida se responde la pregunta planteada
by-review = una revisión de lo bien que los hallazgos responden a las preguntas
by-estimate = una estimación, pues no se contó ni se leyó nada
nothing-read = no se leyó ningún registro
nothing-matches = ningún registro coincide
read-unknown =
    { $read ->
        [one] { $read } registro leído
       *[other] { $read } registros leídos
    }, { $how }; no se sabe cuántos coinciden
read-all =
    { $total ->
        [one] { $read } de { $total } registro leído
       *[other] { $read } de { $total } registros leídos
    }
read-part = { $read } de { $total } registros leídos ({ $share } %), { $how }
tool-order = en el orden de la herramienta
first-in-order = los primeros { $first } { $order }
samples-of-each = hasta { $each } por cada { $by }
samples-of-some = hasta { $each } de cada uno de { $groups } grupos por { $by }
gave-way = { $words }, otros { $count } cedieron su lugar a otros más nuevos sin leerse
among = entre { $read }
all-of = los { $total } registros
part-of = { $read } de { $total } registros
first-read =
    { $read ->
        [one] el primer registro
       *[other] los primeros { $read } registros
    }
some-read =
    { $read ->
        [one] { $read } registro
       *[other] { $read } registros
    }
samples-of = { $samples } de { $total } registros
of-tool = { $words } de { $tool }
both = { $first } y { $second }
read-limit = { $words }, límite de lectura { $limit }
records-cut = de { $count } de ellos solo los primeros { $most } caracteres

## Limitaciones

author =
    El modelo de lenguaje { $model } redactó este informe ({ $calls ->
        [one] { $calls } llamada
       *[other] { $calls } llamadas
    }, { $input } tokens leídos, { $output } escritos); el programa comprobó con los datos cada frase que lleva referencia, y no las demás.
offline-english = El modelo sin conexión solo escribe en inglés; un modelo de lenguaje redactaría este informe en { $language }.
holds-for-these = { $words }: lo que se deduce de los registros solo vale para estos.
ended-early = La lectura terminó antes de tiempo: { $reason }.
run-note = Nota del programa (en inglés): { $note }
further-notes =
    { $count ->
        [one] { $count } nota más no se incluye.
       *[other] { $count } notas más no se incluyen.
    }
withheld =
    { $count ->
        [one] Se descartó { $count } frase redactada
       *[other] Se descartaron { $count } frases redactadas
    } por falta de pruebas: { $reasons }.
listed-by-program = No se pudo verificar ningún hallazgo redactado por el modelo; los hallazgos principales los enumeró el programa.
not-drafted = el modelo no pudo redactar el informe ({ $error }); se enumera lo que se reunió

## Por qué se descartan frases

flaw-number = { $count } con un número que los datos no dan
flaw-quote = { $count } con una cita que no está en su fuente
flaw-citation = { $count } con una referencia que no lleva a nada
flaw-words = { $count } con palabras que sus pruebas no sostienen
flaw-key = { $count } con lo que parece una clave de acceso
flaw-no-evidence = { $count } sin pruebas

## Datos

records-of =
    { $count ->
        [one] { $count } registro
       *[other] { $count } registros
    } de { $tool }
where = { $what } donde { $filters }
and = { $first } y { $second }
one-of = { $field } es uno de { $values }
empty = { $field } está vacío
grouped-by = { $what }, por { $field }: { $groups }
over-time-by = { $what }, en el tiempo según { $field }: { $groups }
contains = { $field } contiene «{ $text }»
lacks = { $field } no contiene «{ $text }»
text-contains = un texto contiene «{ $text }»
not-value = { $field } no es { $values }
filled = { $field } no está vacío
in-month = { $field } en { $months }
month-name =
    { $number ->
        [1] enero
        [2] febrero
        [3] marzo
        [4] abril
        [5] mayo
        [6] junio
        [7] julio
        [8] agosto
        [9] septiembre
        [10] octubre
        [11] noviembre
       *[12] diciembre
    }
highest-first = { $what }, por { $field }, de mayor a menor: { $groups }
lowest-first = { $what }, por { $field }, de menor a mayor: { $groups }
correlated = { $what }: correlación de { $fields }
searched-for = «{ $text }», buscado en { $fields } campos de { $records } registros: { $groups }
computed = { $what }: { $groups }
measures-by = { $measures } por { $fields }
measures-over-time = { $measures } en el tiempo, por { $fields }
further-groups = y otros grupos
more-groups =
    { $count ->
        [one] y { $count } grupo más
       *[other] y { $count } grupos más
    }
no-group = ningún grupo
records-by = Registros por { $fields }
records-over-time = Registros en el tiempo, según { $fields }
match =
    { $count ->
        [one] { $count } registro coincide.
       *[other] { $count } registros coinciden.
    }

## Contradicciones y lagunas

quoted = «{ $text }»
by-the-model = Según el modelo, sin confirmación del programa, esto se contradice: { $claims }.
two-counts = Para { $field } { $value }, una estadística cuenta { $first } registros y otra { $second }.
two-findings = Dos hallazgos se contradicen: { $first } y { $second }.
two-texts = Los textos de los registros se contradicen: { $first } y { $second }.
gap-no-data = No hay datos sobre «{ $question }»
gap-little-data = Faltan datos sobre «{ $question }»
gap-counts-only = Ningún hallazgo sobre «{ $question }»; solo responden los recuentos
