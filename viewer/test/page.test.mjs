// The page in Chromium: what it says, what it does when it is touched, and that it asks no server for anything.
// TCP names the tcp program, CHROMIUM the browser; with SHOTS=FOLDER pictures are left there to be looked at.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commas, folder, HERE, makespanWithout, middleOf, opened, pageFrom, pageOf, pages, pixelAt, place, shot, startBrowser, stopBrowser, TCP, traceFile, waitsByLine, wordsOf } from './browser.mjs';

const GOLDEN = join(HERE, '../../tests/golden/files');
const tiles = join(folder, 'tiles.json');
const FILES = { gemm: join(GOLDEN, 'gemm.json'), tiles };

before(async () => {
  execFileSync(process.execPath, [join(HERE, 'make_trace.mjs'), '500', tiles]);
  pageOf('gemm', FILES.gemm);
  pageOf('tiles', tiles);
  await startBrowser();
});
after(stopBrowser);

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
      for (const s of c.stalls ?? []) add(s.name === 'engine' ? 'work of passes' : `stall: ${s.name}`, s.cycles);
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
  test(`${name}: what would help most is what tcp report ranks first, and trying it gives what was promised`, async () => {
    const trace = traceFile(FILES[name]);
    const { best } = JSON.parse(execFileSync(TCP, ['report', FILES[name], '--what-if', '--json'], { encoding: 'utf-8' })).what_if;
    const page = await opened(name);
    const said = await wordsOf(page, '#answer-best');
    assert.ok(best.length > 1 && best[0].gain > 0);
    assert.ok(said.startsWith(`${commas(best[0].after)} cycles instead of ${commas(trace.makespan)} (-${(best[0].gain * 100 / trace.makespan).toFixed(1)} %): ${best[0].what}`), said);
    assert.equal(await page.locator('.answer .also').count(), best.length - 1);
    for (const [number, trial] of best.entries()) {
      const key = await page.evaluate((n) => { window.tcpPage.undoAll(); const k = window.tcpPage.sums().best[n].key; window.tcpPage.tryPlanned(k); return k; }, number);
      const words = `${commas(trial.after)} cycles instead of ${commas(trace.makespan)}`;
      assert.ok((await page.textContent('#whatif-result')).startsWith(words), `${key} ${trial.what}: ${words}, not ${await page.textContent('#whatif-result')}`);
      assert.equal(await page.locator('#changes tbody tr').count(), 1);
    }
    await page.evaluate(() => window.tcpPage.undoAll());
    await page.click('#tab-answers');
    await page.click('#try-best');
    assert.ok((await page.textContent('#about')).includes(`what if: ${commas(best[0].after)} cycles`));
    await page.waitForFunction(() => location.hash.includes('tried='));
    const again = await opened(name, { hash: await page.evaluate(() => location.hash) });
    assert.ok((await again.textContent('#about')).includes(`what if: ${commas(best[0].after)} cycles`), 'a link keeps it');
    await again.done();
    await shot(page, `${name}-whatif`);
    await page.click('#undo-all');
    assert.ok((await page.textContent('#about')).includes(`${commas(trace.makespan)} cycles`));
    await page.done();
  });

for (const name of ['gemm', 'tiles'])
  test(`${name}: without the largest wait`, async () => {
    const trace = traceFile(FILES[name]);
    const [largest] = waitsByLine(trace);
    const expected = makespanWithout(trace, (c, from) => largest.members.has(c) && trace.commands[from].end > largest.members.get(c));
    const page = await opened(name, { hash: '#tab=waits' });
    const row = page.locator('#waits tbody tr', { hasText: `at ${place(trace, largest.source)}` }).filter({ hasText: commas(largest.cycles) }).first();
    assert.ok((await row.textContent()).includes(`at ${place(trace, largest.from)}`));
    await row.locator('button').click();
    assert.ok((await page.textContent('#whatif-result')).startsWith(`${commas(expected)} cycles instead of ${commas(trace.makespan)}`));
    await page.done();
  });

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

