// What the page shows beyond single commands: regions, names, use over time, roofline, the source and its heat, folded lanes, the chip at a moment, values, launches.
// Numbers are worked out here once more from the trace, and values from the arrays that a kernel was given.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commas, DEMO, folder, HERE, opened, pageFrom, pageOf, pages, pixelAt, shot, startBrowser, stopBrowser, TCP, traceFile } from './browser.mjs';

const GEMM = join(HERE, '../../tests/golden/files/gemm.tcp');
const [I, J, K] = [512, 512, 64];
const at = (name) => join(folder, name);

/// Bits of a bf16 that is exact.
function bf16(value) {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint16(0);
}

/// An .npy file of raw bf16, as ml_dtypes stores it.
function writeNpy(file, shape, bits) {
  const head = `{'descr': '|V2', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  const padded = head.padEnd(Math.ceil((10 + head.length + 1) / 64) * 64 - 11) + '\n';
  const out = Buffer.alloc(10 + padded.length + bits.length * 2);
  out.write('\x93NUMPY\x01\x00', 0, 'latin1');
  out.writeUInt16LE(padded.length, 8);
  out.write(padded, 10, 'latin1');
  bits.forEach((b, i) => out.writeUInt16LE(b, 10 + padded.length + i * 2));
  writeFileSync(file, out);
}

const a = Array.from({ length: I * K }, (_, n) => ((n * 7) % 13 - 6) / 4);
const b = Array.from({ length: J * K }, (_, n) => ((n * 5) % 11 - 5) / 2);

function runGemm(name, aBits, bBits) {
  writeNpy(at('a.npy'), [I, K], aBits);
  writeNpy(at('b.npy'), [J, K], bBits);
  execFileSync(TCP, ['run', GEMM, '--in', `a=${at('a.npy')}`, '--in', `b=${at('b.npy')}`, '--backend', 'device', '--trace', at(`${name}.json`), '--values']);
}

before(async () => {
  execFileSync(process.execPath, [join(HERE, 'make_trace.mjs'), '200', at('tiles.json')]);
  pageOf('tiles', at('tiles.json'));
  execFileSync(DEMO, { env: { ...process.env, TCP_BACKEND: 'device', TCP_TRACE: at('demo.json') } });
  pageOf('demo', at('demo.json'));
  runGemm('values', a.map(bf16), b.map(bf16));
  pageOf('values', at('values.json'));
  await startBrowser();
});
after(stopBrowser);

test('regions: a lane of spans, a colour, and a table with what the trace says', async () => {
  const trace = traceFile(at('tiles.json'));
  const page = await opened('tiles', { hash: '#tab=regions' });
  const spans = trace.regions.map((_, r) => {
    const own = trace.commands.filter((c) => c.region === r);
    return [Math.min(...own.map((c) => c.start)), Math.max(...own.map((c) => c.end))];
  });
  const drawn = await page.evaluate(() => window.tcpPage.stage.rows.filter(({ lane }) => lane.spans === 'region').map(({ lane }) => [...lane.index].map((r, i) => [r, lane.start[i], lane.end[i]])));
  for (const lane of drawn) for (let i = 1; i < lane.length; ++i) assert.ok(lane[i - 1][2] <= lane[i][1], 'none covers another');
  for (const [r, start, end] of drawn.flat()) assert.deepEqual([start, end], spans[r]);
  assert.equal(drawn.flat().length, trace.regions.length);
  const row = await page.textContent('#regions tbody tr');
  const critical = trace.commands.filter((c) => c.critical).reduce((sum, c) => sum + c.end - c.start, 0);
  assert.ok(row.startsWith(`tile \u00d7 ${trace.regions.length}${commas(critical)}`), row);
  await page.click('#regions tbody tr');
  assert.equal(await page.textContent('#found'), `${trace.commands.length} found`);
  await page.selectOption('#colour', 'region');
  assert.ok((await page.textContent('#legend')).startsWith('tile'));
  await page.fill('#search', 'region:tile[3]');
  const lane = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const row_ = stage.rows.find(({ lane: l }) => l.spans && l.index.includes(5));
    const i = row_.lane.index.indexOf(5);
    return { x: stage.xOf((row_.lane.start[i] + row_.lane.end[i]) / 2), y: row_.y + row_.height / 2 };
  });
  await page.locator('#canvas').hover({ position: lane });
  assert.ok((await page.textContent('#tip')).startsWith(`tile[5]: ${commas(spans[5][1] - spans[5][0])} cycles`), await page.textContent('#tip'));
  await page.locator('#canvas').click({ position: lane });
  assert.equal(await page.textContent('#found'), '5 found');
  await page.done();
  trace.regions = [0, 1, 2].map((index) => ({ name: 'third', index }));
  trace.commands.forEach((c, i) => { c.region = i % 3; });
  pageFrom('overlap', trace);
  const over = await opened('overlap');
  assert.equal(await over.evaluate(() => window.tcpPage.stage.rows.filter(({ lane: l }) => l.spans).length), 3, 'spans that cover each other have lanes of their own');
  await over.done();
});

test('bars are named by what they compute', async () => {
  const page = await opened('demo');
  const labels = await page.evaluate(() => Array.from({ length: window.tcpPage.trace.n }, (_, c) => window.tcpPage.model.label(c)));
  assert.deepEqual(labels.map((l) => l.split('   ')[0]), ['a \u2192 a_dm', 'b \u2192 b_dm', 'weights \u2190 b_dm', 'c_dm = a_dm \u00d7 weights', 'c_dm \u2192 result']);
  await page.evaluate(() => window.tcpPage.select(3, false));
  assert.equal(await page.textContent('#command-computes'), 'c_dm = a_dm \u00d7 weights');
  await page.done();
});

test('use over time: what is drawn sums up to what the trace moves and multiplies', async () => {
  const trace = traceFile(at('demo.json'));
  const page = await opened('demo');
  const counters = await page.evaluate(() => {
    const { model, schedule } = window.tcpPage;
    const width = 1000;
    const at_ = (counter, from, to) => {
      const shares = window.tcpPage.stage.constructor.sampled(counter, { from, to, width });
      return shares.reduce((sum, s) => sum + s, 0) * counter.peak * (to - from) / width;
    };
    return model.counters.map((c) => ({ label: c.label, peak: c.peak, sum: at_(c, 0, schedule.makespan), first: at_(c, 0, 1524) }));
  });
  const [{ clusters, slices, rows, hbm_mb_per_s: rate }] = trace.geometry;
  const hbm = trace.commands.filter((c) => c.dma).reduce((sum, c) => sum + c.dma[0].bytes, 0);
  const multiplied = trace.commands[3].pass[0].multiply_adds;
  assert.equal(multiplied, 512 * 512 * 64);
  assert.deepEqual(counters.map((c) => c.label), ['HBM', 'multiply-adds']);
  assert.equal(counters[0].peak, rate / trace.core_mhz);
  assert.equal(counters[1].peak, clusters * slices * rows * 32);
  assert.ok(Math.abs(counters[0].sum - hbm) < hbm * 1e-6, `${counters[0].sum} of ${hbm}`);
  assert.ok(Math.abs(counters[1].sum - multiplied) < multiplied * 1e-6);
  assert.ok(Math.abs(counters[0].first - trace.commands[0].dma[0].bytes) < 2, 'the first transfer alone');
  const spot = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const [row] = stage.counterRows;
    return { x: stage.xOf(700), y: row.y + 4 };
  });
  await page.locator('#canvas').hover({ position: spot });
  assert.match(await page.textContent('#tip'), /^HBM: \d+\.\d %, \d+ GB\/s at cycle \d/);
  await page.done();
});

test('roofline: TFLOPS, GB/s and intensity, and what sets the roof', async () => {
  const trace = traceFile(at('demo.json'));
  const page = await opened('demo', { hash: '#tab=roofline' });
  const hbm = trace.commands.filter((c) => c.dma).reduce((sum, c) => sum + c.dma[0].bytes, 0);
  const flop = 2 * 512 * 512 * 64;
  const seconds = trace.makespan / 1e9;
  const said = await page.textContent('#roofline-words');
  for (const words of [`${Number((flop / seconds / 1e12).toPrecision(3))} TFLOPS`, `${Number((hbm / seconds / 1e9).toPrecision(3))} GB/s`, `${Number((flop / hbm).toPrecision(3))} FLOP per byte`, 'of 262)', 'of 1,536)', 'set by HBM']) assert.ok(said.includes(words), `${words} in ${said}`);
  assert.equal(await page.locator('#roofline-plot .roof').count(), 1);
  assert.ok(await page.locator('#roofline-plot circle').count() >= 1);
  await page.click('#tab-answers');
  assert.ok((await page.textContent('#achieved')).startsWith('Reached: '));
  await page.done();
  const old = await opened('tiles', { hash: '#tab=roofline' });
  assert.ok((await old.textContent('#roofline-words')).startsWith('This trace does not say'), 'a trace of version 2');
  await old.done();
});

test('the source: cycles are at the stage that sets the pace, and lines between are shown', async () => {
  const trace = traceFile(at('demo.json'));
  const stages = trace.configurations[trace.commands[3].configuration].stages;
  assert.deepEqual(stages.map((s) => s.name), ['fetch', 'collect', 'align', 'contract', 'accumulate', 'cast', 'commit']);
  const fetch = trace.sources[stages[0].source].line;
  assert.ok(fetch > trace.sources[trace.commands[3].source].line, 'fetch is below begin');
  assert.equal(trace.commands[3].slowest, 'Fetch');
  const page = await opened('demo', { hash: '#tab=source' });
  const share = (c) => `${((trace.commands[c].end - trace.commands[c].start) * 100 / trace.makespan).toFixed(1)}\u00a0%`;
  const line = (n) => page.locator(`.source[data-file="main.cpp"] .line[data-line="${n}"]`);
  assert.equal(await line(fetch).locator('.cycles').textContent(), share(3));
  assert.equal(await line(trace.sources[trace.commands[3].source].line).locator('.cycles').textContent(), '', 'nothing at begin()');
  assert.equal(await line(trace.sources[trace.commands[4].source].line).locator('.cycles').textContent(), share(4));
  assert.ok((await line(fetch).getAttribute('title')).includes('Fetch sets the pace'));
  assert.ok(await line(fetch - 3).count() === 1, 'a line that the trace does not name');
  await line(fetch).click();
  assert.equal(await page.textContent('#found'), '1 found', 'a stage is found by its line');
  await page.evaluate(() => window.tcpPage.select(3, false));
  assert.ok((await page.textContent('#panel')).includes('fetch (sets the pace)'));
  await page.done();
});

test('identical clusters and engines are one lane, and what is unused is one line', async () => {
  const page = await opened('demo');
  const labels = () => page.evaluate(() => window.tcpPage.stage.rows.map(({ lane }) => lane.label));
  assert.deepEqual(await labels(), ['host, before', 'critical path', 'main, cluster 0', 'sub, cluster 0', 'tensor DMA', 'engines 0-3']);
  const unused = await page.evaluate(() => window.tcpPage.model.unused);
  for (const name of ['main, cluster 1', 'engines 4-7', 'PCIe DMA', 'DM, cluster 1', 'VRF, clusters 0-1']) assert.ok(unused.includes(name), `${name} in ${unused}`);
  await page.click('#more summary');
  await page.check('#all-lanes');
  assert.ok((await labels()).includes('main, cluster 1') && (await labels()).includes('engine 7'));
  await page.waitForFunction(() => location.hash.includes('all=1'));
  await page.done();
  const trace = traceFile(at('tiles.json'));
  for (const u of trace.units) if (u.clusters === '1') u.clusters = '0-1';
  for (const c of trace.commands) for (const r of [...c.reads, ...c.writes]) if (r.units === 1) r.units = 2;
  for (const t of trace.tensors) if (t.units === 1) t.units = 2;
  pageFrom('alike', trace);
  const alike = await opened('alike');
  const rows = await alike.evaluate(() => window.tcpPage.stage.rows.filter(({ lane }) => !lane.spans).map(({ lane }) => lane.label));
  assert.deepEqual(rows.slice(0, 4), ['critical path', 'main, clusters 0-1', 'sub, clusters 0-1', 'tensor DMA']);
  assert.deepEqual(await alike.evaluate(() => window.tcpPage.stage.memoryRows.map(({ lane }) => lane.label)), ['HBM', 'DM, clusters 0-1', 'TRF, clusters 0-1']);
  await alike.done();
});

for (const [width, height] of [[1280, 720], [1920, 1080]])
  test(`the toolbar has one row and no tab wraps at ${width} x ${height}`, async () => {
    const page = await opened('demo', { width, height });
    const { header, tabs, tall } = await page.evaluate(() => ({
      header: document.querySelector('header').offsetHeight, tall: document.getElementById('fit').offsetHeight,
      tabs: [...document.querySelectorAll('#tabs button')].map((t) => [t.scrollWidth <= t.clientWidth + 1, t.offsetHeight, t.getBoundingClientRect().bottom]),
    }));
    assert.ok(header < 2 * tall, `${header} for buttons of ${tall}`);
    assert.ok(tabs.length >= 13);
    for (const [whole, tabHeight, bottom] of tabs) assert.ok(whole && tabHeight < 32 && bottom <= height);
    await page.done();
  });

test('the panel can be made wider, by pointer and by key, and is as it was after a double click', async () => {
  const page = await opened('demo');
  const width = () => page.evaluate(() => document.getElementById('side').offsetWidth);
  const was = await width();
  const grip = await page.locator('#grip').boundingBox();
  await page.mouse.move(grip.x + 3, 300);
  await page.mouse.down();
  await page.mouse.move(grip.x - 147, 300, { steps: 3 });
  await page.mouse.up();
  assert.equal(await width(), was + 150);
  assert.equal(await page.evaluate(() => String(getSelection())), '', 'no text is selected');
  await page.locator('#grip').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await width(), was + 126);
  await page.locator('#grip').dblclick();
  assert.equal(await width(), was);
  await page.done();
});

test('the end of the kernel is marked, and memories have addresses', async () => {
  const trace = traceFile(at('demo.json'));
  const page = await opened('demo');
  const said = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    window.tcpPage.zoom(0, window.tcpPage.schedule.makespan * 1.2);
    const { ctx } = stage;
    const texts = [];
    const { fillText } = ctx;
    ctx.fillText = (text, x) => texts.push([text, x]);
    stage.draw();
    ctx.fillText = fillText;
    return texts;
  });
  const end = said.find(([text]) => text === `end ${commas(trace.makespan)}`);
  assert.ok(end, said.map(([text]) => text).join());
  for (const address of ['512.5 MiB', '256.06 MiB', '0 B', '10 KiB']) assert.ok(said.some(([text]) => text === address), address);
  const x = await page.evaluate(() => Math.round(window.tcpPage.stage.xOf(window.tcpPage.schedule.makespan)) - 1);
  assert.deepEqual(await pixelAt(page, { x, y: 600 }), [0xb8, 0x3a, 0x00]);
  await page.done();
});

test('a mapping has numbers beside its rows and columns, and an index for each axis in its cells', async () => {
  const trace = traceFile(at('tiles.json'));
  trace.axes = [{ name: 'A', size: 8 }, { name: 'B', size: 16 }];
  trace.tensors[0].mapping = 'i8 in HBM Element[B % 4, B / 4, A]';
  pageFrom('axes', trace);
  const page = await opened('axes', { hash: '#tab=mapping&tensor=0', width: 1600, height: 1000 });
  await page.waitForTimeout(200);
  const said = await page.evaluate(() => {
    const canvas = document.getElementById('mapping-cells');
    const prototype = CanvasRenderingContext2D.prototype;
    const texts = [];
    const { fillText } = prototype;
    prototype.fillText = function note(text, ...rest) {
      if (this.canvas.id === 'mapping-cells') texts.push(text);
      return fillText.call(this, text, ...rest);
    };
    window.tcpPage.openTab('mapping');
    return new Promise((done) => { setTimeout(() => { prototype.fillText = fillText; done({ texts, width: canvas.width }); }, 300); });
  });
  const count = (word) => said.texts.filter((t) => t === word).length;
  assert.ok(count('15') >= 8, `B = 15 in eight cells: ${said.texts.slice(0, 60).join()}`);
  assert.ok(said.texts.includes('120'), 'the last row begins at position 120');
  assert.ok((await page.textContent('#mapping-legend')).includes('B: 0 to 15'));
  await page.click('#mapping-large');
  assert.ok(await page.evaluate(() => document.getElementById('side').offsetWidth > window.innerWidth * 0.6));
  await page.click('#mapping-large');
  assert.ok(await page.evaluate(() => document.getElementById('side').offsetWidth < window.innerWidth * 0.6));
  await page.done();
});

test('the chip at a moment: slices, banks and channels of what runs then', async () => {
  const trace = traceFile(at('demo.json'));
  const page = await opened('demo');
  const { start, end } = trace.commands[3];
  const x = await page.evaluate((time) => { window.tcpPage.zoom(0, 6000); return window.tcpPage.stage.xOf(time); }, (start + end) / 2);
  await page.locator('#canvas').click({ position: { x, y: 12 } });
  assert.equal(await page.evaluate(() => window.tcpPage.view.tab), 'map');
  const moment = Number(await page.inputValue('#moment'));
  assert.ok(moment >= start && moment < end);
  assert.ok((await page.textContent('#map-running')).includes('#3 c_dm = a_dm \u00d7 weights'));
  assert.equal(await page.locator('canvas.slices').count(), 2);
  const colours = await page.evaluate(() => [...document.querySelectorAll('canvas.slices')].map((c) => [...c.getContext('2d').getImageData(3, 3, 1, 1).data].slice(0, 3).join()));
  assert.equal(colours[0], '0,114,178', 'cluster 0 works on main');
  assert.notEqual(colours[1], colours[0], 'cluster 1 does not');
  assert.equal(await page.locator('#map-banks span').count(), 16);
  await page.fill('#moment', '100');
  await page.keyboard.press('Tab');
  assert.ok((await page.textContent('#map-running')).includes('#0 a \u2192 a_dm'));
  const bars = await page.locator('#map-channels span').evaluateAll((all) => all.map((s) => parseFloat(s.style.height)));
  assert.equal(bars.length, 32);
  assert.ok(bars.every((h) => h > 1), 'a tensor of 64 KiB is in every channel');
  await page.selectOption('#map-by', 'dm');
  assert.ok((await page.textContent('#panel')).includes('512.0 KiB per slice'));
  await page.waitForFunction(() => location.hash.includes('moment=100'));
  await shot(page, 'map');
  await page.done();
});

const wayRows = (page) => page.locator('#way tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

test('an element has its value at every hop: those of the arrays, and what the kernel makes of them', async () => {
  const [i, j, k] = [40, 77, 7];
  const page = await opened('values', { hash: `#tab=mapping&tensor=2&element=I=${i},J=${j}` });
  const rows = await wayRows(page);
  const sum = Array.from({ length: K }, (_, n) => a[i * K + n] * b[j * K + n]).reduce((s, v) => s + v, 0);
  const of = (name) => rows.find(([tensor]) => tensor.startsWith(name));
  const rounded = new Float32Array([sum])[0];
  assert.ok(Math.abs(Number(of('c')[1]) - rounded) <= Math.abs(rounded) / 128, `${of('c')[1]} for ${sum}`);
  assert.equal(of('tile')[1], of('c')[1]);
  assert.equal(of('b_trf')[1].split('first')[0], String(b[j * K]), 'the first of the column in TRF');
  await page.fill('#mapping-element', '');
  await page.done();
  const single = await opened('values', { hash: `#tab=mapping&tensor=0&element=I=${i},K=${k}` });
  const hops = await wayRows(single);
  assert.deepEqual(hops.slice(0, 2).map(([, value]) => value), [String(a[i * K + k]), String(a[i * K + k])]);
  await single.click('#tab-values');
  assert.equal(await single.textContent('#not-finite'), 'None: every number that a command wrote is finite.');
  assert.ok((await single.textContent('#kept')).includes('#3 tile = a_dm \u00d7 b_trf'));
  await single.done();
});

