// The page: opens the trace, keeps what is looked at and what is changed, and has the stage and the panels show it.
import { openDiff, openTrace, openValues } from './store.js';
import { recorded, waitingSince } from './schedule.js';
import { edgesOfWaits, linesOf, reasonKind, reasonOf, waitsOf } from './report.js';
import { COLOUR_MODES, colouring } from './colours.js';
import { chipCount, foldedLanes, lanesOf } from './lanes.js';
import { foldedMemories, memoryLanes, sliceKinds } from './memory.js';
import { laneKey, Stage, transferWords } from './stage.js';
import { computes, labelOf, shortLabelOf } from './names.js';
import { countersOf } from './counters.js';
import { launchesPanel, launchLane, regionLabel, regionLanes, regionsPanel, rooflinePanel } from './regions.js';
import { sourcePanel } from './source.js';
import { mapPanel } from './chipmap.js';
import { Values, valuesPanel } from './values.js';
import { fromAddress, freshView, toAddress } from './state.js';
import { bestTrials, changedSchedule, edgeKey, hasChanges, noChanges } from './whatif.js';
import { matching } from './search.js';
import { answersPanel, commandPanel, findingsPanel, gapsPanel, legendOf, linesPanel, waitsPanel, whatIfPanel } from './panels.js';
import { button, el } from './dom.js';
import { mappingPanel } from './explorer.js';
import { comparePanel, interleaved, otherModel } from './compare.js';
import { bareCycles, inBytes, inCycles, inTime, numbersOf, placeOf, rangesOf, showTicks, withCommas } from './words.js';

const byId = (id) => document.getElementById(id);

const TABS = [
  ['answers', 'answers', answersPanel], ['lines', 'lines', linesPanel], ['waits', 'waits', waitsPanel], ['gaps', 'gaps', gapsPanel],
  ['findings', 'findings', findingsPanel], ['command', 'command', commandPanel], ['whatif', 'what if', whatIfPanel], ['mapping', 'mapping', mappingPanel],
  ['source', 'source', sourcePanel], ['regions', 'regions', regionsPanel], ['roofline', 'roofline', rooflinePanel], ['map', 'chip map', mapPanel], ['values', 'values', valuesPanel],
];

const KEYS = [
  ['w s, + -, wheel', 'zoom in, out'], ['a d, arrows, drag', 'pan'], ['f', 'show everything'], ['n p', 'next, previous command on the critical path'],
  ['Enter', 'zoom to the selected command'], ['/', 'search'], ['1 ... 9', 'the first nine panels; arrow keys go from one to the next'], ['c', 'next way of colouring'], ['x', 'the selected command as if it cost nothing'],
  ['t', 'light or dark'], ['click on the axis of time', 'the moment of the chip map'], ['Escape', 'select nothing, clear the search'], ['Page Up, Page Down, shift + wheel', 'scroll'],
];

class Page {
  constructor(trace) {
    this.trace = trace;
    this.base = null;
    this.changes = noChanges();
    this.stage = new Stage(byId('canvas'));
    this.view = fromAddress(location.hash.slice(1), trace, this.changes, COLOUR_MODES.map(([mode]) => mode));
    this.tabs = trace.launches.length ? [...TABS, ['launches', 'launches', launchesPanel]] : TABS;
    this.setTicks(this.view.ticks);
  }

  /// Whether ticks are shown beside cycles; words.js prints both.
  setTicks(on) {
    this.view.ticks = on;
    showTicks(on ? this.trace.ticks_per_cycle : 0);
  }

  /// What the picture needs, from the schedule as it is now.
  rebuild() {
    const { trace } = this;
    this.schedule = hasChanges(this.changes) ? changedSchedule(trace, this.changes) : this.base;
    this.since = waitingSince(trace, this.schedule);
    this.sumsMade = this.heat = null;
    this.parts = {};
    this.usedReasons = this.reasonsInUse();
    const spans = [...(trace.launches.length ? [launchLane(trace, this.schedule)] : []), ...regionLanes(trace, this.schedule)];
    const lanes = this.withOther(lanesOf(trace, this.schedule, spans), 'lanes');
    const memories = this.withOther(memoryLanes(trace, this.schedule, this.view.slices), 'memories');
    this.model = {
      trace, schedule: this.schedule, since: this.since, allLanes: lanes, other: this.other?.model ?? null, ...this.forTheEye(lanes, memories),
      reason: (c) => reasonKind(trace, this.schedule, c), label: (c) => labelOf(trace, c), name: (c) => shortLabelOf(trace, c), successors: (c) => this.successorsOf(c), matched: null,
    };
    this.addCounters();
    this.recolour();
    this.filter();
  }

