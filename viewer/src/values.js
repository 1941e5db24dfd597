// Values: what memories held after each command, where the trace keeps it (`tcp run --values`). A byte belongs to an element by the mapping of its tensor; its bits are a
// number by the tensor's type.
import { button, el, table } from './dom.js';
import { Journeys } from './journey.js';
import { computes } from './names.js';
import { axesOfTensor } from './mapping.js';
import { inBytes, numbersOf, placeOf, withCommas } from './words.js';

function bytesFrom(base64) {
  const letters = atob(base64);
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

/// The contents of a part, unpacked when they are first asked for.
function contentsOf(part) {
  part.bytes ??= bytesFrom(part.data);
  part.bits ??= part.undefined ? bytesFrom(part.undefined) : null;
  part.set ??= part.slices ? new Set(numbersOf(part.slices)) : null;
  return part;
}

/// Sign, exponent and fraction as a number. Of a type without infinities (`finite`) only all ones are no number.
function floating(bits, exponentBits, fractionBits, finite = false) {
  const sign = bits >>> (exponentBits + fractionBits) & 1 ? -1 : 1;
  const top = (1 << exponentBits) - 1;
  const exponent = bits >>> fractionBits & top;
  const fraction = bits & ((1 << fractionBits) - 1);
  if (exponent === top && !finite) return fraction ? NaN : sign * Infinity;
  if (exponent === top && finite === 'nan' && fraction === (1 << fractionBits) - 1) return NaN;
  const bias = (1 << (exponentBits - 1)) - 1;
  return sign * (exponent === 0 ? fraction * 2 ** (1 - bias - fractionBits) : (1 + fraction / 2 ** fractionBits) * 2 ** (exponent - bias));
}

const single = new DataView(new ArrayBuffer(4));

/// Bits as a value of a type, the least significant first.
export function decoded(type, bits) {
  switch (type) {
    case 'f32':
      single.setUint32(0, bits);
      return single.getFloat32(0);
    case 'bf16': return floating(bits, 8, 7);
    case 'f16': return floating(bits, 5, 10);
    case 'f8e4m3': return floating(bits, 4, 3, 'nan');
    case 'f8e5m2': return floating(bits, 5, 2);
    case 'f4e2m1': return floating(bits, 2, 1, 'all');
    default: {
      const size = Number(/\d+/.exec(type)?.[0] ?? 8);
      return size >= 32 ? bits | 0 : bits << (32 - size) >> (32 - size);
    }
  }
}

/// A value as people read it.
export function valueText(value) {
  if (value === null) return 'undefined';
  if (value === undefined) return '';
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'infinity' : '-infinity';
  return Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : String(Number(value.toPrecision(7)));
}

export class Values {
  constructor(trace, entries) {
    this.trace = trace;
    this.entries = entries;
    this.byCommand = new Map(entries.map((entry) => [entry.command, entry]));
    this.starts = new Set([-1, ...trace.launches.map(({ command }) => command)]);  // of arguments
  }

  /// The bits of an element at a place after a command; null: undefined; undefined: not kept.
  bitsAt(writer, memory, place, byte, half, size) {
    const entries = writer >= 0 ? [this.byCommand.get(writer)] : this.entries.filter(({ command }) => this.starts.has(command));
    for (const entry of entries) {
      const part = entry?.parts.find((p) => holdsPlace(p, memory, place, byte, Math.ceil(size / 8)));
      if (!part) continue;
      const at = byte - part.begin;
      const { bytes, bits } = part;
      const first = 2 * at + half;
      for (let h = first; bits && h < first + size / 4; ++h) if (bits[h >> 3] >> (h & 7) & 1) return null;
      if (size === 4) return bytes[at] >> (half * 4) & 15;
      let all = 0;
      for (let i = 0; i < size / 8; ++i) all |= bytes[at + i] << (8 * i);
      return all >>> 0;
    }
    return undefined;
  }

  /// The value of a stop of a journey.
  ofStop(journeys, stop) {
    const mapping = journeys.mapping(stop.tensor);
    const [place] = stop.places;
    const half = mapping.bits === 4 ? (place.Element ?? 0) % 2 : 0;
    const bits = this.bitsAt(stop.writer, this.trace.tensors[stop.tensor].memory, place, stop.byte, half, mapping.bits);
    return bits === null || bits === undefined ? bits : decoded(mapping.type, bits);
  }

  /// The first command that left a number which is none, or infinite, in the order in which they ran.
  firstNotFinite() {
    return this.entries.find(({ not_finite: found }) => found) ?? null;
  }
}

function holdsPlace(part, memory, place, byte, size) {
  if (part.memory !== memory || part.chip !== (place.Chip ?? 0) || byte < part.begin) return false;
  contentsOf(part);
  if (byte + size > part.begin + part.bytes.length) return false;
  if (!part.set) return true;
  return part.cluster === (place.Cluster ?? 0) && part.set.has(place.Slice ?? 0) && (part.row < 0 || part.row === (place.Row ?? 0));
}

/// The tensor by which a command writes a byte, and which element of it that is.
export function elementAt(trace, c, memory, place, byte) {
  const lists = c >= 0 && trace.launches.every((l) => l.command !== c) ? Array.from(trace.writes.tensor.subarray(trace.writes.at[c], trace.writes.at[c + 1])) : trace.tensors.map((_, t) => t);
  for (const t of lists) {
    if (t < 0 || trace.tensors[t].memory !== memory) continue;
    const index = new Journeys(trace, axesOfTensor(trace, t)).indexAt(t, place, byte);
    if (index) return { tensor: t, index };
  }
  return null;
}

const indexText = (index) => Object.entries(index).map(([axis, i]) => `${axis}=${i}`).join(', ');
const placeText = (memory, { Chip, Cluster, Slice, Row }, byte) => [`${memory} byte ${withCommas(byte)}`, Chip ? `chip ${Chip}` : '', memory === 'HBM' ? '' : `cluster ${Cluster}`, memory === 'HBM' ? '' : `slice ${Slice}`, Row >= 0 ? `Row ${Row}` : ''].filter(Boolean).join(', ');

function commandWords(trace, c) {
  if (c < 0 || trace.launches.some((l) => l.command === c)) return 'the arguments';
  return `#${c} ${computes(trace, c)?.text ?? trace.texts[trace.name[c]]} at ${placeOf(trace, trace.source[c])}`;
}

function followButton(page, found) {
  return found ? button('follow it', () => page.follow(found.tensor, indexText(found.index).replaceAll(' ', '')), { class: 'follow' }) : null;
}

function notFinitePart(page) {
  const { trace, values } = page;
  const first = values.firstNotFinite();
  const head = el('h2', {}, 'First NaN or infinity');
  if (!first) return [head, el('p', { id: 'not-finite' }, 'None: every number that a command wrote is finite.')];
  const { text, memory, chip, cluster, slice, row, byte, count } = first.not_finite;
  const place = { Chip: chip, Cluster: cluster, Slice: slice, Row: row };
  const found = elementAt(trace, first.command, memory, place, byte);
  const later = values.entries.filter((entry) => entry.not_finite && entry !== first).length;
  const what = found ? `${trace.tensors[found.tensor].name} at ${indexText(found.index)}` : 'an element';
  return [head, el('p', { id: 'not-finite' }, el('span', { class: 'bad' }, text), `: ${what}, from ${commandWords(trace, first.command)} (${placeText(memory, place, byte)}). It left ${withCommas(count)} such number${count === 1 ? '' : 's'}; `,
    later ? `${withCommas(later)} later commands have some, too.` : 'no other command does.'),
  el('div', { class: 'row' }, first.command >= 0 ? button('show the command', () => page.select(first.command, true)) : null, followButton(page, found))];
}

/// Where two parts of the same place differ first, as an offset; -1: nowhere, or they are of different places.
function firstByte(a, b) {
  contentsOf(a);
  contentsOf(b);
  const size = Math.min(a.bytes.length, b.bytes.length);
  for (let i = 0; i < size; ++i) if (a.bytes[i] !== b.bytes[i]) return i;
  return -1;
}

/// The first command of two runs that left other bytes: {before, after, place, byte}; null: none did.
export function firstDifference(earlier, later, counterparts) {
  for (const before of earlier.entries) {
    if (before.command >= 0 && counterparts[before.command] < 0) continue;  // no command of the later run does its work
    const after = later.byCommand.get(before.command < 0 ? -1 : counterparts[before.command]);
    if (!after || before.digest === after.digest) continue;
    for (const part of after.parts) {
      contentsOf(part);
      for (const Slice of part.set ?? [0]) {
        const place = { Chip: part.chip, Cluster: part.cluster, Slice, Row: part.row };
        const other = before.parts.find((p) => holdsPlace(p, part.memory, place, part.begin, 1) && p.begin === part.begin);
        const at = other ? firstByte(other, part) : -1;
        if (at >= 0) return { before, after, memory: part.memory, place, byte: part.begin + at };
      }
    }
    return { before, after };
  }
  return null;
}

function differencePart(page) {
  const { trace, values, other } = page;
  if (!other) return [];
  const head = el('h2', {}, 'Where the two runs first differ');
  if (!values || !other.values) return [head, el('p', { id: 'first-difference' }, 'One of the two traces has no values.')];
  const found = firstDifference(other.values, values, other.counterparts);
  if (!found) return [head, el('p', { id: 'first-difference' }, 'Nowhere: every command left the same bytes in both.')];
  const { after, memory, place, byte } = found;
  const words = commandWords(trace, after.command);
  const show = after.command >= 0 ? button('show the command', () => page.select(after.command, true)) : null;
  if (byte === undefined) return [head, el('p', { id: 'first-difference' }, `After ${words}: the bytes differ, but they were not stored, so that the element is not known.`), show];
  const element = elementAt(trace, after.command, memory, place, byte);
  const both = element ? bothValues(page, found, element) : '';
  return [head, el('p', { id: 'first-difference' }, `After ${words}: ${element ? `${trace.tensors[element.tensor].name} at ${indexText(element.index)}${both}` : 'a byte'} (${placeText(memory, place, byte)}).`),
    el('div', { class: 'row' }, show, followButton(page, element))];
}

function bothValues(page, { before, after, memory, place, byte }, { tensor }) {
  const { mapping } = page.trace.tensors[tensor];
  const type = mapping.slice(0, mapping.indexOf(' '));
  const size = Number(/\d+/.exec(type)?.[0] ?? 8);
  const begin = page.trace.tensors[tensor].memory === 'TRF' ? 0 : page.trace.tensors[tensor].begin;
  const first = byte - (byte - begin) % Math.max(1, size / 8);
  const read = (values, command) => {
    const bits = values.bitsAt(command, memory, place, first, 0, size);
    return valueText(bits === null || bits === undefined ? bits : decoded(type, bits));
  };
  return `, ${read(page.other.values, before.command)} before and ${read(page.values, after.command)} now`;
}

/// The tensor that the last command writes: mostly the result, by which one begins to ask.
function lastWritten(trace) {
  for (let r = trace.writes.tensor.length - 1; r >= 0; --r) if (trace.writes.tensor[r] >= 0) return trace.writes.tensor[r];
  return -1;
}

export function valuesPanel(page) {
  const { trace, values } = page;
  if (!values)
    return [el('h2', {}, 'Values'), el('p', {}, 'This trace has no values. Store what the simulated chip held after each command, up to 16 MiB of it:'),
      el('p', {}, el('code', {}, 'tcp run KERNEL --random 1 --backend device --trace t.json --values')), ...differencePart(page)];
  const kept = values.entries.map((entry) => [el('span', {}, commandWords(trace, entry.command)), inBytes(entry.parts.reduce((sum, p) => sum + contentsOf(p).bytes.length * (p.set?.size ?? 1), 0)), entry.left_out ? inBytes(entry.left_out) : '-',
    entry.not_finite ? el('span', { class: 'bad' }, withCommas(entry.not_finite.count)) : '-']);
  const t = page.view.tensor >= 0 ? page.view.tensor : Math.max(0, lastWritten(trace));
  return [...notFinitePart(page), ...differencePart(page), el('h2', {}, 'One element'), el('p', {}, 'Its value at every place that holds it, and what it is made of.'),
    el('div', { class: 'row' }, button(`pick an element of ${trace.tensors[t]?.name ?? 'a tensor'}`, () => page.pickElement(t), { id: 'pick-element' })),
    el('h2', {}, 'What is stored'), table(['after', 'stored', 'left out', 'NaN or infinite'], kept.slice(0, 200), { id: 'kept' }), kept.length > 200 ? el('p', { class: 'quiet' }, `and ${withCommas(kept.length - 200)} more`) : null];
}
