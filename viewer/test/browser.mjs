// What the tests of the page share: making pages, opening them in Chromium, and working out once more what they must say.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const HERE = dirname(fileURLToPath(import.meta.url));
export const { TCP, DEMO, CHROMIUM = '/usr/bin/chromium', SHOTS } = process.env;
export const folder = mkdtempSync(join(tmpdir(), 'tcp-page-'));
export const pages = {};
let browser;

export function pageOf(name, ...traces) {
  pages[name] = join(folder, `${name}.html`);
  execFileSync(TCP, ['view', ...traces, '-o', pages[name]]);
}

export async function startBrowser() {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}
export async function stopBrowser() {
  await browser?.close();
  rmSync(folder, { recursive: true });
}

/// Opens a page without a network, and fails if it complains or asks for anything but itself.
export async function opened(name, { hash = '', width = 1280, height = 800, theme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, offline: true, colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.complaints = [];
  page.on('pageerror', (e) => page.complaints.push(e.message));
  page.on('console', (m) => m.type() === 'error' && page.complaints.push(m.text()));
  page.on('request', (r) => /^(file|data|blob):/.test(r.url()) || page.complaints.push(`asks for ${r.url()}`));
  await page.goto(`file://${pages[name]}${hash}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  page.done = async () => {
    assert.deepEqual(page.complaints, []);
    await context.close();
  };
  return page;
}

export async function shot(page, name) {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/// A page of a trace that the test has made itself.
export function pageFrom(name, trace) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(trace));
  pageOf(name, file);
}

/// What an element says, with plain blanks.
export const wordsOf = async (page, selector) => (await page.textContent(selector)).replaceAll('\u00a0', ' ');

export const commas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
export const traceFile = (file) => JSON.parse(readFileSync(file, 'utf-8'));
export const place = (trace, source) => `${trace.sources[source].file.split('/').pop()}:${trace.sources[source].line}`;

/// Starts and ends, worked out here once more: `ends(commands, drop)` where drop(c, from) says that an edge does not hold.
export function makespanWithout(trace, drop) {
  const end = [];
  trace.commands.forEach((command, c) => {
    const start = Math.max(0, ...(command.after ?? []).filter((e) => !drop(c, e.from)).map((e) => end[e.from]));
    end.push(start + command.end - command.start);
  });
  return Math.max(...end);
}

export function waitsByLine(trace) {
  const free = trace.resources.map(() => 0);
  const groups = new Map();
  trace.commands.forEach((command, c) => {
    const since = free[command.resources[0]];
    for (const r of command.resources) free[r] = Math.max(free[r], command.end);
    if (command.start <= since || command.binding === undefined && !(command.after ?? []).length) return;
    const e = command.after[command.binding ?? 0];
    const touched = (e.kind === 'raw' ? command.reads : command.writes).find((r) => r.memory === e.on && r.begin < e.end && (e.begin ?? 0) < r.end);
    const key = [command.source, e.kind, trace.commands[e.from].source, trace.tensors[touched.tensor].name.replace(/\[\d+\]$/, '')].join();  // of many tiles, the tile
    if (!groups.has(key)) groups.set(key, { cycles: 0, members: new Map(), source: command.source, from: trace.commands[e.from].source });
    groups.get(key).cycles += command.start - since;
    groups.get(key).members.set(c, since);
  });
  return [...groups.values()].sort((a, b) => b.cycles - a.cycles);
}

/// Where on the canvas a command is, in its own lane.
export const middleOf = (page, c) => page.evaluate((number) => {
  const { stage, schedule } = window.tcpPage;
  const row = stage.rowOf(number);
  return { x: stage.xOf((schedule.start[number] + schedule.end[number]) / 2), y: row.y + row.height / 2 - stage.scroll };
}, c);

export const pixelAt = (page, { x, y }) => page.evaluate(([px, py]) => {
  window.tcpPage.stage.draw();
  const scale = window.devicePixelRatio;
  return [...document.getElementById('canvas').getContext('2d').getImageData(px * scale, py * scale, 1, 1).data].slice(0, 3);
}, [x, y]);
