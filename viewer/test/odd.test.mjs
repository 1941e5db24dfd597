// Unexpected traces in Chromium: empty ones, names without end, names that look like pages, timing models of another kind.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEMO, folder, opened, pageFrom, pageOf, shot, startBrowser, stopBrowser, traceFile } from './browser.mjs';

const TABS = ['answers', 'lines', 'waits', 'gaps', 'findings', 'command', 'whatif', 'mapping', 'source', 'regions', 'roofline', 'map', 'values'];
const demo = join(folder, 'demo.json');
let trace;

function runDemo(file, model) {
  execFileSync(DEMO, { env: { ...process.env, TCP_BACKEND: 'device', TCP_TRACE: file, ...(model ? { TCP_MODEL: model } : {}) } });
}

before(async () => {
  runDemo(demo);
  trace = traceFile(demo);
  await startBrowser();
});
after(stopBrowser);

/// Every panel, every way of colouring and every key, without a complaint.
async function touchEverything(page) {
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    assert.ok((await page.textContent('#panel')).length > 0, tab);
  }
  for (const mode of ['engine', 'region', 'function', 'line', 'tensor', 'stall', 'slack']) await page.selectOption('#colour', mode);
  await page.locator('#canvas').focus();
  for (const key of ['f', 'w', 's', 'a', 'd', 'n', 'p', 'x', 'x', 'c', 't', 'Enter', 'Escape']) await page.keyboard.press(key);
  await page.evaluate(() => { document.getElementById('more').open = true; });
  await page.check('#whole');
  await page.check('#all-lanes');
}

const nothing = () => ({ ...trace, commands: [], tensors: [], critical_path: [], makespan: 0, sources: [], bounds: [], path: [], units: [], configurations: [], usage: [], bank_runs: [], host_transfers: [], order: [] });

test('a trace without a command', async () => {
  pageFrom('empty', nothing());
  const page = await opened('empty');
  for (const [id, words] of [['answer-bounds', 'Nothing: no command takes any time.'], ['answer-line', 'None: there is no command.'], ['answer-best', 'Nothing that was tried']])
    assert.ok((await page.textContent(`#${id}`)).startsWith(words), id);
  assert.equal(await page.locator('#show-line').count(), 0, 'there is no line to show');
  await touchEverything(page);
  await page.done();
});

test('a trace of one command that says little', async () => {
  pageFrom('one', { ...nothing(), makespan: 10, critical_path: [0], commands: [{ name: 'dma', resources: [2], start: 0, end: 10, streaming: 10, critical: true }] });
  const page = await opened('one', { hash: '#selected=0' });
  assert.ok((await page.textContent('#answer-bounds')).startsWith('tensor DMA: 10 cycles of the 10'));
  await touchEverything(page);
  await page.done();
});

test('names are text, never a part of the page, however long', async () => {
  const page_ = '</script><script>window.evil = 1</script><img src="x" onerror="window.evil = 1"><!--';
  const made = structuredClone(trace);
  made.program = page_ + 'x'.repeat(5000);
  for (const t of made.tensors) t.name = page_ + t.name.repeat(500);
  for (const s of made.sources) Object.assign(s, { text: page_ + 'y'.repeat(20000), function: `${'ns::'.repeat(500)}${page_}`, file: `/a b/${'z'.repeat(300)}${page_}` });
  for (const c of made.commands) c.name += page_;
  for (const c of made.configurations) for (const s of [...c.stages ?? [], ...c.settings ?? []]) s.why = page_;
  pageFrom('evil', made);
  const page = await opened('evil');
  for (const id of ['answer-bounds', 'answer-line', 'about']) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box.x + box.width <= 1280 && box.y + box.height < 800, `${id}: ${JSON.stringify(box)}`);
  }
  await page.keyboard.press('n');
  await touchEverything(page);
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator('img, #panel script').count(), 0);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1280, 'nothing is wider than the window');
  await shot(page, 'evil');
  await page.done();
});

