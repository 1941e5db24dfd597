// Several chips, clusters and slices in Chromium: each has lanes of its own, and nothing that lies elsewhere is drawn in them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, HERE, opened, pageFrom, pixelAt, shot, startBrowser, stopBrowser, traceFile } from './browser.mjs';

const tiles = join(folder, 'tiles.json');

/// The tiles of make_trace, those of its second cluster on a second chip instead.
function onTwoChips() {
  const trace = traceFile(tiles);
  trace.chips = 2;
  trace.units = [{ chips: '0', clusters: '0', slices: '0' }, { chips: '0', clusters: '0', slices: '0-255' }, { chips: '1', clusters: '1', slices: '0-255' }, { chips: '1', clusters: '0', slices: '0' }];
  const own = (c) => [...c.reads, ...c.writes].find((r) => r.memory !== 'HBM').units;
  for (const c of trace.commands) {
    for (const r of [...c.reads, ...c.writes]) if (r.memory === 'HBM' && own(c) === 2) r.units = 3;
    if (c.dma && own(c) === 2) c.dma[0].engine_set = '8-11';
  }
  return trace;
}

const chipsOf = (trace, c) => [...new Set([...c.reads, ...c.writes].flatMap((r) => trace.units[r.units].chips.split(',').map(Number)))];

before(async () => {
  execFileSync(process.execPath, [join(HERE, 'make_trace.mjs'), '200', tiles]);
  await startBrowser();
});
after(stopBrowser);

const lanes = (page) => page.evaluate(() => window.tcpPage.stage.rows.filter(({ lane }) => !lane.spans).map(({ lane, y }) => ({ chip: lane.chip, label: lane.label, engine: lane.engine, commands: [...lane.index], y })));
const memories = (page) => page.evaluate(() => window.tcpPage.stage.memoryRows.map(({ lane, y, height }) => ({ chip: lane.chip, label: lane.label, slices: lane.slices, tensors: [...lane.index], peak: lane.peak, y, height })));

test('every chip has lanes of its own for its resources, engines and memories', async () => {
  const trace = onTwoChips();
  pageFrom('chips', trace);
  const page = await opened('chips', { hash: '#all=1' });
  const rows = await lanes(page);
  const perChip = ['main, cluster 0', 'main, cluster 1', 'sub, cluster 0', 'sub, cluster 1', 'tensor DMA', ...[0, 1, 2, 3, 4, 5, 6, 7].map((e) => `engine ${e}`), 'PCIe DMA', 'vector engine, cluster 0', 'vector engine, cluster 1'];
  assert.deepEqual(rows.map((r) => r.label), ['critical path', ...perChip, ...perChip]);
  for (const chip of [0, 1]) {
    const on = (is) => trace.commands.flatMap((c, i) => (is(c) && chipsOf(trace, c).includes(chip) ? [i] : []));
    const lane = (label) => rows.find((r) => r.chip === chip && r.label === label).commands;
    assert.deepEqual(lane('tensor DMA'), on((c) => c.name === 'dma'), `DMA of chip ${chip}`);
    assert.deepEqual(lane(`main, cluster ${chip}`), on((c) => c.name === 'main'), `main of chip ${chip}`);
    assert.deepEqual(lane(`main, cluster ${1 - chip}`), []);
    assert.deepEqual(lane('engine 2'), on((c) => c.name === 'dma'));
    assert.deepEqual(lane('engine 5'), []);
    assert.ok(on((c) => c.name === 'dma').length > 10);
  }
  const held = await memories(page);
  assert.deepEqual(held.map((r) => `${r.chip} ${r.label}`), [0, 1].flatMap((chip) => ['HBM', 'DM, cluster 0', 'DM, cluster 1', 'TRF, cluster 0', 'TRF, cluster 1', 'VRF, cluster 0', 'VRF, cluster 1'].map((label) => `${chip} ${label}`)));
  const inDm = (units) => trace.tensors.flatMap((t, i) => (t.memory === 'DM' && t.units === units ? [i] : [])).sort((a, b) => a - b);
  const sorted = (row) => [...row.tensors].sort((a, b) => a - b);
  assert.deepEqual(sorted(held.find((r) => r.chip === 0 && r.label === 'DM, cluster 0')), inDm(1));
  assert.deepEqual(sorted(held.find((r) => r.chip === 1 && r.label === 'DM, cluster 1')), inDm(2));
  assert.deepEqual(sorted(held.find((r) => r.chip === 1 && r.label === 'DM, cluster 0')), []);
  const headings = await page.evaluate(() => window.tcpPage.stage.headings.map(({ word }) => word));
  assert.deepEqual(headings, ['chip 0', 'chip 1', 'chip 0: memories', 'chip 1: memories']);
  await shot(page, 'chips');
  await page.done();
});

