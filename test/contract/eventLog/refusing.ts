import { describe, expect, test } from 'vitest';
import { type EventToAppend, NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import type { StoreFactory } from '../eventLog.ts';
import { anEvent, aStream } from '../events.ts';
import { committed, storedOf } from './outcomes.ts';

/** Past the schema, as a mistake of ours would come: what JSON does not give back must not be written all the same. */
const withData = (data: unknown): EventToAppend => anEvent({ data: data as EventToAppend['data'] });

const unwritable: readonly [name: string, data: unknown, path: string][] = [
  ['a BigInt', { ip: 1n }, '$.ip'],
  ['a number that is none', { list: [0, Number.NaN] }, '$.list[1]'],
  ['infinity', { to: Number.POSITIVE_INFINITY }, '$.to'],
  ['minus zero', { to: -0 }, '$.to'],
  ['an integer beyond 2^53', { to: 2 ** 53 }, '$.to'],
  ['a key that looks like an integer', { '429': 1 }, '$.429'],
  ['a date', { at: new Date(0) }, '$.at'],
  ['a map', { of: { entries: new Map() } }, '$.of.entries'],
  ['a hole in a list', { list: [undefined] }, '$.list[0]'],
  ['a function', { toJSON: () => ({}) }, '$.toJSON'],
  ['half of a surrogate pair', { text: 'a\ud800b' }, '$.text'],
];

export function refusing(createStore: StoreFactory): void {
  describe('rejecting', () => {
    test.each(unwritable)('refuses data with %s and names its place', async (_, data, path) => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const outcome = await log.append(stream, NO_STREAM, [anEvent(), withData(data)], { isValidated: true });
      expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining(path) });
      expect(await storedOf(log, stream)).toEqual([]);
      await log.close();
    });

    test('looks at texts even where types vouch for everything else', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const options = { isValidated: true, isLossless: true };
      const outcome = await log.append(stream, NO_STREAM, [withData({ text: 'a\ud800b' })], options);
      expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining('$.text') });
      const harmless = [withData({ text: 'a literal \\ud800, and \u{1f600}' })];
      expect(await log.append(stream, NO_STREAM, harmless, options)).toMatchObject({ kind: 'committed' });
      await log.close();
    });

    test('refuses data that its schema does not allow, and writes none of the append', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const outcome = await log.append(stream, NO_STREAM, [anEvent(), withData({ ip: 42 })]);
      expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining('$.ip') });
      expect(await storedOf(log, stream)).toEqual([]);
      await committed(log.append(stream, NO_STREAM, [anEvent()]));
      await log.close();
    });

    test('refuses an append without events', async () => {
      await using store = await createStore();
      const log = await store.open();
      expect(await log.append(aStream(), NO_STREAM, [])).toMatchObject({ kind: 'rejected' });
      await log.close();
    });

    test.each([
      ['an id that is no UUID', { id: 'one' }],
      ['an id that a store would give back in another spelling', { id: '018F4B1E-0000-7000-8000-00000000000A' }],
      ['an unknown type', { type: 'IpBlessed' as 'IpAllowed' }],
      ['a time with fractions', { time: 0.5 as EventToAppend['time'] }],
    ])('refuses an event with %s', async (_, change) => {
      await using store = await createStore();
      const log = await store.open();
      expect(await log.append(aStream(), NO_STREAM, [anEvent(change)])).toMatchObject({ kind: 'rejected' });
      await log.close();
    });

    test.each([
      ['a stream that belongs to the store', '$all', NO_STREAM],
      ['a stream without a name', '', NO_STREAM],
      ['a stream of the vault', 'vault-a', NO_STREAM],
      ['a stream of leases', 'lease-a', NO_STREAM],
      ['"any" as revision', 'firewall-any', -2],
      ['half a revision', 'firewall-half', 0.5],
    ])('refuses %s', async (_, stream, revision) => {
      await using store = await createStore();
      const log = await store.open();
      expect(await log.append(stream, revision, [anEvent()])).toMatchObject({ kind: 'rejected' });
      await log.close();
    });
  });
}
