import { describe, expect, test } from 'vitest';
import { newEventId } from '../../src/eventLog/eventId.ts';
import { NO_STREAM } from '../../src/eventLog/eventLog.ts';
import type { LeaseEntry, LeaseStreams } from '../../src/eventLog/leaseStreams.ts';

export interface LeaseStreamsUnderTest extends AsyncDisposable {
  readonly leases: LeaseStreams;
}

const anEntry = (change: Partial<LeaseEntry> = {}): LeaseEntry => ({
  id: newEventId(),
  type: 'LeaseRenewed',
  epoch: 1,
  node: 'n1',
  boot: 'b1',
  ttlMs: 12_000,
  ...change,
});

/** The contract of `LeaseStreams`, run against one adapter. */
export function describeLeaseStreams(name: string, create: () => Promise<LeaseStreamsUnderTest>): void {
  describe(`${name}: lease streams`, () => {
    test('returns no entry for a new lease, and the complete last entry later', async () => {
      await using stage = await create();
      const lease = newEventId();
      expect(await stage.leases.readLast(lease)).toBeUndefined();
      const [taken, renewed] = [anEntry({ type: 'LeaseTaken' }), anEntry({ epoch: 2, node: 'n2' })];
      expect(await stage.leases.append(lease, NO_STREAM, taken)).toEqual({ kind: 'committed' });
      expect(await stage.leases.readLast(lease)).toEqual({ revision: 0, entry: taken });
      expect(await stage.leases.append(lease, 0, renewed)).toEqual({ kind: 'committed' });
      expect(await stage.leases.readLast(lease)).toEqual({ revision: 1, entry: renewed });
    });

    test('lets one of many concurrent appends win', async () => {
      await using stage = await create();
      const lease = newEventId();
      const takers = Array.from({ length: 20 }, () => stage.leases.append(lease, NO_STREAM, anEntry()));
      const kinds = (await Promise.all(takers)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'committed')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'conflict')).toHaveLength(19);
    });

    test('stores an entry that is appended twice at the same revision once', async () => {
      await using stage = await create();
      const lease = newEventId();
      const entry = anEntry();
      await stage.leases.append(lease, NO_STREAM, entry);
      expect(await stage.leases.append(lease, NO_STREAM, entry)).toEqual({ kind: 'committed' });
      expect(await stage.leases.readLast(lease)).toMatchObject({ revision: 0 });
    });

    test('accepts many entries and checks the revision of each', async () => {
      await using stage = await create();
      const lease = newEventId();
      for (let revision = NO_STREAM; revision < 59; revision += 1) {
        expect(await stage.leases.append(lease, revision, anEntry())).toEqual({ kind: 'committed' });
      }
      expect(await stage.leases.append(lease, 57, anEntry())).toEqual({ kind: 'conflict' });
      expect(await stage.leases.readLast(lease)).toMatchObject({ revision: 59 });
    });
  });
}
