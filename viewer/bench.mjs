// How fast a page of a million commands is: node bench.mjs PATH_OF_TCP
//
// `tcp view` reads the trace, looks for findings, tries changes and packs the page. Loading counts from the request to the
// picture, drawn and ready to be moved; the file is on this disk. Frames are counted while the view zooms in and out and pans, at 1280 by 800. The browser's own
// limit is 60 a second. On a machine that does other things, the processor time of the page's thread for a frame says more: 50 frames a second leave 20 ms.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const COMMANDS = 1_000_000;
const FRAMES = 120;
const LOADS = 3;
const here = dirname(fileURLToPath(import.meta.url));
const tcp = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'tcp-viewer-bench-'));

function framesPerSecond(frames) {
  return new Promise((done) => {
    const page = window.tcpPage;
    let [count, begin] = [0, 0];
    const step = (now) => {
      if (count === 0) begin = now;
      if (count === frames) return done(frames * 1000 / (now - begin));
      page.zoomBy(count < frames / 2 ? 0.87 : 1 / 0.87);
      page.pan(0.02);
      ++count;
      return requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

async function measured(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const begin = performance.now();
  await page.goto(`file://${join(folder, 'page.html')}`, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.documentElement.dataset.drawn === 'yes');
  const load = (performance.now() - begin) / 1000;
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
  const before = await busy();
  const rate = await page.evaluate(framesPerSecond, FRAMES);
  const frame = (await busy() - before) * 1000 / FRAMES;
  await page.close();
  return { load, rate, frame };
}

try {
  execFileSync(process.execPath, ['--max-old-space-size=8192', join(here, 'test/make_trace.mjs'), String(COMMANDS), join(folder, 'trace.json')]);
  const begin = performance.now();
  execFileSync(tcp, ['view', join(folder, 'trace.json'), '-o', join(folder, 'page.html')]);
  const made = (performance.now() - begin) / 1000;
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  const runs = [];
  for (let i = 0; i < LOADS; ++i) runs.push(await measured(browser));
  await browser.close();
  const median = (of) => runs.map(of).sort((a, b) => a - b)[Math.floor(LOADS / 2)];
  console.log(`figure viewer_make_s ${made.toFixed(1)} s`);
  console.log(`figure viewer_load_s ${median((r) => r.load).toFixed(2)} s`);
  console.log(`figure viewer_fps_1m ${median((r) => r.rate).toFixed(1)} frames/s`);
  console.log(`figure viewer_frame_ms ${median((r) => r.frame).toFixed(1)} ms`);
} finally {
  rmSync(folder, { recursive: true });
}
