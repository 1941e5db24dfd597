// Colours that people with any kind of colour vision tell apart, on light and on dark ground; none of them is the only sign of anything:
// bars have labels, waits have a place of their own, and the critical path has a lane.
//
// Each meaning has a palette of its own: engines the full colours of Okabe and Ito, tensors pale ones, regions, functions and lines deep ones, waits and causes of stalls
// reds and browns. A colour that is seen in two places therefore means the same in both.

const DEEP = ['#4a5aa5', '#2f7d5b', '#a0476e', '#8a6d1c', '#357a8f', '#7b4fa3', '#9c5138', '#5d6b2f', '#66707d'];
const PALE = ['#b7c9e8', '#f0cfae', '#bfe0c4', '#e3c2dc', '#ece3a8', '#b5dfe3', '#e6bcb8', '#d3cdb8', '#cfd8a8', '#d6c7f0'];

export const RESOURCE_COLOURS = new Map([
  ['main', '#0072b2'], ['sub', '#56b4e9'], ['tensor DMA', '#e69f00'], ['PCIe DMA', '#cc79a7'], ['vector engine', '#009e73'],
]);
export const WAIT_COLOURS = new Map([
  ['raw', '#d55e00'], ['war', '#a0309a'], ['waw', '#5b45d6'], ['resource', '#8a8a8a'], ['starvation', '#c9c41a'], ['barrier', '#4d4d4d'], ['start', '#bcd3ea'],
]);
export const WAIT_WORDS = new Map([
  ['raw', 'for data (raw)'], ['war', 'until it has been read (war)'], ['waw', 'until it has been written (waw)'],
  ['resource', 'for an engine'], ['starvation', 'for a DM bank (64 accesses)'], ['barrier', 'for the round of a loop'], ['start', 'for the first command'],
]);
const PART_COLOURS = new Map([
  ['start-up', '#a8adb5'], ['streaming', '#5f8f8a'], ['slowest engine', '#c7ad78'], ['stall: dmn', '#b5651d'], ['stall: partial-write', '#8c2d04'], ['stall: hbm-row', '#d98e5f'],
  ['stall: hbm-channel', '#7a4f2a'], ['stall: dm-bank', '#a33b52'], ['stall: trf-bank', '#c97f92'], ['stall: shared-medium', '#6e5a4b'], ['stall: pcie', '#94738f'], ['stall: broadcast', '#b39b3e'],
  ['stall: starvation', '#8c6d1f'], ['stall: table', '#84868c'], ['stall: lag', '#9d7f92'],
]);

export function partColour(name, i) {
  return PART_COLOURS.get(name) ?? mixed(['#8c2d04', '#b5651d', '#7a4f2a', '#d98e5f'][i % 4], '#ffffff', 0.25);
}

/// The colour of the i-th of many regions, functions, lines or slices; after the last, lighter and duller forms. None is so light or dark that it vanishes on either ground.
export function nthColour(i) {
  const base = DEEP[i % DEEP.length];
  const round = Math.floor(i / DEEP.length) % 3;
  return round === 0 ? base : mixed(base, ['#ffffff', '#a39a8c'][round - 1], 0.4);
}

/// The colour of the i-th of many tensors.
export function tensorColour(i) {
  const round = Math.floor(i / PALE.length) % 3;
  return round === 0 ? PALE[i % PALE.length] : mixed(PALE[i % PALE.length], ['#7d8794', '#5c5148'][round - 1], 0.28);
}

/// By tensor: tiles and views of a tensor have its name, and its colour. The same in memories and in commands that are coloured by tensor.
export function tensorColours(trace) {
  if (trace.tensorColours) return trace.tensorColours;
  const numbers = new Map();
  trace.familyNumbers = numbers;
  return trace.tensorColours = trace.tensors.map(({ name }) => {
    const family = tensorFamily(name);
    if (!numbers.has(family)) numbers.set(family, numbers.size);
    return tensorColour(numbers.get(family));
  });
}

/// Dark blue to yellow (cividis), in nine steps: how much of a command is stall.
export const SHARE_COLOURS = ['#00224e', '#1a386f', '#434e6c', '#61656f', '#7d7c78', '#9b9476', '#bbae6e', '#dcca5e', '#fee838'];

export function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

export function mixed(a, b, share) {
  const [x, y] = [channels(a), channels(b)];
  return `#${x.map((v, i) => Math.round(v + (y[i] - v) * share).toString(16).padStart(2, '0')).join('')}`;
}

