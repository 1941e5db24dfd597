// When commands run: as the trace says, and as it would be with other lengths or without some edges.
//
// A command starts when all that it comes after have ended, and no bank of DM would be held too long (banks.js). This is trace::replay of the library
// (src/trace/replay.cpp) and its scheduler (src/sched/place.cpp); the tests run all of them.
import { numbersOf } from './words.js';

/// What a trace's own times are, in the form that replay gives.
export function recorded(trace) {
  const { n } = trace;
  const start = Float64Array.from(trace.start);
  const end = new Float64Array(n);
  const critical = new Uint8Array(n);
  for (let c = 0; c < n; ++c) end[c] = start[c] + trace.length[c];
  for (const c of trace.critical_path) critical[c] = 1;
  return {
    start, end, critical, length: trace.length, slack: trace.slack, binding: Int32Array.from(trace.binding), makespan: trace.makespan,
    criticalPath: Int32Array.from(trace.critical_path), after: trace.after, dropped: null, watched: trace.geometry.bank_limit > 0 && hasKind(trace, 'starvation'),
  };
}

/// Whether any edge of the trace is of that kind.
export function hasKind(trace, word) {
  const kind = trace.texts.indexOf(word);
  return kind >= 0 && trace.after.kind.includes(kind);
}

/// `after` are edges by command ({at, from, ...}); `length` the cycles of each command; `dropped`, where given, has a 1 for each edge that does not hold;
/// `former` the binding edges that stay so if another ends at the same time; `watch` says whom a command must wait for beyond its edges, and keeps these.
export function replay({ n, after, length, order, dropped = null, former = null, watch = null }) {
  const start = new Float64Array(n);
  const end = new Float64Array(n);
  const binding = new Int32Array(n).fill(-1);
  let makespan = 0;
  const taken = order && order.length ? order : null;
  for (let i = 0; i < n; ++i) {
    const c = taken ? taken[i] : i;
    const kept = former ? former[c] : -1;
    let begin = 0;
    let bound = -1;
    for (let e = after.at[c], k = 0; e < after.at[c + 1]; ++e, ++k) {
      if (dropped && dropped[e]) continue;
      const free = end[after.from[e]];
      if (free < begin || (free === begin && k !== kept)) continue;
      begin = free;
      bound = k;
    }
    start[c] = begin;
    binding[c] = bound;
    if (watch) watched(watch, c, start, end, binding, after);
    end[c] = start[c] + length[c];
    if (end[c] > makespan) makespan = end[c];
  }
  const made = { start, end, binding, makespan, length, ...withMore(after, dropped, watch), watched: watch !== null };
  made.slack = slacks(made, taken, n);
  addPath(made, n);
  return made;
}

/// Moves the start of a command behind all that would hold a bank too long together with it.
function watched(watch, c, start, end, binding, after) {
  const found = [];
  for (let edge; (edge = watch.inTheWay(c, start[c], start, end));) {
    start[c] = end[edge.from];
    binding[c] = after.at[c + 1] - after.at[c] + found.push(edge) - 1;
  }
  if (found.length) watch.edges.set(c, found);
  watch.enter(c);
}

/// Edges, with those that a watch has found behind the others of their command.
function withMore(after, dropped, watch) {
  if (!watch || watch.edges.size === 0) return { after, dropped };
  return withEdges(after, dropped, watch.edges, watch.kind, watch.dm);
}

/// `more` by command: [{from, bank, accesses}], each of its own kind or of that which is given.
export function withEdges(after, dropped, more, kind, on) {
  const n = after.at.length - 1;
  const size = after.from.length + [...more.values()].reduce((sum, edges) => sum + edges.length, 0);
  const made = { at: new Uint32Array(n + 1), from: new Int32Array(size), kind: new Uint32Array(size), on: new Uint32Array(size), begin: new Float64Array(size), end: new Float64Array(size) };
  const madeDropped = dropped && new Uint8Array(size);
  let to = 0;
  for (let c = 0; c < n; ++c) {
    for (let e = after.at[c]; e < after.at[c + 1]; ++e, ++to) {
      for (const column of ['from', 'kind', 'on', 'begin', 'end']) made[column][to] = after[column][e];
      if (dropped) madeDropped[to] = dropped[e];
    }
    for (const edge of more.get(c) ?? []) {
      [made.from[to], made.kind[to], made.on[to], made.begin[to], made.end[to]] = [edge.from, edge.kind ?? kind, edge.on ?? on, edge.bank, edge.accesses];
      ++to;
    }
    made.at[c + 1] = to;
  }
  return { after: made, dropped: madeDropped };
}

