// The page's own rules against the library's: schedules of random programs (tests/viewer/cases.cpp), and the sums of `tcp report`.
// CASES and TCP in the environment name the two programs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { traceOf } from './from_json.mjs';
import { recorded, replay, waitingSince } from '../src/schedule.js';
import { hazardEdges } from '../src/hazards.js';
import { changedSchedule, fasterLength, noChanges } from '../src/whatif.js';
import { gapsOf, linesOf, resourceUse, waitsOf } from '../src/report.js';
import { firstAbove, lanesOf, paintLane } from '../src/lanes.js';
import { channels, RESOURCE_COLOURS, SHARE_COLOURS, WAIT_COLOURS } from '../src/colours.js';
import { matching } from '../src/search.js';
import { axesOf, dmBank, hbmChannel, levelsOf, parseMapping, placesOf, tensorMapping } from '../src/mapping.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const GOLDEN = join(HERE, '../../tests/golden/files');
const KERNELS = join(HERE, '../../tests/timing/kernels');
const cases = execFileSync(process.env.CASES, ['300'], { encoding: 'utf-8', maxBuffer: 1 << 28 }).trim().split('\n').map((line) => JSON.parse(line));

function madeTrace(commands) {
  const folder = mkdtempSync(join(tmpdir(), 'tcp-viewer-'));
  execFileSync(process.execPath, [join(HERE, 'make_trace.mjs'), String(commands), join(folder, 't.json')]);
  const file = join(folder, 't.json');
  return { file, json: JSON.parse(readFileSync(file, 'utf-8')), remove: () => rmSync(folder, { recursive: true }) };
}

const edgesOf = (trace, after) => Array.from({ length: trace.n }, (_, c) =>
  Array.from(after.from.subarray(after.at[c], after.at[c + 1]), (from, k) => {
    const e = after.at[c] + k;
    return `${trace.texts[after.kind[e]]} ${from} ${trace.texts[after.on[e]]} ${after.begin[e]} ${after.end[e]}`;
  }).sort());

test('there are enough cases of every kind', () => {
  for (const kind of ['with_free', 'with_double', 'without']) assert.ok(cases.filter((c) => c[kind]).length > 100, kind);
  assert.ok(cases.filter((c) => (c.trace.order ?? []).length).length > 10, 'reordered');
  const helped = cases.filter((c) => c.with_double && c.with_double.makespan < c.trace.makespan);
  assert.ok(helped.length > 5, 'a second buffer shortens some of them');
});

test('replay of a trace is the trace', () => {
  for (const { seed, trace: file } of cases) {
    const trace = traceOf(file);
    const made = replay({ n: trace.n, after: trace.after, length: trace.length, order: trace.order, former: trace.binding });
    assert.deepEqual([...made.start], [...trace.start], `seed ${seed}`);
    assert.deepEqual([...made.slack], [...trace.slack], `seed ${seed}`);
    assert.equal(made.makespan, trace.makespan);
    assert.deepEqual([...made.binding], [...trace.binding], `seed ${seed}`);
  }
});

test('hazards found again in the ranges are the edges of the trace', () => {
  for (const { seed, trace: file } of cases) {
    const trace = traceOf(file);
    assert.deepEqual(edgesOf(trace, hazardEdges(trace, [])), edgesOf(trace, trace.after), `seed ${seed}`);
  }
});

test('a command that costs nothing: as the library schedules it', () => {
  for (const { seed, trace: file, free, with_free: expected } of cases) {
    if (!expected) continue;
    const made = changedSchedule(traceOf(file), { ...noChanges(), free: new Set([free]) });
    assert.equal(made.makespan, expected.makespan, `seed ${seed}`);
    assert.deepEqual([...made.start], expected.starts, `seed ${seed}`);
    assert.deepEqual([...made.slack], expected.slacks, `seed ${seed}`);
  }
});

test('a buffer with a second half: as the library schedules it', () => {
  for (const { seed, trace: file, buffer, with_double: expected } of cases) {
    if (!expected) continue;
    const trace = traceOf(file);
    const { memory, begin, end, units } = file.commands[buffer].writes[0];
    const made = replay({ n: trace.n, after: hazardEdges(trace, [{ memory, begin, end, units }]), length: trace.length, order: trace.order });
    assert.equal(made.makespan, expected.makespan, `seed ${seed}`);
    assert.deepEqual([...made.start], expected.starts, `seed ${seed}`);
  }
});

