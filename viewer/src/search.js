// Which commands a query means. Words are joined by "and"; each is looked for in what people know a command by:
// its name, its line as file:line, the text of the line, its tensors, the axes of its mappings, rules that have something to say about its line, and kinds of waits.
// A word with a blank in it stands in quotes.
//   name:dma  at:gemm.tcp:12  axis:K  tensor:tile  rule:partial-writes  stall:dmn  wait:raw  chip:1  critical  -critical

const SEARCH_KEYS = ['name', 'at', 'axis', 'tensor', 'rule', 'stall', 'wait', 'function', 'region', 'cluster', 'chip'];

function parsed(query) {
  return (query.match(/-?(\w+:)?"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/"([^"]*)"$/, '$1')).filter(Boolean).map((word) => {
    const not = word.startsWith('-') && word.length > 1;
    const plain = not ? word.slice(1) : word;
    const colon = plain.indexOf(':');
    const key = colon > 0 && SEARCH_KEYS.includes(plain.slice(0, colon)) ? plain.slice(0, colon) : '';
    return { not, key, value: (key ? plain.slice(colon + 1) : plain).toLowerCase() };
  });
}

/// "gemm.cpp:12" is that line and not 120, of that file and not of another whose name ends so; without a number, any part of the path.
function isPlace(value) {
  const [, file, line] = /^(.*):(\d+)$/.exec(value) ?? [];
  if (line === undefined) return (s) => `${s.file}:${s.line}`.toLowerCase().includes(value);
  const isFile = file.includes('.') ? (path) => path.endsWith(`/${file}`) : (path) => path.includes(file);
  return (s) => s.line === Number(line) && isFile(`/${s.file.toLowerCase()}`);
}

/// Whether the word means an entry, for each entry of each table: a million commands share few lines, tensors and configurations.
function tablesFor(trace, value) {
  const has = (text) => text.toLowerCase().includes(value);
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const axis = new RegExp(`(^|[^\\w])${escaped}([^\\w]|$)`, 'i');
  const inMapping = (text) => (text.match(/\[[^\]]*\]/g) ?? []).some((m) => axis.test(m.replace('m!', '')));
  return {
    text: trace.texts.map(has),
    place: trace.sources.map(isPlace(value)),
    line: trace.sources.map((s) => has(s.text) || has(s.function)),
    function: trace.sources.map((s) => has(s.function)),
    tensor: trace.tensors.map((t) => has(t.name)),
    axisTensor: trace.tensors.map((t) => inMapping(t.mapping)),
    axisStage: trace.configurations.map((c) => c.stages.some(([, text]) => inMapping(text))),
    rule: trace.sources.map((_, i) => trace.findings.some((f) => f.source === i && has(f.rule))),
    region: trace.regions.map((r) => has(`${r.name}[${r.index}]`)),
  };
}

const someRange = (trace, c, of) => {
  for (const list of [trace.reads, trace.writes]) for (let r = list.at[c]; r < list.at[c + 1]; ++r) if (list.tensor[r] >= 0 && of[list.tensor[r]]) return true;
  return false;
};
const someStall = (trace, c, of) => {
  for (let s = trace.stalls.at[c]; s < trace.stalls.at[c + 1]; ++s) if (of[trace.stalls.name[s]] && trace.stalls.cycles[s] > 0) return true;
  return false;
};

/// A command is at its own line, and at those of its stages.
const atLine = (trace, of) => {
  const byStage = trace.configurations.map(({ stages }) => stages.some(([, , , source]) => source >= 0 && of[source]));
  return (c) => (trace.source[c] >= 0 && of[trace.source[c]]) || (trace.configuration[c] >= 0 && byStage[trace.configuration[c]]);
};

const placed = (trace, is) => {
  const of = trace.places.map(is);
  return (c) => of[trace.place[c]];
};

function test(trace, schedule, since, reason, { key, value }) {
  const t = tablesFor(trace, value);
  const source = (of) => (c) => trace.source[c] >= 0 && of[trace.source[c]];
  const axis = (c) => someRange(trace, c, t.axisTensor) || (trace.configuration[c] >= 0 && t.axisStage[trace.configuration[c]]);
  switch (key) {
    case 'name': return (c) => t.text[trace.name[c]];
    case 'at': return atLine(trace, t.place);
    case 'function': return source(t.function);
    case 'axis': return axis;
    case 'tensor': return (c) => someRange(trace, c, t.tensor);
    case 'rule': return source(t.rule);
    case 'stall': return (c) => someStall(trace, c, t.text);
    case 'wait': return (c) => since[c] < schedule.start[c] && reason(c).includes(value);
    case 'region': return (c) => trace.region[c] >= 0 && t.region[trace.region[c]];
    case 'cluster': return placed(trace, (place) => place.clusters.some((u) => u % trace.geometry.clusters === Number(value)));
    case 'chip': return placed(trace, (place) => place.chips.includes(Number(value)));
    default: break;
  }
  if (value === 'critical') return (c) => schedule.critical[c] === 1;
  const [place, line, rule] = [source(t.place), source(t.line), source(t.rule)];
  return (c) => t.text[trace.name[c]] || place(c) || line(c) || rule(c) || someRange(trace, c, t.tensor);
}

/// Needs the blocks `ranges` and `parts`. Null: the query is empty, and all are meant.
export function matching(trace, schedule, since, reason, query) {
  const words = parsed(query);
  if (words.length === 0) return null;
  const tests = words.map((w) => [test(trace, schedule, since, reason, w), w.not]);
  const found = { matched: new Uint8Array(trace.n), count: 0, first: -1 };
  for (let c = 0; c < trace.n; ++c) {
    if (!tests.every(([is, not]) => Boolean(is(c)) !== not)) continue;
    found.matched[c] = 1;
    ++found.count;
    if (found.first < 0) found.first = c;
  }
  return found;
}

/// The line as a query: as much of its path as tells it from other files.
export function queryOf(trace, source) {
  const { file, line } = trace.sources[source];
  const parts = file.split('/');
  const others = new Set(trace.sources.map((s) => s.file).filter((other) => other !== file));
  let name = parts[parts.length - 1];
  for (let i = parts.length - 1; i-- > 0 && [...others].some((other) => `/${other}`.endsWith(`/${name}`));) name = `${parts[i]}/${name}`;
  const word = `${name}:${line}`;
  return /\s/.test(word) ? `at:"${word}"` : `at:${word}`;
}
