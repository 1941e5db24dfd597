// The panels beside the picture, a function a tab: each makes elements from what the page knows.
import { button, cyclesCell, el, pickable, table } from './dom.js';
import { answersOf, edgeReason, gapsOf, pathByResource, pathParts, reasonOf, resourceUse, setsPace, shareText, trialText } from './report.js';
import { partColour, RESOURCE_COLOURS, WAIT_COLOURS, WAIT_WORDS } from './colours.js';
import { bindingEdge } from './schedule.js';
import { edgeKey, hasChanges, plannedChange } from './whatif.js';
import { computes } from './names.js';
import { achievedWords, wholeSum } from './regions.js';
import { paceOf } from './source.js';
import { queryOf } from './search.js';
import { bareCycles, causeWords, cyclesWord, inBytes, inCycles, placeOf, stallWord, withCommas } from './words.js';

const MOST_ROWS = 200;  // of a table; the rest is counted
const LONG_NAME = 40;   // letters of a name in the legend

function more(all) {
  return all.length > MOST_ROWS ? el('p', { class: 'quiet' }, `and ${withCommas(all.length - MOST_ROWS)} more`) : null;
}

function bar(parts, whole) {
  return el('div', { class: 'bar' }, parts.filter((p) => p.cycles > 0).map((p, i) =>
    el('span', { style: `width:${p.cycles * 100 / whole}%;background:${p.colour ?? partColour(p.name, i)}`, title: `${p.name}: ${inCycles(p.cycles)}` })));
}

function parts(list, whole) {
  return table(['', cyclesWord(), ''], list.map((p, i) => [
    el('span', { title: causeWords(p.name) }, el('i', { class: 'swatch', style: `background:${p.colour ?? partColour(p.name, i)}` }), p.name), cyclesCell(p.cycles), shareText(p.cycles, whole)]));
}

function commandLink(page, c) {
  return el('a', { href: '#', 'data-command': c, onclick: (e) => { e.preventDefault(); page.select(c, true); } }, `#${c} ${computes(page.trace, c)?.text ?? page.trace.texts[page.trace.name[c]]} ${placeOf(page.trace, page.trace.source[c])}`);
}

/// The answer itself, before its reasons: what stands before the colon, or what the pattern finds.
function stressed(text, pattern = /^[^:]*(:\d+)?(?=: )/) {
  const [found] = pattern.exec(text) ?? [];
  if (!found) return [text];
  const at = text.indexOf(found);
  return [text.slice(0, at), el('strong', {}, found), text.slice(at + found.length)];
}

export function answersPanel(page) {
  const { trace, schedule } = page;
  const { best } = page.sums();
  const said = answersOf(trace, schedule, page.sums());
  const path = pathParts(trace, schedule);
  const by = pathByResource(trace, schedule).map((r) => ({ name: r.name, cycles: r.critical, colour: RESOURCE_COLOURS.get(r.name) }));
  const whole = wholeSum(trace, schedule);
  const achieved = whole ? achievedWords(trace, whole) : '';
  const rule = trace.findings.find((f) => f.source === page.sums().lines[0]?.source);
  return [
    el('div', { class: 'answer' }, el('h2', {}, 'What bounds this kernel?'), el('p', { id: 'answer-bounds' }, stressed(said.bounds)),
      path.length ? el('p', { class: 'quiet', id: 'answer-cause' }, [by[0]?.name, path[0].name].filter((name) => causeWords(name)).map((name) => `${name}: ${causeWords(name)}.`).join(' ')) : null),
    el('div', { class: 'answer' }, el('h2', {}, 'Which line costs most?'), el('p', { id: 'answer-line' }, stressed(said.line)),
      page.sums().lines[0]?.source >= 0 ? el('p', { class: 'code clamp more', title: trace.sources[page.sums().lines[0].source].text }, trace.sources[page.sums().lines[0].source].text) : null,
      page.sums().lines[0]?.source >= 0 ? button('show its commands', () => page.search(queryOf(trace, page.sums().lines[0].source)), { id: 'show-line' }) : null, ' ',
      rule ? button(`what to write instead (${rule.rule})`, () => page.openTab('findings'), { id: 'show-finding' }) : null),
    el('div', { class: 'answer' }, el('h2', {}, 'What would help most?'), el('p', { id: 'answer-best' }, stressed(said.best, /^[\d,]+ cycles/)),
      tryButton(page, best[0], { id: 'try-best' }), ' ',
      best[0]?.finding >= 0 ? button('the finding', () => page.openTab('findings'), { id: 'best-finding' }) : null,
      best.slice(1).map((trial) => el('p', { class: 'also' }, `Also ${trialText(trial, schedule.makespan)} `, tryButton(page, trial, { class: 'plain' })))),
    achieved ? el('p', { id: 'achieved' }, el('strong', {}, 'Reached: '), `${achieved}. `, button('roofline', () => page.openTab('roofline'), { class: 'plain' })) : null,
    el('h2', {}, `Critical path: ${withCommas(schedule.criticalPath.length)} commands, ${inCycles(schedule.makespan)}`),
    bar(by, schedule.makespan), parts(by, schedule.makespan), bar(path, schedule.makespan), parts(path, schedule.makespan),
    el('h2', {}, 'How busy'),
    table(['', 'busy', 'of the time', 'commands'], resourceUse(trace, schedule).map((r) => [r.name, cyclesCell(r.busy), shareText(r.busy, schedule.makespan), r.commands])),
    ...usageBars(trace), trace.bounds.length ? el('h2', {}, 'No schedule is shorter than') : null,
    trace.bounds.length ? table(['', cyclesWord(), ''], trace.bounds.map((b) => [b.name, cyclesCell(b.cycles), shareText(b.cycles, schedule.makespan)])) : null,
    el('p', { class: 'quiet' }, `${trace.assumptions.length} numbers without a published source take part. Made by ${trace.tool}, timing model ${trace.model}.`),
    ...namedFacts('What the imported file says', trace.facts, 'facts'),
    trace.complete ? null : el('p', { class: 'bad' }, 'The run was interrupted: this is what was done.'),
  ];
}

