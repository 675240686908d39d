# The texts of the program in reports. Variables are filled in by the program; what stands in braces keeps its name in every
# language.

## Headings

summary = Summary
key-findings = Key Findings
contradictions = Contradictions
analysis = Analysis
questions = Questions
conclusion = Conclusion
limitations = Limitations
further-research = Further Research
data = Data
sources = Sources

## Lines of the report

answered = Answered.
not-answered = Not answered by this data.
all-answered =
    { $count ->
        [one] The question is answered by the data.
       *[other] All { $count } questions are answered by the data.
    }
some-answered =
    { $answered } of { $count } questions { $answered ->
        [one] is
       *[other] are
    } answered by the data.
link-removed = (link removed)
key-removed = (key removed)
for-example = e.g.

## Data

records =
    { $count ->
        [one] { $count } record
       *[other] { $count } records
    }
others = others
other-groups = { $count } others
groups-hold = The groups listed hold { $listed } of { $total } records.
groups-as-table =
    { $count ->
        [one] { $count } group
       *[other] { $count } groups
    } as a table
groups-marked = The text counts the groups that are marked.
records-column = Records
all-groups = all

## Tables

details = Details
answer = Answer
how-read = How I read this
min-of = Lowest { $field }
max-of = Highest { $field }
mean-of = Mean { $field }
median-of = Median { $field }
sum-of = Sum of { $field }
count-of = Records with { $field }
distinct-of = Different values of { $field }
place-column = Place
value-column = Value
measure-column = Measure
fields-column = Fields
field-column = Field
correlation-column = Correlation
values-behind = n
more-records =
    { $count ->
        [one] One more record is not shown.
       *[other] { $count } more records are not shown.
    }
more-rows =
    { $count ->
        [one] One more group is not shown.
       *[other] { $count } more groups are not shown.
    }
