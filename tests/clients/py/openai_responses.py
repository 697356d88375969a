from common import ASK, BASE, FIELD, check_kept, check_text, check_verdict, ok
from openai import OpenAI

client = OpenAI(api_key="x", base_url=f"{BASE}/v1", max_retries=0)


def check_note(response):
    part = response.output[0].content[0]
    note = part.annotations[0]
    assert part.text[note.start_index : note.end_index] == "the annex", note


for model in ("lease", "llama-lease"):
    text, completed = "", None
    for event in client.responses.create(model=model, input=ASK, stream=True, extra_body=FIELD):
        if event.type == "response.output_text.delta":
            text += event.delta
        if event.type == "response.completed":
            completed = event.response
    check_text(text)
    check_text(completed.output[0].content[0].text)
    check_verdict(completed.model_extra.get("citesieve"))
ok("openai", "responses, stream, verdict in the completed response")

with client.responses.stream(model="lease", input=ASK, extra_body=FIELD) as stream:
    text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
    final = stream.get_final_response()
check_text(text)
check_text(final.output_text)
check_note(final)
check_verdict(final.citesieve)
ok("openai", "responses, stream helper, get_final_response().citesieve")

raw = client.responses.with_raw_response.create(model="lease", input=ASK, extra_body=FIELD)
response = raw.parse()
check_text(response.output_text)
check_note(response)
check_verdict(response.citesieve)
check_kept(raw.headers)
ok("openai", "responses, body, verdict in it and under its id")
