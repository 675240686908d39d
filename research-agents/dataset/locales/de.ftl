# Die Texte des Programms in Berichten. Was in geschweiften Klammern steht, setzt das Programm ein.

## Zeilen des Berichts

no-finding = Die Daten tragen kein Ergebnis.
sub-question = Teilfrage { $id }
first-of = den ersten { $read } von { $total } Datensätzen
coverage = Abdeckung: { $parts }. Verlässlichkeit: { $confidence }.
coverage-computed = Abdeckung: von der Datenquelle über alle { $total } passenden Datensätze berechnet. Konfidenz: { $confidence }.
confidence =
    { $number } ({ $band ->
        [high] hoch
        [low] gering
       *[medium] mittel
    }): { $why }
by-all = alle passenden Datensätze wurden gezählt und gelesen
by-amount = ein Maß dafür, wie viel gezählt, gelesen und gefunden wurde
by-answer = wie weit die gestellte Frage beantwortet ist
by-review = eine Prüfung, wie gut die Ergebnisse die Fragen beantworten
by-estimate = eine Schätzung, denn nichts wurde gezählt oder gelesen
nothing-read = kein Datensatz wurde gelesen
nothing-matches = kein Datensatz passt zur Frage
read-unknown =
    { $read ->
        [one] { $read } Datensatz gelesen
       *[other] { $read } Datensätze gelesen
    }, { $how }; wie viele passen, ist nicht bekannt
read-all =
    { $total ->
        [one] { $read } von { $total } Datensatz gelesen
       *[other] { $read } von { $total } Datensätzen gelesen
    }
read-part = { $read } von { $total } Datensätzen gelesen ({ $share } %), { $how }
tool-order = in der Reihenfolge des Werkzeugs
first-in-order = die ersten { $first } { $order }
samples-of-each = bis zu { $each } je { $by }
samples-of-some = bis zu { $each } aus jeder von { $groups } Gruppen nach { $by }
gave-way = { $words }, { $count } weitere wichen ungelesen neueren
among = unter { $read }
all-of = allen { $total } Datensätzen
part-of = { $read } von { $total } Datensätzen
first-read =
    { $read ->
        [one] dem ersten Datensatz
       *[other] den ersten { $read } Datensätzen
    }
some-read =
    { $read ->
        [one] { $read } Datensatz
       *[other] { $read } Datensätzen
    }
samples-of = { $samples } von { $total } Datensätzen
of-tool = { $words } von { $tool }
both = { $first } und { $second }
read-limit = { $words }, Lesegrenze { $limit }
records-cut = von { $count } davon nur die ersten { $most } Zeichen

## Einschränkungen

author =
    Das Sprachmodell { $model } hat diesen Bericht entworfen ({ $calls ->
        [one] { $calls } Aufruf
       *[other] { $calls } Aufrufe
    }, { $input } Token gelesen, { $output } geschrieben); jeden Satz mit Beleg hat das Programm an den Daten geprüft, die anderen nicht.
offline-english = Das Offline-Modell schreibt nur Englisch; ein Sprachmodell würde diesen Bericht auf { $language } schreiben.
holds-for-these = { $words }: Was aus Datensätzen abgeleitet ist, gilt nur für diese.
ended-early = Das Lesen endete vorzeitig: { $reason }.
run-note = Hinweis des Programms (auf Englisch): { $note }
further-notes =
    { $count ->
        [one] { $count } weiterer Hinweis ist
       *[other] { $count } weitere Hinweise sind
    } nicht aufgeführt.
withheld =
    { $count ->
        [one] { $count } entworfener Satz wurde
       *[other] { $count } entworfene Sätze wurden
    } mangels Beleg nicht gedruckt: { $reasons }.
listed-by-program = Kein vom Modell entworfenes Ergebnis ließ sich belegen; die wichtigsten Ergebnisse hat das Programm aufgelistet.
not-drafted = das Modell konnte den Bericht nicht entwerfen ({ $error }); er listet auf, was gesammelt wurde

## Warum Sätze nicht gedruckt werden

flaw-number = { $count } mit einer Zahl, die die Daten nicht ergeben
flaw-quote = { $count } mit einem Zitat, das nicht in der Quelle steht
flaw-citation = { $count } mit einem Beleg, den es nicht gibt
flaw-words = { $count } mit Worten, die die Belege nicht tragen
flaw-key = { $count } mit etwas, das wie ein Zugangsschlüssel aussieht
flaw-no-evidence = { $count } ohne Beleg

## Daten

records-of =
    { $count ->
        [one] { $count } Datensatz
       *[other] { $count } Datensätze
    } aus { $tool }
where = { $what } mit { $filters }
and = { $first } und { $second }
one-of = { $field } ist eines von { $values }
empty = { $field } ist leer
grouped-by = { $what }, gruppiert nach { $field }: { $groups }
over-time-by = { $what }, im Zeitverlauf nach { $field }: { $groups }
contains = { $field } enthält „{ $text }“
lacks = { $field } enthält nicht „{ $text }“
text-contains = ein Text enthält „{ $text }“
not-value = { $field } ist nicht { $values }
filled = { $field } ist nicht leer
in-month = { $field } im { $months }
month-name =
    { $number ->
        [1] Januar
        [2] Februar
        [3] März
        [4] April
        [5] Mai
        [6] Juni
        [7] Juli
        [8] August
        [9] September
        [10] Oktober
        [11] November
       *[12] Dezember
    }
highest-first = { $what }, nach { $field }, höchster Wert zuerst: { $groups }
lowest-first = { $what }, nach { $field }, niedrigster Wert zuerst: { $groups }
correlated = { $what }: Korrelation von { $fields }
searched-for = „{ $text }“, gesucht in { $fields } Feldern von { $records } Datensätzen: { $groups }
computed = { $what }: { $groups }
measures-by = { $measures } nach { $fields }
measures-over-time = { $measures } im Zeitverlauf, nach { $fields }
further-groups = und weitere Gruppen
more-groups =
    { $count ->
        [one] und { $count } weitere Gruppe
       *[other] und { $count } weitere Gruppen
    }
no-group = keine Gruppe
records-by = Datensätze nach { $fields }
records-over-time = Datensätze im Zeitverlauf, nach { $fields }
match =
    { $count ->
        [one] { $count } Datensatz passt zur Frage.
       *[other] { $count } Datensätze passen zur Frage.
    }

## Widersprüche und Lücken

quoted = „{ $text }“
by-the-model = Nach Ansicht des Modells, die das Programm nicht bestätigt hat, widersprechen sich: { $claims }.
two-counts = Zu { $field } { $value } zählt eine Statistik { $first } Datensätze und eine andere { $second }.
two-findings = Zwei Ergebnisse widersprechen sich: { $first } und { $second }.
two-texts = Die Texte der Datensätze widersprechen sich: { $first } und { $second }.
gap-no-data = Keine Daten zu „{ $question }“
gap-little-data = Zu wenige Daten zu „{ $question }“
gap-counts-only = Kein Ergebnis zu „{ $question }“; darauf antworten allein die Zählungen
