// Two traces of one kernel: lanes above each other on one axis of time, and the differences as `tcp diff` finds them.
import { cyclesCell, el, pickable, table } from './dom.js';
import { colouring } from './colours.js';
import { lanesOf } from './lanes.js';
import { memoryLanes } from './memory.js';
import { labelOf, shortLabelOf } from './names.js';
import { reasonKind } from './report.js';
import { recorded, waitingSince } from './schedule.js';
import { withCommas } from './words.js';

/// The earlier trace as the stage draws it.
export function otherModel(trace, colour, slices) {
  const schedule = recorded(trace);
  return {
    trace, schedule, since: waitingSince(trace, schedule), lanes: lanesOf(trace, schedule), memories: memoryLanes(trace, schedule, slices), colours: colouring(trace, schedule, colour), matched: null,
    reason: (c) => reasonKind(trace, schedule, c), label: (c) => labelOf(trace, c), name: (c) => shortLabelOf(trace, c),
  };
}

/// Each lane of the shown trace with the same one of the earlier below it, unless both are empty. What only the earlier has, queues of another timing model, follows its
/// resource.
export function interleaved(lanes, other, list) {
  const key = (lane) => `${lane.chip} ${lane.label} ${lane.slices ?? ''}`;
  const rest = new Map(other[list].map((lane) => [key(lane), lane]));
  const before = (lane) => ({ ...rest.get(key(lane)), label: 'before', of: other });
  const shown = (lane) => rest.has(key(lane)) && (lane.index.length > 0 || rest.get(key(lane)).index.length > 0);
  const labels = new Set(lanes.map(key));
  const gone = other[list].filter((lane) => !labels.has(key(lane)) && lane.index.length > 0);
  const same = (a, b) => a !== undefined && a.chip === b.chip && (list === 'lanes' ? a.resource >= 0 && a.resource === b.resource : a.memory === b.memory && a.cluster === b.cluster);
  const onlyBefore = (lane, k) => (same(lanes[k + 1], lane) ? [] : gone.filter((g) => same(g, lane)))
    .map((g) => ({ ...g, label: g.label.replace(/^[^,]*/, 'before'), of: other }));
  return lanes.flatMap((lane, k) => [lane, ...(shown(lane) ? [before(lane)] : []), ...onlyBefore(lane, k)]);
}

function signed(n) {
  return el('span', { class: n > 0 ? 'bad' : n < 0 ? 'good' : 'quiet' }, `${n > 0 ? '+' : ''}${withCommas(n)}`);
}

function countWords(line) {
  const words = [['appeared', 'new'], ['vanished', 'gone'], ['changed', 'changed duration'], ['moved', 'moved']].filter(([key]) => line[key]).map(([key, word]) => `${withCommas(line[key])} ${word}`);
  return words.join(', ') || 'as before';
}

/// Where a trace was imported: what the two say of each call, in place of lines that changed.
function callTable(page, diff) {
  const ratio = (c) => (c.busy_before > 0 && c.commands_after > 0 ? (c.busy_after / c.busy_before).toFixed(2) : '-');
  const rows = diff.commands.map((c) => pickable([el('div', {}, `${c.name} ${c.at}`, el('div', { class: 'code quiet clamp', title: c.text ?? '' }, c.text ?? '')),
    c.commands_before ? cyclesCell(c.busy_before) : '-', c.commands_after ? cyclesCell(c.busy_after) : '-', ratio(c)], () => page.search(`at:${c.at}`)));
  return [el('h2', {}, 'By call'), el('p', { class: 'quiet' }, 'Cycles, all rounds of a loop together. The lower of two lanes is the earlier trace.'),
    table(['call', diff.name_before, diff.name_after, 'ratio'], rows, { id: 'diff-calls' })];
}

export function comparePanel(page) {
  const { diff } = page.other;
  const of = (x, name) => x[name] ?? 0;
  const lines = (diff.lines ?? []).map((l) => pickable([el('div', {}, l.at, el('div', { class: 'code quiet clamp', title: l.text ?? '' }, l.text ?? '')), signed(of(l, 'critical_after') - of(l, 'critical_before')),
    signed(of(l, 'busy_after') - of(l, 'busy_before')), countWords(l)], () => page.search(`at:${l.at}`)));
  return [
    el('div', { class: 'answer' }, el('h2', {}, 'Before and after'), el('p', { id: 'verdict' }, diff.verdict), (diff.remarks ?? []).map((r) => el('p', { class: 'quiet' }, r))),
    el('h2', {}, 'By resource'),
    table(['', 'busy before', 'after', '', 'commands', 'after'], (diff.resources ?? []).map((r) => [r.name, of(r, 'busy_before'), of(r, 'busy_after'), signed(of(r, 'busy_after') - of(r, 'busy_before')),
      of(r, 'commands_before'), of(r, 'commands_after')]), { id: 'diff-resources' }),
    ...(diff.commands?.length ? callTable(page, diff) : [
      el('h2', {}, 'By source line'),
      el('p', { class: 'quiet' }, 'Cycles more or less, and what became of the commands. The lower of two lanes is the earlier trace.'),
      table(['line', 'critical', 'busy', 'commands'], lines, { id: 'diff-lines' }),
    ]),
  ];
}
