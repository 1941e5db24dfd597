// The page in Chromium: what it says, what it does when it is touched, and that it asks nobody for anything.
// TCP names the tcp program, CHROMIUM the browser; with SHOTS=FOLDER pictures are left there to be looked at.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const HERE = dirname(fileURLToPath(import.meta.url));
const GOLDEN = join(HERE, '../../tests/golden/files');
const { TCP, CHROMIUM = '/usr/bin/chromium', SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'tcp-page-'));
const tiles = join(folder, 'tiles.json');
const pages = {};
let browser;

function pageOf(name, ...traces) {
  pages[name] = join(folder, `${name}.html`);
  execFileSync(TCP, ['view', ...traces, '-o', pages[name]]);
}

before(async () => {
  execFileSync(process.execPath, [join(HERE, 'make_trace.mjs'), '500', tiles]);
  pageOf('gemm', join(GOLDEN, 'gemm.json'));
  pageOf('tiles', tiles);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/// Opens a page without a network, and fails if it complains or asks for anything but itself.
async function opened(name, { hash = '', width = 1280, height = 800, theme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, offline: true, colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.complaints = [];
  page.on('pageerror', (e) => page.complaints.push(e.message));
  page.on('console', (m) => m.type() === 'error' && page.complaints.push(m.text()));
  page.on('request', (r) => /^(file|data|blob):/.test(r.url()) || page.complaints.push(`asks for ${r.url()}`));
  await page.goto(`file://${pages[name]}${hash}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  page.done = async () => {
    assert.deepEqual(page.complaints, []);
    await context.close();
  };
  return page;
}

async function shot(page, name) {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

const commas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const traceFile = (file) => JSON.parse(readFileSync(file, 'utf-8'));
const place = (trace, source) => `${trace.sources[source].file}:${trace.sources[source].line}`;
const FILES = { gemm: join(GOLDEN, 'gemm.json'), tiles };

/// Starts and ends, worked out here once more: `ends(commands, drop)` where drop(c, from) says that an edge does not hold.
function makespanWithout(trace, drop) {
  const end = [];
  trace.commands.forEach((command, c) => {
    const start = Math.max(0, ...(command.after ?? []).filter((e) => !drop(c, e.from)).map((e) => end[e.from]));
    end.push(start + command.end - command.start);
  });
  return Math.max(...end);
}

function waitsByLine(trace) {
  const free = trace.resources.map(() => 0);
  const groups = new Map();
  trace.commands.forEach((command, c) => {
    const since = free[command.resources[0]];
    for (const r of command.resources) free[r] = Math.max(free[r], command.end);
    if (command.start <= since || command.binding === undefined && !(command.after ?? []).length) return;
    const e = command.after[command.binding ?? 0];
    const touched = (e.kind === 'raw' ? command.reads : command.writes).find((r) => r.memory === e.on && r.begin < e.end && (e.begin ?? 0) < r.end);
    const key = [command.source, e.kind, trace.commands[e.from].source, trace.tensors[touched.tensor].name].join();
    if (!groups.has(key)) groups.set(key, { cycles: 0, members: new Map(), source: command.source, from: trace.commands[e.from].source });
    groups.get(key).cycles += command.start - since;
    groups.get(key).members.set(c, since);
  });
  return [...groups.values()].sort((a, b) => b.cycles - a.cycles);
}

test('a page is below 2 MB without the trace, and offline', async () => {
  const empty = statSync(pages.gemm).size;
  assert.ok(empty < 2e6, `${empty} bytes`);
  const page = await opened('gemm');
  assert.equal(await page.title(), 'gemm: 74,749 cycles');
  for (const id of ['canvas', 'search', 'colour', 'tabs', 'panel', 'legend']) assert.equal(await page.locator(`#${id}`).count(), 1, id);
  assert.deepEqual(await page.locator('#tabs button').allTextContents().then((t) => t.slice(0, 7)), ['answers', 'lines', 'waits', 'gaps', 'findings', 'command', 'what if']);
  assert.equal(await page.locator('#tab-compare').count(), 0);
  assert.equal(await page.locator('.usage span').count(), traceFile(FILES.gemm).usage.length);
  await shot(page, 'gemm-1280-light');
  await page.done();
});

for (const name of ['gemm', 'tiles'])
  test(`${name}: what bounds this kernel`, async () => {
    const trace = traceFile(FILES[name]);
    const busy = trace.resources.map(() => 0);
    const causes = new Map();
    const add = (cause, cycles) => causes.set(cause, (causes.get(cause) ?? 0) + cycles);
    for (const c of trace.critical_path.map((i) => trace.commands[i])) {
      busy[c.resources[0]] += c.end - c.start;
      add('start-up', c.startup ?? 0);
      add('streaming', c.streaming ?? 0);
      for (const s of c.stalls ?? []) add(`stall: ${s.name}`, s.cycles);
    }
    const most = Math.max(...busy);
    const [cause, cycles] = [...causes].sort((a, b) => b[1] - a[1])[0];
    const page = await opened(name);
    const said = await page.textContent('#answer-bounds');
    assert.ok(said.startsWith(`${trace.resources[busy.indexOf(most)]}: ${commas(most)} cycles of the ${commas(trace.makespan)} `), said);
    assert.ok(said.includes(`Most of the path is ${cause}, ${commas(cycles)} cycles`), said);
    await page.done();
  });

for (const name of ['gemm', 'tiles'])
  test(`${name}: which line costs most`, async () => {
    const trace = traceFile(FILES[name]);
    const lines = new Map();
    for (const c of trace.commands) if (c.critical) lines.set(c.source, (lines.get(c.source) ?? 0) + c.end - c.start);
    const [source, cycles] = [...lines].sort((a, b) => b[1] - a[1])[0];
    const page = await opened(name);
    const said = await page.textContent('#answer-line');
    assert.ok(said.startsWith(`${place(trace, source)}: ${commas(cycles)} cycles `), said);
    await page.click('#tab-lines');
    assert.ok((await page.textContent('#lines tbody tr:first-child')).startsWith(place(trace, source)));
    await page.click('#lines tbody tr:first-child');
    const count = trace.commands.filter((c) => c.source === source).length;
    assert.equal(await page.textContent('#found'), `${commas(count)} found`);
    await page.done();
  });

for (const name of ['gemm', 'tiles'])
  test(`${name}: what would change if the largest wait vanished`, async () => {
    const trace = traceFile(FILES[name]);
    const [largest] = waitsByLine(trace);
    const expected = makespanWithout(trace, (c, from) => largest.members.has(c) && trace.commands[from].end > largest.members.get(c));
    const page = await opened(name);
    const said = await page.textContent('#answer-wait');
    assert.ok(said.includes(`at ${place(trace, largest.source)} waits ${commas(largest.cycles)} cycles`), said);
    assert.ok(said.includes(`at ${place(trace, largest.from)}`), said);
    assert.ok(said.includes(`Without that wait: ${commas(expected)} cycles instead of ${commas(trace.makespan)}`), said);
    await page.click('#try-wait');
    assert.ok((await page.textContent('#whatif-result')).startsWith(`${commas(expected)} cycles instead of ${commas(trace.makespan)}`));
    assert.ok((await page.textContent('#about')).includes(`what if: ${commas(expected)} cycles`));
    await shot(page, `${name}-whatif`);
    await page.click('#undo-all');
    assert.ok((await page.textContent('#about')).includes(`${commas(trace.makespan)} cycles`));
    await page.done();
  });

/// Where on the canvas a command is, in its own lane.
const middleOf = (page, c) => page.evaluate((number) => {
  const { stage, schedule } = window.tcpPage;
  const row = stage.rowOf(number);
  return { x: stage.xOf((schedule.start[number] + schedule.end[number]) / 2), y: row.y + row.height / 2 - stage.scroll };
}, c);

test('a click shows line, mappings, configuration, cycles by cause, inputs and outputs, and what bound it', async () => {
  const page = await opened('gemm');
  await page.locator('#canvas').click({ position: await middleOf(page, 4) });
  assert.equal(await page.textContent('#command-title'), '#4 dma');
  assert.equal(await page.textContent('#command-source'), 'gemm.tcp:26move tile -> c');
  const panel = await page.textContent('#panel');
  for (const text of ['stall: partial-write', 'bf16 in HBM Element[m![I, J]]', 'Inputs', 'Outputs', 'tile', 'Configuration', 'engine 0:', 'On the critical path', 'reads tile in DM, which main at gemm.tcp:18 writes'])
    assert.ok(panel.includes(text), text);
  assert.equal(await page.getAttribute('#command-wait a', 'data-command'), '3');
  await shot(page, 'gemm-command');
  await page.click('#command-wait a');
  assert.equal(await page.textContent('#command-title'), '#3 main');
  assert.ok((await page.textContent('#panel')).includes('f32 Slice[m![I / 32, J / 32]] Time[m![I % 32, J / 8 % 4]] Packet[m![J % 8]]'));  // the stream behind a stage
  await page.done();
});

test('arrows are drawn for the binding predecessor and the successors that a command binds, and no others', async () => {
  const page = await opened('tiles');
  const trace = traceFile(tiles);
  const arrows = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const drawn = [];
    const arrow = stage.arrow;
    stage.arrow = (from, to) => drawn.push([from, to]);
    window.tcpPage.select(23, false);
    stage.draw();
    stage.arrow = arrow;
    return drawn;
  });
  const expected = trace.commands.flatMap((c, i) => (c.binding === undefined ? [] : [[c.after[c.binding].from, i]])).filter((pair) => pair.includes(23));
  const unique = [...new Set(arrows.map(String))].sort();
  assert.deepEqual(unique, expected.map(String).sort());
  assert.ok(unique.length >= 1);
  await page.done();
});

const pixelAt = (page, { x, y }) => page.evaluate(([px, py]) => {
  window.tcpPage.stage.draw();
  const scale = window.devicePixelRatio;
  return [...document.getElementById('canvas').getContext('2d').getImageData(px * scale, py * scale, 1, 1).data].slice(0, 3);
}, [x, y]);

test('commands and waits have the colours of the legend, in every way of colouring', async () => {
  const page = await opened('gemm');
  await page.keyboard.press('f');
  const at = await middleOf(page, 4);
  const inBar = { x: at.x, y: at.y - 7 };
  assert.deepEqual(await pixelAt(page, inBar), [0xe6, 0x9f, 0x00]);
  const under = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const row = stage.rowOf(3);
    return { x: stage.xOf(2000), y: row.y + row.height + 4 - stage.scroll };
  });
  assert.deepEqual(await pixelAt(page, under), [0xd5, 0x5e, 0x00]);
  const legend = await page.textContent('#legend');
  for (const text of ['tensor DMA', 'main', 'sub', 'waits for data (raw)', 'on the critical path']) assert.ok(legend.includes(text), text);
  const seen = new Set();
  for (const mode of ['engine', 'function', 'line', 'tensor', 'stall', 'slack']) {
    await page.selectOption('#colour', mode);
    seen.add(String(await pixelAt(page, inBar)));
    assert.ok((await page.textContent('#legend')).length > 20, mode);
  }
  assert.ok(seen.size >= 3, [...seen].join(' '));
  await page.done();
});

