// `citesieve check --format html` as a reader meets it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const folder = mkdtempSync(join(tmpdir(), "citesieve-page-"));
let browser;

before(async () => {
  const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const args = ["--no-sandbox", "--disable-component-update", "--disable-sync", ...quiet];
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the page of an answer; gives its address. */
function write(answer, sources, more = []) {
  const args = ["check", "-", "--sources", JSON.stringify(sources), "--format", "html", ...more];
  const run = spawnSync(process.env.CITESIEVE_BIN, args, { input: answer, encoding: "utf8" });
  assert.ok(run.status === 0 || run.status === 1, run.stderr || String(run.error));
  const file = join(folder, `${Math.random()}.html`);
  writeFileSync(file, run.stdout);
  return pathToFileURL(file).href;
}

/** Opens it; whatever the browser complains of is in `page.complaints`. */
async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("dialog", (dialog) => (page.complaints.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => request.url() === address || page.complaints.push(`asked for ${request.url()}`));
  await page.goto(address);
  return page;
}

const SOURCES = [
  {
    id: 1,
    title: "Lease",
    url: "https://lease.example/",
    text: `Rent is due on the first day of each month. ${"The usual clause applies to every meter. ".repeat(200)}
Late rent bears interest at four per cent a year. The roof shall be kept in good repair.`,
  },
  { id: 2, text: "Either party may terminate on three months’ written notice." },
  { id: 3, title: "Not used", url: "mailto:a@lease.example" },
];
const ANSWER = `# Rent

It is "due on the first day of each month" [1], and late rent “bears interest at five per cent a year” [1, 8].
Notice: "may terminate on three months' written notice" [1]. So "gold and silver only, says the king" [2] and [9].

> The roof shall be kept in good repair. [1]
`;

const on = (page) => page.$$eval(".on", (list) => list.map((element) => element.id || element.tagName).sort());

test("renders, in both schemes and on a phone", async () => {
  const address = write(ANSWER, SOURCES);
  const papers = new Set();
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
      const page = await open(address, { colorScheme, viewport });
      assert.match(await page.textContent("h1"), /^Downgraded: /);
      const classes = await page.$$eval("#answer .text .q", (list) => list.map((quote) => quote.classList[1]));
      assert.deepEqual(classes, ["verified", "altered", "misattributed", "not-found", "verified"]);
      assert.deepEqual(await page.$$eval("#sources mark", (list) => list.map((mark) => mark.dataset.q)), ["1", "2", "5", "3"]);
      assert.deepEqual(await page.$$eval("#f2 .diff :is(del, ins)", (words) => words.map((word) => word.textContent)), ["four", "five"]);
      assert.equal(await page.$$eval("tbody tr", (rows) => rows.length), 2);
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      papers.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    }
  }
  assert.equal(papers.size, 2);
});

test("what is focused or hovered shows its other side", async () => {
  const page = await open(write(ANSWER, SOURCES));
  await page.focus("#q2");
  assert.deepEqual(await on(page), ["MARK", "f2", "q2"]);
  const shown = await page.$eval('mark[data-q="2"]', (mark) => {
    const [box, pane] = [mark.getBoundingClientRect(), mark.closest("section").getBoundingClientRect()];
    return box.top >= pane.top && box.bottom <= pane.bottom;
  });
  assert.ok(shown, "the passage is in view");
  await page.evaluate(() => document.activeElement.blur());
  assert.deepEqual(await on(page), []);
  await page.hover('mark[data-q="3"]');
  assert.deepEqual(await on(page), ["MARK", "f3", "q3"]);
  assert.deepEqual(page.complaints, []);
});

test("by keyboard alone every quotation is reached, and its number leads to the source", async () => {
  const page = await open(write(ANSWER, SOURCES));
  const reached = new Set();
  for (let press = 0; press < 30; press++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ["q1", "q2", "q3", "q4", "q5"]) assert.ok(reached.has(id), id);
  await page.focus("#q1 .number a");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => location.hash), "#m1");
  assert.deepEqual(page.complaints, []);
});

test("works without JavaScript, and on paper", async () => {
  const page = await open(write(ANSWER, SOURCES), { javaScriptEnabled: false });
  assert.match(await page.locator("#answer .text").innerText(), /bears interest at five per cent/);
  await page.click("#q2 .number a");
  const shadow = (selector) => page.locator(selector).evaluate((element) => getComputedStyle(element).boxShadow);
  assert.notEqual(await shadow('mark[data-q="2"]'), "none");
  assert.equal(await shadow('mark[data-q="1"]'), "none");
  assert.ok((await page.pdf()).length > 1000);
  const colour = (selector) => page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  const light = await colour("#q1");
  await page.emulateMedia({ colorScheme: "dark" });
  assert.notEqual(await colour("#q1"), light);
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  assert.equal(await colour("#q1"), light, "paper is white");
  assert.deepEqual(page.complaints, []);
});

test("nothing in any field runs or becomes markup", async () => {
  const attacks = [
    "<script>window.hit=1</script>",
    "\"><img src=x onerror=window.hit=1>",
    "'><svg onload=window.hit=1>",
    "</style><script>window.hit=1</script>",
    "</script><script>window.hit=1</script>",
    "<!--<iframe srcdoc='<script>parent.hit=1</script>'>",
    "{{ 7*7 }}{% raw %}",
    "\" autofocus tabindex=0 onfocus=window.hit=1 x=\"",
    "&lt;script&gt;\u202e\u0000",
  ];
  const urls = ["javascript:window.hit=1", "JaVaScript:window.hit=1", " java\tscript:window.hit=1", "data:text/html,<script>1</script>"];
  for (const [index, attack] of attacks.entries()) {
    for (const url of [urls[index % urls.length], `https://a.example/${attack}`]) {
      const sources = [
        { id: attack, title: attack, url, text: `Rent is due ${attack} on the first day of each month.` },
        { id: "2", title: attack, url: attack, text: attack },
      ];
      const answer = `# ${attack}\n\nIt is "due ${attack} on the first day" [${attack}], "is due ${attack} on the last day" [2].\n
> ${attack} and words that are in no source at all\n\n${attack} [7].\n`;
      const page = await open(write(answer, sources, ["--set", "syntaxes=[number,id,tagged]"]));
      await page.keyboard.press("Tab");
      await page.waitForTimeout(20);
      const found = await page.evaluate(() => ({
        hit: window.hit,
        scripts: document.scripts.length,
        alien: document.querySelectorAll("img, svg, iframe, object, embed, link, base, form, [onerror], [onload], [onfocus], [srcdoc]").length,
        links: [...document.links].map((link) => link.protocol).filter((scheme) => !["file:", "http:", "https:", "mailto:"].includes(scheme)),
        away: [...document.links].filter((link) => link.protocol === "file:" && !link.getAttribute("href").startsWith("#")).length,
        text: document.body.innerText,
      }));
      const { hit, scripts, alien, links, away, text } = found;
      assert.deepEqual({ hit, scripts, alien, links, away }, { hit: undefined, scripts: 1, alien: 0, links: [], away: 0 }, attack);
      if (!attack.includes("\u0000")) assert.ok(text.includes(attack), `${attack} is not to be read`);
      assert.deepEqual(page.complaints, [], attack);
      await page.context().close();
    }
  }
});
