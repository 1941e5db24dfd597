// Parts of a kernel that have a name: its regions, and the launches of a program. Each is a span of time in a lane of its own, and a row of a table with what it reached.
import { nthColour } from './colours.js';
import { hbmBytesOf, multiplyAddsOf, peaksOf } from './counters.js';
import { cyclesCell, el, pickable, table } from './dom.js';
import { shareText } from './report.js';
import { cyclesWord, inBytes, inCycles, inTime, placeOf, withCommas } from './words.js';

const MOST_ROWS_OF_REGIONS = 4;  // lanes; spans that overlap more often than that are not drawn
const MOST_REGIONS = 300;        // rows of the table

/// By number of the region: from its first command's start to its last one's end.
function spansOf(trace, schedule) {
  const count = trace.regions.length;
  const [start, end] = [new Float64Array(count).fill(Infinity), new Float64Array(count)];
  for (let c = 0; c < trace.n; ++c) {
    const r = trace.region[c];
    if (r < 0) continue;
    if (schedule.start[c] < start[r]) start[r] = schedule.start[c];
    if (schedule.end[c] > end[r]) end[r] = schedule.end[c];
  }
  return { start, end };
}

function laneFrom(label, numbers, start, end, more) {
  const busy = new Float64Array(numbers.length + 1);
  numbers.forEach((r, i) => { busy[i + 1] = busy[i] + end[r] - start[r]; });
  return { label, resource: -1, chip: -1, index: Int32Array.from(numbers), start: Float64Array.from(numbers, (r) => start[r]), end: Float64Array.from(numbers, (r) => end[r]), busy, ...more };
}

/// By name of the region, in the order in which they come: [name, numbers].
export function regionNames(trace) {
  if (trace.regionNames) return trace.regionNames;
  const names = new Map();
  trace.regions.forEach(({ name }, r) => {
    if (!names.has(name)) names.set(name, []);
    names.get(name).push(r);
  });
  return trace.regionNames = names;
}

export function regionLabel(trace, r) {
  const { name, index } = trace.regions[r];
  return regionNames(trace).get(name).length > 1 ? `${name}[${index}]` : name;
}

function regionLook(trace) {
  if (trace.regionLook) return trace.regionLook;
  const order = [...regionNames(trace).keys()];
  const numbers = new Map(order.map((name, i) => [name, i % 200]));
  return trace.regionLook = { index: Uint8Array.from(trace.regions, ({ name }) => numbers.get(name)), palette: order.slice(0, 200).map((_, i) => nthColour(i)) };
}

/// Lanes in which no span covers another: the first has as many as fit.
export function regionLanes(trace, schedule) {
  if (trace.regions.length === 0) return [];
  const { start, end } = spansOf(trace, schedule);
  const numbers = Array.from(start.keys()).filter((r) => start[r] < end[r]).sort((a, b) => start[a] - start[b] || a - b);
  const rows = [];
  for (const r of numbers) {
    let row = rows.find((each) => end[each[each.length - 1]] <= start[r]);
    if (!row && rows.length < MOST_ROWS_OF_REGIONS) rows.push(row = []);
    row?.push(r);
  }
  const more = { look: regionLook(trace), spans: 'region', labelOf: (r) => regionLabel(trace, r) };
  return rows.map((row, i) => laneFrom(i === 0 ? 'regions' : '', row, start, end, more));
}

export function launchLane(trace, schedule) {
  const { launches } = trace;
  const start = launches.map(({ command }) => schedule.start[command]);
  const end = start.map((_, i) => start[i + 1] ?? schedule.makespan);
  const names = [...new Set(launches.map(({ name }) => name))];
  const look = { index: Uint8Array.from(launches, ({ name }) => names.indexOf(name) % 200), palette: names.slice(0, 200).map((_, i) => nthColour(i)) };
  return laneFrom('launches', [...launches.keys()], start, end, { look, spans: 'launch', labelOf: (i) => `${i + 1} ${launches[i].name}` });
}

/// Commands of a part together: {name, commands, busy, critical, time, multiplyAdds, bytes}; `time` is when any of its spans lasts.
function summed(trace, schedule, partOf, nameOf) {
  const parts = new Map();
  for (let c = 0; c < trace.n; ++c) {
    const key = partOf(c);
    if (key === undefined) continue;
    let part = parts.get(key);
    if (!part) parts.set(key, part = { key, name: nameOf(key), commands: 0, busy: 0, critical: 0, multiplyAdds: 0, bytes: 0, spans: [] });
    ++part.commands;
    part.busy += schedule.length[c];
    if (schedule.critical[c]) part.critical += schedule.length[c];
    part.multiplyAdds += multiplyAddsOf(trace, c);
    part.bytes += hbmBytesOf(trace, c);
  }
  return parts;
}

