# Os textos do programa nos relatórios. O que está entre chaves é preenchido pelo programa.

## Títulos

summary = Resumo
key-findings = Principais resultados
contradictions = Contradições
analysis = Análise
questions = Perguntas
conclusion = Conclusão
limitations = Limitações
further-research = Para aprofundar
data = Dados
sources = Fontes

## Linhas do relatório

answered = Respondida.
not-answered = Sem resposta nestes dados.
all-answered =
    { $count ->
        [one] A pergunta tem resposta nos dados.
       *[other] Todas as { $count } perguntas têm resposta nos dados.
    }
some-answered =
    { $answered } de { $count } perguntas { $answered ->
        [one] tem
       *[other] têm
    } resposta nos dados.
link-removed = (link removido)
key-removed = (chave removida)
for-example = p. ex.

## Dados

records =
    { $count ->
        [one] { $count } registro
       *[other] { $count } registros
    }
others = outros
other-groups = outros { $count }
groups-hold = Os grupos listados contêm { $listed } de { $total } registros.
groups-as-table =
    { $count ->
        [one] { $count } grupo
       *[other] { $count } grupos
    } em forma de tabela
groups-marked = O texto conta os grupos marcados.
records-column = Registros
all-groups = todos

## Tabelas

details = Detalhes
answer = Resposta
how-read = Como a pergunta foi lida
min-of = Menor valor de { $field }
max-of = Maior valor de { $field }
mean-of = Média de { $field }
median-of = Mediana de { $field }
sum-of = Soma de { $field }
count-of = Registros com { $field }
distinct-of = Valores distintos de { $field }
place-column = Posição
value-column = Valor
measure-column = Medida
fields-column = Campos
field-column = Campo
correlation-column = Correlação
values-behind = n
more-records =
    { $count ->
        [one] Mais um registro não é mostrado.
       *[other] Mais { $count } registros não são mostrados.
    }
more-rows =
    { $count ->
        [one] Mais um grupo não é mostrado.
       *[other] Mais { $count } grupos não são mostrados.
    }
