// Real recorded streams, sieved with every id real: the clients must see what they see of the untouched streams, errors
// included, and the verdict beside it where they show it.
import assert from 'node:assert';
import fs from 'node:fs';
import { BASE, ok } from './common.mjs';
import * as streams from './streams.mjs';

const UNTOUCHED = process.env.CITESIEVE_UNTOUCHED;
const FOLDER = process.env.CITESIEVE_RECORDINGS;

// Package, dialect, which recordings, whether the client shows the verdict, its stream. The one for Mistral fails on what
// others send, sooner or later as it happens.
const clients = [
  ['openai', 'openai-chat', /sse$/, true, streams.openaiChat],
  ['openai', 'openai-completions', /sse$/, true, streams.openaiCompletions],
  ['openai', 'openai-responses', /sse$/, true, streams.openaiResponses],
  ['@anthropic-ai/sdk', 'anthropic', /sse$/, true, streams.anthropicMessages],
  ['@google/genai', 'gemini', /sse$/, false, streams.gemini],
  ['cohere-ai', 'cohere-v2', /sse$/, true, streams.cohereChat],
  ['ollama', 'ollama', /chat.*ndjson$/, true, streams.ollamaChat],
  ['ollama', 'ollama', /generate.*ndjson$/, true, streams.ollamaGenerate],
  ['ai', 'ai-sdk-ui', /sse$/, true, streams.aiTransport],
  ['@ai-sdk/openai', 'openai-chat', /sse$/, true, streams.aiOpenaiChat],
  ['@ai-sdk/openai', 'openai-responses', /sse$/, true, streams.aiOpenaiResponses],
  ['@ai-sdk/mistral', 'openai-chat', /mistral.*sse$/, true, streams.aiMistral],
  ['@ai-sdk/anthropic', 'anthropic', /sse$/, true, streams.aiAnthropic],
  ['@ai-sdk/google', 'gemini', /sse$/, true, streams.aiGoogle],
  ['@ai-sdk/cohere', 'cohere-v2', /sse$/, true, streams.aiCohere],
];

for (const [name, dialect, which, shows, open] of clients) {
  let verdicts = 0;
  let shown = 0;
  const files = fs.readdirSync(`${FOLDER}/${dialect}`).filter((file) => which.test(file));
  for (const file of files) {
    const recording = file.replace(/\.\w+$/, '');
    const [untouched, none, error] = await streams.seen(open, UNTOUCHED, {}, recording);
    const [sieved, verdict, same] = await streams.seen(open, BASE, {}, recording);
    assert.ok((untouched.length > 0 || error) && none === undefined, `${name}, ${file}`);
    const settled = !(error && open === streams.aiTransport);
    if (settled) assert.deepStrictEqual(sieved, untouched, `${name}, ${file}: not what the untouched stream shows`);
    assert.strictEqual(String(same), String(error), `${name}, ${file}`);
    if (untouched.length > 0) shown += 1;
    if (verdict) verdicts += 1;
  }
  assert.ok(shown > files.length / 2, `${name} shows ${shown} of ${files.length} recordings`);
  assert.ok(shows ? verdicts > files.length / 2 : verdicts === 0, `${name} ${dialect} ${verdicts}`);
  ok(name, `${files.length} recordings of ${dialect}, as untouched, ${verdicts} with a verdict to see`);
}