/// Needs the blocks `ranges` and `facts`.
export function regionSums(trace, schedule) {
  const names = trace.regions.map(({ name }) => name);
  const parts = summed(trace, schedule, (c) => (trace.region[c] < 0 ? undefined : names[trace.region[c]]), (name) => name);
  const { start, end } = spansOf(trace, schedule);
  for (const [name, numbers] of regionNames(trace)) {
    const part = parts.get(name);
    if (!part) continue;
    part.iterations = numbers.length;
    let until = -1;
    part.time = 0;
    for (const r of [...numbers].sort((a, b) => start[a] - start[b])) {
      if (!(start[r] < end[r])) continue;
      part.time += Math.max(0, end[r] - Math.max(start[r], until));
      until = Math.max(until, end[r]);
    }
  }
  return [...parts.values()].sort((a, b) => b.critical - a.critical || b.busy - a.busy);
}

export function launchSums(trace, schedule) {
  let at = -1;
  const parts = summed(trace, schedule, (c) => {
    while (at + 1 < trace.launches.length && trace.launches[at + 1].command <= c) ++at;
    return at < 0 || trace.launches[at].command === c ? undefined : at;
  }, (i) => `${i + 1} ${trace.launches[i].name}`);
  for (const part of parts.values()) part.time = trace.launches[part.key].cycles;
  return [...parts.values()];
}

export function wholeSum(trace, schedule) {
  const [part] = summed(trace, schedule, () => 'all', () => (trace.launches.length ? 'the whole program' : 'the whole kernel')).values();
  return part && { ...part, time: schedule.makespan };
}

/// TFLOPS, GB/s and FLOP per byte that a part reached while it ran.
export function ratesOf(trace, { multiplyAdds, bytes, time }) {
  const peaks = trace.peaks ??= peaksOf(trace);
  const seconds = trace.core_mhz && time > 0 ? time / (trace.core_mhz * 1e6) : 0;
  return {
    tflops: seconds ? 2 * multiplyAdds / seconds / 1e12 : 0, gbps: seconds ? bytes / seconds / 1e9 : 0, intensity: bytes > 0 ? 2 * multiplyAdds / bytes : multiplyAdds > 0 ? Infinity : 0,
    peakTflops: 2 * peaks.multiplyAdds * trace.core_mhz / 1e6, peakGbps: peaks.hbm * trace.core_mhz / 1000,
  };
}

const three = (n) => (n === 0 ? '0' : n === Infinity ? 'no bytes' : n >= 1000 ? withCommas(Math.round(n)) : String(Number(n.toPrecision(3))));
const ofPeak = (n, peak) => (peak > 0 ? `${(n * 100 / peak).toFixed(n * 1000 < peak ? 2 : 1)} %` : '-');

/// "0.461 TFLOPS (0.2 % of the peak), ...".
export function achievedWords(trace, part) {
  const r = ratesOf(trace, part);
  if (!r.peakTflops && !r.peakGbps) return '';
  const flops = part.multiplyAdds > 0 ? `${three(r.tflops)} TFLOPS (${ofPeak(r.tflops, r.peakTflops)} of ${three(r.peakTflops)})` : 'no multiply-adds';
  return [flops, `${three(r.gbps)} GB/s of HBM (${ofPeak(r.gbps, r.peakGbps)} of ${three(r.peakGbps)})`,
    part.multiplyAdds > 0 && part.bytes > 0 ? `${three(r.intensity)} FLOP per byte of HBM` : ''].filter(Boolean).join(', ');
}

export function regionsPanel(page) {
  const { trace, schedule } = page;
  if (trace.regions.length === 0) return [el('h2', {}, 'Regions'), el('p', {}, 'This kernel has no regions. Write ctx.region("name", i) in the kernel: the commands up to its end then have that name, here, in the picture and in tcp report.')];
  const sums = page.partSums('regions', regionSums);
  const whole = schedule.makespan;
  const look = regionLook(trace);
  const colour = new Map([...regionNames(trace).keys()].map((name, i) => [name, look.palette[i % 200]]));
  const rows = sums.slice(0, MOST_REGIONS).map((part) => {
    const r = ratesOf(trace, part);
    return pickable([el('span', {}, el('i', { class: 'swatch', style: `background:${colour.get(part.name)}` }), part.name, part.iterations > 1 ? el('span', { class: 'quiet' }, ` \u00d7 ${withCommas(part.iterations)}`) : null),
      el('div', { class: 'number' }, withCommas(part.critical), el('div', { class: 'quiet' }, shareText(part.critical, whole))), cyclesCell(part.time), part.commands, el('div', { class: 'number' }, three(r.tflops)), el('div', { class: 'number' }, three(r.gbps))],
    () => page.search(`region:"${part.name}["`));
  });
  return [el('h2', {}, 'Regions'), el('p', { class: 'quiet' }, `Parts that the kernel names: ${cyclesWord()} on the critical path, how long they last, and what they reach in that time. A click shows their commands.`),
    table(['region', 'critical', 'lasts', 'commands', 'TFLOPS', 'GB/s'], rows, { id: 'regions' }), sums.length > MOST_REGIONS ? el('p', { class: 'quiet' }, `and ${withCommas(sums.length - MOST_REGIONS)} more`) : null];
}

