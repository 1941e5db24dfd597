// Where the cycles went, by line, by reason and by resource: the sums of `tcp report`, for any schedule of the same commands.
import { bindingEdge, slotsOf, waitingSince } from './schedule.js';
import { inCycles, placeOf, stallWord, withCommas } from './words.js';

/// "tile[3]" is one of the tiles, "tile[...]".
function familyOf(name) {
  return name.replace(/\[\d+\]$/, '[...]');
}

function tensorAt(trace, list, c, memory, begin, end, many) {
  for (let r = list.at[c]; r < list.at[c + 1]; ++r)
    if (trace.texts[list.memory[r]] === memory && list.begin[r] < end && begin < list.end[r] && list.tensor[r] >= 0) {
      const { name } = trace.tensors[list.tensor[r]];
      return `${many ? familyOf(name) : name} in ${memory}`;
    }
  return `bytes ${begin} to ${end} of ${memory}`;
}

/// Why a command could not start before that edge's end; needs the block `ranges` for names of tensors. `many`: in the name of all commands like it.
export function edgeReason(trace, after, c, e, many = false) {
  const from = after.from[e];
  const kind = trace.texts[after.kind[e]];
  const on = trace.texts[after.on[e]];
  const who = `${trace.texts[trace.name[from]]} at ${placeOf(trace, trace.source[from])}`;
  if (kind === 'barrier' && trace.launches.length) return 'waits until the launch before it has ended';
  if (kind === 'barrier') return `comes after a loop, or a round of one, that is not unrolled, which ends with ${who}`;
  if (kind === 'starvation') return `would hold a bank of DM too long, together with ${who}`;
  if (kind === 'resource') return `needs ${on}, which ${who} occupies`;
  const tensor = trace.reads ? tensorAt(trace, kind === 'raw' ? trace.reads : trace.writes, c, on, after.begin[e], after.end[e], many) : on;
  if (kind === 'raw') return `reads ${tensor}, which ${who} writes`;
  if (kind === 'war') return `writes ${tensor}, which ${who} still reads`;
  return `writes ${tensor}, which ${who} writes before`;
}

export function reasonOf(trace, schedule, c, many = false) {
  const e = bindingEdge(schedule, c);
  return e < 0 ? 'starts with the program' : edgeReason(trace, schedule.after, c, e, many);
}

/// One of raw, war, waw, resource, starvation, barrier, or start.
export function reasonKind(trace, schedule, c) {
  const e = bindingEdge(schedule, c);
  return e < 0 ? 'start' : trace.texts[schedule.after.kind[e]];
}

export function resourceUse(trace, schedule) {
  const all = trace.resources_names.map((name) => ({ name, busy: 0, commands: 0, critical: 0 }));
  const shown = () => all.filter(({ name }) => name !== 'launch');
  const { at, number } = trace.resources;
  for (let c = 0; c < trace.n; ++c)
    for (let k = at[c]; k < at[c + 1]; ++k) {
      const use = all[number[k]];
      use.busy += schedule.length[c];
      ++use.commands;
      if (schedule.critical[c] && k === at[c]) use.critical += schedule.length[c];
    }
  return shown();
}

/// By critical cycles, then busy ones.
export function linesOf(trace, schedule, since = waitingSince(trace, schedule)) {
  const byLine = new Map();
  for (let c = 0; c < trace.n; ++c) {
    if (beginsLaunch(trace, c)) continue;
    const source = trace.source[c];
    let line = byLine.get(source);
    if (!line) byLine.set(source, line = { source, commands: 0, busy: 0, critical: 0, waited: 0, first: c });
    ++line.commands;
    line.busy += schedule.length[c];
    if (schedule.critical[c]) line.critical += schedule.length[c];
    line.waited += schedule.start[c] - since[c];
  }
  return [...byLine.values()].sort((a, b) => b.critical - a.critical || b.busy - a.busy || a.source - b.source);
}

/// Numbers that tell reasons apart before their words are made: a million commands have few reasons.
function reasonKey(trace, schedule, c) {
  const e = bindingEdge(schedule, c);
  if (e < 0) return `${trace.source[c]} ${trace.name[c]}`;
  const { kind, on, from, begin, end } = schedule.after;
  const list = trace.texts[kind[e]] === 'raw' ? trace.reads : trace.writes;
  let tensor = '';
  for (let r = list.at[c]; r < list.at[c + 1]; ++r)
    if (list.memory[r] === on[e] && list.begin[r] < end[e] && begin[e] < list.end[r]) {
      tensor = list.tensor[r] < 0 ? `${begin[e]} ${end[e]}` : list.tensor[r];
      break;
    }
  return `${trace.source[c]} ${trace.name[c]} ${kind[e]} ${on[e]} ${trace.source[from[e]]} ${trace.name[from[e]]} ${tensor}`;
}

