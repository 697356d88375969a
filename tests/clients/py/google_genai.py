from common import ASK, BASE, FIELD, check_kept, check_text, ok
from google import genai
from google.genai import types

options = types.HttpOptions(base_url=BASE, api_version="v1beta", extra_body=FIELD or None)
client = genai.Client(api_key="x", http_options=options)


def check_note(candidate, text):
    support = candidate.grounding_metadata.grounding_supports[0].segment
    assert support.text == "the annex"
    assert text.encode()[support.start_index : support.end_index] == b"the annex", support


# Fields that it does not know are gone from its objects: the verdict is under the id.
text, last = "", None
for chunk in client.models.generate_content_stream(model="lease", contents=ASK):
    text += chunk.text or ""
    last = chunk
check_text(text)
check_note(last.candidates[0], text)
check_kept(last.sdk_http_response.headers)
ok("google-genai", "stream, verdict under the id")

response = client.models.generate_content(model="lease", contents=ASK)
check_text(response.text)
check_note(response.candidates[0], response.text)
check_kept(response.sdk_http_response.headers)
ok("google-genai", "body, verdict under the id")