test('keys zoom, pan, walk the critical path, search and go back', async () => {
  const page = await opened('tiles');
  const trace = traceFile(tiles);
  const view = () => page.evaluate(() => ({ from: window.tcpPage.view.from, to: window.tcpPage.view.to, selected: window.tcpPage.view.selected }));
  const whole = await view();
  await page.keyboard.press('w');
  const near = await view();
  assert.ok(near.to - near.from < 0.8 * (whole.to - whole.from));
  await page.keyboard.press('d');
  assert.ok((await view()).from > near.from);
  await page.keyboard.press('a');
  await page.keyboard.press('s');
  await page.keyboard.press('f');
  assert.deepEqual(await view(), whole);
  for (const i of [0, 1, 2]) {
    await page.keyboard.press('n');
    assert.equal((await view()).selected, trace.critical_path[i]);
  }
  await page.keyboard.press('p');
  assert.equal((await view()).selected, trace.critical_path[1]);
  await page.keyboard.press('/');
  await page.keyboard.type('name:main critical');
  const count = trace.commands.filter((c) => c.name === 'main' && c.critical).length;
  assert.equal(await page.textContent('#found'), `${commas(count)} found`);
  await shot(page, 'tiles-search');
  await page.keyboard.press('Escape');
  assert.equal(await page.textContent('#found'), '');
  assert.equal((await view()).selected, -1);
  await page.keyboard.press('?');
  assert.ok(await page.locator('#keys').evaluate((d) => d.open));
  await page.done();
});

