import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { RequestCompleted } from '../../src/domain/request/events.ts';
import { LoggedRequestReader } from '../../src/readModels/sqlite/loggedRequestReader.ts';
import { type FoldedRequestReaders, foldedRequestReaders } from '../../src/state/pages/foldedRequestReaders.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { serverError } from '../support/provider/scripts.ts';

let gateway: Gateway;
afterEach(() => gateway?.stop());

/** The stored JSON of completed requests, oldest first. */
function stored(): string[] {
  using database = new DatabaseSync(join(gateway.folder, 'log.sqlite'), { readOnly: true });
  const rows = database.prepare("SELECT data FROM events WHERE type = 'RequestCompleted' ORDER BY position").all();
  return rows.map(({ data }) => data as string);
}

const isFolded = (json: string) =>
  (foldedRequestReaders as FoldedRequestReaders)[RequestCompleted.version]?.(json) !== null;
const isLogged = (json: string) => new LoggedRequestReader().read(RequestCompleted.version, json) !== undefined;

test('writes completed requests that the fast readers can read', async () => {
  gateway = await startGateway();
  const { body: key } = await gateway.api('POST', '/api/api-keys', {
    name: 'limited',
    limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }],
  });
  await (await gateway.ask()).text();
  await (await gateway.ask({ ...validRequest, prompt_cache_key: 'conversation', service_tier: 'priority' })).text();
  await gateway.set({ api_key_auth_enabled: true, sticky_threads_enabled: true, routing_strategy: 'round_robin' });
  const headers = { authorization: `Bearer ${key.key}` };
  await (await gateway.ask({ ...validRequest, prompt_cache_key: 'conversation' }, { headers })).text();
  const successful = stored();
  expect(successful.map((json) => JSON.parse(json).status)).toEqual(['200', '200', '200']);
  for (const json of successful) expect({ json, isFolded: isFolded(json) }).toEqual({ json, isFolded: true });

  gateway.pool[0]?.at.always(serverError());
  await (await gateway.ask(validRequest, { headers })).text();
  expect(stored()).toHaveLength(4);
  // The history names what failed, so it parses a failed request; the fold does not.
  const [failed = '', ...ordinary] = stored().toReversed();
  for (const json of ordinary) expect({ json, isLogged: isLogged(json) }).toEqual({ json, isLogged: true });
  expect([JSON.parse(failed).status, isLogged(failed), isFolded(failed)]).toEqual(['502', false, true]);
});
