// The page of a matrix product, as a stranger opens it: what bounds the kernel, which line costs most, what would help most; then what a second
// look asks for. DEMO names its program, TCP the tcp program, CHROMIUM the browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commas, DEMO, folder, opened, pageOf, place, shot, startBrowser, stopBrowser, TCP, traceFile, wordsOf } from './browser.mjs';

const file = join(folder, 'demo.json');
let trace;

before(async () => {
  execFileSync(DEMO, { env: { ...process.env, TCP_BACKEND: 'device', TCP_TRACE: file } });
  pageOf('demo', file);
  trace = traceFile(file);
  await startBrowser();
});
after(stopBrowser);

test('what bounds this kernel: one look, the resource, the cause in plain words, and what no order can beat', async () => {
  const page = await opened('demo');
  const dma = trace.commands.filter((c) => c.critical && trace.resources[c.resources[0]] === 'tensor DMA').reduce((sum, c) => sum + c.end - c.start, 0);
  const partial = trace.commands.filter((c) => c.critical).flatMap((c) => c.stalls ?? []).filter((s) => s.name === 'partial-write').reduce((sum, s) => sum + s.cycles, 0);
  assert.ok(partial > trace.makespan / 2 && dma > partial);
  const said = await wordsOf(page, '#answer-bounds');
  assert.ok(said.startsWith(`tensor DMA: ${commas(dma)} cycles of the ${commas(trace.makespan)} (${(dma * 100 / trace.makespan).toFixed(1)} %) on the critical path`), said);
  assert.ok(said.includes(`Most of the path is stall: partial-write, ${commas(partial)} cycles`), said);
  assert.ok(said.includes(`No order of these commands takes less than ${commas(Math.max(...trace.bounds.map((b) => b.cycles)))} cycles`), said);
  const cause = await page.textContent('#answer-cause');
  for (const words of ['tensor DMA: moves data between memories.', 'HBM writes whole units']) assert.ok(cause.includes(words), cause);
  await shot(page, 'demo-1280-light');
  await page.done();
});

for (const [width, height] of [[1280, 720], [1366, 768], [2560, 1440]])
  test(`the three answers are seen at first glance at ${width} x ${height}`, async () => {
    const page = await opened('demo', { width, height });
    for (const id of ['answer-bounds', 'answer-line', 'answer-best', 'try-best']) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box.y > 0 && box.y + box.height < height, `${id}: ${JSON.stringify(box)}`);
    }
    assert.deepEqual(await page.locator('.answer strong').allTextContents(), ['tensor DMA', 'main.cpp:33', `${commas(5089)} cycles`]);
    await page.done();
  });

test('what was uploaded before the kernel: in a lane of its own, left of the first cycle', async () => {
  assert.deepEqual(trace.host_transfers.map((t) => t.direction), ['upload', 'upload']);
  const page = await opened('demo');
  const [first, , back] = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const { lane } = stage.rows[0];
    window.tcpPage.zoom(lane.begin, 1000);
    return [lane.label, lane.transfers.length, lane.begin];
  });
  assert.equal(first, 'host, before');
  assert.equal(back, -trace.host_transfers.reduce((sum, t) => sum + t.cycles, 0));
  const at = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const [row] = stage.rows;
    return { x: stage.xOf((row.lane.transfers[0].start + row.lane.transfers[0].end) / 2), y: row.y + row.height / 2 - stage.scroll };
  });
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.move(box.x + at.x, box.y + at.y);
  const tip = await page.textContent('#tip');
  assert.ok(tip.startsWith(`upload ${trace.host_transfers[0].tensor}: `) && tip.endsWith('before the kernel, and not counted'), tip);
  await shot(page, 'demo-uploads');
  await page.done();
});

test('which line costs most: its text, its commands, and what to write instead', async () => {
  const page = await opened('demo');
  const lines = new Map();
  for (const c of trace.commands) if (c.critical) lines.set(c.source, (lines.get(c.source) ?? 0) + c.end - c.start);
  const [source, cycles] = [...lines].sort((a, b) => b[1] - a[1])[0];
  assert.ok((await page.textContent('#answer-line')).startsWith(`${place(trace, source)}: ${commas(cycles)} cycles`));
  assert.ok((await page.textContent('#panel')).includes('return c_dm.to_hbm<m<I, J>>(ctx.tdma, 2 << 28);'));
  await page.click('#show-finding');
  assert.ok((await page.textContent('#panel')).includes(`partial-writes at ${place(trace, source)}`));
  await page.done();
});