export function launchesPanel(page) {
  const { trace } = page;
  const sums = page.partSums('launches', launchSums);
  const moved = trace.launches.some((launch) => launch.transfer_bytes > 0);
  const rows = sums.map((part) => {
    const launch = trace.launches[part.key];
    const r = ratesOf(trace, part);
    return pickable([part.name, cyclesCell(launch.cycles), shareText(launch.cycles, trace.makespan), part.commands, el('div', { class: 'number' }, three(r.tflops)), el('div', { class: 'number' }, three(r.gbps)),
      ...(moved ? [launch.transfer_bytes ? `${inBytes(launch.transfer_bytes)}, ${inCycles(launch.transfer_cycles)}` : '-'] : [])], () => page.zoomTo(page.schedule.start[launch.command], page.schedule.start[launch.command] + launch.cycles));
  });
  const byName = new Map();
  for (const { name, cycles } of trace.launches) byName.set(name, [...(byName.get(name) ?? []), cycles]);
  const kinds = [...byName].map(([name, all]) => [name, all.length, cyclesCell(all.reduce((a, b) => a + b, 0)), shareText(all.reduce((a, b) => a + b, 0), trace.makespan)]);
  return [el('h2', {}, 'Launches'), el('p', { class: 'quiet' }, 'Kernels of one program, one after the other. What the host moves between them is not part of the time. A click goes to the launch.'),
    table(['kernel', 'launches', cyclesWord(), ''], kinds, { id: 'launch-kinds' }), table(['launch', cyclesWord(), '', 'commands', 'TFLOPS', 'GB/s', ...(moved ? ['moved by the host before'] : [])], rows, { id: 'launches' })];
}

const PLOT = { width: 440, height: 270, left: 46, right: 26, top: 12, bottom: 36 };

/// Powers of ten around values.
function decades(values, least, most) {
  const positive = values.filter((v) => v > 0);
  const low = Math.floor(Math.log10(Math.min(least, ...positive)));
  const high = Math.ceil(Math.log10(Math.max(most, ...positive)));
  return [low, Math.max(high, low + 1)];
}

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/// Intensity to the right, TFLOPS up, both by powers of ten; the roof is what HBM and the multipliers allow.
function plotOf(trace, parts) {
  const { peakTflops, peakGbps } = ratesOf(trace, parts[0]);
  const ridge = peakTflops * 1000 / peakGbps;
  const points = parts.map((part) => ({ part, ...ratesOf(trace, part) })).filter((p) => p.intensity > 0 && p.intensity < Infinity && p.tflops > 0);
  const [xLow, xHigh] = decades(points.map((p) => p.intensity), ridge / 50, ridge * 20);
  const [yLow, yHigh] = decades(points.map((p) => p.tflops), peakTflops / 200, peakTflops * 1.5);
  const x = (v) => PLOT.left + (Math.log10(v) - xLow) / (xHigh - xLow) * (PLOT.width - PLOT.left - PLOT.right);
  const y = (v) => PLOT.height - PLOT.bottom - (Math.log10(v) - yLow) / (yHigh - yLow) * (PLOT.height - PLOT.top - PLOT.bottom);
  const drawing = svg('svg', { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, id: 'roofline-plot', role: 'img', 'aria-label': 'roofline', class: 'plot' });
  for (let p = xLow; p <= xHigh; ++p)
    drawing.append(svg('line', { x1: x(10 ** p), x2: x(10 ** p), y1: PLOT.top, y2: PLOT.height - PLOT.bottom, class: 'grid' }), svg('text', { x: x(10 ** p), y: PLOT.height - PLOT.bottom + 14, 'text-anchor': 'middle' }, three(10 ** p)));
  for (let p = yLow; p <= yHigh; ++p)
    drawing.append(svg('line', { x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: y(10 ** p), y2: y(10 ** p), class: 'grid' }), svg('text', { x: PLOT.left - 5, y: y(10 ** p) + 4, 'text-anchor': 'end' }, three(10 ** p)));
  const low = Math.max(10 ** xLow, 10 ** yLow * 1000 / peakGbps);
  drawing.append(svg('polyline', { points: `${x(low)},${y(low * peakGbps / 1000)} ${x(ridge)},${y(peakTflops)} ${x(10 ** xHigh)},${y(peakTflops)}`, class: 'roof' }),
    svg('text', { x: PLOT.width - PLOT.right - 4, y: y(peakTflops) - 5, 'text-anchor': 'end' }, `${three(peakTflops)} TFLOPS`),
    svg('text', { x: x(ridge) - 6, y: y(peakTflops) - 5, 'text-anchor': 'end' }, `${three(peakGbps)} GB/s`),
    svg('text', { x: (PLOT.left + PLOT.width) / 2, y: PLOT.height - 6, 'text-anchor': 'middle' }, 'FLOP per byte of HBM'),
    svg('text', { x: 12, y: PLOT.height / 2 - 10, transform: `rotate(-90 12 ${PLOT.height / 2 - 10})`, 'text-anchor': 'middle' }, 'TFLOPS'));
  points.slice().reverse().forEach((p) => {
    const first = p.part === parts[0];
    const dot = svg('circle', { cx: x(p.intensity), cy: y(p.tflops), r: first ? 6 : 4, fill: p.part.colour ?? 'var(--ink)', class: 'dot' }, svg('title', {}, `${p.part.name}: ${three(p.tflops)} TFLOPS, ${three(p.gbps)} GB/s, ${three(p.intensity)} FLOP per byte`));
    drawing.append(dot);
    if (first) drawing.append(svg('text', { x: Math.min(x(p.intensity) + 9, PLOT.width - 100), y: y(p.tflops) + 14, class: 'strong' }, p.part.name));
  });
  return drawing;
}