test('search by name, axis, file:line, rule, tensor, stall, wait, region, cluster and function finds what the trace says', async () => {
  const page = await opened('tiles');
  const trace = traceFile(tiles);
  const mapping = (r) => trace.tensors[r.tensor].mapping;
  const touched = (c) => [...c.reads, ...c.writes];
  const streams = (c) => trace.configurations[c.configuration].stages.map((stage) => stage.text).join();
  const findings = JSON.parse(execFileSync(TCP, ['report', tiles, '--json'], { encoding: 'utf-8' })).findings ?? [];
  const free = trace.resources.map(() => 0);
  const waits = trace.commands.map((c) => {
    const waited = c.start > free[c.resources[0]];
    for (const r of c.resources) free[r] = Math.max(free[r], c.end);
    return waited ? c.after?.[c.binding]?.kind ?? '' : '';
  });
  const queries = {
    'name:sub': (c) => c.name === 'sub',
    'axis:K': (c) => touched(c).some((r) => /\bK\b/.test(mapping(r))) || /\bK\b/.test(streams(c)),
    'axis:Q': () => false,
    'tiles.cpp:12': (c) => trace.sources[c.source].line === 12,
    'at:tiles.cpp:13 -name:sub': (c) => trace.sources[c.source].line === 13,
    'tensor:b_trf': (c) => touched(c).some((r) => trace.tensors[r.tensor].name.startsWith('b_trf')),
    'stall:hbm-row': (c) => (c.stalls ?? []).some((stall) => stall.name === 'hbm-row'),
    'wait:raw': (_, i) => waits[i] === 'raw',
    'region:tile[3]': (c) => trace.regions[c.region].index === 3,
    'cluster:1': (c) => touched(c).some((r) => r.units === 2),
    'function:step_1': (c) => trace.sources[c.source].function === 'step_1',
    critical: (c) => c.critical === true,
    ...Object.fromEntries(findings.map((found) => [`rule:${found.rule}`, (c) => findings.some((g) => g.rule === found.rule && g.source === c.source)])),
  };
  for (const [query, is] of Object.entries(queries)) {
    await page.fill('#search', query);
    assert.equal(await page.textContent('#found'), `${commas(trace.commands.filter(is).length)} found`, query);
    assert.deepEqual(await page.evaluate(() => [...window.tcpPage.model.matched]), trace.commands.map((c, i) => (is(c, i) ? 1 : 0)), query);
  }
  await page.fill('#search', 'name:sub');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => window.tcpPage.view.selected), 2);
  await page.done();
});

test('file:line finds that line of that file, and no other', async () => {
  const trace = traceFile(tiles);
  const [line, ...others] = trace.sources.map((source, i) => ({ ...source, file: '/k/a b/gemm.cpp', line: 10 + i }));
  trace.sources = [{ ...line, line: 1 }, { ...others[0], line: 12 }, { ...others[1], file: '/k/moe/gemm.cpp', line: 1 }, { ...others[2], file: '/k/gemm.cpp.txt', line: 1 }, others[3]];
  pageFrom('files', trace);
  const page = await opened('files');
  const count = (is) => `${trace.commands.filter((c) => is(c.source)).length} found`;
  for (const [query, is] of [['at:gemm.cpp:1', (s) => s === 0 || s === 2], ['gemm.cpp:1', (s) => s === 0 || s === 2], ['at:moe/gemm.cpp:1', (s) => s === 2], ['at:"a b/gemm.cpp:1"', (s) => s === 0], ['at:gemm.cpp', () => true], ['at:moe', (s) => s === 2]]) {
    await page.fill('#search', query);
    assert.equal(await page.textContent('#found'), count(is), query);
  }
  await page.fill('#search', '');
  await page.click('#tab-lines');
  for (const [i, row] of Object.entries(await page.locator('#lines tbody tr').all())) {
    const { source } = await page.evaluate((k) => window.tcpPage.sums().lines[k], Number(i));
    await row.click();
    assert.equal(await page.textContent('#found'), count((s) => s === source), `the line of row ${i}`);
  }
  await page.done();
});

