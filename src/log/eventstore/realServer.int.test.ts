import { randomBytes } from 'node:crypto';
import { afterAll, describe } from 'vitest';
import { describeEventStore } from '../../../test/contract/eventStore.ts';
import { NO_REAL_SERVER, realServer } from '../../../test/support/eventstore/servers.ts';

const server = await realServer();
afterAll(() => server?.stop());

/** A server that somebody else runs may hold a vault already: then its key goes with the URL. */
const masterKey = process.env.SVC_TEST_ENCRYPTION_KEY ?? randomBytes(32).toString('base64');

describe.skipIf(!server)(server ? 'real EventStoreDB' : `real EventStoreDB (there is ${NO_REAL_SERVER})`, () => {
  describeEventStore('real EventStoreDB', async () => ({
    url: server?.url ?? '',
    masterKey,
    [Symbol.asyncDispose]: async () => undefined,
  }));
});
