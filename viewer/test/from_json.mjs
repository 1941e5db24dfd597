// A trace file in the form that the page has after unpacking, so that the page's rules can be tested without a browser.
import { addColumns } from '../src/store.js';
import { numbersOf } from '../src/words.js';

const DMA = ['bytes', 'run', 'ideal', 'descriptors', 'engines', 'engines_of', 'channels', 'channels_of', 'requests', 'row_switches', 'partial_writes'];
const PASS = ['clusters', 'clusters_of', 'slices', 'slices_of', 'rows', 'rows_of', 'lanes', 'lanes_of', 'longest_bank_run', 'multiply_adds'];

export function traceOf(file) {
  const texts = [];
  const known = new Map();
  const text = (word = '') => known.get(word) ?? known.set(word, texts.push(word) - 1).get(word);
  const { commands } = file;
  const trace = { ...file, n: commands.length, texts, resources_names: file.resources, findings: [], files: {} };
  for (const list of ['bounds', 'path', 'capacities', 'sources', 'units', 'regions', 'tensors', 'configurations', 'assumptions', 'host_transfers', 'launches']) trace[list] ??= [];
  trace.configurations = trace.configurations.map(({ stages = [], settings = [] }) => {
    const rows = (all) => all.map((s) => [s.name, s.text, s.why ?? '']);
    return { stages: stages.map((s) => [s.name, s.text, s.why ?? '', s.source ?? -1]), settings: rows(settings) };
  });
  trace.host_transfers = trace.host_transfers.map((t) => ({ tensor: '', source: -1, ...t }));
  trace.sources = trace.sources.map((s) => ({ function: '', text: '', ...s }));
  trace.tensors = trace.tensors.map((t) => ({ role: '', units: -1, source: -1, first: -1, last: -1, ...t }));
  trace.axes = Object.fromEntries((file.axes ?? []).map((a) => [a.name, a.size]));
  trace.geometry = { clusters: 2, slices: 256, dma_engines: 0, dm_banks: 0, dm_row: 0, bank_limit: 0, channels: 0, channel_bits: [], rows: 0, hbm_mb_per_s: 0, ...file.geometry?.[0] };
  trace.chips ??= 1;
  trace.places = [];
  trace.bank_runs = (file.bank_runs ?? []).map((b) => b.runs);
  const columns = [['order', Int32Array.from(file.order ?? [])], ['critical_path', Int32Array.from(file.critical_path ?? [])]];
  const each = (name, of) => columns.push([name, Float64Array.from(commands, of)]);
  const lists = (name, fields) => {
    each(`${name}.count`, (c) => (c[name] ?? []).length);
    for (const [field, of] of Object.entries(fields)) columns.push([`${name}.${field}`, Float64Array.from(commands.flatMap((c) => (c[name] ?? []).map(of)))]);
  };
  each('name', (c) => text(c.name));
  each('start', (c) => c.start);
  each('length', (c) => c.end - c.start);
  each('slowest', (c) => text(c.slowest));
  each('queues', (c) => text(c.queues));
  each('engine_set', (c) => text(c.dma?.[0]?.engine_set));
  const places = new Map();
  const place = (c) => {
    const sets = { chips: new Set(), clusters: new Set() };
    for (const { memory, units = -1 } of [...c.reads ?? [], ...c.writes ?? []])
      for (const chip of units < 0 ? [] : numbersOf(trace.units[units].chips ?? '')) {
        sets.chips.add(chip);
        if (memory !== 'HBM' && memory !== 'host') for (const u of numbersOf(trace.units[units].clusters ?? '')) sets.clusters.add(chip * trace.geometry.clusters + u);
      }
    const made = { chips: [...sets.chips].sort((a, b) => a - b), clusters: [...sets.clusters].sort((a, b) => a - b) };
    const key = JSON.stringify(made);
    if (!places.has(key)) places.set(key, trace.places.push(made) - 1);
    return places.get(key);
  };
  each('place', place);
  each('bank_runs_of', (c) => c.bank_runs ?? -1);
  for (const name of ['source', 'region', 'configuration', 'binding']) each(name, (c) => c[name] ?? -1);
  for (const name of ['slack', 'startup', 'streaming']) each(name, (c) => c[name] ?? 0);
  lists('resources', { number: (r) => r });
  lists('after', { kind: (e) => text(e.kind), from: (e) => e.from, on: (e) => text(e.on), begin: (e) => e.begin ?? 0, end: (e) => e.end ?? 0 });
  for (const name of ['stalls', 'engines']) lists(name, { name: (p) => text(p.name), cycles: (p) => p.cycles });
  for (const name of ['reads', 'writes'])
    lists(name, { memory: (r) => text(r.memory), begin: (r) => r.begin, end: (r) => r.end, units: (r) => r.units ?? -1, tensor: (r) => r.tensor ?? -1 });
  const facts = (names) => Object.fromEntries(names.map((name) => [name, (f) => f[name] ?? 0]));
  lists('dma', facts(DMA));
  lists('pass', facts(PASS));
  const held = trace.tensors.map((t) => new Set(t.units >= 0 ? [t.units] : []));
  for (const c of commands) for (const r of [...c.reads ?? [], ...c.writes ?? []]) if (r.tensor >= 0 && r.units >= 0) held[r.tensor].add(r.units);
  columns.push(['tensor_places.count', Float64Array.from(held, (units) => units.size)], ['tensor_places.units', Float64Array.from(held.flatMap((units) => [...units]))]);
  addColumns(trace, columns);
  return trace;
}
