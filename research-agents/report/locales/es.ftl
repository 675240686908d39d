# Los textos del programa en los informes. Lo que está entre llaves lo completa el programa.

## Títulos

summary = Resumen
key-findings = Hallazgos principales
contradictions = Contradicciones
analysis = Análisis
questions = Preguntas
conclusion = Conclusión
limitations = Limitaciones
further-research = Para seguir investigando
data = Datos
sources = Fuentes

## Líneas del informe

answered = Respondida.
not-answered = Sin respuesta en estos datos.
all-answered =
    { $count ->
        [one] La pregunta tiene respuesta en los datos.
       *[other] Las { $count } preguntas tienen respuesta en los datos.
    }
some-answered =
    { $answered } de { $count } preguntas { $answered ->
        [one] tiene
       *[other] tienen
    } respuesta en los datos.
link-removed = (enlace eliminado)
key-removed = (clave eliminada)
for-example = p. ej.

## Datos

records =
    { $count ->
        [one] { $count } registro
       *[other] { $count } registros
    }
others = otros
other-groups = otros { $count }
groups-hold = Los grupos listados contienen { $listed } de { $total } registros.
groups-as-table =
    { $count ->
        [one] { $count } grupo
       *[other] { $count } grupos
    } en forma de tabla
groups-marked = El texto cuenta los grupos marcados.
records-column = Registros
all-groups = todos

## Tablas

details = Detalles
answer = Respuesta
how-read = Cómo se ha leído la pregunta
min-of = Valor más bajo de { $field }
max-of = Valor más alto de { $field }
mean-of = Media de { $field }
median-of = Mediana de { $field }
sum-of = Suma de { $field }
count-of = Registros con { $field }
distinct-of = Valores distintos de { $field }
place-column = Puesto
value-column = Valor
measure-column = Medida
fields-column = Campos
field-column = Campo
correlation-column = Correlación
values-behind = n
more-records =
    { $count ->
        [one] Un registro más no se muestra.
       *[other] { $count } registros más no se muestran.
    }
more-rows =
    { $count ->
        [one] Un grupo más no se muestra.
       *[other] { $count } grupos más no se muestran.
    }
