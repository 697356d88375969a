import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { ASK, BASE, FIELD, checkKept, checkText, checkVerdict, fetchWithField, heads, ok } from './common.mjs';

// What `useChat` does in the browser. The path is that of every tutorial, and Ollama's too.
const transport = new DefaultChatTransport({
  api: `${BASE}/api/chat`,
  headers: { 'x-upstream': JSON.stringify({ recording: 'ai-sdk-ui/lease.sse' }) },
  body: FIELD,
  fetch: fetchWithField,
});
const stream = await transport.sendMessages({
  chatId: 'c',
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: ASK }] }],
  trigger: 'submit-message',
});
let message;
const onError = (error) => {
  throw error;
};
for await (const state of readUIMessageStream({ stream, onError, terminateOnError: true })) message = state;
checkText(message.parts.map((part) => part.text ?? '').join(''));
checkVerdict(message.metadata.citesieve);
await checkKept(heads.at(-1));
ok('ai', 'chat transport, verdict in the metadata of the message and under its id');
