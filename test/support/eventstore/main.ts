import { startFakeEventStore } from './fakeEventStore.ts';

// `node test/support/eventstore/main.ts [port]` runs the fake EventStoreDB and prints its connection string.

const server = await startFakeEventStore({ port: Number(process.argv[2] ?? 0) });
process.stdout.write(`${server.url}\n`);