test('one chip alone is shown, found and linked to', async () => {
  const trace = onTwoChips();
  pageFrom('chips', trace);
  const page = await opened('chips');
  assert.deepEqual(await page.locator('#chip option').allTextContents(), ['all chips', 'chip 0', 'chip 1']);
  await page.click('#more summary');
  await page.selectOption('#chip', '1');
  for (const rows of [await lanes(page), await memories(page)]) assert.ok(rows.every((r) => r.chip < 1 ? r.chip === -1 : true) && rows.some((r) => r.chip === 1));
  await page.waitForFunction(() => location.hash.includes('chip=1'));
  await page.fill('#search', 'chip:1');
  assert.equal(await page.textContent('#found'), `${trace.commands.filter((c) => chipsOf(trace, c).includes(1)).length} found`);
  const second = trace.commands.findIndex((c) => c.name === 'main' && chipsOf(trace, c).includes(1));
  assert.equal(await page.evaluate((c) => window.tcpPage.stage.rowOf(c).lane.chip, second), 1);
  await page.done();
  const again = await opened('chips', { hash: '#chip=1' });
  assert.ok((await lanes(again)).every((r) => r.chip !== 0));
  await again.done();
  const alone = await opened('chips', { hash: '#chip=7' });
  assert.equal(await alone.inputValue('#chip'), '-1', 'there is no such chip');
  await alone.done();
});

test('a command that is chosen is scrolled to; keys and the bar at the side scroll', async () => {
  const trace = onTwoChips();
  pageFrom('chips', trace);
  const page = await opened('chips');
  const scroll = () => page.evaluate(() => window.tcpPage.stage.scroll);
  const second = trace.commands.findIndex((c) => c.name === 'main' && chipsOf(trace, c).includes(1));
  assert.equal(await scroll(), 0);
  await page.evaluate((c) => window.tcpPage.select(c, true), second);
  const seen = () => page.evaluate((c) => {
    const { stage } = window.tcpPage;
    const row = stage.rowOf(c);
    return row.y - stage.scroll > stage.size.ruler && row.y + row.height - stage.scroll < stage.canvas.clientHeight;
  }, second);
  assert.ok(await seen());
  await page.locator('#canvas').focus();
  for (const key of ['PageUp', 'PageUp', 'PageUp']) await page.keyboard.press(key);
  assert.equal(await scroll(), 0);
  await page.keyboard.press('PageDown');
  const down = await scroll();
  assert.ok(down > 300, `${down}`);
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.move(box.x + box.width - 4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 4, box.y + box.height - 2);
  assert.equal(await scroll(), await page.evaluate(() => window.tcpPage.stage.height - window.tcpPage.stage.canvas.clientHeight), 'to the end');
  await page.mouse.up();
  assert.equal(await page.evaluate(() => window.tcpPage.view.selected), second, 'nothing else was chosen');
  await page.done();
});

