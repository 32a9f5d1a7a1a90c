import { controlOf, serveControl } from './fakeControl.ts';
import { startFakeEventStore } from './fakeEventStore.ts';

// `node test/support/eventstore/main.ts [port]` runs the fake EventStoreDB and prints its connection string, and in a second
// line the URL of its control (fakeControl.ts).

const server = await startFakeEventStore({ port: Number(process.argv[2] ?? 0) });
process.stdout.write(`${server.url}\n${await serveControl(controlOf(server))}\n`);
