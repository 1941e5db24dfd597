// The mapping explorer: the cells of a tensor or of a stream, a row for each unit that holds a part of it, and the way of one element through memories and time.
import { button, el, table } from './dom.js';
import { axesHeld, cellOf, dmBank, finestStep, hbmChannel, largestIndex, tensorMapping } from './mapping.js';
import { Journeys } from './journey.js';
import { nthColour, SHARE_COLOURS } from './colours.js';
import { inBytes, placeOf, withCommas } from './words.js';

const HEIGHT = 320;   // pixels at most
const LARGEST = 14;  // pixels of a cell at first
const MOST_LISTED = 400;  // tensors in the list; further ones are reached by a click in the picture

function axesText(axes) {
  return Object.entries(axes).map(([name, size]) => `${name}=${size}`).join(', ');
}

/// "I=0, K=3".
function readNumbers(text) {
  return Object.fromEntries([...text.matchAll(/([A-Za-z_]\w*)\s*=\s*(\d+)/g)].map((m) => [m[1], Number(m[2])]));
}
function readSizes(text) {
  return Object.fromEntries(Object.entries(readNumbers(text)).filter(([, size]) => size > 0));
}

const FEW = 16;      // columns that a folded mapping has at least,
const ENOUGH = 64;  // and if it is one term, how many

/// A mapping as rows and columns. One that lies in a single unit is folded at its innermost terms.
function gridOf(mapping) {
  const units = mapping.units.reduce((n, l) => n * l.size, 1);
  const cells = mapping.inner.reduce((n, l) => n * l.size, 1);
  if (units > 1) return { rows: units, columns: cells, units };
  const parts = mapping.inner.flatMap((l) => l.parts);
  let columns = 1;
  for (let i = parts.length; i-- > 0 && columns < FEW;) columns *= parts[i].size;
  if (columns === cells) columns = Math.min(columns, ENOUGH);
  return { rows: Math.ceil(cells / columns), columns, units };
}

/// What lies at a cell: {unit, position, levels, index or pad}; null beyond the end.
export function cellAt(mapping, grid, axes, row, column) {
  const [unit, position] = grid.units > 1 ? [row, column] : [0, row * grid.columns + column];
  const levels = {};
  let rest = position;
  for (const level of [...mapping.inner].reverse()) {
    levels[level.name] = rest % level.size;
    rest = Math.floor(rest / level.size);
  }
  if (rest > 0) return null;
  rest = unit;
  for (const level of [...mapping.units].reverse()) {
    levels[level.name] = rest % level.size;
    rest = Math.floor(rest / level.size);
  }
  return { unit, position, levels, ...cellOf(mapping.levels, mapping.levels.map((l) => levels[l.name]), axes) };
}

const PAD_WORDS = { zero: 'padding, zero (#z)', top: 'padding, undefined (#)', bottom: 'padding, never touched (#!)' };
const PAD_COLOURS = { zero: '#ffffff', top: '#b9bec6', bottom: '#3a3d42' };

/// The end of the scale for an axis. Of a mapping that is too long to look through, the end of the axis.
function highestOf(mapping, axis, axes) {
  try {
    return largestIndex(mapping, axis, axes);
  } catch {
    return axes[axis] - 1;
  }
}

function colourOf(geometry, begin, mapping, axes, by) {
  const ramp = (share) => SHARE_COLOURS[Math.min(8, Math.floor(share * 9))];
  const address = (cell) => begin + Math.floor(cell.position * mapping.bits / 8);
  if (by === 'slice') return (cell) => nthColour(cell.levels.Slice ?? cell.unit);
  if (by === 'bank') return (cell) => nthColour(dmBank(address(cell), geometry));
  if (by === 'channel') return (cell) => nthColour(hbmChannel(address(cell), geometry.channel_bits));
  const most = highestOf(mapping, by, axes) + 1;
  return (cell) => ramp((cell.index[by] ?? 0) / most);
}