  /// Lanes and memories that are drawn: what is alike once, and what is unused as one line. Where all are asked for, every one.
  forTheEye(lanes, memories) {
    if (this.view.all) return { lanes, memories, unused: '' };
    const [folded, kept] = [foldedLanes(lanes), foldedMemories(memories)];
    const names = [...folded.unused, ...kept.unused].map((lane) => `${chipCount(this.trace) > 1 ? `chip ${lane.chip} ` : ''}${lane.label}`);
    return { lanes: folded.lanes, memories: kept.lanes, unused: names.length ? `not used: ${joinedNames(names).join('; ')}` : '' };
  }

  /// Once what commands touch is unpacked.
  addCounters() {
    this.model.counters = this.whole ? countersOf(this.trace, this.schedule) : [];
  }

  /// Sums by region or by launch, worked out when a panel first asks.
  partSums(name, make) {
    return this.parts[name] ??= make(this.trace, this.schedule);
  }

  /// Those of the trace, with those of the one that it is compared with in between.
  withOther(lanes, list) {
    const { chip } = this.view;
    return (this.other ? interleaved(lanes, this.other.model, list) : lanes).filter((lane) => chip < 0 || lane.chip < 0 || lane.chip === chip);
  }

  /// The trace that came before, and what `tcp diff` says of the two.
  compareWith(trace, { diff, partners }) {
    this.other = { model: otherModel(trace, this.view.colour, this.view.slices), diff, counterparts: partners };
    this.tabs = [...this.tabs, ['compare', 'compare', comparePanel]];
    if (this.view.to === freshView(this.trace).to) this.view.to = Math.max(this.view.to, trace.makespan);
  }

  reasonsInUse() {
    const { trace, schedule, since } = this;
    const kinds = new Set();
    for (let c = 0; c < trace.n; ++c) if (since[c] < schedule.start[c]) kinds.add(schedule.binding[c] < 0 ? -1 : schedule.after.kind[schedule.after.at[c] + schedule.binding[c]]);
    return [...kinds].map((kind) => (kind < 0 ? 'start' : trace.texts[kind]));
  }

  recolour() {
    this.model.colours = colouring(this.trace, this.schedule, this.view.colour);
    if (this.other) this.other.model.colours = colouring(this.other.model.trace, this.other.model.schedule, this.view.colour);
    byId('legend').replaceChildren(...legendOf(this));
  }

  filter() {
    const found = matching(this.trace, this.schedule, this.since, this.model.reason, this.view.query);
    this.model.matched = found?.matched ?? null;
    byId('found').textContent = found ? `${withCommas(found.count)} found` : '';
    return found;
  }

  /// Commands that a command is the binding predecessor of.
  successorsOf(c) {
    if (this.successorsKey?.c === c && this.successorsKey.schedule === this.schedule) return this.successorsKey.list;
    const { after, binding } = this.schedule;
    const list = [];
    for (let d = 0; d < this.trace.n; ++d) if (binding[d] >= 0 && after.from[after.at[d] + binding[d]] === c) list.push(d);
    this.successorsKey = { c, schedule: this.schedule, list };
    return list;
  }

  /// Sums over all commands, worked out when a panel first asks.
  sums() {
    if (this.sumsMade) return this.sumsMade;
    const { trace, schedule, since } = this;
    this.sumsMade = { since, waits: waitsOf(trace, schedule, since), lines: linesOf(trace, schedule, since), best: bestTrials(trace, this.changes, schedule) };
    return this.sumsMade;
  }

  refresh() {
    this.stage.show(this.model, this.view);
    this.showPanel();
    this.showTitle();
    this.remember();
  }

