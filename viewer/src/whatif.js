// What if: commands that cost nothing, edges that do not hold, engines at twice their rate, buffers with a second half.
//
// Changes are kept by what they mean, not by numbers of edges, so that a link to the page restores them. Lengths change by the trace's own account of each engine;
// a second buffer changes what waits for what, so that hazards are looked for again (hazards.js); then the schedule is worked out again.
import { hazardEdges } from './hazards.js';
import { replay } from './schedule.js';

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

/// Needs the blocks `edges` and `parts`, with a doubled buffer `ranges` too.
export function changedSchedule(trace, changes) {
  const after = changes.doubled.size ? hazardEdges(trace, [...changes.doubled].map((t) => trace.tensors[t])) : trace.after;
  return replay({
    n: trace.n, after, length: changedLengths(trace, changes), order: trace.order, dropped: droppedEdges(trace, after, changes.drop),
    former: after === trace.after ? trace.binding : null,
  });
}
