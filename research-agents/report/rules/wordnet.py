"""Writes rules/en/{synonyms,opposites,families,verbs,irregular}.txt from the files of WordNet 3.0.

Usage: python3 wordnet.py /usr/share/wordnet rules/en

WordNet is in Debian's package `wordnet-base`; its licence is in rules/en/LICENSE-WORDNET. Only
single words are taken, and only those that the tagged corpora of WordNet use, so that rare senses
do not make words equal.
"""

import collections
import re
import sys

SOURCE, TARGET = sys.argv[1:3]
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
TYPES = {"n": 1, "v": 2, "a": 3, "r": 4}


def is_single(word):
    return re.fullmatch("[a-z]{2,}", word)


counts = collections.Counter()
for line in open(f"{SOURCE}/cntlist.rev"):
    key, _, count = line.split()[:3]
    counts[":".join(key.split(":")[:3])] += int(count)

synsets, used, lemmas = {}, {}, collections.Counter()
for part, name in FILES.items():
    for line in open(f"{SOURCE}/data.{name}"):
        if line.startswith("  "):
            continue
        fields = line.split("|")[0].split()
        offset, file, kind, size = fields[0], fields[1], fields[2], int(fields[3], 16)
        words = []
        for at in range(size):
            word = re.sub(r"\((a|p|ip)\)$", "", fields[4 + 2 * at]).lower()
            sense = int(fields[5 + 2 * at], 16)
            number = 5 if kind == "s" else TYPES[part]
            count = counts[f"{word}%{number}:{file}:{sense:02}"]
            used[part, offset, word] = count
            lemmas[word, part] += count
            words.append(word)
        start = 5 + 2 * size
        pointers = [fields[at : at + 4] for at in range(start, start + 4 * int(fields[start - 1]), 4)]
        synsets[part, offset] = words, pointers

synonyms, opposites, families = set(), set(), set()
for (part, offset), (words, pointers) in synsets.items():
    same = sorted({w for w in words if is_single(w) and used[part, offset, w] > 0})
    if len(same) > 1:
        synonyms.add(" ".join(same))
    for sign, target, other, places in pointers:
        if sign not in "!+":
            continue
        a = words[int(places[:2], 16) - 1]
        b = synsets["a" if other == "s" else other, target][0][int(places[2:], 16) - 1]
        if not (is_single(a) and is_single(b)) or a == b:
            continue
        frequency = lemmas[a, part] + lemmas[b, "a" if other == "s" else other]
        if sign == "!" and frequency > 0:
            opposites.add(" ".join(sorted((a, b))))
        if sign == "+" and lemmas[a, part] > 0 and lemmas[b, "a" if other == "s" else other] > 0:
            families.add(" ".join(sorted((a, b))))

verbs = {
    word
    for (word, part), count in lemmas.items()
    if part == "v" and is_single(word) and count > 0 and 2 * count >= sum(lemmas[word, p] for p in FILES)
}
irregular = set()
for name, part in [("verb", "v"), ("noun", "n")]:
    for line in open(f"{SOURCE}/{name}.exc"):
        form, base = line.split()[:2]
        if is_single(form) and is_single(base) and lemmas[base, part] > 0:
            irregular.add(f"{form} {base}")
for name, lines in [
    ("synonyms", synonyms),
    ("opposites", opposites),
    ("families", families),
    ("verbs", verbs),
    ("irregular", irregular),
]:
    with open(f"{TARGET}/{name}.txt", "w") as out:
        out.write("# From WordNet 3.0 (LICENSE-WORDNET) by wordnet.py.\n")
        out.writelines(f"{line}\n" for line in sorted(lines))