test('the wheel zooms about the pointer, a drag pans', async () => {
  const page = await opened('tiles');
  await page.mouse.move(500, 300);
  const time = () => page.evaluate(() => window.tcpPage.stage.timeAt(500));
  const was = await time();
  await page.mouse.wheel(0, -400);
  await page.waitForFunction(() => window.tcpPage.view.to - window.tcpPage.view.from < 0.8 * window.tcpPage.trace.makespan);
  assert.ok(Math.abs(await time() - was) < 5);
  const from = await page.evaluate(() => window.tcpPage.view.from);
  await page.mouse.down();
  await page.mouse.move(400, 300, { steps: 4 });
  await page.mouse.up();
  assert.ok(await page.evaluate(() => window.tcpPage.view.from) > from);
  await page.done();
});

test('a link restores view, selection, search, colours and changes', async () => {
  const page = await opened('tiles');
  await page.evaluate(() => {
    const p = window.tcpPage;
    p.search('name:main');
    p.setColour('stall');
    p.change('free', 7);
    p.change('faster', 'HBM');
    p.select(33, false);
    p.zoom(2000, 9000);
  });
  await page.waitForTimeout(300);
  const [hash, makespan] = await page.evaluate(() => [location.hash, window.tcpPage.schedule.makespan]);
  await page.done();
  const again = await opened('tiles', { hash });
  const state = await again.evaluate(() => {
    const { view, changes, schedule } = window.tcpPage;
    return { ...view, free: [...changes.free], faster: [...changes.faster], makespan: schedule.makespan };
  });
  assert.deepEqual([state.from, state.to, state.selected, state.query, state.colour, state.free, state.faster, state.makespan], [2000, 9000, 33, 'name:main', 'stall', [7], ['HBM'], makespan]);
  await again.done();
  const odd = await opened('tiles', { hash: '#from=x&to=-1&selected=99999999&colour=mauve&free=a,1e9&drop=1.2&tab=nowhere' });
  assert.equal(await odd.evaluate(() => window.tcpPage.view.selected), -1);
  await odd.done();
});

