// The mapping explorer: the cells of a tensor, a row for each unit that holds a part of it, and the way of one element through memories and time.
import { el, table } from './dom.js';
import { axesHeld, axesOf, dmBank, hbmChannel, placesOf, tensorMapping } from './mapping.js';
import { nthColour, SHARE_COLOURS } from './colours.js';
import { inBytes, placeOf, withCommas } from './words.js';

const HEIGHT = 320;
const MOST_LISTED = 400;  // tensors in the list; further ones are reached by a click in the picture

export function axesText(axes) {
  return Object.entries(axes).map(([name, size]) => `${name}=${size}`).join(', ');
}

export function readAxes(text) {
  const axes = {};
  for (const m of text.matchAll(/([A-Za-z_]\w*)\s*=\s*(\d+)/g)) if (Number(m[2]) > 0) axes[m[1]] = Number(m[2]);
  return axes;
}

/// A tensor as rows and columns. One that lies in a single unit is folded at its innermost terms.
function gridOf(mapping) {
  const units = mapping.units.reduce((n, l) => n * l.size, 1);
  const elements = mapping.element.size;
  if (units > 1) return { rows: units, columns: elements, units };
  let columns = 1;
  for (let i = mapping.element.parts.length; i-- > 0 && columns < 32;) columns *= mapping.element.parts[i].size;
  return { rows: Math.ceil(elements / columns), columns, units };
}

/// What lies at a cell: {unit, element, index, level positions}, index null where it is padding.
export function cellAt(mapping, grid, row, column) {
  const [unit, element] = grid.units > 1 ? [row, column] : [0, row * grid.columns + column];
  if (element >= mapping.element.size) return null;
  const index = {};
  let rest = unit;
  let held = mapping.element.at(element, index);
  const levels = {};
  for (let i = mapping.units.length; i-- > 0;) {
    const level = mapping.units[i];
    levels[level.name] = rest % level.size;
    held = level.at(rest % level.size, index) && held;
    rest = Math.floor(rest / level.size);
  }
  return { unit, element, levels, index: held ? index : null };
}

function colourOf(page, tensor, mapping, axes, by) {
  const ramp = (share) => SHARE_COLOURS[Math.min(8, Math.floor(share * 9))];
  const address = (cell) => tensor.begin + Math.floor(cell.element * mapping.bits / 8);
  if (by === 'slice') return (cell) => nthColour(cell.levels.Slice ?? cell.unit);
  if (by === 'bank') return (cell) => nthColour(dmBank(address(cell), page.trace.places));
  if (by === 'channel') return (cell) => nthColour(hbmChannel(address(cell), page.trace.places.hbm_channel_bits));
  return (cell) => ramp((cell.index[by] ?? 0) / Math.max(1, axes[by]));
}

/// Cells of `size` pixels; of a tensor with more cells than pixels, each pixel stands for `every` cells across and down.
function paint(canvas, state) {
  const { mapping, grid, colour, ground } = state;
  const ctx = canvas.getContext('2d', { alpha: false });
  canvas.width = canvas.clientWidth;
  canvas.height = HEIGHT;
  ctx.fillStyle = ground;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  state.size ??= Math.max(1, Math.min(14, Math.floor(canvas.width / grid.columns), Math.floor(HEIGHT / grid.rows)));
  state.every ??= [Math.ceil(grid.columns / canvas.width), Math.ceil(grid.rows / HEIGHT)];
  const { size, every: [across, down] } = state;
  for (let y = 0; y * size < HEIGHT && state.top + y * down < grid.rows; ++y)
    for (let x = 0; x * size < canvas.width && state.left + x * across < grid.columns; ++x) {
      const cell = cellAt(mapping, grid, state.top + y * down, state.left + x * across);
      if (!cell?.index) continue;
      ctx.fillStyle = colour(cell);
      ctx.fillRect(x * size, y * size, size > 3 ? size - 1 : size, size > 3 ? size - 1 : size);
    }
}

function zoomCells(state, nearer) {
  if (nearer && Math.max(...state.every) > 1) state.every = state.every.map((n) => Math.max(1, Math.floor(n / 2)));
  else if (!nearer && state.size === 1) state.every = state.every.map((n) => Math.min(4096, n * 2));
  else state.size = Math.max(1, Math.min(24, state.size + (nearer ? 1 : -1)));
}