test('the legend tells how many more there are, and leaves out what all names begin with', async () => {
  const trace = traceFile(tiles);
  trace.sources = Array.from({ length: 15 }, (_, i) => ({ ...trace.sources[0], function: `tcp::kernels::step_${i}`, line: i + 1 }));
  trace.commands.forEach((c, i) => { c.source = i % 15; });
  pageFrom('functions', trace);
  const page = await opened('functions', { hash: '#colour=function' });
  const legend = await page.textContent('#legend');
  assert.ok(legend.startsWith('step_0step_1step_2') && legend.includes('step_11and 3 more|'), legend);
  await page.done();
});

test('a filter leaves others faint, and takes nothing away', async () => {
  const page = await opened('gemm', { hash: '#query=name:sub' });
  const at = await middleOf(page, 4);
  const faint = await pixelAt(page, { x: at.x, y: at.y - 7 });
  assert.notDeepEqual(faint, [0xe6, 0x9f, 0x00]);
  assert.notDeepEqual(faint, await pixelAt(page, { x: at.x, y: at.y + 25 }), 'it is still to be seen');
  await page.fill('#search', '');
  assert.deepEqual(await pixelAt(page, { x: at.x, y: at.y - 7 }), [0xe6, 0x9f, 0x00]);
  await page.done();
});

test('in each way of colouring a command has the colour that the legend has for it', async () => {
  const page = await opened('tiles');
  const trace = traceFile(tiles);
  const c = 23;  // a pass
  const [command] = [trace.commands[c]];
  const stalled = (command.stalls ?? []).reduce((sum, stall) => sum + stall.cycles, 0);
  const share = Math.round(stalled * 8 / (command.end - command.start));
  const words = { engine: 'main', function: trace.sources[command.source].function, line: `tiles.cpp:${trace.sources[command.source].line}`, tensor: 'tile', stall: `${Math.round(share * 100 / 8)} %` };
  await page.evaluate((number) => window.tcpPage.zoom(window.tcpPage.schedule.start[number] - 50, window.tcpPage.schedule.end[number] + 50), c);
  const at = await middleOf(page, c);
  for (const [mode, word] of Object.entries(words)) {
    await page.selectOption('#colour', mode);
    const legend = await page.evaluate((text) => {
      const entry = [...document.querySelectorAll('#legend span')].find((span) => span.textContent === text);
      return entry && getComputedStyle(entry.querySelector('i')).backgroundColor.match(/\d+/g).map(Number);
    }, word);
    assert.ok(legend, `${mode}: ${word} in the legend`);
    assert.deepEqual(await pixelAt(page, { x: at.x, y: at.y - 8 }), legend, mode);
  }
  await page.done();
});

test('waits have the colour of their reason', async () => {
  const { commands: _, regions: __, tensors: ___, ...head } = traceFile(tiles);
  const COLOURS = { raw: [0xd5, 0x5e, 0x00], war: [0xa0, 0x30, 0x9a], waw: [0x5b, 0x45, 0xd6], starvation: [0xc9, 0xc4, 0x1a] };
  for (const [kind, colour] of Object.entries(COLOURS)) {
    const trace = { ...head, makespan: 200, bounds: [], critical_path: [0, 1], commands: [{ name: 'dma', resources: [2], start: 0, end: 100, streaming: 100, critical: true },
      { name: 'main', resources: [0], start: 100, end: 200, streaming: 100, critical: true, after: [{ kind, from: 0, on: 'DM', end: 8 }], binding: 0 }] };
    writeFileSync(join(folder, 'reason.json'), JSON.stringify(trace));
    pageOf('reason', join(folder, 'reason.json'));
    const page = await opened('reason');
    const under = await page.evaluate(() => {
      const { stage } = window.tcpPage;
      const row = stage.rowOf(1);
      return { x: stage.xOf(50), y: row.y + row.height + 4 - stage.scroll };
    });
    assert.deepEqual(await pixelAt(page, under), colour, kind);
    assert.ok((await page.textContent('#legend')).includes('waits '), kind);
    await page.locator('#canvas').hover({ position: under });
    assert.ok((await page.textContent('#tip')).startsWith('100 cycles: main'), kind);
    await page.done();
  }
});

