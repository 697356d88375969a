import { createAnthropic } from '@ai-sdk/anthropic';
import { createCohere } from '@ai-sdk/cohere';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import { ASK, BASE, checkKept, checkText, checkVerdict, fetchWithField, heads, ok } from './common.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;
const settings = { apiKey: 'x', fetch: fetchWithField };
const openai = createOpenAI({ ...settings, baseURL: `${BASE}/v1` });

// Where a chunk as it came has the verdict. The AI SDK itself hides fields that it does not know.
const providers = [
  ['@ai-sdk/openai', 'chat', openai.chat('lease'), (raw) => raw.citesieve],
  ['@ai-sdk/openai', 'chat of llama.cpp', openai.chat('llama-lease'), (raw) => raw.citesieve],
  ['@ai-sdk/openai', 'responses', openai.responses('lease'), (raw) => raw.response?.citesieve],
  ['@ai-sdk/openai', 'completions', openai.completion('lease'), (raw) => raw.citesieve],
  ['@ai-sdk/anthropic', 'messages', createAnthropic({ ...settings, baseURL: `${BASE}/v1` })('lease'), (raw) => raw.citesieve],
  ['@ai-sdk/google', 'generateContent', createGoogleGenerativeAI({ ...settings, baseURL: `${BASE}/v1beta` })('lease'), (raw) => raw.citesieve],
  ['@ai-sdk/cohere', 'chat', createCohere({ ...settings, baseURL: `${BASE}/v2` })('lease'), (raw) => raw.citesieve],
  ['@ai-sdk/mistral', 'chat', createMistral({ ...settings, baseURL: `${BASE}/v1` })('mistral-lease'), (raw) => raw.citesieve],
];

for (const [name, api, model, find] of providers) {
  let text = '';
  let verdict;
  const onError = ({ error }) => {
    throw error;
  };
  const { fullStream } = streamText({ model, prompt: ASK, maxRetries: 0, includeRawChunks: true, onError });
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'raw') verdict = find(part.rawValue) ?? verdict;
  }
  checkText(text);
  checkVerdict(verdict);
  await checkKept(heads.at(-1));
  ok(name, `${api}, stream, verdict in the raw chunks and under its id`);
  if (api === 'chat of llama.cpp') continue;

  const { text: whole, response } = await generateText({ model, prompt: ASK, maxRetries: 0 });
  checkText(whole);
  checkVerdict(response.body?.citesieve);
  ok(name, `${api}, body, verdict in response.body`);
}
