import cohere
from common import ASK, BASE, FIELD, check_kept, check_text, check_verdict, ok

client = cohere.ClientV2(api_key="x", base_url=BASE)
question = {"model": "lease", "messages": [{"role": "user", "content": ASK}],
            "request_options": {"additional_body_parameters": FIELD, "max_retries": 0}}


def check_note(citation, text):
    assert citation.text == "the annex" and text[citation.start : citation.end] == "the annex", citation


text, citations, verdict = "", [], None
for event in client.chat_stream(**question):
    if event.type == "content-delta":
        text += event.delta.message.content.text
    if event.type == "citation-start":
        citations.append(event.delta.message.citations)
    if event.type == "message-end":
        verdict = event.model_extra.get("citesieve")
check_text(text)
check_note(citations[0], text)
check_verdict(verdict)
ok("cohere", "chat, stream, verdict on message-end")

raw = client.with_raw_response.chat(**question)
check_text(raw.data.message.content[0].text)
check_note(raw.data.message.citations[0], raw.data.message.content[0].text)
check_verdict(raw.data.model_extra.get("citesieve"))
check_kept(raw.headers)
ok("cohere", "chat, body, verdict in it and under its id")
