import { GoogleGenAI } from '@google/genai';
import { ASK, BASE, FIELD, checkKept, checkText, ok } from './common.mjs';

// Fields that it does not know are gone from its objects: the verdict is under the id.
const client = new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: BASE, extraBody: FIELD } });
const question = { model: 'lease', contents: ASK };

let text = '';
let head;
for await (const chunk of await client.models.generateContentStream(question)) {
  text += chunk.text ?? '';
  head = chunk.sdkHttpResponse.headers;
}
checkText(text);
await checkKept(new Headers(head));
ok('@google/genai', 'stream, verdict under the id');

const response = await client.models.generateContent(question);
checkText(response.text);
await checkKept(new Headers(response.sdkHttpResponse.headers));
ok('@google/genai', 'body, verdict under the id');
