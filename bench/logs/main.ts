import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Instant, instant, position } from '../../src/domain/brands.ts';
import type { RequestLogFilter } from '../../src/readModels/requestLogQueries.ts';
import { LogReader } from '../../src/readModels/sqlite/logReader.ts';
import { BATCH_EVENTS, Projector } from '../../src/readModels/sqlite/projector.ts';
import { openReadModelFile, removeReadModelFile } from '../../src/readModels/sqlite/readModelFile.ts';
import { createSqliteReadModels } from '../../src/readModels/sqlite/sqliteReadModels.ts';
import { accounts, fillLog, models, requestIdAt } from './events.ts';

// `node bench/logs/main.ts [--rows 1000000] [--rounds 60] [--folder <kept>]`: folds a log of so many events into the read
// models and measures the queries of the dashboard, each with other values every time (design.md section 7: p95 50 ms
// for pages, totals and facets, 10 ms for the overview).

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
    folder: { type: 'string' },
  },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-logs-')));
const logPath = join(folder, 'log.sqlite');
const path = join(folder, 'readmodels.sqlite');
const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  if (!existsSync(logPath)) fillLog(logPath, rows);
  if (!existsSync(path)) {
    if (rows <= 1_000_000) load(', in the batches of a running service', BATCH_EVENTS);
    load('', 50_000);
  }
  say(`${await sizeOf(logPath)} of log, ${await sizeOf(path)} of read models`);
  await query();
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

async function sizeOf(file: string): Promise<string> {
  return `${((await stat(file)).size / 2 ** 20).toFixed(0)} MiB`;
}

function load(how: string, batchEvents: number): void {
  removeReadModelFile(path);
  const database = openReadModelFile(path);
  const log = new LogReader(logPath);
  const projector = new Projector(database, log);
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  while (projector.catchUp(batchEvents));
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  database.close();
  log.close();
  say(
    `${rows} events folded in ${seconds.toFixed(1)} s${how}: ${Math.round(rows / seconds)}/s, ${((user + system) / rows).toFixed(1)} us of CPU each`,
  );
}

async function query(): Promise<void> {
  const readModels = createSqliteReadModels({ folder, logPath });
  const { requestLog, requestTotals } = readModels;
  const head = position(rows);
  const now = Date.now();
  const daysAgo = (days: number): Instant => instant(now - days * 86_400_000);
  const { total } = await requestLog.page({}, 1, 0, head);
  say(`${total} requests`);
  const pick = <Value>(from: readonly Value[], round: number) => from[round % from.length] as Value;
  const three = (round: number): RequestLogFilter => ({
    accountIds: [pick(accounts, round)],
    models: [pick(models, round)],
    statuses: ['200'],
  });
  const failed = (round: number): RequestLogFilter => ({ ...three(round), statuses: ['error', '502'] });
  const week = (round: number) => ({ since: daysAgo(7 + round / 100), until: daysAgo(round / 100) });
  const page = (filter: RequestLogFilter, offset = 0) => requestLog.page(filter, 50, offset, head);
  const deep = (of: number, round: number) => Math.floor((of * ((round * 37) % rounds)) / rounds);
  // Samples of usage have no request id.
  const idOf = (round: number) => requestIdAt(((round * 7_919 * 13) % rows) + 1);

  await measure('first page', () => page({}));
  await measure('page with three filters', (round) => page(three(round)));
  await measure('page with three filters, failed', (round) => page(failed(round)));
  await measure('page with three filters, 7 days', (round) => page({ ...three(round), ...week(round) }));
  await measure('page of 1,000', (round) => requestLog.page(three(round), 1_000, 0, head));
  await measure('deep page', (round) => page({}, deep(total, round)));
  await measure('deep page with a filter', (round) => page({ statuses: ['200'] }, deep(total * 0.96, round)));
  await measure('search by request id', (round) => page({ search: idOf(round) }));
  await measure('search by its beginning', (round) => page({ search: idOf(round).slice(0, 10) }));
  await measure('search by "re", as typed', () => page({ search: 're' }));
  await measure('search by a part of an id', (round) => page({ search: idOf(round).slice(12, 20) }));
  await measure('search by an error text', (round) => page({ search: `after ${round * 17} ms` }));
  await measure('options', () => requestLog.options({}, head));
  await measure('options with filters, 7 days', (round) =>
    requestLog.options({ ...three(round), ...week(round) }, head),
  );
  await measure('overview', () =>
    Promise.all([requestTotals.since(daysAgo(7), head), requestTotals.since(daysAgo(1), head)]),
  );
  await measure('summary', () => requestTotals.since(daysAgo(7), head));
  await measure('usage history', () => readModels.usageTrends.since(daysAgo(7), head));
  await measure('trends', (round) => readModels.usageTrends.ofAccount(pick(accounts, round), daysAgo(7), head));
  await readModels.close();
}

async function measure(what: string, ask: (round: number) => Promise<unknown>): Promise<void> {
  await ask(rounds);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await ask(round);
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
  say(
    `${what.padEnd(34)} p50 ${at(0.5).padStart(7)} ms   p95 ${at(0.95).padStart(7)} ms   ${((user + system) / rounds / 1_000).toFixed(1).padStart(6)} ms of CPU`,
  );
}
