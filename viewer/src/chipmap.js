// A map of the chip at one moment: what every slice does and holds, the rings of the switch, the banks of DM that commands use, and the channels of HBM.
import { RESOURCE_COLOURS, SHARE_COLOURS } from './colours.js';
import { button, el, table } from './dom.js';
import { hbmChannel } from './mapping.js';
import { computes } from './names.js';
import { paceEngine } from './report.js';
import { inBytes, inCycles, numbersOf, placeOf, withCommas } from './words.js';

const SLICES_ACROSS = 32;      // slices in a row
const LEAST_CELL = 8;    // pixels
const MOST_CELL = 20;
const MOST_SAMPLES = 512;  // addresses of a stretch that are looked at

/// Commands that run at a moment. Lanes have them in the order of time, so each is asked once.
function running(page, moment) {
  const found = new Set();
  for (const lane of page.model.allLanes) {
    if (lane.of || lane.spans || lane.path || lane.transfers || lane.engine !== undefined) continue;
    let [low, high] = [0, lane.index.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lane.end[middle] <= moment) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < lane.index.length && lane.start[i] <= moment; ++i) found.add(lane.index[i]);
  }
  return [...found].sort((a, b) => a - b);
}

/// By chip, cluster and slice: what `each(add)` gives; add(units, value) puts a value into all slices of a set.
class SliceGrid {
  constructor(trace) {
    Object.assign(this, { trace, clusters: trace.geometry.clusters, slices: trace.geometry.slices, cells: new Map() });
  }
  add(number, value, chip) {
    const u = this.trace.units[number];
    if (!u || (u.chips !== '' && !numbersOf(u.chips).includes(chip))) return;
    for (const cluster of numbersOf(u.clusters)) for (const slice of numbersOf(u.slices)) {
      const key = cluster * this.slices + slice;
      if (!this.cells.has(key)) this.cells.set(key, []);
      if (!this.cells.get(key).includes(value)) this.cells.get(key).push(value);
    }
  }
  at(cluster, slice) {
    return this.cells.get(cluster * this.slices + slice) ?? [];
  }
}

const ON_SLICES = new Set(['DM', 'TRF', 'VRF']);

function activity(trace, commands, chip) {
  const grid = new SliceGrid(trace);
  for (const c of commands)
    for (const list of [trace.reads, trace.writes])
      for (let r = list.at[c]; r < list.at[c + 1]; ++r) if (ON_SLICES.has(trace.texts[list.memory[r]])) grid.add(list.units[r], c, chip);
  return grid;
}

/// Bytes of DM in each slice: those of tensors that live at the moment, views of the same bytes once.
function dmUse(trace, schedule, moment, chip) {
  const grid = new SliceGrid(trace);
  const { at, units } = trace.tensor_places;
  trace.tensors.forEach((tensor, t) => {
    if (tensor.memory !== 'DM') return;
    const lives = tensor.first < 0 || (schedule.start[tensor.first] <= moment && moment < schedule.end[tensor.last]);
    if (lives) for (let k = at[t]; k < at[t + 1]; ++k) grid.add(units[k], t, chip);
  });
  return grid;
}

function coveredBytes(trace, tensors) {
  let [sum, until] = [0, -1];
  for (const t of [...tensors].sort((a, b) => trace.tensors[a].begin - trace.tensors[b].begin)) {
    const { begin, end } = trace.tensors[t];
    sum += Math.max(0, end - Math.max(begin, until));
    until = Math.max(until, end);
  }
  return sum;
}

/// How many slices a ring of the switch has, where a command uses one: "ring of 16".
function ringOf(trace, c) {
  if (trace.configuration[c] < 0) return 0;
  const setting = trace.configurations[trace.configuration[c]].settings.find(([name]) => name === 'switch');
  return Number(/ring of (\d+)/.exec(setting?.[1] ?? '')?.[1] ?? 0);
}

function drawSlices(canvas, { trace, grid, colourOf, rings, cluster, ink, cell }) {
  const { slices } = trace.geometry;
  const rows = Math.ceil(slices / SLICES_ACROSS);
  const scale = window.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [SLICES_ACROSS * cell * scale, rows * cell * scale];
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  for (let s = 0; s < slices; ++s) {
    const [x, y] = [s % SLICES_ACROSS * cell, Math.floor(s / SLICES_ACROSS) * cell];
    const colours = colourOf(grid.at(cluster, s));
    colours.forEach((colour, i) => {
      ctx.fillStyle = colour;
      ctx.fillRect(x + i * (cell - 1) / colours.length, y, (cell - 1) / colours.length, cell - 1);
    });
  }
  ctx.strokeStyle = ink;
  ctx.lineWidth = 1.5;
  for (const ring of rings)
    for (let first = 0; first < slices; first += ring) {
      if (!grid.at(cluster, first).length) continue;
      const [x, y] = [first % SLICES_ACROSS * cell, Math.floor(first / SLICES_ACROSS) * cell];
      ctx.strokeRect(x + 0.5, y + 0.5, Math.min(ring, SLICES_ACROSS) * cell - 2, Math.max(1, Math.ceil(ring / SLICES_ACROSS)) * cell - 2);
    }
}

