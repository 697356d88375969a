import httpx
from common import ASK, BASE, HEADERS, check_kept, check_text, ok
from mistralai.client import Mistral

# It shows neither unknown fields nor the head of the answer: its HTTP client has that.
heads = []
hooks = {"response": [lambda response: heads.append(response.headers)]}
http = httpx.Client(headers=HEADERS, event_hooks=hooks, follow_redirects=True)
client = Mistral(api_key="x", server_url=BASE, client=http)
messages = [{"role": "user", "content": ASK}]


def words(content):
    """The text of a content, which is a string or a list of thoughts and texts."""
    if isinstance(content, str):
        return content
    return "".join(part.text for part in content or [] if part.type == "text")


text = ""
for event in client.chat.stream(model="mistral-lease", messages=messages):
    text += words(event.data.choices[0].delta.content)
check_text(text)
check_kept(heads[-1])
ok("mistralai", "chat, stream, verdict under the id")

response = client.chat.complete(model="mistral-lease", messages=messages)
check_text(words(response.choices[0].message.content))
check_kept(heads[-1])
ok("mistralai", "chat, body, verdict under the id")