test('what would help most: the finding, its line, and the picture as it would be', async () => {
  const page = await opened('demo');
  const said = await wordsOf(page, '#answer-best');
  assert.ok(said.startsWith(`${commas(5089)} cycles instead of ${commas(trace.makespan)} (-93.0 %): partial-writes at main.cpp:33: write whole units`), said);
  await page.click('#try-best');
  assert.ok((await page.textContent('#whatif-result')).startsWith(`${commas(5089)} cycles instead of ${commas(trace.makespan)}`));
  assert.ok((await page.textContent('#changes')).includes('partial-writes: as if its help were followed'));
  await page.click('#tab-findings');
  await page.locator('.try-finding').first().click();
  assert.ok((await page.textContent('#about')).includes(`${commas(trace.makespan)} cycles`), 'pressed again, it is undone');
  await page.done();
});

test('tensors have the names of their variables, functions their own', async () => {
  const page = await opened('demo');
  assert.deepEqual(await page.evaluate(() => window.tcpPage.trace.tensors.map((t) => t.name)), ['a', 'b', 'result', 'a_dm', 'b_dm', 'weights', 'c_dm']);
  await page.selectOption('#colour', 'function');
  assert.ok((await page.textContent('#legend')).startsWith('gemm|'));
  await page.fill('#search', 'function:gemm tensor:weights');
  assert.equal(await page.textContent('#found'), '2 found');
  await page.done();
});

test('the first page says what the findings of tcp report say', async () => {
  const report = JSON.parse(execFileSync(TCP, ['report', file, '--json'], { encoding: 'utf-8' }));
  const page = await opened('demo', { hash: '#tab=findings' });
  const panel = await page.textContent('#panel');
  for (const f of report.findings) assert.ok(panel.includes(f.what) && panel.includes(f.help), f.rule);
  await page.done();
});

