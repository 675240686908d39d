# I testi del programma nei rapporti. Ciò che sta tra parentesi graffe lo inserisce il programma.

## Titoli

summary = Sintesi
key-findings = Risultati principali
contradictions = Contraddizioni
analysis = Analisi
questions = Domande
conclusion = Conclusione
limitations = Limiti
further-research = Approfondimenti
data = Dati
sources = Fonti

## Righe del rapporto

answered = Risposta trovata.
not-answered = Senza risposta in questi dati.
all-answered =
    { $count ->
        [one] La domanda trova risposta nei dati.
       *[other] Tutte le { $count } domande trovano risposta nei dati.
    }
some-answered =
    { $answered ->
        [one] { $answered } domanda su { $count } trova
       *[other] { $answered } domande su { $count } trovano
    } risposta nei dati.
link-removed = (link rimosso)
key-removed = (chiave rimossa)
for-example = ad es.

## Dati

records = { $count } record
others = altri
other-groups = altri { $count }
groups-hold = I gruppi elencati contengono { $listed } record su { $total }.
groups-as-table =
    { $count ->
        [one] { $count } gruppo
       *[other] { $count } gruppi
    } in forma di tabella
groups-marked = Il testo conta i gruppi evidenziati.
records-column = Record
all-groups = tutti

## Tabelle

details = Dettagli
answer = Risposta
how-read = Come è stata letta la domanda
min-of = Valore più basso di { $field }
max-of = Valore più alto di { $field }
mean-of = Media di { $field }
median-of = Mediana di { $field }
sum-of = Somma di { $field }
count-of = Record con { $field }
distinct-of = Valori diversi di { $field }
place-column = Posto
value-column = Valore
measure-column = Misura
fields-column = Campi
field-column = Campo
correlation-column = Correlazione
values-behind = n
more-records =
    { $count ->
        [one] Un altro record non è mostrato.
       *[other] Altri { $count } record non sono mostrati.
    }
more-rows =
    { $count ->
        [one] Un altro gruppo non è mostrato.
       *[other] Altri { $count } gruppi non sono mostrati.
    }
