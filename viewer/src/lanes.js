// Commands over time: a lane for each resource of each chip, for Tensor Unit contexts one for each cluster, a narrow one for each DMA engine, and one for the critical path.
//
// A lane is drawn pixel column by pixel column, never command by command: for each column a search finds the commands that begin in it, and sums of busy cycles
// tell how much of it they fill. A frame therefore costs the width of the window, whether a lane has ten commands or a million. Columns that belong to one wide
// command are remembered: these get a border and a label.
import { pixelOf } from './colours.js';
import { slotsOf } from './schedule.js';
import { numbersOf, rangesOf } from './words.js';

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

const MOST_CHIPS = 64;  // that get lanes

export function chipCount(trace) {
  let chips = Math.max(1, trace.chips);
  for (const place of trace.places) for (const chip of place.chips) chips = Math.max(chips, chip + 1);
  return Math.min(chips, MOST_CHIPS);
}

/// In which lanes of each resource commands are: Tensor Unit contexts have one for each cluster of each chip, the tensor DMA, too, where it has queues; others have one for
/// each chip. A command that touches no chip at all is on every one.
class Groups {
  constructor(trace) {
    const { dma, queues } = slotsOf(trace);
    const [chips, clusters] = [chipCount(trace), Math.max(1, trace.geometry.clusters)];
    Object.assign(this, { trace, chips, clusters, dma });
    this.split = trace.resources_names.map((name, r) => TENSOR_UNIT.has(name) || (r === dma && queues > 0));
    const every = (count) => Array.from({ length: count }, (_, i) => i);
    const below = (numbers, count) => (numbers.length ? numbers.filter((i) => i < count) : every(count));
    this.byChip = trace.places.map((place) => below(place.chips, chips));
    this.byCluster = trace.places.map((place) => below(place.clusters, chips * clusters));
    this.byQueue = new Map([...new Set(trace.queues)].map((text) => [text, below(numbersOf(trace.texts[text]), chips * clusters)]));
  }
  /// The numbers of a command's lanes of resource r: clusters counted through chips, or chips.
  of(c, r) {
    if (!this.split[r]) return this.byChip[this.trace.place[c]];
    return r === this.dma ? this.byQueue.get(this.trace.queues[c]) : this.byCluster[this.trace.place[c]];
  }
  count(r) {
    return this.split[r] ? this.chips * this.clusters : this.chips;
  }
}

export function groupsOf(trace) {
  return trace.groups ??= new Groups(trace);
}

/// The commands of each lane, in program order: by resource, then by number of the lane.
function bucketed(trace, groups) {
  const { at, number } = trace.resources;
  const lists = trace.resources_names.map((_, r) => new Array(groups.count(r)));
  const counts = trace.resources_names.map((_, r) => new Int32Array(groups.count(r)));
  for (const fill of [false, true]) {
    for (let c = 0; c < trace.n; ++c)
      for (let k = at[c]; k < at[c + 1]; ++k) {
        const r = number[k];
        const mine = groups.of(c, r);
        for (let i = 0; i < mine.length; ++i) {
          if (fill) lists[r][mine[i]][counts[r][mine[i]]] = c;
          ++counts[r][mine[i]];
        }
      }
    if (!fill) counts.forEach((all, r) => all.forEach((count, g) => { lists[r][g] = new Int32Array(count); }));
    for (const all of counts) all.fill(0);
  }
  return lists;
}

/// What the host moved before the kernel, one after the other, as if the last had ended when the kernel began. It has no commands: none of it is in the schedule.
export function hostLane(trace) {
  const transfers = [];
  let end = 0;
  for (const t of trace.host_transfers.toReversed()) {
    transfers.unshift({ ...t, start: end - t.cycles, end });
    end -= t.cycles;
  }
  const none = new Int32Array(0);
  return { label: 'host, before', resource: -1, chip: -1, index: none, start: none, end: none, busy: new Float64Array(1), transfers, begin: end };
}

/// Every resource of every chip has a lane, used or not; a Tensor Unit context one for each cluster.
export function lanesOf(trace, schedule, spans = []) {
  const groups = groupsOf(trace);
  const lists = bucketed(trace, groups);
  const engines = engineLanes(trace, schedule, groups.chips);
  const path = { ...laneOf('critical path', -1, schedule.criticalPath, schedule), path: true, chip: -1 };
  const lanes = [...(trace.host_transfers.length > 0 ? [hostLane(trace)] : []), ...spans, path];
  for (let chip = 0; chip < groups.chips; ++chip)
    trace.resources_names.forEach((name, r) => {
      if (name === 'launch') return;  // no part of a chip
      const each = groups.split[r] ? groups.clusters : 1;
      for (let u = 0; u < each; ++u) {
        const group = chip * each + u;
        lanes.push({ ...laneOf(each > 1 ? `${name}, cluster ${u}` : name, r, lists[r][group], schedule), chip, group });
      }
      if (name === 'tensor DMA') lanes.push(...engines.filter((lane) => lane.chip === chip));
    });
  return lanes;
}

/// Lanes for the eye: clusters and engines that do the same are one lane, and lanes of nothing are left out: {lanes, unused}. What is compared with a lane stays below it.
export function foldedLanes(lanes) {
  const groups = [];
  for (const lane of lanes) {
    if (lane.of && groups.length) groups[groups.length - 1].push(lane);
    else groups.push([lane]);
  }
  const same = (a, b) => a.index === b.index || (a.index.length === b.index.length && a.index.every((c, i) => c === b.index[i]));
  const alike = ([a, ...x], [b, ...y]) => a.chip === b.chip && a.resource === b.resource && (a.engine === undefined) === (b.engine === undefined) && x.length === y.length && [a, ...x].every((lane, i) => same(lane, [b, ...y][i]));
  const special = ([lane]) => lane.path || lane.transfers || lane.spans;
  const kept = [];
  const unused = [];
  for (const group of groups) {
    const [lane] = group;
    if (!special(group) && group.every(({ index }) => index.length === 0)) {
      unused.push(lane);
      continue;
    }
    const former = special(group) ? undefined : kept.find((k) => !special(k) && alike(k, group));
    if (!former) {
      kept.push([{ ...lane, folded: [lane] }, ...group.slice(1)]);
      continue;
    }
    const [first] = former;
    first.folded.push(lane);
    first.label = lane.engine !== undefined ? `engines ${rangesOf(first.folded.map(engineNumber))}` : `${lane.label.split(',')[0]}, clusters ${rangesOf(first.folded.map(engineNumber))}`;
  }
  return { lanes: kept.flat(), unused };
}
/// The number at the end of a lane's name.
const engineNumber = (lane) => Number(/\d+$/.exec(lane.label)?.[0] ?? 0);

/// The commands that use each DMA engine. Engines are counted through chips.
function engineLanes(trace, schedule, chips) {
  const perChip = trace.geometry.dma_engines;
  const count = perChip * chips;
  const sets = new Map([...new Set(trace.engine_set)].map((text) => [text, numbersOf(trace.texts[text]).filter((engine) => engine < count)]));
  if (![...sets.values()].some((numbers) => numbers.length)) return [];
  const alike = new Map();  // engines mostly work in groups, which share one list
  return Array.from({ length: count }, (_, engine) => {
    const mine = new Set([...sets].filter(([, numbers]) => numbers.includes(engine)).map(([text]) => text));
    const key = [...mine].join();
    if (!alike.has(key)) alike.set(key, laneOf('', -1, commandsWith(trace, mine), schedule));
    return { ...alike.get(key), label: `engine ${engine % perChip}`, engine, chip: Math.floor(engine / perChip) };
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