test('the first NaN is found: in an argument, and in what a kernel makes', async () => {
  const bits = a.map(bf16);
  bits[100 * K + 3] = 0x7fc0;
  runGemm('nan', bits, b.map(bf16));
  pageOf('nan', at('nan.json'));
  const page = await opened('nan', { hash: '#tab=values' });
  const said = await page.textContent('#not-finite');
  assert.ok(said.startsWith('NaN: a at K=3, I=100') || said.startsWith('NaN: a at I=100, K=3'), said);
  assert.ok(said.includes('from the arguments') && said.includes('It left 1 such number;') && said.includes('3 later commands'), said);
  await page.click('.follow');
  assert.ok((await page.textContent('#way')).includes('NaN'));
  await page.done();
  const large = a.map((_, n) => (Math.floor(n / K) === 9 ? 0x7f00 : bf16(0)));  // 2^127, whose products overflow
  runGemm('overflow', large, b.map(() => bf16(4)));
  pageOf('overflow', at('overflow.json'));
  const over = await opened('overflow', { hash: '#tab=values' });
  const infinite = await over.textContent('#not-finite');
  assert.ok(/^infinity: tile at (I=9, J=0|J=0, I=9), from #3 tile = a_dm \u00d7 b_trf/.test(infinite), infinite);
  await over.done();
});

test('two runs: the first command and element that differ, with both values', async () => {
  const changed = a.slice();
  changed[200 * K + 5] += 1;
  runGemm('changed', changed.map(bf16), b.map(bf16));
  pageOf('differ', at('values.json'), at('changed.json'));
  const page = await opened('differ', { hash: '#tab=values' });
  const said = await page.textContent('#first-difference');
  assert.ok(said.startsWith('After the arguments: a at ') && said.includes('K=5') && said.includes('I=200') && said.includes(`${a[200 * K + 5]} before and ${changed[200 * K + 5]} now`), said);
  await page.done();
  pageOf('same', at('values.json'), at('values.json'));
  const same = await opened('same', { hash: '#tab=values' });
  assert.equal(await same.textContent('#first-difference'), 'Nowhere: every command left the same bytes in both.');
  await same.done();
  const bytes = traceFile(at('changed.json'));
  const [, first] = bytes.values;
  first.digest = '0123456789abcdef';
  bytes.values[0] = traceFile(at('values.json')).values[0];
  delete first.parts;
  writeFileSync(at('few.json'), JSON.stringify(bytes));
  pageOf('few', at('values.json'), at('few.json'));
  const few = await opened('few', { hash: '#tab=values' });
  assert.equal(await few.textContent('#first-difference'), 'After #0 a \u2192 a_dm at gemm.tcp:12: the bytes differ, but they were not stored, so that the element is not known.');
  await few.done();
});

test('all launches of a program on one axis: their times, names and a table', async () => {
  const trace = traceFile(at('demo.json'));
  mkdirSync(at('launches'));
  const second = { ...traceFile(at('values.json')), host_transfers: [{ direction: 'upload', tensor: 'x', bytes: 4096, cycles: 77 }] };
  delete second.values;
  const files = { 'run.json': trace, 'run.2.json': second, 'run.10.json': trace };
  for (const [name, made] of Object.entries(files)) writeFileSync(join(at('launches'), name), JSON.stringify(made));
  pageOf('folder', at('launches'));
  const page = await opened('folder', { hash: '#tab=launches' });
  const whole = 2 * trace.makespan + second.makespan;
  assert.equal(await page.title(), `gemm, 3 launches: ${commas(whole)} cycles`);
  const lane = await page.evaluate(() => window.tcpPage.stage.rows.filter(({ lane: l }) => l.spans === 'launch').map(({ lane: l }) => [[...l.start], [...l.end]])[0]);
  assert.deepEqual(lane, [[0, trace.makespan, trace.makespan + second.makespan], [trace.makespan, trace.makespan + second.makespan, whole]], 'run.10 comes after run.2');
  const rows = await page.locator('#launches tbody tr').allTextContents();
  assert.equal(rows.length, 3);
  assert.ok(rows[1].includes('4.0 KiB, 77 cycles'), rows[1]);
  await page.locator('#launches tbody tr').nth(1).click();
  const view = await page.evaluate(() => [window.tcpPage.view.from, window.tcpPage.view.to]);
  assert.ok(view[0] < trace.makespan && view[0] > trace.makespan * 0.9 && view[1] > trace.makespan + second.makespan && view[1] < (trace.makespan + second.makespan) * 1.1);
  await page.keyboard.press('f');
  await page.evaluate(() => window.tcpPage.change('free', 5));
  assert.equal(await page.evaluate(() => window.tcpPage.schedule.makespan), whole - (trace.commands[4].end - trace.commands[4].start), 'what if works across launches');
  await shot(page, 'launches');
  await page.done();
  pages.numbered = at('numbered.html');
  execFileSync(TCP, ['view', join(at('launches'), 'run.json'), '--launches', '-o', pages.numbered]);
  const numbered = await opened('numbered');
  assert.equal(await numbered.title(), `gemm, 2 launches: ${commas(trace.makespan + second.makespan)} cycles`, 'run.json and run.2.json; there is no run.3.json');
  await numbered.done();
  pageOf('three', at('demo.json'), at('demo.json'), at('demo.json'));
  const three = await opened('three');
  assert.equal(await three.title(), `gemm, 3 launches: ${commas(3 * trace.makespan)} cycles`);
  await three.done();
  const refused = (...args) => {
    try {
      execFileSync(TCP, ['view', ...args, '-o', at('x.html')], { stdio: 'pipe' });
      return '';
    } catch (e) {
      return String(e.stderr);
    }
  };
  writeFileSync(at('other.json'), JSON.stringify({ ...trace, model: 'planned' }));
  assert.ok(refused(at('demo.json'), at('other.json'), '--launches').includes('timing models book and planned'));
  mkdirSync(at('nothing'));
  assert.ok(refused(at('nothing')).includes('has no trace'));
});

test('--open hands the address to the desktop, and says so if it cannot', async () => {
  mkdirSync(at('bin'));
  writeFileSync(join(at('bin'), 'xdg-open'), `#!/bin/sh\necho "$1" > ${at('opened')}\n`);
  chmodSync(join(at('bin'), 'xdg-open'), 0o755);
  execFileSync(TCP, ['view', at('demo.json'), '-o', at('opened.html'), '--open'], { env: { ...process.env, PATH: at('bin') } });
  assert.equal(readFileSync(at('opened'), 'utf-8').trim(), `file://${at('opened.html')}`);
  const server = spawn(TCP, ['view', at('demo.json'), '--open'], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH: at('nothing') } });
  const [line, warning] = await Promise.all([server.stdout, server.stderr].map((stream) => new Promise((said) => { stream.once('data', (bytes) => said(String(bytes))); })));
  assert.match(line, /^http:\/\/127\.0\.0\.1:\d+\/ until Ctrl-C; open it in a browser\n/);
  assert.ok(warning.startsWith('warning: no browser was opened'), warning);
  server.kill('SIGINT');
});