/// Commands that only mark where a launch begins, or that wait for nothing else.
export function beginsLaunch(trace, c) {
  if (trace.launches.length === 0) return false;
  trace.markers ??= new Set(trace.launches.map(({ command }) => command));
  return trace.markers.has(c);
}

/// Waits of one line for one reason together. Needs the block `ranges`.
export function waitsOf(trace, schedule, since = waitingSince(trace, schedule)) {
  const byKey = new Map();
  for (let c = 0; c < trace.n; ++c) {
    const cycles = schedule.start[c] - since[c];
    if (cycles <= 0 || beginsLaunch(trace, c)) continue;
    const key = reasonKey(trace, schedule, c);
    let wait = byKey.get(key);
    if (!wait) byKey.set(key, wait = { commands: [], cycles: 0, longest: 0, longestCommand: c });
    wait.commands.push(c);
    wait.cycles += cycles;
    if (cycles > wait.longest) [wait.longest, wait.longestCommand] = [cycles, c];
  }
  return sortedWaits([...byKey.values()].map((wait) => {
    const [c] = wait.commands;
    return { ...wait, source: trace.source[c], name: trace.texts[trace.name[c]], reason: reasonOf(trace, schedule, c, true), kind: reasonKind(trace, schedule, c) };
  }));
}

function sortedWaits(waits) {
  const byText = new Map();
  for (const wait of waits) {
    const key = `${wait.source}\n${wait.name}\n${wait.reason}`;
    const same = byText.get(key);
    if (!same) {
      byText.set(key, wait);
      continue;
    }
    for (const c of wait.commands) same.commands.push(c);
    same.cycles += wait.cycles;
    if (wait.longest > same.longest) [same.longest, same.longestCommand] = [wait.longest, wait.longestCommand];
  }
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return [...byText.values()].sort((a, b) => b.cycles - a.cycles || a.source - b.source || compare(a.name, b.name) || compare(a.reason, b.reason));
}

/// The longest hundred times that a resource stood still.
export function gapsOf(trace, schedule, most = 100) {
  const slots = slotsOf(trace);
  const free = new Float64Array(slots.count);
  const { at, number } = trace.resources;
  let found = [];
  const longer = (a, b) => (b.end - b.begin) - (a.end - a.begin) || a.begin - b.begin || a.resource - b.resource;
  const keepLongest = () => { found = found.sort(longer).slice(0, most); };
  let least = 0;
  for (let i = 0; i < trace.n; ++i) {
    const c = trace.order.length ? trace.order[i] : i;
    if (beginsLaunch(trace, c)) continue;
    for (let k = at[c]; k < at[c + 1]; ++k) {
      const r = number[k];
      const mine = slots.of(c, r);
      const since = mine.reduce((latest, s) => Math.max(latest, free[s]), 0);
      const gap = schedule.start[c] - since;
      if (gap > 0 && gap >= least) found.push({ resource: r, begin: since, end: schedule.start[c], command: c });
      for (const s of mine) if (schedule.end[c] > free[s]) free[s] = schedule.end[c];
    }
    if (found.length > 4 * most) {
      keepLongest();
      least = found[found.length - 1].end - found[found.length - 1].begin;
    }
  }
  for (let r = 0; r < trace.resources_names.length; ++r) {
    if (trace.resources_names[r] === 'launch') continue;
    const last = free.reduce((latest, at_, s) => (slots.resourceOf(s) === r ? Math.max(latest, at_) : latest), 0);
    if (last > 0 && last < schedule.makespan) found.push({ resource: r, begin: last, end: schedule.makespan, command: -1 });
  }
  keepLongest();
  return found.map((g) => ({ ...g, name: trace.resources_names[g.resource], reason: g.command < 0 ? 'nothing is left to do' : reasonOf(trace, schedule, g.command) }));
}

/// Cycles of the critical path by what they went into; of commands whose length was changed, all that is left counts as streaming.
export function pathParts(trace, schedule) {
  const sums = new Map();
  const add = (name, cycles) => cycles && sums.set(name, (sums.get(name) ?? 0) + cycles);
  for (const c of schedule.criticalPath) {
    if (schedule.length[c] !== trace.length[c]) {
      add('streaming', schedule.length[c]);
      continue;
    }
    add('start-up', trace.startup[c]);
    add('streaming', trace.streaming[c]);
    for (let s = trace.stalls.at[c]; s < trace.stalls.at[c + 1]; ++s) add(stallWord(trace.texts[trace.stalls.name[s]]), trace.stalls.cycles[s]);
  }
  return [...sums].map(([name, cycles]) => ({ name, cycles })).sort((a, b) => b.cycles - a.cycles);
}

