// Numbers and places as people read them, the same as in `tcp report`.

export function withCommas(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function inBytes(n) {
  if (n < 1024) return `${n} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = n / 1024;
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${value.toFixed(1)} ${units[unit]}`;
}

export function placeOf(trace, source) {
  if (source < 0) return '-';
  const { file, line } = trace.sources[source];
  return `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
}

/// "0-3,8" as numbers.
export function numbersOf(text) {
  const all = [];
  for (const part of text.split(',')) {
    if (part === '') continue;
    const [first, last = first] = part.split('-').map(Number);
    for (let i = first; i <= last; ++i) all.push(i);
  }
  return all;
}
