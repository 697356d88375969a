from common import ASK, BASE, FIELD, check_kept, check_text, check_verdict, ok
from openai import OpenAI

client = OpenAI(api_key="x", base_url=f"{BASE}/v1", max_retries=0)
messages = [{"role": "user", "content": ASK}]

for model in ("lease", "llama-lease"):
    text, verdict = "", None
    for chunk in client.chat.completions.create(model=model, messages=messages, stream=True, extra_body=FIELD):
        for choice in chunk.choices:
            text += choice.delta.content or ""
        verdict = (chunk.model_extra or {}).get("citesieve", verdict)
    check_text(text)
    check_verdict(verdict)
ok("openai", "chat, stream, verdict on the last chunk")

text, verdict = "", None
with client.chat.completions.stream(model="lease", messages=messages, extra_body=FIELD) as stream:
    for event in stream:
        if event.type == "content.delta":
            text += event.delta
        if event.type == "chunk":
            verdict = (event.chunk.model_extra or {}).get("citesieve", verdict)
    check_text(stream.get_final_completion().choices[0].message.content)
check_text(text)
check_verdict(verdict)
ok("openai", "chat, stream helper, verdict on its chunk events")

raw = client.chat.completions.with_raw_response.create(model="lease", messages=messages, extra_body=FIELD)
completion = raw.parse()
check_text(completion.choices[0].message.content)
check_verdict(completion.model_extra.get("citesieve"))
check_kept(raw.headers)
ok("openai", "chat, body, verdict in it and under its id")

text, verdict = "", None
for chunk in client.completions.create(model="lease", prompt=ASK, stream=True, extra_body=FIELD):
    text += chunk.choices[0].text
    verdict = (chunk.model_extra or {}).get("citesieve", verdict)
check_text(text)
check_verdict(verdict)
ok("openai", "completions, stream, verdict on the last chunk")