test('what if: free, dropped edge, doubled buffer, doubled bandwidth, each undone by the same button', async () => {
  const page = await opened('tiles');
  const trace = traceFile(tiles);
  const makespan = () => page.evaluate(() => window.tcpPage.schedule.makespan);
  const c = trace.critical_path[1];
  await page.evaluate((number) => window.tcpPage.select(number, true), c);
  await page.click('#make-free');
  const freed = trace.commands.map((command, i) => (i === c ? { ...command, end: command.start } : command));
  assert.equal(await makespan(), makespanWithout({ commands: freed }, () => false));
  await page.click('#make-free');
  assert.equal(await makespan(), trace.makespan);
  const drop = page.locator('#edges tr', { hasText: 'binding' }).locator('button');
  const sender = trace.commands[c].after[trace.commands[c].binding].from;
  await drop.click();
  assert.equal(await makespan(), makespanWithout(trace, (to, from) => to === c && from === sender));
  await page.click('#tab-whatif');
  await page.click('#changes button');
  assert.equal(await makespan(), trace.makespan);
  await page.click('#engines button[data-engine="HBM"]');
  assert.ok(await makespan() < trace.makespan);
  await page.click('#engines button[data-engine="HBM"]');
  assert.equal(await makespan(), trace.makespan);
  await page.evaluate(() => window.tcpPage.selectTensor(3));
  assert.equal(await page.textContent('#tensor-title'), 'a_dm[0]');
  await page.click('#make-double');
  assert.ok(await makespan() <= trace.makespan);
  await page.click('#make-double');
  assert.equal(await makespan(), trace.makespan);
  await page.done();
});

