import ollama
from common import ASK, BASE, HEADERS, check_kept, check_text, ok

# It neither takes fields that it does not know nor shows them, nor the head of the answer: its HTTP client has that.
heads = []
client = ollama.Client(host=BASE, headers=HEADERS, event_hooks={"response": [lambda response: heads.append(response.headers)]})
messages = [{"role": "user", "content": ASK}]

text = "".join(line.message.content for line in client.chat(model="lease", messages=messages, stream=True))
check_text(text)
check_kept(heads[-1])
ok("ollama", "chat, stream, verdict under the id")

check_text(client.chat(model="lease", messages=messages).message.content)
check_kept(heads[-1])
ok("ollama", "chat, body, verdict under the id")

text = "".join(line.response for line in client.generate(model="lease-generate", prompt=ASK, stream=True))
check_text(text)
check_text(client.generate(model="lease-generate", prompt=ASK).response)
check_kept(heads[-1])
ok("ollama", "generate, stream and body, verdict under the id")