  showTitle() {
    const { trace, schedule } = this;
    byId('program').textContent = byId('program').title = trace.program;
    document.title = `${trace.program}: ${inCycles(schedule.makespan)}`;
    const time = trace.core_mhz ? `, ${inTime(schedule.makespan, trace.core_mhz)}` : '';
    byId('about').replaceChildren(hasChanges(this.changes) ? el('span', { class: 'changed' }, `what if: ${inCycles(schedule.makespan)}`) : inCycles(schedule.makespan), time,
      `; ${withCommas(trace.n - trace.launches.length)} commands on ${trace.chip} (${trace.model})`);
    byId('title').title = `${trace.program}: ${byId('about').textContent}`;
  }

  showPanel() {
    if (!this.tabs.some(([name]) => name === this.view.tab)) this.view.tab = 'answers';
    const focused = byId('tabs').contains(document.activeElement);
    byId('tabs').replaceChildren(...this.tabs.map(([name, word]) => button(word, () => this.openTab(name),
      { role: 'tab', id: `tab-${name}`, 'aria-selected': String(name === this.view.tab), 'aria-controls': 'panel' })));
    const chosen = byId(`tab-${this.view.tab}`);
    chosen.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (focused) chosen.focus();
    if (!this.whole) return;  // a click while the rest of the trace is still being unpacked
    const [, , make] = this.tabs.find(([name]) => name === this.view.tab);
    const panel = byId('panel');
    const other = panel.dataset.tab !== this.view.tab;
    panel.dataset.tab = this.view.tab;
    panel.replaceChildren(...make(this).flat(2).filter(Boolean));
    if (!other) return;
    panel.scrollTop = 0;
    const hottest = panel.querySelector('.line.hottest');
    if (hottest && hottest.getBoundingClientRect().bottom > panel.getBoundingClientRect().bottom) hottest.scrollIntoView({ block: 'center', inline: 'start' });
  }

  /// The mapping of a stream behind a stage, cell by cell.
  openStream(configuration, stage) {
    this.view.stream = `${configuration}.${stage}`;
    this.openTab('mapping');
  }

  /// The moment of the chip map. While a slider moves, the picture is enough.
  setMoment(time, sliding = false) {
    this.view.moment = Math.max(0, Math.min(this.schedule.makespan, Math.floor(time)));
    this.stage.ask();
    this.remember();
    clearTimeout(this.sliding);
    if (this.view.tab !== 'map') return this.openTab('map');
    if (!sliding) return this.showPanel();
    this.sliding = setTimeout(() => {
      this.showPanel();
      byId('moment-slider')?.focus();
    }, 120);
    return undefined;
  }

  /// The mapping of a tensor, where a click chooses an element.
  pickElement(tensor) {
    Object.assign(this.view, { tensor, stream: '', selected: -1 });
    this.openTab('mapping');
  }

  /// An element of a tensor, and its way through memories.
  follow(tensor, element) {
    Object.assign(this.view, { tensor, element, stream: '', selected: -1 });
    this.openTab('mapping');
  }

  zoomTo(from, to) {
    this.zoom(from - (to - from) * 0.02, to + (to - from) * 0.02);
  }

