// Memories as address over time: a rectangle for each tensor, from its first command to its last. Every chip has its own; DM, TRF and VRF have a lane for each cluster.
//
// Addresses count within a slice. Slices that hold the same tensors are drawn as one; those that hold others have a lane of their own, so that tensors of different slices never
// lie over each other.
//
// Addresses that nothing ever uses are folded to a thin line, because three arrays in 48 GiB would otherwise be three invisible hairs; a switch shows the whole
// memory at one scale instead.
import { inBytes, numbersOf, rangesOf, withCommas } from './words.js';
import { pixelOf, tensorColours } from './colours.js';
import { chipCount, firstAbove } from './lanes.js';

const ORDER = ['HBM', 'SPM', 'DM', 'TRF', 'VRF', 'host'];

/// Times of tensors in a schedule: the first start and the last end of the commands that touch them; arguments and results live throughout.
export function tensorTimes(trace, schedule) {
  const born = new Float64Array(trace.tensors.length);
  const gone = new Float64Array(trace.tensors.length);
  trace.tensors.forEach((t, i) => {
    const throughout = t.role !== '' || t.first < 0;
    born[i] = throughout ? 0 : schedule.start[t.first];
    gone[i] = throughout ? schedule.makespan : schedule.end[t.last];
  });
  return { born, gone };
}

/// Memories that are shown, used or not: these of each cluster.
const ALWAYS = ['HBM', 'DM', 'TRF', 'VRF'];
const BY_CHIP = new Set(['HBM', 'host']);

/// Lanes of every chip. `slices` says which slices: '' as few kinds as show every tensor, 'all' every kind, or a slice.
export function memoryLanes(trace, schedule, slices = '') {
  const times = tensorTimes(trace, schedule);
  return [...holdersOf(trace).values()]
    .sort((a, b) => a.chip - b.chip || ORDER.indexOf(a.memory) - ORDER.indexOf(b.memory) || a.cluster - b.cluster)
    .flatMap((holder) => lanesOfHolder(trace, holder, times, slices));
}

/// Clusters that hold the same are drawn once, and memories of nothing are left out: {lanes, unused}. What is compared with a lane stays below it.
export function foldedMemories(lanes) {
  const groups = [];
  for (const lane of lanes) {
    if (lane.of && groups.length) groups[groups.length - 1].push(lane);
    else groups.push([lane]);
  }
  const alike = (a, b) => a.length === b.length && a.every((lane, i) => lane.memory === b[i].memory && lane.chip === b[i].chip && lane.slices === b[i].slices && lane.index.length === b[i].index.length && lane.index.every((t, k) => t === b[i].index[k]));
  const kept = [];
  const unused = [];
  for (const group of groups) {
    const [lane] = group;
    if (group.every(({ index }) => index.length === 0)) {
      unused.push(lane);
      continue;
    }
    const former = lane.cluster < 0 ? undefined : kept.find((k) => alike(k, group));
    if (!former) {
      kept.push([{ ...lane, folded: [lane.cluster] }, ...group.slice(1)]);
      continue;
    }
    former[0].folded.push(lane.cluster);
    former[0].label = `${lane.memory}, clusters ${rangesOf(former[0].folded)}`;
  }
  return { lanes: kept.flat(), unused };
}

/// By memory, chip and cluster: the tensors of each set of slices.
class Holders {
  constructor(trace) {
    const [chips, clusters] = [chipCount(trace), Math.max(1, trace.geometry.clusters)];
    const below = (text, count) => numbersOf(text).filter((i) => i < count);
    this.all = new Map();  // {memory, chip, cluster, sets: text of the slices -> tensors}
    this.lists = new Map();  // by memory: by number of units + 1
    this.units = trace.units.map((u) => ({ chips: below(u.chips, chips), clusters: below(u.clusters, clusters), slices: u.slices }));
    // Tensors that no command touches are arguments and results, in HBM of every chip.
    this.everywhere = { chips: Array.from({ length: chips }, (_, i) => i), clusters: [0], slices: '0' };
    for (const { memory } of trace.capacities)
      if (ALWAYS.includes(memory)) for (const chip of this.everywhere.chips) for (let u = 0; u < (BY_CHIP.has(memory) ? 1 : clusters); ++u) this.of(memory, chip, BY_CHIP.has(memory) ? -1 : u);
    const { at, units: numbers } = trace.tensor_places;
    trace.tensors.forEach(({ memory }, t) => {
      if (at[t] === at[t + 1]) this.put(t, memory, -1);
      for (let k = at[t]; k < at[t + 1]; ++k) this.put(t, memory, numbers[k]);
    });
  }

