import { createEventSink } from '../../../src/eventLog/eventSink.ts';
import { createSqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';
import { anEvent } from '../events.ts';

// Appends until it is killed. Prints a line with id and position for each event whose append was acknowledged.

const [path = '', boot = ''] = process.argv.slice(2);
const log = await createSqliteEventLog({ path, node: 'child' });
const sink = createEventSink({ log, node: 'child', boot, category: 'requests' });

async function appendForever(): Promise<never> {
  for (;;) {
    const event = anEvent();
    const position = await sink.record(event);
    // Waits while the reader of the pipe is behind; `writeSync` throws EAGAIN then.
    process.stdout.write(`${event.id} ${position}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, appendForever));