/// Cells of `size` pixels across and down; of a mapping with more cells than pixels, each pixel stands for `every` of them.
function paint(canvas, state) {
  const { mapping, grid, axes, colour, ground } = state;
  const ctx = canvas.getContext('2d', { alpha: false });
  canvas.width = canvas.clientWidth;
  canvas.height = state.height;
  ctx.fillStyle = ground;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  const fitting = (room, count) => Math.max(1, Math.min(LARGEST, Math.floor(room / count)));
  state.size ??= [fitting(canvas.width, grid.columns), fitting(state.height, grid.rows)];
  state.every ??= [Math.ceil(grid.columns / canvas.width), Math.ceil(grid.rows / state.height)];
  const { size: [wide, high], every: [across, down] } = state;
  state.scale.textContent = scaleWords(state, canvas);
  const [w, h] = [wide > 3 ? wide - 1 : wide, high > 3 ? high - 1 : high];
  for (let y = 0; y * high < state.height && state.top + y * down < grid.rows; ++y)
    for (let x = 0; x * wide < canvas.width && state.left + x * across < grid.columns; ++x) {
      const cell = cellAt(mapping, grid, axes, state.top + y * down, state.left + x * across);
      if (!cell) continue;
      ctx.fillStyle = cell.index ? colour(cell) : PAD_COLOURS[cell.pad];
      ctx.fillRect(x * wide, y * high, w, h);
      if (wide > 5 && high > 5) mark(ctx, cell, x * wide, y * high, w, h);
    }
}

/// Which part of the mapping is seen, where it is not all of it.
function scaleWords({ grid, top, left, size: [wide, high], every: [across, down] }, canvas) {
  const part = (word, first, count, pixels, every) => {
    const last = Math.min(count, first + Math.ceil(pixels) * every) - 1;
    const nth = every > 1 ? `, one in ${withCommas(every)}` : '';
    return first > 0 || last < count - 1 || every > 1 ? [`${word} ${withCommas(first)} to ${withCommas(last)} of ${withCommas(count)}${nth}`] : [];
  };
  return [...part('rows', top, grid.rows, canvas.height / high, down), ...part('columns', left, grid.columns, canvas.width / wide, across)].join('; ');
}

/// Padding is not told by its colour alone, nor is a cell with several elements.
function mark(ctx, cell, x, y, w, h) {
  if (cell.index && cell.ways === 1) return;
  ctx.strokeStyle = cell.pad === 'bottom' || cell.index ? '#ffffff' : '#5c6066';
  ctx.lineWidth = 1;
  ctx.beginPath();
  if (cell.pad === 'zero') ctx.arc(x + w / 2, y + h / 2, Math.min(w, h) / 4, 0, 7);
  if (cell.pad === 'bottom' || cell.pad === 'top') {
    ctx.moveTo(x, y + h);
    ctx.lineTo(x + w, y);
  }
  if (cell.pad === 'bottom') {
    ctx.moveTo(x, y);
    ctx.lineTo(x + w, y + h);
  }
  if (cell.index) ctx.rect(x + w / 4, y + h / 4, w / 2, h / 2);
  ctx.stroke();
}

function zoomCells(state, nearer) {
  if (nearer && Math.max(...state.every) > 1) state.every = state.every.map((n) => Math.max(1, Math.floor(n / 2)));
  else if (!nearer && Math.max(...state.size) === 1) state.every = state.every.map((n) => Math.min(4096, n * 2));
  else state.size = state.size.map((n) => Math.max(1, Math.min(24, n + (nearer ? 1 : -1))));
}

function cellWords(state, cell) {
  const where = state.mapping.levels.map(({ name }) => `${name} ${cell.levels[name]}`).join(', ');
  const more = cell.ways > 1 ? ` and ${cell.ways - 1} more of a window` : '';
  return `${where}: ${cell.index ? axesText(cell.index) + more : PAD_WORDS[cell.pad]}`;
}

