# Les textes du programme dans les rapports. Ce qui est entre accolades est rempli par le programme.

## Titres

summary = Résumé
key-findings = Principaux constats
contradictions = Contradictions
analysis = Analyse
questions = Questions
conclusion = Conclusion
limitations = Limites
further-research = Pistes à explorer
data = Données
sources = Sources

## Lignes du rapport

answered = Réponse trouvée.
not-answered = Sans réponse dans ces données.
all-answered =
    { $count ->
        [one] La question trouve une réponse dans les données.
       *[other] Les { $count } questions trouvent une réponse dans les données.
    }
some-answered =
    { $answered ->
        [one] { $answered } question sur { $count } trouve
       *[other] { $answered } questions sur { $count } trouvent
    } une réponse dans les données.
link-removed = (lien supprimé)
key-removed = (clé supprimée)
for-example = par ex.

## Données

records =
    { $count ->
        [one] { $count } enregistrement
       *[other] { $count } enregistrements
    }
others = autres
other-groups = { $count } autres
groups-hold = Les groupes listés contiennent { $listed } des { $total } enregistrements.
groups-as-table =
    { $count ->
        [one] { $count } groupe
       *[other] { $count } groupes
    } sous forme de tableau
groups-marked = Le texte compte les groupes marqués.
records-column = Enregistrements
all-groups = tous

## Tableaux

details = Détails
answer = Réponse
how-read = Comment la question a été lue
min-of = Valeur la plus basse de { $field }
max-of = Valeur la plus haute de { $field }
mean-of = Moyenne de { $field }
median-of = Médiane de { $field }
sum-of = Somme de { $field }
count-of = Enregistrements avec { $field }
distinct-of = Valeurs différentes de { $field }
place-column = Rang
value-column = Valeur
measure-column = Mesure
fields-column = Champs
field-column = Champ
correlation-column = Corrélation
values-behind = n
more-records =
    { $count ->
        [one] Un autre enregistrement n'est pas affiché.
       *[other] { $count } autres enregistrements ne sont pas affichés.
    }
more-rows =
    { $count ->
        [one] Un autre groupe n'est pas affiché.
       *[other] { $count } autres groupes ne sont pas affichés.
    }
