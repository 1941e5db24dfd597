// How much of the chip is in use over time: bytes of HBM, multiply-adds, the Vector Engine.
//
// A command is taken to do its work evenly from its start to its end. Commands of one queue never overlap, so that sums along each queue tell what was done until any
// moment; the difference of two moments is what a pixel shows. A frame costs the width of the window, as for lanes.
import { firstAbove, groupsOf } from './lanes.js';
import { slotsOf } from './schedule.js';

/// Bytes that a command moves from or to HBM: twice where both ends are there.
export function hbmBytesOf(trace, c) {
  const { dma } = trace;
  const at = dma.at[c];
  if (at === dma.at[c + 1]) return 0;
  const hbm = trace.hbmText ??= trace.texts.indexOf('HBM');
  const touches = (list) => {
    for (let r = list.at[c]; r < list.at[c + 1]; ++r) if (list.memory[r] === hbm) return 1;
    return 0;
  };
  return dma.bytes[at] * (touches(trace.reads) + touches(trace.writes));
}

export function multiplyAddsOf(trace, c) {
  const { pass } = trace;
  return pass.at[c] === pass.at[c + 1] ? 0 : pass.multiply_adds[pass.at[c]];
}

/// Cycles of the Vector Engine, as if all slices of the chip had one together.
export function vectorCyclesOf(trace, c) {
  const { pass, engines } = trace;
  const at = pass.at[c];
  if (at === pass.at[c + 1]) return 0;
  const vector = trace.vectorText ??= trace.texts.indexOf('Vector');
  for (let e = engines.at[c]; e < engines.at[c + 1]; ++e)
    if (engines.name[e] === vector) return engines.cycles[e] * share(pass.slices[at], pass.slices_of[at]) * share(pass.clusters[at], pass.clusters_of[at]);
  return 0;
}
const share = (part, whole) => (whole > 0 ? part / whole : 1);

/// The most of each in a cycle, of all chips; 0: the trace does not say. Multiply-adds by the type that most of them have.
export function peaksOf(trace) {
  const { geometry, pass } = trace;
  const chips = Math.max(1, trace.chips);
  let [lanes, most] = [0, 0];
  const sums = new Map();
  for (let i = 0; i < pass.multiply_adds.length; ++i) {
    if (!pass.multiply_adds[i]) continue;
    const sum = (sums.get(pass.lanes_of[i]) ?? 0) + pass.multiply_adds[i];
    sums.set(pass.lanes_of[i], sum);
    if (sum > most) [lanes, most] = [pass.lanes_of[i], sum];
  }
  return {
    hbm: trace.core_mhz ? chips * geometry.hbm_mb_per_s / trace.core_mhz : 0,
    multiplyAdds: chips * geometry.clusters * geometry.slices * geometry.rows * (lanes || 32),
    vector: chips, lanes,
  };
}

const KINDS = [
  ['HBM', 'hbm', hbmBytesOf, '#0072b2', (perCycle, mhz) => `${Math.round(perCycle * mhz / 1000).toLocaleString('en-US')} GB/s`],
  ['multiply-adds', 'multiplyAdds', multiplyAddsOf, '#2f7d5b', (perCycle, mhz) => `${(2 * perCycle * mhz / 1e6).toPrecision(3)} TFLOPS`],
  ['Vector Engine', 'vector', vectorCyclesOf, '#7b4fa3', null],
];

/// Where work of a queue begins and ends, and how much was done before each.
function workQueue(trace, schedule, commands, amount) {
  const doing = commands.filter((c) => amount[c] > 0);
  let sorted = true;
  for (let i = 1; i < doing.length && sorted; ++i) sorted = schedule.start[doing[i - 1]] <= schedule.start[doing[i]];
  if (!sorted) doing.sort((a, b) => schedule.start[a] - schedule.start[b] || a - b);
  const n = doing.length;
  const queue = { start: new Float64Array(n), end: new Float64Array(n), amount: new Float64Array(n), before: new Float64Array(n + 1) };
  for (let i = 0; i < n; ++i) {
    const c = doing[i];
    [queue.start[i], queue.end[i], queue.amount[i]] = [schedule.start[c], Math.max(schedule.end[c], schedule.start[c] + 1e-9), amount[c]];
    queue.before[i + 1] = queue.before[i] + amount[c];
  }
  return queue;
}

/// By queue: a command is in the first of its own resource's, so that it counts once.
function queuesOf(trace) {
  const groups = groupsOf(trace);
  const { at, number } = trace.resources;
  const slots = slotsOf(trace);
  const lists = new Map();
  for (let c = 0; c < trace.n; ++c) {
    const r = number[at[c]];
    const key = r * 4096 + (slots.of(c, r)[0] ?? groups.of(c, r)[0] ?? 0);
    let list = lists.get(key);
    if (!list) lists.set(key, list = []);
    list.push(c);
  }
  return [...lists.values()].map((list) => Int32Array.from(list));
}

/// [{label, colour, peak, queues, words}]: those of which the trace tells, and that something uses. Needs the blocks `parts`, `ranges` and `facts`.
export function countersOf(trace, schedule) {
  const peaks = peaksOf(trace);
  const amounts = trace.amounts ??= KINDS.map(([, , of]) => Float64Array.from({ length: trace.n }, (_, c) => of(trace, c)));
  const queues = trace.queueLists ??= queuesOf(trace);
  return KINDS.map(([label, key, , colour, words], k) => ({
    label, key, colour, peak: peaks[key], words, queues: queues.map((list) => workQueue(trace, schedule, list, amounts[k])).filter((queue) => queue.start.length > 0),
  })).filter((counter) => counter.queues.length > 0 && counter.peak > 0);
}

/// What a queue has done until a moment.
function doneBy(queue, time, from) {
  const i = firstAbove(queue.start, time, from.i);
  from.i = Math.max(0, i - 1);
  if (i === 0) return 0;
  const [start, end] = [queue.start[i - 1], queue.end[i - 1]];
  return queue.before[i - 1] + (time >= end ? queue.amount[i - 1] : queue.amount[i - 1] * (time - start) / (end - start));
}

/// What is in use in each of `width` equal parts of a time, as shares of the peak.
export function sampled(counter, { from, to, width }) {
  const shares = new Float64Array(width);
  const step = (to - from) / width;
  for (const queue of counter.queues) {
    const cursor = { i: 0 };
    let last = doneBy(queue, from, cursor);
    for (let x = 0; x < width; ++x) {
      const now = doneBy(queue, from + (x + 1) * step, cursor);
      shares[x] += (now - last) / step;
      last = now;
    }
  }
  for (let x = 0; x < width; ++x) shares[x] = Math.min(1, shares[x] / counter.peak);
  return shares;
}

/// "42.1 %, 647 GB/s".
export function counterWords(counter, perPeak, trace) {
  return `${(perPeak * 100).toFixed(1)} %${counter.words && trace.core_mhz ? `, ${counter.words(perPeak * counter.peak, trace.core_mhz)}` : ''}`;
}
