// The page's own rules against the library's: schedules of random programs (tests/viewer/cases.cpp), and the sums of `tcp report`.
// CASES and TCP in the environment name the two programs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { traceOf } from './from_json.mjs';
import { recorded, replay, waitingSince } from '../src/schedule.js';
import { bankWatch } from '../src/banks.js';
import { hazardEdges } from '../src/hazards.js';
import { Journeys } from '../src/journey.js';
import { memoryLanes } from '../src/memory.js';
import { changedSchedule, fasterLength, noChanges } from '../src/whatif.js';
import { gapsOf, linesOf, resourceUse, waitsOf } from '../src/report.js';
import { firstAbove, lanesOf, paintLane } from '../src/lanes.js';
import { channels, nthColour, RESOURCE_COLOURS, SHARE_COLOURS, WAIT_COLOURS } from '../src/colours.js';
import { matching } from '../src/search.js';
import { inAddress, inTime, numbersOf, rangesOf } from '../src/words.js';
import { axesHeld, dmBank, finestStep, hbmChannel, largestIndex, levelsOf, parseMapping, placesOf, tensorMapping } from '../src/mapping.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const GOLDEN = join(HERE, '../../tests/golden/files');
const GEMM = { I: 512, J: 512, K: 64 };
/// By name: each begins with a line `// # name` (tests/sections.py).
const KERNELS = Object.fromEntries(readFileSync(join(HERE, '../../tests/viewer/kernels.programs'), 'utf-8').split('\n// # ').slice(1)
  .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]));
const cases = execFileSync(process.env.CASES, ['600'], { encoding: 'utf-8', maxBuffer: 1 << 28 }).trim().split('\n').map((line) => JSON.parse(line));

function madeTrace(commands) {
  const folder = mkdtempSync(join(tmpdir(), 'tcp-viewer-'));
  execFileSync(process.execPath, [join(HERE, 'make_trace.mjs'), String(commands), join(folder, 't.json')]);
  const file = join(folder, 't.json');
  return { file, json: JSON.parse(readFileSync(file, 'utf-8')), remove: () => rmSync(folder, { recursive: true }) };
}

/// Without edges of starvation, which depend on times.
const edgesOf = (trace, after) => Array.from({ length: trace.n }, (_, c) =>
  Array.from(after.from.subarray(after.at[c], after.at[c + 1]), (from, k) => {
    const e = after.at[c] + k;
    return `${trace.texts[after.kind[e]]} ${from} ${trace.texts[after.on[e]]} ${after.begin[e]} ${after.end[e]}`;
  }).filter((edge) => !edge.startsWith('starvation')).sort());

