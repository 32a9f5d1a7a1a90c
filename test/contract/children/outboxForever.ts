import { join } from 'node:path';
import { createEventSink } from '../../../src/eventLog/eventSink.ts';
import { openOutbox } from '../../../src/eventLog/outbox/outbox.ts';
import { createSqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';
import { collectFaults } from '../../support/collectFaults.ts';
import { createRandom } from '../../support/random.ts';
import { anEvent } from '../events.ts';
import { refuseSome, replicationTargetOverLog } from '../replicationTargetOverLog.ts';

// Records events in an outbox that drains into a store, both in one folder, until it is killed. Prints the id of each event
// that became durable. With a third argument the store refuses some events for good. At random the store is unreachable, or writes an append and loses the response.
const [folder = '', boot = '', refuses] = process.argv.slice(2);
const random = createRandom(Number(boot));
const log = await createSqliteEventLog({ path: join(folder, 'store.sqlite'), node: 'n1' });
const store = replicationTargetOverLog(log);
if (refuses) store.refuse = refuseSome;
const outbox = await openOutbox({
  path: join(folder, 'outbox.sqlite'),
  node: 'n1',
  store,
  maxEvents: 1_000_000,
  faults: collectFaults(),
  report: () => {},
});
outbox.start();
const sink = createEventSink({ log: outbox, node: 'n1', boot: `b${boot}`, category: 'requests' });
setInterval(() => {
  store.isUnreachable = random.chance(0.4);
  if (random.chance(0.5)) store.deliveries.push('response lost');
}, 15);
const recordForever = async (): Promise<never> => {
  for (;;) {
    const event = anEvent();
    await sink.record(event);
    process.stdout.write(`${event.id}\n`);
  }
};
await Promise.all(Array.from({ length: 20 }, recordForever));