/// Without axes of which the mapping tells only blocks: these say which copy, not which element.
function wholeIndex(mapping, index) {
  try {
    return Object.fromEntries(Object.entries(index).filter(([axis]) => finestStep(mapping, axis) <= 1));
  } catch {
    return index;  // too long to look through
  }
}

function listen(canvas, state, pick) {
  const at = (e) => {
    const [row, column] = [state.top + Math.floor(e.offsetY / state.size[1]) * state.every[1], state.left + Math.floor(e.offsetX / state.size[0]) * state.every[0]];
    return row < state.grid.rows && column < state.grid.columns ? cellAt(state.mapping, state.grid, state.axes, row, column) : null;
  };
  canvas.addEventListener('wheel', (e) => {
    e.preventDefault();
    if (e.ctrlKey) zoomCells(state, e.deltaY < 0);
    else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) state.left = Math.max(0, Math.min(state.grid.columns - 1, state.left + Math.sign(e.deltaX || e.deltaY) * 8));
    else state.top = Math.max(0, Math.min(state.grid.rows - 1, state.top + Math.sign(e.deltaY) * 8));
    paint(canvas, state);
  }, { passive: false });
  canvas.addEventListener('pointermove', (e) => {
    const cell = at(e);
    state.tip.textContent = cell ? cellWords(state, cell) : '';
  });
  canvas.addEventListener('click', (e) => {
    const cell = at(e);
    if (cell?.index) pick(axesText(wholeIndex(state.mapping, cell.index)).replaceAll(' ', ''));
  });
}

