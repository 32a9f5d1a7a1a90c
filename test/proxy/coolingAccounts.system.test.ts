import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { textResponse, throttled } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';

let gateway: Gateway;
afterEach(() => gateway?.stop());

const ACCOUNTS = 400;

test('writes less than 3 kB per request while 400 accounts cool down', async () => {
  gateway = await startGateway({ accounts: 0 });
  const ids: string[] = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    const account = gateway.provider.addAccount();
    account.always(throttled({ shape: 'error', retryAfter: 600 }));
    ids.push(await gateway.importAccount(account));
  }
  const ask = async () => {
    const response = await gateway.ask();
    await response.text();
    return response.status;
  };

  // Each request tries five more accounts, until all of them cool down.
  for (let request = 0; request < ACCOUNTS / 5 + 2; request++) expect(await ask()).toBe(429);
  for (const id of ids.slice(0, 3)) expect(await gateway.availability(id)).toMatchObject({ state: 'cooling' });
  const another = gateway.provider.addAccount();
  another.always(textResponse());
  await gateway.importAccount(another);
  expect(await ask()).toBe(200);

  const attempts = gateway.events('RequestCompleted').map(({ data }) => data.attempts.length);
  expect(attempts).toEqual([...Array(ACCOUNTS / 5).fill(5), 0, 0, 1]);
  const written = bytesByRequest(gateway.folder);
  expect(written).toHaveLength(attempts.length);
  process.stdout.write(`  ${written.at(-1)} to ${written[0]} bytes of log per request\n`);
  expect(written[0]).toBeLessThan(3_000);
  const events = await recordedEvents(gateway.folder);
  expect(replayEvents(events)).toMatchObject({ choices: ACCOUNTS + 3, differences: [] });
}, 180_000);

/** Data and metadata of all events that each request caused, the largest sum first. */
function bytesByRequest(folder: string): number[] {
  using database = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
  return database
    .prepare(
      `SELECT sum(octet_length(data) + octet_length(metadata)) AS bytes FROM events
       WHERE metadata ->> '$.correlationId' LIKE 'req_%' AND type <> 'AccountImported'
       GROUP BY metadata ->> '$.correlationId' HAVING max(type = 'RequestCompleted') ORDER BY bytes DESC`,
    )
    .all()
    .map(({ bytes }) => bytes as number);
}
