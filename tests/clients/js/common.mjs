// What the Node clients share: where the server is, what is asked, what the answer has to be.
import assert from 'node:assert';
import fs from 'node:fs';

export const BASE = process.env.CITESIEVE_BASE;
const CASES = new URL('../../cases/', import.meta.url);
export const EXPECTED = fs.readFileSync(new URL('lease.expected.txt', CASES), 'utf8');
const SOURCES = JSON.parse(fs.readFileSync(new URL('lease.sources.json', CASES), 'utf8'));

// Where the request has its sources: in its body field `citesieve`, or in tags in the question, as Open WebUI puts them.
const TAGS = process.env.CITESIEVE_SOURCES === 'tags';
export const FIELD = TAGS ? {} : { citesieve: { sources: SOURCES } };
const tags = SOURCES.map((each) => `<source id="${each.id}" name="${each.title}">${each.text}</source>`).join('\n');
const QUESTION = 'What does the lease say about rent?';
const TAGGED = `### Task:\nRespond using the context.\n\n<context>\n${tags}\n</context>\n\n${QUESTION}`;
export const ASK = TAGS ? TAGGED : QUESTION;

// Clients that cannot add a field to the body get it added on the way out; `heads` are the heads of the answers.
export const heads = [];
export async function fetchWithField(url, init) {
  const body = init?.body ? JSON.stringify({ ...JSON.parse(init.body), ...FIELD }) : undefined;
  const headers = new Headers(init?.headers);
  headers.delete('content-length');
  const response = await fetch(url, { ...init, body, headers });
  heads.push(response.headers);
  return response;
}

export function checkText(text) {
  assert.strictEqual(text, EXPECTED, 'not the sieved answer');
}

export function checkVerdict(verdict) {
  assert.ok(verdict, 'there is no verdict');
  const found = [verdict.status, verdict.markers.fabricated, verdict.edit_count, verdict.quote_counts.altered];
  assert.deepStrictEqual(found, ['downgraded', 3, 5, 1]);
}

// The verdict under the id in the head of the answer: for clients that show nothing that they do not know.
export async function checkKept(headers) {
  let answer;
  do {
    answer = await fetch(`${BASE}/_citesieve/verdicts/${headers.get('x-citesieve-id')}`);
  } while (answer.status === 202); // The client has read the answer, and the proxy is about to write down what it was.
  assert.strictEqual(answer.status, 200);
  checkVerdict((await answer.json()).choices[0].verdict);
}

export function ok(name, what) {
  const file = new URL(`node_modules/${name}/package.json`, `file://${process.env.CITESIEVE_CLIENTS_DIR}/`);
  console.log(`${name} ${JSON.parse(fs.readFileSync(file, 'utf8')).version} (Node.js): ${what}: ok`);
}