test('gaps and waits lead to the place', async () => {
  const page = await opened('gemm');
  await page.click('#tab-gaps');
  await page.click('#gaps tbody tr:nth-child(1)');
  await page.click('#tab-waits');
  assert.ok((await page.textContent('#waits tbody tr:first-child')).includes('main at gemm.tcp:18 reads b_trf in TRF, which sub at gemm.tcp:14 writes'));
  await page.click('#waits tbody tr:first-child');
  assert.equal(await page.textContent('#command-title'), '#3 main');
  await page.click('#tab-findings');
  assert.ok((await page.textContent('#panel')).includes('partial-writes at gemm.tcp:26'));
  await page.locator('#panel button', { hasText: 'show' }).first().click();
  assert.equal(await page.inputValue('#search'), 'rule:partial-writes');
  assert.equal(await page.textContent('#found'), '1 found');
  await shot(page, 'gemm-findings');
  await page.done();
});

for (const [width, height] of [[1280, 800], [2560, 1440]])
  for (const theme of ['light', 'dark'])
    test(`${width} pixels, ${theme}: everything has its place, and texts can be read`, async () => {
      const page = await opened('tiles', { width, height, theme });
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
      const { across, side, stage } = await page.evaluate(() => ({
        across: document.documentElement.scrollWidth - window.innerWidth, side: document.getElementById('side').clientWidth, stage: document.getElementById('stage').clientWidth }));
      assert.ok(across <= 0 && side >= 380 && stage >= 700, `${across} ${side} ${stage}`);
      const contrast = await page.evaluate(() => {
        const light = (css) => {
          const [r, g, b] = css.match(/[\d.]+/g).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = light(getComputedStyle(document.getElementById('panel')).backgroundColor);
        const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        return [...document.querySelectorAll('#panel p, #panel td, #panel th, #legend span')].map((e) => ratio(light(getComputedStyle(e).color), ground)).reduce((a, b) => Math.min(a, b));
      });
      assert.ok(contrast >= 4.5, `contrast ${contrast}`);
      await page.evaluate(() => { window.tcpPage.zoom(4000, 9000); window.tcpPage.select(33, false); });
      await page.waitForTimeout(100);
      await shot(page, `tiles-${width}-${theme}`);
      await page.done();
    });

test('a trace without commands, and one with hostile names', async () => {
  const trace = traceFile(FILES.gemm);
  const none = { ...trace, makespan: 0, commands: [], critical_path: [], tensors: [], path: [], bounds: [] };
  writeFileSync(join(folder, 'none.json'), JSON.stringify(none));
  pageOf('none', join(folder, 'none.json'));
  const empty = await opened('none');
  assert.equal(await empty.textContent('#answer-bounds'), 'Nothing: no command takes any time.');
  await empty.keyboard.press('n');
  await empty.click('#tab-gaps');
  await empty.done();
  const nasty = '</script><img src=x onerror=alert(1)><!--';
  const bad = structuredClone(trace);
  bad.program = nasty;
  bad.sources.forEach((s) => { s.text = nasty; });
  bad.tensors.forEach((t) => { t.name = nasty; });
  writeFileSync(join(folder, 'bad.json'), JSON.stringify(bad));
  pageOf('bad', join(folder, 'bad.json'));
  const page = await opened('bad');
  assert.equal(await page.textContent('#program'), nasty);
  assert.equal(await page.locator('img').count(), 0);
  await page.done();
});

test('two traces: lanes above each other, differences by line and by resource', async () => {
  pageOf('both', FILES.gemm, join(GOLDEN, 'gemm_tiled.json'));
  const page = await opened('both');
  await page.click('#tab-compare');
  const diff = JSON.parse(execFileSync(TCP, ['diff', FILES.gemm, join(GOLDEN, 'gemm_tiled.json'), '--json'], { encoding: 'utf-8' }));
  assert.equal(await page.textContent('#verdict'), diff.verdict);
  assert.ok((await page.textContent('#diff-lines')).includes('gemm.tcp:26'));
  assert.ok((await page.textContent('#diff-lines')).includes('-67,289'));
  assert.ok((await page.textContent('#diff-resources tbody tr:last-child')).startsWith('tensor DMA73,7206,431-67,289'));
  const labels = await page.evaluate(() => window.tcpPage.stage.rows.map((r) => r.lane.label));
  assert.deepEqual(labels.slice(0, 4), ['critical path', 'before', 'main, cluster 0', 'before']);
  const spot = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const row = stage.rows.find((r) => r.lane.of && r.lane.resource === 2);
    return { x: stage.xOf(40000), y: row.y + 8 - stage.scroll };
  });
  await page.mouse.move(spot.x + 1, spot.y + 90);
  await page.locator('#canvas').hover({ position: spot });
  assert.ok((await page.textContent('#tip')).includes('now 1,461 from 5,999'));
  await page.locator('#canvas').click({ position: spot });
  assert.equal(await page.textContent('#command-title'), '#4 dma');
  await page.click('#tab-compare');
  await shot(page, 'compare');
  await page.done();
});

