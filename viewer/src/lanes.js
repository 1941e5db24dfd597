// Commands over time: a lane for each resource, for Tensor Unit contexts one for each cluster, a narrow one for each DMA engine, and one for the critical path.
//
// A lane is drawn pixel column by pixel column, never command by command: for each column a search finds the commands that begin in it, and sums of busy cycles
// tell how much of it they fill. A frame therefore costs the width of the window, whether a lane has ten commands or a million. Columns that belong to one wide
// command are remembered: these get a border and a label.
import { pixelOf } from './colours.js';
import { slotsOf } from './schedule.js';
import { numbersOf } from './words.js';

const TENSOR_UNIT = new Set(['main', 'sub', 'vector engine']);

function laneOf(label, resource, commands, schedule) {
  const index = commands.slice();
  let sorted = true;
  for (let i = 1; i < index.length && sorted; ++i) sorted = schedule.start[index[i - 1]] <= schedule.start[index[i]];
  if (!sorted) index.sort((a, b) => schedule.start[a] - schedule.start[b] || schedule.end[a] - schedule.end[b] || a - b);
  const n = index.length;
  const start = new Float64Array(n);
  const end = new Float64Array(n);
  const busy = new Float64Array(n + 1);
  for (let i = 0; i < n; ++i) {
    start[i] = schedule.start[index[i]];
    end[i] = schedule.end[index[i]];
    busy[i + 1] = busy[i] + end[i] - start[i];
  }
  return { label, resource, index, start, end, busy };
}

const CLUSTERS = 32;  // more than any chip has

/// The commands of each resource and cluster, in program order, by resource * CLUSTERS + cluster. `split` says which resources are told apart by cluster. The
/// tensor DMA is told apart by queue, where it has several.
function bucketed(trace, split, clusterCount) {
  const { at, number } = trace.resources;
  const { dma } = slotsOf(trace);
  const every = 2 ** clusterCount - 1;
  const counts = new Int32Array(trace.resources_names.length * CLUSTERS);
  const lists = [];
  for (const fill of [false, true]) {
    for (let c = 0; c < trace.n; ++c)
      for (let k = at[c]; k < at[c + 1]; ++k) {
        const r = number[k];
        let bits = split[r] ? trace.clusters[c] || every : 1;
        if (split[r] && r === dma) bits = queueBits(trace, c);
        for (let u = 0; bits; ++u, bits >>>= 1) {
          if (!(bits & 1)) continue;
          const key = r * CLUSTERS + u;
          if (fill) lists[key][counts[key]] = c;
          ++counts[key];
        }
      }
    if (!fill) counts.forEach((count, key) => { lists[key] = new Int32Array(count); });
    counts.fill(0);
  }
  return lists;
}

export function queueBits(trace, c) {
  return numbersOf(trace.texts[trace.queues[c]]).reduce((bits, q) => (q < CLUSTERS ? bits | 1 << q : bits), 0) >>> 0;
}

/// Every resource has a lane, used or not; a Tensor Unit context one for each cluster of the chip that any command touches.
export function lanesOf(trace, schedule) {
  const names = trace.resources_names;
  let clusters = 0;
  for (let c = 0; c < trace.n; ++c) clusters |= trace.clusters[c];
  const clusterCount = Math.max(trace.geometry.clusters, CLUSTERS - Math.clz32(clusters), 1);
  const { dma, queues } = slotsOf(trace);
  const split = names.map((name, r) => (clusterCount > 1 && TENSOR_UNIT.has(name)) || (r === dma && queues > 0));
  const lanesWith = (r) => (!split[r] ? 1 : r === dma ? Math.min(CLUSTERS, queues) : clusterCount);
  const where = (r, u) => (r === dma && queues > clusterCount ? `chip ${Math.floor(u / clusterCount)} cluster ${u % clusterCount}` : `cluster ${u}`);
  const lists = bucketed(trace, split, clusterCount);
  const lanes = [laneOf('critical path', -1, schedule.criticalPath, schedule)];
  lanes[0].path = true;
  names.forEach((name, r) => {
    for (let u = 0; u < lanesWith(r); ++u)
      lanes.push(laneOf(split[r] ? `${name}, ${where(r, u)}` : name, r, lists[r * CLUSTERS + u], schedule));
    if (name === 'tensor DMA') lanes.push(...engineLanes(trace, schedule));
  });
  return lanes;
}

const MOST_ENGINES = 256;  // that get a lane

