// The mapping explorer: the cells of a tensor or of a stream, a row for each unit that holds a part of it, and the way of one element through memories and time.
import { button, el, table } from './dom.js';
import { axesHeld, axesOfTensor, cellOf, dmBank, finestStep, hbmChannel, largestIndex, tensorMapping } from './mapping.js';
import { Journeys } from './journey.js';
import { inkOn, mixed, nthColour, SHARE_COLOURS } from './colours.js';
import { valueText } from './values.js';
import { inBytes, placeOf, rangesOf, withCommas } from './words.js';

const HEIGHT = 420;   // pixels at most
const LARGEST = 22;  // pixels of a cell at first
const MOST_LISTED = 400;  // tensors in the list; further ones are reached by a click in the picture
const SIDE = 52;      // pixels left of the cells, for the numbers of rows
const TOP = 16;       // and above them, for those of columns
const BLOCK_GAP = 3;  // between blocks of the innermost part of a mapping
const EVERY_AXIS = 'every axis';
const AXIS_COLOURS = ['#0072b2', '#c77c00', '#00805d', '#b5532a', '#a4568a', '#3f86ad'];

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

const FEW = 16;      // columns that a folded mapping has at least, or half of them where cells have numbers in them,
const ENOUGH = 64;  // and if it is one term, how many

/// A mapping as rows and columns. One that lies in a single unit is folded at its innermost terms.
function gridOf(mapping, numbered = false) {
  const units = mapping.units.reduce((n, l) => n * l.size, 1);
  const cells = mapping.inner.reduce((n, l) => n * l.size, 1);
  if (units > 1) return { rows: units, columns: cells, units };
  const parts = mapping.inner.flatMap((l) => l.parts);
  let columns = 1;
  for (let i = parts.length; i-- > 0 && columns < (numbered ? FEW / 2 : FEW);) columns *= parts[i].size;
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

/// One colour for each axis: pale at 0, full at its end.
function axisRamps(mapping, axes) {
  return axesHeld(mapping).map((axis, i) => ({ axis, most: Math.max(1, highestOf(mapping, axis, axes)), colour: AXIS_COLOURS[i % AXIS_COLOURS.length] }));
}
function rampColour({ colour, most }, at) {
  return mixed('#ffffff', colour, 0.08 + 0.82 * Math.min(1, at / most));
}

/// How many cells lie together before a gap: the innermost part of the columns, and the last of the rows.
function blocksOf(mapping, grid) {
  const parts = mapping.inner.flatMap((l) => l.parts).map((part) => part.size);
  const across = parts.length > 1 ? parts[parts.length - 1] : 0;
  const rows = grid.units > 1 ? mapping.units.flatMap((l) => l.parts).map((part) => part.size) : parts.slice(0, -1);
  const down = rows.length > 1 ? rows[rows.length - 1] : 0;
  return [across > 1 && across < grid.columns ? across : 0, down > 1 && down < grid.rows ? down : 0];
}

/// Where a column or a row begins in its panel, in pixels: with a gap after each block.
function pixelAt(state, k, i) {
  const cells = Math.floor(i / state.every[k]);
  const gaps = state.blocks[k] && state.every[k] === 1 ? Math.floor(i / state.blocks[k]) - Math.floor((k ? state.top : state.left) / state.blocks[k]) : 0;
  const first = Math.floor((k ? state.top : state.left) / state.every[k]);
  return (k ? TOP : SIDE) + (cells - first) * state.size[k] + gaps * BLOCK_GAP;
}

const LEAST_BAND = 11;     // pixels of a band with a number in it
const LEAST_PANEL = 150;   // pixels across

/// Cells with a band for each axis where these can be read; else a picture for each axis, beside each other or one below the other.
function arrange(state, width) {
  const { grid, ramps } = state;
  const gaps = (k, count) => (state.blocks[k] ? Math.ceil(count / state.blocks[k]) * BLOCK_GAP : 0);
  const fitting = (room, count, most) => Math.max(1, Math.min(most, Math.floor(room / count)));
  const bands = ramps?.length ?? 1;
  const widest = ramps ? Math.max(LARGEST, 10 + 7 * Math.max(...ramps.map((r) => String(r.most).length), 1)) : LARGEST;
  const sizes = (across, down, most) => [fitting(across - SIDE - (state.every[0] === 1 ? gaps(0, grid.columns) : 0), Math.ceil(grid.columns / state.every[0]), widest),
    fitting(down - TOP - (state.every[1] === 1 ? gaps(1, grid.rows) : 0), Math.ceil(grid.rows / state.every[1]), most)];
  const everyNth = (count, room) => 2 ** Math.ceil(Math.log2(Math.max(1, count / Math.max(1, room))));
  const counts = (across, down) => [everyNth(grid.columns, across - SIDE), everyNth(grid.rows, down - TOP)];
  state.panels = [{ x: 0, y: 0, width, height: state.height, ramps }];
  state.every = counts(width, state.height);
  state.size = sizes(width, state.height, ramps ? 15 * bands : LARGEST);
  if (ramps && bands > 1 && (state.size[1] < LEAST_BAND * bands || state.size[0] < 14)) {
    const beside = width / bands >= LEAST_PANEL;
    const [across, down] = beside ? [Math.floor(width / bands), state.height] : [width, Math.floor(state.height / bands)];
    state.panels = ramps.map((ramp, i) => ({ x: beside ? i * across : 0, y: beside ? 0 : i * down, width: across, height: down, ramps: [ramp] }));
    state.every = counts(across, down);
    state.size = sizes(across, down, LARGEST);
    const used = Math.min(down, pixelAt(state, 1, grid.rows) + 8);
    state.panels.forEach((panel, i) => Object.assign(panel, { height: used, y: beside ? 0 : i * used }));
  }
}

/// Cells of `size` pixels across and down; of a mapping with more cells than pixels, each pixel stands for `every` of them.
function paint(canvas, state) {
  const width = canvas.clientWidth;
  if (!state.panels) {
    arrange(state, width);
    const used = Math.max(...state.panels.map((p) => p.y + Math.min(p.height, pixelAt(state, 1, state.grid.rows) + 2)));
    state.height = Math.min(state.height, Math.ceil(used));
    canvas.style.height = `${state.height}px`;
  }
  const ctx = canvas.getContext('2d', { alpha: false });
  const sharp = window.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.floor(width * sharp), Math.floor(state.height * sharp)];
  ctx.setTransform(sharp, 0, 0, sharp, 0, 0);
  ctx.fillStyle = state.ground;
  ctx.fillRect(0, 0, width, state.height);
  state.scale.textContent = scaleWords(state);
  for (const panel of state.panels) paintPanel(ctx, state, panel);
}