/// Plans the picture as it would be then; where the page has the parts of the change.
function tryButton(page, trial, attributes) {
  return trial?.possible ? button('try it', () => page.tryPlanned(trial.key), { title: 'show the schedule as it would be', ...attributes }) : null;
}

/// What each of many like units did, a bar each: uneven ones are channels or banks that few addresses meet.
function usageBars(trace) {
  const groups = new Map();
  for (const u of trace.usage) groups.set(u.group, [...(groups.get(u.group) ?? []), u]);
  return [...groups].flatMap(([group, units]) => {
    const most = Math.max(1, ...units.map((u) => u.busy));
    const words = (u) => `${u.name}: ${inCycles(u.busy)} busy, ${inBytes(u.bytes)}, ${withCommas(u.conflicts)} conflicts`;
    return [el('h2', {}, `${group}: ${units.length}, the busiest ${inCycles(most)}`),
      el('div', { class: 'usage' }, units.slice(0, 256).map((u) => el('span', { style: `height:${Math.max(1, u.busy * 40 / most)}px`, title: words(u) })))];
  });
}

export function linesPanel(page) {
  const { trace, schedule } = page;
  const { lines } = page.sums();
  const rows = lines.slice(0, MOST_ROWS).map((l) => pickable(
    [el('div', {}, placeOf(trace, l.source), l.source >= 0 ? el('div', { class: 'code quiet clamp', title: trace.sources[l.source].text }, trace.sources[l.source].text) : null),
      el('div', { class: 'number' }, bareCycles(l.critical), el('div', { class: 'quiet' }, shareText(l.critical, schedule.makespan))), cyclesCell(l.busy), cyclesCell(l.waited), l.commands],
    () => l.source >= 0 && page.search(queryOf(trace, l.source))));
  return [el('p', { class: 'quiet' }, 'Cycles on the critical path, busy, and waited with a free queue, by source line. Enter or click shows its commands.'),
    table(['line', 'critical', 'busy', 'waited', 'commands'], rows, { id: 'lines' }), more(lines)];
}

export function waitsPanel(page) {
  const { trace } = page;
  const { waits } = page.sums();
  const rows = waits.slice(0, MOST_ROWS).map((w) => pickable(
    [el('span', {}, el('i', { class: 'swatch', style: `background:${WAIT_COLOURS.get(w.kind)}` }), `${w.name} at ${placeOf(trace, w.source)} ${w.reason}`), cyclesCell(w.cycles), cyclesCell(w.longest), w.commands.length,
      w.kind === 'start' ? '' : button('what if', (e) => { e.stopPropagation(); page.dropWaits(w); }, { title: 'drop the edges that cause this wait' })],
    () => page.select(w.longestCommand, true)));
  return [el('p', { class: 'quiet' }, 'Times that a queue was free and its next command could not start, by line and reason.'),
    table(['wait', cyclesWord(), 'longest', 'commands', ''], rows, { id: 'waits' }), more(waits)];
}