/// The commands that use each DMA engine, chip by chip. Engines of chips that no command speaks of are left out.
function engineLanes(trace, schedule) {
  const perChip = trace.geometry.dma_engines;
  const sets = new Map([...new Set(trace.engine_set)].map((text) => [text, numbersOf(trace.texts[text]).filter((engine) => engine < MOST_ENGINES)]));
  const highest = Math.max(-1, ...[...sets.values()].map((numbers) => numbers[numbers.length - 1] ?? -1));
  if (!perChip || highest < 0) return [];
  const count = Math.ceil((highest + 1) / perChip) * perChip;
  const name = (engine) => (count > perChip ? `engine ${engine % perChip} of chip ${Math.floor(engine / perChip)}` : `engine ${engine}`);
  const alike = new Map();  // engines mostly work in groups, which share one list
  return Array.from({ length: count }, (_, engine) => {
    const mine = new Set([...sets].filter(([, numbers]) => numbers.includes(engine)).map(([text]) => text));
    const key = [...mine].join();
    if (!alike.has(key)) alike.set(key, laneOf('', -1, commandsWith(trace, mine), schedule));
    return { ...alike.get(key), label: name(engine), engine };
  });
}

function commandsWith(trace, sets) {
  const found = new Int32Array(trace.n);
  let size = 0;
  if (sets.size) for (let c = 0; c < trace.n; ++c) if (sets.has(trace.engine_set[c])) found[size++] = c;
  return found.subarray(0, size);
}

/// The first i in [from, array.length) with array[i] > value: doubling steps, then halves, because it is mostly near.
export function firstAbove(array, value, from = 0) {
  let low = from;
  let step = 1;
  while (low + step <= array.length && array[low + step - 1] <= value) {
    low += step;
    step *= 2;
  }
  let high = Math.min(array.length, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (array[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function blend(pixel, ground, share) {
  const keep = 256 - Math.round(share * 256);
  const put = 256 - keep;
  const r = ((pixel & 255) * put + (ground & 255) * keep) >> 8;
  const g = ((pixel >> 8 & 255) * put + (ground >> 8 & 255) * keep) >> 8;
  const b = ((pixel >> 16 & 255) * put + (ground >> 16 & 255) * keep) >> 8;
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/// Colours as pixels: plain, and faint for commands that a filter leaves out.
export function pixelsOf(palette, ground) {
  const plain = Uint32Array.from(palette, pixelOf);
  const back = pixelOf(ground);
  return { plain, faint: plain.map((p) => blend(p, back, 0.18)), ground: back };
}

const WIDE = 5;  // pixels from which a command gets a border

/// A row of pixels for commands, one for waits and one that marks the critical path (`out.commands`, `out.waits`, `out.critical`); returns the wide commands as [number in the lane, x of its left, x of its right].
export function paintLane(lane, { from, to, width }, { index, pixels, matched, since, waitPixel, critical, criticalPixel }, out) {
  const { commands, waits, critical: marks } = out;
  const { start, end, busy } = lane;
  const n = start.length;
  const step = (to - from) / width;
  const wide = [];
  let i = firstAbove(end, from);
  for (let x = 0; x < width; ++x) {
    const left = from + x * step;
    const right = left + step;
    if (i < n && end[i] <= left) i = firstAbove(end, left, i);
    if (i >= n) {
      commands.fill(pixels.ground, x);
      waits.fill(0, x);
      marks.fill(0, x);
      break;
    }
    if (start[i] >= right) {
      commands[x] = pixels.ground;
      marks[x] = 0;
      waits[x] = left >= since[lane.index[i]] ? waitPixel(lane.index[i]) : 0;
      continue;
    }
    const next = end[i] >= right ? i + 1 : firstAbove(start, right, i);
    const filled = busy[next] - busy[i] - Math.max(0, left - start[i]) - Math.max(0, end[next - 1] - right);
    const shown = lane.index[(i + next) >> 1];
    const pixel = (matched && !matched[shown] ? pixels.faint : pixels.plain)[index[shown]];
    const share = filled / step;
    commands[x] = share >= 0.999 ? pixel : blend(pixel, pixels.ground, Math.max(0.3, share));
    marks[x] = critical[shown] ? criticalPixel : 0;
    waits[x] = share < 0.5 && next < n && right > since[lane.index[next]] && right < start[next] ? waitPixel(lane.index[next]) : 0;
    if (end[i] - start[i] >= WIDE * step && (wide.length === 0 || wide[wide.length - 1][0] !== i))
      wide.push([i, (start[i] - from) / step, (end[i] - from) / step]);
  }
  return wide;
}

export function commandAt(lane, time, reach) {
  const i = firstAbove(lane.end, time - reach);
  return i < lane.index.length && lane.start[i] <= time + reach ? lane.index[i] : -1;
}

/// The first command that ends after that time, be it running or yet to come.
export function nextCommand(lane, time) {
  const i = firstAbove(lane.end, time);
  return i < lane.index.length ? lane.index[i] : -1;
}