/// The stages of passes whose streams can be drawn, by "configuration.stage".
function streamOf(trace, word) {
  const [configuration, stage] = word.split('.').map(Number);
  const [name, text] = trace.configurations[configuration]?.stages[stage] ?? [];
  return text && / Packet\[/.test(text) ? { name: `the stream behind ${name}`, mapping: text, memory: 'stream', begin: 0 } : null;
}

export function mappingPanel(page) {
  const { trace, view } = page;
  const stream = streamOf(trace, view.stream);
  if (trace.tensors.length === 0 && !stream) return [el('p', {}, 'This trace has no tensors.')];
  const axes = { ...trace.axes, ...page.axesGiven };
  const t = view.tensor >= 0 ? view.tensor : 0;
  const shown = stream ?? trace.tensors[t];
  const redraw = () => page.openTab('mapping');
  const head = [el('div', { class: 'row' }, chooseTensor(page, t, stream, redraw)), el('p', { class: 'code' }, shown.mapping), axesRow(page, axes, shown.mapping, redraw)];
  let mapping;
  try {
    mapping = tensorMapping(shown.mapping, axes);
    if (mapping.levels.length === 0) throw new Error('this trace does not say how the tensor lies');
  } catch (e) {
    return [...head, el('p', { class: 'bad', id: 'mapping-problem' }, `${e.message}.`)];
  }
  return [...head, ...drawing(page, shown, mapping, axes, redraw), ...(stream ? [] : elementPart(page, t, mapping, axes, redraw))];
}

function chooseTensor(page, t, stream, redraw) {
  const { trace, view } = page;
  const change = (e) => {
    if (e.target.value === 'stream') return;
    Object.assign(view, { tensor: Number(e.target.value), stream: '', selected: -1, element: '' });
    redraw();
  };
  const option = (x, i) => el('option', { value: i, selected: !stream && i === t }, `${x.name} (${x.memory} at ${withCommas(x.begin)})`);
  return el('select', { id: 'mapping-tensor', 'aria-label': 'tensor', onchange: change }, stream ? el('option', { value: 'stream', selected: true }, stream.name) : null,
    trace.tensors.slice(0, MOST_LISTED).map(option), t >= MOST_LISTED ? option(trace.tensors[t], t) : null);
}

/// A trace of version 1 has no sizes of axes; then they can be typed.
function axesRow(page, axes, text, redraw) {
  const named = new Set(text.match(/[A-Za-z_]\w*/g));
  const own = Object.fromEntries(Object.entries(axes).filter(([axis]) => named.has(axis)));
  if (Object.keys(page.trace.axes).length) return Object.keys(own).length ? el('p', { class: 'quiet', id: 'mapping-axes' }, `axes ${axesText(own)}`) : null;
  const sizes = el('input', { id: 'mapping-axes', value: axesText(axes), size: 40, placeholder: 'I=512, K=64', 'aria-label': 'sizes of axes', onchange: (e) => { page.axesGiven = readSizes(e.target.value); redraw(); } });
  return el('div', { class: 'row' }, el('label', {}, 'axes ', sizes), el('span', { class: 'quiet' }, 'this trace has no sizes of axes: type them'));
}

function drawing(page, shown, mapping, axes, redraw) {
  const { geometry } = page.trace;
  const ways = [...axesHeld(mapping), 'slice', ...(shown.memory === 'DM' && geometry.dm_banks ? ['bank'] : []), ...(shown.memory === 'HBM' && geometry.channels ? ['channel'] : [])];
  const by = ways.includes(page.view.by) ? page.view.by : ways[0];
  const colours = el('select', { id: 'mapping-by', 'aria-label': 'colour cells by', onchange: (e) => { page.view.by = e.target.value; redraw(); } }, ways.map((w) => el('option', { value: w, selected: w === by }, w)));
  const grid = gridOf(mapping);
  const tip = el('p', { class: 'quiet', id: 'mapping-tip' }, 'A cell is an element; point at one to see which, click to follow it. Wheel scrolls, shift sideways, ctrl zooms.');
  const height = Math.min(HEIGHT, grid.rows * LARGEST);
  const canvas = el('canvas', { id: 'mapping-cells', style: `width:100%;height:${height}px;display:block`, 'aria-label': 'cells of the tensor' });
  const ground = getComputedStyle(document.documentElement).getPropertyValue('--lane').trim();
  const scale = el('p', { class: 'quiet', id: 'mapping-scale' });
  const state = { scale, height, mapping, grid, axes, colour: colourOf(geometry, shown.begin, mapping, axes, by), ground, left: 0, top: 0, tip };
  requestAnimationFrame(() => canvas.isConnected && paint(canvas, state));
  page.mappingState = state;
  listen(canvas, state, (element) => {
    if (shown.memory === 'stream') return;
    page.view.element = element;
    page.remember();
    redraw();
  });
  const size = shown.end > shown.begin ? `, ${inBytes(shown.end - shown.begin)}${grid.units > 1 ? ' a unit' : ''}` : '';
  return [el('div', { class: 'row' }, el('label', {}, 'colour ', colours), el('span', { class: 'quiet' }, `${withCommas(grid.rows)} rows${grid.units > 1 ? ` (${mapping.units.map((l) => l.name.toLowerCase()).join(', ')})` : ''} of ${withCommas(grid.columns)}; ${mapping.type}${size}`)),
    canvas, scale, cellLegend(mapping, axes, by, geometry), tip];
}

function cellLegend(mapping, axes, by, geometry) {
  const swatch = (colour, word) => el('span', {}, el('i', { class: 'swatch', style: `background:${colour};border:1px solid var(--faint)` }), `${word} `);
  const counted = { bank: geometry.dm_banks, channel: geometry.channels }[by];
  const colours = by === 'slice' ? ['each slice a colour '] : counted ? Array.from({ length: Math.min(counted, 8) }, (_, i) => swatch(nthColour(i), `${by} ${i}`)).concat(counted > 8 ? 'and so on ' : [])
    : [swatch(SHARE_COLOURS[0], `${by} = 0`), swatch(SHARE_COLOURS[8], `${by} = ${highestOf(mapping, by, axes)}`)];
  const pads = [['#z', 'zero'], ['#!', 'bottom'], ['# ', 'top']].filter(([sign]) => mapping.levels.some((l) => l.text.includes(sign)));
  return el('p', { class: 'quiet', id: 'mapping-legend' }, ...colours, ...pads.map(([, pad]) => swatch(PAD_COLOURS[pad], PAD_WORDS[pad])));
}

/// The element that is followed: typed or clicked, and its way.
function elementPart(page, t, mapping, axes, redraw) {
  const { trace, view } = page;
  const held = axesHeld(mapping);
  const index = readNumbers(view.element);
  const go = (e) => {
    view.element = axesText(readNumbers(e.target.value)).replaceAll(' ', '');
    page.remember();
    redraw();
  };
  const field = el('input', { id: 'mapping-element', value: view.element.replaceAll(',', ', '), placeholder: held.map((a) => `${a}=0`).join(', '), size: 30, 'aria-label': 'element', onchange: go });
  const head = el('div', { class: 'row' }, el('label', {}, 'follow element ', field));
  if (!held.some((a) => a in index)) return [head];
  const beyond = Object.keys(index).find((a) => !(a in axes) || index[a] >= axes[a]);
  if (beyond) return [head, el('p', { class: 'bad', id: 'element-problem' }, beyond in axes ? `${beyond} has ${withCommas(axes[beyond])} elements, from 0 on.` : `There is no axis ${beyond}.`)];
  const way = [head, el('h2', {}, `The way of ${trace.tensors[t].name} at ${view.element.replaceAll(',', ', ')}`)];
  try {
    return [...way, wayTable(page, t, index, axes)];
  } catch (e) {
    return [...way, el('p', { class: 'bad', id: 'element-problem' }, `${e.message}.`)];
  }
}

const RELATIONS = { same: 'it lies here', from: 'it is made of this', into: 'this is made of it' };

function wayTable(page, t, index, axes) {
  const { trace, schedule } = page;
  const journeys = new Journeys(trace, axes);
  const stops = journeys.of(t, index, schedule);
  if (stops.length === 0) return el('p', { class: 'quiet', id: 'way' }, 'No place holds it.');
  const cycles = (what, c, stage, stop) => {
    const about = journeys.inStream(c, stage, stop.index, schedule);
    return el('div', {}, `${what} `, button(`#${c}`, () => page.select(c, true), { class: 'plain' }), ` ${placeOf(trace, trace.source[c])}, cycles ${withCommas(schedule.start[c])} to ${withCommas(schedule.end[c])}`,
      about ? el('span', { class: 'quiet' }, `, about ${withCommas(about.cycle)} (time step ${withCommas(about.step)} of ${withCommas(about.steps)})`) : null);
  };
  const rows = stops.map((stop) => {
    const tensor = trace.tensors[stop.tensor];
    const readers = [...new Set(stop.readers.map((r) => r.command))];
    return [el('div', {}, tensor.name, el('div', { class: 'quiet' }, RELATIONS[stop.relation])),
      el('div', {}, Object.keys(stop.index).length ? el('div', {}, axesText(stop.index)) : null, stop.places.slice(0, 3).map((p) => el('div', { class: 'quiet' }, placeWords(journeys, stop.tensor, p))),
        stop.places.length > 3 ? el('div', { class: 'quiet' }, `and ${withCommas(stop.places.length - 3)} more`) : null),
      el('div', {}, stop.writer >= 0 ? cycles('written by', stop.writer, -1, stop) : el('div', {}, 'there from the beginning'), readers.slice(0, 3).map((c) => cycles('read by', c, 0, stop)),
        readers.length > 3 ? el('div', { class: 'quiet' }, `and by ${withCommas(readers.length - 3)} more`) : null)];
  });
  return table(['tensor', 'element and place', 'cycles'], rows, { id: 'way' });
}

function placeWords(journeys, t, place) {
  const units = Object.entries(place).filter(([level]) => level !== 'Element').map(([level, p]) => `, ${level} ${p}`).join('');
  return `${journeys.trace.tensors[t].memory} byte ${withCommas(journeys.byteOf(t, place))}${units}`;
}