/// Two tensors at the same address, on other slices, and one on all.
function onSlices() {
  const { regions: _, ...head } = traceFile(tiles);
  const units = [{ chips: '0', clusters: '0', slices: '0-127' }, { chips: '0', clusters: '0', slices: '128-255' }, { chips: '0', clusters: '0', slices: '0-255' }, { chips: '0', clusters: '1', slices: '0-255' }];
  const tensor = (name, begin, end, of, first) => ({ name, memory: 'DM', mapping: 'i8 in DM Element[K]', begin, end, units: of, first, last: first, born: 100 * first, gone: 100 * first + 100 });
  const write = (t, of, begin, end) => ({ memory: 'DM', begin, end, units: of, tensor: t });
  const command = (i, writes) => ({ name: 'main', resources: [0], start: 100 * i, end: 100 * i + 100, streaming: 100, writes, critical: true, after: i ? [{ kind: 'resource', from: i - 1, on: 'main' }] : [], ...(i ? { binding: 0 } : {}) });
  return { ...head, units, makespan: 300, bounds: [], critical_path: [0, 1, 2],
    tensors: [tensor('low', 0, 64, 0, 0), tensor('high', 0, 64, 1, 1), tensor('both', 64, 128, 2, 2)],
    commands: [command(0, [write(0, 0, 0, 64)]), command(1, [write(1, 1, 0, 64)]), command(2, [write(2, 2, 64, 128), write(2, 3, 64, 128)])] };
}

test('tensors of other slices are not drawn over each other: kinds of slices have lanes of their own', async () => {
  pageFrom('slices', onSlices());
  const page = await opened('slices');
  const dm = (await memories(page)).filter((r) => r.label === 'DM, cluster 0');
  assert.deepEqual(dm.map((r) => [r.slices, r.tensors, r.peak]), [['0-127', [0, 2], 64], ['128-255', [1, 2], 64]]);
  assert.deepEqual((await memories(page)).filter((r) => r.label === 'DM, cluster 1').map((r) => r.tensors), [[2]], 'a tensor is on every cluster that a command touches it on');
  assert.deepEqual(await page.locator('#slices option').allTextContents(), ['as needed', 'all 2 kinds', '0-127', '128-255']);
  await page.click('#more summary');
  await page.selectOption('#slices', '128');
  assert.deepEqual((await memories(page)).filter((r) => r.label === 'DM, cluster 0').map((r) => r.tensors), [[1, 2]]);
  await page.waitForFunction(() => location.hash.includes('slices=128'));
  await shot(page, 'slices');
  await page.done();
});

test('kinds that show nothing new are left out until they are asked for', async () => {
  const trace = onSlices();
  trace.units[1].slices = '64-255';  // slices 64 to 127 have all three
  pageFrom('kinds', trace);
  const page = await opened('kinds');
  const dm = async () => (await memories(page)).filter((r) => r.label === 'DM, cluster 0').map((r) => r.slices);
  assert.deepEqual(await dm(), ['64-127']);
  await page.click('#more summary');
  await page.selectOption('#slices', 'all');
  assert.deepEqual(await dm(), ['0-63', '64-127', '128-255']);
  await page.done();
});

test('a memory whose name is clicked is enlarged, and the link keeps it', async () => {
  pageFrom('slices', onSlices());
  const page = await opened('slices');
  const [first] = (await memories(page)).filter((r) => r.label === 'DM, cluster 0');
  await page.locator('#canvas').click({ position: { x: 40, y: first.y + 10 } });
  const [higher, other] = (await memories(page)).filter((r) => r.label === 'DM, cluster 0');
  assert.ok(higher.height > 3 * other.height, `${higher.height} and ${other.height}`);
  await page.waitForFunction(() => location.hash.includes('tall='));
  await page.locator('#canvas').click({ position: { x: 40, y: higher.y + 10 } });
  assert.equal((await memories(page)).find((r) => r.label === 'DM, cluster 0').height, first.height);
  await page.done();
});

