// Which commands must wait for which, by the bytes that they touch: the scheduler's own rules (src/sched/hazards.cpp and place.cpp) over the ranges of a trace.
//
// The trace's edges are enough as long as nobody touches other bytes. A second buffer makes commands touch other bytes, and then all of them are looked at again:
// for each memory and set of units there is a list of segments, each with who wrote it last and who has read it since. Edges of resources follow from the order;
// edges of starvation need the accesses to each bank, which a trace does not have, and stay as they are recorded.
import { numbersOf } from './words.js';

const QUEUES = 4;  // main, sub and the two DMA queues: a command belongs to the first of its resources
const ELSEWHERE = 2 ** 45;  // where second halves of buffers lie: beyond every memory

function bitsOf(text) {
  return numbersOf(text).reduce((set, i) => set | 1n << BigInt(i), 0n);
}

/// Sets of units, each once. What a memory has only once is left out of account: HBM has no slices, the host has no chips.
class UnitSets {
  constructor(trace) {
    this.units = trace.units.map((u) => ({ chips: bitsOf(u.chips), clusters: bitsOf(u.clusters), slices: bitsOf(u.slices) }));
    this.sets = [];
    this.known = new Map();
    this.byUnits = new Map();
  }

  number(memory, units) {
    const quick = `${memory} ${units}`;
    let known = this.byUnits.get(quick);
    if (known === undefined) this.byUnits.set(quick, known = this.find(memory, units));
    return known;
  }

  find(memory, units) {
    const { chips, clusters, slices } = units < 0 ? { chips: 1n, clusters: 1n, slices: 1n } : this.units[units];
    const once = memory === 'HBM' || memory === 'host';
    const set = { memory, chips: memory === 'host' ? 1n : chips, clusters: once ? 1n : clusters, slices: once ? 1n : slices, meeting: [] };
    const key = `${memory} ${set.chips} ${set.clusters} ${set.slices}`;
    if (this.known.has(key)) return this.known.get(key);
    const made = this.sets.length;
    this.known.set(key, made);
    this.sets.push(set);
    this.sets.forEach((other, s) => {
      if (!this.meet(set, other)) return;
      if (s !== made) other.meeting.push(made);
      set.meeting.push(s);
    });
    return made;
  }

  meet(a, b) {
    return a.memory === b.memory && (a.chips & b.chips) !== 0n && (a.clusters & b.clusters) !== 0n && (a.slices & b.slices) !== 0n;
  }
  covers(a, b) {
    const [x, y] = [this.sets[a], this.sets[b]];
    return (y.chips & ~x.chips) === 0n && (y.clusters & ~x.clusters) === 0n && (y.slices & ~x.slices) === 0n;
  }
}

/// Segments of one set, by address; they never overlap.
class Segments {
  constructor() {
    this.all = [];  // {begin, end, writer, readers}
  }

