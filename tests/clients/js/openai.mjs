import assert from 'node:assert';
import OpenAI from 'openai';
import { ASK, BASE, FIELD, checkKept, checkText, checkVerdict, ok } from './common.mjs';

const client = new OpenAI({ apiKey: 'x', baseURL: `${BASE}/v1`, maxRetries: 0 });
const chat = { messages: [{ role: 'user', content: ASK }], ...FIELD };

for (const model of ['lease', 'llama-lease']) {
  let text = '';
  let verdict;
  for await (const chunk of await client.chat.completions.create({ model, stream: true, ...chat })) {
    text += chunk.choices[0]?.delta.content ?? '';
    verdict = chunk.citesieve ?? verdict;
  }
  checkText(text);
  checkVerdict(verdict);
}
ok('openai', 'chat, stream, verdict on the last chunk');

const completion = await client.chat.completions.stream({ model: 'lease', ...chat }).finalChatCompletion();
checkText(completion.choices[0].message.content);
checkVerdict(completion.citesieve);
ok('openai', 'chat, stream helper, verdict in the final completion');

const { data, response: head } = await client.chat.completions.create({ model: 'lease', ...chat }).withResponse();
checkText(data.choices[0].message.content);
checkVerdict(data.citesieve);
await checkKept(head.headers);
ok('openai', 'chat, body, verdict in it and under its id');

const question = { model: 'lease', input: ASK, ...FIELD };
let text = '';
let completed;
for await (const event of await client.responses.create({ stream: true, ...question })) {
  if (event.type === 'response.output_text.delta') text += event.delta;
  if (event.type === 'response.completed') completed = event.response;
}
checkText(text);
checkText(completed.output[0].content[0].text);
checkVerdict(completed.citesieve);
ok('openai', 'responses, stream, verdict in the completed response');

const final = await client.responses.stream(question).finalResponse();
checkText(final.output_text);
const [part] = final.output[0].content;
assert.strictEqual(part.text.slice(part.annotations[0].start_index, part.annotations[0].end_index), 'the annex');
checkVerdict(final.citesieve);
ok('openai', 'responses, stream helper, finalResponse().citesieve');

const response = await client.responses.create(question);
checkText(response.output_text);
checkVerdict(response.citesieve);
ok('openai', 'responses, body, verdict in it');
