// Elements in one call: el('p', { class: 'x' }, 'text', otherElement).
import { bareCycles } from './words.js';

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function button(text, action, attributes = {}) {
  return el('button', { type: 'button', onclick: action, ...attributes }, text);
}

/// A cell that is set to the right: cycles, with their ticks where those are shown.
export function cyclesCell(n) {
  return el('div', { class: 'number' }, bareCycles(n));
}

/// Rows are lists of cells; a cell is a text, an element, or a number, which is set to the right.
export function table(heads, rows, attributes = {}) {
  const isNumber = (value) => typeof value === 'number' || value?.className === 'number';
  const cell = (value) => (isNumber(value) ? el('td', { class: 'number' }, typeof value === 'number' ? value.toLocaleString('en-US') : value) : el('td', {}, value));
  const made = rows.map((row) => (row instanceof Element ? row : el('tr', {}, row.map(cell))));
  const right = (i) => (made[0]?.children[i]?.className === 'number' ? 'number' : undefined);
  return el('table', attributes, el('thead', {}, el('tr', {}, heads.map((h, i) => el('th', { scope: 'col', class: right(i) }, h)))), el('tbody', {}, made));
}

function rowOf(cells, attributes) {
  const row = table([], [cells]).querySelector('tbody tr');
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) row.addEventListener(name.slice(2), value);
    else row.setAttribute(name, value);
  }
  return row;
}

/// A row that a click or Enter picks.
export function pickable(cells, action, attributes = {}) {
  return rowOf(cells, { tabindex: '0', onclick: action, onkeydown: (e) => { if (e.key === 'Enter') action(); }, ...attributes });
}
