// The picture: ruler, lanes, memories, arrows. It draws what the state says and knows nothing of panels.
//
// One frame paints all lanes into one small image, three rows of pixels a lane, which the canvas then stretches to the height of the lane. Texts and borders go on
// top, for commands that are wide enough.
import { commandAt, groupsOf, nextCommand, paintLane, pixelsOf } from './lanes.js';
import { addressScale, capacityWords, memoryWords, paintMemory, tensorAtPoint } from './memory.js';
import { inkOn, pixelOf, WAIT_COLOURS } from './colours.js';
import { bindingEdge } from './schedule.js';
import { counterWords, sampled } from './counters.js';
import { inAddress, inBytes, inCycles, withCommas } from './words.js';

/// In pixels, on a window of usual width; wide ones are looked at from afar.
const SIZES = { gutter: 178, ruler: 26, bar: 22, wait: 6, gap: 8, title: 18, thin: 9, thinGap: 2, unused: 9, heading: 24, memory: 64, memoryMost: 180, counter: 30, spans: 17 };
const WIDE_WINDOW = 2000;
const WIDER = 1.25;
const NARROW = 80;  // a command has room for its name alone
const MOST_LETTERS = 400;  // more have no room anywhere
const TALL = 0.7;   // of the height of the picture that an enlarged memory has

/// A memory's lane, as the address of the page has it.
export function laneKey({ memory, chip, cluster, slices }) {
  return [memory, chip, cluster, slices].join(' ');
}

