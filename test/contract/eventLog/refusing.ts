import { describe, expect, test } from 'vitest';
import { type EventToAppend, NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import type { LogFactory } from '../eventLog.ts';
import { anEvent, aStream } from '../events.ts';
import { committed, readStored } from './outcomes.ts';

/** Data that is not validated, as after a bug in svc. The log must still reject it if JSON cannot represent it. */
const withData = (data: unknown): EventToAppend => anEvent({ data: data as EventToAppend['data'] });

const unstorable: readonly [name: string, data: unknown, path: string][] = [
  ['a BigInt', { ip: 1n }, '$.ip'],
  ['NaN', { list: [0, Number.NaN] }, '$.list[1]'],
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

export function describeRejecting(createStore: LogFactory): void {
  describe('rejecting', () => {
    test.each(unstorable)('rejects data with %s and names its path', async (_, data, path) => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const outcome = await log.append(stream, NO_STREAM, [anEvent(), withData(data)], { isValidated: true });
      expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining(path), isLogFine: true });
      expect(await readStored(log, stream)).toEqual([]);
      await log.close();
    });

    test('rejects half of a surrogate pair even in data marked as lossless', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const options = { isValidated: true, isLossless: true };
      const outcome = await log.append(stream, NO_STREAM, [withData({ text: 'a\ud800b' })], options);
      expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining('$.text'), isLogFine: true });
      const harmless = [withData({ text: 'a literal \\ud800, and \u{1f600}' })];
      expect(await log.append(stream, NO_STREAM, harmless, options)).toMatchObject({ kind: 'committed' });
      await log.close();
    });

    test('rejects data that its schema does not allow, and writes none of the append', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const outcome = await log.append(stream, NO_STREAM, [anEvent(), withData({ ip: 42 })]);
      expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining('$.ip'), isLogFine: true });
      expect(await readStored(log, stream)).toEqual([]);
      await committed(log.append(stream, NO_STREAM, [anEvent()]));
      await log.close();
    });

    test('rejects an event of more than 64 KiB, and takes one that is a little smaller', async () => {
      await using store = await createStore();
      const log = await store.open();
      const stream = aStream();
      const sized = (bytes: number) => withData({ text: '\u20ac'.repeat(10_000) + 'x'.repeat(bytes - 30_000) });
      const metadata = 300;
      const tooLarge = await log.append(stream, NO_STREAM, [sized(65_536)], { isValidated: true });
      expect(tooLarge).toMatchObject({
        kind: 'rejected',
        reason: expect.stringMatching(/IpAllowed: it has \d+ bytes/),
      });
      expect(await readStored(log, stream)).toEqual([]);
      await committed(log.append(stream, NO_STREAM, [sized(65_536 - metadata)], { isValidated: true }));
      await log.close();
    });

    test('rejects an append without events', async () => {
      await using store = await createStore();
      const log = await store.open();
      expect(await log.append(aStream(), NO_STREAM, [])).toMatchObject({ kind: 'rejected' });
      await log.close();
    });

    test.each([
      ['an id that is not a UUID', { id: 'one' }],
      ['an id in upper case', { id: '018F4B1E-0000-7000-8000-00000000000A' }],
      ['an unknown type', { type: 'IpBlessed' as 'IpAllowed' }],
      ['a time with fractions', { time: 0.5 as EventToAppend['time'] }],
    ])('rejects an event with %s', async (_, change) => {
      await using store = await createStore();
      const log = await store.open();
      expect(await log.append(aStream(), NO_STREAM, [anEvent(change)])).toMatchObject({ kind: 'rejected' });
      await log.close();
    });

    test.each([
      ['a system stream', '$all', NO_STREAM],
      ['a stream without a name', '', NO_STREAM],
      ['a vault stream', 'vault-a', NO_STREAM],
      ['a lease stream', 'lease-a', NO_STREAM],
      ['"any" as expected revision', 'firewall-any', -2],
      ['a fractional revision', 'firewall-half', 0.5],
    ])('rejects %s', async (_, stream, revision) => {
      await using store = await createStore();
      const log = await store.open();
      expect(await log.append(stream, revision, [anEvent()])).toMatchObject({ kind: 'rejected' });
      await log.close();
    });
  });
}
