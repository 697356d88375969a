#!/usr/bin/env python3
"""Text extracted from a PDF is a source like any other: quotes from a manual's HTML, sources from its PDF.

Needs the Debian packages poppler-utils, developers-reference, developers-reference-de, -fr and -ja, and the program:

    apt-get install poppler-utils developers-reference{,-de,-fr,-ja}
    cargo build --release
    crates/citesieve/benches/pdf.py target/release/citesieve

Prints, per language, how many quotes there were and how many were rejected, and exits 1 when more than 0.5 % of them were.
"""

import html
import html.parser
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

PLACES = {
    "en": "developers-reference",
    "de": "developers-reference-de",
    "fr": "developers-reference-fr",
    "ja": "developers-reference-ja",
}
MOST_REJECTED = 0.005


class Paragraphs(html.parser.HTMLParser):
    """The paragraphs of a page's body, without code and notes, each as plain text."""

    SKIPPED = {"script", "style", "pre", "nav", "sup", "table", "footer"}

    def __init__(self):
        super().__init__()
        self.paragraphs, self.text, self.skipped, self.inside, self.marked = [], "", 0, 0, False

    def handle_starttag(self, tag, attributes):
        if tag in self.SKIPPED:
            self.skipped += 1
        if tag == "p":
            self.inside, self.text, self.marked = 1, "", False
        # References are numbered or spelled out in the PDF, and links get footnotes there.
        if tag == "a" and self.inside:
            self.marked = True

    def handle_endtag(self, tag):
        if tag in self.SKIPPED:
            self.skipped = max(0, self.skipped - 1)
        if tag == "p" and self.inside:
            self.inside = 0
            if not self.marked:
                self.paragraphs.append(" ".join(self.text.split()))

    def handle_data(self, data):
        if self.inside and not self.skipped:
            self.text += data


def pages(package):
    """HTML pages and the PDF that a package ships."""
    files = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True).stdout.split("\n")
    paths = [pathlib.Path(name) for name in files]
    found = [path for path in paths if path.suffix == ".html" and path.is_file()]
    pdfs = [path for path in paths if path.suffix == ".pdf" and path.is_file()]
    return found, pdfs


def sentences(paragraph, language):
    """Stretches of a paragraph that somebody might quote."""
    if language == "ja":
        return [part for part in re.split(r"(?<=[。])", paragraph) if len(part) >= 12]
    return [part for part in re.split(r"(?<=[.!?]) (?=[A-ZÀ-Þ])", paragraph) if len(part.split()) >= 6]


def cases(language, package, chance):
    found, pdfs = pages(package)
    for path in found:
        parser = Paragraphs()
        parser.feed(path.read_text(encoding="utf-8"))
        for paragraph in parser.paragraphs:
            for sentence in sentences(paragraph, language):
                # Japanese is cut anywhere but in a word or number of another script.
                pattern = r"[!-~]+|\S" if language == "ja" else r"\S+"
                words = list(re.finditer(pattern, sentence))
                low, high = (12, 40) if language == "ja" else (6, 20)
                length = chance.randint(low, high)
                start = chance.randint(0, max(0, len(words) - length))
                part = words[start : start + length]
                yield sentence[part[0].start() : part[-1].end()]


def plain(text):
    """For telling a quote that the PDF does not have at all: letters and digits only."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/citesieve"
    chance = random.Random(1)
    failed = False
    for language, package in PLACES.items():
        _, pdfs = pages(package)
        if not pdfs:
            print(f"{language}: package {package} is not installed")
            failed = True
            continue
        text = subprocess.run(["pdftotext", str(pdfs[0]), "-"], capture_output=True, text=True, check=True).stdout
        letters = plain(text)
        quotes, absent = [], 0
        for quote in cases(language, package, chance):
            # The two editions differ in places, and a quote over a page break has that page's header in it: not the
            # matcher's doing.
            if plain(quote) in letters:
                quotes.append(quote)
            else:
                absent += 1
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            docs, lines = directory / "docs.json", directory / "cases.jsonl"
            results = directory / "results.jsonl"
            docs.write_text(json.dumps({package: text}), encoding="utf-8")
            with lines.open("w", encoding="utf-8") as file:
                for number, quote in enumerate(quotes):
                    case = {"id": f"{language}-{number}", "mode": "pdf", "expect": "found", "source": package}
                    file.write(json.dumps(case | {"quote": quote}) + "\n")
            command = [program, "eval", "quotes", "--sources", docs, lines, "--results", results]
            run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
            if not results.exists():
                sys.exit(f"{' '.join(map(str, command))}: {run.stderr}")
            got = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
        by_id = {f"{language}-{number}": quote for number, quote in enumerate(quotes)}
        rejected = [by_id[one["id"]] for one in got if one["got"] not in ("verified", "too_short")]
        share = len(rejected) / max(1, len(quotes))
        print(f"{language}: {len(quotes)} quotes ({absent} not in the PDF), {len(rejected)} rejected, {share:.2%}")
        for quote in rejected[:10]:
            print("   ", quote)
        failed |= share > MOST_REJECTED or len(quotes) < 100
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
