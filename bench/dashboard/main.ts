import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';
import { chromiumPath } from '../../test/dashboard/support/chromium.ts';
import buildDashboard from '../../test/support/dashboard/built.ts';
import { killChildren } from '../throughput/child.ts';
import { requestLogTotal, setUp } from '../throughput/management.ts';
import { startOnFolder } from '../throughput/startOnFolder.ts';
import { fillLog } from './fillLog.ts';
import { observe } from './live.ts';
import { sendSteadily, startTraffic } from './traffic.ts';
import { type Line, type PageVisit, signIn, type Target, visit } from './visit.ts';

// `npm run bench:dashboard -- [--rows 1000000] [--rounds 5] [--minutes 10] [--folder <kept>] [--detail]` measures in a real
// browser the time from the navigation until a page's main content has been painted, with a service that has `--rows`
// requests. Cold is a browser just started, with an empty cache; warm is its second visit; over a slow line it is cold. Then
// it leaves pages open for `--minutes` while five requests arrive a second.

const PASSWORD = 'correct horse battery';
const TARGETS: readonly Target[] = [
  { name: 'request log', path: '/request-logs', content: 'tr.request' },
  { name: 'request log, filtered', path: '/request-logs?status=502&last=24h', content: 'tr.request' },
  { name: 'overview, requests', path: '/', content: '.scroll-x .table tbody tr' },
  { name: 'overview, charts', path: '/', content: '.charts canvas' },
  { name: 'history', path: '/history', content: '.days li' },
];

/** A slow mobile connection. */
const SLOW_LINE: Line = { bytesPerSecond: 1_600_000 / 8, latencyMs: 150 };
const REQUESTS_PER_SECOND = 5;
const OPEN_PAGES = ['/request-logs', '/history?kind=everything', '/'];

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '10' },
    folder: { type: 'string' },
    /** Prints the requests of the last cold visit to each page, with their times. */
    detail: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-dashboard-')));
const print = (line: string) => process.stdout.write(`${line}\n`);

const traffic = await startTraffic();
try {
  if (!chromiumPath) throw new Error('Chromium is not installed.');
  const isNew = !existsSync(join(folder, 'log.sqlite'));
  // The service does not start over a log without a vault.
  openSqliteVault({ folder }).close();
  if (isNew) await fillLog(join(folder, 'log.sqlite'), rows);
  const base = await serve();
  if (isNew) {
    await setUp(base);
    await send(base, '/api/dashboard-auth/password/setup', { password: PASSWORD });
  }
  const session = await send(base, '/api/dashboard-auth/password/login', { password: PASSWORD });
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  print(`${await requestLogTotal(base, rows, { cookie })} requests`);
  if (Number(values.rounds) > 0) for (const target of TARGETS) await measure(base, target, chromiumPath);
  await measureOpenPages(base, cookie, chromiumPath);
} finally {
  killChildren();
  await traffic.close();
  if (!values.folder) await rm(folder, { recursive: true });
}

/** Starts the service on the folder, once the dashboard is built. @returns its URL */
async function serve(): Promise<string> {
  buildDashboard();
  const entry = new URL('../../src/start.mjs', import.meta.url).pathname;
  const service = startOnFolder(folder, 'serve', [entry, 'serve'], traffic.env);
  const [, base = ''] = await service.line(/listening on (http:\S+)/, 180_000);
  return base;
}

async function send(base: string, path: string, body: object, cookie = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(cookie && { cookie }) };
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function measure(base: string, target: Target, executablePath: string): Promise<void> {
  const cold: PageVisit[] = [];
  const warm: PageVisit[] = [];
  const slow: PageVisit[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    await inBrowser(executablePath, async (browser) => {
      const context = await signIn(browser, base, PASSWORD);
      cold.push(await visit(context, base, target));
      warm.push(await visit(context, base, target));
    });
    await inBrowser(executablePath, async (browser) => {
      slow.push(await visit(await signIn(browser, base, PASSWORD), base, target, SLOW_LINE));
    });
  }
  const lcp = (all: readonly PageVisit[]) => `LCP ${median(all.map(({ lcpMs }) => lcpMs)).toFixed(0)} ms`;
  const transfer = median(cold.map(({ requests }) => requests.reduce((sum, { kB }) => sum + kB, 0)));
  print(
    `${target.name.padEnd(22)} cold ${spread(cold)}, ${lcp(cold)}, ${transfer.toFixed(0)} kB   warm ${spread(warm)}`,
  );
  print(`${''.padEnd(22)} slow ${spread(slow)}, ${lcp(slow)}`);
  for (const { path, sent, received, kB } of values.detail ? (cold.at(-1)?.requests ?? []) : []) {
    print(
      `  ${sent.toFixed(0).padStart(5)} to ${received.toFixed(0).padStart(5)} ms ${kB.toFixed(1).padStart(6)} kB  ${path}`,
    );
  }
}

async function inBrowser<Result>(executablePath: string, use: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** All pages at once, each in a browser of its own. */
async function measureOpenPages(base: string, cookie: string, executablePath: string): Promise<void> {
  await traffic.importAccounts(base, { cookie });
  const created = await send(base, '/api/api-keys', { name: 'visitor' }, cookie);
  const { key } = (await created.json()) as { key: string };
  const stop = sendSteadily(base, key, REQUESTS_PER_SECOND);
  const ms = Number(values.minutes) * 60_000;
  const costs = await Promise.all(
    OPEN_PAGES.map((path) => inBrowser(executablePath, (browser) => observe(browser, base, path, PASSWORD, ms))),
  );
  print(`${await stop()} requests within ${values.minutes} minutes`);
  for (const [index, { cores, nodes, heapMb }] of costs.entries()) {
    const heap = heapMb.map((mb) => mb.toFixed(1)).join(' to ');
    print(
      `${OPEN_PAGES[index]?.padEnd(26)} ${(cores * 100).toFixed(1)} % of a core, ${nodes.join(' to ')} nodes, ${heap} MB`,
    );
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Median and maximum, in milliseconds. */
function spread(all: readonly PageVisit[]): string {
  const sorted = all.map(({ contentMs: content }) => content).sort((a, b) => a - b);
  const at = (index: number) => (sorted[index] ?? 0).toFixed(0);
  return `${at(Math.floor(sorted.length / 2)).padStart(5)} ms, maximum ${at(sorted.length - 1).padStart(5)} ms`;
}
