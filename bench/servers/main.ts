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
import { rebuildReadModels } from '../../src/readModels/sqlite/rebuild.ts';
import { completedRequest } from '../startup/completedRequests.ts';
import { killChildren } from '../throughput/child.ts';
import { startEventStore as eventStoreServer } from '../throughput/servers.ts';
import { readModelsInMongo } from './readModelsInMongo.ts';
import { serviceStarts } from './serviceStarts.ts';
import { timed } from './timed.ts';

// `node bench/servers/main.ts [--only eventstore|mongodb] [--events 1000000] [--clients 256] [--rounds 60]`: what the servers
// cost. EventStoreDB: events through the outbox into the server of SVC_TEST_EVENTSTORE_URL, else into the fake one of the tests in
// a process of its own, and then the start of a service that has read nothing of it yet, of one that has, and of one with a
// snapshot, and its local read models from nothing. MongoDB: see readModelsInMongo.ts. Nothing may be running beside it. What a whole service loses with its
// log there tells `npm run bench:throughput -- --eventstore`.

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '256' },
    rounds: { type: 'string', default: '60' },
    only: { type: 'string' },
  },
});
const events = Number(values.events);
const say = (line: string) => void process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-servers-'));
async function throughOutbox(store: EventStore, settings: ConnectionSettings) {
  const path = join(folder, 'outbox.sqlite');
  const outbox = await openOutbox({
    path,
    node: 'bench',
    store: store.replicationTarget,
    drain: (listener) => startDrainThread({ path, settings, ...listener }),
    maxEvents: Number.POSITIVE_INFINITY,
    report: (what) => say(String(what)),
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
  await timed(`${events} in the server, from the first`, events, say, async () => {
    await timed(`${events} durable in the outbox`, events, say, () =>
      Promise.all(Array.from({ length: Number(values.clients) }, client)),
    );
    await drained();
  });
  await outbox.close();
}

async function eventStore() {
  const { url } = await eventStoreServer(folder);
  const settings = parseConnectionString(url);
  const writer = await openEventStore({ settings, path: join(folder, 'writer.sqlite'), node: 'bench', say });
  await throughOutbox(writer, settings);
  await writer.close();
  const data = join(folder, 'data');
  await serviceStarts({ folder: data, url, events, say });
  await timed('read models from the mirror', events, say, async () =>
    rebuildReadModels({ folder: data, logName: 'mirror.sqlite', onProgress: () => {} }),
  );
}

try {
  if (values.only !== 'mongodb') await eventStore();
  if (values.only !== 'eventstore')
    await readModelsInMongo({ folder, rows: events, rounds: Number(values.rounds), say });
} finally {
  killChildren();
  await rm(folder, { recursive: true });
}