test('gaps are those of tcp report, and a click goes there', async () => {
  const page = await opened('tiles', { hash: '#tab=gaps' });
  const { gaps } = JSON.parse(execFileSync(TCP, ['report', tiles, '--json'], { encoding: 'utf-8', maxBuffer: 1 << 26 }));
  const rows = await page.locator('#gaps tbody tr').evaluateAll((all) => all.map((row) => [...row.children].slice(0, 4).map((cell) => cell.textContent)));
  assert.deepEqual(rows, gaps.map((g) => [g.resource, commas(g.end - (g.begin ?? 0)), commas(g.begin ?? 0), commas(g.end)]));
  await page.click('#gaps tbody tr:nth-child(2)');
  const view = await page.evaluate(() => window.tcpPage.view);
  assert.ok(view.from <= (gaps[1].begin ?? 0) && view.to >= gaps[1].end && view.to - view.from < 2 * (gaps[1].end - (gaps[1].begin ?? 0)));
  await page.done();
});

test('keys: panels by number, next way of colouring, free, light and dark, zoom to what is selected', async () => {
  const page = await opened('tiles');
  const tab = () => page.evaluate(() => window.tcpPage.view.tab);
  for (const [key, name] of Object.entries({ 2: 'lines', 3: 'waits', 4: 'gaps', 5: 'findings', 6: 'command', 7: 'whatif', 8: 'mapping', 1: 'answers' })) {
    await page.keyboard.press(key);
    assert.equal(await tab(), name);
  }
  await page.keyboard.press('c');
  assert.equal(await page.inputValue('#colour'), 'region');
  await page.keyboard.press('n');
  await page.keyboard.press('x');
  assert.deepEqual(await page.evaluate(() => [...window.tcpPage.changes.free]), [traceFile(tiles).critical_path[0]]);
  await page.keyboard.press('x');
  assert.equal(await page.evaluate(() => window.tcpPage.changes.free.size), 0);
  await page.keyboard.press('Enter');
  const [share] = await page.evaluate(() => { const { view, schedule } = window.tcpPage; return [schedule.length[view.selected] / (view.to - view.from)]; });
  assert.ok(Math.abs(share - 0.5) < 0.01, `half of the picture: ${share}`);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const was = await theme();
  await page.keyboard.press('t');
  assert.notEqual(await theme(), was);
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
  const memories = await page.evaluate(() => window.tcpPage.stage.memoryRows.map(({ lane, height }) => [lane.label, lane.of !== undefined, height > 0]));
  assert.deepEqual(memories.slice(0, 4), [['HBM', false, true], ['before', true, true], ['DM, cluster 0', false, true], ['before', true, true]]);
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
  const memory = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const row = stage.memoryRows.find((r) => r.lane.of);
    stage.scroll = Math.max(0, row.y + row.height + 20 - stage.canvas.clientHeight);
    stage.draw();
    return { x: stage.xOf(40000), y: row.y + row.yOf(row.lane.begin[0]) - 3 - stage.scroll };
  });
  await page.locator('#canvas').hover({ position: memory });
  assert.ok((await page.textContent('#tip')).startsWith('before: '), await page.textContent('#tip'));
  await page.click('#tab-compare');
  await shot(page, 'compare');
  await page.done();
});

