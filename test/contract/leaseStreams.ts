import { describe, expect, test, vi } from 'vitest';
import { newEventId } from '../../src/eventLog/eventId.ts';
import { NO_STREAM } from '../../src/eventLog/eventLog.ts';
import type { LeaseEntry, LeaseStreams } from '../../src/eventLog/leaseStreams.ts';
import { waitOptions } from '../support/waitOptions.ts';

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

    test('passes on the entries of nodes in their order, the last ones of before first', async () => {
      await using stage = await create();
      const [before, after] = [`before-${newEventId()}`, `after-${newEventId()}`];
      const entries = [anEntry({ node: before, type: 'LeaseTaken' }), anEntry({ node: before })] as const;
      await stage.leases.append(`node-${before}`, NO_STREAM, entries[0]);
      await stage.leases.append(`node-${before}`, 0, entries[1]);
      await stage.leases.append(newEventId(), NO_STREAM, anEntry({ node: before }));
      const seen: LeaseEntry[] = [];
      stage.leases.followNodes((entry) => {
        if (entry.node === before || entry.node === after) seen.push(entry);
      });
      await vi.waitUntil(() => seen.at(-1)?.id === entries[1].id, waitOptions);
      const later = [
        anEntry({ node: after, type: 'LeaseTaken' }),
        anEntry({ node: after, type: 'LeaseReleased' }),
      ] as const;
      await stage.leases.append(`node-${after}`, NO_STREAM, later[0]);
      await vi.waitUntil(() => seen.at(-1)?.id === later[0].id, waitOptions);
      await stage.leases.append(`node-${after}`, 0, later[1]);
      await vi.waitUntil(() => seen.at(-1)?.id === later[1].id, waitOptions);
      expect(seen.slice(-2)).toEqual(later);
      expect(seen.slice(0, -2).at(-1)).toEqual(entries[1]);
    });
  });
}
