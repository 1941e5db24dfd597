// The manual in Chromium: every page of the book fits wide and narrow screens, search finds and leads there, and no other server is asked for anything.
// CHROMIUM names the browser; with SHOTS=FOLDER pictures are left there to be looked at.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { chromium } = createRequire(join(ROOT, 'viewer/package.json'))('playwright-core');
const { CHROMIUM = '/usr/bin/chromium', PYTHON = 'python3', SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'tcp-manual-'));
const out = join(folder, 'manual');
let browser;

before(async () => {
  spawnSync(PYTHON, ['-B', join(ROOT, 'scripts/manual'), '-o', out]);  // links are another test's question
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function opened(path, { width = 1280, height = 800, theme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, offline: true, colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.complaints = [];
  page.on('pageerror', (e) => page.complaints.push(e.message));
  page.on('console', (m) => m.type() === 'error' && page.complaints.push(m.text()));
  page.on('request', (r) => /^(file|data):/.test(r.url()) || page.complaints.push(`asks for ${r.url()}`));
  await page.goto(`file://${join(out, path)}`);
  page.done = async () => {
    assert.deepEqual(page.complaints, []);
    await context.close();
  };
  return page;
}

async function shot(page, name) {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const few = ['docs/engines/index.html', 'docs/engines/switch.html', 'docs/index.html', 'docs/departures.html', 'index.html', 'include/tcp/index.html', 'include/tcp/dsl/tensor.hpp.html', 'data/chips/rngd.json.html', 'docs/diagnostics/index.html', 'examples/06_gemm/index.html'];
for (const width of [1280, 390])
  test(`no page has to be scrolled sideways at ${width} px`, async () => {
    const book = readdirSync(join(out, 'docs')).filter((n) => n.endsWith('.html')).map((n) => `docs/${n}`);
    assert.ok(book.length > 15);
    const page = await opened('docs/index.html', { width });
    for (const name of new Set(width === 390 || SHOTS ? [...few, ...book] : few)) {
      await page.goto(`file://${join(out, name)}`);
      assert.equal(await sideways(page), 0, name);
      await shot(page, `${width}-${name.replaceAll('/', '-')}`);
    }
    await page.done();
  });

test('search finds the page of an engine before its errors', async () => {
  for (const [words, place] of [['switch', 'docs/engines/switch.html'], ['switch broadcast', 'docs/engines/switch.html'], ['trf sequencer', 'docs/engines/aligner.html'], ['valid count', 'docs/engines/valid-counts.html'],
    ['dma', 'docs/engines/dma.html'], ['hbm', 'docs/engines/hbm.html'], ['transpose', 'docs/engines/transpose.html'], ['two groups', 'docs/engines/two-groups.html'], ['fetch', 'docs/engines/fetch.html'],
    ['how do i', 'docs/how-do-i.html'], ['scheduling', 'docs/scheduling.html'], ['partial-writes', 'docs/findings/partial-writes.html'], ['idle clusters', 'docs/findings/idle-clusters.html'],
    ['vrf', 'docs/engines/dm.html'], ['mask', 'docs/engines/fetch.html'], ['snoop', 'docs/engines/switch.html'], ['batching', 'docs/engines/fetch.html'], ['numpy', 'docs/python.html'], ['cmake', 'docs/package.html']]) {
    const page = await opened('docs/index.html');
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    await page.waitForSelector('#ui-found a.chosen');
    const first = await page.getAttribute('#ui-found a.chosen', 'href');
    assert.ok(first.includes(place), `${words} leads to ${first} first`);
    await page.done();
  }
});

test('a page has its sections beside it, and the previous and next page below', async () => {
  const page = await opened('docs/engines/switch.html', { width: 1600, height: 900 });
  assert.deepEqual(await page.locator('aside a').allTextContents(), ['Interface', 'Rule', 'Cycles', 'A program that runs', 'Errors', "In the vendor's book"]);
  assert.ok(await page.isVisible('aside'));
  assert.match(await page.textContent('footer .before'), /Previous: Fetch/);
  assert.match(await page.textContent('footer .behind'), /Next: Collect/);
  await shot(page, 'on-this-page');
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.ok(await page.isVisible('aside'));
  await page.setViewportSize({ width: 1200, height: 800 });
  assert.ok(await page.isHidden('aside'));
  await page.done();
});

test('every finding has a page, between its neighbours', async () => {
  const page = await opened('docs/report.html');
  await page.click('a[href="findings/idle-lanes.html"]');
  await page.waitForFunction(() => location.href.endsWith('findings/idle-lanes.html'));
  assert.equal(await page.textContent('h1'), 'idle-lanes#');
  assert.ok(await page.locator('pre').count() >= 2, 'a kernel before and after');
  assert.match(await page.textContent('footer .before'), /Previous: idle-clusters/);
  assert.match(await page.textContent('footer .behind'), /Next: idle-rows/);
  await shot(page, 'finding');
  await page.done();
});

test('search finds a section, a function and a code, and Enter leads there', async () => {
  for (const [words, heading, place] of [
    ['order of sums', /The order of sums/, 'docs/numbers.html#the-order-of-sums'],
    ['gather_to_dm', /Interface/, 'include/tcp/dsl/tensor.hpp.html#'],
    ['collect-packet-not-one-flit', /collect-packet-not-one-flit/, 'docs/diagnostics/collect.html#collect-packet-not-one-flit'],
  ]) {
    const page = await opened('docs/index.html');
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    await page.waitForSelector('#ui-found a.chosen');
    assert.match(await page.textContent('#ui-found a.chosen'), heading);
    assert.ok(await page.locator(`#ui-found a[href*="${place}"]`).count(), `${words} are in ${place}`);
    await shot(page, `search-${words.replaceAll(' ', '-')}`);
    const from = page.url();
    await page.keyboard.press('Enter');
    await page.waitForFunction((url) => location.href !== url, from);
    assert.ok(await page.isHidden('#ui-found'));
    await page.done();
  }
});

test('what is not there is not found', async () => {
  const page = await opened('docs/index.html?q=zyzzyva');
  await page.waitForSelector('#ui-found p');
  assert.equal(await page.textContent('#ui-found'), 'Nothing found.');
  await page.done();
});

test('dark follows the system, and the button changes it for all pages', async () => {
  const page = await opened('docs/hello.html', { theme: 'dark' });
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await shot(page, 'dark');
  await page.click('#ui-theme');
  const light = await back();
  assert.notEqual(light, dark);
  await page.goto(`file://${join(out, 'docs/layout.html')}`);
  assert.equal(await back(), light);
  await page.done();
});

test('the contents open on a narrow screen', async () => {
  const page = await opened('docs/moving.html', { width: 390 });
  assert.ok(await page.isHidden('nav'));
  await page.click('#ui-menu');
  assert.ok(await page.isVisible('nav'));
  assert.equal(await page.textContent('nav a[aria-current]'), 'Moving');
  await shot(page, 'menu');
  await page.done();
});

test('what is to be typed can be copied: of a session the commands, of other code all of it', async () => {
  const page = await opened('docs/hello.html');
  const copied = await page.evaluate(async () => {
    const taken = [];
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { taken.push(text); } } });
    const of = (words) => [...document.querySelectorAll('figure.code')].find((f) => f.textContent.includes(words)).querySelector('.copy');
    of('TCP_BACKEND=reference ./hello').click();
    of('auto add_one(').click();
    await new Promise((done) => { setTimeout(done, 50); });
    return taken;
  });
  assert.equal(copied[0], './hello\nTCP_BACKEND=reference ./hello\nTCP_BACKEND=device ./hello');
  assert.ok(copied[1].includes('auto add_one(Context& ctx') && copied[1].includes('.fetch<i32'), copied[1]);
  await page.done();
});