test('a trace of version 1 has no sizes of axes: they are typed, and then its mappings are drawn', async () => {
  const page = await opened('gemm', { hash: '#tab=mapping&tensor=3' });
  assert.ok((await page.textContent('#mapping-problem')).includes('the size of axis I is not known'));
  const type = async (text) => {
    await page.fill('#mapping-axes', text);
    await page.keyboard.press('Tab');
  };
  await type('I=512, J=512, K=64');
  await page.waitForTimeout(200);
  await page.locator('#mapping-cells').click({ position: { x: 54, y: 18 } });  // beside the numbers of rows and columns
  const way = await page.textContent('#way');
  for (const text of ['HBM byte', 'a_dmit is stored here', 'written by #0 gemm.tcp:12, cycles 0 to 2,485', 'read by #3 gemm.tcp:18']) assert.ok(way.includes(text), `${text} in ${way}`);
  await type('I=500, J=512, K=64');
  assert.equal(await page.textContent('#mapping-problem'), '32 does not divide 500.');
  await page.done();
});

test('a mapping that is larger than its picture says what is shown; the link keeps its colours', async () => {
  const page = await opened('tiles', { hash: '#tab=mapping&tensor=3&by=bank' });
  assert.equal(await page.inputValue('#mapping-by'), 'bank');
  await page.waitForTimeout(200);
  assert.match(await page.textContent('#mapping-scale'), /^columns 0 to 2,047 of 2,048, one in \d+$/);
  assert.equal(await page.textContent('#mapping-axes'), 'axes I=512, J=512, K=64');
  await page.selectOption('#mapping-by', 'K');
  await page.waitForFunction(() => location.hash.includes('by=K'));
  await page.selectOption('#mapping-tensor', '0');
  assert.equal(await page.textContent('#mapping-axes'), 'axes I=512, K=64', 'those that the mapping names');
  await page.done();
});

test('paddings of every kind, skewed axes and windows are drawn', async () => {
  const trace = traceFile(tiles);
  trace.axes = [{ name: 'A', size: 4 }, { name: 'B', size: 3 }];
  const element = { 'A #z 8': ['A', 'A', 'A', 'A', 'zero', 'zero', 'zero', 'zero'], 'A #! 6': ['A', 'A', 'A', 'A', 'bottom', 'bottom'], 'A # 6': ['A', 'A', 'A', 'A', 'top', 'top'],
    'skew(A, B), B': [0, 1, 2, 1, 2, 3, 2, 3, 0, 3, 0, 1], '$(A:2, B)': ['A', 'A', 'A', 'A', 'A', 'A', 'A', 'A', 'A'] };
  Object.keys(element).forEach((text, i) => { trace.tensors[i].mapping = `i8 in HBM Element[${text}]`; });
  writeFileSync(join(folder, 'pads.json'), JSON.stringify(trace));
  pageOf('pads', join(folder, 'pads.json'));
  const page = await opened('pads', { hash: '#tab=mapping&tensor=0&by=A' });
  const [pads, ramp] = [{ zero: [255, 255, 255], top: [0xb9, 0xbe, 0xc6], bottom: [0x3a, 0x3d, 0x42] }, [[0x00, 0x22, 0x4e], [0x43, 0x4e, 0x6c], [0x7d, 0x7c, 0x78], [0xbb, 0xae, 0x6e]]];
  for (const [i, [text, cells]] of Object.entries(element).entries()) {
    await page.selectOption('#mapping-tensor', String(i));
    await page.waitForTimeout(150);
    assert.equal(await page.locator('#mapping-problem').count(), 0, text);
    const drawn = await page.evaluate((count) => {
      const { cellAt, grid } = window.tcpPage.mappingState;
      const ctx = document.getElementById('mapping-cells').getContext('2d');
      return Array.from({ length: count }, (_, p) => cellAt(Math.floor(p / grid.columns), p % grid.columns)).map(([x, y]) => [...ctx.getImageData(x + 1, y + 5, 1, 1).data].slice(0, 3));
    }, cells.length);
    cells.forEach((cell, p) => {
      if (cell in pads) assert.deepEqual(drawn[p], pads[cell], `${text} at ${p}`);
      else if (Number.isInteger(cell)) assert.deepEqual(drawn[p], ramp[cell], `${text} at ${p}`);
      else assert.ok(Object.values(pads).every((pad) => String(pad) !== String(drawn[p])), `${text} at ${p}`);
    });
    const legend = await page.textContent('#mapping-legend');
    for (const pad of ['#z', '#!']) assert.equal(legend.includes(`(${pad})`), text.includes(pad), text);
  }
  const [x, y] = await page.evaluate(() => window.tcpPage.mappingState.cellAt(0, 2));
  await page.locator('#mapping-cells').hover({ position: { x: x + 5, y: y + 5 } });
  assert.ok((await page.textContent('#mapping-tip')).includes('and 1 more of a window'), await page.textContent('#mapping-tip'));
  await page.done();
});

