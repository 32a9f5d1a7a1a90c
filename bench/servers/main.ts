import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEventSink } from '../../src/eventLog/eventSink.ts';
import {
  type ConnectionSettings,
  parseConnectionString,
} from '../../src/eventLog/eventstore/client/connectionString.ts';
import { startDrainThread } from '../../src/eventLog/eventstore/drain/drainThread.ts';
import { type EventStore, openEventStore } from '../../src/eventLog/eventstore/eventStore.ts';
import { openOutbox } from '../../src/eventLog/outbox/outbox.ts';
import { Faults } from '../../src/lib/faults.ts';
import { rebuildReadModels } from '../../src/readModels/sqlite/rebuild.ts';
import { completedRequest } from '../startup/completedRequests.ts';
import { killChildren } from '../throughput/child.ts';
import { startEventStore as eventStoreServer } from '../throughput/servers.ts';
import { measure } from './measure.ts';
import { measureReadModelsInMongo } from './readModelsInMongo.ts';
import { measureServiceStarts } from './serviceStarts.ts';

// `node bench/servers/main.ts [--only eventstore|mongodb] [--events 1000000] [--clients 256] [--rounds 60]` measures svc over
// EventStoreDB and MongoDB.
// EventStoreDB: writes events through the outbox into the server of SVC_TEST_EVENTSTORE_URL, or into the fake server of the
// tests in a process of its own. Then starts a service with an empty data folder, with a mirror, and with a snapshot, and
// rebuilds its local read models. MongoDB: see readModelsInMongo.ts. Nothing else may run on the machine.
// `npm run bench:throughput -- --eventstore` measures the throughput of a service with its log in EventStoreDB.

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '256' },
    rounds: { type: 'string', default: '60' },
    only: { type: 'string' },
  },
});
const events = Number(values.events);
const print = (line: string) => void process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-servers-'));
async function measureOutbox(store: EventStore, settings: ConnectionSettings, mirrorPath: string) {
  const path = join(folder, 'outbox.sqlite');
  const outbox = await openOutbox({
    path,
    node: 'bench',
    store: store.replicationTarget,
    drain: (start) => startDrainThread({ path, mirrorPath, settings, store: store.replicationTarget, ...start }),
    maxEvents: Number.POSITIVE_INFINITY,
    faults: new Faults({ print, now: Date.now }),
    report: (error) => print(String(error)),
  });
  outbox.start();
  const boot = `b${Date.now().toString(36)}`;
  const sink = createEventSink({ log: outbox, node: 'bench', boot, category: 'requests', isTyped: true });
  let next = 1;
  const client = async () => {
    while (next <= events) await sink.record(completedRequest(next++));
  };
  const drained = async () => {
    while (outbox.pending > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await measure(`${events} events in the server`, events, print, async () => {
    await measure(`${events} events durable in the outbox`, events, print, () =>
      Promise.all(Array.from({ length: Number(values.clients) }, client)),
    );
    await drained();
  });
  await outbox.close();
}

async function measureEventStore() {
  const { url } = await eventStoreServer(folder);
  const settings = parseConnectionString(url);
  const path = join(folder, 'writer.sqlite');
  const faults = new Faults({ print, now: Date.now });
  const writer = await openEventStore({ settings, path, node: 'bench', print, faults });
  await measureOutbox(writer, settings, path);
  await writer.close();
  const data = join(folder, 'data');
  await measureServiceStarts({ folder: data, url, events, print });
  await measure('read models from the mirror', events, print, async () =>
    rebuildReadModels({ folder: data, logName: 'mirror.sqlite', onProgress: () => {} }),
  );
}

try {
  if (values.only !== 'mongodb') await measureEventStore();
  if (values.only !== 'eventstore')
    await measureReadModelsInMongo({ folder, rows: events, rounds: Number(values.rounds), print });
} finally {
  killChildren();
  await rm(folder, { recursive: true });
}
