import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Instant, instant, type Position, position } from '../../src/domain/core/brands.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import type { HistoryFilter } from '../../src/readModels/historyQueries.ts';
import { createSqliteReadModels } from '../../src/readModels/sqlite/sqliteReadModels.ts';
import { startHotRunner } from '../../src/state/hotRunner.ts';
import { createPast } from '../../src/state/past/past.ts';
import { completedRequest } from '../startup/completedRequests.ts';
import { fillHistory, timeAt } from './fillHistory.ts';
import { measureCommands } from './measureCommands.ts';
import { cpuMsOf, measureGets } from './measureGets.ts';

// `npm run bench:history -- [--events 1000000] [--rounds 200] [--folder <kept>] [--only-commands] [--only-gets]`: fills a log
// with requests and, every 50th event, a change by one of 20 operators; then times pages of the history, requests as of earlier
// positions, past states, the commands that read them without a service, and GETs with `?at=` of a service over a copy of the log.

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '200' },
    folder: { type: 'string' },
    'only-commands': { type: 'boolean', default: false },
    'only-gets': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(
    'node bench/history/main.ts [--events 1000000] [--rounds 200] [--folder <kept>] [--only-commands] [--only-gets]: see bench/README.md\n',
  );
  process.exit(0);
}
const DAY_MS = 86_400_000;
const [events, rounds] = [Number(values.events), Number(values.rounds)];
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-history-')));
const logPath = join(folder, 'log.sqlite');
const print = (line: string) => process.stdout.write(`${line}\n`);
await mkdir(folder, { recursive: true });
if (!existsSync(logPath)) fillHistory(logPath, events);
const log = await createSqliteEventLog({ path: logPath, node: 'bench' });

try {
  const head = await log.head();
  if (!values['only-gets']) await timeCommands(head);
  if (!values['only-commands'] && !values['only-gets']) await timeQueries(head);
  if (!values['only-commands']) await timeGets(head);
} finally {
  await log.close();
  if (!values.folder) await rm(folder, { recursive: true });
}

async function timeQueries(head: Position): Promise<void> {
  const { history, requestLog, requestTotals, close } = createSqliteReadModels({ folder, logPath });
  const start = performance.now();
  while ((await history.page({}, null, 1, head)).entries[0]?.position !== head);
  const ms = performance.now() - start;
  const bytes = (await stat(join(folder, 'readmodels.sqlite'))).size;
  print(`${head} events indexed in ${(ms / 1_000).toFixed(1)} s, ${(bytes / 2 ** 20).toFixed(0)} MiB`);

  const key = completedRequest(7).actor as { keyId: string };
  const time = (share: number): Instant => timeAt(Math.trunc(head * share));
  const deepPosition = position(Math.trunc(head / 10));
  const pages: [label: string, filter: HistoryFilter, before: typeof deepPosition | null][] = [
    ['first page', {}, null],
    ['deep page', {}, deepPosition],
    ['type, dense', { types: ['RequestCompleted'] }, deepPosition],
    ['type, sparse', { types: ['IpRevoked'] }, deepPosition],
    ['type without events', { types: ['ApiKeyDeleted'] }, null],
    ['subject', { subjects: ['firewall-11'] }, deepPosition],
    ['request', { subjects: [`request-${(completedRequest(777).data as { requestId: string }).requestId}`] }, null],
    ['API key', { actors: [`apiKey:${key.keyId}`] }, deepPosition],
    ['operator and type', { actors: ['operator:10.0.0.3'], types: ['IpAllowed'] }, deepPosition],
    ['operator and subject, no common event', { actors: ['operator:10.0.0.3'], subjects: ['firewall-21'] }, null],
    ['an hour in the middle', { since: time(0.5), until: time(0.53) }, null],
    ['search', { search: 'may no longer' }, deepPosition],
    ['search, rare', { search: '10.77.0.8' }, null],
    ['search, type and operator', { search: '10.7', types: ['IpRevoked'], actors: ['operator:10.0.0.3'] }, null],
  ];
  for (const [label, filter, before] of pages) {
    await measure(label, async () => (await history.page(filter, before, 50, head)).entries.length);
  }
  // Requests as of random positions, as `?at=` asks for them.
  const moment = (round: number) => {
    const exactly = position(1 + ((round * 7_919_993) % head));
    return { upTo: { exactly }, now: timeAt(exactly) };
  };
  await measure('overview of a past week', async (round) => {
    const { upTo, now } = moment(round);
    return (await requestTotals.since(instant(now - 7 * DAY_MS), upTo)).requests;
  });
  await measure('trends of a past day, by 10 minutes', async (round) => {
    const { upTo, now } = moment(round);
    const since = instant(now - DAY_MS - (now % 600_000));
    return (await requestTotals.steps(since, 600_000, upTo)).length;
  });
  await measure('request log as it was', async (round) => (await requestLog.page({}, 50, 0, moment(round).upTo)).total);
  await measure('failed requests as they were', async (round) => {
    return (await requestLog.page({ statuses: ['429', 'error'] }, 50, 0, moment(round).upTo)).total;
  });
  await measure('filters of a past week', async (round) => {
    const { upTo, now } = moment(round);
    return (await requestLog.options({ since: instant(now - 7 * DAY_MS) }, upTo)).statuses.length;
  });
  await measure('models as they were', async (round) => (await requestLog.models(moment(round).upTo)).length);
  await close();

  const hot = await startHotRunner(log, (error) => print(error.message));
  const past = createPast({ log, hot });
  const randomPosition = (round: number) => position(1 + ((round * 7_919_993) % head));
  await measure(
    'the past at a position',
    async (round) => (await past.at({ position: randomPosition(round) })).state.position,
  );
  await measure('one event, with states', async (round) => (await past.step(randomPosition(round))).event.position);
  hot.stop();
}

