// What if: commands that cost nothing, edges that do not hold, engines at twice their rate, buffers with a second half.
//
// Changes are kept by what they mean, not by numbers of edges, so that a link to the page restores them. Lengths change by the trace's own account of each engine;
// a second buffer changes what waits for what, so that hazards are looked for again (hazards.js); then the schedule is worked out again.
import { bankWatch } from './banks.js';
import { hazardEdges, textNumber } from './hazards.js';
import { hasKind, replay, withEdges } from './schedule.js';

export function noChanges() {
  return { free: new Set(), drop: new Set(), faster: new Set(), doubled: new Set() };
}

export function hasChanges(changes) {
  return Object.values(changes).some((set) => set.size > 0);
}

/// An edge by its meaning.
export function edgeKey(trace, after, to, e) {
  return `${after.from[e]}.${trace.texts[after.kind[e]]}.${to}`;
}

/// What a command would take with some engines at twice their rate: its slowest engine sets the pace, and all engines but one hide behind it.
export function fasterLength(trace, c, faster) {
  let before = 0;
  let now = 0;
  for (let p = trace.engines.at[c]; p < trace.engines.at[c + 1]; ++p) {
    const cycles = trace.engines.cycles[p];
    before = Math.max(before, cycles);
    now = Math.max(now, faster.has(trace.texts[trace.engines.name[p]]) ? Math.ceil(cycles / 2) : cycles);
  }
  return trace.length[c] - Math.min(trace.length[c], before - now);
}

export function changedLengths(trace, changes) {
  if (changes.free.size === 0 && changes.faster.size === 0) return trace.length;
  const length = Float64Array.from(trace.length);
  if (changes.faster.size) for (let c = 0; c < trace.n; ++c) length[c] = fasterLength(trace, c, changes.faster);
  for (const c of changes.free) length[c] = 0;
  return length;
}

function droppedEdges(trace, after, drop) {
  if (drop.size === 0) return null;
  const dropped = new Uint8Array(after.from.length);
  for (const key of drop) {
    const to = Number(key.slice(key.lastIndexOf('.') + 1));
    for (let e = after.at[to]; e < after.at[to + 1]; ++e) if (edgeKey(trace, after, to, e) === key) dropped[e] = 1;
  }
  return dropped;
}

/// The trace's edges without those that depend on times, which are found again; and these, by command.
function takenApart(trace) {
  if (trace.takenApart) return trace.takenApart;
  const more = new Map();
  if (!hasKind(trace, 'starvation')) return trace.takenApart = { plain: trace.after, more };
  const { at, from, begin, end, kind } = trace.after;
  const starvation = trace.texts.indexOf('starvation');
  const kept = [];
  const plainAt = new Uint32Array(trace.n + 1);
  for (let c = 0; c < trace.n; ++c) {
    for (let e = at[c]; e < at[c + 1]; ++e) {
      if (kind[e] !== starvation) kept.push(e);
      else more.set(c, [...(more.get(c) ?? []), { from: from[e], bank: begin[e], accesses: end[e] }]);
    }
    plainAt[c + 1] = kept.length;
  }
  const column = (name) => Float64Array.from(kept, (e) => trace.after[name][e]);
  const plain = { at: plainAt, from: Int32Array.from(kept, (e) => from[e]), kind: column('kind'), on: column('on'), begin: column('begin'), end: column('end') };
  return trace.takenApart = { plain, more };
}

/// The edges that hold whatever the times. Where the trace does not say how commands use banks, waits for these stay as they are recorded.
function lastingEdges(trace, changes) {
  const { plain, more } = takenApart(trace);
  const after = changes.doubled.size ? hazardEdges(trace, [...changes.doubled].map((t) => trace.tensors[t])) : plain;
  if (trace.geometry.bank_limit || more.size === 0) return after;
  return changes.doubled.size ? withEdges(after, null, more, textNumber(trace, 'starvation'), textNumber(trace, 'DM')).after : trace.after;
}

/// Needs the blocks `edges` and `parts`, `ranges` and `facts` too where buffers are doubled or banks watched.
export function changedSchedule(trace, changes) {
  const after = lastingEdges(trace, changes);
  const length = changedLengths(trace, changes);
  const watch = trace.reads ? bankWatch(trace, length, (from, to) => changes.drop.size > 0 && changes.drop.has(`${from}.starvation.${to}`)) : null;
  return replay({
    n: trace.n, after, length, order: trace.order, dropped: droppedEdges(trace, after, changes.drop), former: changes.doubled.size ? null : trace.binding, watch,
  });
}

/// The schedule without some edges of another.
export function withoutEdges(trace, changes, schedule, edges) {
  if (schedule.watched) {
    const drop = new Set(changes.drop);
    const to = new Map();
    for (let c = 0; c < trace.n; ++c) for (let e = schedule.after.at[c]; e < schedule.after.at[c + 1]; ++e) to.set(e, c);
    for (const e of edges) drop.add(edgeKey(trace, schedule.after, to.get(e), e));
    return changedSchedule(trace, { ...changes, drop });
  }
  const dropped = Uint8Array.from(schedule.dropped ?? new Uint8Array(schedule.after.from.length));
  for (const e of edges) dropped[e] = 1;
  return replay({ n: trace.n, after: schedule.after, length: schedule.length, order: trace.order, dropped });
}
