// What goes wrong at the upstream: through the proxy, every client throws what it throws without one, and has the sieved
// text up to there.
import assert from 'node:assert';
import { BASE, EXPECTED, ok } from './common.mjs';
import * as streams from './streams.mjs';

const UNTOUCHED = process.env.CITESIEVE_UNTOUCHED;
const HEADERS = { 'x-citesieve-sources': 'lease' };
const all = (events, text) => events.map((event) => text(event) ?? '').join('');
const parts = (events) => all(events, (event) => (event.type === 'text-delta' ? event.text : ''));

// Package, model, stream, the text of the events.
const clients = [
  ['openai', 'lease', streams.openaiChat, (events) => all(events, (event) => event.choices[0]?.delta.content)],
  ['openai', 'lease', streams.openaiResponses, (events) => all(events, (event) => (event.type === 'response.output_text.delta' ? event.delta : ''))],
  ['@anthropic-ai/sdk', 'lease', streams.anthropicMessages, (events) => all(events, (event) => event.delta?.text)],
  ['@google/genai', 'lease', streams.gemini, (events) => all(events, (event) => event.candidates?.[0].content.parts[0].text)],
  ['cohere-ai', 'lease', streams.cohereChat, (events) => all(events, (event) => event.delta?.message?.content?.text)],
  ['ollama', 'lease', streams.ollamaChat, (events) => all(events, (event) => event.message.content)],
  ['ai', 'lease', streams.aiTransport, (events) => events.at(-1)?.text ?? ''],
  ['@ai-sdk/openai', 'lease', streams.aiOpenaiChat, parts],
  ['@ai-sdk/openai', 'lease', streams.aiOpenaiResponses, parts],
  ['@ai-sdk/mistral', 'mistral-lease', streams.aiMistral, parts],
  ['@ai-sdk/anthropic', 'lease', streams.aiAnthropic, parts],
  ['@ai-sdk/google', 'lease', streams.aiGoogle, parts],
  ['@ai-sdk/cohere', 'lease', streams.aiCohere, parts],
];
// Each, and whether text comes first.
const faults = [[{ status: 401 }, false], [{ status: 429 }, false], [{ status: 503 }, false], [{ error_at: 3000 }, true], [{ cut: 3000 }, true]];

for (const [name, model, open, text] of clients) {
  for (const [fault, texts] of faults) {
    const what = `${name}, ${open.name}, ${JSON.stringify(fault)}`;
    const headers = { ...HEADERS, 'x-upstream': JSON.stringify(fault) };
    const [, , error] = await streams.seen(open, UNTOUCHED, headers, model);
    const [events, , same] = await streams.seen(open, BASE, headers, model);
    assert.deepStrictEqual([same?.name, same?.status, same?.statusCode], [error?.name, error?.status, error?.statusCode], what);
    const told = text(events);
    assert.ok(EXPECTED.startsWith(told) && (told !== '') === texts, `${what}: ${told}`);
  }
  ok(name, `${open.name}: statuses, an error frame, a cut, as without a proxy`);
}