function requestAt(share: number): string {
  const { data } = completedRequest(50 * Math.trunc((events * share) / 50) + 1);
  return (data as { requestId: string }).requestId;
}

async function timeGets(head: Position): Promise<void> {
  const { keyId } = completedRequest(7).actor as { keyId: string };
  await measureGets({
    ...{ folder, head, keyId, requestId: requestAt(0.5) },
    measure: (label, work, pid) => measure(label, work, Math.min(rounds, 40), () => cpuMsOf(pid)),
  });
}

async function timeCommands(head: Position): Promise<void> {
  const { keyId } = completedRequest(7).actor as { keyId: string };
  await measureCommands({
    ...{ folder, head, keyId, measure: (label, work, count = Math.min(rounds, 40)) => measure(label, work, count) },
    requests: [requestAt(0.99), requestAt(0.5)],
  });
}

/** Milliseconds of CPU of all threads and, where Linux tells them, of ended child processes, to 10 ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  // The fields after the name, which may have spaces; a tick is 10 ms.
  const [, fields = ''] = existsSync('/proc/self/stat') ? readFileSync('/proc/self/stat', 'utf8').split(') ') : [];
  const [ofChildren = 0, systemOfChildren = 0] = fields.split(' ').slice(13, 15).map(Number);
  return (user + system) / 1_000 + (ofChildren + systemOfChildren) * 10;
}

/** Prints the time that passed and, since other programs may use the machine, the CPU. */
async function measure(
  label: string,
  work: (round: number) => Promise<number>,
  count = rounds,
  cpuSoFar: () => number | Promise<number> = cpuMs,
): Promise<void> {
  const [times, cpu]: [number[], number[]] = [[], []];
  let last = 0;
  for (let round = 0; round < count; round++) {
    const before = await cpuSoFar();
    const start = performance.now();
    last = await work(round);
    times.push(performance.now() - start);
    cpu.push((await cpuSoFar()) - before);
  }
  const at = (values: number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.min(count - 1, Math.floor(count * share))]?.toFixed(2);
  const cpuText = `CPU p50 ${at(cpu, 0.5)} ms  p95 ${at(cpu, 0.95)} ms`;
  print(`${label.padEnd(42)} p50 ${at(times, 0.5)} ms  p95 ${at(times, 0.95)} ms  ${cpuText}  (last: ${last})`);
}
