"""Asks through LiteLLM's proxy, which asks citesieve: streamed and not, with sources and without."""

import json
import os
import pathlib
import urllib.request

import openai

CASES = pathlib.Path(__file__).parent / "../cases"
RAW = (CASES / "lease.txt").read_text()
EXPECTED = (CASES / "lease.expected.txt").read_text()
SOURCES = json.loads((CASES / "lease.sources.json").read_text())
TAGS = "\n".join(f'<source id="{each["id"]}" name="{each["title"]}">{each["text"]}</source>' for each in SOURCES)
PLAIN = "What does the lease say about rent?"
TAGGED = f"### Task:\nRespond using the context.\n\n<context>\n{TAGS}\n</context>\n\n{PLAIN}"

client = openai.OpenAI(base_url=os.environ["LITELLM_BASE"] + "/v1", api_key="none", max_retries=0)


def check(what, text, expected, head):
    assert text == expected, f"{what}: not the expected answer:\n{text}"
    address = f"{os.environ['CITESIEVE_BASE']}/_citesieve/verdicts/{head['x-litellm-call-id']}"
    if expected == EXPECTED:
        with urllib.request.urlopen(address) as answer:
            record = json.load(answer)
        verdict = record["choices"][0]["verdict"]
        found = (record["sources_from"], verdict["status"], verdict["markers"]["fabricated"], verdict["edit_count"])
        assert found == ("open-webui", "downgraded", 3, 5), found
    print(f"LiteLLM's proxy: {what}: ok", flush=True)


for name, question, expected in (("sources in the question", TAGGED, EXPECTED), ("no sources", PLAIN, RAW)):
    asked = {"model": "m", "messages": [{"role": "user", "content": question}]}
    raw = client.chat.completions.with_raw_response.create(stream=True, **asked)
    pieces = [chunk.choices[0].delta.content or "" for chunk in raw.parse() if chunk.choices]
    assert len([piece for piece in pieces if piece]) > 10, f"{name}: it did not stream: {pieces}"
    check(f"{name}, stream", "".join(pieces), expected, raw.headers)
    raw = client.chat.completions.with_raw_response.create(**asked)
    check(f"{name}, body", raw.parse().choices[0].message.content, expected, raw.headers)