/// As ImageData has it on a little-endian machine.
export function pixelOf(hex) {
  const [r, g, b] = channels(hex);
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/// Black or white, whichever can be read on it.
export function inkOn(hex) {
  const [r, g, b] = channels(hex).map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? '#000000' : '#ffffff';
}

export const COLOUR_MODES = [
  ['engine', 'engine'], ['region', 'region'], ['function', 'source function'], ['line', 'source line'], ['tensor', 'tensor'], ['stall', 'share of stalls'], ['slack', 'slack'],
];

const FULL = 200;   // entries of a palette; further things share colours
const LISTED = 12;  // in the legend

/// For a way of colouring: which colour each command has, and what the colours mean. `tensor` needs the block `ranges`.
export function colouring(trace, schedule, mode) {
  const index = new Uint8Array(trace.n);
  if (mode === 'stall') {
    for (let c = 0; c < trace.n; ++c) index[c] = stepOf(trace.stalled[c], trace.length[c]);
    return { index, palette: SHARE_COLOURS, legend: SHARE_COLOURS.map((colour, i) => [colour, `${Math.round(i * 100 / 8)} %`]) };
  }
  if (mode === 'slack') {
    let most = 1;
    for (let c = 0; c < trace.n; ++c) if (schedule.slack[c] > most) most = schedule.slack[c];
    for (let c = 0; c < trace.n; ++c) index[c] = 8 - stepOf(schedule.slack[c], most);
    return { index, palette: SHARE_COLOURS, legend: [[SHARE_COLOURS[8], 'no slack'], [SHARE_COLOURS[4], 'half of the most'], [SHARE_COLOURS[0], `${most} cycles`]] };
  }
  const names = new Map();
  for (let c = 0; c < trace.n; ++c) {
    const key = keyOf(trace, mode, c);
    let number = names.get(key);
    if (number === undefined) names.set(key, number = names.size);
    index[c] = number % FULL;
  }
  const keys = [...names.keys()].slice(0, FULL);
  if (mode === 'tensor') tensorColours(trace);
  const regions = mode === 'region' ? new Map([...new Set(trace.regions.map((r) => r.name))].map((name, i) => [name, i])) : null;
  const colourOf = (key, i) => {
    if (mode === 'engine') return RESOURCE_COLOURS.get(trace.resources_names[key]) ?? nthColour(i);
    if (mode === 'tensor') return key === '' ? '#9a9a9a' : tensorColour(trace.familyNumbers.get(key) ?? i);
    if (mode === 'region') return key === '' ? '#9a9a9a' : nthColour(regions.get(key) % FULL);
    return nthColour(i);
  };
  const palette = keys.map(colourOf);
  const words = keys.slice(0, LISTED).map((key) => wordOf(trace, mode, key));
  const shorter = mode === 'function' ? withoutCommonPart(words) : words;
  return { index, palette, legend: shorter.map((word, i) => [palette[i], word]), more: names.size - shorter.length };
}

/// Names without the namespaces that all of them have.
function withoutCommonPart(names) {
  const parts = names.map((name) => name.split('::'));
  let common = 0;
  while (names.length > 1 && parts.every((p) => p.length > common + 1 && p[common] === parts[0][common])) ++common;
  return parts.map((p) => p.slice(common).join('::'));
}

function stepOf(part, whole) {
  return whole > 0 ? Math.min(8, Math.max(0, Math.round(part * 8 / whole))) : 0;
}

/// A name of many iterations, "tile_3" or "tile[3]", counts as one tensor. "%3" is a tensor without a name: each is one of its own.
function tensorFamily(name) {
  return /%\d+$/.test(name) ? name : name.replace(/[[_]?\d+\]?$/, '');
}

function keyOf(trace, mode, c) {
  if (mode === 'engine') return trace.resources.number[trace.resources.at[c]];
  if (mode === 'line') return trace.source[c];
  if (mode === 'region') return trace.region[c] < 0 ? '' : trace.regions[trace.region[c]].name;
  if (mode === 'function') return trace.source[c] < 0 ? '' : trace.sources[trace.source[c]].function || trace.sources[trace.source[c]].file;
  for (const list of [trace.writes, trace.reads])
    for (let r = list.at[c]; r < list.at[c + 1]; ++r) if (list.tensor[r] >= 0) return tensorFamily(trace.tensors[list.tensor[r]].name);
  return '';
}

function wordOf(trace, mode, key) {
  if (mode === 'engine') return trace.resources_names[key];
  if (mode === 'line') return key < 0 ? 'no line' : `${trace.sources[key].file.split('/').pop()}:${trace.sources[key].line}`;
  return key === '' ? `no ${mode}` : String(key);
}