test('without an edge: as the library works it out', () => {
  for (const { seed, trace: file, without } of cases) {
    if (!without) continue;
    const trace = traceOf(file);
    const dropped = new Uint8Array(trace.after.from.length);
    dropped[trace.after.at[without.command]] = 1;
    const made = replay({ n: trace.n, after: trace.after, length: trace.length, order: trace.order, dropped, former: trace.binding });
    assert.equal(made.makespan, without.makespan, `seed ${seed}`);
    assert.deepEqual([...made.start], without.starts, `seed ${seed}`);
    if (trace.binding[without.command] !== 0) assert.deepEqual([...made.criticalPath], without.path, `seed ${seed}`);
  }
});

test('lowered kernels: hazards found again, Rows of TRF among them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tcp-viewer-'));
  const run = (name) => {
    execFileSync(process.env.TCP, ['run', join(KERNELS, `${name}.tcp`), '--random', '1', '--backend', 'device', '--trace', join(folder, name)], { stdio: 'ignore' });
    return join(folder, name);
  };
  for (const name of [join(GOLDEN, 'gemm.json'), join(GOLDEN, 'gemm_tiled.json'), run('softmax'), run('rms_norm')]) {
    const trace = traceOf(JSON.parse(readFileSync(name, 'utf-8')));
    assert.deepEqual(edgesOf(trace, hazardEdges(trace, [])), edgesOf(trace, trace.after), name);
  }
  rmSync(folder, { recursive: true });
});

test('twice the rate of the engine that sets the pace halves what it takes, up to the next one', () => {
  const trace = traceOf(JSON.parse(readFileSync(join(GOLDEN, 'gemm_tiled.json'), 'utf-8')));
  const dma = trace.texts[trace.slowest[0]];
  assert.equal(dma, 'DMA');
  assert.equal(fasterLength(trace, 0, new Set(['DMA'])), 2485 - 1985 + 993);  // 1985 of 2485 cycles are the engine's
  assert.equal(fasterLength(trace, 0, new Set(['HBM'])), 2485);
  assert.equal(fasterLength(trace, 3, new Set(['Fetch'])), 517);               // Collect takes as long
  assert.equal(fasterLength(trace, 3, new Set(['Fetch', 'Collect'])), 517 - 512 + 256);
});

test('the sums are those of tcp report', () => {
  const made = madeTrace(500);
  for (const file of [made.file, join(GOLDEN, 'gemm.json'), join(GOLDEN, 'gemm_tiled.json')]) {
    const report = JSON.parse(execFileSync(process.env.TCP, ['report', file, '--json'], { encoding: 'utf-8', maxBuffer: 1 << 26 }));
    const trace = traceOf(JSON.parse(readFileSync(file, 'utf-8')));
    const schedule = recorded(trace);
    const since = waitingSince(trace, schedule);
    const source = (x) => x.source ?? -1;
    assert.deepEqual(linesOf(trace, schedule, since).map((l) => [l.source, l.commands, l.busy, l.critical, l.waited]),
      report.lines.map((l) => [source(l), l.commands ?? 0, l.busy ?? 0, l.critical ?? 0, l.waited ?? 0]));
    assert.deepEqual(waitsOf(trace, schedule, since).map((w) => [w.name, w.source, w.reason, w.commands.length, w.cycles, w.longest]),
      (report.waits ?? []).map((w) => [w.name, source(w), w.reason, w.commands, w.cycles, w.longest]));
    assert.deepEqual(gapsOf(trace, schedule).map((g) => [g.name, g.begin, g.end, g.command, g.reason]),
      (report.gaps ?? []).map((g) => [g.resource, g.begin ?? 0, g.end, g.command ?? -1, g.reason]));
    assert.deepEqual(resourceUse(trace, schedule).map((r) => [r.name, r.busy, r.commands]), report.resources.map((r) => [r.name, r.busy ?? 0, r.commands ?? 0]));
  }
  made.remove();
});