export class Stage {
  static sampled = sampled;  // for tests

  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext('2d', { alpha: false });
    this.scratch = document.createElement('canvas');
    this.scroll = 0;
    this.frames = 0;
  }

  /// `model`: what is shown (trace, schedule, lanes, memories, colours, since); `view`: from where to where, what is selected.
  show(model, view) {
    this.model = model;
    this.view = view;
    this.layOut();
    this.ask();
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  layOut() {
    const { lanes, memories } = this.model;
    this.scale = window.innerWidth >= WIDE_WINDOW ? WIDER : 1;
    const size = this.size = Object.fromEntries(Object.entries(SIZES).map(([name, pixels]) => [name, Math.round(pixels * this.scale)]));
    let y = size.ruler + 6;
    this.headings = [];
    this.counterRows = [];
    const chips = groupsOf(this.model.trace).chips;
    const withHeading = (lane, before) => {  // where lanes of another chip begin
      if (chips === 1 || lane.chip < 0 || lane.chip === before?.chip) return;
      this.headings.push({ word: `chip ${lane.chip}${lane.memory ? ': memories' : ''}`, y });
      y += size.heading;
    };
    const addCounters = () => {
      for (const counter of this.model.counters ?? []) {
        this.counterRows.push({ counter, y, height: size.counter });
        y += size.counter + size.gap - 2;
      }
    };
    this.rows = lanes.map((lane, k) => {
      withHeading(lane, lanes[k - 1]);
      const waits = lane.engine === undefined && !lane.spans && lane.index.length > 0;
      const row = { lane, y, waits, height: lane.engine !== undefined ? size.thin : lane.spans ? size.spans : lane.index.length || lane.transfers ? size.bar : size.unused };
      const together = lane.engine !== undefined && lanes[k + 1]?.engine !== undefined || lane.spans && lanes[k + 1]?.spans === lane.spans;
      y += row.height + (waits ? size.wait + size.gap : together ? size.thinGap : size.gap);
      if (lane.path && !lanes[k + 1]?.path) addCounters();
      return row;
    });
    this.unusedAt = -1;
    if (this.model.unused) {
      this.unusedAt = y;
      y += size.title;
    }
    const used = memories.filter((lane) => lane.index.length > 0).length;
    const free = this.canvas.clientHeight - y - memories.length * (size.title + 8);
    const memory = used ? Math.min(size.memoryMost, Math.max(size.memory, Math.floor(free / used))) : 0;
    const tall = Math.max(memory, Math.floor(this.canvas.clientHeight * TALL));
    this.memoryRows = memories.map((lane, k) => {
      withHeading(lane, memories[k - 1]);
      const height = lane.index.length === 0 ? 0 : laneKey(lane) === this.view.tall ? tall : memory;
      const row = { lane, y: y + size.title, height, yOf: addressScale(lane, height, this.view.whole) };
      y += height + size.title + 8;
      return row;
    });
    this.height = y;
    this.scroll = Math.max(0, Math.min(this.scroll, this.height - this.canvas.clientHeight));
  }

  font(pixels, weight = '') {
    return `${weight} ${Math.round(pixels * this.scale)}px system-ui, sans-serif`.trim();
  }

  resize() {
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [Math.floor(this.canvas.clientWidth * scale), Math.floor(this.canvas.clientHeight * scale)];
    if (this.canvas.width === width && this.canvas.height === height) return scale;
    [this.canvas.width, this.canvas.height] = [width, height];
    this.layOut();
    return scale;
  }

  get gutter() {
    return this.size.gutter;
  }
  get width() {
    return Math.max(1, this.canvas.clientWidth - this.gutter);
  }
  timeAt(x) {
    return this.view.from + (x - this.gutter) / this.width * (this.view.to - this.view.from);
  }
  xOf(time) {
    return this.gutter + (time - this.view.from) / (this.view.to - this.view.from) * this.width;
  }

  theme() {
    const style = getComputedStyle(document.documentElement);
    const name = (n) => style.getPropertyValue(n).trim();
    if (this.themeName !== document.documentElement.dataset.theme) {
      this.themeName = document.documentElement.dataset.theme;
      this.inks = { ground: name('--ground'), ink: name('--ink'), faint: name('--faint'), line: name('--line'), lane: name('--lane'), critical: name('--critical'), path: name('--path'), link: name('--link') };
    }
    return this.inks;
  }

  draw() {
    if (!this.model) return;
    const scale = this.resize();
    const { ctx } = this;
    const inks = this.theme();
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    ctx.fillStyle = inks.ground;
    ctx.fillRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, this.size.ruler, this.canvas.clientWidth, this.canvas.clientHeight - this.size.ruler);
    ctx.clip();
    ctx.translate(0, -this.scroll);
    this.drawLanes(scale, inks);
    this.drawCounters(inks);
    this.drawUnused(inks);
    this.drawHeadings(inks);
    this.drawMemories(scale, inks);
    this.drawEnd(inks);
    this.drawSlack(inks);
    this.drawArrows(inks);
    ctx.restore();
    this.drawScroll(inks);
    this.drawRuler(inks);
    ++this.frames;
  }

  drawLanes(scale, inks) {
    const { ctx, model, view } = this;
    const width = Math.max(1, Math.floor(this.width * scale));
    const rows = this.rows.length;
    const image = this.imageOf(width, rows * 3);
    const all = new Uint32Array(image.data.buffer);
    const waitPixels = new Map([...WAIT_COLOURS].map(([kind, colour]) => [kind, pixelOf(colour)]));
    const lookOf = (of) => ({
      ...of.colours, pixels: this.pixelsFor(of.colours.palette, inks), matched: of.matched, since: of.since, critical: of.schedule.critical,
      criticalPixel: pixelOf(inks.path), waitPixel: (c) => waitPixels.get(of.reason(c)),
    });
    const [own, other] = [lookOf(model), model.other && lookOf(model.other)];
    const spanLook = (lane) => ({ ...lane.look, pixels: this.pixelsFor(lane.look.palette, inks), matched: null, since: [], critical: [], criticalPixel: 0, waitPixel: () => 0 });
    const wides = this.rows.map(({ lane }, k) => paintLane(lane, { from: view.from, to: view.to, width }, lane.look ? spanLook(lane) : lane.of ? other : own, {
      commands: all.subarray(k * 3 * width, (k * 3 + 1) * width), waits: all.subarray((k * 3 + 1) * width, (k * 3 + 2) * width),
      critical: all.subarray((k * 3 + 2) * width, (k * 3 + 3) * width),
    }));
    this.putImage(image);
    ctx.imageSmoothingEnabled = false;
    this.rows.forEach(({ y, height, lane, waits }, k) => {
      const stretch = (row, top, tall) => ctx.drawImage(this.scratch, 0, k * 3 + row, width, 1, this.gutter, top, width / scale, tall);
      stretch(0, y, height);
      if (!lane.path && waits) {
        stretch(2, y - 3, 3);
        stretch(1, y + height + 1, this.size.wait);
      }
      this.drawWide(lane, wides[k], y, height, scale, inks);
      if (lane.transfers) this.drawTransfers(lane, y, height, inks);
      this.drawLaneName(this.rows[k], inks);
    });
  }

  pixelsFor(palette, inks) {
    this.pixelSets ??= new Map();
    const known = this.pixelSets.get(palette);
    if (known && known.lane === inks.lane) return known;
    const made = { ...pixelsOf(palette, inks.lane), lane: inks.lane };
    this.pixelSets.set(palette, made);
    return made;
  }

  imageOf(width, height) {
    if (!this.image || this.image.width !== width || this.image.height !== height) this.image = new ImageData(width, height);
    return this.image;
  }

  putImage(image) {
    if (this.scratch.width !== image.width || this.scratch.height !== image.height) [this.scratch.width, this.scratch.height] = [image.width, image.height];
    this.scratch.getContext('2d').putImageData(image, 0, 0);
  }

  drawWide(lane, wide, y, height, scale, inks) {
    const { ctx, view } = this;
    const model = lane.of ?? this.model;
    ctx.font = this.font(12);
    ctx.textBaseline = 'middle';
    for (const [i, left, right] of wide) {
      const c = lane.index[i];
      const [x0, x1] = [this.gutter + Math.max(-2, left / scale), this.gutter + Math.min(this.width + 2, right / scale)];
      const chosen = !lane.of && !lane.look && c === view.selected;
      ctx.strokeStyle = chosen ? inks.ink : inks.ground;
      ctx.lineWidth = chosen && height >= this.size.bar ? 3 : 1;
      ctx.strokeRect(x0 + 0.5, y + 0.5, x1 - x0 - 1, height - 1);
      if (x1 - x0 < 34 || height < this.size.spans) continue;
      const room = x1 - Math.max(x0, this.gutter) - 8;
      if (lane.look) {
        ctx.fillStyle = inkOn(lane.look.palette[lane.look.index[c]]);
        this.fitText(lane.labelOf(c), Math.max(x0, this.gutter) + 4, y + height / 2 + 1, room);
        continue;
      }
      const faint = model.matched && !model.matched[c];
      ctx.fillStyle = faint ? inks.faint : inkOn(model.colours.palette[model.colours.index[c]]);
      this.fitText(room < NARROW * this.scale ? model.name(c) : model.label(c), Math.max(x0, this.gutter) + 4, y + height / 2 + 1, room);
    }
  }

  /// There are as many as tensors of the host: few enough to be drawn one by one.
  drawTransfers(lane, y, height, inks) {
    const { ctx } = this;
    ctx.font = this.font(12);
    ctx.textBaseline = 'middle';
    for (const t of lane.transfers) {
      const [x0, x1] = [Math.max(this.gutter, this.xOf(t.start)), Math.min(this.canvas.clientWidth, this.xOf(t.end))];
      if (x1 <= x0) continue;
      ctx.fillStyle = inks.faint;
      ctx.fillRect(x0, y, Math.max(1, x1 - x0), height);
      ctx.strokeStyle = inks.ground;
      ctx.lineWidth = 1;
      ctx.strokeRect(x0 + 0.5, y + 0.5, Math.max(1, x1 - x0) - 1, height - 1);
      ctx.fillStyle = inks.ground;
      if (x1 - x0 >= 34) this.fitText(transferWords(t), x0 + 4, y + height / 2 + 1, x1 - x0 - 8);
    }
    if (this.xOf(0) > this.gutter) return;
    ctx.fillStyle = inks.faint;
    this.fitText('\u25c2 uploads and downloads, not counted', this.gutter + 4, y + height / 2 + 1, this.width - 8);
  }

  widthOf(text) {
    this.widths ??= new Map();
    if (this.widths.size > 20000) this.widths.clear();
    const key = `${this.ctx.font}\n${text}`;
    let width = this.widths.get(key);
    if (width === undefined) this.widths.set(key, width = this.ctx.measureText(text).width);
    return width;
  }

  /// As much of a text as there is room for; how wide that is. Widths are measured once a text.
  fitText(text, x, y, room) {
    let shown = text.length > MOST_LETTERS ? text.slice(0, MOST_LETTERS) : text;
    const width = this.widthOf(shown);
    if (width > room) {
      const cut = (letters) => `${shown.slice(0, letters)}\u2026`;
      const fits = (letters) => this.widthOf(cut(letters)) <= room;
      let letters = Math.floor(shown.length * room / width);  // were all letters equally wide
      while (letters >= 2 && !fits(letters)) --letters;
      while (letters >= 1 && letters + 1 < shown.length && fits(letters + 1)) ++letters;
      if (letters < 2) return 0;
      shown = cut(letters);
    }
    this.ctx.fillText(shown, x, y);
    return this.widthOf(shown);
  }

  drawLaneName({ lane, y, height, waits }, inks) {
    const { ctx, size } = this;
    const engine = lane.engine !== undefined;
    ctx.fillStyle = lane.of || engine || !lane.index.length ? inks.faint : inks.ink;
    ctx.font = lane.path && !lane.of ? this.font(12, '600') : this.font(engine ? 10 : 12);
    ctx.textBaseline = 'middle';
    const left = lane.of || engine ? 24 : 8;
    this.fitText(lane.label, left, y + height / 2 + 1, this.gutter - left - 4);
    if (engine || lane.spans) return;
    const below = Math.floor(y + height + (waits ? size.wait : 0) + 4) + 0.5;
    ctx.strokeStyle = inks.line;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(0, below);
    ctx.lineTo(this.canvas.clientWidth, below);
    ctx.stroke();
  }

  /// Shares of the peak over time, as areas; the line on top is the peak.
  drawCounters(inks) {
    const { ctx, view, model } = this;
    for (const { counter, y, height } of this.counterRows) {
      if (y - this.scroll > this.canvas.clientHeight || y + height < this.scroll) continue;
      const width = Math.max(1, Math.floor(this.width));
      const shares = sampled(counter, { from: view.from, to: view.to, width });
      ctx.fillStyle = inks.lane;
      ctx.fillRect(this.gutter, y, this.width, height);
      ctx.fillStyle = counter.colour;
      ctx.beginPath();
      ctx.moveTo(this.gutter, y + height);
      for (let x = 0; x < width; ++x) {
        const top = y + height - (shares[x] > 0 ? Math.max(2, shares[x] * height) : 0);  // little is seen above the frame, too
        ctx.lineTo(this.gutter + x, top);
        ctx.lineTo(this.gutter + x + 1, top);
      }
      ctx.lineTo(this.gutter + width, y + height);
      ctx.fill();
      ctx.strokeStyle = inks.line;
      ctx.lineWidth = 1;
      ctx.strokeRect(this.gutter + 0.5, y + 0.5, this.width - 1, height - 1);
      ctx.textBaseline = 'middle';
      ctx.fillStyle = inks.ink;
      ctx.font = this.font(12);
      ctx.fillText(counter.label, 8, y + height / 2 - 5 * this.scale);
      ctx.fillStyle = inks.faint;
      ctx.font = this.font(10);
      const peak = counter.words && model.trace.core_mhz ? counter.words(counter.peak, model.trace.core_mhz) : '100 %';
      this.fitText(`top: ${peak}`, 8, y + height / 2 + 7 * this.scale, this.gutter - 12);
    }
  }

  /// What is in use at a point: {counter, share}.
  counterAt(x, y) {
    const at = y + this.scroll;
    const row = this.counterRows.find((r) => at >= r.y && at < r.y + r.height);
    if (!row || x < this.gutter) return null;
    const pixel = (this.view.to - this.view.from) / this.width;
    const [share] = sampled(row.counter, { from: this.timeAt(x), to: this.timeAt(x) + pixel, width: 1 });
    return { words: `${row.counter.label}: ${counterWords(row.counter, share, this.model.trace)} at cycle ${withCommas(Math.floor(this.timeAt(x)))}` };
  }

  drawUnused(inks) {
    if (this.unusedAt < 0) return;
    this.ctx.textBaseline = 'middle';
    this.ctx.font = this.font(11);
    this.ctx.fillStyle = inks.faint;
    this.fitText(this.model.unused, 8, this.unusedAt + this.size.title / 2 - 2, this.canvas.clientWidth - 16);
  }

  /// Where the kernel ends, and the moment that is chosen.
  drawEnd(inks) {
    const { ctx, model, view } = this;
    const line = (time, colour, dash) => {
      const x = Math.round(this.xOf(time)) - 0.5;
      if (x < this.gutter || x > this.canvas.clientWidth) return;
      ctx.strokeStyle = colour;
      ctx.lineWidth = 1;
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(x, this.scroll);
      ctx.lineTo(x, this.scroll + this.canvas.clientHeight);
      ctx.stroke();
      ctx.setLineDash([]);
    };
    line(model.schedule.makespan, inks.critical, []);
    if (model.other) line(model.other.trace.makespan, inks.faint, [3, 3]);
    if (view.moment >= 0) line(view.moment, inks.link, [2, 2]);
  }

  drawHeadings(inks) {
    const { ctx, size } = this;
    for (const { word, y } of this.headings) {
      ctx.fillStyle = inks.line;
      ctx.fillRect(0, y, this.canvas.clientWidth, size.heading - 4);
      ctx.fillStyle = inks.ink;
      ctx.font = this.font(12, '600');
      ctx.textBaseline = 'middle';
      ctx.fillText(word, 8, y + (size.heading - 4) / 2 + 1);
    }
  }

  /// By how much the end of the selected command may move before the makespan does.
  drawSlack(inks) {
    const { ctx, model, view } = this;
    const c = view.selected;
    const row = c >= 0 && model.schedule.slack[c] > 0 && this.rowOf(c);
    if (!row) return;
    const y = Math.floor(row.y + row.height / 2) + 0.5;
    const [from, to] = [Math.max(this.gutter, this.xOf(model.schedule.end[c])), Math.floor(this.xOf(model.schedule.end[c] + model.schedule.slack[c])) + 0.5];
    if (to < this.gutter) return;
    for (const [colour, thick] of [[inks.ground, 5], [inks.ink, 2]]) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = thick;
      ctx.setLineDash(thick === 2 ? [5, 4] : []);
      ctx.beginPath();
      ctx.moveTo(from, y);
      ctx.lineTo(to, y);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.moveTo(to, y - row.height / 2);
      ctx.lineTo(to, y + row.height / 2);
      ctx.stroke();
    }
    ctx.font = this.font(11);
    const words = `slack ${withCommas(model.schedule.slack[c])}`;
    const left = Math.min(from + 8, this.canvas.clientWidth - ctx.measureText(words).width - 8);
    ctx.fillStyle = inks.ground;
    ctx.fillRect(left - 3, y - 8, ctx.measureText(words).width + 6, 15);
    ctx.fillStyle = inks.ink;
    ctx.textBaseline = 'middle';
    ctx.fillText(words, left, y);
  }

  /// How far down the picture goes on.
  drawScroll(inks) {
    const [shown, top] = [this.canvas.clientHeight - this.size.ruler, this.size.ruler];
    const all = this.height - top;
    if (all <= shown) return;
    this.ctx.fillStyle = inks.faint;
    this.ctx.fillRect(this.canvas.clientWidth - 5, top + this.scroll / all * shown, 4, shown / all * shown);
  }

  drawMemories(scale, inks) {
    const width = Math.max(1, Math.floor(this.width * scale));
    for (const row of this.memoryRows) {
      if (row.height === 0) this.drawEmptyMemory(row, inks);
      if (row.height === 0 || row.y - this.scroll > this.canvas.clientHeight || row.y + row.height < this.scroll) continue;
      this.drawMemory(row, width, scale, inks);
    }
  }

  drawEmptyMemory({ lane, y }, inks) {
    const { ctx } = this;
    ctx.textBaseline = 'middle';
    ctx.font = this.font(12);
    ctx.fillStyle = inks.faint;
    ctx.fillText(lane.of ? 'before' : lane.label, lane.of ? 24 : 8, y - this.size.title / 2);
    ctx.font = this.font(11);
    ctx.fillText(`nothing; ${capacityWords(lane)}`, this.gutter + 4, y - this.size.title / 2);
  }

  drawMemory({ lane, y, height, yOf }, width, scale, inks) {
    const { ctx, view } = this;
    const { trace } = lane.of ?? this.model;
    const image = lane.image && lane.image.width === width && lane.image.height === height ? lane.image : lane.image = new ImageData(width, height);
    const wide = paintMemory(lane, { from: view.from, to: view.to, width }, height, yOf, pixelOf(inks.lane), new Uint32Array(image.data.buffer));
    this.putImage(image);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(this.scratch, 0, 0, width, height, this.gutter, y, width / scale, height);
    ctx.textBaseline = 'middle';
    ctx.font = this.font(11);
    for (const [i, left, right, top, bottom] of wide) {
      const [x0, x1] = [this.gutter + left / scale, this.gutter + right / scale];
      const chosen = !lane.of && lane.index[i] === view.tensor;
      ctx.strokeStyle = chosen ? inks.ink : inks.ground;
      ctx.lineWidth = chosen ? 3 : 1;
      ctx.strokeRect(x0 + 0.5, y + top + 0.5, x1 - x0 - 1, bottom - top - 1);
    }
    this.nameTensors(lane, trace, wide, y, scale);
    this.drawCapacity(lane, y, height, yOf, inks);
  }

  /// A tensor and the views of it lie over each other: of names that would, the first is written.
  nameTensors(lane, trace, wide, y, scale) {
    const { ctx } = this;
    const least = Math.round(10 * this.scale);
    const written = [];
    for (const [i, left, right, top, bottom] of wide) {
      const [x0, x1] = [this.gutter + left / scale, this.gutter + right / scale];
      if (x1 - x0 < 30 || bottom - top < least) continue;
      const [from, middle] = [x0 + 4, y + (top + bottom) / 2];
      const { name } = trace.tensors[lane.index[i]];
      if (written.some((w) => from < w.to && w.from < x1 - 4 && (Math.abs(w.middle - middle) < least || (w.name === name && top < w.bottom && w.top < bottom)))) continue;
      ctx.fillStyle = inkOn(lane.colours[i]);
      const width = this.fitText(name, from, middle, x1 - x0 - 8);
      if (width > 0) written.push({ name, from, to: from + width, middle, top, bottom });
    }
  }

  drawCapacity(lane, y, height, yOf, inks) {
    const { ctx } = this;
    const line = (at, dash, colour) => {
      ctx.setLineDash(dash);
      ctx.strokeStyle = colour;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(this.gutter, Math.floor(at) + 0.5);
      ctx.lineTo(this.canvas.clientWidth, Math.floor(at) + 0.5);
      ctx.stroke();
      ctx.setLineDash([]);
    };
    line(y, [6, 4], inks.critical);  // the capacity: the upper edge
    line(y + yOf(lane.highest), [2, 3], inks.ink);
    ctx.textBaseline = 'middle';
    ctx.font = this.font(12);
    ctx.fillStyle = lane.of ? inks.faint : inks.ink;
    this.fitText(lane.of ? 'before' : lane.label, lane.of ? 24 : 8, y - this.size.title / 2, this.gutter - 12);
    ctx.font = this.font(11);
    ctx.fillStyle = inks.faint;
    ctx.fillText(memoryWords(lane), this.gutter + 4, y - this.size.title / 2);
    if (lane.memory !== 'TRF' || !lane.capacity) {
      this.drawAddresses(lane, y, height, yOf);
      return;
    }
    line(y + yOf(lane.capacity / 2), [10, 4], inks.faint);
    ctx.fillText('second half', 24, y + height / 4 + 6);
    ctx.fillText('first half', 24, y + height * 3 / 4);
  }

  /// Addresses at which used stretches begin and end, as far as there is room.
  drawAddresses(lane, y, height, yOf) {
    const { ctx } = this;
    const apart = Math.round(12 * this.scale);
    const tall = ([begin, end]) => yOf(begin) - yOf(end) > 4 * apart;
    const marks = [lane.highest, lane.used[0]?.[0] ?? 0, ...lane.used.flatMap(([begin, end]) => [begin, end]), ...lane.used.filter(tall).flatMap(([begin, end]) => [0.5, 0.25, 0.75].map((share) => Math.round(begin + (end - begin) * share)))];
    const written = [];
    ctx.textAlign = 'right';
    const all = [...new Set(marks)];
    for (const address of all) {
      const at = Math.max(y + 4, Math.min(y + height - 5, y + yOf(address)));
      if (written.some((other) => Math.abs(other - at) < apart)) continue;
      written.push(at);
      ctx.fillText(inAddress(address, all), this.gutter - 6, at);
    }
    ctx.textAlign = 'left';
  }

  drawRuler(inks) {
    const { ctx, view } = this;
    ctx.fillStyle = inks.lane;
    ctx.fillRect(0, 0, this.canvas.clientWidth, this.size.ruler);
    const span = view.to - view.from;
    const rough = span / Math.max(2, this.width / 100);
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
    const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough));
    ctx.font = this.font(11);
    ctx.textBaseline = 'middle';
    ctx.fillStyle = inks.ink;
    ctx.fillText('cycles', 8, this.size.ruler / 2);
    ctx.strokeStyle = inks.line;
    ctx.lineWidth = 1;
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
      const x = Math.floor(this.xOf(t)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(x, this.size.ruler - 7);
      ctx.lineTo(x, this.size.ruler);
      ctx.stroke();
      const words = withCommas(t);
      const right = x + 3 + this.widthOf(words);
      if (right < this.canvas.clientWidth && (right < this.endLabel().left || x > this.endLabel().right)) ctx.fillText(words, x + 3, this.size.ruler / 2 - 1);
    }
    const end = this.endLabel();
    if (end.left < Infinity) {
      ctx.fillStyle = inks.critical;
      ctx.fillText(end.words, end.left, this.size.ruler / 2 - 1);
      ctx.fillRect(Math.round(this.xOf(this.model.schedule.makespan)) - 1, this.size.ruler - 9, 2, 9);
    }
    if (view.moment < 0 || view.moment < view.from || view.moment > view.to) return;
    ctx.fillStyle = inks.link;
    const x = this.xOf(view.moment);
    ctx.beginPath();
    ctx.moveTo(x - 5, this.size.ruler - 10);
    ctx.lineTo(x + 5, this.size.ruler - 10);
    ctx.lineTo(x, this.size.ruler);
    ctx.fill();
  }

  /// The makespan in words beside its line, where that is seen.
  endLabel() {
    const { makespan } = this.model.schedule;
    const x = this.xOf(makespan);
    if (x < this.gutter || x > this.canvas.clientWidth + 1) return { left: Infinity, right: -Infinity };
    const words = `end ${withCommas(makespan)}`;
    this.ctx.font = this.font(11);
    const width = this.widthOf(words);
    const left = x - width - 5 > this.gutter ? x - width - 5 : x + 5;
    if (left + width > this.canvas.clientWidth) return { left: Infinity, right: -Infinity };
    return { words, left, right: Math.max(x, left + width) };
  }

  /// The lane where a command's own queue is: of the first chip and cluster that is shown.
  rowOf(c) {
    const { trace } = this.model;
    const own = trace.resources.number[trace.resources.at[c]];
    const groups = groupsOf(trace).of(c, own);
    return this.rows.find(({ lane }) => lane.resource === own && !lane.of && groups.includes(lane.group));
  }

  drawArrows(inks) {
    const { model, view } = this;
    const c = view.selected;
    if (c < 0) return;
    const e = bindingEdge(model.schedule, c);
    if (e >= 0) this.arrow(model.schedule.after.from[e], c, inks.critical);
    for (const next of model.successors(c).slice(0, 200)) this.arrow(c, next, inks.ink);
  }

  arrow(from, to, colour) {
    const { ctx, model } = this;
    const [a, b] = [this.rowOf(from), this.rowOf(to)];
    if (!a || !b) return;
    const [x0, y0] = [Math.max(this.gutter, this.xOf(model.schedule.end[from])), a.y + a.height / 2];
    const [x1, y1] = [this.xOf(model.schedule.start[to]), b.y + b.height / 2];
    if (x1 < this.gutter || x0 > this.canvas.clientWidth + 200) return;
    const bend = Math.max(14, Math.min(60, Math.abs(y1 - y0) / 2));
    const curve = new Path2D();
    curve.moveTo(x0 - 5, y0);
    curve.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 1, y1);
    ctx.strokeStyle = this.inks.ground;
    ctx.lineWidth = 5;
    ctx.stroke(curve);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2;
    ctx.stroke(curve);
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.moveTo(x1 + 4, y1);
    ctx.lineTo(x1 - 5, y1 - 5);
    ctx.lineTo(x1 - 5, y1 + 5);
    ctx.fill();
  }

  /// Down by so many pixels, as far as there is something.
  scrollBy(pixels) {
    this.scrollTo(this.scroll + pixels);
  }
  scrollTo(y) {
    this.scroll = Math.max(0, Math.min(this.height - this.canvas.clientHeight, y));
    this.ask();
  }
  /// So that the lane of a command is seen.
  scrollToCommand(c) {
    const row = this.rowOf(c);
    if (!row) return;
    const [top, bottom] = [row.y - this.size.ruler - this.size.gap, row.y + row.height + this.size.wait + this.size.gap];
    if (top < this.scroll) this.scrollTo(top);
    else if (bottom > this.scroll + this.canvas.clientHeight) this.scrollTo(bottom - this.canvas.clientHeight);
  }
  /// Where the picture would begin, were its bar held at that height; null: the point is not on the bar.
  barAt(x, y) {
    if (this.height <= this.canvas.clientHeight || x < this.canvas.clientWidth - this.size.bar / 2) return null;
    const shown = this.canvas.clientHeight - this.size.ruler;
    const all = this.height - this.size.ruler;
    return (y - this.size.ruler) / shown * all - shown / 2;
  }

  /// The memory whose name is under a point.
  nameUnder(x, y) {
    const at = y + this.scroll;
    if (x >= this.gutter || y < this.size.ruler) return null;
    return this.memoryRows.find((row) => row.height > 0 && at >= row.y - this.size.title && at < row.y + row.height)?.lane ?? null;
  }

  /// What is under a point of the canvas: {command}, {waiting}, {tensor}, {transfer} of the host, or {earlier} and {earlierTensor} of the trace that this one is compared with.
  under(x, y) {
    const time = this.timeAt(x);
    const at = y + this.scroll;
    if (x < this.gutter || y < this.size.ruler) return {};
    const reach = 2 * (this.view.to - this.view.from) / this.width;
    for (const row of this.rows)
      if (at >= row.y && at < row.y + row.height + (row.waits ? this.size.wait + 2 : 0)) {
        if (row.lane.transfers) {
          const transfer = row.lane.transfers.find((t) => t.start <= time && time < t.end);
          return transfer ? { transfer } : {};
        }
        const c = commandAt(row.lane, time, reach);
        if (row.lane.spans) return c >= 0 ? { [row.lane.spans]: c } : {};
        if (row.lane.of) return c >= 0 ? { earlier: c } : {};
        if (c >= 0 && at < row.y + row.height) return { command: c };
        const next = nextCommand(row.lane, time);
        const waits = row.waits && next >= 0 && this.model.since[next] <= time && time < this.model.schedule.start[next];
        return waits && !row.lane.path ? { waiting: next } : {};
      }
    for (const row of this.memoryRows)
      if (at >= row.y && at < row.y + row.height) {
        const t = tensorAtPoint(row.lane, time, at - row.y, row.yOf);
        return t < 0 ? {} : row.lane.of ? { earlierTensor: t } : { tensor: t };
      }
    return {};
  }
}

export function transferWords({ direction, tensor, bytes, cycles }) {
  return `${direction} ${tensor}: ${inBytes(bytes)}, ${inCycles(cycles)}`;
}
