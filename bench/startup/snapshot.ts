import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { startHotRunner } from '../../src/state/hotRunner.ts';
import { keepSnapshots } from '../../src/state/snapshots/keepSnapshots.ts';
import { SnapshotFolder, snapshotKey } from '../../src/state/snapshots/snapshotFolder.ts';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';

// Child of the bench: makes a snapshot of the log in `argv[2]` beside a node that has folded it, and measures the pauses of that
// node's event loop meanwhile.

const [, , path = ''] = process.argv;
const fail = (error: Error) => {
  throw error;
};
const log = await createSqliteEventLog({ path, node: 'bench' });
const hot = await startHotRunner(log, fail);
const vault = openSqliteVault({ folder: dirname(path) });
const folder = new SnapshotFolder(join(dirname(path), 'snapshots'), snapshotKey(vault));
folder.clear();
const print = (line: string) => void process.stderr.write(`${line}\n`);
const keeper = keepSnapshots({
  hot,
  logPath: path,
  folder,
  isStartedFromSnapshot: false,
  onRefuted: fail,
  report: print,
});

const pauses = monitorEventLoopDelay({ resolution: 1 });
pauses.enable();
const began = performance.now();
keeper.start();
while (folder.names().length === 0) await delay(10);
const seconds = (performance.now() - began) / 1_000;
pauses.disable();
const { size } = await stat(join(folder.path, folder.names()[0] as string));
process.stdout.write(
  `snapshot of ${hot.state.position} events in ${seconds.toFixed(2)} s: ${(size / 2 ** 20).toFixed(1)} MiB, ` +
    `longest pause of the event loop meanwhile ${(pauses.max / 1e6).toFixed(1)} ms (p99 ${(pauses.percentile(99) / 1e6).toFixed(1)} ms)\n`,
);
await keeper.stop();
hot.stop();
await log.close();
vault.close();