function paintPanel(ctx, state, panel) {
  const { mapping, grid, axes, colour, size: [wide, high], every: [across, down] } = state;
  ctx.save();
  ctx.beginPath();
  ctx.rect(panel.x, panel.y, panel.width, panel.height);
  ctx.clip();
  ctx.translate(panel.x, panel.y);
  drawNumbers(ctx, state, panel);
  const [w, h] = [wide > 3 ? wide - 1 : wide, high > 3 ? high - 1 : high];
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.font = '11px system-ui, sans-serif';
  for (let row = state.top, y; row < grid.rows && (y = pixelAt(state, 1, row)) < panel.height; row += down)
    for (let column = state.left, x; column < grid.columns && (x = pixelAt(state, 0, column)) < panel.width; column += across) {
      const cell = cellAt(mapping, grid, axes, row, column);
      if (!cell) continue;
      if (panel.ramps && cell.index) drawBands(ctx, panel.ramps, cell, x, y, w, h);
      else {
        ctx.fillStyle = cell.index ? colour(cell) : PAD_COLOURS[cell.pad];
        ctx.fillRect(x, y, w, h);
      }
      if (wide > 5 && high > 5) mark(ctx, cell, x, y, w, h);
    }
  ctx.restore();
}

/// A band for each axis, with its index where there is room.
function drawBands(ctx, ramps, cell, x, y, w, h) {
  const tall = h / ramps.length;
  ramps.forEach((ramp, i) => {
    const at = cell.index[ramp.axis] ?? 0;
    const colour = rampColour(ramp, at);
    ctx.fillStyle = colour;
    ctx.fillRect(x, y + i * tall, w, tall);
    if (tall < 11 || w < 8 + 6 * String(at).length) return;
    ctx.fillStyle = inkOn(colour);
    ctx.fillText(String(at), x + w / 2, y + (i + 0.5) * tall + 0.5);
  });
}

