import { afterAll, describe } from 'vitest';
import { describeEventStore } from '../../../test/contract/eventStore.ts';
import { NO_REAL_SERVER, realServer } from '../../../test/support/eventstore/realServer.ts';

const server = await realServer();
afterAll(() => server?.stop(), 60_000);

describe.skipIf(!server)(server ? 'real EventStoreDB' : `real EventStoreDB (skipped: ${NO_REAL_SERVER})`, () => {
  describeEventStore('real EventStoreDB', async () => ({
    url: server?.url ?? '',
    masterKey: server?.masterKey ?? '',
    [Symbol.asyncDispose]: async () => undefined,
  }));
});
