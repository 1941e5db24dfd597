// The 64-access rule: commands side by side that together would keep a DMA from a bank of DM for too long run one after the other (BankWatch of src/sched/place.cpp).
//
// Only times say who runs beside whom, so this is asked while commands are placed. Most kernels never come near the limit: then there is nothing to watch.
import { queueOf, textNumber } from './hazards.js';
import { UnitSets } from './unit_sets.js';
import { numbersOf } from './words.js';

/// Commands that touch DM, by queue, each queue in the order of time.
export class BankWatch {
  /// `drop(from, to)`: whether `to` need not mind `from`.
  constructor(trace, length, drop) {
    Object.assign(this, { trace, length, drop, limit: trace.geometry.bank_limit, queues: new Map(), sets: new UnitSets(trace), setsOf: new Map() });
    this.ranks = new Map();  // by queue: how it is told apart
    this.dma = trace.resources_names.indexOf('tensor DMA');
    this.none = textNumber(trace, '');
    this.dm = textNumber(trace, 'DM');
    this.kind = textNumber(trace, 'starvation');
    this.edges = new Map();  // by command: [{from, bank, accesses}]
  }

  runsOf(c) {
    const number = this.trace.bank_runs_of[c];
    return number < 0 ? null : this.trace.bank_runs[number];
  }
  setsOfCommand(c) {
    let sets = this.setsOf.get(c);
    if (sets) return sets;
    sets = [];
    for (const list of [this.trace.reads, this.trace.writes])
      for (let r = list.at[c]; r < list.at[c + 1]; ++r)
        if (list.memory[r] === this.dm) {
          const set = this.sets.number(this.dm, list.units[r]);
          if (!sets.includes(set)) sets.push(set);
        }
    this.setsOf.set(c, sets);
    return sets;
  }
  shareASlice(a, b) {
    return this.setsOfCommand(a).some((x) => this.setsOfCommand(b).some((y) => this.sets.meet(x, y)));
  }
  isDma(c) {
    const { at, engines_of: engines } = this.trace.dma;
    return at[c] < at[c + 1] && engines[at[c]] > 0;
  }

  /// Whom a command that would start then must wait for: {from, bank, accesses}; null: none.
  inTheWay(c, begin, start, end) {
    const own = this.runsOf(c);
    const finish = begin + this.length[c];
    if (!own || begin === finish) return null;
    const beside = [];
    for (const queue of this.queues.values()) this.gather(queue, c, begin, finish, start, end, beside);
    const moments = [begin, ...beside.map((other) => Math.max(begin, start[other]))].sort((a, b) => a - b);
    for (const moment of moments) {
      const edge = this.tooLongAt(c, moment, beside, start, end);
      if (edge) return edge;
    }
    return null;
  }
  gather(queue, c, begin, finish, start, end, beside) {
    let [low, high] = [0, queue.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (end[queue[middle]] <= begin) low = middle + 1;
      else high = middle;
    }
    for (; low < queue.length && start[queue[low]] < finish; ++low) if (!this.drop(queue[low], c) && this.shareASlice(queue[low], c)) beside.push(queue[low]);
  }

  /// Only a DMA is starved; a command without one beside it is merely delayed by others.
  tooLongAt(c, moment, beside, start, end) {
    const own = this.runsOf(c);
    const sum = [...own];
    let dma = this.isDma(c);
    let first = -1;  // to end
    for (const other of beside) {
      if (start[other] > moment || end[other] <= moment) continue;
      dma ||= this.isDma(other);
      if (first < 0 || end[other] < end[first]) first = other;
      const runs = this.runsOf(other);
      for (let b = 0; b < sum.length; ++b) sum[b] += runs[b];
    }
    if (!dma || first < 0) return null;
    const bank = sum.findIndex((accesses, b) => own[b] > 0 && accesses >= this.limit);
    return bank < 0 ? null : { from: first, bank, accesses: sum[bank] };
  }

  enter(c) {
    if (!this.runsOf(c)) return;
    const queue = queueOf(this.trace, c);
    const set = queue === this.dma ? this.trace.queues[c] : this.none;
    const key = set * 4 + queue;
    if (!this.queues.has(key)) this.addQueue(key, queue, set);
    this.queues.get(key).push(c);
  }
  /// Queues are gone through in their order: of two commands that end together, the first is waited for.
  addQueue(key, queue, set) {
    const bits = numbersOf(this.trace.texts[set]).reduce((all, i) => all | 1n << BigInt(i), 0n);
    this.ranks.set(key, { queue, bits });
    const before = (a, b) => a.queue - b.queue || (a.bits < b.bits ? -1 : a.bits > b.bits ? 1 : 0);
    this.queues = new Map([...this.queues, [key, []]].sort(([a], [b]) => before(this.ranks.get(a), this.ranks.get(b))));
  }
}

/// A watch, where the trace has what it needs and any commands could come near the limit; `drop` as above.
export function bankWatch(trace, length, drop) {
  if (!trace.geometry.bank_limit || trace.bank_runs.length === 0) return null;
  const byQueue = new Map();  // which kinds of runs each queue has
  for (let c = 0; c < trace.n; ++c) {
    if (trace.bank_runs_of[c] < 0) continue;
    const queue = queueOf(trace, c) + 4 * trace.queues[c];
    if (!byQueue.has(queue)) byQueue.set(queue, new Set());
    byQueue.get(queue).add(trace.bank_runs_of[c]);
  }
  const sums = new Array(trace.geometry.dm_banks).fill(0);  // were the longest of all queues side by side
  for (const numbers of byQueue.values()) sums.forEach((sum, b) => { sums[b] = sum + Math.max(...[...numbers].map((number) => trace.bank_runs[number][b])); });
  return sums.some((sum) => sum >= trace.geometry.bank_limit) ? new BankWatch(trace, length, drop) : null;
}
