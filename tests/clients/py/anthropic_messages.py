from anthropic import Anthropic
from common import ASK, BASE, FIELD, check_kept, check_text, check_verdict, ok

client = Anthropic(api_key="x", base_url=BASE, max_retries=0)
question = {"max_tokens": 1024, "messages": [{"role": "user", "content": ASK}], "extra_body": FIELD}

for model in ("lease", "llama-lease"):
    text, verdict = "", None
    for event in client.messages.create(model=model, stream=True, **question):
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            text += event.delta.text
        if event.type == "message_delta":
            verdict = event.model_extra.get("citesieve")
    check_text(text)
    check_verdict(verdict)
ok("anthropic", "messages, stream, verdict on message_delta")

verdict = None
with client.messages.stream(model="lease", **question) as stream:
    for event in stream:
        if event.type == "message_delta":
            verdict = event.model_extra.get("citesieve")
    message = stream.get_final_message()
check_text("".join(block.text for block in message.content))
assert [len(block.citations or []) for block in message.content] == [1, 0, 0]
check_verdict(verdict)
ok("anthropic", "messages, stream helper, verdict on message_delta")

raw = client.messages.with_raw_response.create(model="lease", **question)
message = raw.parse()
check_text("".join(block.text for block in message.content))
check_verdict(message.model_extra.get("citesieve"))
check_kept(raw.headers)
ok("anthropic", "messages, body, verdict in it and under its id")
