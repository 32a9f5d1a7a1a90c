import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { start } from './child.ts';
import { print } from './figures.ts';

/** What puts the product's log into EventStoreDB. */
export const eventStoreSettings = async (folder: string): Promise<Record<string, string>> => ({
  SVC_EVENTSTORE_URL: await eventStoreUrl(folder),
  SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
});

/**
 * The server that `SVC_TEST_EVENTSTORE_URL` names (give it one of its own), or the fake one of the tests in a process of
 * its own, which takes its share of the same cores.
 */
export async function eventStoreUrl(folder: string): Promise<string> {
  const given = process.env.SVC_TEST_EVENTSTORE_URL;
  print(
    given === undefined ? 'over the fake EventStoreDB of the tests, on the same cores' : 'over a real EventStoreDB',
  );
  if (given !== undefined) return given;
  const script = join(import.meta.dirname, '../../test/support/eventstore/main.ts');
  const child = start(process.execPath, [script], { PATH: process.env.PATH ?? '' }, join(folder, 'eventstore.log'));
  return (await child.line(/esdb:\S+/))[0];
}
