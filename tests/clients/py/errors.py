"""What goes wrong at the upstream: through the proxy, every client raises what it raises without one, and has the sieved
text up to there."""

import json
import os
import time
import urllib.request

import streams
from common import BASE, EXPECTED, HEADERS, ok

UNTOUCHED = os.environ["CITESIEVE_UNTOUCHED"]


def content(message):
    """The text of a content, which is a string or a list of thoughts and texts."""
    if isinstance(message, str):
        return message
    return "".join(part["text"] for part in message or [] if part["type"] == "text")


# Package, model, stream, the text of an event as it is shown.
CLIENTS = (
    ("openai", "lease", streams.openai_chat, lambda e: "".join(c["delta"]["content"] or "" for c in e["choices"])),
    ("openai", "lease", streams.openai_responses, lambda e: e["delta"] if e["type"] == "response.output_text.delta" else ""),
    ("anthropic", "lease", streams.anthropic_messages, lambda e: (e.get("delta") or {}).get("text") or ""),
    ("google-genai", "lease", streams.gemini, lambda e: e["candidates"][0]["content"]["parts"][0]["text"]),
    ("cohere", "lease", streams.cohere_chat, lambda e: e["delta"]["message"]["content"]["text"] if e["type"] == "content-delta" else ""),
    ("ollama", "lease", streams.ollama_chat, lambda e: e["message"]["content"]),
    ("mistralai", "mistral-lease", streams.mistral_chat, lambda e: content(e["data"]["choices"][0]["delta"]["content"])),
)
# Each, and whether text comes first.
FAULTS = (({"status": 401}, False), ({"status": 429}, False), ({"status": 503}, False), ({"error_at": 3000}, True), ({"cut": 3000}, True))


def abandoned():
    with urllib.request.urlopen(f"{UNTOUCHED}/_upstream/stats") as answer:
        return json.load(answer)["abandoned"]


for package, model, stream, text in CLIENTS:
    for fault, texts in FAULTS:
        headers = {**HEADERS, "x-upstream": json.dumps(fault)}
        _, _, error = streams.seen(stream, UNTOUCHED, headers, model)
        events, verdict, same = streams.seen(stream, BASE, headers, model)
        assert type(same) is type(error), f"{package}, {fault}: {same!r} instead of {error!r}"
        status = getattr(error, "status_code", getattr(error, "code", None))
        assert getattr(same, "status_code", getattr(same, "code", None)) == status, (package, fault, same)
        told = "".join(text(event) for event in events)
        assert EXPECTED.startswith(told) and bool(told) == texts, (package, fault, told)
    # A client that leaves is one less for the upstream too.
    before = abandoned()
    answer = stream(BASE, {**HEADERS, "x-upstream": '{"stall": 2000}'}, model)
    events = iter(answer)
    next(events)
    for end in (getattr(events, "close", None), getattr(answer, "close", None)):
        if end:
            end()
    if hasattr(answer, "__exit__"):
        answer.__exit__(None, None, None)
    while abandoned() == before:
        time.sleep(0.05)
    ok(package, f"{stream.__name__}: statuses, an error frame, a cut, as without a proxy; leaving")
