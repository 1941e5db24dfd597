// The source with its heat: cycles on the critical path beside each line. A pass takes as long as its slowest engine, so its cycles belong to the stage that sets the pace,
// and not to the line with begin().
import { el } from './dom.js';
import { queryOf } from './search.js';
import { paceEngine, shareText } from './report.js';
import { inCycles, withCommas } from './words.js';

/// The engine that does the work of a stage; stages that only set something up have none.
const STAGE_ENGINES = [
  [/^fetch/, 'Fetch'], [/^switch/, 'Switch'], [/^collect/, 'Collect'], [/^(align|contract)/, 'Contraction'], [/^accumulate/, 'Reducer'], [/^vector/, 'Vector'], [/^commit/, 'Commit'], [/^cast/, 'Cast'],
  [/^transpose/, 'Transpose'], [/^to_trf/, 'TRF store'], [/^to_vrf/, 'VRF store'],
];

export function engineOfStage(name) {
  return STAGE_ENGINES.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}

/// By configuration and engine: the line of the stage, and its name. Of several, a contraction is at `contract`, and others at their first.
function stageOf(trace, configuration, engine) {
  if (configuration < 0) return null;
  const { stages } = trace.configurations[configuration];
  const own = stages.filter(([name, , , source]) => engineOfStage(name) === engine && source >= 0);
  return own.find(([name]) => name === 'contract') ?? own[0] ?? null;
}

/// The line that a command's cycles belong to, and the stage; without stages, its own line.
export function paceOf(trace, c) {
  const engine = paceEngine(trace, c);
  const key = `${trace.configuration[c]} ${engine}`;
  const known = trace.paces ??= new Map();
  if (!known.has(key)) known.set(key, stageOf(trace, trace.configuration[c], engine));
  const stage = known.get(key);
  return stage ? { source: stage[3], stage: stage[0], engine } : { source: trace.source[c], stage: '', engine };
}

/// By line: {critical, busy, commands, stages: engine -> cycles}. `alone`: what the engines of its stages would take, each alone.
export function heatOf(trace, schedule) {
  const lines = new Map();
  const lineOf = (source) => {
    if (!lines.has(source)) lines.set(source, { source, critical: 0, busy: 0, alone: 0, commands: 0, engines: new Map() });
    return lines.get(source);
  };
  for (let c = 0; c < trace.n; ++c) {
    const { source, engine, stage } = paceOf(trace, c);
    const line = lineOf(source);
    ++line.commands;
    line.busy += schedule.length[c];
    if (schedule.critical[c]) line.critical += schedule.length[c];
    if (stage) line.engines.set(engine, (line.engines.get(engine) ?? 0) + schedule.length[c]);
    addAlone(trace, c, lineOf);
  }
  return lines;
}

function addAlone(trace, c, lineOf) {
  const configuration = trace.configuration[c];
  if (configuration < 0 || !trace.engines) return;
  const known = trace.aloneLines ??= new Map();
  for (let e = trace.engines.at[c]; e < trace.engines.at[c + 1]; ++e) {
    const key = configuration * 1024 + trace.engines.name[e];
    if (!known.has(key)) known.set(key, stageOf(trace, configuration, trace.texts[trace.engines.name[e]])?.[3] ?? -1);
    const source = known.get(key);
    if (source >= 0) lineOf(source).alone += trace.engines.cycles[e];
  }
}

/// Lines of a file as they are shown: all that the page has of it, else those that the trace names.
function shownLines(trace, file) {
  const known = new Map(trace.sources.map((s, i) => [s.file === file ? s.line : -1, { text: s.text, source: i }]));
  known.delete(-1);
  const all = trace.files[file] ?? [...known].map(([line, { text }]) => [line, text]).sort((a, b) => a[0] - b[0]);
  const indent = Math.min(...all.filter(([, text]) => text.trim()).map(([, text]) => text.length - text.trimStart().length));
  return all.map(([line, text]) => ({ line, text: text.slice(Number.isFinite(indent) ? indent : 0), source: known.get(line)?.source ?? -1 }));
}

const MOST_SHOWN = 1500;

export function sourcePanel(page) {
  const { trace, schedule } = page;
  if (trace.sources.length === 0) return [el('p', {}, 'This trace names no source lines.')];
  const heat = page.heat ??= heatOf(trace, schedule);
  const whole = Math.max(1, schedule.makespan);
  const most = Math.max(1, ...[...heat.values()].map((h) => h.critical));
  const busiest = Math.max(1, ...[...heat.values()].map((h) => h.busy));
  const byFile = new Map();
  trace.sources.forEach(({ file }, i) => byFile.set(file, (byFile.get(file) ?? 0) + (heat.get(i)?.critical ?? 0)));
  const files = [...byFile].sort((a, b) => b[1] - a[1]);
  const staged = trace.configurations.some(({ stages }) => stages.some(([, , , source]) => source >= 0));
  let shown = 0;
  const fileView = ([file, cycles]) => {
    const name = file.split('/').pop();
    let last = 0;
    const lines = shownLines(trace, file);
    const rows = lines.flatMap(({ line, text, source }) => {
      if (++shown > MOST_SHOWN) return [];
      const h = source >= 0 ? heat.get(source) : undefined;
      const gap = last && line > last + 1 ? [el('div', { class: 'gap' }, '\u22ee')] : [];
      last = line;
      const engines = h ? [...h.engines].sort((a, b) => b[1] - a[1]).map(([engine, n]) => `${engine} sets the pace: ${inCycles(n)}`) : [];
      const title = h ? [`${inCycles(h.critical)} on the critical path, ${withCommas(h.busy)} busy`, ...engines, h.alone ? `its engines alone: ${inCycles(h.alone)}` : ''].filter(Boolean).join('\n') : '';
      const row = el('div', { class: `line${h ? ' hot' : ''}${h?.critical === most ? ' hottest' : ''}`, title, tabindex: h ? '0' : undefined, 'data-line': line,
        onclick: () => h && source >= 0 && page.search(queryOf(trace, source)), onkeydown: (e) => { if (e.key === 'Enter' && h) page.search(queryOf(trace, source)); } },
      el('span', { class: 'cycles' }, h?.critical ? shareText(h.critical, whole) : ''),
      el('span', { class: 'heat' }, el('i', { class: 'critical', style: `width:${h ? h.critical * 100 / most : 0}%` }), el('i', { class: 'busy', style: `width:${h ? (h.busy || h.alone) * 100 / busiest : 0}%` })),
      el('span', { class: 'number' }, String(line)), el('code', {}, text));
      return [...gap, row];
    });
    return [el('h2', {}, `${name} `, el('span', { class: 'quiet' }, `${inCycles(cycles)}, ${shareText(cycles, whole)} of the critical path`)),
      lines.some(({ text }) => text) ? null : el('p', { class: 'quiet' }, 'The text of this file was not found when the trace was written: run the program where its sources can be read.'), el('div', { class: 'source', 'data-file': name }, rows)];
  };
  return [el('p', { class: 'quiet' }, staged
    ? 'Share of the critical path by line. The cycles of a pass are at the stage that sets its pace. Upper bar: cycles on the critical path; lower bar: cycles busy, or what the engine would take alone. A click shows the commands.'
    : 'Share of the critical path by line. This trace does not say where the stages of a pass are written: its cycles are at the line of begin(). A click shows the commands.'),
  ...files.flatMap(fileView), shown > MOST_SHOWN ? el('p', { class: 'quiet' }, `and ${withCommas(shown - MOST_SHOWN)} more lines`) : null];
}
