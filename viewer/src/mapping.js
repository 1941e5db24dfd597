// Mappings as the book writes them, position by position: which element of a tensor lies where. The tests ask `tcp layout` for the same positions.
//
// An expression is something with a size and, for each position below it, an index along each axis, or padding. `/`, `%`, `#` and `=` stand on one level and group to
// the left; a comma makes a mixed radix of its parts, the last the fastest; brackets group.

const TOKEN = /\s*(?:([A-Za-z_]\w*)|(\d+)|(#[z!<]?|[/%=,[\]]))/y;

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

/// Parts one after the other, the last the fastest.
function product(parts) {
  if (parts.length === 1) return parts[0];
  const size = parts.reduce((s, p) => s * p.size, 1);
  return {
    size,
    at(position, index) {
      let rest = position;
      for (let i = parts.length; i-- > 0;) {
        if (!parts[i].at(rest % parts[i].size, index)) return false;
        rest = Math.floor(rest / parts[i].size);
      }
      return true;
    },
  };
}

const OPERATIONS = {
  '/': (e, n) => ({ size: exact(e.size, n), at: (p, index) => e.at(p * n, index) }),
  '%': (e, n) => {
    exact(e.size, n);
    return { size: n, at: (p, index) => e.at(p, index) };
  },
  '#': (e, n) => ({ size: n, at: (p, index) => p < e.size && e.at(p, index) }),
  '=': (e, n) => ({ size: n, at: (p, index) => p < e.size && e.at(p, index) }),
};

function exact(size, n) {
  if (n < 1 || size % n !== 0) throw new Error(`${n} does not divide ${size}`);
  return size / n;
}

/// `axes`: name to size. Law: at(p, index) adds to index[axis] what position p stands for, or says false where it is padding.
export function parseMapping(text, axes) {
  const tokens = tokensOf(text);
  let next = 0;
  const used = new Set();
  const list = (end) => {
    const parts = [];
    do parts.push(term()); while (tokens[next] === ',' && ++next);
    if (tokens[next] !== end) throw new Error(`cannot draw ${text}`);
    ++next;
    return parts;
  };
  const atom = () => {
    const token = tokens[next++];
    if (token === '[') return product(list(']'));
    if (/^\d+$/.test(token ?? '')) return { size: Number(token), at: () => true };
    if (!/^[A-Za-z_]/.test(token ?? '')) throw new Error(`cannot draw ${text}`);
    if (!(token in axes)) throw new Error(`the size of axis ${token} is not known`);
    used.add(token);
    return { size: axes[token], at: (p, index) => { index[token] = (index[token] ?? 0) + p; return true; } };
  };
  const term = () => {
    let made = atom();
    while (tokens[next] && tokens[next] !== ',' && tokens[next] !== ']') {
      const operation = OPERATIONS[tokens[next]];
      if (!operation || !/^\d+$/.test(tokens[next + 1] ?? '')) throw new Error(`cannot draw ${text}`);
      made = operation(made, Number(tokens[next + 1]));
      next += 2;
    }
    return made;
  };
  const parts = list(undefined);
  return { ...product(parts), parts, axes: used };
}

/// "bf16 in DM Slice[m![I]] Element[m![K]]": the type, and the text of each level.
export function levelsOf(text) {
  const type = text.slice(0, text.indexOf(' '));
  const levels = [];
  for (const m of text.matchAll(/(\w+)\[m!\[/g)) {
    let depth = 1;
    let end = m.index + m[0].length;
    for (; end < text.length && depth > 0; ++end) depth += text[end] === '[' ? 1 : text[end] === ']' ? -1 : 0;
    levels.push({ name: m[1], text: text.slice(m.index + m[0].length, end - 1) });
  }
  return { type, bits: Number(/\d+/.exec(type)?.[0] ?? 8), levels };
}

/// A tensor with each level parsed; throws what cannot be drawn.
export function tensorMapping(tensor, axes) {
  const { type, bits, levels } = levelsOf(tensor.mapping);
  const parsed = levels.map(({ name, text }) => ({ name, text, ...parseMapping(text, axes) }));
  return { type, bits, levels: parsed, units: parsed.filter((l) => l.name !== 'Element'), element: parsed.find((l) => l.name === 'Element') ?? { size: 1, parts: [], at: () => true, axes: new Set() } };
}

/// Each term of a mapping as a factor and at most one axis that it counts whole: "A / 8" is A times 1/8, "A % 8" is 8.
function factorsOf(text) {
  const terms = [];
  let depth = 0;
  let term = [];
  for (const token of tokensOf(text)) {
    depth += token === '[' ? 1 : token === ']' ? -1 : 0;
    if (token === ',' && depth === 0) {
      terms.push(term);
      term = [];
    } else term.push(token);
  }
  terms.push(term);
  return terms.flatMap((tokens) => {
    if (tokens[0] === '[') {
      const close = tokens.lastIndexOf(']');
      const last = tokens.length > close + 1 ? tokens.slice(close + 1) : [];
      const fixed = lastSize(last);
      return fixed !== undefined ? [{ factor: fixed }] : factorsOf(tokens.slice(1, close).join(' '));
    }
    const fixed = lastSize(tokens.slice(1));
    if (fixed !== undefined) return [{ factor: fixed }];
    const divided = tokens.slice(1).reduce((d, token, i, all) => (token === '/' ? d * Number(all[i + 1]) : d), 1);
    return /^\d+$/.test(tokens[0]) ? [{ factor: Number(tokens[0]) / divided }] : [{ factor: 1 / divided, axis: tokens[0] }];
  });
}

/// The size that the last of some operations sets, if one does and only divisions follow.
function lastSize(operations) {
  let size;
  for (let i = 0; i + 1 < operations.length; i += 2) {
    const n = Number(operations[i + 1]);
    if (operations[i] === '/') size = size === undefined ? undefined : size / n;
    else size = n;
  }
  return size;
}

/// Sizes of axes, from the bytes of tensors: a trace has mappings and places, and leaves the sizes to be worked out. Axes that remain open are left out.
export function axesOf(tensors) {
  const names = new Set();
  const equations = [];
  for (const tensor of tensors) {
    try {
      const { bits, levels } = levelsOf(tensor.mapping);
      for (const level of levels) factorsOf(level.text).forEach((f) => f.axis && names.add(f.axis));
      const element = levels.find((l) => l.name === 'Element');
      if (!element || tensor.end <= tensor.begin) continue;
      const factors = factorsOf(element.text);
      const constant = factors.reduce((product_, f) => product_ * f.factor, 1);
      equations.push({ axes: factors.filter((f) => f.axis).map((f) => f.axis), size: (tensor.end - tensor.begin) * 8 / bits / constant });
    } catch { /* a mapping that cannot be drawn says nothing about sizes */ }
  }
  return solved([...names].sort(), equations);
}

/// Products become sums of logarithms; what they leave no choice about is kept if it is whole and fits every equation.
function solved(names, equations) {
  const rows = equations.filter((e) => e.axes.length && e.size > 0).map((e) => [...names.map((n) => e.axes.filter((a) => a === n).length), Math.log2(e.size)]);
  const n = names.length;
  let rank = 0;
  const pivots = [];
  for (let column = 0; column < n && rank < rows.length; ++column) {
    const best = rows.slice(rank).reduce((b, row, i) => (Math.abs(row[column]) > Math.abs(rows[b][column]) ? rank + i : b), rank);
    if (Math.abs(rows[best][column]) < 1e-9) continue;
    [rows[rank], rows[best]] = [rows[best], rows[rank]];
    const by = rows[rank][column];
    rows[rank] = rows[rank].map((v) => v / by);
    rows.forEach((row, i) => { if (i !== rank && row[column]) rows[i] = row.map((v, k) => v - row[column] * rows[rank][k]); });
    pivots.push(column);
    ++rank;
  }
  const axes = {};
  pivots.forEach((column, r) => {
    if (rows[r].slice(0, n).some((v, k) => k !== column && Math.abs(v) > 1e-9)) return;
    const size = Math.round(2 ** rows[r][n]);
    if (size >= 1 && Math.abs(Math.log2(size) - rows[r][n]) < 1e-6) axes[names[column]] = size;
  });
  return { axes, open: names.filter((name) => !(name in axes)) };
}

const MOST_STEPS = 2_000_000;

/// All positions of a tensor that hold an element: for each level its position. Axes that the index does not name may have any value: these are copies.
/// Terms are tried one after the other; what exceeds the index is left at once.
export function placesOf(mapping, index) {
  const terms = mapping.levels.flatMap((level) => level.parts.map((part) => ({ level: level.name, part })));
  const wanted = Object.keys(index).filter((axis) => mapping.levels.some((l) => l.axes.has(axis)));
  const found = [];
  let steps = 0;
  const walk = (i, sums, positions) => {
    if (++steps > MOST_STEPS || found.length >= 4096) return;
    if (i === terms.length) {
      if (wanted.every((axis) => (sums[axis] ?? 0) === index[axis])) found.push({ ...positions });
      return;
    }
    const { level, part } = terms[i];
    for (let p = 0; p < part.size; ++p) {
      const next = { ...sums };
      if (!part.at(p, next) || wanted.some((axis) => next[axis] > index[axis])) continue;
      walk(i + 1, next, { ...positions, [level]: (positions[level] ?? 0) * part.size + p });
    }
  };
  walk(0, {}, {});
  return found;
}

export function axesHeld(mapping) {
  return [...new Set(mapping.levels.flatMap((l) => [...l.axes]))].sort();
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

export function dmBank(address, { dm_row_bytes: row, dm_banks: banks }) {
  return Math.floor(address / row) % banks;
}