function clusterMaps(page, grid, colourOf, rings, tipOf) {
  const { trace } = page;
  const style = getComputedStyle(document.documentElement);
  const cell = Math.max(LEAST_CELL, Math.min(MOST_CELL, Math.floor((document.getElementById('panel').clientWidth - 56) / SLICES_ACROSS)));
  return Array.from({ length: trace.geometry.clusters }, (_, cluster) => {
    const tip = el('span', { class: 'quiet' }, '');
    const rows = Math.ceil(trace.geometry.slices / SLICES_ACROSS);
    const canvas = el('canvas', { class: 'slices', style: `width:${SLICES_ACROSS * cell}px;height:${rows * cell}px`, 'aria-label': `slices of cluster ${cluster}`,
      onpointermove: (e) => {
        const s = Math.floor(e.offsetX / cell) + Math.floor(e.offsetY / cell) * SLICES_ACROSS;
        if (s < trace.geometry.slices) tip.textContent = `slice ${s}: ${tipOf(grid.at(cluster, s))}`;
      } });
    drawSlices(canvas, { trace, grid, colourOf, rings, cluster, ink: style.getPropertyValue('--ink').trim(), cell });
    return el('div', { class: 'cluster' }, el('div', {}, `cluster ${cluster} `, tip), el('div', { class: 'numbered' }, el('div', { class: 'side' }, Array.from({ length: rows }, (_, r) => el('div', { style: `height:${cell}px;line-height:${cell}px` }, String(r * SLICES_ACROSS)))), canvas));
  });
}

/// Accesses in a row to each bank of DM, of all commands that run.
function bankBars(trace, commands) {
  const banks = trace.geometry.dm_banks;
  if (!banks) return [];
  const sums = new Array(banks).fill(0);
  for (const c of commands) if (trace.bank_runs_of[c] >= 0) trace.bank_runs[trace.bank_runs_of[c]].forEach((run, bank) => { sums[bank] += run; });
  const limit = trace.geometry.bank_limit;
  const most = Math.max(limit, 1, ...sums);
  return [el('h2', {}, 'Banks of DM: consecutive accesses'),
    el('div', { class: 'usage', id: 'map-banks' }, sums.map((n, bank) => el('span', { style: `height:${Math.max(1, n * 40 / most)}px;background:${n >= limit && limit ? 'var(--critical)' : '#7a4f2a'}`, title: `bank ${bank}: ${withCommas(n)}` }))),
    el('p', { class: 'quiet' }, `bank 0 to ${banks - 1}; the most is ${withCommas(Math.max(...sums))}${limit ? `. Commands that run at the same time must stay below ${limit} together: else one waits` : ''}.`)];
}

/// Bytes in a cycle that each channel of HBM moves, by the addresses that commands name.
export function channelRates(trace, schedule, commands, chip) {
  const { channels, channel_bits: bits } = trace.geometry;
  const rates = new Float64Array(channels);
  for (const c of commands) {
    const at = trace.dma.at[c];
    if (at === trace.dma.at[c + 1] || schedule.length[c] === 0) continue;
    for (const list of [trace.reads, trace.writes]) {
      const own = [];
      for (let r = list.at[c]; r < list.at[c + 1]; ++r)
        if (trace.texts[list.memory[r]] === 'HBM' && (list.units[r] < 0 || numbersOf(trace.units[list.units[r]].chips).includes(chip))) own.push(r);
      const whole = own.reduce((sum, r) => sum + list.end[r] - list.begin[r], 0);
      for (const r of own) {
        const size = list.end[r] - list.begin[r];
        const samples = Math.min(MOST_SAMPLES, Math.max(1, Math.ceil(size / 256)));
        for (let i = 0; i < samples; ++i) rates[hbmChannel(list.begin[r] + Math.floor(size * i / samples), bits)] += trace.dma.bytes[at] / schedule.length[c] * (size / whole) / samples;
      }
    }
  }
  return rates;
}

function channelBars(trace, schedule, commands, chip) {
  const { channels, hbm_mb_per_s: rate } = trace.geometry;
  if (!channels) return [];
  const rates = channelRates(trace, schedule, commands, chip);
  const full = rate && trace.core_mhz ? rate / trace.core_mhz / channels : 0;
  const most = Math.max(full, 1e-9, ...rates);
  const gb = (bytes) => `${(bytes * trace.core_mhz / 1000).toFixed(1)} GB/s`;
  return [el('h2', {}, `Channels of HBM${full ? `: ${gb(full)} each at most` : ''}`),
    el('div', { class: 'usage', id: 'map-channels' }, Array.from(rates, (n, i) => el('span', { style: `height:${Math.max(1, n * 40 / most)}px`, title: `channel ${i}: ${gb(n)}` }))),
    el('p', { class: 'quiet' }, `channel 0 to ${channels - 1}; together ${gb(rates.reduce((a, b) => a + b, 0))}`)];
}

