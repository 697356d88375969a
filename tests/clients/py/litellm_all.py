import litellm
from common import ASK, BASE, FIELD, HEADERS, check_kept, check_text, check_verdict, ok

litellm.suppress_debug_info = True
messages = [{"role": "user", "content": ASK}]

# It keeps unknown fields of OpenAI's chunks only, and the head of an answer where it says so in `_hidden_params`.
for model, base, sources in (
    ("openai/lease", f"{BASE}/v1", {"extra_body": FIELD}),
    ("anthropic/lease", f"{BASE}/v1/messages", {"extra_headers": HEADERS}),
    ("gemini/lease", BASE, {"extra_headers": HEADERS}),
    ("ollama_chat/lease", BASE, {"extra_headers": HEADERS}),
):
    question = {"model": model, "api_base": base, "api_key": "x", "messages": messages, "num_retries": 0, **sources}
    text, verdict = "", None
    stream = litellm.completion(stream=True, **question)
    for chunk in stream:
        text += chunk.choices[0].delta.content or ""
        verdict = chunk.model_dump().get("citesieve", verdict)
    check_text(text)
    where = []
    if model.startswith("openai/"):
        check_verdict(verdict)
        where.append("on the last chunk")
    head = stream._hidden_params.get("additional_headers") or {}
    if not model.startswith("gemini/"):
        check_kept({"x-citesieve-id": head["llm_provider-x-citesieve-id"]})
        where.append("under the id")
    check_text(litellm.completion(**question).choices[0].message.content)
    ok("litellm", f"{model}, stream and body, verdict {' and '.join(where) or 'not to be seen'}")
