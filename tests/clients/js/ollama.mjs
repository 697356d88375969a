import { Ollama } from 'ollama';
import { ASK, BASE, FIELD, checkKept, checkText, checkVerdict, fetchWithField, heads, ok } from './common.mjs';

const client = new Ollama({ host: BASE, fetch: fetchWithField });
const messages = [{ role: 'user', content: ASK }];

let text = '';
let verdict;
for await (const line of await client.chat({ model: 'lease', messages, stream: true, ...FIELD })) {
  text += line.message.content;
  verdict = line.citesieve;
}
checkText(text);
checkVerdict(verdict);
ok('ollama', 'chat, stream, verdict on the last line');

const response = await client.chat({ model: 'lease', messages });
checkText(response.message.content);
checkVerdict(response.citesieve);
await checkKept(heads.at(-1));
ok('ollama', 'chat, body, verdict in it and under its id');