const SHOWN = [['does', 'what slices do'], ['dm', 'bytes of DM in use']];

export function mapPanel(page) {
  const { trace, schedule, view } = page;
  const moment = Math.max(0, Math.min(schedule.makespan, view.moment < 0 ? 0 : view.moment));
  const commands = running(page, moment);
  const chip = Math.max(0, view.chip);
  const byUse = view.mapBy === 'dm';
  const grid = byUse ? dmUse(trace, schedule, moment, chip) : activity(trace, commands, chip);
  const capacity = trace.capacities.find((c) => c.memory === 'DM')?.bytes ?? 0;
  const resource = (c) => trace.resources_names[trace.resources.number[trace.resources.at[c]]];
  const idle = 'rgba(127,127,127,0.18)';
  const colourOf = byUse ? (tensors) => [tensors.length ? SHARE_COLOURS[Math.min(8, Math.floor(coveredBytes(trace, tensors) * 9 / Math.max(1, capacity)))] : idle]
    : (cs) => (cs.length ? [...new Set(cs.map((c) => RESOURCE_COLOURS.get(resource(c)) ?? '#7f7f7f'))] : [idle]);
  const tipOf = byUse ? (tensors) => (tensors.length ? `${inBytes(coveredBytes(trace, tensors))}: ${tensors.map((t) => trace.tensors[t].name).slice(0, 6).join(', ')}` : 'nothing')
    : (cs) => cs.map((c) => computes(trace, c)?.text ?? resource(c)).join('; ') || 'idle';
  const rings = byUse ? [] : [...new Set(commands.map((c) => ringOf(trace, c)))].filter((n) => n > 1);
  const go = (time) => page.setMoment(time);
  const next = (by) => {
    const starts = Array.from(schedule.start).filter((t) => (by > 0 ? t > moment : t < moment));
    if (starts.length) go(starts.reduce((a, b) => (by > 0 ? Math.min(a, b) : Math.max(a, b))));
  };
  const rows = commands.map((c) => [el('span', {}, el('i', { class: 'swatch', style: `background:${RESOURCE_COLOURS.get(resource(c)) ?? '#7f7f7f'}` }), resource(c)),
    el('a', { href: '#', onclick: (e) => { e.preventDefault(); page.select(c, true); } }, `#${c} ${computes(trace, c)?.text ?? ''}`), placeOf(trace, trace.source[c]), paceEngine(trace, c), `${Math.round((moment - schedule.start[c]) * 100 / Math.max(1, schedule.length[c]))} %`]);
  return [
    el('h2', {}, 'The chip at one moment'),
    el('div', { class: 'row' }, el('label', {}, 'cycle ', el('input', { id: 'moment', type: 'number', min: 0, max: schedule.makespan, value: Math.floor(moment), style: 'width:9em', onchange: (e) => go(Number(e.target.value)) })),
      button('\u2190', () => next(-1), { title: 'where a command starts before', 'aria-label': 'previous start' }), button('\u2192', () => next(1), { title: 'where the next command starts', 'aria-label': 'next start', id: 'moment-next' }),
      el('select', { id: 'map-by', 'aria-label': 'colour slices by', onchange: (e) => { view.mapBy = e.target.value; page.openTab('map'); } }, SHOWN.map(([key, word]) => el('option', { value: key, selected: (view.mapBy || 'does') === key }, word)))),
    el('input', { id: 'moment-slider', type: 'range', min: 0, max: Math.max(1, schedule.makespan), value: moment, style: 'width:100%', 'aria-label': 'cycle', oninput: (e) => page.setMoment(Number(e.target.value), true) }),
    el('p', { class: 'quiet' }, 'Click the axis of time in the picture to choose a moment.'),
    ...clusterMaps(page, grid, colourOf, rings, tipOf),
    byUse ? el('p', { class: 'quiet' }, `dark: little, bright: full; ${inBytes(capacity)} per slice`) : el('p', { class: 'quiet' }, rings.length ? `Outlines: rings of the switch, ${rings.map((n) => `${n} slices`).join(', ')}.` : 'No command at this moment sends data round a ring of slices.'),
    rows.length ? table(['', 'runs', 'line', 'slowest engine', 'done'], rows, { id: 'map-running' }) : el('p', {}, `Nothing runs at cycle ${withCommas(Math.floor(moment))}${moment >= schedule.makespan ? ': the kernel has ended' : ''}. Total: ${inCycles(schedule.makespan)}.`),
    ...bankBars(trace, commands), ...channelBars(trace, schedule, commands, chip),
  ];
}