test('the mapping explorer draws cells and follows an element from HBM to HBM', async () => {
  const page = await opened('gemm', { hash: '#tab=mapping&tensor=3' });
  assert.equal(await page.inputValue('#mapping-axes'), 'I=512, J=512, K=64');
  assert.deepEqual(await page.locator('#mapping-by option').allTextContents(), ['I', 'J', 'K', 'slice', 'bank']);
  const colours = () => page.evaluate(() => {
    const canvas = document.getElementById('mapping-cells');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(i * 4, i * 4 + 3).join())).size;
  });
  await page.waitForTimeout(200);
  assert.ok(await colours() > 8);
  await page.selectOption('#mapping-by', 'bank');
  await page.waitForTimeout(200);
  assert.ok(await colours() >= 3);
  await page.locator('#mapping-cells').click({ position: { x: 3, y: 3 } });
  const way = await page.textContent('#way');
  for (const text of ['aHBM byte', 'a_dmDM byte', 'Slice 6', 'written by #0 gemm.tcp:12, cycles 0 to 2,485', 'read by #3 gemm.tcp:18']) assert.ok(way.includes(text), `${text} in ${way}`);
  await shot(page, 'mapping');
  await page.fill('#mapping-axes', 'I=500');
  await page.keyboard.press('Tab');
  assert.equal(await page.textContent('#mapping-problem'), '32 does not divide 500.');
  await page.done();
});

test('tcp view serves the page on this machine until it is interrupted', async () => {
  const server = spawn(TCP, ['view', FILES.gemm], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((said) => { server.stdout.once('data', (bytes) => said(String(bytes))); });
  const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(line);
  const answer = await fetch(url);
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(await answer.text(), readFileSync(pages.gemm, 'utf-8'));
  assert.equal((await fetch(`${url}etc/passwd`)).status, 404);
  const ended = new Promise((done) => { server.once('exit', (code, signal) => done(code ?? signal)); });
  server.kill('SIGINT');
  assert.ok([130, 'SIGINT'].includes(await ended));
});
