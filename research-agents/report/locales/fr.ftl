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
