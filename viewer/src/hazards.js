// Which commands must wait for which, by the bytes that they touch: the scheduler's own rules (src/sched/hazards.cpp and place.cpp) over the ranges of a trace.
//
// The trace's edges are enough as long as no command touches other bytes. A second buffer makes commands touch other bytes, and then all of them are looked at again:
// for each memory and set of units there is a list of segments, each with who wrote it last and who has read it since. What depends on times, waits for a bank of DM, is
// found when commands are placed (banks.js).
//
// A million commands have some five million edges, so edges are numbers in columns, never records, and a segment that is written anew is used again.
import { slotsOf } from './schedule.js';
import { UnitSets } from './unit_sets.js';

const QUEUES = 4;  // main, sub and the two DMA queues: a command belongs to the first of its resources
const ELSEWHERE = 2 ** 45;  // where second halves of buffers lie: beyond every memory

export function queueOf(trace, c) {
  const { at, number } = trace.resources;
  let least = QUEUES;
  for (let k = at[c]; k < at[c + 1]; ++k) if (number[k] < least) least = number[k];
  return least < QUEUES ? least : 0;
}

const COLUMNS = { from: Int32Array, kind: Uint32Array, on: Uint32Array, begin: Float64Array, end: Float64Array };

/// Edges that become more and more, a column a field.
class EdgeColumns {
  constructor(room) {
    Object.assign(this, { room: Math.max(16, room), size: 0 });
    for (const [name, Type] of Object.entries(COLUMNS)) this[name] = new Type(this.room);
  }
  /// Room for so many more.
  reserve(more) {
    if (this.size + more <= this.room) return;
    this.room = (this.size + more) * 2;
    for (const [name, Type] of Object.entries(COLUMNS)) {
      const larger = new Type(this.room);
      larger.set(this[name]);
      this[name] = larger;
    }
  }
  add(kind, from, on, begin, end) {
    const i = this.size++;
    this.kind[i] = kind;
    this.from[i] = from;
    this.on[i] = on;
    this.begin[i] = begin;
    this.end[i] = end;
  }
  done(at) {
    return { at, ...Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, this[name].subarray(0, this.size)])) };
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
    const last = this.at(end);
    if (last > first) this.all.splice(first, last - first);
  }
  /// Where it has been erased, or is a segment already.
  write(begin, end, writer) {
    const i = this.at(begin);
    const same = this.all[i];
    if (same && same.begin === begin && same.end === end) {
      same.writer = writer;
      same.readers.length = 0;
    } else this.all.splice(i, same && same.begin === begin ? 1 : 0, { begin, end, writer, readers: [] });
  }
  isWhole(begin, end) {
    const same = this.all[this.at(begin)];
    return same !== undefined && same.begin === begin && same.end === end;
  }
  read(begin, end, addReader) {
    this.cutAt(begin);
    this.cutAt(end);
    let at = begin;
    for (let i = this.at(begin); at < end; ++i) {
      if (i === this.all.length || this.all[i].begin > at) {  // bytes that no command has touched yet
        const until = i === this.all.length ? end : Math.min(end, this.all[i].begin);
        this.all.splice(i, 0, { begin: at, end: until, writer: -1, readers: [] });
      }
      addReader(this.all[i].readers);
      at = this.all[i].end;
    }
  }
}

/// Bytes that have been touched: stretches that never meet.
class Stretches {
  constructor() {
    this.all = [];
  }
  meets(begin, end) {
    return this.all.some((s) => s.begin < end && begin < s.end);
  }
  covers(begin, end) {
    return this.all.some((s) => s.begin <= begin && end <= s.end);
  }
  add(begin, end) {
    if (this.covers(begin, end)) return;
    const apart = this.all.filter((s) => s.end < begin || end < s.begin);
    const joined = this.all.filter((s) => s.end >= begin && end >= s.begin);
    this.all = [...apart, { begin: Math.min(begin, ...joined.map((s) => s.begin)), end: Math.max(end, ...joined.map((s) => s.end)) }];
  }
}

/// A buffer that is written anew while its last content is still read: contents go to its two halves in turn. A new content begins with a write to bytes that
/// have been read.
class DoubledBuffer {
  constructor({ memory, begin, end, units }) {
    Object.assign(this, { memory, begin, end, units, half: 0, read: new Stretches(), written: new Stretches() });
  }
  holds(memory, units, begin, end) {
    return units === this.units && begin < this.end && this.begin < end && memory === this.memory;
  }
  /// Whether what a command reads is all in the half of this content; bytes that it has not got yet are still in the other.
  reads(begin, end) {
    this.read.add(begin, end);
    return this.written.covers(begin, end);
  }
  halfWritten(begin, end) {
    if (this.read.meets(begin, end)) {
      this.half = 1 - this.half;
      this.read = new Stretches();
      this.written = new Stretches();
    }
    this.written.add(begin, end);
    return this.half;
  }
}

class Hazards {
  constructor(trace, doubled, keepAll) {
    Object.assign(this, { trace, keepAll, sets: new UnitSets(trace), segments: [], buffers: doubled.map((tensor) => new DoubledBuffer(tensor)) });
    this.queue = Uint8Array.from({ length: trace.n }, (_, c) => queueOf(trace, c));
    this.seen = new Int32Array(trace.n).fill(-1);
    this.kinds = Object.fromEntries(['raw', 'war', 'waw', 'resource'].map((kind) => [kind, textNumber(trace, kind)]));
    this.spans = { set: [], on: [], begin: [], end: [], reads: 0, size: 0 };
    this.edges = { kind: [], from: [], on: [], begin: [], end: [], size: 0 };
  }

  of(set) {
    while (this.segments.length <= set) this.segments.push(new Segments());
    return this.segments[set];
  }

