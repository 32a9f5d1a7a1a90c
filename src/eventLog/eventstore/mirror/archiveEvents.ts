import { ARCHIVE_STREAM, ArchiveRestored, DayArchived } from '../../../domain/archive/events.ts';
import type { EventStoreClient } from '../client/client.ts';
import type { AllEvent } from '../client/readResponse.ts';
import { readStreamOnce } from '../client/reads.ts';

type Archived = ReturnType<typeof DayArchived>['data'];
type Restored = ReturnType<typeof ArchiveRestored>['data'];

/** An event about archives. */
export type ArchiveEntry =
  | { readonly kind: 'archived'; readonly data: Archived }
  | { readonly kind: 'restored'; readonly data: Restored };

/** What the store says of a segment by now. */
export interface StoredSegment extends Pick<Archived, 'segment' | 'day' | 'seal' | 'upTo'> {
  readonly isRestored: boolean;
}

const EVENTS_PER_READ = 500;

/** @returns undefined for every other event */
export function archiveEntryOf(event: Pick<AllEvent, 'streamId' | 'type' | 'data'>): ArchiveEntry | undefined {
  const { streamId, type } = event;
  if (streamId !== ARCHIVE_STREAM) return undefined;
  if (type === DayArchived.type) return { kind: 'archived', data: event.data as Archived };
  return type === ArchiveRestored.type ? { kind: 'restored', data: event.data as Restored } : undefined;
}

/** The segments of a store, by their numbers. Reads the stream of the events about archives. @throws what the client throws */
export async function readStoredSegments(client: EventStoreClient): Promise<Map<number, StoredSegment>> {
  const segments = new Map<number, StoredSegment>();
  for (let from = 0n; ; ) {
    const events = await readStreamOnce(client, ARCHIVE_STREAM, { fromRevision: from, maxCount: EVENTS_PER_READ });
    for (const event of events) {
      const entry = archiveEntryOf(event);
      if (entry?.kind === 'archived') {
        const { segment, day, seal, upTo } = entry.data;
        segments.set(segment, { segment, day, seal, upTo, isRestored: false });
      } else if (entry) {
        const restored = segments.get(entry.data.segment);
        if (restored) segments.set(restored.segment, { ...restored, isRestored: true });
      }
    }
    const last = events.at(-1);
    if (!last || events.length < EVENTS_PER_READ) return segments;
    from = last.revision + 1n;
  }
}
