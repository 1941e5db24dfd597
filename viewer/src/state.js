// What is looked at, and how it is written into the address of the page, so that a link shows the same.
import { plannedChange } from './whatif.js';

const MOST_CHANGES = 500;  // of a kind; an address has an end

export function freshView(trace) {
  return { from: 0, to: Math.max(1, trace.makespan), selected: -1, tensor: -1, colour: 'engine', query: '', tab: 'answers', whole: false, ticks: Boolean(trace.ticks_shown), element: '', stream: '', chip: -1, slices: '', tall: '', by: '', moment: -1, mapBy: '', all: false };
}

/// A view and changes as text for the address; what is as at the beginning is left out.
export function toAddress(view, changes, fresh) {
  const words = new URLSearchParams();
  if (view.from !== fresh.from || view.to !== fresh.to) {
    words.set('from', Math.round(view.from * 100) / 100);
    words.set('to', Math.round(view.to * 100) / 100);
  }
  for (const key of ['selected', 'tensor', 'colour', 'query', 'tab', 'element', 'stream', 'chip', 'slices', 'tall', 'by', 'moment', 'mapBy']) if (view[key] !== fresh[key]) words.set(key, view[key]);
  if (view.whole) words.set('whole', 1);
  if (view.all) words.set('all', 1);
  if (view.ticks !== fresh.ticks) words.set('ticks', Number(view.ticks));
  for (const [key, set] of Object.entries(changes)) if (set.size > 0 && set.size <= MOST_CHANGES) words.set(key, [...set].join(','));
  return words.toString();
}

/// Whatever is not understood is left at its default: an address may have been typed.
export function fromAddress(text, trace, changes, modes) {
  const words = new URLSearchParams(text);
  const view = freshView(trace);
  const number = (key, least, most) => {
    const value = Number(words.get(key) ?? NaN);
    return Number.isFinite(value) && value >= least && value <= most ? value : undefined;
  };
  const [from, to] = [number('from', -1e15, 1e15), number('to', -1e15, 1e15)];
  if (from !== undefined && to !== undefined && from < to) [view.from, view.to] = [from, to];
  view.selected = Math.floor(number('selected', 0, trace.n - 1) ?? -1);
  view.tensor = Math.floor(number('tensor', 0, trace.tensors.length - 1) ?? -1);
  if (modes.includes(words.get('colour'))) view.colour = words.get('colour');
  view.query = words.get('query') ?? '';
  view.tab = words.get('tab') ?? view.tab;
  view.element = words.get('element') ?? '';
  view.stream = words.get('stream') ?? '';
  view.whole = words.get('whole') === '1';
  if (words.has('ticks')) view.ticks = words.get('ticks') === '1' && trace.ticks_per_cycle > 0;
  view.chip = Math.floor(number('chip', 0, trace.chips - 1) ?? -1);
  if (/^(all|\d{1,5})$/.test(words.get('slices') ?? '')) view.slices = words.get('slices');
  view.tall = words.get('tall') ?? '';
  view.by = words.get('by') ?? '';
  view.moment = number('moment', 0, 1e15) ?? -1;
  view.mapBy = words.get('mapBy') === 'dm' ? 'dm' : '';
  view.all = words.get('all') === '1';
  const numbers = (key, below) => (words.get(key) ?? '').split(',').filter((w) => /^\d+$/.test(w)).map(Number).filter((n) => n < below);
  numbers('free', trace.n).forEach((c) => changes.free.add(c));
  numbers('doubled', trace.tensors.length).forEach((t) => changes.doubled.add(t));
  for (const word of (words.get('drop') ?? '').split(','))
    if (/^\d+\.[a-z]+\.\d+$/.test(word) && Number(word.split('.')[2]) < trace.n) changes.drop.add(word);
  for (const word of (words.get('faster') ?? '').split(',')) if (trace.texts.includes(word) && word) changes.faster.add(word);
  for (const word of (words.get('tried') ?? '').split(',')) if (/^[ft]\d{1,4}$/.test(word) && plannedChange(trace, word)) changes.tried.add(word);
  return view;
}
