"""What the Python clients share: where the server is, what is asked, what the answer has to be."""

import importlib.metadata
import json
import os
import pathlib
import urllib.request

BASE = os.environ["CITESIEVE_BASE"]
CASES = pathlib.Path(__file__).parent / "../../cases"
EXPECTED = (CASES / "lease.expected.txt").read_text()
SOURCES = json.loads((CASES / "lease.sources.json").read_text())
QUESTION = "What does the lease say about rent?"

# Where the request has its sources: in its body field `citesieve`, or in tags in the question, as Open WebUI puts them.
# Clients that cannot add a field to the body add a field to the head, which names a set that the proxy knows.
if os.environ.get("CITESIEVE_SOURCES") == "tags":
    tags = [f'<source id="{each["id"]}" name="{each["title"]}">{each["text"]}</source>' for each in SOURCES]
    ASK = "### Task:\nRespond using the context.\n\n<context>\n" + "\n".join(tags) + "\n</context>\n\n" + QUESTION
    FIELD, HEADERS = {}, {}
else:
    ASK = QUESTION
    FIELD, HEADERS = {"citesieve": {"sources": SOURCES}}, {"x-citesieve-sources": "lease"}


def check_text(text):
    assert text == EXPECTED, f"not the sieved answer:\n{text}"


def check_verdict(verdict):
    """A verdict as an object of the client or as JSON, whole."""
    if isinstance(verdict, str):
        verdict = json.loads(verdict)
    assert verdict, "there is no verdict"
    found = (verdict["status"], verdict["markers"]["fabricated"], verdict["edit_count"], verdict["quote_counts"]["altered"])
    assert found == ("downgraded", 3, 5, 1), found


def check_kept(headers):
    """The verdict under the id in the head of the answer: for clients that show nothing that they do not know."""
    number = headers["x-citesieve-id"]
    status = 202
    while status == 202:  # The client has read the answer, and the proxy is about to write down what it was.
        with urllib.request.urlopen(f"{BASE}/_citesieve/verdicts/{number}") as answer:
            status, record = answer.status, json.load(answer)
    check_verdict(record["choices"][0]["verdict"])


def ok(package, what):
    print(f"{package} {importlib.metadata.version(package)} (Python): {what}: ok", flush=True)