/// Numbers of rows and columns, as many as do not touch.
function drawNumbers(ctx, state, { width, height, ramps }) {
  const { grid } = state;
  ctx.fillStyle = state.faint;
  ctx.font = '10px system-ui, sans-serif';
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'right';
  const name = grid.units > 1 ? 1 : grid.columns;
  const step = (k, room) => {  // how many lie between two numbers: powers of two, so that these are round
    let cells = state.every[k];
    while (cells / state.every[k] * state.size[k] < room) cells *= 2;
    return cells;
  };
  const rowStep = step(1, 13);
  for (let row = state.top, y; row < grid.rows && (y = pixelAt(state, 1, row)) < height - 4; row += state.every[1]) {
    if (row % rowStep !== 0) continue;
    ctx.fillText(withCommas(row * name), SIDE - 5, y + Math.min(state.size[1], 14) / 2);
  }
  ctx.textAlign = 'left';
  if (ramps && state.panels.length > 1) {
    ctx.fillText(ramps[0].axis, 2, TOP / 2);
  }
  const columnStep = step(0, 14 + 6 * String(grid.columns).length);
  for (let column = state.left, x; column < grid.columns && (x = pixelAt(state, 0, column)) < width - 10; column += state.every[0]) {
    const words = withCommas(column);
    if (column % columnStep !== 0) continue;
    ctx.fillText(words, x, TOP / 2);
  }
}

