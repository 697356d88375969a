"""Asks a model that recites the answer of tests/cases/lease.txt, through the proxy, in three dialects."""

import json
import os
import pathlib

import anthropic
import openai

BASE = os.environ["CITESIEVE_BASE"]
CASES = pathlib.Path(__file__).parent / "../cases"
# The model's vocabulary has no line break at the end.
EXPECTED = (CASES / "lease.expected.txt").read_text().rstrip("\n")
FIELD = {"citesieve": {"sources": json.loads((CASES / "lease.sources.json").read_text())}}
LONG = 1200
QUESTION = [{"role": "user", "content": "What?"}]
ASKED = {"model": "recital", "messages": QUESTION, "max_tokens": LONG, "extra_body": {**FIELD, "temperature": 0}}


def check(what, text, verdict):
    assert text.rstrip("\n") == EXPECTED, f"{what}: not the sieved answer:\n{text}"
    assert verdict["markers"]["fabricated"] == 3, (what, verdict)
    print(f"llama.cpp, {what}: ok", flush=True)


chat = openai.OpenAI(api_key="none", base_url=f"{BASE}/v1", max_retries=0)
text, verdict = "", None
for chunk in chat.chat.completions.create(stream=True, **ASKED):
    text += "".join(choice.delta.content or "" for choice in chunk.choices)
    verdict = (chunk.model_extra or {}).get("citesieve", verdict)
check("chat, stream", text, verdict)

body = chat.chat.completions.create(**ASKED)
check("chat, body", body.choices[0].message.content, body.model_extra["citesieve"])

# Its events have no content_index, without which the client's `.stream()` helper fails, proxy or not.
text, stored, verdict = "", None, None
asked = {"model": "recital", "input": "What?", "max_output_tokens": LONG, "temperature": 0, "extra_body": FIELD}
for event in chat.responses.create(stream=True, **asked):
    if event.type == "response.output_text.delta":
        text += event.delta
    if event.type == "response.completed":
        stored, verdict = event.response.output_text, event.response.model_extra["citesieve"]
check("responses, stream", text, verdict)
check("responses, what is stored", stored, verdict)

text, verdict = "", None
messages = anthropic.Anthropic(api_key="none", base_url=BASE, max_retries=0)
for event in messages.messages.create(stream=True, **ASKED):
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        text += event.delta.text
    if event.type == "message_delta":
        verdict = event.model_extra["citesieve"]
check("messages, stream", text, verdict)
