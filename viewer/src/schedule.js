// When commands run: as the trace says, and as it would be with other lengths or without some edges.
//
// A command starts when all that it comes after have ended. This is trace::replay of the library (src/trace/replay.cpp), line for line; the tests run both.

/// What a trace's own times are, in the form that replay gives.
export function recorded(trace) {
  const { n } = trace;
  const start = Float64Array.from(trace.start);
  const end = new Float64Array(n);
  const critical = new Uint8Array(n);
  for (let c = 0; c < n; ++c) end[c] = start[c] + trace.length[c];
  for (const c of trace.critical_path) critical[c] = 1;
  return {
    start, end, critical, length: trace.length, slack: trace.slack, binding: Int32Array.from(trace.binding), makespan: trace.makespan,
    criticalPath: Int32Array.from(trace.critical_path), after: trace.after, dropped: null,
  };
}

/// `after` are edges by command ({at, from, ...}); `length` the cycles of each command; `dropped`, where given, has a 1 for each edge that does not hold;
/// `former` the binding edges that stay so if another ends at the same time.
export function replay({ n, after, length, order, dropped = null, former = null }) {
  const start = new Float64Array(n);
  const end = new Float64Array(n);
  const binding = new Int32Array(n).fill(-1);
  let makespan = 0;
  const taken = order && order.length ? order : null;
  for (let i = 0; i < n; ++i) {
    const c = taken ? taken[i] : i;
    const kept = former ? former[c] : -1;
    let begin = 0;
    let bound = -1;
    for (let e = after.at[c], k = 0; e < after.at[c + 1]; ++e, ++k) {
      if (dropped && dropped[e]) continue;
      const free = end[after.from[e]];
      if (free < begin || (free === begin && k !== kept)) continue;
      begin = free;
      bound = k;
    }
    start[c] = begin;
    binding[c] = bound;
    end[c] = begin + length[c];
    if (end[c] > makespan) makespan = end[c];
  }
  const made = { start, end, binding, makespan, length, after, dropped };
  made.slack = slacks(made, taken, n);
  addPath(made, n);
  return made;
}

/// Backwards: a command may end as late as all that come after it may start.
function slacks({ start, end, makespan, after, dropped }, taken, n) {
  const slack = new Float64Array(n);
  for (let c = 0; c < n; ++c) slack[c] = makespan - end[c];
  for (let i = n; i-- > 0;) {
    const c = taken ? taken[i] : i;
    const latest = start[c] + slack[c];
    for (let e = after.at[c]; e < after.at[c + 1]; ++e) {
      if (dropped && dropped[e]) continue;
      const from = after.from[e];
      if (latest - end[from] < slack[from]) slack[from] = latest - end[from];
    }
  }
  return slack;
}

/// From the first command that ends with the program, back along binding edges.
function addPath(made, n) {
  made.critical = new Uint8Array(n);
  const path = [];
  let at = made.end.indexOf(made.makespan);
  while (at >= 0) {
    made.critical[at] = 1;
    path.push(at);
    at = made.binding[at] < 0 ? -1 : made.after.from[made.after.at[at] + made.binding[at]];
  }
  made.criticalPath = Int32Array.from(path.reverse());
}

/// The edge that set the start of a command, as a number into `after`; -1: it starts with the program.
export function bindingEdge(schedule, c) {
  return schedule.binding[c] < 0 ? -1 : schedule.after.at[c] + schedule.binding[c];
}

/// Since when the queue of each command stood free before it started; its own start where it did not wait.
export function waitingSince(trace, schedule) {
  const since = new Float64Array(trace.n);
  const free = new Float64Array(trace.resources_names.length);
  const { at, number } = trace.resources;
  for (let i = 0; i < trace.n; ++i) {
    const c = trace.order.length ? trace.order[i] : i;
    const own = number[at[c]];
    since[c] = Math.min(free[own], schedule.start[c]);
    for (let k = at[c]; k < at[c + 1]; ++k) if (schedule.end[c] > free[number[k]]) free[number[k]] = schedule.end[c];
  }
  return since;
}