test('memories, engines, regions and waits have no colour in common', async () => {
  const page = await opened('tiles');
  const sets = await page.evaluate(() => {
    const { trace, model } = window.tcpPage;
    const engines = model.colours.palette;
    return { engines, tensors: trace.tensorColours, regions: model.lanes.find((l) => l.spans).look.palette, waits: [...document.querySelectorAll('#legend i.wait')].map((i) => i.style.background) };
  });
  const all = Object.values(sets).map((colours) => [...new Set(colours)]);
  assert.ok(all.every((colours) => colours.length > 0));
  assert.equal(new Set(all.flat()).size, all.reduce((sum, colours) => sum + colours.length, 0));
  await page.done();
});


test('a narrow window has the panel below the picture, and no part of the page beside it', async () => {
  for (const width of [420, 760]) {
    const page = await opened('tiles', { width, height: 800 });
    const [stage, side, whole] = await page.evaluate(() => ['stage', 'side'].map((id) => document.getElementById(id).getBoundingClientRect()).map((r) => [r.x, r.y, r.width, r.height]).concat(document.documentElement.scrollWidth));
    assert.ok(stage[2] === width && side[2] === width && side[1] >= stage[1] + stage[3] && stage[3] > 150 && side[3] > 150, `${width}: ${stage} and ${side}`);
    assert.equal(whole, width);
    await shot(page, `narrow-${width}`);
    await page.done();
  }
});

test('arrow keys go from panel to panel, and the focus stays with the names', async () => {
  const page = await opened('tiles');
  await page.focus('#tab-answers');
  for (const [key, tab] of [['ArrowDown', 'lines'], ['ArrowDown', 'waits'], ['ArrowUp', 'lines'], ['ArrowUp', 'answers'], ['ArrowUp', 'values']]) {
    await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${tab}`);
    assert.equal(await page.getAttribute(`#tab-${tab}`, 'aria-selected'), 'true');
  }
  await page.done();
});
