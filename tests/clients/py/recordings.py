"""Real recorded streams, sieved with every id real: the clients must see what they see of the untouched streams, errors
included, and the verdict beside it where they show it."""

import os
import pathlib

import anthropic
import cohere
import ollama
import openai
from common import BASE, ok
from google import genai
from google.genai import types

UNTOUCHED = os.environ["CITESIEVE_UNTOUCHED"]
FOLDER = pathlib.Path(os.environ["CITESIEVE_RECORDINGS"])
MESSAGES = [{"role": "user", "content": "?"}]


def openai_at(base):
    return openai.OpenAI(api_key="x", base_url=f"{base}/v1", max_retries=0)


def gemini_at(base):
    return genai.Client(api_key="x", http_options=types.HttpOptions(base_url=base, api_version="v1beta"))


def dumped(event):
    """What the client shows of an event, and its verdict."""
    shown = event.model_dump(exclude={"sdk_http_response"})
    for place in (shown, shown.get("response")):
        if isinstance(place, dict) and "citesieve" in place:
            return shown, place.pop("citesieve")
    return shown, None


# The streams of a dialect with a client at an address, and whether it shows the verdict.
CLIENTS = {
    "openai-chat": ("openai", True, lambda base, name: openai_at(base).chat.completions.create(
        model=name, messages=MESSAGES, stream=True)),
    "openai-completions": ("openai", True, lambda base, name: openai_at(base).completions.create(
        model=name, prompt="?", stream=True)),
    "openai-responses": ("openai", True, lambda base, name: openai_at(base).responses.create(
        model=name, input="?", stream=True)),
    "anthropic": ("anthropic", True, lambda base, name: anthropic.Anthropic(
        api_key="x", base_url=base, max_retries=0).messages.create(
        model=name, max_tokens=9, messages=MESSAGES, stream=True)),
    "gemini": ("google-genai", False, lambda base, name: gemini_at(base).models.generate_content_stream(
        model=name, contents="?")),
    "cohere-v2": ("cohere", True, lambda base, name: cohere.ClientV2(api_key="x", base_url=base).chat_stream(
        model=name, messages=MESSAGES)),
    "ollama": ("ollama", False, lambda base, name: ollama.Client(host=base).chat(
        model=name, messages=MESSAGES, stream=True) if name.startswith("chat") else ollama.Client(host=base).generate(
        model=name, prompt="?", stream=True)),
}


def seen(stream, base, name):
    """All that a client shows of a recording, up to the error if it ends in one, and the verdict."""
    events, verdict = [], None
    try:
        for event in stream(base, name):
            shown, found = dumped(event)
            events.append(shown)
            verdict = found or verdict
    except Exception as error:
        events.append((type(error), str(error)))
    return events, verdict


for dialect, (package, shows, stream) in CLIENTS.items():
    verdicts, count = 0, 0
    for file in sorted((FOLDER / dialect).glob("*.*")):
        if file.suffix not in (".sse", ".ndjson"):
            continue
        untouched, none = seen(stream, UNTOUCHED, file.stem)
        sieved, verdict = seen(stream, BASE, file.stem)
        assert untouched and none is None, file
        assert sieved == untouched, f"{file}: not what the untouched stream shows"
        verdicts += verdict is not None
        count += 1
    assert count and (verdicts > count / 2 if shows else verdicts == 0), (dialect, verdicts, count)
    ok(package, f"{count} recordings of {dialect}, as untouched, {verdicts} with a verdict to see")