test('what is said beside the pointer stays within the picture', async () => {
  const made = structuredClone(trace);
  for (const t of made.tensors) t.name = t.name.repeat(200);
  pageFrom('tips', made);
  const page = await opened('tips');
  const box = await page.locator('#canvas').boundingBox();
  let seen = 0;
  for (let y = box.y + 3; y < box.y + box.height; y += 24) {
    await page.mouse.move(box.x + box.width - 20, y);
    if (await page.locator('#tip').isHidden()) continue;
    ++seen;
    const tip = await page.locator('#tip').boundingBox();
    assert.ok(tip.x >= box.x && tip.x + tip.width <= box.x + box.width && tip.y + tip.height <= box.y + box.height, `${y}: ${JSON.stringify(tip)}`);
  }
  assert.ok(seen >= 2);
  await page.done();
});

test('labels keep within their bars', async () => {
  pageOf('demo', demo);
  const page = await opened('demo');
  const wrong = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const { ctx } = stage;
    stage.draw();
    ctx.font = stage.font(12);
    const found = [];
    const texts = ['iiiiiiiiiiWWWWWWWWWWWWW', 'WWWWWWWWWWWWWWWWiiiiiiiiiiiiiiiiii', 'dma gemm.cpp:96  return b.to_dm(ctx.tdma, t.cluster, t.slice);'];
    for (const text of texts)
      for (let room = 10; room < 400; room += 7) {
        const width = stage.fitText(text, 0, 0, room);
        if (width > room) found.push([text, room, width]);
        if (width > 0 && width < room - 30 && ctx.measureText(text).width > room) found.push([text, room, width, 'too short']);
      }
    return found;
  });
  assert.deepEqual(wrong, []);
  await page.done();
});

test('numbers of the ruler are whole', async () => {
  pageOf('demo', demo);
  const page = await opened('demo');
  const cut = await page.evaluate(() => {
    const { stage } = window.tcpPage;
    const { ctx } = stage;
    const found = [];
    let seen = 0;
    const fillText = ctx.fillText;
    ctx.fillText = (text, x, y) => {
      if (y > stage.size.ruler || x < stage.gutter) return;
      ++seen;
      if (x + ctx.measureText(text).width > stage.canvas.clientWidth) found.push(text);
    };
    for (let to = 1000; to < 80000; to += 997) {
      stage.view.to = to;
      stage.drawRuler(stage.inks);
    }
    ctx.fillText = fillText;
    return { found, seen };
  });
  assert.deepEqual(cut.found, []);
  assert.ok(cut.seen > 300);
  await page.done();
});

test('a tensor that the trace says little of: what the Vector Engine leaves in VRF', async () => {
  const made = structuredClone(trace);
  delete made.tensors[5].mapping;
  pageFrom('scratch', made);
  const page = await opened('scratch', { hash: '#tab=mapping&tensor=5' });
  assert.equal(await page.textContent('#mapping-problem'), 'this trace does not say how the tensor is stored.');
  assert.equal(await page.locator('#mapping-axes').count(), 0);
  await touchEverything(page);
  await page.done();
});

for (const model of ['calibrated', 'detailed'])
  test(`a trace of the model ${model}`, async () => {
    const file = join(folder, `${model}.json`);
    runDemo(file, model);
    pageOf(model, file);
    const page = await opened(model, { hash: '#all=1' });
    assert.ok((await page.textContent('#about')).includes(`(${model})`));
    const labels = await page.evaluate(() => window.tcpPage.stage.rows.map((r) => r.lane.label));
    const queues = model === 'detailed' ? ['tensor DMA, cluster 0', 'tensor DMA, cluster 1'] : ['tensor DMA'];
    assert.ok(queues.every((queue) => labels.includes(queue)), labels.join());
    assert.ok((await page.textContent('#answer-bounds')).startsWith('tensor DMA: '));
    await touchEverything(page);
    await page.done();
  });