export function gapsPanel(page) {
  const gaps = gapsOf(page.trace, page.schedule);
  const rows = gaps.map((g) => pickable([g.name, cyclesCell(g.end - g.begin), cyclesCell(g.begin), cyclesCell(g.end), `${g.command >= 0 ? `#${g.command} ` : ''}${g.reason}`], () => {
    page.zoom(g.begin - (g.end - g.begin) / 4, g.end + (g.end - g.begin) / 4);
    if (g.command >= 0) page.select(g.command, false);
  }));
  return [el('p', { class: 'quiet' }, 'The longest hundred times that a resource was idle.'), table(['resource', cyclesWord(), 'from', 'to', 'what ended it'], rows, { id: 'gaps' })];
}

export function findingsPanel(page) {
  const { findings } = page.trace;
  if (findings.length === 0) return [el('p', {}, 'No rule has a finding for this trace.')];
  return findings.map((f, i) => el('div', {}, el('h2', {}, `${f.rule} at ${placeOf(page.trace, f.source)}`), el('p', {}, f.what),
    el('p', {}, el('strong', {}, 'Write instead: '), f.help),
    el('div', { class: 'row' }, el('span', { class: 'quiet' }, `saves ${inCycles(f.gain)}; ${withCommas(f.commands)} command${f.commands === 1 ? '' : 's'}`),
      button('show', () => page.search(`rule:${f.rule}`)), plannedChange(page.trace, `f${i}`)
        ? toggle('what if', page.changes.tried.has(`f${i}`), () => page.change('tried', `f${i}`), { class: 'try-finding', title: 'plan the kernel as if the help were followed' }) : null)));
}

export function commandPanel(page) {
  const { view } = page;
  if (view.selected >= 0) return commandDetails(page, view.selected);
  if (view.tensor >= 0) return tensorDetails(page, view.tensor);
  return [el('p', {}, 'Click a command, a wait or a tensor in the picture; n and p walk along the critical path.')];
}

