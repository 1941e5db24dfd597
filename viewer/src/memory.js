// Memories as address over time: a rectangle for each tensor, from its first command to its last. DM, TRF and VRF have a lane for each cluster.
//
// Addresses that nothing ever uses are folded to a thin line, because three arrays in 48 GiB would otherwise be three invisible hairs; a switch shows the whole
// memory at one scale instead.
import { inBytes, numbersOf, withCommas } from './words.js';
import { nthColour, pixelOf } from './colours.js';
import { firstAbove } from './lanes.js';

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

export function memoryLanes(trace, schedule) {
  const times = tensorTimes(trace, schedule);
  const groups = new Map();
  const group = (memory, cluster) => {
    const key = `${memory} ${cluster}`;
    if (!groups.has(key)) groups.set(key, { memory, cluster, tensors: [] });
    return groups.get(key);
  };
  for (const { memory } of trace.capacities)
    if (ALWAYS.includes(memory)) for (let u = 0; u < (memory === 'HBM' ? 1 : trace.geometry.clusters); ++u) group(memory, memory === 'HBM' ? -1 : u);
  const clustersOf = trace.units.map((units) => numbersOf(units.clusters));
  trace.tensors.forEach((t, i) => {
    const clusters = t.memory === 'HBM' || t.memory === 'host' || t.units < 0 ? [] : clustersOf[t.units];
    for (const cluster of clusters.length ? clusters : [t.memory === 'HBM' || t.memory === 'host' ? -1 : 0]) group(t.memory, cluster).tensors.push(i);
  });
  return [...groups.values()]
    .sort((a, b) => ORDER.indexOf(a.memory) - ORDER.indexOf(b.memory) || a.cluster - b.cluster)
    .map((group) => memoryLane(trace, group, times));
}

function memoryLane(trace, { memory, cluster, tensors }, times) {
  const capacity = trace.capacities.find((c) => c.memory === memory);
  const index = Int32Array.from(tensors).sort((a, b) => times.born[a] - times.born[b] || a - b);
  const of = (field) => Float64Array.from(index, field);
  const lane = {
    memory, cluster, index, capacity: capacity?.bytes ?? 0, perSlice: (capacity?.units ?? 1) > 1,
    born: of((t) => times.born[t]), gone: of((t) => times.gone[t]), begin: of((t) => trace.tensors[t].begin), end: of((t) => trace.tensors[t].end),
  };
  lane.label = cluster >= 0 && trace.geometry.clusters > 1 ? `${memory}, cluster ${cluster}` : memory;
  lane.highest = lane.end.reduce((a, b) => Math.max(a, b), 0);
  [lane.peak, lane.peakAt] = peakOf(lane);
  lane.used = usedRanges(lane);
  lane.colours = [...index].map((t) => nthColour(t % 24));
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

const FOLD = 3;      // pixels of what nobody uses
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
  return `capacity ${lane.capacity ? inBytes(lane.capacity) + (lane.perSlice ? ' a slice' : '') : 'unknown'}`;
}

export function memoryWords(lane) {
  const where = lane.perSlice ? ' a slice' : '';
  const share = lane.capacity ? ` (${(lane.peak * 100 / lane.capacity).toFixed(1)} %)` : '';
  return `peak ${inBytes(lane.peak)}${where}${share} at cycle ${withCommas(lane.peakAt)}; ${capacityWords(lane)}`;
}

export function tensorAtPoint(lane, time, y, yOf) {
  for (let i = lane.born.length; i-- > 0;)
    if (lane.born[i] <= time && time < lane.gone[i] && yOf(lane.end[i]) <= y && y <= Math.max(yOf(lane.begin[i]), yOf(lane.end[i]) + 1)) return lane.index[i];
  return -1;
}