test('each DMA engine has a lane; a transfer is in those that it uses', async () => {
  const page = await opened('tiles', { hash: '#all=1' });
  const trace = traceFile(tiles);
  const rows = await page.evaluate(() => window.tcpPage.stage.rows.filter(({ lane }) => !lane.spans).map(({ lane, y, height }) => ({ label: lane.label, engine: lane.engine, commands: [...lane.index], y: y + height / 2 })));
  assert.deepEqual(rows.map((r) => r.label), ['critical path', 'main, cluster 0', 'main, cluster 1', 'sub, cluster 0', 'sub, cluster 1', 'tensor DMA', ...[0, 1, 2, 3, 4, 5, 6, 7].map((e) => `engine ${e}`), 'PCIe DMA',
    'vector engine, cluster 0', 'vector engine, cluster 1']);
  const uses = (c, engine) => c.dma && (c.dma[0].engine_set === '0-3') === (engine < 4);
  for (const { engine, commands } of rows.filter((r) => r.engine !== undefined))
    assert.deepEqual(commands, trace.commands.flatMap((c, i) => (uses(c, engine) ? [i] : [])), `engine ${engine}`);
  for (const cluster of [0, 1])
    assert.deepEqual(rows.find((r) => r.label === `main, cluster ${cluster}`).commands, trace.commands.flatMap((c, i) => (c.name === 'main' && c.writes[0].units === 1 + cluster ? [i] : [])));
  const spot = await page.evaluate((y) => ({ x: window.tcpPage.stage.xOf(60), y }), rows.find((r) => r.engine === 2).y);
  assert.deepEqual(await pixelAt(page, spot), [0xe6, 0x9f, 0x00]);
  await page.locator('#canvas').click({ position: spot });
  assert.equal(await page.textContent('#command-title'), '#0 dma in tile[0]');
  assert.ok((await page.textContent('#panel')).includes('4 of 8: 0-3'));
  await page.done();
});