function commandDetails(page, c) {
  const { trace, schedule } = page;
  const source = trace.source[c] >= 0 ? trace.sources[trace.source[c]] : null;
  const region = trace.region[c] >= 0 ? trace.regions[trace.region[c]] : null;
  const waited = schedule.start[c] - page.since[c];
  const words = computes(trace, c);
  const e = bindingEdge(schedule, c);
  return [
    el('h2', { id: 'command-title' }, `#${c} ${trace.texts[trace.name[c]]}${trace.texts[trace.index[c]] ? `#${trace.texts[trace.index[c]]}` : ''}`, region ? ` in ${region.name}[${region.index}]` : ''),
    words ? el('p', { id: 'command-computes', class: 'code' }, words.text) : null,
    source ? el('p', { id: 'command-source' }, `${source.file}:${source.line}${source.function ? ` in ${source.function}` : ''}`, el('code', { class: 'clamp more', title: source.text }, source.text)) : null,
    el('p', {}, `${cyclesWord()} ${bareCycles(schedule.start[c])} to ${bareCycles(schedule.end[c])}: ${bareCycles(schedule.length[c])}. `,
      schedule.critical[c] ? el('span', { class: 'bad' }, 'On the critical path.') : `Slack ${bareCycles(schedule.slack[c])}.`),
    el('p', { id: 'command-wait' }, waited > 0 ? `Its queue was free for ${inCycles(waited)}, but it ${reasonOf(trace, schedule, c)}. ` : `It started as soon as its queue was free. `,
      e >= 0 ? el('span', {}, 'Bound by ', commandLink(page, schedule.after.from[e]), '.') : null),
    el('div', { class: 'row' }, toggle('as if it cost nothing', page.changes.free.has(c), () => page.change('free', c), { id: 'make-free' }),
      page.model.successors(c).length ? el('span', { class: 'quiet' }, `binds ${page.model.successors(c).length}: `) : null,
      page.model.successors(c).slice(0, 6).map((s) => commandLink(page, s))),
    ...cyclesByCause(page, c), ...rangeTable(page, 'Inputs', trace.reads, c), ...rangeTable(page, 'Outputs', trace.writes, c), ...edgeTable(page, c), ...configuration(page, c), ...facts(trace, c),
  ];
}

function toggle(text, on, action, attributes = {}) {
  return button(`${on ? '\u2713 ' : ''}${text}`, action, { 'aria-pressed': String(on), ...attributes });
}

function cyclesByCause(page, c) {
  const { trace } = page;
  const list = [{ name: 'start-up', cycles: trace.startup[c] }, { name: 'streaming', cycles: trace.streaming[c] }];
  for (let s = trace.stalls.at[c]; s < trace.stalls.at[c + 1]; ++s) list.push({ name: stallWord(trace.texts[trace.stalls.name[s]]), cycles: trace.stalls.cycles[s] });
  const engines = [];
  for (let p = trace.engines.at[c]; p < trace.engines.at[c + 1]; ++p) {
    const name = trace.texts[trace.engines.name[p]];
    engines.push([setsPace(trace, c, p) ? el('strong', {}, `${name} (sets the pace)`) : name, cyclesCell(trace.engines.cycles[p])]);
  }
  return [el('h2', {}, 'Cycles by cause'), bar(list, Math.max(1, trace.length[c])), parts(list, trace.length[c]),
    engines.length ? el('h2', {}, 'What each engine would take alone') : null, engines.length ? table(['engine', cyclesWord()], engines) : null];
}

const MOST_STRETCHES = 3;  // that are written out

/// A row a tensor, however many stretches of it a command touches.
function rangeTable(page, title, list, c) {
  const { trace } = page;
  const byTensor = new Map();
  for (let r = list.at[c]; r < list.at[c + 1]; ++r) {
    const key = list.tensor[r] >= 0 ? list.tensor[r] : `${list.memory[r]}`;
    if (!byTensor.has(key)) byTensor.set(key, []);
    byTensor.get(key).push(r);
  }
  const rows = [...byTensor.values()].map((ranges) => {
    const t = list.tensor[ranges[0]];
    const tensor = t >= 0 ? trace.tensors[t] : null;
    const place = (r) => placeWordsOf(trace, trace.texts[list.memory[r]], ...stretch(list, r, tensor), list.units[r] >= 0 ? trace.units[list.units[r]] : null);
    const rest = ranges.slice(MOST_STRETCHES);
    const last = rest.reduce((most, r) => Math.max(most, list.end[r]), 0);
    return [tensor ? el('a', { href: '#', onclick: (e) => { e.preventDefault(); page.selectTensor(t); } }, tensor.name) : '-',
      el('div', {}, el('div', { class: 'code' }, tensor?.mapping ?? ''), ranges.slice(0, MOST_STRETCHES).map((r) => el('div', { class: 'quiet' }, place(r))),
        rest.length ? el('div', { class: 'quiet' }, `and ${withCommas(rest.length)} more stretches, up to ${withCommas(last)}`) : null)];
  });
  return rows.length ? [el('h2', {}, title), table(['tensor', 'mapping and place'], rows)] : [];
}

/// The bytes of the tensor among those that a command reads: a fetch may take several tensors, with what lies between them.
function stretch(list, r, tensor) {
  const [begin, end] = [Math.max(list.begin[r], tensor?.begin ?? 0), Math.min(list.end[r], tensor?.end ?? Infinity)];
  return begin < end ? [begin, end] : [list.begin[r], list.end[r]];
}

/// HBM has no clusters and no slices; a machine of one chip does not say which.
function placeWordsOf(trace, memory, begin, end, units) {
  const sets = !units ? [] : [['chip', trace.chips > 1 ? units.chips : ''], ['cluster', memory === 'HBM' ? '' : units.clusters], ['slice', memory === 'HBM' ? '' : units.slices]];
  const where = memory === 'host' ? [] : sets.filter(([, set]) => set).map(([name, set]) => `${name}${/[-,]/.test(set) ? 's' : ''} ${set}`);
  return `${memory} ${withCommas(begin)} to ${withCommas(end)}${where.length ? `; ${where.join(', ')}` : ''}`;
}

function edgeTable(page, c) {
  const { trace, schedule } = page;
  const { after } = schedule;
  const rows = [];
  for (let e = after.at[c]; e < after.at[c + 1]; ++e) {
    const key = edgeKey(trace, after, c, e);
    rows.push([e === bindingEdge(schedule, c) ? el('strong', {}, 'binding') : '', el('span', {}, edgeReason(trace, after, c, e), ' ', commandLink(page, after.from[e])), schedule.end[after.from[e]],
      toggle('drop', page.changes.drop.has(key), () => page.change('drop', key), { class: 'drop' })]);
  }
  return rows.length ? [el('h2', {}, 'It comes after'), table(['', 'because it', 'until', ''], rows, { id: 'edges' })] : [];
}

function configuration(page, c) {
  const { trace } = page;
  if (trace.configuration[c] < 0) return [];
  const { stages, settings } = trace.configurations[trace.configuration[c]];
  const rows = (list) => list.map(([name, text, why]) => [name, el('span', {}, el('span', { class: 'code' }, text), why ? el('span', {}, el('br'), el('span', { class: 'quiet' }, why)) : null)]);
  const pace = paceOf(trace, c);
  const staged = stages.map(([name, , , source]) => el('span', {}, name === pace.stage ? el('strong', {}, `${name} (sets the pace)`) : name, source >= 0 ? el('div', { class: 'quiet' }, placeOf(trace, source)) : null));
  const drawn = rows(stages).map((row, i) => [staged[i], ...row.slice(1), button('draw', () => page.openStream(trace.configuration[c], i), { class: 'draw-stream' })]);
  return [stages.length ? el('h2', {}, 'Mappings of the stream, stage by stage') : null, stages.length ? table(['stage', 'stream', ''], drawn) : null,
    settings.length ? el('h2', {}, 'Configuration') : null, settings.length ? table(['engine', 'setting'], rows(settings)) : null];
}

function facts(trace, c) {
  const rows = [];
  for (const list of [trace.dma, trace.pass]) {
    const at = list.at[c];
    if (at === list.at[c + 1]) continue;
    for (const name of Object.keys(list)) {
      if (name === 'at' || name.endsWith('_of') || !list[name][at]) continue;
      const whole = list[`${name}_of`]?.[at];
      rows.push([name.replaceAll('_', ' '), name === 'bytes' || name === 'run' ? inBytes(list[name][at]) : withCommas(list[name][at]) + (whole ? ` of ${withCommas(whole)}` : '') + (list === trace.dma && name === 'engines' ? `: ${trace.texts[trace.engine_set[c]]}` : '')]);
    }
  }
  return rows.length ? [el('h2', {}, 'What it uses'), table(['', ''], rows)] : [];
}

function tensorDetails(page, t) {
  const { trace } = page;
  const tensor = trace.tensors[t];
  const touched = [];
  for (let c = Math.max(0, tensor.first); c <= tensor.last && touched.length < MOST_ROWS; ++c)
    for (const [list, what] of [[trace.reads, 'reads'], [trace.writes, 'writes']])
      if (list.tensor.subarray(list.at[c], list.at[c + 1]).includes(t)) touched.push([what, commandLink(page, c), page.schedule.start[c], page.schedule.end[c]]);
  return [
    el('h2', { id: 'tensor-title' }, `${tensor.name}${tensor.role ? `, ${tensor.role}` : ''}`),
    el('p', { class: 'code' }, tensor.mapping),
    el('p', { id: 'tensor-place' }, `${inBytes(tensor.end - tensor.begin)}: ${tensorPlaces(trace, t).join('; and ')}. `,
      tensor.source >= 0 ? `Made at ${placeOf(trace, tensor.source)}.` : ''),
    el('div', { class: 'row' }, toggle('as if the buffer were double', page.changes.doubled.has(t), () => page.change('doubled', t), { id: 'make-double' }),
      button('show its commands', () => page.search(`tensor:${tensor.name}`)), button('its mapping, cell by cell', () => { page.view.stream = ''; page.openTab('mapping'); }, { id: 'open-mapping' })),
    el('h2', {}, 'Commands that touch it'), table(['', 'command', 'from', 'to'], touched), ...namedFacts('What else its file says', trace.tensor_details[t] ?? [], 'tensor-details'),
  ];
}

/// What an imported file says and we have no other place for.
function namedFacts(title, list, id) {
  return list.length ? [el('h2', {}, title), table(['', ''], list.map(([name, text]) => [name, el('span', { class: 'code' }, text)]), { id })] : [];
}

function tensorPlaces(trace, t) {
  const { memory, begin, end } = trace.tensors[t];
  const { at, units } = trace.tensor_places;
  const all = Array.from(units.subarray(at[t], at[t + 1]), (number) => placeWordsOf(trace, memory, begin, end, trace.units[number]));
  return all.length ? [...new Set(all)] : [placeWordsOf(trace, memory, begin, end, null)];
}

export function whatIfPanel(page) {
  const { trace, changes, schedule } = page;
  const engines = [...new Set(trace.engines.name)].map((i) => trace.texts[i]);
  const lines = [
    ...[...changes.free].map((c) => [el('span', {}, commandLink(page, c), ' costs nothing'), () => page.change('free', c)]),
    ...[...changes.drop].map((key) => {
      const [from, kind, to] = key.split('.');
      return [el('span', {}, commandLink(page, Number(to)), ` does not wait for #${from} (${kind})`), () => page.change('drop', key)];
    }),
    ...[...changes.doubled].map((t) => [`${trace.tensors[t].name} has a second buffer of ${inBytes(trace.tensors[t].end - trace.tensors[t].begin)}`, () => page.change('doubled', t)]),
    ...[...changes.faster].map((name) => [`${name} at twice its rate`, () => page.change('faster', name)]),
    ...[...changes.tried].map((key) => [plannedChange(trace, key).words, () => page.change('tried', key)]),
  ];
  const { best } = page.sums();
  const saved = trace.makespan - schedule.makespan;
  return [
    el('div', { class: 'answer' }, el('h2', {}, 'Makespan'), el('p', { id: 'whatif-result' }, hasChanges(changes)
      ? el('span', {}, `${inCycles(schedule.makespan)} instead of ${withCommas(trace.makespan)}: `,
        el('span', { class: saved > 0 ? 'good' : saved < 0 ? 'bad' : 'quiet' }, saved === 0 ? 'no change' : `${saved > 0 ? '-' : '+'}${withCommas(Math.abs(saved))} (${shareText(Math.abs(saved), trace.makespan)})`))
      : `${inCycles(trace.makespan)}, nothing changed yet.`)),
    best.length ? el('h2', {}, 'What would help most') : null,
    best.length ? table(['', ''], best.map((trial) => [trialText(trial, schedule.makespan), tryButton(page, trial, {}) ?? '']), { id: 'ranked' }) : null,
    el('h2', {}, 'Twice the bandwidth of'),
    el('div', { class: 'row', id: 'engines' }, engines.map((name) => toggle(name, changes.faster.has(name), () => page.change('faster', name), { 'data-engine': name }))),
    el('p', { class: 'quiet' }, 'A command takes as long as its slowest engine; an engine at twice its rate takes half of what it takes alone.'),
    el('h2', {}, 'Changes'),
    lines.length ? table(['', ''], lines.slice(0, MOST_ROWS).map(([text, undo]) => [text, button('undo', undo)]), { id: 'changes' })
      : el('p', {}, 'Select a command to make it free or to drop one of its edges, a tensor to double its buffer; or drop the edges of a wait in the list of waits.'),
    more(lines),
    lines.length ? button('undo all', () => page.undoAll(), { id: 'undo-all' }) : null,
    el('p', { class: 'quiet' }, trace.geometry.bank_limit ? 'The order of commands stays.' : 'The order of commands stays, and so do waits that keep a DM bank free: this trace does not say how commands use banks.'),
  ];
}

function shortened(text) {
  return text.length > LONG_NAME ? `${text.slice(0, LONG_NAME)}\u2026` : text;
}

export function legendOf(page) {
  const used = new Set(page.usedReasons);
  const { legend, more: others = 0 } = page.model.colours;
  const words = page.trace.launches.length ? new Map([...WAIT_WORDS, ['barrier', 'for the launch before']]) : WAIT_WORDS;
  return [...legend.filter(([, word]) => word !== 'launch').map(([colour, word]) => el('span', { title: word }, el('i', { style: `background:${colour}` }), shortened(word))), others > 0 ? el('span', {}, `and ${withCommas(others)} more`) : '',
    el('span', {}, '|'), ...[...WAIT_COLOURS].filter(([kind]) => used.has(kind)).map(([kind, colour]) => el('span', {}, el('i', { class: 'wait', style: `background:${colour}` }), `waits ${words.get(kind)}`)),
    el('span', {}, el('i', { style: 'background:var(--path);height:3px' }), 'on the critical path')];
}
