// A trace of a tiled kernel with as many commands as asked for: node make_trace.mjs COMMANDS OUT.json [SEED]
//
// Each tile loads two arrays, stores one into TRF, contracts, and moves its result out: five commands, in two buffers in turn, on one cluster after the other. The
// schedule is worked out here by the rule that makes every trace: a command starts when all that it comes after have ended.
import { openSync, writeSync, closeSync } from 'node:fs';

const RESOURCES = ['main', 'sub', 'tensor DMA', 'PCIe DMA', 'vector engine'];
const [MAIN, SUB, DMA, , VECTOR] = [0, 1, 2, 3, 4];
const LINES = ['move a -> a_dm', 'move b -> b_dm', 'sub.begin(b_dm)', 'main.begin(a_dm)', 'move tile -> c'];
const TILES_A_TENSOR = 10;

class Maker {
  constructor(count, seed) {
    Object.assign(this, { count, state: seed, commands: [], tensors: [], regions: [], start: [], end: [], last: RESOURCES.map(() => -1), readers: new Map(), writer: new Map(), own: [] });
  }

  random(most) {  // mulberry32
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % (most + 1);
  }

  tensor(name, memory, begin, size, units, source, role) {
    const mapping = memory === 'HBM' ? 'bf16 in HBM Element[I, K]' : `bf16 in ${memory} Slice[I / 32, J / 32] Element[I % 32, K]`;
    this.tensors.push({ name, memory, mapping, role, begin, end: begin + size, units, source, first: undefined, last: undefined, born: 0, gone: 0 });
    return this.tensors.length - 1;
  }

  place(t) {
    const { memory, begin, units } = this.tensors[t];
    return `${memory} ${begin} ${units}`;
  }

  edges(resources, reads, writes) {
    const after = [];
    const add = (kind, from, t) => {
      const { memory: on, begin, end } = this.tensors[t];
      if (after.every((e) => e.from !== from)) after.push({ kind, from, on, begin, end });
    };
    for (const t of reads) if (this.writer.has(this.place(t))) add('raw', this.writer.get(this.place(t)), t);
    for (const t of writes) for (const reader of this.readers.get(this.place(t)) ?? []) add('war', reader, t);
    for (const r of resources)
      if (this.last[r] >= 0 && after.every((e) => e.kind !== 'resource' || e.from !== this.last[r])) after.push({ kind: 'resource', from: this.last[r], on: RESOURCES[r] });
    return after;
  }

  command(name, resources, line, { startup, streaming, stalls, engines }, reads, writes, facts) {
    const number = this.commands.length;
    const after = this.edges(resources, reads, writes);
    let [start, binding] = [0, undefined];
    after.forEach((e, i) => { if (this.end[e.from] > start) [start, binding] = [this.end[e.from], i]; });
    const end = start + startup + streaming + Object.values(stalls).reduce((a, b) => a + b, 0);
    this.start.push(start);
    this.end.push(end);
    for (const r of resources) this.last[r] = number;
    for (const t of reads) if (!this.tensors[t].role) this.readers.set(this.place(t), [...(this.readers.get(this.place(t)) ?? []), number]);
    for (const t of writes) {
      this.writer.set(this.place(t), number);
      this.readers.set(this.place(t), []);
    }
    for (const t of [...reads, ...writes]) {
      this.tensors[t].first ??= number;
      this.tensors[t].last = number;
    }
    const parts = (all) => Object.entries(all).filter(([, cycles]) => cycles).map(([n, cycles]) => ({ name: n, cycles }));
    const ranges = (all) => all.map((t) => (({ memory, begin, end: to, units }) => ({ memory, begin, end: to, units, tensor: t }))(this.tensors[t]));
    const slowest = Object.entries(engines).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    this.commands.push({ name, resources, configuration: line, source: line, region: this.regions.length - 1, start, end, startup, streaming, stalls: parts(stalls), engines: parts(engines), slowest,
      after, binding, reads: ranges(reads), writes: ranges(writes), ...facts });
  }

