// Real recorded streams, sieved with every id real: the clients must see what they see of the untouched streams, errors
// included, and the verdict beside it where they show it.
import assert from 'node:assert';
import fs from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createCohere } from '@ai-sdk/cohere';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { DefaultChatTransport, readUIMessageStream, streamText } from 'ai';
import { CohereClientV2 } from 'cohere-ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { BASE, ok } from './common.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;
const UNTOUCHED = process.env.CITESIEVE_UNTOUCHED;
const FOLDER = process.env.CITESIEVE_RECORDINGS;
const messages = [{ role: 'user', content: '?' }];
const openai = (base) => new OpenAI({ apiKey: 'x', baseURL: `${base}/v1`, maxRetries: 0 });
const anthropic = (base) => new Anthropic({ apiKey: 'x', baseURL: base, maxRetries: 0 });
const google = (base) => new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: base } });

// The parts that the AI SDK makes of a stream; its own ids and times are left out.
async function* aiSdk(model) {
  const onError = () => {};
  for await (const part of streamText({ model, prompt: '?', maxRetries: 0, includeRawChunks: true, onError }).fullStream) {
    if (part.type === 'raw') yield { raw: part.rawValue };
    if (part.type === 'error') yield { type: 'error', error: String(part.error) };
    if (part.type.endsWith('-delta')) yield { type: part.type, text: part.text ?? part.delta };
    if (part.type === 'source') yield { type: part.type, url: part.url };
    if (part.type === 'finish') yield { type: part.type, finishReason: part.finishReason, usage: part.totalUsage };
  }
}

async function* transport(base, name) {
  const headers = { 'x-upstream': JSON.stringify({ recording: `ai-sdk-ui/${name}.sse` }) };
  const api = new DefaultChatTransport({ api: `${base}/api/chat`, headers });
  const ask = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: '?' }] }];
  const stream = await api.sendMessages({ chatId: 'c', messages: ask, trigger: 'submit-message' });
  const errors = [];
  let last;
  for await (const state of readUIMessageStream({ stream, onError: (error) => errors.push(String(error)) })) last = state;
  yield { parts: last.parts, citesieve: last.metadata?.citesieve, errors };
}

// Package, dialect, whether it shows the verdict, the stream of a recording at an address, which recordings: that of
// Mistral fails on what others send, sooner or later as it happens.
const clients = [
  ['openai', 'openai-chat', true, (base, model) => openai(base).chat.completions.create({ model, messages, stream: true })],
  ['openai', 'openai-completions', true, (base, model) => openai(base).completions.create({ model, prompt: '?', stream: true })],
  ['openai', 'openai-responses', true, (base, model) => openai(base).responses.create({ model, input: '?', stream: true })],
  ['@anthropic-ai/sdk', 'anthropic', true, (base, model) => anthropic(base).messages.create({ model, max_tokens: 9, messages, stream: true })],
  ['@google/genai', 'gemini', false, (base, model) => google(base).models.generateContentStream({ model, contents: '?' })],
  ['cohere-ai', 'cohere-v2', true, (base, model) => new CohereClientV2({ token: 'x', environment: base }).chatStream({ model, messages })],
  ['ollama', 'ollama', true, (base, model) => model.startsWith('chat')
    ? new Ollama({ host: base }).chat({ model, messages, stream: true })
    : new Ollama({ host: base }).generate({ model, prompt: '?', stream: true })],
  ['ai', 'ai-sdk-ui', true, transport],
  ['@ai-sdk/openai', 'openai-chat', true, (base, name) => aiSdk(createOpenAI({ apiKey: 'x', baseURL: `${base}/v1` }).chat(name))],
  ['@ai-sdk/openai', 'openai-responses', true, (base, name) => aiSdk(createOpenAI({ apiKey: 'x', baseURL: `${base}/v1` }).responses(name))],
  ['@ai-sdk/mistral', 'openai-chat', true, (base, name) => aiSdk(createMistral({ apiKey: 'x', baseURL: `${base}/v1` })(name)), /mistral/],
  ['@ai-sdk/anthropic', 'anthropic', true, (base, name) => aiSdk(createAnthropic({ apiKey: 'x', baseURL: `${base}/v1` })(name))],
  ['@ai-sdk/google', 'gemini', true, (base, name) => aiSdk(createGoogleGenerativeAI({ apiKey: 'x', baseURL: `${base}/v1beta` })(name))],
  ['@ai-sdk/cohere', 'cohere-v2', true, (base, name) => aiSdk(createCohere({ apiKey: 'x', baseURL: `${base}/v2` })(name))],
];

// All that a client shows of a recording, up to the error if it ends in one, and the verdict.
async function seen(open, base, name) {
  const events = [];
  let verdict;
  try {
    for await (const event of await open(base, name)) {
      const shown = JSON.parse(JSON.stringify(event));
      delete shown.sdkHttpResponse;
      for (const place of [shown, shown.response, shown.raw, shown.raw?.response]) {
        verdict = place?.citesieve ?? verdict;
        if (place?.citesieve) delete place.citesieve;
      }
      events.push(shown);
    }
  } catch (error) {
    events.push(`${error.name}: ${error.message}`);
  }
  return [events, verdict];
}

for (const [name, dialect, shows, open, which] of clients) {
  let verdicts = 0;
  let count = 0;
  const files = fs.readdirSync(`${FOLDER}/${dialect}`).filter((file) => /\.(sse|ndjson)$/.test(file));
  for (const file of files) {
    if (which && !which.test(file)) continue;
    const recording = file.replace(/\.\w+$/, '');
    const [untouched, none] = await seen(open, UNTOUCHED, recording);
    const [sieved, verdict] = await seen(open, BASE, recording);
    assert.ok(untouched.length > 0 && none === undefined, file);
    assert.deepStrictEqual(sieved, untouched, `${name}, ${file}: not what the untouched stream shows`);
    count += 1;
    if (verdict) verdicts += 1;
  }
  assert.ok(count > 0 && (shows ? verdicts > 0 : verdicts === 0), `${name} ${dialect} ${verdicts}`);
  ok(name, `${count} recordings of ${dialect}, as untouched, ${verdicts} with a verdict to see`);
}