  /// The first that does not begin before the address.
  at(address) {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.all[middle].begin < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /// The first that ends behind the address.
  holding(address) {
    const i = this.at(address);
    return i > 0 && this.all[i - 1].end > address ? i - 1 : i;
  }
  cutAt(address) {
    const i = this.at(address);
    if (i === 0 || this.all[i - 1].end <= address) return;
    const lower = this.all[i - 1];
    this.all.splice(i, 0, { begin: address, end: lower.end, writer: lower.writer, readers: [...lower.readers] });
    lower.end = address;
  }
  erase(begin, end) {
    this.cutAt(begin);
    this.cutAt(end);
    const first = this.at(begin);
    this.all.splice(first, this.at(end) - first);
  }
  write(begin, end, writer) {
    const i = this.at(begin);
    const segment = { begin, end, writer, readers: [] };
    this.all.splice(i, this.all[i]?.begin === begin ? 1 : 0, segment);
  }
  read(begin, end, addReader) {
    this.cutAt(begin);
    this.cutAt(end);
    let at = begin;
    for (let i = this.at(begin); at < end; ++i) {
      if (i === this.all.length || this.all[i].begin > at) {  // bytes that nobody has touched yet
        const until = i === this.all.length ? end : Math.min(end, this.all[i].begin);
        this.all.splice(i, 0, { begin: at, end: until, writer: -1, readers: [] });
      }
      addReader(this.all[i].readers);
      at = this.all[i].end;
    }
  }
}

/// A buffer that is written anew while its last content is still read: contents go to its two halves in turn. A new content begins with a write to bytes that
/// have been read.
class DoubledBuffer {
  constructor({ memory, begin, end, units }) {
    Object.assign(this, { memory, begin, end, units, half: 0, read: [], written: [] });
  }
  holds(range) {
    return range.memory === this.memory && range.units === this.units && range.begin < this.end && this.begin < range.end;
  }
  /// In which halves a command finds what it reads: bytes that this content has not got yet are still in the other.
  halvesRead(range) {
    this.read.push(range);
    return covered(range, this.written) ? [this.half] : [0, 1];
  }
  halfWritten(range) {
    if (this.read.some((r) => r.begin < range.end && range.begin < r.end)) {
      this.half = 1 - this.half;
      this.read = [];
      this.written = [];
    }
    this.written.push(range);
    return this.half;
  }
}

function covered({ begin, end }, ranges) {
  let at = begin;
  for (const r of [...ranges].sort((a, b) => a.begin - b.begin)) if (r.begin <= at && r.end > at) at = r.end;
  return at >= end;
}

/// Bytes of TRF count within a Row; of the same file, fewer Rows have more bytes each.
function trfRows(trace) {
  const stored = trace.configurations.map((c) => {
    const text = c.settings.find(([name]) => name === 'to_trf')?.[1] ?? '';
    return Number(/^(\d+) rows? of /.exec(text)?.[1] ?? 1);
  });
  return {
    read: (c) => (trace.pass.at[c] < trace.pass.at[c + 1] && trace.pass.rows[trace.pass.at[c]]) || 1,
    written: (c) => (trace.configuration[c] < 0 ? 1 : stored[trace.configuration[c]]),
  };
}

class Hazards {
  constructor(trace, doubled, keepAll) {
    this.trace = trace;
    this.keepAll = keepAll;
    this.sets = new UnitSets(trace);
    this.segments = [];
    this.buffers = doubled.map((tensor) => new DoubledBuffer(tensor));
    this.rows = trfRows(trace);
    this.queue = Uint8Array.from({ length: trace.n }, (_, c) => this.queueOf(c));
    this.seen = new Int32Array(trace.n).fill(-1);
  }

  queueOf(c) {
    const { at, number } = this.trace.resources;
    let least = QUEUES;
    for (let k = at[c]; k < at[c + 1]; ++k) least = Math.min(least, number[k]);
    return least < QUEUES ? least : 0;
  }
  of(set) {
    while (this.segments.length <= set) this.segments.push(new Segments());
    return this.segments[set];
  }

  spans(list, c, rows, writes) {
    const made = [];
    for (let r = list.at[c]; r < list.at[c + 1]; ++r) {
      const memory = this.trace.texts[list.memory[r]];
      const range = { memory, begin: list.begin[r], end: list.end[r], units: list.units[r] };
      if (range.begin >= range.end) continue;
      const buffer = this.buffers.find((b) => b.holds(range));
      const halves = !buffer ? [0] : writes ? [buffer.halfWritten(range)] : buffer.halvesRead(range);
      const times = memory === 'TRF' ? rows : 1;
      for (const half of halves)
        made.push({ set: this.sets.number(memory, range.units), on: list.memory[r], begin: range.begin * times + half * ELSEWHERE, end: range.end * times + half * ELSEWHERE });
    }
    return made;
  }

  /// The edges to command c; commands are asked for in program order.
  edgesTo(c) {
    const edges = [];
    const reads = this.spans(this.trace.reads, c, this.rows.read(c), false);
    const writes = this.spans(this.trace.writes, c, this.rows.written(c), true);
    for (const s of reads) this.lookUp(s, false, c, edges);
    for (const s of writes) this.lookUp(s, true, c, edges);
    for (const s of reads) this.of(s.set).read(s.begin, s.end, (readers) => this.addReader(readers, c));
    for (const s of writes) this.enterWrite(s, c);
    return edges;
  }

