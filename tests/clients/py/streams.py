"""One stream of every API, by the client for it: what `recordings.py` and `errors.py` compare."""

import anthropic
import cohere
import httpx
import ollama
import openai
from google import genai
from google.genai import types
from mistralai.client import Mistral

ASK = [{"role": "user", "content": "?"}]


def openai_at(base, headers):
    return openai.OpenAI(api_key="x", base_url=f"{base}/v1", max_retries=0, default_headers=headers)


def openai_chat(base, headers, model):
    return openai_at(base, headers).chat.completions.create(model=model, messages=ASK, stream=True)


def openai_completions(base, headers, model):
    return openai_at(base, headers).completions.create(model=model, prompt="?", stream=True)


def openai_responses(base, headers, model):
    return openai_at(base, headers).responses.create(model=model, input="?", stream=True)


def anthropic_messages(base, headers, model):
    client = anthropic.Anthropic(api_key="x", base_url=base, max_retries=0, default_headers=headers)
    return client.messages.create(model=model, max_tokens=9, messages=ASK, stream=True)


def gemini(base, headers, model):
    options = types.HttpOptions(base_url=base, api_version="v1beta", headers=headers)
    client = genai.Client(api_key="x", http_options=options)  # Its connections close with it.
    yield from client.models.generate_content_stream(model=model, contents="?")


def cohere_chat(base, headers, model):
    options = {"additional_headers": headers, "max_retries": 0}
    return cohere.ClientV2(api_key="x", base_url=base).chat_stream(model=model, messages=ASK, request_options=options)


def ollama_chat(base, headers, model):
    return ollama.Client(host=base, headers=headers).chat(model=model, messages=ASK, stream=True)


def ollama_generate(base, headers, model):
    return ollama.Client(host=base, headers=headers).generate(model=model, prompt="?", stream=True)


def mistral_chat(base, headers, model):
    client = Mistral(api_key="x", server_url=base, client=httpx.Client(headers=headers))
    return client.chat.stream(model=model, messages=ASK)


def dumped(event):
    """What a client shows of an event, and its verdict."""
    shown = event.model_dump(exclude={"sdk_http_response"})
    for place in (shown, shown.get("response")):
        if isinstance(place, dict) and "citesieve" in place:
            return shown, place.pop("citesieve")
    return shown, None


def seen(stream, base, headers, model):
    """All that a client shows of a stream, the verdict, and the error that it ends in."""
    events, verdict = [], None
    try:
        for event in stream(base, headers, model):
            shown, found = dumped(event)
            events.append(shown)
            verdict = found or verdict
    except Exception as error:
        return events, verdict, error
    return events, verdict, None
