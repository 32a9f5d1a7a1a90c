import { createSqliteEventLog } from '../../src/log/sqlite/sqliteEventLog.ts';
import { startHotRunner } from '../../src/projecting/hotRunner.ts';

// Child of the bench: folds the log in `argv[2]` as a node does at its start, once, with cold code.

const [, , path = ''] = process.argv;
const log = await createSqliteEventLog({ path, node: 'bench' });
const began = performance.now();
const hot = await startHotRunner(log, (error) => {
  throw error;
});
const seconds = (performance.now() - began) / 1_000;
const { position, apiKeys, counters, pins } = hot.state;
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${position} events folded in ${seconds.toFixed(2)} s: ${Math.round(position / seconds)}/s ` +
    `(${((user + system) / 1e6).toFixed(1)} s of CPU, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB; ` +
    `${apiKeys.size} keys, ${counters.size} with counters, ${pins.size} pins)\n`,
);
hot.stop();
await log.close();
