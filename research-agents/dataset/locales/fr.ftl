# Les textes du programme dans les rapports. Ce qui est entre accolades est rempli par le programme.

## Lignes du rapport

no-finding = Les données n'étayent aucun constat.
sub-question = Sous-question { $id }
first-of = les { $read } premiers enregistrements sur { $total }
coverage = Couverture : { $parts }. Confiance : { $confidence }.
coverage-computed = Couverture : calculé par la source de données sur l’ensemble des { $total } enregistrements correspondants. Confiance : { $confidence }.
confidence =
    { $number } ({ $band ->
        [high] élevée
        [low] faible
       *[medium] moyenne
    }) : { $why }
by-all = tous les enregistrements correspondants ont été comptés et lus
by-amount = une mesure de ce qui a été compté, lu et trouvé
by-answer = mesure de la réponse à la question posée
by-review = un examen de la façon dont les constats répondent aux questions
by-estimate = une estimation, car rien n'a été compté ni lu
nothing-read = aucun enregistrement n'a été lu
nothing-matches = aucun enregistrement ne correspond
read-unknown =
    { $read ->
        [one] { $read } enregistrement lu
       *[other] { $read } enregistrements lus
    }, { $how } ; le nombre d'enregistrements correspondants n'est pas connu
read-all =
    { $read ->
        [one] { $read } enregistrement lu sur { $total }
       *[other] { $read } enregistrements lus sur { $total }
    }
read-part =
    { $read ->
        [one] { $read } enregistrement lu sur { $total }
       *[other] { $read } enregistrements lus sur { $total }
    } ({ $share } %), { $how }
tool-order = dans l'ordre de l'outil
first-in-order = les { $first } premiers { $order }
samples-of-each = jusqu'à { $each } par { $by }
samples-of-some = jusqu'à { $each } pour chacun des { $groups } groupes par { $by }
gave-way = { $words }, { $count } autres ont cédé la place à de plus récents sans être lus
among = parmi { $read }
all-of = les { $total } enregistrements
part-of = { $read } enregistrements sur { $total }
first-read =
    { $read ->
        [one] le premier enregistrement
       *[other] les { $read } premiers enregistrements
    }
some-read =
    { $read ->
        [one] { $read } enregistrement
       *[other] { $read } enregistrements
    }
samples-of = { $samples } sur { $total } enregistrements
of-tool = { $words } de { $tool }
both = { $first } et { $second }
read-limit = { $words }, limite de lecture { $limit }
records-cut = pour { $count } d'entre eux, seulement les { $most } premiers caractères

## Limites

author =
    Le modèle de langage { $model } a rédigé ce rapport ({ $calls ->
        [one] { $calls } appel
       *[other] { $calls } appels
    }, { $input } jetons lus, { $output } écrits) ; le programme a vérifié sur les données chaque phrase accompagnée d'une référence, mais pas les autres.
offline-english = Le modèle hors ligne n'écrit qu'en anglais ; un modèle de langage rédigerait ce rapport en { $language }.
holds-for-these = { $words } : ce qui est tiré des enregistrements ne vaut que pour ceux-ci.
ended-early = La lecture s'est arrêtée avant la fin : { $reason }.
run-note = Note du programme (en anglais) : { $note }
further-notes =
    { $count ->
        [one] { $count } autre note n'est pas reprise.
       *[other] { $count } autres notes ne sont pas reprises.
    }
withheld =
    { $count ->
        [one] { $count } phrase rédigée a été écartée
       *[other] { $count } phrases rédigées ont été écartées
    } faute de preuve : { $reasons }.
listed-by-program = Aucun constat rédigé par le modèle n'a pu être vérifié ; les principaux constats ont été dressés par le programme.
not-drafted = le modèle n'a pas pu rédiger le rapport ({ $error }) ; il énumère ce qui a été recueilli

## Pourquoi des phrases sont écartées

flaw-number = { $count } avec un nombre que les données n'étayent pas
flaw-quote = { $count } avec une citation absente de sa source
flaw-citation = { $count } avec une référence qui ne mène nulle part
flaw-words = { $count } dont les termes dépassent les preuves
flaw-key = { $count } avec ce qui ressemble à une clé d'accès
flaw-no-evidence = { $count } sans preuve

## Données

records-of =
    { $count ->
        [one] { $count } enregistrement
       *[other] { $count } enregistrements
    } de { $tool }
where = { $what } où { $filters }
and = { $first } et { $second }
one-of = { $field } fait partie de { $values }
empty = { $field } est vide
grouped-by = { $what }, par { $field } : { $groups }
over-time-by = { $what }, dans le temps selon { $field } : { $groups }
contains = { $field } contient « { $text } »
lacks = { $field } ne contient pas « { $text } »
text-contains = un texte contient « { $text } »
not-value = { $field } n’est pas { $values }
filled = { $field } n’est pas vide
in-month = { $field } en { $months }
month-name =
    { $number ->
        [1] janvier
        [2] février
        [3] mars
        [4] avril
        [5] mai
        [6] juin
        [7] juillet
        [8] août
        [9] septembre
        [10] octobre
        [11] novembre
       *[12] décembre
    }
highest-first = { $what }, par { $field }, du plus haut au plus bas : { $groups }
lowest-first = { $what }, par { $field }, du plus bas au plus haut : { $groups }
correlated = { $what } : corrélation de { $fields }
searched-for = « { $text } », cherché dans { $fields } champs de { $records } enregistrements : { $groups }
computed = { $what } : { $groups }
measures-by = { $measures } par { $fields }
measures-over-time = { $measures } dans le temps, par { $fields }
further-groups = et d’autres groupes
more-groups =
    { $count ->
        [one] et { $count } autre groupe
       *[other] et { $count } autres groupes
    }
no-group = aucun groupe
records-by = Enregistrements par { $fields }
records-over-time = Enregistrements dans le temps, selon { $fields }
match =
    { $count ->
        [one] { $count } enregistrement correspond.
       *[other] { $count } enregistrements correspondent.
    }

## Contradictions et lacunes

quoted = « { $text } »
by-the-model = Selon le modèle, sans confirmation du programme, ceci se contredit : { $claims }.
two-counts = Pour { $field } { $value }, une statistique compte { $first } enregistrements et une autre { $second }.
two-findings = Deux constats se contredisent : { $first } et { $second }.
two-texts = Les textes des enregistrements se contredisent : { $first } et { $second }.
gap-no-data = Aucune donnée sur « { $question } »
gap-little-data = Trop peu de données sur « { $question } »
gap-counts-only = Aucun constat sur « { $question } », à quoi seuls les décomptes répondent
