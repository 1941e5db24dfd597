// Mappings as the book writes them, position by position: which element of a tensor lies where. The tests ask `tcp layout` for the same positions.
//
// An expression has a size and adds what a position below it stands for to a sum: along each axis so many steps, or padding of some kind. All operators stand on one
// level and group to the left; a comma makes a mixed radix of its parts, the last the fastest; brackets group. What the sum means is settled when all levels are in:
// an index beyond the end of an axis is padding, too, and a skewed axis turns by the index of another. In a window a position may hold several elements: then
// `choice` says which of them is meant, and `ways` how many there are.

const TOKEN = /\s*(?:([A-Za-z_]\w*)|(\d+)|(#[z!<]?|\$\(|[/%=@:,[\]()]))/y;

function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  const plain = text.trim();
  while (TOKEN.lastIndex < plain.length) {
    const at = TOKEN.lastIndex;
    const m = TOKEN.exec(plain);
    if (!m) throw new Error(`cannot draw '${plain.slice(at)}' of ${text}`);
    tokens.push(m[1] ?? m[2] ?? m[3]);
  }
  return tokens;
}

/// Kinds of padding; where two meet, the weaker promise holds.
const PADS = ['', 'zero', 'top', 'bottom'];

class Sum {
  constructor(choice = 0) {
    Object.assign(this, { index: {}, pad: 0, turns: [], over: {}, choice, ways: 1 });
  }
  padded(kind) {
    this.pad = Math.max(this.pad, kind);
  }
  /// What lies past the end of an axis is padding of the kind that its coarsest part has.
  overshoot(axis, stride, kind) {
    const known = this.over[axis];
    if (!known || known.stride < stride) this.over[axis] = { stride, kind };
  }
  conclude(axes) {
    for (const { axis, by, step, size } of this.turns) this.index[axis] = (this.index[axis] ?? 0) + (step + (this.index[by] ?? 0)) % size;
    for (const [axis, at] of Object.entries(this.index))
      if (at < 0 || at >= axes[axis]) this.padded(this.over[axis]?.kind || PADS.indexOf('top'));
    return this.pad ? { pad: PADS[this.pad] } : { index: this.index };
  }
}

/// Parts one after the other, the last the fastest.
function product(parts) {
  if (parts.length === 1) return parts[0];
  return {
    size: parts.reduce((s, p) => s * p.size, 1),
    add(position, sum) {
      let rest = position;
      for (let i = parts.length; i-- > 0;) {
        parts[i].add(rest % parts[i].size, sum);
        rest = Math.floor(rest / parts[i].size);
      }
    },
  };
}

function padded(least) {
  return (e, n) => {
    if (n < e.size) throw new Error(`${e.size} positions do not fit into ${n}`);
    const kind = Math.max(least, e.kind ?? 0);
    return { ...e, size: n, kind, add: (p, sum) => (p < e.size ? e.add(p, sum) : sum.padded(kind)) };
  };
}

function exact(size, n) {
  if (n < 1 || size % n !== 0) throw new Error(`${n} does not divide ${size}`);
  return size / n;
}

const OPERATIONS = {
  '/': (e, n) => ({ ...e, size: exact(e.size, n), stride: (e.stride ?? 1) * n, add: (p, sum) => e.add(p * n, sum) }),
  '%': (e, n) => {
    exact(e.size, n);
    return { ...e, size: n };
  },
  '=': (e, n) => {
    if (n > e.size) throw new Error(`${e.size} positions are fewer than ${n}`);
    return { ...e, size: n };
  },
  '@': (e, n) => ({ ...e, add: (p, sum) => e.add(p + n, sum) }),
  '#<': (e, n) => ({ ...e, size: e.size + n, add: (p, sum) => e.add(p - n, sum) }),
  '#z': padded(1), '#': padded(2), '#!': padded(3),
};

/// A place that several parts count at once: it is the sum of their steps times what each goes on.
function window_(members) {
  const waysAt = (place, j = 0, steps = []) => {
    const { part, step } = members[j];
    if (j === members.length - 1) return place >= 0 && place % step === 0 && place / step < part.size && part.inside(place / step) ? [[...steps, place / step]] : [];
    const all = [];
    for (let at = 0; at < part.size && at * step <= place; ++at) if (part.inside(at)) all.push(...waysAt(place - at * step, j + 1, [...steps, at]));
    return all;
  };
  return {
    size: 1 + members.reduce((span, { part, step }) => span + (part.size - 1) * step, 0),
    add(place, sum) {
      const ways = waysAt(place);
      if (ways.length === 0) return sum.padded(PADS.indexOf('top'));
      const steps = ways[sum.choice % ways.length];
      sum.choice = Math.floor(sum.choice / ways.length);
      sum.ways *= ways.length;
      return members.forEach(({ part }, j) => part.add(steps[j], sum));
    },
  };
}

class Parser {
  constructor(text, axes) {
    Object.assign(this, { text, axes, tokens: tokensOf(text), next: 0, used: new Set() });
  }
  fail() {
    throw new Error(`cannot draw ${this.text}`);
  }
  take(token) {
    if (this.tokens[this.next] !== token) this.fail();
    ++this.next;
  }
  number() {
    if (!/^\d+$/.test(this.tokens[this.next] ?? '')) this.fail();
    return Number(this.tokens[this.next++]);
  }
  list() {
    const parts = [this.term()];
    while (this.tokens[this.next] === ',' && ++this.next) parts.push(this.term());
    return parts;
  }
  axis() {
    const name = this.tokens[this.next++];
    if (!/^[A-Za-z_]/.test(name ?? '')) this.fail();
    if (!(name in this.axes)) throw new Error(`the size of axis ${name} is not known`);
    this.used.add(name);
    return name;
  }

  atom() {
    const token = this.tokens[this.next];
    if (token === '[' || token === '(') {
      ++this.next;
      const group = product(this.list());
      this.take(token === '[' ? ']' : ')');
      return { size: group.size, add: group.add };
    }
    if (token === '$(') return this.window();
    if (/^\d+$/.test(token ?? '')) return { size: this.number(), add: () => {} };
    if (token === 'skew' && this.tokens[this.next + 1] === '(') return this.skewed();
    const axis = this.axis();
    return { axis, size: this.axes[axis], add: (p, sum) => { sum.index[axis] = (sum.index[axis] ?? 0) + p; } };
  }
  skewed() {
    this.next += 2;
    const axis = this.axis();
    this.take(',');
    const by = this.axis();
    this.take(')');
    return { size: this.axes[axis], add: (step, sum) => sum.turns.push({ axis, by, step, size: this.axes[axis] }) };
  }
  window() {
    ++this.next;
    const members = [];
    do {
      const part = this.term();
      const step = this.tokens[this.next] === ':' && ++this.next ? this.number() : 1;
      members.push({ part: { ...part, inside: (at) => this.isInside(part, at) }, step });
    } while (this.tokens[this.next] === ',' && ++this.next);
    this.take(')');
    return window_(members);
  }
  isInside(part, at) {
    const sum = new Sum();
    part.add(at, sum);
    return sum.conclude(this.axes).index !== undefined;
  }

  term() {
    let made = this.atom();
    while (OPERATIONS[this.tokens[this.next]]) {
      const operation = OPERATIONS[this.tokens[this.next++]];
      made = operation(made, this.number());
    }
    if (!made.axis) return made;
    const { axis, kind = 0, stride = 1, add } = made;
    return { ...made, add: (p, sum) => { sum.overshoot(axis, stride, kind); add(p, sum); } };
  }
}

/// `axes`: name to size. Law: at(p) is {index} for an element, with what it is along every axis; {pad} for padding, 'zero', 'top' or 'bottom'; in a window the
/// `choice`-th of `ways` elements.
export function parseMapping(text, axes) {
  const parser = new Parser(text, axes);
  const parts = parser.list();
  if (parser.next !== parser.tokens.length) parser.fail();
  const whole = product(parts);
  const at = (p, choice = 0) => {
    const sum = new Sum(choice);
    whole.add(p, sum);
    return { ...sum.conclude(axes), ways: sum.ways };
  };
  return { size: whole.size, add: whole.add, at, parts, axes: parser.used };
}

/// What lies at a position of each of several levels.
export function cellOf(levels, positions, axes, choice = 0) {
  const sum = new Sum(choice);
  levels.forEach((level, i) => level.add(positions[i], sum));
  return { ...sum.conclude(axes), ways: sum.ways };
}

/// "bf16 in DM Slice[I] Element[K]": the type, and the text of each level. Older traces have m![...] between the brackets.
export function levelsOf(text) {
  const type = text.slice(0, text.indexOf(' '));
  const levels = [];
  for (const m of text.matchAll(/(\w+)\[(?:m!\[)?/g)) {
    if (levels.length && m.index < levels[levels.length - 1].end) continue;
    const begin = m.index + m[0].length;
    let depth = 1;
    let end = begin;
    for (; end < text.length && depth > 0; ++end) depth += text[end] === '[' ? 1 : text[end] === ']' ? -1 : 0;
    levels.push({ name: m[1], text: text.slice(begin, end - 1), end });
  }
  return { type, bits: Number(/\d+/.exec(type)?.[0] ?? 8), levels: levels.map(({ name, text: level }) => ({ name, text: level })) };
}

/// Chips, clusters, slices and rows hold a tensor, each its elements; a stream has time steps and packets instead.
const UNITS = ['Chip', 'Cluster', 'Slice', 'Row'];

/// The axes that a tensor's mapping names: those of its launch, where there are several.
export function axesOfTensor(trace, t) {
  let axes = trace.axes;
  for (const launch of trace.launches) if (launch.tensor <= t) axes = launch.axes;
  return axes;
}

/// A tensor or a stream with each level parsed; throws what cannot be drawn.
export function tensorMapping(text, axes) {
  const { type, bits, levels } = levelsOf(text);
  const parsed = levels.map((level) => ({ ...level, ...parseMapping(level.text, axes) }));
  const inner = parsed.filter((l) => !UNITS.includes(l.name));
  return { type, bits, levels: parsed, units: parsed.filter((l) => UNITS.includes(l.name)), inner };
}

export function axesHeld(mapping) {
  return [...new Set(mapping.levels.flatMap((l) => [...l.axes]))].sort();
}

const MOST_POSITIONS = 1 << 20;  // of a part of a mapping that is looked through

/// What each position of a part adds, and the most that it adds along each axis. A long stretch of one axis is a line: it adds `first` and a `step` for each position.
function contributions(part) {
  if (part.known) return part.known;
  if (part.size > MOST_POSITIONS && part.axis) return part.known = lineOf(part);
  if (part.size > MOST_POSITIONS) throw new Error(`a part with ${part.size} positions is too long to look for an element in`);
  const all = [];
  const most = {};
  const turned = new Set();
  for (let p = 0; p < part.size; ++p)
    for (let choice = 0, ways = 1; choice < ways; ++choice) {
      const sum = new Sum(choice);
      part.add(p, sum);
      ways = sum.ways;
      if (sum.pad) break;
      all.push({ p, index: sum.index });
      for (const [axis, steps] of Object.entries(sum.index)) most[axis] = Math.max(most[axis] ?? 0, steps);
      for (const { axis } of sum.turns) turned.add(axis);
    }
  return part.known = { all, most, turned };
}

/// What all steps along an axis are multiples of: 8 where only blocks of 8 are told apart; 0 where nothing is.
export function finestStep(mapping, axis) {
  const common = (a, b) => (b === 0 ? a : common(b, a % b));
  let step = 0;
  for (const level of mapping.levels) for (const part of level.parts) {
    const { all, line } = contributions(part);
    if (line) step = line.axis === axis ? common(step, line.step) : step;
    else for (const { index } of all) step = common(step, Math.abs(index[axis] ?? 0));
  }
  return step;
}

/// The largest index along an axis that a mapping has.
export function largestIndex(mapping, axis, axes) {
  const turned = mapping.levels.some((level) => level.parts.some((part) => contributions(part).turned.has(axis)));
  const sum = mapping.levels.flatMap((level) => level.parts).reduce((most, part) => most + (contributions(part).most[axis] ?? 0), 0);
  return turned ? axes[axis] - 1 : Math.min(sum, axes[axis] - 1);
}

function lineOf(part) {
  const [first, second] = [0, 1].map((p) => {
    const sum = new Sum();
    part.add(p, sum);
    return sum.index[part.axis] ?? 0;
  });
  const step = second - first;
  return { line: { axis: part.axis, first, step, size: part.size }, most: { [part.axis]: first + step * (part.size - 1) }, turned: new Set() };
}

/// The positions of a line that add between `least` and `most`, not too many.
function near({ axis, first, step, size }, least, most) {
  const all = [];
  const last = Math.min(size - 1, Math.floor((most - first) / step));
  for (let p = Math.max(0, Math.ceil((least - first) / step)); p <= last && all.length <= MOST_FOUND; ++p) all.push({ p, index: { [axis]: first + step * p } });
  return all;
}

const MOST_STEPS = 500_000;
const MOST_FOUND = 4096;

/// All places of a tensor that hold an element: for each level its position. Axes that the index does not name may have any value: these are copies.
export function placesOf(mapping, index, axes) {
  const terms = mapping.levels.flatMap((level, l) => level.parts.map((part) => ({ l, size: part.size, ...contributions(part) })));
  const wanted = Object.keys(index).filter((axis) => mapping.levels.some((level) => level.axes.has(axis)));
  const straight = wanted.filter((axis) => !terms.some((term) => term.turned.has(axis)));  // a skewed one is known when all are in
  const rest = terms.map(() => ({}));  // by term and axis: the most that the terms behind it add
  for (let i = terms.length - 1; i-- > 0;) for (const axis of wanted) rest[i][axis] = (rest[i + 1][axis] ?? 0) + (terms[i + 1].most[axis] ?? 0);
  const found = [];
  const seen = new Set();
  let steps = 0;
  const holds = (positions) => {
    for (let choice = 0, ways = 1; choice < ways; ++choice) {
      const cell = cellOf(mapping.levels, positions, axes, choice);
      ways = cell.ways;
      if (cell.index && wanted.every((axis) => (cell.index[axis] ?? 0) === index[axis])) return true;
    }
    return false;
  };
  const walk = (i, sums, positions) => {
    if (i === terms.length) {
      if (!seen.has(String(positions)) && holds(positions)) found.push(Object.fromEntries(mapping.levels.map((level, l) => [level.name, positions[l]])));
      seen.add(String(positions));  // in a window, a place may be come upon by several ways
      return;
    }
    const { l, size, all, line } = terms[i];
    const left = line && line.axis in index ? index[line.axis] - (sums[line.axis] ?? 0) : Infinity;
    for (const { p, index: adds } of all ?? near(line, left === Infinity ? -Infinity : left - (rest[i][line.axis] ?? 0), left)) {
      if (++steps > MOST_STEPS || found.length >= MOST_FOUND) return;
      const fits = straight.every((axis) => {
        const at = (sums[axis] ?? 0) + (adds[axis] ?? 0);
        return at <= index[axis] && at + (rest[i][axis] ?? 0) >= index[axis];
      });
      if (!fits) continue;
      const next = { ...sums };
      for (const [axis, n] of Object.entries(adds)) next[axis] = (next[axis] ?? 0) + n;
      const at = [...positions];
      at[l] = at[l] * size + p;
      walk(i + 1, next, at);
    }
  };
  walk(0, {}, mapping.levels.map(() => 0));
  return found;
}

/// The channel of HBM that has the byte of an address: what each bit of the address alone does, put together by exclusive or.
export function hbmChannel(address, bits) {
  let channel = 0;
  let rest = address;
  for (let i = 0; i < bits.length && rest > 0; ++i) {
    if (rest % 2 === 1) channel ^= bits[i];
    rest = Math.floor(rest / 2);
  }
  return channel;
}

export function dmBank(address, { dm_row: row, dm_banks: banks }) {
  return Math.floor(address / row) % banks;
}
