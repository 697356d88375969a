// One stream of every API, by each client for it: what `recordings.mjs` and `errors.mjs` compare.
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

globalThis.AI_SDK_LOG_WARNINGS = false;
const messages = [{ role: 'user', content: '?' }];

const openai = (base, headers) => new OpenAI({ apiKey: 'x', baseURL: `${base}/v1`, maxRetries: 0, defaultHeaders: headers });
export const openaiChat = (base, headers, model) => openai(base, headers).chat.completions.create({ model, messages, stream: true });
export const openaiCompletions = (base, headers, model) => openai(base, headers).completions.create({ model, prompt: '?', stream: true });
export const openaiResponses = (base, headers, model) => openai(base, headers).responses.create({ model, input: '?', stream: true });

export const anthropicMessages = (base, headers, model) =>
  new Anthropic({ apiKey: 'x', baseURL: base, maxRetries: 0, defaultHeaders: headers })
    .messages.create({ model, max_tokens: 9, messages, stream: true });

export const gemini = (base, headers, model) =>
  new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: base, headers } }).models.generateContentStream({ model, contents: '?' });

export const cohereChat = (base, headers, model) =>
  new CohereClientV2({ token: 'x', environment: base }).chatStream({ model, messages }, { headers, maxRetries: 0 });

export const ollamaChat = (base, headers, model) => new Ollama({ host: base, headers }).chat({ model, messages, stream: true });
export const ollamaGenerate = (base, headers, model) => new Ollama({ host: base, headers }).generate({ model, prompt: '?', stream: true });

// The parts that the AI SDK makes of a stream; its own ids and times are left out.
async function* aiSdk(model) {
  const onError = () => {};
  for await (const part of streamText({ model, prompt: '?', maxRetries: 0, includeRawChunks: true, onError }).fullStream) {
    if (part.type === 'raw') yield { raw: part.rawValue };
    if (part.type === 'error') throw part.error;
    if (part.type.endsWith('-delta')) yield { type: part.type, text: part.text ?? part.delta };
    if (part.type === 'source') yield { type: part.type, url: part.url };
    if (part.type === 'finish') yield { type: part.type, finishReason: part.finishReason, usage: part.totalUsage };
  }
}

const settings = (base, headers, version) => ({ apiKey: 'x', baseURL: `${base}${version}`, headers });
export const aiOpenaiChat = (base, headers, model) => aiSdk(createOpenAI(settings(base, headers, '/v1')).chat(model));
export const aiOpenaiResponses = (base, headers, model) => aiSdk(createOpenAI(settings(base, headers, '/v1')).responses(model));
export const aiMistral = (base, headers, model) => aiSdk(createMistral(settings(base, headers, '/v1'))(model));
export const aiAnthropic = (base, headers, model) => aiSdk(createAnthropic(settings(base, headers, '/v1'))(model));
export const aiGoogle = (base, headers, model) => aiSdk(createGoogleGenerativeAI(settings(base, headers, '/v1beta'))(model));
export const aiCohere = (base, headers, model) => aiSdk(createCohere(settings(base, headers, '/v2'))(model));

// The last state of a message in the browser; then the error, if there is one, which may overtake what came before it.
export async function* aiTransport(base, headers, name) {
  const script = { ...JSON.parse(headers['x-upstream'] ?? '{}'), recording: `ai-sdk-ui/${name}.sse` };
  const transport = new DefaultChatTransport({ api: `${base}/api/chat`, headers: { ...headers, 'x-upstream': JSON.stringify(script) } });
  const ask = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: '?' }] }];
  const stream = await transport.sendMessages({ chatId: 'c', messages: ask, trigger: 'submit-message' });
  let wrong;
  const onError = (error) => {
    wrong = error;
  };
  let last;
  for await (const state of readUIMessageStream({ stream, onError })) last = state;
  const parts = last?.parts ?? [];
  yield { parts, citesieve: last?.metadata?.citesieve, text: parts.map((part) => part.text ?? '').join('') };
  if (wrong) throw wrong;
}

// All that a client shows of a stream, the verdict, and the error that it ends in.
export async function seen(open, base, headers, model) {
  const events = [];
  let verdict;
  try {
    for await (const event of await open(base, headers, model)) {
      const shown = JSON.parse(JSON.stringify(event));
      delete shown.sdkHttpResponse;
      for (const place of [shown, shown.response, shown.raw, shown.raw?.response]) {
        verdict = place?.citesieve ?? verdict;
        if (place?.citesieve) delete place.citesieve;
      }
      events.push(shown);
    }
  } catch (error) {
    return [events, verdict, error];
  }
  return [events, verdict, undefined];
}
