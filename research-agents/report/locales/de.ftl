# Die Texte des Programms in Berichten. Was in geschweiften Klammern steht, setzt das Programm ein.

## Überschriften

summary = Zusammenfassung
key-findings = Wichtigste Ergebnisse
contradictions = Widersprüche
analysis = Auswertung
questions = Fragen
conclusion = Fazit
limitations = Einschränkungen
further-research = Weiterführende Fragen
data = Daten
sources = Quellen

## Zeilen des Berichts

answered = Beantwortet.
not-answered = Von diesen Daten nicht beantwortet.
all-answered =
    { $count ->
        [one] Die Frage ist mit den Daten beantwortet.
       *[other] Alle { $count } Fragen sind mit den Daten beantwortet.
    }
some-answered =
    { $answered } von { $count } Fragen { $answered ->
        [one] ist
       *[other] sind
    } mit den Daten beantwortet.
link-removed = (Link entfernt)
key-removed = (Schlüssel entfernt)
for-example = z. B.

## Daten

records =
    { $count ->
        [one] { $count } Datensatz
       *[other] { $count } Datensätze
    }
others = Übrige
other-groups = { $count } übrige
groups-hold = Die aufgeführten Gruppen umfassen { $listed } von { $total } Datensätzen.
groups-as-table =
    { $count ->
        [one] { $count } Gruppe
       *[other] { $count } Gruppen
    } als Tabelle
groups-marked = Der Text zählt die markierten Gruppen.
records-column = Datensätze
all-groups = alle

## Tabellen

details = Einzelheiten
answer = Antwort
how-read = So habe ich die Frage gelesen
min-of = Kleinster Wert von { $field }
max-of = Größter Wert von { $field }
mean-of = Mittelwert von { $field }
median-of = Median von { $field }
sum-of = Summe von { $field }
count-of = Datensätze mit { $field }
distinct-of = Verschiedene Werte von { $field }
place-column = Platz
value-column = Wert
measure-column = Kennzahl
fields-column = Felder
field-column = Feld
correlation-column = Korrelation
values-behind = n
more-records =
    { $count ->
        [one] Ein weiterer Datensatz ist nicht gezeigt.
       *[other] { $count } weitere Datensätze sind nicht gezeigt.
    }
more-rows =
    { $count ->
        [one] Eine weitere Gruppe ist nicht gezeigt.
       *[other] { $count } weitere Gruppen sind nicht gezeigt.
    }
