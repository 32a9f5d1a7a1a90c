import { CannotArchive } from '../../archive/cannotArchive.ts';
import type { SharedArchive } from '../../archive/sharedArchive.ts';
import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import type { EventStore } from '../../eventLog/eventstore/eventStore.ts';
import { LeaseHeld, withLease } from '../../state/leases/withLease.ts';

export interface SharedArchiveOptions {
  readonly eventStore: Pick<EventStore, 'catchUp' | 'segments' | 'truncations' | 'leases'>;
  readonly folder: Pick<DataFolder, 'node' | 'boot'>;
  readonly report: (error: unknown) => void;
}

const LEASE = 'archives';

/** What archiving days needs of EventStoreDB. */
export const createSharedArchive = ({ eventStore, folder, report }: SharedArchiveOptions): SharedArchive => ({
  catchUp: eventStore.catchUp,
  segments: eventStore.segments,
  truncations: eventStore.truncations,
  async exclusively(work, signal) {
    const { node, boot } = folder;
    try {
      return await withLease({ name: LEASE, streams: eventStore.leases, node, boot, report, signal }, work);
    } catch (error) {
      if (!(error instanceof LeaseHeld)) throw error;
      const holder = error.holder === undefined ? 'Another node' : `Node ${error.holder}`;
      throw new CannotArchive(
        'archiving_elsewhere',
        `${holder} archives or restores days at the moment. Try again later.`,
      );
    }
  },
});