test('memories: both clusters, halves of TRF, VRF, capacities and peaks', async () => {
  const page = await opened('tiles', { height: 1400, hash: '#all=1' });
  const trace = traceFile(tiles);
  const rows = await page.evaluate(() => window.tcpPage.stage.memoryRows.map(({ lane, y, height, yOf }) => ({
    label: lane.label, capacity: lane.capacity, peak: lane.peak, used: lane.index.length, y, height, half: yOf(lane.capacity / 2), first: lane.index[0] ?? -1 })));
  assert.deepEqual(rows.map((r) => r.label), ['HBM', 'DM, cluster 0', 'DM, cluster 1', 'TRF, cluster 0', 'TRF, cluster 1', 'VRF, cluster 0', 'VRF, cluster 1']);
  for (const [i, memory] of ['HBM', 'DM', 'DM', 'TRF', 'TRF', 'VRF', 'VRF'].entries()) assert.equal(rows[i].capacity, trace.capacities.find((c) => c.memory === memory).bytes, memory);
  for (const cluster of [0, 1]) {
    const mine = trace.tensors.filter((t) => t.memory === 'DM' && t.units === 1 + cluster);
    const moments = mine.map((t) => mine.filter((o) => o.born <= t.born && t.born < o.gone).reduce((sum, o) => sum + o.end - o.begin, 0));
    assert.equal(rows[1 + cluster].peak, Math.max(...moments), `peak of cluster ${cluster}`);
    assert.equal(rows[1 + cluster].used, mine.length);
  }
  assert.equal(rows[3].half, rows[3].height / 2, 'each half of TRF has half of the lane');
  assert.deepEqual(rows.slice(5).map((r) => [r.used, r.height]), [[0, 0], [0, 0]], 'VRF is there, and empty');
  const line = await pixelAt(page, { x: 700, y: rows[1].y });
  const ground = await pixelAt(page, { x: 700, y: rows[1].y + 3 });
  const dashes = await page.evaluate(([y, ink]) => {
    const ctx = document.getElementById('canvas').getContext('2d');
    return Array.from({ length: 40 }, (_, i) => String([...ctx.getImageData(600 + i, y, 1, 1).data].slice(0, 3)) === ink).filter(Boolean).length;
  }, [rows[1].y, '184,58,0']);
  assert.ok(dashes > 15 && dashes < 40, `the capacity is a dashed line: ${dashes} of 40; ${line} on ${ground}`);
  const tensor = trace.tensors[rows[1].first];
  const inside = await page.evaluate(([t, time]) => {
    const { stage } = window.tcpPage;
    const row = stage.memoryRows[1];
    return { x: stage.xOf(time), y: row.y + (row.yOf(t.begin) + row.yOf(t.end)) / 2 - stage.scroll };
  }, [tensor, (tensor.born + tensor.gone) / 2]);
  await page.locator('#canvas').click({ position: inside });
  assert.equal(await page.textContent('#tensor-title'), tensor.name);
  await page.done();
});

test('the slack of a selected command is drawn, and told', async () => {
  const { commands: _, regions: __, tensors: ___, ...head } = traceFile(tiles);
  const command = (name, resource, start, end, more) => ({ name, resources: [resource], start, end, streaming: end - start, ...more });
  const trace = { ...head, makespan: 200, bounds: [], critical_path: [0, 2], commands: [command('dma', 2, 0, 100, { critical: true }), command('sub', 1, 0, 40, { slack: 160 }),
    command('main', 0, 100, 200, { critical: true, after: [{ kind: 'raw', from: 0, on: 'DM', end: 8 }], binding: 0 })] };
  writeFileSync(join(folder, 'slack.json'), JSON.stringify(trace));
  pageOf('slack', join(folder, 'slack.json'));
  const page = await opened('slack');
  await page.evaluate(() => { window.tcpPage.select(1, false); window.tcpPage.zoom(0, 250); });
  assert.ok((await page.textContent('#panel')).includes('Slack 160.'));
  const end = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    return { x: stage.xOf(200), y: stage.rowOf(1).y + 2 - stage.scroll };
  });
  assert.deepEqual(await pixelAt(page, { x: Math.floor(end.x), y: end.y }), [0x1a, 0x1a, 0x1a], 'a mark where the slack ends');
  await page.keyboard.press('Escape');
  assert.notDeepEqual(await pixelAt(page, { x: Math.floor(end.x), y: end.y }), [0x1a, 0x1a, 0x1a]);
  await shot(page, 'slack');
  await page.done();
});