const MOST_POINTS = 24;

/// The parts of a plot: regions where there are any, else lines that multiply.
function plotted(page) {
  const { trace, schedule } = page;
  const regions = trace.launches.length ? page.partSums('launches', launchSums) : trace.regions.length ? page.partSums('regions', regionSums) : [];
  const parts = regions.length ? regions : [...summed(trace, schedule, (c) => (multiplyAddsOf(trace, c) > 0 ? trace.source[c] : undefined), (source) => placeOf(trace, source)).values()].map((p) => ({ ...p, time: p.busy }));
  return parts.filter((p) => p.multiplyAdds > 0 || p.bytes > 0).slice(0, MOST_POINTS).map((p, i) => ({ ...p, colour: nthColour(i) }));
}

export function rooflinePanel(page) {
  const { trace, schedule } = page;
  const whole = wholeSum(trace, schedule);
  const rates = whole && ratesOf(trace, whole);
  const head = [el('h2', {}, 'Roofline')];
  if (!whole || !rates.peakTflops || !rates.peakGbps) return [...head, el('p', { id: 'roofline-words' }, 'This trace does not say what the chip can do at most: write it again with this version of the tool.')];
  const parts = plotted(page);
  const bound = rates.intensity * rates.peakGbps / 1000;
  const roof = Math.min(bound, rates.peakTflops);
  const verdict = rates.intensity === 0 || rates.intensity === Infinity ? 'It multiplies nothing that comes from HBM, so it has no place on the roofline.'
    : `At ${three(rates.intensity)} FLOP per byte the roof is ${three(roof)} TFLOPS, set by ${bound < rates.peakTflops ? 'HBM' : 'the multipliers'}; ${whole.name} reaches ${ofPeak(rates.tflops, roof)} of it.`;
  const row = (part, r) => [el('span', {}, el('i', { class: 'swatch', style: `background:${part.colour ?? 'var(--ink)'}` }), part.name), ...[r.tflops, r.gbps, r.intensity].map((n) => el('div', { class: 'number' }, three(n))), el('div', { class: 'number' }, inTime(part.time, trace.core_mhz))];
  return [...head, el('p', { id: 'roofline-words' }, `${achievedWords(trace, whole)}. ${verdict}`), plotOf(trace, [whole, ...parts]),
    table(['', 'TFLOPS', 'GB/s', 'FLOP/byte', 'time'], [row(whole, rates), ...parts.map((part) => row(part, ratesOf(trace, part)))], { id: 'roofline' }),
    el('p', { class: 'quiet' }, 'A multiply-add is two FLOP; those of padding count, too. Bytes are those that DMA moves from or to HBM. The time of a region is that of its spans, of a line that of its commands.')];
}
