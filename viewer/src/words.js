// Numbers and places as people read them, the same as in `tcp report`.

export function withCommas(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/// How many ticks of a chip's counter a cycle has, while they are shown beside cycles; 0: they are not.
let ticksPerCycle = 0;
export function showTicks(perCycle) {
  ticksPerCycle = perCycle;
}

/// In a sentence: "1,234 cycles", or "1,234 cycles (2,468 ticks)".
export function inCycles(n) {
  return `${withCommas(n)} cycles${ticksPerCycle ? ` (${withCommas(n * ticksPerCycle)} ticks)` : ''}`;
}
/// Where the word cycles stands elsewhere: "1,234", or "1,234 (2,468)".
export function bareCycles(n) {
  return `${withCommas(n)}${ticksPerCycle ? ` (${withCommas(n * ticksPerCycle)})` : ''}`;
}
/// What a column of cycles is called.
export function cyclesWord() {
  return ticksPerCycle ? 'cycles (ticks)' : 'cycles';
}

/// Cycles as time, with four digits or so: "72.83 \u00b5s".
export function inTime(cycles, mhz) {
  const units = ['ns', '\u00b5s', 'ms', 's'];
  let value = cycles * 1000 / mhz;
  let unit = 0;
  for (; value >= 1000 && unit + 1 < units.length; ++unit) value /= 1000;
  return `${value >= 1000 ? withCommas(Math.round(value)) : Number(value.toPrecision(4))} ${units[unit]}`;
}

export function inBytes(n) {
  if (n < 1024) return `${n} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = n / 1024;
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${value.toFixed(1)} ${units[unit]}`;
}

/// What resources and the parts of a command's cycles are, for those who meet them for the first time.
const CAUSES = new Map([
  ['main', 'the Tensor Unit, which fetches, multiplies, computes and commits'],
  ['sub', 'the second context of the Tensor Unit, which fills TRF and VRF'],
  ['tensor DMA', 'moves data between memories'],
  ['PCIe DMA', 'moves data between the host and HBM'],
  ['vector engine', 'computes element by element'],
  ['start-up', 'nothing moves yet: descriptors, the fill of the pipeline'],
  ['streaming', 'data flow at the rate of their source'],
  ['slowest engine', 'a pass goes on at the pace of its slowest engine, which is not the fetch: work, if that is the Contraction'],
  ['stall: trf-bank', 'a read and a store of TRF meet in a bank'],
  ['stall: dm-bank', 'accesses meet in a bank of DM'],
  ['stall: dmn', 'one DMN has half the rate of a DMA engine'],
  ['stall: hbm-channel', 'too few channels of HBM take part'],
  ['stall: hbm-row', 'HBM switches rows between accesses'],
  ['stall: partial-write', 'HBM writes whole units; a smaller write is read, changed and written back'],
  ['stall: shared-medium', 'reads and writes of one memory take turns'],
  ['stall: pcie', 'the way between chips and to the host'],
  ['stall: broadcast', 'engines that read the same bytes wait for each other'],
  ['stall: starvation', 'others took the banks of DM'],
]);

export function causeWords(name) {
  return CAUSES.get(name) ?? '';
}

/// What a cause of stalls is called. That another engine than the fetch sets the pace is no stall: it may well be the one that multiplies.
export function stallWord(cause) {
  return cause === 'engine' ? 'slowest engine' : `stall: ${cause}`;
}

export function placeOf(trace, source) {
  if (source < 0) return '-';
  const { file, line } = trace.sources[source];
  return `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
}

const MOST_NUMBERS = 65536;  // a trace may have been written by anyone

/// "0-3,8" as numbers below that.
export function numbersOf(text) {
  const all = [];
  for (const part of text.split(',')) {
    if (part === '') continue;
    const [first, last = first] = part.split('-').map(Number);
    for (let i = first; i <= last && i < MOST_NUMBERS; ++i) all.push(i);
  }
  return all;
}

/// Numbers that go up, as "0-3,8".
export function rangesOf(numbers) {
  const runs = [];
  for (const i of numbers) {
    const last = runs[runs.length - 1];
    if (last && last[1] === i - 1) last[1] = i;
    else runs.push([i, i]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/// "256.06 MiB"; beside addresses that two decimals do not tell apart from it "256 MiB + 2 KiB".
export function inAddress(n, others = []) {
  for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 1024]]) {
    if (n < size) continue;
    const whole = Math.floor(n / size);
    if (n > whole * size && others.some((other) => other !== n && Math.abs(other - n) < size / 50)) return `${whole} ${unit} + ${inAddress(n - whole * size)}`;
    return `${Number((n / size).toFixed(2))} ${unit}`;
  }
  return `${n} B`;
}
