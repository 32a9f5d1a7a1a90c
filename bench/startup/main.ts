import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';
import { startOnFolder } from '../throughput/startOnFolder.ts';
import { fillLog } from './fillLog.ts';

// `npm run bench:startup -- [--events 1000000] [--clients 1000] [--rounds 3] [--folder <kept>]`: fills a log through the
// event sink, then measures in child processes how long a node takes to fold it, how long `svc serve` takes until it
// listens, what a snapshot costs a running node, and how long both take from a snapshot. Goals: 6 s for a million
// events from nothing, 2 s from a snapshot (docs/decisions/0003-performance-goals.md).

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string' },
  },
});
const [events, rounds] = [Number(values.events), Number(values.rounds)];
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-startup-')));
const path = join(folder, 'log.sqlite');
const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  // The service does not start over a log without a vault.
  openSqliteVault({ folder }).close();
  await fillLog(path, { events, clients: Number(values.clients), print });
  print(`${((await stat(path)).size / 2 ** 20).toFixed(0)} MiB on disk`);
  const snapshots = join(folder, 'snapshots');
  await rm(snapshots, { recursive: true, force: true });
  for (let round = 0; round < rounds; round++) await fold();
  for (let round = 0; round < rounds; round++) {
    await serve();
    // Stopping the service aborts its snapshot, but on a slow machine it may just have been completed.
    await rm(snapshots, { recursive: true, force: true });
  }
  await child('snapshot', /^snapshot of.*$/m);
  for (let round = 0; round < rounds; round++) await fold();
  for (let round = 0; round < rounds; round++) await serve();
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

function fold(): Promise<void> {
  return child('fold', /^\d+ events.*$/m);
}

/** Runs a program of this folder on the log and prints its result. */
async function child(name: string, line: RegExp): Promise<void> {
  const program = startOnFolder(folder, name, [new URL(`${name}.ts`, import.meta.url).pathname, path]);
  print((await program.line(line, 120_000))[0]);
  await program.stop();
}

async function serve(): Promise<void> {
  const since = performance.now();
  const service = startOnFolder(folder, 'serve', [new URL('../../src/start.mjs', import.meta.url).pathname, 'serve']);
  await service.line(/listening on/, 120_000);
  print(`svc serve listens after ${((performance.now() - since) / 1_000).toFixed(2)} s`);
  await service.stop();
}