test('where each cluster has a queue of DMA, each has a lane', async () => {
  const trace = traceFile(tiles);
  trace.commands.forEach((c) => { if (c.dma) c.queues = c.dma[0].engine_set === '0-3' ? '0' : '1'; });
  writeFileSync(join(folder, 'queues.json'), JSON.stringify(trace));
  pageOf('queues', join(folder, 'queues.json'));
  const page = await opened('queues');
  const lanes = await page.evaluate(() => Object.fromEntries(window.tcpPage.stage.rows.map(({ lane }) => [lane.label, [...lane.index]])));
  for (const cluster of [0, 1]) assert.deepEqual(lanes[`tensor DMA, cluster ${cluster}`], trace.commands.flatMap((c, i) => (c.queues === String(cluster) ? [i] : [])));
  const row = await page.evaluate((c) => window.tcpPage.stage.rowOf(c).lane.label, trace.commands.findIndex((c) => c.queues === '1'));
  assert.equal(row, 'tensor DMA, cluster 1');
  await page.done();
  pageOf('queues-then-one', join(folder, 'queues.json'), tiles);
  const both = await opened('queues-then-one');
  const labels = await both.evaluate(() => window.tcpPage.stage.rows.map((r) => r.lane.label));
  const dma = labels.indexOf('tensor DMA');
  assert.deepEqual(labels.slice(dma, dma + 4), ['tensor DMA', 'before, cluster 0', 'before, cluster 1', 'engines 0-3']);
  await both.done();
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

test('ticks stand beside cycles when they are asked for, and only where the trace knows them', async () => {
  const old = await opened('gemm');
  assert.equal(await old.locator('#ticks-tool').isHidden(), true);
  await old.done();
  const trace = { ...traceFile(FILES.gemm), version: 4, ticks_per_cycle: 2 };
  const file = join(folder, 'gemm_ticks.json');
  writeFileSync(file, JSON.stringify(trace));
  pageOf('ticks', file);
  const page = await opened('ticks');
  const makespan = commas(trace.makespan), ticks = commas(trace.makespan * 2);
  assert.ok((await page.textContent('#about')).includes(`${makespan} cycles`));
  assert.ok(!(await page.textContent('#about')).includes('ticks'));
  await page.click('#more summary');
  await page.check('#ticks');
  assert.ok((await page.textContent('#about')).includes(`${makespan} cycles (${ticks} ticks)`));
  assert.ok((await page.textContent('#answer-bounds')).includes(' ticks)'));
  await page.click('#tab-gaps');
  assert.ok((await page.textContent('#gaps')).includes('cycles (ticks)'));
  assert.equal(await page.locator('#choices').isVisible(), false, 'a click elsewhere closes the menu');
  await page.click('#more summary');
  await page.uncheck('#ticks');
  assert.ok(!(await page.textContent('#panel')).includes('ticks'));
  await page.done();
  pages.begins = join(folder, 'begins.html');
  execFileSync(TCP, ['view', file, '--ticks', '-o', pages.begins]);
  const begins = await opened('begins');
  assert.equal(await begins.title(), `gemm: ${makespan} cycles (${ticks} ticks)`);
  await begins.done();
});

test('an imported schedule is drawn, and what its file says beyond is shown', async () => {
  pageOf('imported', join(GOLDEN, 'relu.schedule.json'));
  const page = await opened('imported');
  assert.equal(await page.title(), 'relu: 11,106 cycles');
  assert.ok((await page.textContent('#facts')).includes('page_size16777216'));
  await page.evaluate(() => window.tcpPage.select(5, true));
  assert.equal(await page.textContent('#command-title'), '#5 Core#ExplicitSync(2)');
  assert.ok((await page.textContent('#panel')).includes('fenceclusters'));
  await page.evaluate(() => { const p = window.tcpPage; p.view.selected = -1; p.view.tensor = 1; p.openTab('command'); });
  assert.ok((await page.textContent('#tensor-details')).includes('fingerprint7919'));
  await page.done();
});

test('a model and an imported schedule are compared call by call', async () => {
  const model = join(folder, 'relu_model.json');
  execFileSync(TCP, ['plan', join(GOLDEN, 'relu.rs'), '--model', 'planned', '--trace', model]);
  pageOf('calls', model, join(GOLDEN, 'relu.schedule.json'));
  const page = await opened('calls');
  await page.click('#tab-compare');
  const rows = await page.locator('#diff-calls tbody tr').allTextContents();
  assert.equal(rows.length, 4);
  assert.ok(rows[0].startsWith('DmaStore relu.rs:25'), rows[0]);
  assert.ok(rows[3].startsWith('Core#ExplicitSync(2)'), rows[3]);
  await page.done();
});