test('a search for the first above finds what a walk finds', () => {
  for (let n = 0; n < 40; ++n) {
    const array = Float64Array.from({ length: n }, (_, i) => Math.floor(i / 3) * 2);
    for (let value = -1; value < n; ++value)
      for (let from = 0; from <= n; from += 3) {
        let expected = from;
        while (expected < n && array[expected] <= value) ++expected;
        assert.equal(firstAbove(array, value, from), expected);
      }
  }
});

test('a lane is painted where its commands are', () => {
  const made = madeTrace(100);
  const trace = traceOf(made.json);
  made.remove();
  trace.clusters = new Uint8Array(trace.n).fill(1);
  const schedule = recorded(trace);
  const since = waitingSince(trace, schedule);
  const [, main] = lanesOf(trace, schedule);
  assert.equal(main.label, 'main, cluster 0');
  for (const width of [50, 700]) {
    const row = () => new Uint32Array(width);
    const out = { commands: row(), waits: row(), critical: row() };
    const look = { index: new Uint8Array(trace.n), pixels: { plain: [0xff0000ff], faint: [0], ground: 7 }, matched: null, since, waitPixel: () => 9, critical: schedule.critical, criticalPixel: 5 };
    paintLane(main, { from: 0, to: trace.makespan, width }, look, out);
    const step = trace.makespan / width;
    for (let x = 0; x < width; ++x) {
      const inside = [...main.index].filter((c) => schedule.start[c] < (x + 1) * step && schedule.end[c] > x * step);
      assert.equal(out.commands[x] !== 7, inside.length > 0, `column ${x} of ${width}`);
      const waits = [...main.index].some((c) => since[c] <= x * step && schedule.start[c] >= (x + 1) * step);
      if (inside.length === 0) assert.equal(out.waits[x] === 9, waits, `wait in column ${x} of ${width}`);
    }
  }
});

test('queries mean what they say', () => {
  const trace = traceOf(JSON.parse(readFileSync(join(GOLDEN, 'gemm.json'), 'utf-8')));
  const schedule = recorded(trace);
  const since = waitingSince(trace, schedule);
  const found = (query) => [...(matching(trace, schedule, since, () => 'raw', query)?.matched ?? [])].flatMap((m, c) => (m ? [c] : []));
  assert.equal(matching(trace, schedule, since, () => 'raw', '  '), null);
  assert.deepEqual(found('name:dma'), [0, 1, 4]);
  assert.deepEqual(found('dma -at:gemm.tcp:26'), [0, 1]);
  assert.deepEqual(found('gemm.tcp:18'), [3]);
  assert.deepEqual(found('tensor:b_trf'), [2, 3]);
  assert.deepEqual(found('axis:K'), [0, 1, 2, 3]);
  assert.deepEqual(found('stall:partial-write'), [4]);
  assert.deepEqual(found('critical'), [0, 1, 2, 3, 4]);
  assert.deepEqual(found('nothing-like-it'), []);
});

/// Index of every position as `tcp layout` has it; null: padding.
function layoutOf(axes, mapping) {
  const words = Object.entries(axes).map(([name, size]) => `${name}=${size}`).join();
  const made = JSON.parse(execFileSync(process.env.TCP, ['layout', '--axes', words, mapping, '--all', '--json'], { encoding: 'utf-8', maxBuffer: 1 << 26 }));
  const positions = new Array(made.size).fill(null);
  for (const { from, count, kind, index, moving, step } of made.runs)
    for (let i = 0; i < count; ++i) positions[from + i] = kind === 'element' ? { ...index, ...(moving ? { [moving]: index[moving] + i * step } : {}) } : null;
  return positions;
}