  of(memory, chip, cluster) {
    const key = `${memory} ${chip} ${cluster}`;
    if (!this.all.has(key)) this.all.set(key, { memory, chip, cluster, sets: new Map() });
    return this.all.get(key);
  }
  listOf(memory, chip, cluster, slices) {
    const { sets } = this.of(memory, chip, cluster);
    if (!sets.has(slices)) sets.set(slices, []);
    return sets.get(slices);
  }
  put(t, memory, number) {
    if (!this.lists.has(memory)) this.lists.set(memory, []);
    for (const list of this.lists.get(memory)[number + 1] ??= this.listsOf(memory, number)) if (list[list.length - 1] !== t) list.push(t);
  }
  listsOf(memory, number) {
    const u = this.units[number] ?? this.everywhere;
    if (memory === 'host') return [this.listOf(memory, -1, -1, '')];
    if (memory === 'HBM') return u.chips.map((chip) => this.listOf(memory, chip, -1, ''));
    return u.chips.flatMap((chip) => u.clusters.map((cluster) => this.listOf(memory, chip, cluster, u.slices)));
  }
}

function holdersOf(trace) {
  return (trace.holders ??= new Holders(trace)).all;
}

/// Slices that hold the same tensors are of one kind: [{slices, sets}], where `sets` are numbers of the given ones.
function kindsOf(sets) {
  const bySlice = new Map();
  sets.forEach((text, k) => { for (const s of numbersOf(text)) bySlice.set(s, [...(bySlice.get(s) ?? []), k]); });
  const kinds = new Map();
  for (const [slice, mine] of [...bySlice].sort(([a], [b]) => a - b)) {
    const key = mine.join();
    if (!kinds.has(key)) kinds.set(key, { slices: [], sets: mine });
    kinds.get(key).slices.push(slice);
  }
  return [...kinds.values()];
}

/// Kinds of slices over all memories, as texts, the first slice of each in front.
export function sliceKinds(trace) {
  const texts = [...holdersOf(trace).values()].filter(({ memory }) => !BY_CHIP.has(memory)).flatMap(({ sets }) => [...sets.keys()]);
  return kindsOf([...new Set(texts)]).map(({ slices }) => [slices[0], rangesOf(slices)]);
}

const MOST_KINDS = 64;       // of one memory that are drawn
const FEW_ENOUGH = 500_000;  // tensors times kinds, to look for the fullest kind

function lanesOfHolder(trace, holder, times, slices) {
  const texts = [...holder.sets.keys()];
  const every = (sets) => [...new Set(sets.flatMap((k) => holder.sets.get(texts[k])))];
  if (BY_CHIP.has(holder.memory) || texts.length === 0) return [memoryLane(trace, holder, every(texts.map((_, k) => k)), times)];
  const kinds = kindsOf(texts);
  const laneOf = (kind) => Object.assign(memoryLane(trace, holder, kind ? every(kind.sets) : [], times), { slices: kind ? rangesOf(kind.slices) : String(slices), kinds: kinds.length });
  if (slices === 'all') return kinds.slice(0, MOST_KINDS).map(laneOf);
  if (slices !== '') return [laneOf(kinds.find((kind) => kind.slices.includes(Number(slices))))];
  const needed = neededKinds(kinds, (kind) => every(kind.sets).length);
  if (kinds.length > needed.length && kinds.length * trace.tensors.length <= FEW_ENOUGH) {
    const peaks = new Map(kinds.map((kind) => [kind, laneOf(kind).peak]));
    const fullest = [...kinds].sort((a, b) => peaks.get(b) - peaks.get(a))[0];
    if (needed.every((kind) => peaks.get(kind) < peaks.get(fullest))) needed.push(fullest);
  }
  return needed.sort((a, b) => a.slices[0] - b.slices[0]).slice(0, MOST_KINDS).map(laneOf);
}