/// Which part of the mapping is seen, where it is not all of it.
function scaleWords({ grid, top, left, size: [wide, high], every: [across, down], panels: [panel] }) {
  const part = (word, first, count, pixels, every) => {
    const last = Math.min(count, first + Math.ceil(pixels) * every) - 1;
    const nth = every > 1 ? `, one in ${withCommas(every)}` : '';
    return first > 0 || last < count - 1 || every > 1 ? [`${word} ${withCommas(first)} to ${withCommas(last)} of ${withCommas(count)}${nth}`] : [];
  };
  return [...part('rows', top, grid.rows, (panel.height - TOP) / high, down), ...part('columns', left, grid.columns, (panel.width - SIDE) / wide, across)].join('; ');
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
    const at_ = (k, pixel, first, count) => {  // the last that begins before the point
      let i = first;
      while (i + state.every[k] < count && pixelAt(state, k, i + state.every[k]) <= pixel) i += state.every[k];
      return i;
    };
    const panel = state.panels?.find((p) => e.offsetX >= p.x && e.offsetX < p.x + p.width && e.offsetY >= p.y && e.offsetY < p.y + p.height);
    if (!panel || e.offsetX - panel.x < SIDE || e.offsetY - panel.y < TOP) return null;
    const [row, column] = [at_(1, e.offsetY - panel.y, state.top, state.grid.rows), at_(0, e.offsetX - panel.x, state.left, state.grid.columns)];
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
  return text && / Packet\[/.test(text) ? { name: `the stream after ${name}`, mapping: text, memory: 'stream', begin: 0 } : null;
}

export function mappingPanel(page) {
  const { trace, view } = page;
  const stream = streamOf(trace, view.stream);
  if (trace.tensors.length === 0 && !stream) return [el('p', {}, 'This trace has no tensors.')];
  const t = view.tensor >= 0 ? view.tensor : 0;
  const axes = { ...axesOfTensor(trace, t), ...page.axesGiven };
  const shown = stream ?? trace.tensors[t];
  const redraw = () => page.openTab('mapping');
  const head = [el('div', { class: 'row' }, chooseTensor(page, t, stream, redraw)), el('p', { class: 'code' }, shown.mapping), axesRow(page, axes, shown.mapping, redraw)];
  let mapping;
  try {
    mapping = tensorMapping(shown.mapping, axes);
    if (mapping.levels.length === 0) throw new Error('this trace does not say how the tensor is stored');
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
  const ways = [EVERY_AXIS, ...axesHeld(mapping), 'slice', ...(shown.memory === 'DM' && geometry.dm_banks ? ['bank'] : []), ...(shown.memory === 'HBM' && geometry.channels ? ['channel'] : [])];
  const by = ways.includes(page.view.by) ? page.view.by : ways[0];
  const colours = el('select', { id: 'mapping-by', 'aria-label': 'colour cells by', onchange: (e) => { page.view.by = e.target.value; redraw(); } }, ways.map((w) => el('option', { value: w, selected: w === by }, w)));
  const grid = gridOf(mapping, by === EVERY_AXIS);
  const tip = el('p', { class: 'quiet', id: 'mapping-tip' }, 'A cell is an element; point at one to see which, click to follow it. Wheel scrolls, shift sideways, ctrl zooms.');
  const every = by === EVERY_AXIS;
  const ramps = every ? axisRamps(mapping, axes) : null;
  const room = byWindow();
  const height = Math.min(room, TOP + 4 + grid.rows * (every ? 15 * Math.max(1, ramps.length) : LARGEST) + Math.ceil(grid.rows / 2) * 2);
  const canvas = el('canvas', { id: 'mapping-cells', style: `width:100%;height:${height}px;display:block`, 'aria-label': 'cells of the tensor' });
  const ground = getComputedStyle(document.documentElement).getPropertyValue('--lane').trim();
  const scale = el('p', { class: 'quiet', id: 'mapping-scale' });
  const faint = getComputedStyle(document.documentElement).getPropertyValue('--faint').trim();
  const state = { scale, height, mapping, grid, axes, ramps, colour: every ? null : colourOf(geometry, shown.begin, mapping, axes, by), ground, faint, left: 0, top: 0, tip, blocks: blocksOf(mapping, grid),
    cellAt: (row, column) => [pixelAt(state, 0, column), pixelAt(state, 1, row)] };
  requestAnimationFrame(() => canvas.isConnected && paint(canvas, state));
  page.mappingState = state;
  listen(canvas, state, (element) => {
    if (shown.memory === 'stream') return;
    page.view.element = element;
    page.remember();
    redraw();
  });
  const size = shown.end > shown.begin ? `, ${inBytes(shown.end - shown.begin)}${grid.units > 1 ? ' each' : ''}` : '';
  return [el('div', { class: 'row' }, el('label', {}, 'colour ', colours), button('large', () => {
    page.setSide(document.getElementById('side').offsetWidth > window.innerWidth * 0.6 ? 0 : window.innerWidth * 0.72, false);
    redraw();
  }, { id: 'mapping-large', title: 'a wide panel, or as it was' }), el('span', { class: 'quiet' }, `${withCommas(grid.rows)} rows${grid.units > 1 ? ` (${mapping.units.map((l) => l.name.toLowerCase()).join(', ')})` : ''} of ${withCommas(grid.columns)}; ${mapping.type}${size}`)),
    canvas, scale, cellLegend(mapping, axes, by, geometry), tip];
}

/// A wide panel is for looking at: its picture is higher, too.
function byWindow() {
  return document.getElementById('side').offsetWidth > window.innerWidth * 0.6 ? Math.max(HEIGHT, window.innerHeight - 330) : HEIGHT;
}

function cellLegend(mapping, axes, by, geometry) {
  const swatch = (colour, word) => el('span', { class: word ? 'entry' : '' }, el('i', { class: 'swatch', style: `background:${colour};border:1px solid var(--faint)` }), `${word} `);
  const counted = { bank: geometry.dm_banks, channel: geometry.channels }[by];
  const colours = by === EVERY_AXIS ? axisRamps(mapping, axes).map((ramp) => el('span', { class: 'entry' }, swatch(rampColour(ramp, 0), ''), swatch(rampColour(ramp, ramp.most), `${ramp.axis}: 0 to ${withCommas(ramp.most)}`))) : by === 'slice' ? ['each slice a colour '] : counted ? Array.from({ length: Math.min(counted, 8) }, (_, i) => swatch(nthColour(i), `${by} ${i}`)).concat(counted > 8 ? 'and so on ' : [])
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

const RELATIONS = { same: 'it is stored here', from: 'it is made of this', into: 'this is made of it' };

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
      el('div', {}, Object.keys(stop.index).length ? el('div', {}, axesText(stop.index)) : null, placesWords(journeys, stop.tensor, stop.places).map((words) => el('div', { class: 'quiet' }, words))),
      el('div', {}, stop.writer >= 0 ? cycles('written by', stop.writer, -1, stop) : el('div', {}, 'there from the beginning'), readers.slice(0, 3).map((c) => cycles('read by', c, 0, stop)),
        readers.length > 3 ? el('div', { class: 'quiet' }, `and by ${withCommas(readers.length - 3)} more`) : null)];
  });
  if (page.values) stops.forEach((stop, i) => rows[i].splice(1, 0, el('span', { class: 'value' }, valueOf(page.values, journeys, stop))));
  return table(['tensor', ...(page.values ? ['value'] : []), 'element and place', 'cycles'], rows, { id: 'way' });
}

