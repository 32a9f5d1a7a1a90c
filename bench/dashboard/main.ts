import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';
import { chromiumPath } from '../../test/dashboard/support/chromium.ts';
import buildDashboard from '../../test/support/dashboard/built.ts';
import { killChildren } from '../throughput/child.ts';
import { requestLogTotal, setUp } from '../throughput/management.ts';
import { startOnFolder } from '../throughput/startOnFolder.ts';
import { fillLog } from './fillLog.ts';
import { type PageVisit, signIn, type Target, visit } from './visit.ts';

// `npm run bench:dashboard -- [--rows 1000000] [--rounds 5] [--folder <kept>] [--detail]` measures in a real browser the
// time from the navigation until a page's main content has been painted, with a service that has `--rows` requests. Cold
// is a browser just started, with an empty cache; warm is its second visit.

const PASSWORD = 'correct horse battery';
const TARGETS: readonly Target[] = [
  { name: 'request log', path: '/request-logs', content: 'tr.request' },
  { name: 'request log, filtered', path: '/request-logs?status=502&last=24h', content: 'tr.request' },
  { name: 'overview, figures', path: '/', content: '.standing' },
  { name: 'overview, charts', path: '/', content: '.charts canvas' },
  { name: 'history', path: '/history', content: '.days li' },
];

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    folder: { type: 'string' },
    /** Prints the requests of the last cold visit to each page, with their times. */
    detail: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-dashboard-')));
const print = (line: string) => process.stdout.write(`${line}\n`);

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
  for (const target of TARGETS) await measure(base, target, chromiumPath);
} finally {
  killChildren();
  if (!values.folder) await rm(folder, { recursive: true });
}

/** Starts the service on the folder, once the dashboard is built. @returns its URL */
async function serve(): Promise<string> {
  buildDashboard();
  const entry = new URL('../../src/start.mjs', import.meta.url).pathname;
  const service = startOnFolder(folder, 'serve', [entry, 'serve']);
  const [, base = ''] = await service.line(/listening on (http:\S+)/, 180_000);
  return base;
}

async function send(base: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function measure(base: string, target: Target, executablePath: string): Promise<void> {
  const cold: PageVisit[] = [];
  const warm: PageVisit[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    try {
      const context = await signIn(browser, base, PASSWORD);
      cold.push(await visit(context, base, target));
      warm.push(await visit(context, base, target));
    } finally {
      await browser.close();
    }
  }
  print(`${target.name.padEnd(22)} cold ${spread(cold)}   warm ${spread(warm)}`);
  for (const { path, sent, received, kB } of values.detail ? (cold.at(-1)?.requests ?? []) : []) {
    print(
      `  ${sent.toFixed(0).padStart(5)} to ${received.toFixed(0).padStart(5)} ms ${kB.toFixed(1).padStart(6)} kB  ${path}`,
    );
  }
}

/** Median and maximum, in milliseconds. */
function spread(all: readonly PageVisit[]): string {
  const sorted = all.map(({ contentMs: content }) => content).sort((a, b) => a - b);
  const at = (index: number) => (sorted[index] ?? 0).toFixed(0);
  return `${at(Math.floor(sorted.length / 2)).padStart(5)} ms, maximum ${at(sorted.length - 1).padStart(5)} ms`;
}