  openTab(name) {
    this.view.tab = name;
    this.showPanel();
    this.remember();
  }

  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      const words = toAddress(this.view, this.changes, freshView(this.trace));
      history.replaceState(null, '', words ? `#${words}` : location.pathname + location.search);
    }, 150);
  }

  zoom(from, to) {
    const before = -(this.model.lanes.find((lane) => lane.transfers)?.begin ?? 0);  // cycles that the host's lane reaches back
    const most = Math.max(1, this.schedule.makespan + before, this.other?.model.trace.makespan ?? 0) * 1.5;
    const span = Math.min(most, Math.max(4, to - from));
    const middle = (from + to) / 2;
    const first = Math.max(-before - span / 20, Math.min(middle - span / 2, this.schedule.makespan - span * 0.1));
    [this.view.from, this.view.to] = [first, first + span];
    this.stage.ask();
    this.remember();
  }

  zoomBy(factor, x = this.stage.gutter + this.stage.width / 2) {
    const at = this.stage.timeAt(x);
    this.zoom(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
  }

  pan(share) {
    const by = (this.view.to - this.view.from) * share;
    this.zoom(this.view.from + by, this.view.to + by);
  }

  fit() {
    [this.view.from, this.view.to] = [0, Math.max(1, this.schedule.makespan, this.other?.model.trace.makespan ?? 0)];
    this.stage.ask();
    this.remember();
  }

  select(c, bring) {
    this.view.selected = c;
    this.view.tensor = -1;
    if (c >= 0) this.view.tab = 'command';
    if (bring && c >= 0) this.bring(c);
    this.refresh();
  }

  selectTensor(t) {
    this.view.selected = -1;
    this.view.tensor = t;
    this.view.stream = '';
    this.view.tab = 'command';
    this.refresh();
  }

  /// Pans, and zooms in where a command would be too small to see.
  bring(c) {
    this.stage.scrollToCommand(c);
    const [start, end] = [Math.min(this.since[c], this.schedule.start[c]), this.schedule.end[c]];
    const span = this.view.to - this.view.from;
    const inside = start >= this.view.from && end <= this.view.to;
    if (inside && (end - start) / span > 0.01) return;
    const wanted = Math.max(4, Math.min(span, Math.max(end - start, 1) * 20));
    this.zoom((start + end - wanted) / 2, (start + end + wanted) / 2);
  }

  /// Along the critical path; from the middle of the view where nothing on it is selected.
  step(by) {
    const path = this.schedule.criticalPath;
    if (path.length === 0) return;
    let at = path.indexOf(this.view.selected);
    if (at < 0) {
      const middle = (this.view.from + this.view.to) / 2;
      at = path.findIndex((c) => this.schedule.end[c] > middle);
      if (this.view.from <= 0 && this.view.to >= this.schedule.makespan) at = by > 0 ? 0 : path.length - 1;
      this.select(path[Math.max(0, at)], true);
    } else this.select(path[Math.max(0, Math.min(path.length - 1, at + by))], true);
  }

  search(query) {
    this.view.query = query;
    byId('search').value = query;
    const found = this.filter();
    this.stage.ask();
    this.remember();
    return found;
  }

  change(kind, value) {
    const set = this.changes[kind];
    if (!set.delete(value)) set.add(value);
    this.rebuild();
    this.refresh();
  }

  /// The commands of a wait start as soon as their queue is free.
  dropWaits(wait) {
    const { trace, schedule } = this;
    const to = new Map();
    for (const c of wait.commands) for (let e = schedule.after.at[c]; e < schedule.after.at[c + 1]; ++e) to.set(e, c);
    for (const e of edgesOfWaits(schedule, wait.commands, this.since)) this.changes.drop.add(edgeKey(trace, schedule.after, to.get(e), e));
    this.view.tab = 'whatif';
    this.rebuild();
    this.refresh();
  }

  /// What `tcp report --what-if` has planned.
  tryPlanned(key) {
    this.changes.tried.add(key);
    this.view.tab = 'whatif';
    this.rebuild();
    this.refresh();
  }

  undoAll() {
    for (const set of Object.values(this.changes)) set.clear();
    this.rebuild();
    this.refresh();
  }

  setColour(mode) {
    this.view.colour = mode;
    byId('colour').value = mode;
    this.recolour();
    this.stage.show(this.model, this.view);
    this.remember();
  }

  /// One memory higher than the others, or no longer so.
  enlarge(key) {
    this.view.tall = this.view.tall === key ? '' : key;
    this.stage.show(this.model, this.view);
    this.remember();
  }

  /// Other chips or slices: other lanes.
  setShown(what, value) {
    this.view[what] = value;
    if (this.other && what === 'slices') this.other.model.memories = memoryLanes(this.other.model.trace, this.other.model.schedule, value);
    this.rebuild();
    this.stage.show(this.model, this.view);
    this.remember();
  }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    byId('theme').textContent = theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('tcp-theme', theme);
    } catch { /* a page from a file may have no storage; then the theme lasts as long as the page */ }
    this.stage.ask();
  }
}

/// "engine 4", "engine 5" and "engine 6" are "engines 4-6".
function joinedNames(names) {
  const byStem = new Map();
  for (const name of names) {
    const [, stem, number] = /^(.*?)( \d+)?$/.exec(name);
    byStem.set(stem, [...(byStem.get(stem) ?? []), ...(number ? [Number(number)] : [])]);
  }
  return [...byStem].map(([stem, numbers]) => (numbers.length ? `${stem}${numbers.length > 1 ? 's' : ''} ${rangesOf(numbers.sort((a, b) => a - b))}` : stem));
}

