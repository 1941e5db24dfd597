// What if: commands that cost nothing, edges that do not hold, engines at twice their rate, buffers with a second half, and what `tcp report --what-if` ranks.
//
// Changes are kept by what they mean, not by numbers of edges, so that a link to the page restores them. Lengths change by the trace's own account of each engine;
// a second buffer changes what waits for what, so that hazards are looked for again (hazards.js); then the schedule is worked out again.
import { bankWatch } from './banks.js';
import { hazardEdges, textNumber } from './hazards.js';
import { hasKind, replay, withEdges } from './schedule.js';

export function noChanges() {
  return { free: new Set(), drop: new Set(), faster: new Set(), doubled: new Set(), tried: new Set() };
}

/// What the tool planned, by its key: "f2" is the third finding, "t0" the best of what else was left out. null: none of that name, or with too many parts for a page.
export function plannedChange(trace, key) {
  const number = Number(key.slice(1));
  const made = key[0] === 'f' ? trace.findings[number] : trace.trials?.best[number];
  if (!made?.lengths) return null;
  return { ...made, words: key[0] === 'f' ? `${made.rule}: as if its help were followed` : made.what };
}

export function keyOfTrial(trace, number) {
  const { finding } = trace.trials.best[number];
  return finding >= 0 ? `f${finding}` : `t${number}`;
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
  if (changes.free.size === 0 && changes.faster.size === 0 && changes.tried.size === 0) return trace.length;
  const length = Float64Array.from(trace.length);
  if (changes.faster.size) for (let c = 0; c < trace.n; ++c) length[c] = fasterLength(trace, c, changes.faster);
  for (const key of changes.tried) {
    const { lengths } = plannedChange(trace, key);
    for (let i = 0; i < lengths.length; i += 2) length[lengths[i]] = Math.min(length[lengths[i]], lengths[i + 1]);
  }
  for (const c of changes.free) length[c] = 0;
  return length;
}

/// Edges that planned changes drop, by their meaning; and by command those that hold in their place.
function plannedEdges(trace, changes) {
  const drop = new Set(changes.drop);
  const more = new Map();
  for (const key of changes.tried) {
    const { dropped } = plannedChange(trace, key);
    for (let i = 0; i < dropped.length; i += 3) {
      const [to, from] = [dropped[i], dropped[i + 2]];
      const e = trace.after.at[to] + dropped[i + 1];
      drop.add(edgeKey(trace, trace.after, to, e));
      if (from >= 0) more.set(to, [...(more.get(to) ?? []), edgeInstead(trace, e, from, to)]);
    }
  }
  return { drop, more };
}

/// Whoever had the resource before; or an earlier command that writes what this one reads.
function edgeInstead(trace, e, from, to) {
  const { after, reads, writes } = trace;
  if (trace.texts[after.kind[e]] === 'resource') return { from, kind: after.kind[e], on: after.on[e], bank: 0, accesses: 0 };
  for (let r = reads.at[to]; r < reads.at[to + 1]; ++r)
    for (let w = writes.at[from]; w < writes.at[from + 1]; ++w) {
      const [begin, end] = [Math.max(reads.begin[r], writes.begin[w]), Math.min(reads.end[r], writes.end[w])];
      if (reads.memory[r] === writes.memory[w] && begin < end) return { from, kind: textNumber(trace, 'raw'), on: reads.memory[r], bank: begin, accesses: end };
    }
  return { from, kind: textNumber(trace, 'raw'), on: after.on[e], bank: after.begin[e], accesses: after.end[e] };
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

/// Needs the blocks `edges` and `parts`, `ranges` and `facts` too where buffers are doubled, planned changes applied or banks watched.
export function changedSchedule(trace, changes) {
  const { drop, more } = changes.tried.size ? plannedEdges(trace, changes) : { drop: changes.drop, more: new Map() };
  const lasting = lastingEdges(trace, changes);
  const dropped = droppedEdges(trace, lasting, drop);
  const { after, dropped: holds } = more.size ? withEdges(lasting, dropped, more) : { after: lasting, dropped };
  const length = changedLengths(trace, changes);
  const watch = trace.reads ? bankWatch(trace, length, (from, to) => drop.size > 0 && drop.has(`${from}.starvation.${to}`)) : null;
  return replay({ n: trace.n, after, length, order: trace.order, dropped: holds, former: changes.doubled.size ? null : trace.binding, watch });
}

/// What would help most, beside what is changed already: the tool's own ranking, or where something is changed, the same things planned on top of it.
export function bestTrials(trace, changes, schedule) {
  const all = (trace.trials?.best ?? []).map((trial, number) => ({ ...trial, number, key: keyOfTrial(trace, number) }));
  for (const trial of all) trial.possible = plannedChange(trace, trial.key) !== null;
  if (!hasChanges(changes)) return all;
  return all.filter((t) => t.possible && !changes.tried.has(t.key)).map((trial) => {
    const { makespan } = changedSchedule(trace, { ...changes, tried: new Set([...changes.tried, trial.key]) });
    return { ...trial, after: makespan, gain: schedule.makespan - makespan };
  }).filter((t) => t.gain > 0).sort((a, b) => b.gain - a.gain);
}