  addSpan(set, on, begin, end) {
    const { spans } = this;
    const i = spans.size++;
    spans.set[i] = set;
    spans.on[i] = on;
    spans.begin[i] = begin;
    spans.end[i] = end;
  }
  addSpans(list, c, writes) {
    for (let r = list.at[c]; r < list.at[c + 1]; ++r) {
      const [begin, end, memory, units] = [list.begin[r], list.end[r], list.memory[r], list.units[r]];
      if (begin >= end) continue;
      const set = this.sets.number(memory, units);
      const buffer = this.buffers.length ? this.buffers.find((b) => b.holds(this.trace.texts[memory], units, begin, end)) : undefined;
      if (!buffer) {
        this.addSpan(set, memory, begin, end);
        continue;
      }
      const only = writes ? buffer.halfWritten(begin, end) : buffer.reads(begin, end) ? buffer.half : -1;
      for (let half = 0; half < 2; ++half) if (only < 0 || only === half) this.addSpan(set, memory, begin + half * ELSEWHERE, end + half * ELSEWHERE);
    }
  }

  /// Leaves the edges to command c in `edges`; commands are asked for in program order.
  find(c) {
    const { spans, edges, trace } = this;
    spans.size = edges.size = 0;
    this.addSpans(trace.reads, c, false);
    const reads = spans.size;
    this.addSpans(trace.writes, c, true);
    for (let i = 0; i < spans.size; ++i) this.lookUp(i, i >= reads, c);
    for (let i = 0; i < reads; ++i) this.enterRead(i, c);
    for (let i = reads; i < spans.size; ++i) this.enterWrite(i, c);
  }

  lookUp(i, writes, c) {
    const { set, begin, end } = this.spans;
    for (const met of this.sets.sets[set[i]].meeting) {
      const segments = this.of(met);
      const { all } = segments;
      for (let k = segments.holding(begin[i]); k < all.length && all[k].begin < end[i]; ++k) {
        const s = all[k];
        if (!writes) this.waitFor(s.writer, this.kinds.raw, i, s, c);
        else if (s.readers.length === 0) this.waitFor(s.writer, this.kinds.waw, i, s, c);
        else for (const reader of s.readers) this.waitFor(reader, this.kinds.war, i, s, c);
      }
    }
  }

  waitFor(from, kind, i, segment, c) {
    if (from < 0 || from === c) return;
    const { edges } = this;
    let at = edges.size;
    if (this.keepAll) {
      if (this.seen[from] === c) return;
      this.seen[from] = c;
    } else {
      // Of the commands of one queue the last: it ends after the others.
      for (at = 0; at < edges.size && this.queue[edges.from[at]] !== this.queue[from]; ++at);
      if (at < edges.size && edges.from[at] >= from) return;
    }
    if (at === edges.size) ++edges.size;
    edges.kind[at] = kind;
    edges.from[at] = from;
    edges.on[at] = this.spans.on[i];
    edges.begin[at] = Math.max(this.spans.begin[i], segment.begin) % ELSEWHERE;
    edges.end[at] = Math.min(this.spans.end[i], segment.end) % ELSEWHERE;
  }

  addReader(readers, c) {
    if (!this.keepAll)
      for (let i = 0; i < readers.length; ++i)
        if (this.queue[readers[i]] === this.queue[c]) {
          readers[i] = c;
          return;
        }
    if (readers[readers.length - 1] !== c) readers.push(c);
  }
  enterRead(i, c) {
    const { set, begin, end } = this.spans;
    const segments = this.of(set[i]);
    if (segments.isWhole(begin[i], end[i])) this.addReader(segments.all[segments.at(begin[i])].readers, c);
    else segments.read(begin[i], end[i], (readers) => this.addReader(readers, c));
  }
  enterWrite(i, c) {
    const { set, begin, end } = this.spans;
    const own = this.of(set[i]);
    for (const covered of this.sets.sets[set[i]].covered)
      if (covered !== set[i] || !own.isWhole(begin[i], end[i])) this.of(covered).erase(begin[i], end[i]);
    own.write(begin[i], end[i], c);
  }
}

/// Whether the model takes commands as they become ready.
function takesWhatIsReady(trace) {
  return trace.model === 'planned' || trace.model === 'calibrated';
}

/// All edges of a trace's commands that do not depend on times, with these tensors' buffers doubled, in the form of trace.after. Edges of resources follow from the order
/// of commands, which stays, and are taken over. Needs the blocks `edges` and `ranges`.
export function hazardEdges(trace, doubled) {
  // Where clusters have queues of their own, or commands are taken as they become ready, the last of a queue need not be the one that ends last.
  const hazards = new Hazards(trace, doubled, trace.order.length > 0 || slotsOf(trace).queues > 0 || takesWhatIsReady(trace));
  const { after } = trace;
  const { resource } = hazards.kinds;
  const out = new EdgeColumns(after.from.length);
  const at = new Uint32Array(trace.n + 1);
  for (let c = 0; c < trace.n; ++c) {
    hazards.find(c);
    const { edges } = hazards;
    out.reserve(edges.size + after.at[c + 1] - after.at[c]);
    for (let i = 0; i < edges.size; ++i) out.add(edges.kind[i], edges.from[i], edges.on[i], edges.begin[i], edges.end[i]);
    for (let e = after.at[c]; e < after.at[c + 1]; ++e) if (after.kind[e] === resource) out.add(resource, after.from[e], after.on[e], 0, 0);
    at[c + 1] = out.size;
  }
  return out.done(at);
}

/// The number of a text that may not have been there yet.
export function textNumber(trace, text) {
  const known = trace.texts.indexOf(text);
  return known >= 0 ? known : trace.texts.push(text) - 1;
}
