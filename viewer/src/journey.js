// The way of an element: each place that it lies in, and the commands that bring it there and take it on, from HBM to HBM.
//
// A command says which tensors it reads and writes, and these say by their mappings where each element is. From one command to the next the byte is what counts, not the
// name: what one command wrote as a tile, the next may read as a part of something larger, with other axes. Commands that only move data hand an element on; those
// that compute make others of it, which share its index along the axes that both have.
import { axesHeld, axesOfTensor, cellOf, finestStep, placesOf, tensorMapping } from './mapping.js';
import { numbersOf } from './words.js';

const MOST_STOPS = 40;
const MOST_FOLLOWED = 8;  // readers of one place

/// Whether a command writes what it reads, merely elsewhere: a transfer, or a pass through no engine that computes.
export function onlyMoves(trace, c) {
  if (trace.dma.at[c] < trace.dma.at[c + 1]) return true;
  const stages = trace.configuration[c] < 0 ? [] : trace.configurations[trace.configuration[c]].stages;
  return stages.length > 0 && !stages.some(([name]) => /^(contract|accumulate|vector|reduce)/.test(name));
}

/// A move between tensors that share no axis does not tell which element went where.
function isTold({ relation, index }) {
  return relation !== 'same' || Object.keys(index).length > 0;
}

export class Journeys {
  constructor(trace, axes) {
    Object.assign(this, { trace, axes, mappings: new Map(), units: trace.units.map((u) => ({ Chip: new Set(numbersOf(u.chips)), Cluster: new Set(numbersOf(u.clusters)), Slice: new Set(numbersOf(u.slices)) })) });
  }

  /// Launches may call different axes by the same name.
  axesFor(t) {
    return this.trace.launches.length ? axesOfTensor(this.trace, t) : this.axes;
  }

  /// The mapping of a tensor; null: it cannot be drawn.
  mapping(t) {
    if (!this.mappings.has(t)) {
      let made = null;
      try {
        made = tensorMapping(this.trace.tensors[t].mapping, this.axesFor(t));
      } catch { /* then its elements cannot be told apart */ }
      this.mappings.set(t, made);
    }
    return this.mappings.get(t);
  }

  /// Bytes of TRF count within a row.
  byteOf(t, place) {
    const tensor = this.trace.tensors[t];
    const mapping = this.mapping(t);
    const rows = mapping.levels.find((l) => l.name === 'Row')?.size ?? 1;
    return Math.floor(tensor.begin / rows) + Math.floor((place.Element ?? 0) * mapping.bits / 8);
  }

  /// What a tensor has at a place: an index, or null.
  indexAt(t, place, byte) {
    const mapping = this.mapping(t);
    if (!mapping) return null;
    const element = (byte - this.byteOf(t, {})) * 8 / mapping.bits;
    const positions = mapping.levels.map((l) => (l.name === 'Element' ? element : place[l.name] ?? 0));
    if (positions.some((p, i) => !Number.isInteger(p) || p < 0 || p >= mapping.levels[i].size)) return null;
    return cellOf(mapping.levels, positions, this.axesFor(t)).index ?? null;
  }

  /// Like `indexAt`, without axes of which the tensor tells only blocks.
  wholeIndexAt(t, place, byte) {
    const index = this.indexAt(t, place, byte);
    return index && Object.fromEntries(Object.entries(index).filter(([axis]) => finestStep(this.mapping(t), axis) <= 1));
  }

  /// A range may be a stretch with more in it than the tensor that it is named after.
  isBeyond(t, byte) {
    if (t < 0 || !this.mapping(t)) return true;
    const { begin, end, memory } = this.trace.tensors[t];
    return memory !== 'TRF' && (byte < begin || byte >= end);
  }

  /// Whether tensor t, in a range of those units, has the place.
  holds(t, number, memory, place, byte) {
    const units = this.units[number];
    const levels = memory === 'host' ? [] : memory === 'HBM' ? ['Chip'] : ['Chip', 'Cluster', 'Slice'];
    if (units && levels.some((level) => units[level].size && !units[level].has(place[level] ?? 0))) return false;
    return this.isBeyond(t, byte) || this.indexAt(t, place, byte) !== null;
  }

  /// Commands by when they were taken.
  taken(i) {
    return this.trace.order.length ? this.trace.order[i] : i;
  }
  rankOf(c) {
    if (!this.trace.order.length || c < 0) return c;
    this.ranks ??= this.trace.order.reduce((ranks, command, i) => { ranks[command] = i; return ranks; }, new Int32Array(this.trace.n));
    return this.ranks[c];
  }

  /// A place as ranges are asked about it: `reads(c, visit)` and `writes(c, visit)` visit the tensors by which a command touches it.
  asked(memory, place, byte) {
    const number = this.trace.texts.indexOf(memory);
    const known = new Map();  // by tensor and units
    const has = (list, r) => {
      if (memory !== 'TRF' && (byte < list.begin[r] || byte >= list.end[r])) return false;
      const key = list.tensor[r] * 65536 + list.units[r] + 1;
      if (!known.has(key)) known.set(key, this.holds(list.tensor[r], list.units[r], memory, place, byte));
      return known.get(key);
    };
    const each = (list) => (c, visit) => {
      for (let r = list.at[c]; r < list.at[c + 1]; ++r) if (list.memory[r] === number && has(list, r)) visit(this.isBeyond(list.tensor[r], byte) ? -1 : list.tensor[r]);
    };
    return { reads: each(this.trace.reads), writes: each(this.trace.writes) };
  }

