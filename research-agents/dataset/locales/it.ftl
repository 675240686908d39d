# I testi del programma nei rapporti. Ciò che sta tra parentesi graffe lo inserisce il programma.

## Righe del rapporto

no-finding = I dati non sostengono alcun risultato.
sub-question = Sottodomanda { $id }
first-of = i primi { $read } record su { $total }
coverage = Copertura: { $parts }. Affidabilità: { $confidence }.
coverage-computed = Copertura: calcolato dalla fonte di dati su tutti i { $total } record corrispondenti. Confidenza: { $confidence }.
confidence =
    { $number } ({ $band ->
        [high] alta
        [low] bassa
       *[medium] media
    }): { $why }
by-all = tutti i record corrispondenti sono stati contati e letti
by-amount = una misura di quanto è stato contato, letto e trovato
by-answer = quanto si risponde alla domanda posta
by-review = una verifica di quanto i risultati rispondano alle domande
by-estimate = una stima, perché nulla è stato contato o letto
nothing-read = nessun record è stato letto
nothing-matches = nessun record corrisponde
read-unknown = { $read } record letti, { $how }; non si sa quanti corrispondano
read-all = { $read } record letti su { $total }
read-part = { $read } record letti su { $total } ({ $share } %), { $how }
tool-order = nell'ordine dello strumento
first-in-order = i primi { $first } { $order }
samples-of-each = fino a { $each } per ogni { $by }
samples-of-some = fino a { $each } per ciascuno di { $groups } gruppi per { $by }
gave-way = { $words }, altri { $count } hanno lasciato il posto a record più recenti senza essere letti
among = tra { $read }
all-of = tutti i { $total } record
part-of = { $read } record su { $total }
first-read =
    { $read ->
        [one] il primo record
       *[other] i primi { $read } record
    }
some-read = { $read } record
samples-of = { $samples } su { $total } record
of-tool = { $words } di { $tool }
both = { $first } e { $second }
read-limit = { $words }, limite di lettura { $limit }
records-cut = di { $count } di essi solo i primi { $most } caratteri

## Limiti

author =
    Il modello linguistico { $model } ha redatto questo rapporto ({ $calls ->
        [one] { $calls } chiamata
       *[other] { $calls } chiamate
    }, { $input } token letti, { $output } scritti); il programma ha verificato sui dati ogni frase con un riferimento, non le altre.
offline-english = Il modello offline scrive solo in inglese; un modello linguistico scriverebbe questo rapporto in { $language }.
holds-for-these = { $words }: ciò che si ricava dai record vale solo per questi.
ended-early = La lettura è terminata prima del previsto: { $reason }.
run-note = Nota del programma (in inglese): { $note }
further-notes =
    { $count ->
        [one] { $count } altra nota non è riportata.
       *[other] { $count } altre note non sono riportate.
    }
withheld =
    { $count ->
        [one] { $count } frase redatta è stata omessa
       *[other] { $count } frasi redatte sono state omesse
    } per mancanza di prove: { $reasons }.
listed-by-program = Nessun risultato redatto dal modello è stato verificabile; i risultati principali li ha elencati il programma.
not-drafted = il modello non ha potuto redigere il rapporto ({ $error }); viene elencato ciò che è stato raccolto

## Perché alcune frasi sono omesse

flaw-number = { $count } con un numero che i dati non danno
flaw-quote = { $count } con una citazione assente dalla fonte
flaw-citation = { $count } con un riferimento che non porta a nulla
flaw-words = { $count } con parole che le prove non sostengono
flaw-key = { $count } con quella che sembra una chiave di accesso
flaw-no-evidence = { $count } senza prove

## Dati

records-of = { $count } record di { $tool }
where = { $what } con { $filters }
and = { $first } e { $second }
one-of = { $field } è uno tra { $values }
empty = { $field } è vuoto
grouped-by = { $what }, per { $field }: { $groups }
over-time-by = { $what }, nel tempo secondo { $field }: { $groups }
contains = { $field } contiene «{ $text }»
lacks = { $field } non contiene «{ $text }»
text-contains = un testo contiene «{ $text }»
not-value = { $field } non è { $values }
filled = { $field } non è vuoto
in-month = { $field } in { $months }
month-name =
    { $number ->
        [1] gennaio
        [2] febbraio
        [3] marzo
        [4] aprile
        [5] maggio
        [6] giugno
        [7] luglio
        [8] agosto
        [9] settembre
        [10] ottobre
        [11] novembre
       *[12] dicembre
    }
highest-first = { $what }, per { $field }, dal più alto al più basso: { $groups }
lowest-first = { $what }, per { $field }, dal più basso al più alto: { $groups }
correlated = { $what }: correlazione di { $fields }
searched-for = «{ $text }», cercato in { $fields } campi di { $records } record: { $groups }
computed = { $what }: { $groups }
measures-by = { $measures } per { $fields }
measures-over-time = { $measures } nel tempo, per { $fields }
further-groups = e altri gruppi
more-groups =
    { $count ->
        [one] e { $count } altro gruppo
       *[other] e altri { $count } gruppi
    }
no-group = nessun gruppo
records-by = Record per { $fields }
records-over-time = Record nel tempo, secondo { $fields }
match =
    { $count ->
        [one] { $count } record corrisponde.
       *[other] { $count } record corrispondono.
    }

## Contraddizioni e lacune

quoted = «{ $text }»
by-the-model = Secondo il modello, senza conferma del programma, si contraddicono: { $claims }.
two-counts = Per { $field } { $value } una statistica conta { $first } record e un'altra { $second }.
two-findings = Due risultati si contraddicono: { $first } e { $second }.
two-texts = I testi dei record si contraddicono: { $first } e { $second }.
gap-no-data = Nessun dato su «{ $question }»
gap-little-data = Troppo pochi dati su «{ $question }»
gap-counts-only = Nessun risultato su «{ $question }»; rispondono solo i conteggi