/// Backwards: a command may end as late as all that come after it may start.
function slacks({ start, end, makespan, after, dropped }, taken, n) {
  const slack = new Float64Array(n);
  for (let c = 0; c < n; ++c) slack[c] = makespan - end[c];
  for (let i = n; i-- > 0;) {
    const c = taken ? taken[i] : i;
    const latest = start[c] + slack[c];
    for (let e = after.at[c]; e < after.at[c + 1]; ++e) {
      if (dropped && dropped[e]) continue;
      const from = after.from[e];
      if (latest - end[from] < slack[from]) slack[from] = latest - end[from];
    }
  }
  return slack;
}

/// From the first command that ends with the program, back along binding edges.
function addPath(made, n) {
  made.critical = new Uint8Array(n);
  const path = [];
  let at = made.end.indexOf(made.makespan);
  while (at >= 0) {
    made.critical[at] = 1;
    path.push(at);
    at = made.binding[at] < 0 ? -1 : made.after.from[made.after.at[at] + made.binding[at]];
  }
  made.criticalPath = Int32Array.from(path.reverse());
}

/// The edge that set the start of a command, as a number into `after`; -1: it starts with the program.
export function bindingEdge(schedule, c) {
  return schedule.binding[c] < 0 ? -1 : schedule.after.at[c] + schedule.binding[c];
}

const MOST_QUEUES = 1024;

/// The tensor DMA may have a queue for each cluster. Slots count queues: the first of each resource has its number, the others follow behind all resources.
export class Slots {
  constructor(trace) {
    const dma = trace.resources_names.indexOf('tensor DMA');
    const resources = trace.resources_names.length;
    Object.assign(this, { dma, count: resources, queues: 0 });
    this.bySet = new Map([...new Set(trace.queues)].map((text) => {
      const numbers = numbersOf(trace.texts[text]).filter((q) => q < MOST_QUEUES);
      this.queues = Math.max(this.queues, ...numbers.map((q) => q + 1), 0);
      return [text, numbers.length ? numbers.map((q) => (q === 0 ? dma : resources + q - 1)) : [dma]];
    }));
    this.count = resources + Math.max(0, this.queues - 1);
    this.alone = Array.from({ length: resources }, (_, r) => [r]);
    this.trace = trace;
  }
  /// The slots of a command's resource r.
  of(c, r) {
    return r === this.dma && this.queues ? this.bySet.get(this.trace.queues[c]) : this.alone[r];
  }
  resourceOf(slot) {
    return slot < this.alone.length ? slot : this.dma;
  }
}

export function slotsOf(trace) {
  return trace.slots ??= new Slots(trace);
}

/// Since when the queue of each command stood free before it started; its own start where it did not wait.
export function waitingSince(trace, schedule) {
  const since = new Float64Array(trace.n);
  const slots = slotsOf(trace);
  const free = new Float64Array(slots.count);
  const { at, number } = trace.resources;
  for (let i = 0; i < trace.n; ++i) {
    const c = trace.order.length ? trace.order[i] : i;
    let own = 0;
    for (const s of slots.of(c, number[at[c]])) if (free[s] > own) own = free[s];
    since[c] = Math.min(own, schedule.start[c]);
    for (let k = at[c]; k < at[c + 1]; ++k) for (const s of slots.of(c, number[k])) if (schedule.end[c] > free[s]) free[s] = schedule.end[c];
  }
  return since;
}