const wayRows = (page) => page.locator('#way tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const cycles = (c) => `cycles ${commas(trace.commands[c].start)} to ${commas(trace.commands[c].end)}`;

test('an element of a, from HBM to HBM: each place and cycle', async () => {
  const page = await opened('demo', { hash: '#tab=mapping&tensor=0', height: 1100 });
  await page.fill('#mapping-element', 'I=40, K=7');
  await page.keyboard.press('Tab');
  const rows = await wayRows(page);
  assert.deepEqual(rows.map(([tensor]) => tensor), ['ait is stored here', 'a_dmit is stored here', 'c_dmthis is made of it', 'resultthis is made of it']);
  assert.ok(rows[0][1].startsWith(`I=40, K=7HBM byte ${commas((40 * 64 + 7) * 2)}`), rows[0][1]);
  assert.ok(rows[0][2].includes(`there from the beginningread by #0 main.cpp:15, ${cycles(0)}`), rows[0][2]);
  assert.ok(rows[1][1].includes(`DM byte ${commas((8 * 64 + 7) * 2)}, Slices 16-31, Cluster 0`), `a row of A goes to 16 slices: ${rows[1][1]}`);
  assert.ok(rows[1][2].includes(`written by #0 main.cpp:15, ${cycles(0)}`) && rows[1][2].includes(`read by #3 main.cpp:25, ${cycles(3)}, about`), rows[1][2]);
  assert.ok(rows[1][2].includes('time step 32 of 128'), 'row 8 of the tile, four times each');
  assert.ok(rows[2][1].startsWith('I=40DM bytes') && rows[3][1].startsWith('I=40HBM bytes 536,911,872 to 536,912,894, 512 of them in steps of 2'), `a whole row of C depends on it: ${rows[3][1]}`);
  assert.ok(rows[3][2].includes(`written by #4 main.cpp:33, ${cycles(4)}`), rows[3][2]);
  await shot(page, 'demo-way');
  await page.done();
});

test('an element of the result, back to all that it is made of', async () => {
  const page = await opened('demo', { hash: '#tab=mapping&tensor=2&element=I=40,J=77' });
  const rows = await wayRows(page);
  assert.deepEqual(rows.map(([tensor]) => tensor).sort(), ['a_dmit is made of this', 'ait is made of this', 'b_dmit is made of this', 'bit is made of this', 'c_dmit is stored here', 'resultit is stored here', 'weightsit is made of this']);
  const of = (name) => rows.find(([tensor]) => tensor.startsWith(name));
  assert.ok(of('weights')[1].startsWith('J=77TRF byte') && of('weights')[1].includes(`Row ${77 % 8}`), of('weights')[1]);
  assert.ok(of('c_dm')[1].includes(`DM byte ${commas(8192 + (40 % 32 * 32 + 77 % 32) * 2)}, Slice ${16 + 2}, Cluster 0`), of('c_dm')[1]);
  await page.locator('#way button', { hasText: '#4' }).first().click();
  assert.equal(await page.textContent('#command-title'), '#4 dma');
  await page.done();
});

test('a click on a cell follows it; an index beyond an axis is refused', async () => {
  const page = await opened('demo', { hash: '#tab=mapping&tensor=3' });
  await page.waitForTimeout(200);
  await page.locator('#mapping-cells').hover({ position: { x: 54, y: 18 } });
  const tip = await page.textContent('#mapping-tip');
  assert.match(tip, /^Cluster 0, Slice \d+, Element \d+: .*I=\d+, K=\d+/);
  await page.locator('#mapping-cells').click({ position: { x: 54, y: 18 } });
  assert.ok((await wayRows(page)).length === 4);
  await page.waitForFunction(() => location.hash.includes('element='));
  await page.fill('#mapping-element', 'I=512');
  await page.keyboard.press('Tab');
  assert.equal(await page.textContent('#element-problem'), 'I has 512 elements, from 0 on.');
  await page.done();
});

test('streams between the engines are drawn like tensors, zero padding marked', async () => {
  const page = await opened('demo');
  await page.evaluate(() => window.tcpPage.select(3, false));
  await page.locator('tr', { hasText: 'commit' }).locator('.draw-stream').first().click();
  assert.ok((await page.textContent('#panel')).includes('the stream after commit'));
  assert.equal(await page.locator('#mapping-problem').count(), 0);
  assert.ok((await page.textContent('#mapping-legend')).includes('padding, zero (#z)'));
  const cell = await page.evaluate(() => window.tcpPage.mappingState.mapping.levels.map((l) => [l.name, l.size]));
  assert.deepEqual(cell, [['Slice', 256], ['Time', 128], ['Packet', 16]]);
  await page.waitForFunction(() => location.hash.includes('stream='));
  await shot(page, 'demo-stream');
  await page.done();
});

test('channels of HBM and banks of DM are those of the chip in the trace', async () => {
  const page = await opened('demo', { hash: '#tab=mapping&tensor=0' });
  await page.selectOption('#mapping-by', 'channel');
  await page.waitForTimeout(200);
  const { channel_bits: bits } = trace.geometry[0];
  const expected = new Set(Array.from({ length: 65536 / 256 }, (_, i) => i * 256).map((address) => bits.reduce((channel, bit, i) => (Math.floor(address / 2 ** i) % 2 ? channel ^ bit : channel), 0)));
  assert.ok(expected.size > 8);
  const colours = await page.evaluate(() => {
    const canvas = document.getElementById('mapping-cells');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(i * 4, i * 4 + 3).join())).size;
  });
  assert.ok(colours >= Math.min(expected.size, 24), `${colours} colours for ${expected.size} channels`);
  assert.ok((await page.textContent('#mapping-legend')).includes('channel 0'));
  await page.selectOption('#mapping-tensor', '3');
  assert.deepEqual(await page.locator('#mapping-by option').allTextContents(), ['every axis', 'I', 'J', 'K', 'slice', 'bank']);
  await page.done();
});

for (const [width, height, theme] of [[2560, 1440, 'dark'], [2560, 1440, 'light'], [1280, 800, 'dark']])
  test(`the demo at ${width} pixels, ${theme}`, async () => {
    const page = await opened('demo', { width, height, theme });
    const { font, gutter } = await page.evaluate(() => ({ font: window.tcpPage.stage.font(12), gutter: window.tcpPage.stage.gutter }));
    assert.equal(font, width === 2560 ? '15px system-ui, sans-serif' : '12px system-ui, sans-serif');
    assert.equal(gutter, width === 2560 ? 223 : 178);
    await shot(page, `demo-${width}-${theme}`);
    await page.done();
  });
