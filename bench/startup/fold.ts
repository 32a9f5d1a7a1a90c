import { dirname, join } from 'node:path';
import { archivePathOf } from '../../src/eventLog/archive/archiveFile.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';
import { startHotRunner } from '../../src/state/hotRunner.ts';
import { foldFile } from '../../src/state/pages/foldFile.ts';
import { firstFold } from '../../src/state/snapshots/sealedFold.ts';
import { newestSnapshot, SnapshotFolder, snapshotKey } from '../../src/state/snapshots/snapshotFolder.ts';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';

// Child of the bench: folds the log in `argv[2]` once as a node does at its start, with cold code, from the newest snapshot if
// there is one, else from the end of its archived days, if any.

const [, , path = ''] = process.argv;
const log = await createSqliteEventLog({ path, node: 'bench', archivePath: archivePathOf(path) });
const began = performance.now();
const vault = openSqliteVault({ folder: dirname(path) });
const folder = new SnapshotFolder(join(dirname(path), 'snapshots'), snapshotKey(vault));
const snapshot = await newestSnapshot(folder, log, (line) => process.stderr.write(`${line}\n`));
const onFailure = (error: Error) => {
  throw error;
};
const fold = snapshot?.fold ?? firstFold(path);
await foldFile(fold, path, await log.head());
const hot = await startHotRunner(log, onFailure, fold);
const seconds = (performance.now() - began) / 1_000;
const { position, apiKeys, counters, pins } = hot.state;
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${position} events, ${snapshot?.position ?? 0} of them from a snapshot, folded in ${seconds.toFixed(2)} s: ` +
    `${Math.round(position / seconds)}/s ` +
    `(${((user + system) / 1e6).toFixed(1)} s of CPU, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB; ` +
    `${apiKeys.size} keys, ${counters.size} with counters, ${pins.size} pins)\n`,
);
hot.stop();
await log.close();
vault.close();