/// As few kinds as have every set between them, or nearly so: those with most tensors first.
function neededKinds(kinds, size) {
  const missing = new Set(kinds.flatMap((kind) => kind.sets));
  const chosen = [];
  for (const kind of [...kinds].sort((a, b) => size(b) - size(a))) {
    if (!kind.sets.some((k) => missing.has(k))) continue;
    chosen.push(kind);
    for (const k of kind.sets) missing.delete(k);
  }
  return chosen;
}

function memoryLane(trace, { memory, chip, cluster }, tensors, times) {
  const capacity = trace.capacities.find((c) => c.memory === memory);
  const index = Int32Array.from(tensors).sort((a, b) => times.born[a] - times.born[b] || a - b);
  const of = (field) => Float64Array.from(index, field);
  const lane = {
    memory, chip, cluster, index, capacity: capacity?.bytes ?? 0, perSlice: (capacity?.units ?? 1) > 1, slices: '', kinds: 1,
    born: of((t) => times.born[t]), gone: of((t) => times.gone[t]), begin: of((t) => trace.tensors[t].begin), end: of((t) => trace.tensors[t].end),
  };
  lane.label = cluster >= 0 && trace.geometry.clusters > 1 ? `${memory}, cluster ${cluster}` : memory;
  lane.highest = lane.end.reduce((a, b) => Math.max(a, b), 0);
  [lane.peak, lane.peakAt] = peakOf(lane);
  lane.used = usedRanges(lane);
  const colours = tensorColours(trace);
  lane.colours = Array.from(index, (t) => colours[t]);
  lane.pixels = Uint32Array.from(lane.colours, pixelOf);
  return lane;
}

/// How many bytes some stretches cover together. Stretches come and go; a byte that several of them have counts once.
class Cover {
  constructor(begin, end) {
    this.marks = Float64Array.from(new Set([...begin, ...end])).sort();
    this.leaves = 1;
    while (this.leaves < this.marks.length - 1) this.leaves *= 2;
    this.times = new Int32Array(2 * this.leaves);      // by node: stretches that have all of it, and not all of the node above
    this.covered = new Float64Array(2 * this.leaves);  // by node: bytes
  }
  add(begin, end, by) {
    if (begin < end) this.walk(1, 0, this.leaves, firstAbove(this.marks, begin) - 1, firstAbove(this.marks, end) - 1, by);
    return this.covered[1];
  }
  walk(node, low, high, first, last, by) {
    if (first <= low && high <= last) this.times[node] += by;
    else {
      const middle = (low + high) / 2;
      if (first < middle) this.walk(2 * node, low, middle, first, last, by);
      if (last > middle) this.walk(2 * node + 1, middle, high, first, last, by);
    }
    const at = (i) => this.marks[Math.min(i, this.marks.length - 1)];
    if (this.times[node] > 0) this.covered[node] = at(high) - at(low);
    else this.covered[node] = high - low === 1 ? 0 : this.covered[2 * node] + this.covered[2 * node + 1];
  }
}

/// The most bytes that live at the same time, and when first. What ends at a moment is gone before something else begins. Views of a tensor are no bytes of their own.
function peakOf({ born, gone, begin, end }) {
  const leaving = Uint32Array.from(gone.keys()).sort((a, b) => gone[a] - gone[b]);
  const cover = new Cover(begin, end);
  let [peak, at, left] = [0, 0, 0];
  for (let i = 0; i < born.length; ++i) {  // by the time of their birth
    for (; left < leaving.length && gone[leaving[left]] <= born[i]; ++left) cover.add(begin[leaving[left]], end[leaving[left]], -1);
    const live = cover.add(begin[i], end[i], 1);
    if (live > peak) [peak, at] = [live, born[i]];
  }
  return [peak, at];
}

function usedRanges({ begin, end }) {
  const order = [...begin.keys()].sort((a, b) => begin[a] - begin[b]);
  const used = [];
  for (const i of order) {
    const last = used[used.length - 1];
    if (last && begin[i] <= last[1]) last[1] = Math.max(last[1], end[i]);
    else if (end[i] > begin[i]) used.push([begin[i], end[i]]);
  }
  return used;
}

const FOLD = 3;      // pixels of what no command uses
const LEAST = 4;     // pixels of a used range
const CAPACITY = 6;  // pixels above the highest byte, to the line of the capacity