test('a view has the colour and the name of its tensor, and the name is written once', async () => {
  const trace = onSlices();
  trace.tensors[2].end = 190;
  trace.tensors.push({ ...trace.tensors[2], end: 150, mapping: 'i8 in DM Element[1 # 86]' });
  trace.commands[2].writes.push({ memory: 'DM', begin: 64, end: 150, units: 2, tensor: 3 });
  pageFrom('views', trace);
  const page = await opened('views');
  const names = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const { ctx } = stage;
    const said = [];
    const fillText = ctx.fillText;
    ctx.fillText = (text, x, y) => said.push({ text, x, y });
    stage.draw();
    ctx.fillText = fillText;
    return said.filter(({ text, y }) => text === 'both' && y >= stage.memoryRows[0].y);
  });
  assert.equal(names.length, (await memories(page)).filter((r) => r.tensors.includes(2)).length, 'once a lane');
  const spots = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const row = stage.memoryRows.find(({ lane }) => lane.index.includes(3));
    const y = row.y + row.yOf(80) - stage.scroll;
    return [{ x: stage.xOf(290), y }, { x: stage.xOf(290), y: row.y + row.yOf(180) - stage.scroll }];
  });
  assert.deepEqual(await pixelAt(page, spots[0]), await pixelAt(page, spots[1]), 'the view, and what it leaves out');
  await page.done();
});

test('a pass that reads several tensors in one fetch has all of them among its inputs, each with its own bytes', async () => {
  const trace = onSlices();
  trace.commands[2].reads = [{ memory: 'DM', begin: 0, end: 128, units: 0, tensor: 0 }, { memory: 'DM', begin: 0, end: 128, units: 0, tensor: 2 }];
  pageFrom('interleaved', trace);
  const page = await opened('interleaved', { hash: '#selected=2&tab=command' });
  const panel = await page.textContent('#panel');
  const inputs = panel.slice(panel.indexOf('Inputs'), panel.indexOf('Outputs'));
  for (const words of ['low', 'DM 0 to 64; cluster 0, slices 0-127', 'both', 'DM 64 to 128; cluster 0, slices 0-127']) assert.ok(inputs.includes(words), `${words} in ${inputs}`);
  await page.done();
});

test('a transfer in many stretches names its tensor once', async () => {
  const trace = onSlices();
  trace.commands[2].reads = Array.from({ length: 100 }, (_, i) => ({ memory: 'DM', begin: 2 * i, end: 2 * i + 1, units: 0, tensor: 0 }));
  Object.assign(trace.tensors[0], { end: 200, last: 2, gone: 300 });
  pageFrom('stretches', trace);
  const page = await opened('stretches', { hash: '#selected=2&tab=command' });
  const panel = await page.textContent('#panel');
  const inputs = panel.slice(panel.indexOf('Inputs'), panel.indexOf('Outputs'));
  assert.equal(inputs.split('low').length, 2, inputs);
  assert.ok(inputs.includes('DM 0 to 1; cluster 0, slices 0-127') && inputs.includes('and 97 more stretches, up to 199'), inputs);
  await page.evaluate(() => window.tcpPage.selectTensor(0));
  assert.equal((await page.textContent('#panel')).split('reads').length, 2, 'and so does the tensor its command');
  await page.done();
});

test('places of HBM name no cluster and no slice, and a chip only where there are several', async () => {
  pageFrom('one-chip', traceFile(tiles));
  const page = await opened('one-chip', { hash: '#selected=0&tab=command' });
  const panel = await page.textContent('#panel');
  assert.ok(panel.includes('HBM 0 to 1,048,576') && !panel.includes('HBM 0 to 1,048,576;'), panel);
  assert.equal(await page.locator('#chip-tool').isVisible(), false);
  assert.equal(await page.locator('#slices-tool').isVisible(), false);
  await page.done();
  pageFrom('chips', onTwoChips());
  const chips = await opened('chips', { hash: '#selected=0&tab=command' });
  assert.ok((await chips.textContent('#panel')).includes('HBM 0 to 1,048,576; chip 0'));
  await chips.done();
});