test('positions of mappings are those of tcp layout', () => {
  const axes = { A: 24, B: 8, K: 6 };
  let state = 7;
  const random = (n) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % n; };
  const divisor = (n) => { const all = Array.from({ length: n }, (_, i) => i + 1).filter((d) => n % d === 0); return all[random(all.length)]; };
  const terms = [];
  for (const [name, size] of Object.entries(axes)) {
    const low = divisor(size);
    terms.push(`${name} / ${low}`, `${name} % ${low}`);
  }
  const fixed = ['A', 'A # 32', 'A / 4 # 8, A % 4', '[A / 2, B] # 100', 'B, A / 8 % 3, A % 8', '1 # 2', 'A / 8, [B, K] # 64, A % 8', '[A, B] / 8, [A, B] % 8', 'K # 8 / 2', '[K, B] / 4 % 4'];
  const mixed = Array.from({ length: 25 }, () => terms.filter(() => random(3) > 0).sort(() => random(3) - 1).map((term) => (random(3) === 0 ? `${term} # ${24 + random(9)}` : term)).join(', ') || 'A');
  for (const text of [...fixed, ...mixed]) {
    const expected = layoutOf(axes, text);
    const mapping = parseMapping(text, axes);
    assert.equal(mapping.size, expected.length, text);
    expected.forEach((element, p) => {
      const index = {};
      const held = mapping.at(p, index);
      assert.equal(held, element !== null, `${text} at ${p}`);
      if (held) for (const axis of Object.keys(axes)) assert.equal(index[axis] ?? 0, element[axis] ?? 0, `${text} at ${p}`);
    });
  }
});

test('what cannot be drawn is said, not guessed', () => {
  for (const text of ['A / 5', 'Z', 'A #z 32', 'skew(A, B)', '', 'A +', 'A, ']) assert.throws(() => parseMapping(text, { A: 24, B: 8 }), undefined, text);
});

test('sizes of axes follow from the bytes of tensors', () => {
  const { tensors } = JSON.parse(readFileSync(join(GOLDEN, 'gemm.json'), 'utf-8'));
  assert.deepEqual(axesOf(tensors), { axes: { I: 512, J: 512, K: 64 }, open: [] });
  assert.deepEqual(axesOf([tensors[0]]).open, ['I', 'K']);
  assert.equal(levelsOf(tensors[3].mapping).levels[1].text, 'I / 32, J / 32');
});

test('an element is found in all its places, and nowhere else', () => {
  const { tensors } = JSON.parse(readFileSync(join(GOLDEN, 'gemm.json'), 'utf-8'));
  const axes = { I: 512, J: 512, K: 64 };
  const find = (name, index) => placesOf(tensorMapping(tensors.find((t) => t.name === name), axes), index);
  assert.deepEqual(find('a', { I: 40, K: 7 }), [{ Element: 40 * 64 + 7 }]);
  const copies = find('a_dm', { I: 40, K: 7 });
  assert.equal(copies.length, 16);  // one in each of the slices that differ in J / 32
  copies.forEach((p, j) => assert.deepEqual(p, { Cluster: 0, Slice: 16 + j, Element: 8 * 64 + 7 }));
  assert.deepEqual(find('b_trf', { I: 0, J: 77, K: 5 }).map((p) => [p.Slice, p.Row, p.Element]), [[2, 77 % 8, Math.floor(77 / 8) % 4 * 64 + 5]]);
});

test('banks and channels', () => {
  assert.equal(dmBank(5 * 8, { dm_row_bytes: 8, dm_banks: 4 }), 1);
  assert.equal(hbmChannel(0b101, [1, 2, 7]), 6);
});

/// As seen without one kind of cone (Machado, Oliveira and Fernandes, 2009), in linear light.
const SIGHT = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function labOf(hex, sight) {
  const linear = channels(hex).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const [r, g, b] = sight.map((row) => Math.min(1, Math.max(0, row.reduce((sum, k, i) => sum + k * linear[i], 0))));
  const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089]
    .map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test('colours that stand side by side are told apart with any kind of colour vision', () => {
  for (const [name, sight] of Object.entries(SIGHT))
    for (const colours of [[...RESOURCE_COLOURS], [...WAIT_COLOURS], SHARE_COLOURS.filter((_, i) => i % 2 === 0).map((c, i) => [i, c])])
      colours.forEach(([what, a], i) => colours.slice(i + 1).forEach(([other, b]) => {
        const distance = Math.hypot(...labOf(a, sight).map((v, k) => v - labOf(b, sight)[k]));
        assert.ok(distance > 12, `${what} and ${other}, ${name}: ${distance}`);
      }));
});
