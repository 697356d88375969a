import Anthropic from '@anthropic-ai/sdk';
import { ASK, BASE, FIELD, checkKept, checkText, checkVerdict, ok } from './common.mjs';

const client = new Anthropic({ apiKey: 'x', baseURL: BASE, maxRetries: 0 });
const question = { max_tokens: 1024, messages: [{ role: 'user', content: ASK }], ...FIELD };
const words = (message) => message.content.map((block) => block.text).join('');

for (const model of ['lease', 'llama-lease']) {
  let text = '';
  let verdict;
  for await (const event of await client.messages.create({ model, stream: true, ...question })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    if (event.type === 'message_delta') verdict = event.citesieve;
  }
  checkText(text);
  checkVerdict(verdict);
}
ok('@anthropic-ai/sdk', 'messages, stream, verdict on message_delta');

let verdict;
const stream = client.messages.stream({ model: 'lease', ...question });
stream.on('streamEvent', (event) => {
  if (event.type === 'message_delta') verdict = event.citesieve;
});
checkText(words(await stream.finalMessage()));
checkVerdict(verdict);
ok('@anthropic-ai/sdk', 'messages, stream helper, verdict on message_delta');

const { data, response } = await client.messages.create({ model: 'lease', ...question }).withResponse();
checkText(words(data));
checkVerdict(data.citesieve);
await checkKept(response.headers);
ok('@anthropic-ai/sdk', 'messages, body, verdict in it and under its id');