function storedTheme() {
  try {
    return localStorage.getItem('tcp-theme');
  } catch {
    return null;
  }
}

function showTip(page, x, y) {
  const tip = byId('tip');
  const { command, waiting, tensor, transfer, earlier, earlierTensor, region, launch } = page.stage.under(x, y);
  const { trace, schedule } = page;
  const counted = page.stage.counterAt(x, y);
  if (y < page.stage.size.ruler && x > page.stage.gutter) {
    tip.hidden = true;
    byId('canvas').style.cursor = 'crosshair';
    return;
  }
  const name = page.stage.nameUnder(x, y);
  if (name) {
    tip.hidden = false;
    tip.textContent = `click: ${laneKey(name) === page.view.tall ? 'as high as the others' : 'higher'}`;
    placeTip(tip, x, y);
    byId('canvas').style.cursor = 'pointer';
    return;
  }
  tip.hidden = !counted && [command, waiting, tensor, transfer, earlier, earlierTensor, region, launch].every((what) => what === undefined);
  byId('canvas').style.cursor = tip.hidden || counted ? 'default' : 'pointer';
  if (tip.hidden) return;
  if (counted) tip.textContent = counted.words;
  else if (region !== undefined) tip.textContent = spanWords(page, 'region', region, regionLabel(trace, region));
  else if (launch !== undefined) tip.textContent = spanWords(page, 'launch', launch, `launch ${launch + 1}, ${trace.launches[launch].name}`);
  else if (earlier !== undefined) tip.textContent = earlierWords(page, earlier);
  else if (earlierTensor !== undefined) tip.textContent = `before: ${tensorWords(page.other.model.trace.tensors[earlierTensor])}`;
  else if (tensor !== undefined) tip.textContent = tensorWords(trace.tensors[tensor]);
  else if (transfer !== undefined) tip.textContent = `${transferWords(transfer)} over PCIe${transfer.source >= 0 ? `, ${placeOf(trace, transfer.source)}` : ''}; before the kernel, and not counted`;
  else if (waiting !== undefined) tip.textContent = `${inCycles(schedule.start[waiting] - page.since[waiting])}: ${trace.texts[trace.name[waiting]]} at ${placeOf(trace, trace.source[waiting])} ${reasonOf(trace, schedule, waiting)}`;
  else tip.textContent = `#${command} ${computes(trace, command)?.text ?? ''} ${placeOf(trace, trace.source[command])}, ${trace.texts[trace.name[command]]}: ${inCycles(schedule.length[command])}${schedule.critical[command] ? ', critical' : `, slack ${bareCycles(schedule.slack[command])}`}`;
  placeTip(tip, x, y);
}

function spanWords(page, kind, number, name) {
  const lane = page.model.lanes.find((l) => l.spans === kind && l.index.includes(number));
  const i = lane.index.indexOf(number);
  return `${name}: ${inCycles(lane.end[i] - lane.start[i])}, from ${withCommas(lane.start[i])} to ${withCommas(lane.end[i])}`;
}

/// Beside the pointer, within the picture.
function placeTip(tip, x, y) {
  const { clientWidth, clientHeight } = byId('stage');
  tip.style.left = `${Math.max(0, Math.min(x + 12, clientWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${y + 16 + tip.offsetHeight < clientHeight ? y + 16 : Math.max(0, y - tip.offsetHeight - 8)}px`;
}

function tensorWords({ name, mapping, begin, end }) {
  return `${name}: ${mapping}, ${inBytes(end - begin)} at ${withCommas(begin)}`;
}

function earlierWords({ other, schedule }, c) {
  const { model, counterparts: after } = other;
  const now = after[c] < 0 ? 'it is gone' : `now ${withCommas(schedule.length[after[c]])} from ${withCommas(schedule.start[after[c]])}`;
  return `before: #${c} ${model.label(c)}: ${inCycles(model.schedule.length[c])} from ${withCommas(model.schedule.start[c])}; ${now}`;
}