export function pathByResource(trace, schedule) {
  return resourceUse(trace, schedule).filter((r) => r.critical > 0).sort((a, b) => b.critical - a.critical);
}

/// Which edges to drop so that these commands start as soon as their queue is free.
export function edgesOfWaits(schedule, commands, since) {
  const edges = [];
  for (const c of commands)
    for (let e = schedule.after.at[c]; e < schedule.after.at[c + 1]; ++e)
      if (!schedule.dropped?.[e] && schedule.end[schedule.after.from[e]] > since[c]) edges.push(e);
  return edges;
}

/// Whether an engine of a command takes as long as the slowest one.
export function setsPace(trace, c, p) {
  for (let other = trace.engines.at[c]; other < trace.engines.at[c + 1]; ++other) if (trace.engines.cycles[other] > trace.engines.cycles[p]) return false;
  return trace.engines.cycles[p] > 0;
}

/// The engine that sets the pace of a command. Of several that take as long, the one that multiplies: the others only keep up with it.
export function paceEngine(trace, c) {
  if (trace.engines)
    for (let p = trace.engines.at[c]; p < trace.engines.at[c + 1]; ++p) if (trace.texts[trace.engines.name[p]] === 'Contraction' && setsPace(trace, c, p)) return 'Contraction';
  return trace.texts[trace.slowest[c]] ?? '';
}

/// Where another engine than the fetch is the slowest: which of them for most of the path's cycles.
function pacemaker(trace, schedule, cause) {
  if (cause !== 'slowest engine') return '';
  const sums = new Map();
  for (const c of schedule.criticalPath) sums.set(paceEngine(trace, c), (sums.get(paceEngine(trace, c)) ?? 0) + schedule.length[c]);
  const [engine] = [...sums].sort((a, b) => b[1] - a[1])[0];
  return engine ? `: the ${engine} sets the pace` : '';
}

export function shareText(part, whole) {
  return whole > 0 ? `${(part * 100 / whole).toFixed(1)}\u00a0%` : '-';
}

function lessBy(cycles, whole) {
  if (cycles === 0) return 'no change';
  return cycles * 2000 < whole ? 'less than 0.1\u00a0% of it' : `-${shareText(cycles, whole)}`;
}

/// The three questions that a page answers first, in sentences. `best` is what bestTrials gives.
export function answersOf(trace, schedule, { lines, best }) {
  const cycles = inCycles;
  const share = (n) => shareText(n, schedule.makespan);
  const [first] = pathByResource(trace, schedule);
  const [cause] = pathParts(trace, schedule);
  const bound = trace.bounds.reduce((a, b) => (b.cycles > (a?.cycles ?? -1) ? b : a), null);
  const line = lines[0];
  return {
    bounds: first
      ? `${first.name}: ${cycles(first.critical)} of the ${withCommas(schedule.makespan)} (${share(first.critical)}) on the critical path. `
        + `Most of the path is ${cause.name === 'slowest engine' ? 'work of passes' : cause.name}, ${cycles(cause.cycles)} (${share(cause.cycles)})${pacemaker(trace, schedule, cause.name)}.`
        + (bound && schedule.makespan >= bound.cycles ? ` No order of these commands takes less than ${cycles(bound.cycles)} (${bound.name}).` : '')
      : 'Nothing: no command takes any time.',
    line: line
      ? `${placeOf(trace, line.source)}: ${cycles(line.critical)} (${share(line.critical)}) on the critical path, in ${withCommas(line.commands)} command${line.commands === 1 ? '' : 's'}.`
      : 'None: there is no command.',
    best: best.length
      ? `${cycles(best[0].after)} instead of ${withCommas(schedule.makespan)} (${lessBy(best[0].gain, schedule.makespan)}): ${best[0].what}.`
      : 'Nothing that was tried: no wait, buffer, engine, stall or finding makes it shorter when it is left out.',
  };
}

/// "-1.4 %: main at gemm.cpp:25 need not wait", for a list of what else helps.
export function trialText(trial, whole) {
  const [head] = trial.kind === 'finding' || trial.kind === 'wait' ? trial.what.split(/: (?=[a-z])/) : [trial.what];
  return `${lessBy(trial.gain, whole)}: ${head}`;
}