  /// What a command left at a place, or what lay there at first (-1): {writer, tensor, readers}; null: it did not write there.
  writtenBy(writer, place) {
    const { reads, writes } = place;
    let tensor = -1;
    let wrote = writer < 0;
    if (writer >= 0) writes(writer, (t) => { [tensor, wrote] = [t, true]; });
    if (!wrote) return null;
    const readers = [];
    let over = false;
    for (let i = this.rankOf(writer) + 1; i < this.trace.n && !over; ++i) {
      const c = this.taken(i);
      reads(c, (t) => readers.push({ command: c, tensor: t }));
      writes(c, () => { over = true; });
    }
    return { writer, tensor, readers };
  }
  /// What a command finds at a place; behind the last command, what is left there.
  foundBy(reader, place) {
    let writer = -1;
    for (let i = reader === this.trace.n ? reader : this.rankOf(reader); i-- > 0 && writer < 0;) place.writes(this.taken(i), () => { writer = this.taken(i); });
    return this.writtenBy(writer, place);
  }

  /// A stop: element `index` of tensor t, where it lies, and the content of that place that `find` chooses.
  stop(t, index, find) {
    const mapping = this.mapping(t);
    if (!mapping) return null;
    const step = (axis) => Math.max(1, finestStep(mapping, axis));
    const shared = axesHeld(mapping).filter((axis) => axis in index);
    const wanted = Object.fromEntries(shared.map((axis) => [axis, index[axis] - index[axis] % step(axis)]));  // the block, where only blocks are told apart
    const places = placesOf(mapping, wanted, this.axesFor(t));
    if (places.length === 0) return null;
    const byte = this.byteOf(t, places[0]);
    const content = find(this.asked(this.trace.tensors[t].memory, places[0], byte));
    const whole = Object.fromEntries(shared.filter((axis) => step(axis) === 1).map((axis) => [axis, index[axis]]));
    return content && { ...content, made: content.tensor, tensor: t, index: whole, places, byte };
  }

  /// Tensors of a command's reads or writes, each once.
  tensorsOf(list, c) {
    return [...new Set(list.tensor.subarray(list.at[c], list.at[c + 1]))].filter((t) => t >= 0);
  }

  /// The first of many readers that writes each tensor, and not too many of these.
  followed(readers) {
    const byTensor = new Map();
    for (const reader of readers) {
      const key = this.tensorsOf(this.trace.writes, reader.command).join();
      if (!byTensor.has(key)) byTensor.set(key, reader);
      if (byTensor.size === MOST_FOLLOWED) break;
    }
    return [...byTensor.values()];
  }

  /// From a stop on: what its readers make of it.
  next({ readers, tensor: own, index: known, places: [place], byte, relation }) {
    const made = [];
    for (const { command, tensor } of this.followed(readers)) {
      const index = tensor === own || tensor < 0 ? known : this.wholeIndexAt(tensor, place, byte);
      if (!index) continue;
      for (const v of this.tensorsOf(this.trace.writes, command)) {
        const stop = this.stop(v, index, (place_) => this.writtenBy(command, place_));
        if (stop) made.push({ ...stop, relation: relation === 'same' && onlyMoves(this.trace, command) ? 'same' : 'into' });
      }
    }
    return made.filter(isTold);
  }
  /// Back: what its writer made it of.
  former({ writer, made, tensor, index: known, places: [at], byte, relation }) {
    const index = made === tensor || made < 0 ? known : this.wholeIndexAt(made, at, byte);
    if (writer < 0 || !index) return [];
    return this.tensorsOf(this.trace.reads, writer).map((r) => {
      const stop = this.stop(r, index, (place) => this.foundBy(writer, place));
      return stop && { ...stop, relation: relation === 'same' && onlyMoves(this.trace, writer) ? 'same' : 'from' };
    }).filter((stop) => stop && isTold(stop));
  }

  /// All stops of an element, in the order of time: those that hold it ('same'), that it is made of ('from'), and that are made of it ('into').
  of(t, index, schedule) {
    const { first: toucher } = this.trace.tensors[t];
    const first = this.stop(t, index, (place) => (toucher < 0 ? this.foundBy(this.trace.n, place) : this.writtenBy(toucher, place) ?? this.foundBy(toucher, place)));
    if (!first) return [];
    const all = new Map();
    const spread = (from, way) => {
      const waiting = [from];
      while (waiting.length && all.size < MOST_STOPS) {
        const stop = waiting.shift();
        const key = `${stop.tensor} ${stop.writer}`;
        if (all.has(key) && stop !== from) continue;
        all.set(key, stop);
        waiting.push(...this[way](stop));
      }
    };
    spread({ ...first, relation: 'same' }, 'former');
    spread({ ...first, relation: 'same' }, 'next');
    const begin = (stop) => (stop.writer < 0 ? -1 : schedule.start[stop.writer]);
    return [...all.values()].sort((a, b) => begin(a) - begin(b) || a.tensor - b.tensor);
  }

  /// When a pass has the element in its stream, about: {step, steps, cycle}; null where it cannot be told.
  inStream(c, stage, index, schedule) {
    const { trace } = this;
    const { stages } = trace.configurations[trace.configuration[c]] ?? { stages: [] };
    const text = stages.at(stage)?.[1];
    if (!text || !/ Time\[/.test(text)) return null;
    try {
      const mapping = tensorMapping(`${text.split(' ')[0]} in stream ${text.slice(text.indexOf(' ') + 1)}`, this.axes);
      const steps = mapping.levels.find((l) => l.name === 'Time').size;
      const known = Object.fromEntries(axesHeld(mapping).filter((axis) => axis in index).map((axis) => [axis, index[axis]]));
      const [place] = placesOf(mapping, known, this.axes);
      const moving = schedule.length[c] - trace.startup[c];
      return place && { step: place.Time, steps, cycle: Math.floor(schedule.start[c] + trace.startup[c] + moving * place.Time / steps) };
    } catch {
      return null;
    }
  }
}
