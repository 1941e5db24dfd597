// The trace as the page carries it: tables as JSON, and what there is once a command as typed arrays (tools/tcp/trace_page.cpp writes them).
//
// Blocks are unpacked when they are first needed: a page of a million commands is drawn before the bytes that its commands touch have been looked at.

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i16: Int16Array, i32: Int32Array, f64: Float64Array };

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function unpacked(id) {
  const element = document.getElementById(id);
  const packed = new Blob([bytesOf(element.textContent)]);
  element.remove();
  return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}

/// Where the list of each command begins, and one past the last.
export function offsetsOf(counts) {
  const at = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) at[i + 1] = at[i] + counts[i];
  return at;
}

/// Columns `x` become `trace.x`; columns `list.count` and `list.field` become `trace.list.at` and `trace.list.field`.
export function addColumns(trace, columns) {
  for (const [name, values] of columns) {
    const [list, field] = name.split('.');
    if (field === undefined) trace[list] = values;
    else if (field === 'count') trace[list] = { at: offsetsOf(values) };
    else (trace[list] ??= {})[field] = values;
  }
  if (trace.after?.back && !trace.after.from) trace.after.from = senders(trace.after);
}

function senders(after) {
  const from = new Int32Array(after.back.length);
  for (let c = 0; c + 1 < after.at.length; ++c) for (let e = after.at[c]; e < after.at[c + 1]; ++e) from[e] = c - after.back[e];
  return from;
}

/// Tensors and regions as records: there may be as many of them as commands, and the columns unpack faster than JSON is read.
function addTables(trace) {
  const { texts, tensor_rows: t, region_rows: r } = trace;
  trace.tensors = Array.from(t.name, (name, i) => ({
    name: texts[name], memory: texts[t.memory[i]], mapping: texts[t.mapping[i]], role: texts[t.role[i]], begin: t.begin[i], end: t.end[i], units: t.units[i], source: t.source[i],
    first: t.first[i], last: t.last[i],
  }));
  trace.regions = Array.from(r.name, (name, i) => ({ name: texts[name], index: r.index[i] }));
}

export async function openTrace(prefix) {
  const trace = JSON.parse(new TextDecoder().decode(await unpacked(prefix + 'head')));
  trace.n = trace.commands;
  trace.resources_names = trace.resources;  // the column of the same name says which of them each command occupies
  const asked = new Map();
  trace.need = (...names) => Promise.all(names.map((name) => {
    if (!asked.has(name)) asked.set(name, load(name));
    return asked.get(name);
  }));
  async function load(name) {
    const buffer = await unpacked(prefix + name);
    const columns = trace.blocks.find((b) => b.name === name).columns;
    addColumns(trace, columns.map((c) => [c.name, new TYPES[c.type](buffer, c.at, c.size)]));
  }
  await trace.need('commands', 'tables');
  addTables(trace);
  return trace;
}

/// What memories held after commands, where the trace keeps it; null where not.
export async function openValues(prefix) {
  return document.getElementById(`${prefix}values`) ? JSON.parse(new TextDecoder().decode(await unpacked(`${prefix}values`))) : null;
}

/// What `tcp diff --json` says of the two traces of a page; and for each command of the earlier the same one of the later, -1 if there is none.
export async function openDiff() {
  const read = async (name) => JSON.parse(new TextDecoder().decode(await unpacked(name)));
  return { diff: await read('diff'), partners: Int32Array.from(await read('partners')) };
}