/// Address to y, from the bottom up, in a lane of that height. Halves of TRF have half of it each.
export function addressScale(lane, height, whole) {
  const top = Math.max(lane.capacity, lane.highest);
  if (whole && top > 0) return (address) => height - address / top * height;
  if (lane.memory !== 'TRF' || !lane.capacity) return foldedScale(lane.used, lane.highest, height);
  const half = top / 2;
  const within = (low) => lane.used.map(([begin, end]) => [Math.max(begin, low) - low, Math.min(end, low + half) - low]).filter(([begin, end]) => begin < end);
  const [lower, upper] = [foldedScale(within(0), half, height / 2), foldedScale(within(half), half, height / 2)];
  return (address) => (address < half ? height / 2 + lower(address) : address === half ? height / 2 : upper(address - half));
}

function foldedScale(used, highest, height) {
  const room = height - CAPACITY;
  if (used.length === 0 || used.length * (FOLD + LEAST) > room) return (address) => height - address / highest * room;
  const folded = used.map(([begin], i) => begin > (i ? used[i - 1][1] : 0));
  const free = room - FOLD * folded.filter(Boolean).length - LEAST * used.length;
  const bytes = used.reduce((sum, [begin, end]) => sum + end - begin, 0);
  const pieces = [];
  let y = 0;
  used.forEach(([begin, end], i) => {
    if (folded[i]) y += FOLD;
    const size = LEAST + free * (end - begin) / bytes;
    pieces.push({ begin, end, y, size });
    y += size;
  });
  return (address) => {
    let piece = pieces[0];
    for (const p of pieces) if (p.begin <= address) piece = p;
    const inside = Math.min(1, Math.max(0, (address - piece.begin) / (piece.end - piece.begin)));
    return height - piece.y - inside * piece.size;
  };
}

/// Fills the pixels of a lane; `out` is width * height of them. Returns the tensors wide and high enough for a name.
export function paintMemory(lane, { from, to, width }, height, yOf, ground, out) {
  out.fill(ground);
  const wide = [];
  const reached = new Int32Array(height + 1).fill(-1);  // by the top of a rectangle: how far to the right one of the same height is painted already
  const reachedBottom = new Int32Array(height + 1);
  const step = (to - from) / width;
  for (let i = 0; i < lane.born.length; ++i) {
    if (lane.born[i] >= to) break;
    if (lane.gone[i] <= from) continue;
    const left = Math.max(0, Math.floor((lane.born[i] - from) / step));
    const right = Math.min(width, Math.max(left + 1, Math.ceil((lane.gone[i] - from) / step)));
    const top = Math.max(0, Math.floor(yOf(lane.end[i])));
    const bottom = Math.min(height, Math.max(top + 1, Math.floor(yOf(lane.begin[i]))));
    if (right - left <= 2 && reached[top] >= right && reachedBottom[top] >= bottom) continue;
    reached[top] = right;
    reachedBottom[top] = bottom;
    const pixel = lane.pixels[i];
    for (let y = top; y < bottom; ++y) out.fill(pixel, y * width + left, y * width + right);
    if (right - left > 3 && bottom - top > 3) wide.push([i, left, right, top, bottom]);
  }
  return wide;
}

export function capacityWords(lane) {
  return `capacity ${lane.capacity ? inBytes(lane.capacity) + (lane.perSlice ? ' per slice' : '') : 'unknown'}`;
}

export function memoryWords(lane) {
  const where = lane.perSlice ? ' per slice' : '';
  const share = lane.capacity ? ` (${(lane.peak * 100 / lane.capacity).toFixed(1)} %)` : '';
  const kind = lane.slices === '' ? '' : `; slice${/[-,]/.test(lane.slices) ? 's' : ''} ${lane.slices}${lane.kinds > 1 ? `: one of ${lane.kinds} kinds of slices` : ''}`;
  return `peak ${inBytes(lane.peak)}${where}${share} at cycle ${withCommas(lane.peakAt)}; ${capacityWords(lane)}${kind}`;
}

export function tensorAtPoint(lane, time, y, yOf) {
  for (let i = lane.born.length; i-- > 0;)
    if (lane.born[i] <= time && time < lane.gone[i] && yOf(lane.end[i]) <= y && y <= Math.max(yOf(lane.begin[i]), yOf(lane.end[i]) + 1)) return lane.index[i];
  return -1;
}