/// Whether a command writes what it reads, merely elsewhere: a transfer, or a pass through no engine that computes.
function onlyMoves(trace, c) {
  if (trace.dma.at[c] < trace.dma.at[c + 1]) return true;
  const stages = trace.configuration[c] < 0 ? [] : trace.configurations[trace.configuration[c]].stages;
  return stages.length > 0 && !stages.some(([name]) => /^(contract|accumulate|vector|reduce)/.test(name));
}

/// The tensors that hold the same data: joined by commands that only move it.
export function sameData(trace, t) {
  const joined = new Map();
  const join = (a, b) => joined.set(a, (joined.get(a) ?? new Set()).add(b));
  for (let c = 0; c < trace.n; ++c) {
    if (!onlyMoves(trace, c)) continue;
    for (let r = trace.reads.at[c]; r < trace.reads.at[c + 1]; ++r)
      for (let w = trace.writes.at[c]; w < trace.writes.at[c + 1]; ++w)
        if (trace.reads.tensor[r] >= 0 && trace.writes.tensor[w] >= 0) {
          join(trace.reads.tensor[r], trace.writes.tensor[w]);
          join(trace.writes.tensor[w], trace.reads.tensor[r]);
        }
  }
  const found = new Set([t]);
  for (const at of found) for (const next of joined.get(at) ?? []) if (found.size < 50) found.add(next);
  return [...found];
}

/// Where an element is, tensor by tensor in the order of time.
export function wayOf(page, t, index, axes) {
  const { trace, schedule } = page;
  return sameData(trace, t).map((i) => {
    const tensor = trace.tensors[i];
    const mapping = tensorMapping(tensor, axes);
    const places = placesOf(mapping, index);
    const commands = { reads: [], writes: [] };
    for (let c = Math.max(0, tensor.first); c <= tensor.last; ++c)
      for (const what of ['reads', 'writes'])
        for (let r = trace[what].at[c]; r < trace[what].at[c + 1]; ++r) if (trace[what].tensor[r] === i) commands[what].push(c);
    const from = commands.writes.length ? schedule.start[commands.writes[0]] : 0;
    return { tensor: i, mapping, places, commands, from };
  }).sort((a, b) => a.from - b.from || a.tensor - b.tensor);
}

function placeWords(tensor, mapping, place) {
  const units = Object.entries(place).filter(([level]) => level !== 'Element').map(([level, p]) => `${level} ${p}`).join(', ');
  const address = tensor.begin + Math.floor((place.Element ?? 0) * mapping.bits / 8);
  return `${tensor.memory} byte ${withCommas(address)}${units ? `, ${units}` : ''}`;
}

function wayTable(page, t, index, axes) {
  const { trace, schedule } = page;
  const rows = wayOf(page, t, index, axes).map(({ tensor: i, mapping, places, commands }) => {
    const tensor = trace.tensors[i];
    const told = (what, list) => list.slice(0, 3).map((c) => el('div', {}, `${what} #${c} ${placeOf(trace, trace.source[c])}, cycles ${withCommas(schedule.start[c])} to ${withCommas(schedule.end[c])}`));
    return [tensor.name, el('div', {}, places.slice(0, 4).map((p) => el('div', {}, placeWords(tensor, mapping, p))), places.length > 4 ? el('div', { class: 'quiet' }, `and ${places.length - 4} more copies`) : null),
      el('div', {}, told('written by', commands.writes), told('read by', commands.reads))];
  });
  return table(['tensor', 'place', 'cycles'], rows, { id: 'way' });
}

function listen(canvas, state, page, redraw) {
  const at = (e) => {
    const [row, column] = [state.top + Math.floor(e.offsetY / state.size) * state.every[1], state.left + Math.floor(e.offsetX / state.size) * state.every[0]];
    return row < state.grid.rows && column < state.grid.columns ? cellAt(state.mapping, state.grid, row, column) : null;
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
    const where = cell && Object.entries(cell.levels).map(([level, p]) => `${level} ${p}`).concat(`Element ${cell.element}`).join(', ');
    state.tip.textContent = !cell ? '' : `${where}: ${cell.index ? axesText(cell.index) : 'padding'}`;
  });
  canvas.addEventListener('click', (e) => {
    const cell = at(e);
    if (!cell?.index) return;
    page.view.element = axesText(cell.index).replaceAll(' ', '');
    page.remember();
    redraw();
  });
}