function listenToPointer(page) {
  const canvas = byId('canvas');
  let drag = null;
  canvas.addEventListener('pointerdown', (e) => {
    const bar = page.stage.barAt(e.offsetX, e.offsetY);
    if (bar !== null) page.stage.scrollTo(bar);
    drag = { bar: bar !== null, x: e.offsetX, y: e.offsetY, from: page.view.from, to: page.view.to, scroll: page.stage.scroll, moved: false };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener('pointermove', (e) => {
    if (!drag) return showTip(page, e.offsetX, e.offsetY);
    if (drag.bar) return page.stage.scrollTo(page.stage.barAt(byId('canvas').clientWidth, e.offsetY));
    drag.moved ||= Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 4;
    if (!drag.moved) return undefined;
    byId('tip').hidden = true;
    const by = (drag.x - e.offsetX) / page.stage.width * (drag.to - drag.from);
    page.stage.scrollTo(drag.scroll + drag.y - e.offsetY);
    page.zoom(drag.from + by, drag.to + by);
    return undefined;
  });
  canvas.addEventListener('pointerup', (e) => {
    const was = drag;
    drag = null;
    if (!was || was.moved || was.bar) return;
    if (e.offsetY < page.stage.size.ruler && e.offsetX > page.stage.gutter) {
      page.setMoment(page.stage.timeAt(e.offsetX));
      return;
    }
    const name = page.stage.nameUnder(e.offsetX, e.offsetY);
    if (name) {
      page.enlarge(laneKey(name));
      return;
    }
    const { command, waiting, tensor, earlier, region, launch } = page.stage.under(e.offsetX, e.offsetY);
    if (region !== undefined) page.search(`region:"${page.trace.regions[region].name}[${page.trace.regions[region].index}]"`);
    else if (launch !== undefined) page.zoomTo(page.schedule.start[page.trace.launches[launch].command], page.schedule.start[page.trace.launches[launch].command] + page.trace.launches[launch].cycles);
    else if (earlier !== undefined) page.select(page.other.counterparts[earlier], false);
    else if (tensor !== undefined) page.selectTensor(tensor);
    else page.select(command ?? waiting ?? -1, false);
  });
  canvas.addEventListener('pointerleave', () => { byId('tip').hidden = true; });
  canvas.addEventListener('dblclick', () => page.view.selected >= 0 && zoomToSelected(page));
  canvas.addEventListener('wheel', (e) => {
    e.preventDefault();
    if (e.shiftKey) {
      page.stage.scrollBy(e.deltaY || e.deltaX);
    } else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) page.pan(e.deltaX / page.stage.width);
    else page.zoomBy(1.0015 ** e.deltaY, e.offsetX);
  }, { passive: false });
}

function zoomToSelected(page) {
  const c = page.view.selected;
  if (c < 0) return;
  const length = Math.max(2, page.schedule.length[c]);
  page.zoom(page.schedule.start[c] - length * 0.5, page.schedule.end[c] + length * 0.5);
}

function listenToKeys(page) {
  const act = {
    w: () => page.zoomBy(0.7), '+': () => page.zoomBy(0.7), '=': () => page.zoomBy(0.7), ArrowUp: () => page.zoomBy(0.7),
    s: () => page.zoomBy(1 / 0.7), '-': () => page.zoomBy(1 / 0.7), ArrowDown: () => page.zoomBy(1 / 0.7),
    a: () => page.pan(-0.15), ArrowLeft: () => page.pan(-0.15), d: () => page.pan(0.15), ArrowRight: () => page.pan(0.15),
    PageDown: () => page.stage.scrollBy(byId('canvas').clientHeight * 0.8), PageUp: () => page.stage.scrollBy(byId('canvas').clientHeight * -0.8),
    f: () => page.fit(), n: () => page.step(1), p: () => page.step(-1), '/': () => byId('search').focus(), '?': () => showKeys(),
    t: () => byId('theme').click(), x: () => page.view.selected >= 0 && page.change('free', page.view.selected),
    c: () => page.setColour(COLOUR_MODES[(COLOUR_MODES.findIndex(([m]) => m === page.view.colour) + 1) % COLOUR_MODES.length][0]),
    Enter: () => zoomToSelected(page),
    Escape: () => {
      page.search('');
      page.select(-1, false);
    },
  };
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || byId('keys').open) return;
    const inField = e.target.matches('input:not([type=checkbox]), select');
    if (inField && e.key !== 'Escape') return;
    if (e.key === 'Enter' && e.target.matches('button, tr, a')) return;
    const tab = page.tabs[Number(e.key) - 1];
    const does = act[e.key] ?? (tab && (() => page.openTab(tab[0])));
    if (!does) return;
    e.preventDefault();
    if (inField) e.target.blur();
    does();
  });
}