  lookUp(span, writes, c, edges) {
    for (const set of this.sets.sets[span.set].meeting) {
      const { all } = this.of(set);
      for (let i = this.of(set).holding(span.begin); i < all.length && all[i].begin < span.end; ++i) {
        const s = all[i];
        const [begin, end] = [Math.max(span.begin, s.begin), Math.min(span.end, s.end)];
        if (!writes) this.waitFor(s.writer, 'raw', span, begin, end, c, edges);
        else if (s.readers.length === 0) this.waitFor(s.writer, 'waw', span, begin, end, c, edges);
        if (writes) for (const reader of s.readers) this.waitFor(reader, 'war', span, begin, end, c, edges);
      }
    }
  }

  waitFor(from, kind, { on }, begin, end, c, edges) {
    if (from < 0 || from === c) return;
    const edge = { kind, from, on, begin, end };
    if (this.keepAll) {
      if (this.seen[from] !== c) edges.push(edge);
      this.seen[from] = c;
      return;
    }
    // Of the commands of one queue the last: it ends after the others.
    const same = edges.findIndex((e) => this.queue[e.from] === this.queue[from]);
    if (same < 0) edges.push(edge);
    else if (edges[same].from < from) edges[same] = edge;
  }

  addReader(readers, c) {
    const same = this.keepAll ? -1 : readers.findIndex((r) => this.queue[r] === this.queue[c]);
    if (same >= 0) readers[same] = c;
    else if (readers[readers.length - 1] !== c) readers.push(c);
  }

  enterWrite(span, c) {
    for (const set of this.sets.sets[span.set].meeting) if (this.sets.covers(span.set, set)) this.of(set).erase(span.begin, span.end);
    this.of(span.set).write(span.begin, span.end, c);
  }
}

/// All edges of a trace's commands, with these tensors' buffers doubled, in the form of trace.after. Needs the blocks `edges`, `ranges` and `facts`.
export function hazardEdges(trace, doubled) {
  const hazards = new Hazards(trace, doubled, trace.order.length > 0);
  const lists = [];
  for (let c = 0; c < trace.n; ++c) lists.push(hazards.edgesTo(c));
  const last = new Int32Array(trace.resources_names.length).fill(-1);
  for (let i = 0; i < trace.n; ++i) {
    const c = trace.order.length ? trace.order[i] : i;
    addResources(trace, c, last, lists[c]);
    addStarvation(trace, c, lists[c]);
  }
  return asColumns(trace, lists);
}

function addResources(trace, c, last, edges) {
  const { at, number } = trace.resources;
  const mine = [...number.subarray(at[c], at[c + 1])].sort((a, b) => a - b);
  mine.forEach((r, k) => {
    // Two commands that share several resources need one edge.
    if (last[r] >= 0 && !mine.slice(0, k).some((before) => last[before] === last[r]))
      edges.push({ kind: 'resource', from: last[r], onName: trace.resources_names[r], begin: 0, end: 0 });
  });
  for (const r of mine) last[r] = c;
}

function addStarvation(trace, c, edges) {
  const { at, kind, from, on, begin, end } = trace.after;
  for (let e = at[c]; e < at[c + 1]; ++e)
    if (trace.texts[kind[e]] === 'starvation') edges.push({ kind: 'starvation', from: from[e], on: on[e], begin: begin[e], end: end[e] });
}

/// The number of a text that may not have been there yet.
export function textNumber(trace, text) {
  const known = trace.texts.indexOf(text);
  return known >= 0 ? known : trace.texts.push(text) - 1;
}

function asColumns(trace, lists) {
  const at = new Uint32Array(trace.n + 1);
  lists.forEach((edges, c) => { at[c + 1] = at[c] + edges.length; });
  const all = lists.flat();
  const numbers = new Map();
  const number = (text) => numbers.get(text) ?? numbers.set(text, textNumber(trace, text)).get(text);
  return {
    at, from: Int32Array.from(all, (e) => e.from), kind: Uint32Array.from(all, (e) => number(e.kind)), on: Uint32Array.from(all, (e) => e.on ?? number(e.onName)),
    begin: Float64Array.from(all, (e) => e.begin % ELSEWHERE), end: Float64Array.from(all, (e) => (e.end % ELSEWHERE)),
  };
}