export function mappingPanel(page) {
  const { trace, view } = page;
  if (trace.tensors.length === 0) return [el('p', {}, 'This trace has no tensors.')];
  const worked = page.axesWorked ??= axesOf(trace.tensors.slice(0, 5000));
  const axes = { ...worked.axes, ...page.axesGiven };
  const t = view.tensor >= 0 ? view.tensor : 0;
  const tensor = trace.tensors[t];
  const redraw = () => page.openTab('mapping');
  const choose = el('select', { id: 'mapping-tensor', 'aria-label': 'tensor', onchange: (e) => { view.tensor = Number(e.target.value); view.selected = -1; view.element = ''; redraw(); } },
    trace.tensors.slice(0, MOST_LISTED).map((x, i) => el('option', { value: i, selected: i === t }, `${x.name} (${x.memory})`)), t >= MOST_LISTED ? el('option', { value: t, selected: true }, tensor.name) : null);
  const sizes = el('input', { id: 'mapping-axes', value: axesText(axes), size: 40, 'aria-label': 'sizes of axes', onchange: (e) => { page.axesGiven = readAxes(e.target.value); redraw(); } });
  const head = [el('div', { class: 'row' }, choose), el('p', { class: 'code' }, tensor.mapping),
    el('div', { class: 'row' }, el('label', {}, 'axes ', sizes), el('span', { class: 'quiet' }, worked.open.length ? `worked out from bytes; not ${worked.open.join(', ')}` : 'worked out from bytes'))];
  let mapping;
  try {
    mapping = tensorMapping(tensor, axes);
  } catch (e) {
    return [...head, el('p', { class: 'bad', id: 'mapping-problem' }, `${e.message}.`)];
  }
  return [...head, ...drawing(page, t, mapping, axes, redraw)];
}

function drawing(page, t, mapping, axes, redraw) {
  const { view, trace } = page;
  const tensor = trace.tensors[t];
  const ways = [...axesHeld(mapping), 'slice', ...(tensor.memory === 'DM' ? ['bank'] : []), ...(tensor.memory === 'HBM' ? ['channel'] : [])];
  const by = ways.includes(page.mappingBy) ? page.mappingBy : ways[0];
  const colours = el('select', { id: 'mapping-by', 'aria-label': 'colour cells by', onchange: (e) => { page.mappingBy = e.target.value; redraw(); } }, ways.map((w) => el('option', { value: w, selected: w === by }, w)));
  const grid = gridOf(mapping);
  const tip = el('p', { class: 'quiet', id: 'mapping-tip' }, 'A cell is an element; point at one to see which, click to follow it. Wheel scrolls, shift sideways, ctrl zooms.');
  const canvas = el('canvas', { id: 'mapping-cells', style: `width:100%;height:${HEIGHT}px;display:block`, 'aria-label': 'cells of the tensor' });
  const state = { mapping, grid, colour: colourOf(page, tensor, mapping, axes, by), ground: getComputedStyle(document.documentElement).getPropertyValue('--lane').trim(), left: 0, top: 0, tip };
  requestAnimationFrame(() => canvas.isConnected && paint(canvas, state));
  page.mappingState = state;
  listen(canvas, state, page, redraw);
  const index = readAxesZero(view.element);
  const follows = axesHeld(mapping).some((a) => a in index) && Object.keys(index).every((a) => index[a] < axes[a]);
  return [el('div', { class: 'row' }, el('label', {}, 'colour ', colours), el('span', { class: 'quiet' }, `${withCommas(grid.rows)} rows${grid.units > 1 ? ' (units)' : ''} of ${withCommas(grid.columns)}; ${mapping.type}, ${inBytes(tensor.end - tensor.begin)} a unit`)),
    canvas, tip, follows ? el('h2', {}, `The way of ${tensor.name} at ${view.element.replaceAll(',', ', ')}`) : null, follows ? wayTable(page, t, index, axes) : null];
}

/// "I=0,K=3": indices may be 0, sizes may not.
function readAxesZero(text) {
  return Object.fromEntries([...text.matchAll(/([A-Za-z_]\w*)=(\d+)/g)].map((m) => [m[1], Number(m[2])]));
}