  tile(i, [a, b, c]) {
    const group = Math.floor(i / TILES_A_TENSOR);
    const [units, base, half] = [1 + group % 2, 65536 * (i % 2), i % 2];
    if (i % TILES_A_TENSOR < 2)
      this.own[half] = [this.tensor(`a_dm[${group}]`, 'DM', base, 4096, units, 0), this.tensor(`b_dm[${group}]`, 'DM', base + 8192, 8192, units, 1),
        this.tensor(`b_trf[${group}]`, 'TRF', 32768 * half, 4096, units, 2), this.tensor(`tile[${group}]`, 'DM', base + 20480, 2048, units, 3)];
    const [aDm, bDm, bTrf, tile] = this.own[half];
    this.regions.push({ name: 'tile', index: i });
    const [stall, more] = [this.random(60), this.random(9) === 0 ? this.random(400) : 0];
    const dma = { bank_runs: 0, dma: [{ bytes: 65536, run: 4096, unit: 256, ideal: 80, descriptors: 4, engines: 4, engines_of: 8, engine_set: units === 1 ? '0-3' : '4-7', stacks: 2, stacks_of: 2, channels: 32, channels_of: 32, requests: 256 }] };
    const unit = { clusters: 1, clusters_of: 2, slices: 256, slices_of: 256, packet_bytes: 128, flit_bytes: 128, longest_bank_run: 1 };
    this.command('dma', [DMA], 0, { startup: 20, streaming: 100, stalls: { dmn: stall }, engines: { DMA: 100 + stall, HBM: 80 } }, [a], [aDm], dma);
    this.command('dma', [DMA], 1, { startup: 20, streaming: 200, stalls: { 'hbm-row': more }, engines: { DMA: 200, HBM: 200 + more } }, [b], [bDm], dma);
    this.command('sub', [SUB], 2, { startup: 0, streaming: 128, stalls: {}, engines: { Fetch: 128, 'TRF store': 64 } }, [bDm], [bTrf], { bank_runs: 1, pass: [unit] });
    const engine = this.random(120);
    this.command('main', i % 3 === 0 ? [MAIN, VECTOR] : [MAIN], 3, { startup: 5, streaming: 256, stalls: { engine }, engines: { Fetch: 256, Contraction: 256 + engine, Commit: 64 } }, [aDm, bTrf], [tile],
      { bank_runs: 1, pass: [{ ...unit, rows: 8, rows_of: 8, lanes: 32, lanes_of: 32 }] });
    const partial = this.random(30);
    this.command('dma', [DMA], 4, { startup: 20, streaming: 50, stalls: { 'partial-write': partial }, engines: { DMA: 50, HBM: 50 + partial } }, [tile], [c], dma);
  }

  make() {
    const inputs = [this.tensor('a', 'HBM', 0, 1 << 20, 0, 0, 'argument'), this.tensor('b', 'HBM', 2 ** 28, 1 << 20, 0, 1, 'argument'), this.tensor('c', 'HBM', 2 ** 29, 1 << 22, 0, 4, 'result')];
    for (let i = 0; i * 5 < this.count; ++i) this.tile(i, inputs);
    this.count = this.commands.length;
    this.makespan = this.end.reduce((a, b) => Math.max(a, b), 0);
    for (const t of this.tensors) [t.born, t.gone] = t.role ? [0, this.makespan] : [this.start[t.first], this.end[t.last]];
    this.addSlackAndPath();
  }

  addSlackAndPath() {
    const latest = new Array(this.count).fill(this.makespan);
    for (let c = this.count; c-- > 0;) for (const e of this.commands[c].after) latest[e.from] = Math.min(latest[e.from], latest[c] - (this.end[c] - this.start[c]));
    this.commands.forEach((command, c) => { command.slack = latest[c] - this.end[c]; });
    this.path = [];
    for (let at = this.end.indexOf(this.makespan); at >= 0;) {
      const command = this.commands[at];
      this.path.push(at);
      command.critical = true;
      at = command.binding === undefined ? -1 : command.after[command.binding].from;
    }
    this.path.reverse();
  }

  write(file) {
    const out = openSync(file, 'w');
    const head = {
      format: 'tcp-trace', version: 2, tool: 'make_trace', program: 'tiles', hash: '0000000000000000', chip: 'rngd', model: 'book', core_mhz: 1000, makespan: this.makespan,
      bounds: [{ name: 'dependency chain', cycles: Math.floor(this.makespan / 2) }], resources: RESOURCES,
      capacities: [{ memory: 'HBM', bytes: 51539607552 }, { memory: 'DM', bytes: 524288, units: 512 }, { memory: 'TRF', bytes: 65536, units: 512 }, { memory: 'VRF', bytes: 8192, units: 512 }],
      geometry: [{ clusters: 2, slices: 256, dma_engines: 8, dm_banks: 16, dm_row: 8, bank_limit: 64, channels: 32, channel_bits: Array.from({ length: 34 }, (_, bit) => (bit < 8 ? 0 : bit === 8 ? 16 : 1 << (bit - 9) % 4)) }],
      axes: [{ name: 'I', size: 512 }, { name: 'J', size: 512 }, { name: 'K', size: 64 }], bank_runs: [1, 4].map((run) => ({ runs: new Array(16).fill(run) })),
      sources: LINES.map((text, i) => ({ file: 'tiles.cpp', function: `step_${Math.floor(i / 3)}`, line: 10 + i, column: 3, text })),
      units: [{ chips: '0', clusters: '0', slices: '0' }, { chips: '0', clusters: '0', slices: '0-255' }, { chips: '0', clusters: '1', slices: '0-255' }],
      configurations: LINES.map((text) => ({ stages: [{ name: 'fetch', text: 'bf16 Slice[I / 32, J / 32] Time[I % 32] Packet[K]' }], settings: [{ name: 'engine', text }] })),
      critical_path: this.path,
    };
    writeSync(out, JSON.stringify(head).slice(0, -1));
    for (const [name, all] of Object.entries({ regions: this.regions, tensors: this.tensors, commands: this.commands })) {
      writeSync(out, `,\n"${name}":[\n`);
      for (let i = 0; i < all.length; i += 10000)
        writeSync(out, (i ? ',\n' : '') + all.slice(i, i + 10000).map((entry) => JSON.stringify(entry)).join(',\n'));
      writeSync(out, '\n]');
    }
    writeSync(out, '}\n');
    closeSync(out);
  }
}

const [, , count, file, seed = '1'] = process.argv;
const maker = new Maker(Number(count), Number(seed));
maker.make();
maker.write(file);
