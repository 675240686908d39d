# The texts of the program in reports. Variables are filled in by the program; what stands in braces keeps its name in every
# language.

## Lines of the report

no-finding = The data supports no finding.
sub-question = Sub-question { $id }
first-of = the first { $read } of { $total } records
coverage = Coverage: { $parts }. Confidence: { $confidence }.
coverage-computed = Coverage: computed by the data source over all { $total } matching records. Confidence: { $confidence }.
confidence =
    { $number } ({ $band ->
        [high] high
        [low] low
       *[medium] medium
    }): { $why }
by-all = all matching records were counted and read
by-amount = a measure of how much was counted, read and found
by-answer = how well the question that was asked is answered
by-review = a review of how well the findings answer the questions
by-estimate = an estimate, as nothing was counted or read
nothing-read = no record was read
nothing-matches = no record matches
read-unknown = { $read } records read, { $how }; how many match is not known
read-all = { $read } of { $total } records read
read-part = { $read } of { $total } records read ({ $share } %), { $how }
tool-order = in the tool's order
first-in-order = the first { $first } { $order }
samples-of-each = up to { $each } of each { $by }
samples-of-some = up to { $each } of each of { $groups } groups by { $by }
gave-way = { $words }, { $count } more gave way to newer ones unread
among = among { $read }
all-of = all { $total } records
part-of = { $read } of { $total } records
first-read =
    { $read ->
        [one] the first record
       *[other] the first { $read } records
    }
some-read =
    { $read ->
        [one] { $read } record
       *[other] { $read } records
    }
samples-of = { $samples } of { $total } records
of-tool = { $words } of { $tool }
both = { $first } and { $second }
read-limit = { $words }, scan limit { $limit }
records-cut = only the first { $most } characters of { $count } of them

## Limitations

author = The language model { $model } drafted this report ({ $calls } calls, { $input } tokens read, { $output } written); every sentence with a citation was checked against the data by the program, the others were not.
offline-english = The offline model writes English only; a language model would write this report in { $language }.
holds-for-these = { $words }: what is drawn from records holds for these only.
ended-early = Reading ended early: { $reason }.
run-note = { $note }
further-notes =
    { $count ->
        [one] { $count } further note of the run is
       *[other] { $count } further notes of the run are
    } not listed.
withheld =
    { $count ->
        [one] { $count } drafted sentence was
       *[other] { $count } drafted sentences were
    } withheld for lack of evidence: { $reasons }.
listed-by-program = No finding that the model drafted could be verified; the key findings were listed by the program.
not-drafted = the report could not be drafted by the model ({ $error }); it lists what was gathered

## Why sentences are withheld

flaw-number = { $count } with a number that the evidence does not give
flaw-quote = { $count } with a quote that its source does not hold
flaw-citation = { $count } with a citation that leads nowhere
flaw-words = { $count } in words that its claims do not carry
flaw-key = { $count } with what looks like a key
flaw-no-evidence = { $count } without evidence

## Data

records-of =
    { $count ->
        [one] { $count } record
       *[other] { $count } records
    } of { $tool }
where = { $what } where { $filters }
and = { $first } and { $second }
one-of = { $field } is one of { $values }
empty = { $field } is empty
grouped-by = { $what }, grouped by { $field }: { $groups }
over-time-by = { $what }, over time by { $field }: { $groups }
contains = { $field } contains “{ $text }”
lacks = { $field } does not contain “{ $text }”
text-contains = a text contains “{ $text }”
not-value = { $field } is not { $values }
filled = { $field } is not empty
in-month = { $field } in { $months }
month-name =
    { $number ->
        [1] January
        [2] February
        [3] March
        [4] April
        [5] May
        [6] June
        [7] July
        [8] August
        [9] September
        [10] October
        [11] November
       *[12] December
    }
highest-first = { $what }, by { $field }, the highest first: { $groups }
lowest-first = { $what }, by { $field }, the lowest first: { $groups }
correlated = { $what }: correlation of { $fields }
searched-for = “{ $text }”, searched in { $fields } fields of { $records } records: { $groups }
computed = { $what }: { $groups }
measures-by = { $measures } by { $fields }
measures-over-time = { $measures } over time, by { $fields }
further-groups = and further groups
more-groups =
    { $count ->
        [one] and { $count } more group
       *[other] and { $count } more groups
    }
no-group = no group
records-by = Records by { $fields }
records-over-time = Records over time, by { $fields }
match =
    { $count ->
        [one] { $count } record matches.
       *[other] { $count } records match.
    }

## Contradictions and gaps

quoted = “{ $text }”
by-the-model = By the model's view, which code did not confirm, these contradict: { $claims }.
two-counts = For { $field } { $value } one statistic counts { $first } records and another { $second }.
two-findings = Two findings contradict each other: { $first } and { $second }.
two-texts = The texts of the records contradict each other: { $first } and { $second }.
gap-no-data = No data on “{ $question }”
gap-little-data = Too little data on “{ $question }”
gap-counts-only = No finding on “{ $question }”, which counts alone answer
