import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { position } from '../../src/domain/brands.ts';
import type { EventLog, RecordedEvent } from '../../src/log/eventLog.ts';
import { createRequestSink } from '../../src/log/requestSink.ts';
import { createSqliteEventLog } from '../../src/log/sqlite/sqliteEventLog.ts';
import { completedRequest } from './completedRequests.ts';

// `node bench/startup/main.ts [--events 1000000] [--callers 1000] [--folder <kept>]`: fills a log through the request sink
// and measures how long a node takes to fold it at its start (design.md section 7: 6 s for a million).

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    callers: { type: 'string', default: '1000' },
    folder: { type: 'string' },
  },
});
const events = Number(values.events);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-startup-')));
const path = join(folder, 'log.sqlite');

try {
  await measure('appended', fill);
  process.stdout.write(`${((await stat(path)).size / 2 ** 20).toFixed(0)} MiB on disk\n`);
  await measure('read and handed to an empty fold', (log) => fold(log, () => {}));
  await measure('folded into tokens per key', (log) => fold(log, countTokens(new Map())));
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

async function measure(what: string, work: (log: EventLog) => Promise<number>): Promise<void> {
  const log = await createSqliteEventLog({ path, node: 'bench' });
  const start = performance.now();
  const cpu = process.cpuUsage();
  const done = await work(log);
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await log.close();
  if (done === 0) return;
  process.stdout.write(
    `${done} ${what} in ${seconds.toFixed(2)} s: ${Math.round(done / seconds)}/s, ` +
      `${((user + system) / done).toFixed(1)} us of CPU each in all threads\n`,
  );
}

async function fill(log: EventLog): Promise<number> {
  const first = (await log.head()) + 1;
  const sink = createRequestSink({ log, node: 'bench', boot: `b${first}`, category: 'requests' });
  let next = first;
  const caller = async () => {
    while (next <= events) await sink.record(completedRequest(next++));
  };
  await Promise.all(Array.from({ length: Number(values.callers) }, caller));
  return Math.max(0, events - first + 1);
}

/** The real fold goes here: anything that takes batches as a subscriber does. */
function fold(log: EventLog, onEvents: (batch: readonly RecordedEvent[]) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let folded = 0;
    log.subscribe(position(0), {
      onEvents: (batch) => {
        folded += batch.length;
        onEvents(batch);
      },
      onCaughtUp: () => resolve(folded),
      onFailure: reject,
    });
  });
}

function countTokens(tokens: Map<string, number>): (batch: readonly RecordedEvent[]) => void {
  return (batch) => {
    for (const { type, data } of batch) {
      if (type !== 'RequestCompleted' || !data.keyId) continue;
      tokens.set(data.keyId, (tokens.get(data.keyId) ?? 0) + (data.usage?.outputTokens ?? 0));
    }
  };
}