function showKeys() {
  const box = byId('keys');
  box.replaceChildren(el('h2', {}, 'Keys'), ...KEYS.map(([key, does]) => el('p', {}, el('kbd', {}, key), ` ${does}`)),
    el('p', { class: 'quiet' }, 'Search words are joined by "and": name:dma at:gemm.tcp:12 axis:K tensor:tile rule:partial-writes stall:dmn wait:raw function:f region:tile[3] cluster:0 chip:1 critical; a minus in front means "not".'),
    button('close', () => box.close()));
  box.showModal();
}

function listenToTools(page) {
  const colour = byId('colour');
  colour.replaceChildren(...COLOUR_MODES.map(([mode, word]) => el('option', { value: mode }, word)));
  colour.value = page.view.colour;
  colour.addEventListener('change', () => page.setColour(colour.value));
  const search = byId('search');
  search.value = page.view.query;
  search.addEventListener('input', () => page.search(search.value));
  search.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter') return;
    const found = page.search(search.value);
    if (found && found.first >= 0) page.select(nextMatch(page, found), true);
  });
  listenToShown(page);
  const whole = byId('whole');
  whole.checked = page.view.whole;
  whole.addEventListener('change', () => {
    page.view.whole = whole.checked;
    page.stage.show(page.model, page.view);
    page.remember();
  });
  const all = byId('all-lanes');
  all.checked = page.view.all;
  all.addEventListener('change', () => page.setShown('all', all.checked));
  document.addEventListener('pointerdown', (e) => { if (!byId('more').contains(e.target)) byId('more').open = false; });
  listenToTicks(page);
  listenToSide(page);
  listenToTabs(page);
  byId('fit').addEventListener('click', () => page.fit());
  byId('next').addEventListener('click', () => page.step(1));
  byId('previous').addEventListener('click', () => page.step(-1));
  byId('theme').addEventListener('click', () => page.setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
  byId('help').addEventListener('click', showKeys);
  byId('link').addEventListener('click', async () => {
    const words = toAddress(page.view, page.changes, freshView(page.trace));
    history.replaceState(null, '', words ? `#${words}` : location.pathname + location.search);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    byId('link').textContent = 'copied';
    setTimeout(() => { byId('link').textContent = 'link'; }, 1200);
  });
  window.addEventListener('resize', () => page.stage.show(page.model, page.view));
}

const SIDE_LEAST = 300;

/// The border of the panel is dragged, or moved by arrow keys; a double click puts it back.
function listenToSide(page) {
  const [side, grip] = [byId('side'), byId('grip')];
  const set = (width, keep = true) => {
    if (width) side.style.width = `${Math.max(SIDE_LEAST, Math.min(window.innerWidth - 260, width))}px`;
    else side.style.removeProperty('width');
    page.stage.show(page.model, page.view);
    try {
      if (!keep) return;
      if (width) localStorage.setItem('tcp-side', String(width));
      else localStorage.removeItem('tcp-side');
    } catch { /* then the width lasts as long as the page */ }
  };
  page.setSide = set;
  let from = null;
  grip.addEventListener('pointerdown', (e) => {
    e.preventDefault();
    from = { x: e.clientX, width: side.offsetWidth };
    grip.setPointerCapture(e.pointerId);
  });
  grip.addEventListener('pointermove', (e) => from && set(from.width + from.x - e.clientX));
  grip.addEventListener('pointerup', () => {
    from = null;
    if (page.view.tab === 'mapping') page.showPanel();
  });
  grip.addEventListener('dblclick', () => set(0));
  grip.addEventListener('keydown', (e) => {
    if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
    e.preventDefault();
    e.stopPropagation();
    set(side.offsetWidth + (e.key === 'ArrowLeft' ? 24 : -24));
  });
  try {
    const stored = Number(localStorage.getItem('tcp-side'));
    if (stored) set(stored);
  } catch { /* as above */ }
}

