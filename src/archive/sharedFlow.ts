import type { ArchiveOptions } from './archiveOptions.ts';
import { dayArchived, type Sealed } from './dayArchived.ts';
import {
  appendAtRevision,
  archiveRevision,
  clearRestored,
  publishSegment,
  truncateArchived,
  waitUntilRemoved,
} from './sharedSegments.ts';

/** What a run does otherwise over a store that several nodes share. */
export interface SharedFlow {
  finishEarlierRuns(): Promise<void>;
  /** Before a day is sealed. @returns the revision that the stream of archive events has */
  begin(): Promise<number>;
  /**
   * Publishes a sealed segment and records it, which removes the rows of every node.
   * @returns why the day stays, if a hold has come meanwhile
   * @throws CannotArchive, and what the store throws
   */
  record(sealed: Sealed, revision: number): Promise<string | undefined>;
  /** Truncates the streams of what was archived. */
  end(): Promise<void>;
}

type Options = Pick<ArchiveOptions, 'host' | 'heldBecause' | 'onStep' | 'signal'>;

/** @returns undefined for a log in the data folder */
export function sharedFlow({ host, heldBecause, onStep, signal }: Options): SharedFlow | undefined {
  const { shared } = host;
  if (!shared) return undefined;
  const sharedHost = { ...host, shared };

  /** Holds of other nodes count from the moment at which they are in the store. */
  async function reasonOf(day: string): Promise<string | undefined> {
    await sharedHost.shared.catchUp();
    return heldBecause?.(day);
  }

  async function truncate(): Promise<void> {
    await sharedHost.shared.catchUp();
    await truncateArchived(sharedHost, reasonOf, signal);
  }

  return {
    async finishEarlierRuns() {
      await truncate();
      await waitUntilRemoved(sharedHost, signal);
    },
    begin: () => archiveRevision(sharedHost),
    async record(sealed, revision) {
      onStep?.(`Writing the segment of ${sealed.header.day} to EventStoreDB`);
      await publishSegment(sharedHost, { number: sealed.header.number, seal: sealed.seal });
      signal?.throwIfAborted();
      const held = await reasonOf(sealed.header.day);
      if (held !== undefined) return held;
      await appendAtRevision(sharedHost, dayArchived(sealed), revision);
      await waitUntilRemoved(sharedHost, signal);
      return undefined;
    },
    async end() {
      await truncate();
      await clearRestored(sharedHost);
    },
  };
}
