import assert from 'node:assert';
import { CohereClientV2 } from 'cohere-ai';
import { ASK, BASE, FIELD, checkKept, checkText, checkVerdict, fetchWithField, heads, ok } from './common.mjs';

const client = new CohereClientV2({ token: 'x', environment: BASE, maxRetries: 0, fetch: fetchWithField });
const question = { model: 'lease', messages: [{ role: 'user', content: ASK }] };

let text = '';
let note;
let verdict;
for await (const event of await client.chatStream(question)) {
  if (event.type === 'content-delta') text += event.delta.message.content.text;
  if (event.type === 'citation-start') note = event.delta.message.citations;
  if (event.type === 'message-end') verdict = event.citesieve;
}
checkText(text);
assert.strictEqual(text.slice(note.start, note.end), 'the annex');
checkVerdict(verdict);
ok('cohere-ai', 'chat, stream, verdict on message-end');

const response = await client.chat(question);
checkText(response.message.content[0].text);
checkVerdict(response.citesieve);
await checkKept(heads.at(-1));
ok('cohere-ai', 'chat, body, verdict in it and under its id');