/// Where the index does not name one element alone, the value is that of the first.
function valueOf(values, journeys, stop) {
  const value = values.ofStop(journeys, stop);
  if (value === undefined) return 'not kept';
  const elements = new Set(stop.places.map((place) => journeys.byteOf(stop.tensor, place))).size;
  return elements > 1 ? el('span', {}, valueText(value), el('div', { class: 'quiet' }, `first of ${withCommas(elements)}`)) : valueText(value);
}

const MOST_PLACES = 3;

/// Places as ranges: bytes that follow one another at equal steps, and units that hold the same bytes.
function placesWords(journeys, t, places) {
  const { memory } = journeys.trace.tensors[t];
  const byUnit = new Map();
  for (const place of places) {
    const unit = Object.entries(place).filter(([level]) => level !== 'Element');
    const key = unit.filter(([level]) => level !== 'Slice').map(([level, p]) => `, ${level} ${p}`).join('');
    if (!byUnit.has(key)) byUnit.set(key, new Map());
    const slice = place.Slice ?? -1;
    byUnit.get(key).set(slice, [...(byUnit.get(key).get(slice) ?? []), journeys.byteOf(t, place)]);
  }
  const lines = [];
  for (const [unit, bySlice] of byUnit) {
    const byBytes = new Map();
    for (const [slice, bytes] of bySlice) {
      const words = bytesWords([...new Set(bytes)].sort((a, b) => a - b));
      byBytes.set(words, [...(byBytes.get(words) ?? []), slice]);
    }
    for (const [words, slices] of byBytes) {
      const set = rangesOf(slices.sort((a, b) => a - b));
      const short = set.length > 40 ? `${set.slice(0, 40)}\u2026 (${slices.length} in all)` : set;
      lines.push(`${memory} ${words}${slices[0] < 0 ? '' : `, Slice${slices.length > 1 ? 's' : ''} ${short}`}${unit}`);
    }
  }
  return lines.length > MOST_PLACES ? [...lines.slice(0, MOST_PLACES), `and ${withCommas(lines.length - MOST_PLACES)} more`] : lines;
}

function bytesWords(bytes) {
  if (bytes.length === 1) return `byte ${withCommas(bytes[0])}`;
  const step = bytes[1] - bytes[0];
  const even = bytes.every((b, i) => i === 0 || b - bytes[i - 1] === step);
  if (bytes.length === 2) return `bytes ${withCommas(bytes[0])} and ${withCommas(bytes[1])}`;
  return `bytes ${withCommas(bytes[0])} to ${withCommas(bytes[bytes.length - 1])}, ${withCommas(bytes.length)} of them${even ? ` in steps of ${withCommas(step)}` : ''}`;
}
