// Sets of units (chips, clusters, slices) that ranges of bytes lie in, each once, and which of them meet: src/sched/unit_sets.cpp.
import { numbersOf } from './words.js';

function bitsOf(text) {
  return numbersOf(text).reduce((set, i) => set | 1n << BigInt(i), 0n);
}

/// What a memory has only once is left out of account: HBM has no slices, the host has no chips.
export class UnitSets {
  constructor(trace) {
    this.units = trace.units.map((u) => ({ chips: bitsOf(u.chips), clusters: bitsOf(u.clusters), slices: bitsOf(u.slices) }));
    this.texts = trace.texts;
    this.sets = [];
    this.known = new Map();
    this.byUnits = [];  // by number of the memory's text, then by number of units + 1
  }

  /// `memory` is the number of its text.
  number(memory, units) {
    const row = this.byUnits[memory] ??= [];
    return row[units + 1] ??= this.find(this.texts[memory], units);
  }

  find(memory, units) {
    const { chips, clusters, slices } = units < 0 ? { chips: 1n, clusters: 1n, slices: 1n } : this.units[units];
    const once = memory === 'HBM' || memory === 'host';
    const set = { memory, chips: memory === 'host' ? 1n : chips, clusters: once ? 1n : clusters, slices: once ? 1n : slices, meeting: [], covered: [] };
    const key = `${memory} ${set.chips} ${set.clusters} ${set.slices}`;
    if (this.known.has(key)) return this.known.get(key);
    const made = this.sets.length;
    this.known.set(key, made);
    this.sets.push(set);
    this.sets.forEach((other, s) => {
      if (!meets(set, other)) return;
      if (s !== made) other.meeting.push(made);
      set.meeting.push(s);
      if (covers(set, other)) set.covered.push(s);
      if (s !== made && covers(other, set)) other.covered.push(made);
    });
    return made;
  }

  meet(a, b) {
    return meets(this.sets[a], this.sets[b]);
  }
}

function meets(a, b) {
  return a.memory === b.memory && (a.chips & b.chips) !== 0n && (a.clusters & b.clusters) !== 0n && (a.slices & b.slices) !== 0n;
}
function covers(a, b) {
  return (b.chips & ~a.chips) === 0n && (b.clusters & ~a.clusters) === 0n && (b.slices & ~a.slices) === 0n;
}
