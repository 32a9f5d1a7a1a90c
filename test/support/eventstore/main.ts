import { startFakeEventStore } from './fakeEventStore.ts';

// `node test/support/eventstore/main.ts [port]`: the fake EventStoreDB by itself, until it is ended. Prints its connection string.

const server = await startFakeEventStore({ port: Number(process.argv[2] ?? 0) });
process.stdout.write(`${server.url}\n`);
