import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LogReader } from '../../src/readModels/sqlite/logReader.ts';
import { BATCH_EVENTS, Projector } from '../../src/readModels/sqlite/projector.ts';
import { openReadModelFile, removeReadModelFile } from '../../src/readModels/sqlite/readModelFile.ts';
import { createSqliteReadModels } from '../../src/readModels/sqlite/sqliteReadModels.ts';
import { fillLog } from './events.ts';
import { measureQueries } from './queries.ts';

// `npm run bench:logs -- [--rows 1000000] [--rounds 60] [--folder <kept>] [--only breakdown]`: folds a log of `rows` events into the read
// models and measures the dashboard's queries, with different values in each round. Goals: p95 of 50 ms for pages, totals
// and facets, and of 10 ms for the overview (docs/decisions/0003-performance-goals.md).

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-logs-')));
const logPath = join(folder, 'log.sqlite');
const path = join(folder, 'readmodels.sqlite');
const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  if (!existsSync(logPath)) fillLog(logPath, rows);
  if (!existsSync(path)) {
    if (rows <= 1_000_000) fold(', in the batches of a running service', BATCH_EVENTS);
    fold('', 50_000);
  }
  print(`${await sizeOf(logPath)} of log, ${await sizeOf(path)} of read models`);
  const readModels = createSqliteReadModels({ folder, logPath });
  await measureQueries(readModels, { rows, rounds, only: values.only, print });
  await readModels.close();
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

async function sizeOf(file: string): Promise<string> {
  return `${((await stat(file)).size / 2 ** 20).toFixed(0)} MiB`;
}

function fold(label: string, batchEvents: number): void {
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
  print(
    `${rows} events folded in ${seconds.toFixed(1)} s${label}: ${Math.round(rows / seconds)}/s, ${((user + system) / rows).toFixed(1)} us of CPU each`,
  );
}