/// Arrow keys go from tab to tab, as in other lists of tabs.
function listenToTabs(page) {
  byId('tabs').addEventListener('keydown', (e) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    e.preventDefault();
    e.stopPropagation();
    const at = page.tabs.findIndex(([name]) => name === page.view.tab);
    page.openTab(page.tabs[(at + by + page.tabs.length) % page.tabs.length][0]);
  });
}

/// Traces of before version 4 do not know how many ticks a cycle has.
function listenToTicks(page) {
  const ticks = byId('ticks');
  byId('ticks-tool').hidden = !page.trace.ticks_per_cycle;
  ticks.checked = page.view.ticks;
  ticks.addEventListener('change', () => {
    page.setTicks(ticks.checked);
    page.refresh();
  });
}

/// Which chips and slices are shown: asked for only where there are several.
function listenToShown(page) {
  const { trace, view } = page;
  const chips = chipCount(trace);
  const kinds = sliceKinds(trace);
  const offer = (id, entries, value, choose) => {
    byId(`${id}-tool`).hidden = false;
    byId(id).replaceChildren(...entries.map(([key, word]) => el('option', { value: String(key) }, word)));
    byId(id).value = String(value);
    byId(id).addEventListener('change', () => choose(byId(id).value));
  };
  if (chips > 1) offer('chip', [[-1, 'all chips'], ...Array.from({ length: chips }, (_, i) => [i, `chip ${i}`])], view.chip, (value) => page.setShown('chip', Number(value)));
  const few = (text) => (text.length > 24 ? `${text.slice(0, 24)}\u2026` : text);
  const first = kinds.find(([slice, text]) => String(slice) === view.slices || numbersOf(text).includes(Number(view.slices || NaN)))?.[0] ?? view.slices;
  if (kinds.length > 1)
    offer('slices', [['', 'as needed'], ['all', `all ${kinds.length} kinds`], ...kinds.slice(0, 100).map(([slice, text]) => [slice, few(text)])], first, (value) => page.setShown('slices', value));
}

function nextMatch(page, found) {
  for (let c = page.view.selected + 1; c < page.trace.n; ++c) if (found.matched[c]) return c;
  return found.first;
}

/// The picture first: panels need what commands touch, which takes longer to unpack than all that is drawn.
async function open() {
  const two = byId('trace1-head') !== null;
  const trace = await openTrace(two ? 'trace1-' : 'trace0-');
  await trace.need('edges');
  const page = new Page(trace);
  window.tcpPage = page;  // for tests, and for questions that the panels do not answer
  page.setTheme(storedTheme() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  page.base = recorded(trace);
  if (two) {
    const before = await openTrace('trace0-');
    await before.need('edges', 'parts', 'ranges', 'facts');
    page.compareWith(before, await openDiff());
  }
  const needsAll = hasChanges(page.changes) || page.view.query !== '' || page.view.colour === 'tensor';
  if (needsAll) await trace.need('parts', 'ranges', 'facts');
  page.rebuild();
  page.stage.show(page.model, page.view);
  page.showTitle();
  listenToPointer(page);
  await drawn();
  document.documentElement.dataset.drawn = 'yes';
  await trace.need('parts', 'ranges', 'facts');
  page.whole = true;
  await openAllValues(page, two);
  page.addCounters();
  listenToTools(page);
  listenToKeys(page);
  page.refresh();
  await drawn();
  document.documentElement.dataset.ready = 'yes';
}

async function openAllValues(page, two) {
  const own = await openValues(two ? 'trace1-' : 'trace0-');
  page.values = own && new Values(page.trace, own);
  const before = two ? await openValues('trace0-') : null;
  if (page.other) page.other.values = before && new Values(page.other.model.trace, before);
}

function drawn() {
  return new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
}

/// A page without a word of why would be the worst of answers.
function sayWhy(error) {
  byId('panel').replaceChildren(el('h2', {}, 'This page could not be opened'), el('p', {}, String(error?.message ?? error)),
    el('p', { class: 'quiet' }, 'Its trace is packed with DecompressionStream, which browsers have since 2023. If yours is newer, please send us the page.'));
  throw error;
}

open().catch(sayWhy);
