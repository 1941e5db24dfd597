// What a command does, in a few words: the tensor that it makes, and what of. Bars and panels call commands so; "main" says only where one runs.
import { placeOf } from './words.js';

const MOST_NAMES = 3;  // of tensors that are written out
const MOST_OPERATIONS = 4;

function namesOf(trace, list, c) {
  const names = [];
  for (let r = list.at[c]; r < list.at[c + 1]; ++r) {
    if (list.tensor[r] < 0) continue;
    const { name } = trace.tensors[list.tensor[r]];
    if (name !== 'scratch' && !names.includes(name)) names.push(name);
  }
  return names;
}

function few(names) {
  return names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')}, \u2026` : names.join(', ');
}

/// "MulF(Mul0) on FpMul0" is mul, "AddFxp" add.
function operationWord(text) {
  const [word = ''] = /^[A-Za-z]+/.exec(text) ?? [];
  return word.replace(/(Fxp|F|I)$/, '').toLowerCase();
}

const REDUCES = { add: 'sum', fadd: 'sum' };

/// By configuration: what the engines of a pass do. Commands share few configurations.
function workOf(trace, number) {
  const known = trace.works ??= [];
  if (known[number]) return known[number];
  const { stages, settings } = trace.configurations[number] ?? { stages: [], settings: [] };
  const has = (pattern) => stages.some(([name]) => pattern.test(name));
  const operations = [];
  for (const [name, text] of settings) {
    if (/^(Fp|Fxp|Logic|Int|Ternary|Binary|Unary|Clip|Compare)/.test(name)) operations.push(operationWord(text));
    else if (/^(intra|inter)_slice_reduce/.test(name)) operations.push(REDUCES[operationWord(text)] ?? operationWord(text));
  }
  const once = operations.filter((word, i) => word && word !== operations[i - 1]);
  const shown = once.length > MOST_OPERATIONS ? [...once.slice(0, MOST_OPERATIONS), '\u2026'] : once;
  const topology = settings.find(([name]) => name === 'switch')?.[1].split(' ')[0] ?? '';
  return known[number] = { contracts: has(/^contract/), vector: has(/^vector/), registers: has(/^to_[tv]rf/), transposes: has(/^transpose/), casts: has(/cast/), topology, operations: shown };
}

function passWords({ contracts, vector, registers, transposes, casts, topology, operations }, reads, made) {
  const then = operations.length ? operations.join(', ') : vector ? 'Vector Engine' : '';
  if (registers && !vector) return `${made} \u2190 ${few(reads)}`;
  if (contracts) return `${made} = ${reads.length > 1 ? `${reads[0]} \u00d7 ${few(reads.slice(1))}` : few(reads)}${then ? `, then ${then}` : ''}`;
  const does = then || [topology, transposes && 'transpose', casts && 'cast'].filter(Boolean).join(', ') || 'copy';
  return `${made} = ${does}(${few(reads)})`;
}

/// {text, short}; null while what commands touch is not unpacked yet, or where it tells nothing.
export function computes(trace, c) {
  const launch = trace.launches.find((l) => l.command === c);
  if (launch) return { text: `launch of ${launch.name}`, short: launch.name };
  if (!trace.reads) return null;
  const [reads, writes] = [namesOf(trace, trace.reads, c), namesOf(trace, trace.writes, c)];
  const made = writes[writes.length - 1];
  if (made === undefined) return null;
  const stages = trace.configuration[c] < 0 ? [] : trace.configurations[trace.configuration[c]].stages;
  if (stages.length === 0) return { text: reads.length ? `${few(reads)} \u2192 ${few(writes)}` : `${few(writes)} filled`, short: made };
  return { text: passWords(workOf(trace, trace.configuration[c]), reads.filter((name) => name !== made || reads.length === 1), made), short: made };
}

/// For a bar: what it does, then where it is written.
export function labelOf(trace, c) {
  const words = computes(trace, c);
  const place = placeOf(trace, trace.source[c]);
  if (words) return place === '-' ? words.text : `${words.text}   ${place}`;
  const text = trace.source[c] >= 0 ? trace.sources[trace.source[c]].text : '';
  return `${trace.texts[trace.name[c]]} ${place}${text ? `  ${text}` : ''}`;
}

export function shortLabelOf(trace, c) {
  return computes(trace, c)?.short ?? trace.texts[trace.name[c]];
}
