# Os textos do programa nos relatórios. O que está entre chaves é preenchido pelo programa.

## Linhas do relatório

no-finding = Os dados não sustentam nenhum resultado.
sub-question = Subpergunta { $id }
first-of = os primeiros { $read } de { $total } registros
coverage = Cobertura: { $parts }. Confiança: { $confidence }.
coverage-computed = Cobertura: calculado pela fonte de dados sobre todos os { $total } registros correspondentes. Confiança: { $confidence }.
confidence =
    { $number } ({ $band ->
        [high] alta
        [low] baixa
       *[medium] média
    }): { $why }
by-all = todos os registros correspondentes foram contados e lidos
by-amount = uma medida de quanto foi contado, lido e encontrado
by-answer = em que medida a pergunta feita é respondida
by-review = uma revisão de quão bem os resultados respondem às perguntas
by-estimate = uma estimativa, pois nada foi contado nem lido
nothing-read = nenhum registro foi lido
nothing-matches = nenhum registro corresponde
read-unknown =
    { $read ->
        [one] { $read } registro lido
       *[other] { $read } registros lidos
    }, { $how }; não se sabe quantos correspondem
read-all =
    { $total ->
        [one] { $read } de { $total } registro lido
       *[other] { $read } de { $total } registros lidos
    }
read-part = { $read } de { $total } registros lidos ({ $share } %), { $how }
tool-order = na ordem da ferramenta
first-in-order = os primeiros { $first } { $order }
samples-of-each = até { $each } de cada { $by }
samples-of-some = até { $each } de cada um de { $groups } grupos por { $by }
gave-way = { $words }, outros { $count } deram lugar a mais novos sem serem lidos
among = entre { $read }
all-of = todos os { $total } registros
part-of = { $read } de { $total } registros
first-read =
    { $read ->
        [one] o primeiro registro
       *[other] os primeiros { $read } registros
    }
some-read =
    { $read ->
        [one] { $read } registro
       *[other] { $read } registros
    }
samples-of = { $samples } de { $total } registros
of-tool = { $words } de { $tool }
both = { $first } e { $second }
read-limit = { $words }, limite de leitura { $limit }
records-cut = de { $count } deles apenas os primeiros { $most } caracteres

## Limitações

author =
    O modelo de linguagem { $model } redigiu este relatório ({ $calls ->
        [one] { $calls } chamada
       *[other] { $calls } chamadas
    }, { $input } tokens lidos, { $output } escritos); o programa verificou nos dados cada frase com referência, as outras não.
offline-english = O modelo offline escreve somente em inglês; um modelo de linguagem redigiria este relatório em { $language }.
holds-for-these = { $words }: o que se deduz dos registros vale apenas para estes.
ended-early = A leitura terminou antes do fim: { $reason }.
run-note = Nota do programa (em inglês): { $note }
further-notes =
    { $count ->
        [one] { $count } outra nota não está incluída.
       *[other] { $count } outras notas não estão incluídas.
    }
withheld =
    { $count ->
        [one] { $count } frase redigida foi omitida
       *[other] { $count } frases redigidas foram omitidas
    } por falta de provas: { $reasons }.
listed-by-program = Nenhum resultado redigido pelo modelo pôde ser verificado; os principais resultados foram listados pelo programa.
not-drafted = o modelo não conseguiu redigir o relatório ({ $error }); ele lista o que foi reunido

## Por que frases são omitidas

flaw-number = { $count } com um número que os dados não dão
flaw-quote = { $count } com uma citação ausente da fonte
flaw-citation = { $count } com uma referência que não leva a nada
flaw-words = { $count } com palavras que as provas não sustentam
flaw-key = { $count } com o que parece uma chave de acesso
flaw-no-evidence = { $count } sem provas

## Dados

records-of =
    { $count ->
        [one] { $count } registro
       *[other] { $count } registros
    } de { $tool }
where = { $what } com { $filters }
and = { $first } e { $second }
one-of = { $field } é um de { $values }
empty = { $field } está vazio
grouped-by = { $what }, por { $field }: { $groups }
over-time-by = { $what }, ao longo do tempo por { $field }: { $groups }
contains = { $field } contém “{ $text }”
lacks = { $field } não contém “{ $text }”
text-contains = um texto contém “{ $text }”
not-value = { $field } não é { $values }
filled = { $field } não está vazio
in-month = { $field } em { $months }
month-name =
    { $number ->
        [1] janeiro
        [2] fevereiro
        [3] março
        [4] abril
        [5] maio
        [6] junho
        [7] julho
        [8] agosto
        [9] setembro
        [10] outubro
        [11] novembro
       *[12] dezembro
    }
highest-first = { $what }, por { $field }, do maior ao menor: { $groups }
lowest-first = { $what }, por { $field }, do menor ao maior: { $groups }
correlated = { $what }: correlação de { $fields }
searched-for = “{ $text }”, procurado em { $fields } campos de { $records } registros: { $groups }
computed = { $what }: { $groups }
measures-by = { $measures } por { $fields }
measures-over-time = { $measures } ao longo do tempo, por { $fields }
further-groups = e outros grupos
more-groups =
    { $count ->
        [one] e mais { $count } grupo
       *[other] e mais { $count } grupos
    }
no-group = nenhum grupo
records-by = Registros por { $fields }
records-over-time = Registros ao longo do tempo, por { $fields }
match =
    { $count ->
        [one] { $count } registro corresponde.
       *[other] { $count } registros correspondem.
    }

## Contradições e lacunas

quoted = “{ $text }”
by-the-model = Segundo o modelo, sem confirmação do programa, isto se contradiz: { $claims }.
two-counts = Para { $field } { $value }, uma estatística conta { $first } registros e outra { $second }.
two-findings = Dois resultados se contradizem: { $first } e { $second }.
two-texts = Os textos dos registros se contradizem: { $first } e { $second }.
gap-no-data = Não há dados sobre “{ $question }”
gap-little-data = Há poucos dados sobre “{ $question }”
gap-counts-only = Nenhum resultado sobre “{ $question }”; só as contagens respondem