test('there are enough cases of every kind', () => {
  for (const kind of ['with_free', 'with_faster', 'with_double', 'without']) assert.ok(cases.filter((c) => c[kind]).length > 100, kind);
  assert.ok(cases.filter((c) => (c.trace.order ?? []).length).length > 10, 'reordered');
  const helped = cases.filter((c) => c.with_double && c.with_double.makespan < c.trace.makespan);
  assert.ok(helped.length > 5, 'a second buffer shortens some of them');
  const starved = cases.filter((c) => c.trace.commands.some((command) => (command.after ?? []).some((e) => e.kind === 'starvation')));
  assert.ok(starved.length > 50, `waits for banks: ${starved.length}`);
  assert.ok(starved.filter((c) => c.with_free).length > 20 && starved.filter((c) => (c.trace.order ?? []).length).length > 3, 'with changes, and reordered');
  assert.ok(starved.filter((c) => c.trace.commands.some((command) => command.queues)).length > 10, 'with a queue for each cluster');
  const chips = (c) => (c.trace.chips ?? 1) > 1 && (c.trace.units ?? []).some((u) => u.chips === '1') && c.trace.units.some((u) => u.clusters === '1');
  const calibrated = cases.filter((c) => c.trace.model === 'calibrated');
  const reordered = (c) => (c.trace.order ?? []).length > 0;
  for (const [what, some] of [['several chips', cases], ['calibrated', calibrated]]) assert.ok(some.filter(chips).length > 50 && some.filter((c) => chips(c) && reordered(c)).length > 3, what);
  assert.ok(cases.some((c) => c.trace.commands.some((command) => /[4-7]/.test(command.queues ?? ''))), 'queues of the third and fourth chip');
  const differ = (c, kind) => c[kind] && c[kind].makespan !== c.trace.makespan;
  for (const kind of ['with_free', 'with_faster']) assert.ok(starved.filter((c) => differ(c, kind)).length > 10, 'which matter');
  assert.ok(cases.filter((c) => reordered(c) && differ(c, 'with_free')).length > 10, 'in another order than that of the program');
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

test('nothing changed: the trace, waits for banks found again among its edges', () => {
  for (const { seed, trace: file } of cases) {
    const trace = traceOf(file);
    const made = changedSchedule(trace, noChanges());
    assert.deepEqual([...made.start], [...trace.start], `seed ${seed}`);
    assert.deepEqual([...made.slack], [...trace.slack], `seed ${seed}`);
    const all = (after) => Array.from({ length: trace.n }, (_, c) => Array.from(after.from.subarray(after.at[c], after.at[c + 1]), (from, k) => `${trace.texts[after.kind[after.at[c] + k]]} ${from} ${after.end[after.at[c] + k]}`));
    assert.deepEqual(all(made.after), all(trace.after), `seed ${seed}`);
    assert.deepEqual([...made.binding], [...trace.binding], `seed ${seed}`);
  }
});

test('a wait for a bank that is dropped is not found again', () => {
  let tried = 0;
  for (const { seed, trace: file } of cases) {
    const c = file.commands.findIndex((command) => command.after?.[command.binding ?? -1]?.kind === 'starvation');
    if (c < 0) continue;
    const trace = traceOf(file);
    const edge = file.commands[c].after[file.commands[c].binding];
    const made = changedSchedule(trace, { ...noChanges(), drop: new Set([`${edge.from}.starvation.${c}`]) });
    assert.ok(made.start[c] < trace.start[c], `seed ${seed}`);
    ++tried;
  }
  assert.ok(tried > 20);
});

test('peaks count every byte once', () => {
  const tensor = (begin, end, first, last) => ({ name: 't', memory: 'DM', mapping: '', role: '', begin, end, units: -1, source: -1, first, last });
  const trace = { tensors: [tensor(0, 100, 0, 3), tensor(40, 60, 1, 2), tensor(90, 130, 2, 2), tensor(500, 600, 4, 4)], capacities: [{ memory: 'DM', bytes: 1000, units: 4 }], units: [], geometry: { clusters: 1 }, chips: 1, places: [], tensor_places: { at: [0, 0, 0, 0, 0], units: new Int32Array(0) } };
  const schedule = { start: [0, 10, 20, 30, 40], end: [10, 20, 30, 40, 50], makespan: 50 };
  const [dm] = memoryLanes(trace, schedule).filter((lane) => lane.memory === 'DM');
  assert.deepEqual([dm.peak, dm.peakAt], [130, 20]);
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

test('an engine at twice its rate: as the library schedules commands of these lengths', () => {
  for (const { seed, trace: file, with_faster: expected } of cases) {
    if (!expected) continue;
    const made = changedSchedule(traceOf(file), { ...noChanges(), faster: new Set(['Fetch']) });
    assert.equal(made.makespan, expected.makespan, `seed ${seed}`);
    assert.deepEqual([...made.start], expected.starts, `seed ${seed}`);
  }
});

test('a buffer with a second half: as the library schedules it', () => {
  for (const { seed, trace: file, buffer, with_double: expected } of cases) {
    if (!expected) continue;
    const trace = traceOf(file);
    const { memory, begin, end, units } = file.commands[buffer].writes[0];
    const watch = bankWatch(trace, trace.length, () => false);
    const made = replay({ n: trace.n, after: hazardEdges(trace, [{ memory, begin, end, units }]), length: trace.length, order: trace.order, watch });
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

test('lowered kernels, in every timing model: hazards found again, and the same schedule', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tcp-viewer-'));
  const run = (name, model) => {
    const file = join(folder, `${name}.json`), kernel = join(folder, `${name}.tcp`);
    writeFileSync(kernel, KERNELS[name]);
    execFileSync(process.env.TCP, ['run', kernel, '--random', '1', '--backend', 'device', '--model', model, '--trace', file], { stdio: 'ignore' });
    return traceOf(JSON.parse(readFileSync(file, 'utf-8')));
  };
  for (const [name, model] of [['gemm', 'book'], ['softmax', 'book'], ['rms_norm', 'calibrated'], ['gemm', 'calibrated'], ['gemm', 'detailed']]) {
    const trace = run(name, model);
    assert.deepEqual(edgesOf(trace, hazardEdges(trace, [])), edgesOf(trace, trace.after), `${name}, ${model}`);
    assert.equal(trace.geometry.bank_limit > 0, model !== 'detailed', model);
    assert.equal([...trace.queues].some((text) => trace.texts[text] !== ''), model === 'detailed', `queues of ${model}`);
    const made = changedSchedule(trace, noChanges());
    assert.deepEqual([...made.start], [...trace.start], `${name}, ${model}`);
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

test('waits for many tiles are put together in a moment', () => {
  const many = 60000;
  const tensors = Array.from({ length: many }, (_, i) => ({ name: `tile[${i}]`, memory: 'DM', begin: 0, end: 8, born: 0, gone: 0 }));
  const commands = tensors.flatMap((_, i) => {
    const range = [{ memory: 'DM', begin: 0, end: 8, tensor: i }];
    return [{ name: 'dma', resources: [1], start: 10 * i, end: 10 * i + 10, source: 0, writes: range },
      { name: 'main', resources: [0], start: 10 * i + 10, end: 10 * i + 12, source: 0, reads: range, after: [{ kind: 'raw', from: 2 * i, on: 'DM', begin: 0, end: 8 }], binding: 0 }];
  });
  const trace = traceOf({ resources: ['main', 'tensor DMA'], sources: [{ file: 'k.cpp', line: 1 }], makespan: 10 * many + 2, tensors, commands });
  const before = process.cpuUsage().user;
  const [wait] = waitsOf(trace, recorded(trace));
  assert.ok(process.cpuUsage().user - before < 1.5e6, `${(process.cpuUsage().user - before) / 1e6} s`);
  assert.equal(wait.reason, 'reads tile[...] in DM, which dma at k.cpp:1 writes');
  assert.equal(wait.commands.length, many);
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

test('what the host moved has a lane of its own, which ends where the kernel begins', () => {
  const made = madeTrace(100);
  const plain = traceOf(made.json);
  const trace = traceOf({ ...made.json, host_transfers: [{ direction: 'upload', tensor: 'a', bytes: 600, cycles: 20 }, { direction: 'download', bytes: 300, cycles: 10 }] });
  made.remove();
  const [host, ...others] = lanesOf(trace, recorded(trace));
  assert.deepEqual(host.transfers.map(({ tensor, start, end }) => [tensor, start, end]), [['a', -30, -10], ['', -10, 0]]);
  assert.equal(host.begin, -30);
  assert.equal(host.index.length, 0, 'no command of the schedule is in it');
  assert.deepEqual(others.map((lane) => [lane.label, [...lane.index]]), lanesOf(plain, recorded(plain)).map((lane) => [lane.label, [...lane.index]]));
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

/// What lies at every position as `tcp layout` has it: lists of elements, or the kind of padding.
function layoutOf(axes, mapping) {
  const words = Object.entries(axes).map(([name, size]) => `${name}=${size}`).join();
  const made = JSON.parse(execFileSync(process.env.TCP, ['layout', '--axes', words, mapping, '--all', '--json'], { encoding: 'utf-8', maxBuffer: 1 << 26 }));
  const positions = new Array(made.size).fill(null);
  for (const { from, count, kind, index, moving, step, padding, elements } of made.runs)
    for (let i = 0; i < count; ++i) {
      const one = () => [{ ...index, ...(moving ? { [moving]: index[moving] + i * step } : {}) }];
      positions[from + i] = kind === 'padding' ? padding : kind === 'several' ? elements : one();
    }
  return positions;
}

const AXES = { A: 24, B: 8, K: 6, D: 61, W: 7, F: 3 };

function randomMappings(count) {
  let state = 7;
  const random = (n) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % n; };
  const divisor = (n) => { const all = Array.from({ length: n }, (_, i) => i + 1).filter((d) => n % d === 0); return all[random(all.length)]; };
  const terms = ['A', 'B', 'K'].flatMap((name) => { const low = divisor(AXES[name]); return [`${name} / ${low}`, `${name} % ${low}`]; });
  const pad = () => ['#', '#z', '#!'][random(3)];
  return Array.from({ length: count }, () => terms.filter(() => random(3) > 0).sort(() => random(3) - 1)
    .map((term) => (random(3) === 0 ? `${term} ${pad()} ${24 + random(9)}` : term)).join(', ') || 'A');
}

const MAPPINGS = ['A', 'A # 32', 'A / 4 # 8, A % 4', '[A / 2, B] # 100', 'B, A / 8 % 3, A % 8', '1 # 2', 'A / 8, [B, K] # 64, A % 8', '[A, B] / 8, [A, B] % 8', 'K # 8 / 2', '[K, B] / 4 % 4',
  'A #z 32', 'A #! 32, B', '[A, K] #z 200', 'D # 64 / 16, B', 'D #z 64 / 16, B, D = 16', 'D #! 64 / 16 #z 8, D = 16', 'A @ 4', 'A @ 4 = 16', 'A #< 3', 'B #< 2 #z 16, K', 'skew(A, B), B', 'skew(A, B) # 32, B', 'B, skew(A, B)',
  '$(W:2, F)', '$(W:2, F) #z 20', '$(W, F)', '$(W:2, F) = 12, B', 'K, $(W:3, F:2)', '2, A % 8, 3'];

test('positions of mappings are those of tcp layout: paddings of all kinds, skewed axes and windows among them', () => {
  for (const text of [...MAPPINGS, ...randomMappings(25)]) {
    const expected = layoutOf(AXES, text);
    const mapping = parseMapping(text, AXES);
    assert.equal(mapping.size, expected.length, text);
    const plain = (index) => Object.keys(AXES).map((axis) => index[axis] ?? 0).join();
    expected.forEach((cell, p) => {
      const first = mapping.at(p);
      if (typeof cell === 'string') return assert.equal(first.pad, cell, `${text} at ${p}`);
      const held = Array.from({ length: first.ways }, (_, choice) => mapping.at(p, choice)).filter((c) => c.index).map((c) => plain(c.index));
      return assert.deepEqual(held.sort(), cell.map(plain).sort(), `${text} at ${p}`);
    });
  }
});

test('an element is found in all its places, and nowhere else', () => {
  for (const text of [...MAPPINGS, ...randomMappings(10)]) {
    const mapping = tensorMapping(`i8 in DM Element[${text}]`, AXES);
    const all = Array.from({ length: mapping.levels[0].size }, (_, p) => {
      const { ways } = mapping.levels[0].at(p);
      return Array.from({ length: ways }, (_, choice) => mapping.levels[0].at(p, choice).index).filter(Boolean);
    });
    const whole = all.find((held) => held.length)?.at(-1);
    const held = axesHeld(mapping);
    for (const index of [whole, all[all.length >> 1].at(0), all.at(-1).at(0)].filter(Boolean)) {
      const wanted = Object.fromEntries(held.map((axis) => [axis, index[axis] ?? 0]));
      const expected = all.flatMap((there, p) => (there.some((i) => held.every((axis) => (i[axis] ?? 0) === wanted[axis])) ? [p] : []));
      assert.deepEqual(placesOf(mapping, wanted, AXES).map((p) => p.Element).sort((a, b) => a - b), expected, `${text} ${JSON.stringify(wanted)}`);
    }
  }
  const dm = tensorMapping('bf16 in DM Cluster[1 # 2] Slice[I / 32, J / 32] Element[I % 32, K]', GEMM);
  const copies = placesOf(dm, { I: 40, K: 7 }, GEMM);
  assert.equal(copies.length, 16);  // one in each of the slices that differ in J / 32
  copies.forEach((p, j) => assert.deepEqual(p, { Cluster: 0, Slice: 16 + j, Element: 8 * 64 + 7 }));
  const trf = tensorMapping('bf16 in TRF Slice[I / 32, J / 32] Row[J % 8] Element[J / 8 % 4, K]', GEMM);
  assert.deepEqual(placesOf(trf, { I: 0, J: 77, K: 5 }, GEMM), [{ Slice: 2, Row: 77 % 8, Element: Math.floor(77 / 8) % 4 * 64 + 5 }]);
});

/// x goes to DM as a matrix, is overwritten there after it has been moved on as half of y, and none of this keeps its axes' names.
const RESHAPED = {
  format: 'tcp-trace', version: 2, resources: ['main', 'sub', 'tensor DMA'], makespan: 40, axes: [{ name: 'A', size: 8 }, { name: 'B', size: 2 }, { name: 'C', size: 4 }, { name: 'D', size: 16 }],
  units: [{ chips: '0', clusters: '0', slices: '0' }], sources: [{ file: 'k.cpp', line: 1 }],
  tensors: [{ name: 'x', memory: 'HBM', mapping: 'i8 in HBM Element[A]', begin: 100, end: 108, role: 'argument' }, { name: 'x', memory: 'HBM', mapping: 'i8 in HBM Element[B, C]', begin: 100, end: 108, first: 0, last: 0 },
    { name: 't', memory: 'DM', mapping: 'i8 in DM Element[C, B]', begin: 0, end: 8, first: 0, last: 2 }, { name: 'y', memory: 'HBM', mapping: 'i8 in HBM Element[D]', begin: 200, end: 216, role: 'result' },
    { name: 'y', memory: 'HBM', mapping: 'i8 in HBM Element[B, C]', begin: 208, end: 216, first: 1, last: 1 }, { name: 'z', memory: 'DM', mapping: 'i8 in DM Element[A]', begin: 0, end: 8, first: 2, last: 2 }],
  commands: [[1, 100, 'HBM', 2, 0, 'DM'], [2, 0, 'DM', 4, 208, 'HBM'], [1, 100, 'HBM', 5, 0, 'DM']].map(([r, from, source, w, to, sink], i) => ({
    name: 'dma', resources: [2], source: 0, start: 10 * i, end: 10 * i + 10, streaming: 10, dma: [{ bytes: 8, engines: 1, engines_of: 8, engine_set: '0' }],
    reads: [{ memory: source, begin: from, end: from + 8, units: 0, tensor: r }], writes: [{ memory: sink, begin: to, end: to + 8, units: 0, tensor: w }] })),
};

test('an element is followed by its bytes, through views with other axes', () => {
  const trace = traceOf(RESHAPED);
  const journeys = new Journeys(trace, trace.axes);
  const way = (t, index) => journeys.of(t, index, recorded(trace)).map((stop) => `${trace.tensors[stop.tensor].name} ${JSON.stringify(stop.index)} ${stop.relation} byte ${stop.byte} by ${stop.writer}`);
  assert.deepEqual(way(0, { A: 6 }), ['x {"A":6} same byte 106 by -1', 't {"B":1,"C":2} same byte 5 by 0', 'y {"B":1,"C":2} same byte 214 by 1']);
  assert.deepEqual(way(3, { D: 14 }), ['x {"B":1,"C":2} same byte 106 by -1', 't {"B":1,"C":2} same byte 5 by 0', 'y {"D":14} same byte 214 by 1']);
  assert.deepEqual(way(3, { D: 3 }), ['y {"D":3} same byte 203 by -1']);
});

test('a large tensor is looked through at once', () => {
  const axes = { M: 16384, N: 16384 };
  const begin = performance.now();
  assert.deepEqual(placesOf(tensorMapping('bf16 in HBM Element[M, N]', axes), { M: 9999, N: 3 }, axes), [{ Element: 9999 * 16384 + 3 }]);
  const long = { N: 2 ** 24, B: 4 };
  assert.deepEqual(placesOf(tensorMapping('i8 in HBM Element[B, N # 20000000]', long), { N: 9999999, B: 2 }, long), [{ Element: 2 * 20000000 + 9999999 }]);
  assert.deepEqual(placesOf(tensorMapping('i8 in HBM Element[N / 4, B, N % 4]', long), { N: 4001, B: 1 }, long), [{ Element: 1000 * 16 + 4 + 1 }]);
  assert.deepEqual([finestStep(tensorMapping('i8 in HBM Element[N / 8]', long), 'N'), largestIndex(tensorMapping('i8 in HBM Element[N]', long), 'N', long)], [8, 2 ** 24 - 1]);
  assert.ok(performance.now() - begin < 1500);
});

test('what cannot be drawn is said, not guessed', () => {
  for (const text of ['A / 5', 'Z', 'A # 3', 'skew(A', '', 'A +', 'A, ', '$(A:2', 'A = 99']) assert.throws(() => parseMapping(text, { A: 24, B: 8 }), undefined, text);
});

test('levels are read as traces write them, now and before', () => {
  assert.deepEqual(levelsOf('bf16 in DM Slice[I / 32, J / 32] Element[[I, K] # 64, 2]').levels, [{ name: 'Slice', text: 'I / 32, J / 32' }, { name: 'Element', text: '[I, K] # 64, 2' }]);
  assert.deepEqual(levelsOf('f32 Slice[m![I]] Time[m![J]]').levels, [{ name: 'Slice', text: 'I' }, { name: 'Time', text: 'J' }]);
});

test('banks and channels', () => {
  assert.equal(dmBank(5 * 8, { dm_row: 8, dm_banks: 4 }), 1);
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

test('no colour of many vanishes on dark ground', () => {
  const luminance = (hex) => channels(hex).map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  for (let i = 0; i < 24; ++i) {
    const contrast = (luminance(nthColour(i)) + 0.05) / (luminance('#22252b') + 0.05);
    assert.ok(contrast > 2, `${nthColour(i)}: ${contrast.toFixed(2)}`);
  }
  assert.equal(new Set(Array.from({ length: 24 }, (_, i) => nthColour(i))).size, 24);
});

test('addresses that are near each other are told apart', () => {
  const end = 2 ** 28 + 8192;
  assert.deepEqual([2 ** 28, 2 ** 28 + 2048, end].map((n) => inAddress(n, [0, 2 ** 28, 2 ** 28 + 2048, end])), ['256 MiB', '256 MiB + 2 KiB', '256 MiB + 8 KiB']);
  assert.deepEqual([4096 + 8, 4096 + 16].map((n) => inAddress(n, [4104, 4112])), ['4 KiB + 8 B', '4 KiB + 16 B']);
  assert.equal(inAddress(2 ** 28 + 65536, [0, 2 ** 28, 2 ** 28 + 65536]), '256.06 MiB');
  assert.equal(inAddress(0, [8]), '0 B');
});

test('times have the unit that fits them', () => {
  for (const [cycles, words] of [[0, '0 ns'], [500, '500 ns'], [72827, '72.83 \u00b5s'], [184801857, '184.8 ms'], [7e12, '7,000 s']]) assert.equal(inTime(cycles, 1000), words);
});

test('sets of numbers are written as traces have them', () => {
  for (const text of ['', '0', '0-3', '0-3,8', '1,3,5-255']) assert.equal(rangesOf(numbersOf(text)), text);
});

test('colours that stand side by side are told apart with any kind of colour vision', () => {
  for (const [name, sight] of Object.entries(SIGHT))
    for (const colours of [[...RESOURCE_COLOURS], [...WAIT_COLOURS], SHARE_COLOURS.filter((_, i) => i % 2 === 0).map((c, i) => [i, c])])
      colours.forEach(([what, a], i) => colours.slice(i + 1).forEach(([other, b]) => {
        const distance = Math.hypot(...labOf(a, sight).map((v, k) => v - labOf(b, sight)[k]));
        assert.ok(distance > 12, `${what} and ${other}, ${name}: ${distance}`);
      }));
});
