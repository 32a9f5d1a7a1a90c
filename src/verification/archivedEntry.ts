import type { ArchivedEntry, ArchivedHead } from '../eventLog/archive/archivedEvents.ts';
import type { FollowedArchive } from '../eventLog/archive/followedArchive.ts';
import { InvalidLeafEntry, type LeafEntry, parseLeafEntry } from '../integrity/leaf/leafEntry.ts';
import { isRequestEnd } from './requestFacts.ts';
import type { Occurrence } from './scanProtocol.ts';

/** What is left of an archived event in the scanned order: its leaf entry. */
export interface ArchivedLeaf {
  readonly position: number;
  readonly text: string;
  /** Undefined for a line that svc did not write. */
  readonly entry: LeafEntry | undefined;
}

export function readArchived({ position, entry: text }: ArchivedEntry): ArchivedLeaf {
  try {
    return { position, text, entry: parseLeafEntry(text) };
  } catch (error) {
    if (error instanceof InvalidLeafEntry) return { position, text, entry: undefined };
    throw error;
  }
}

/** What may occur only once in a log, of an archived event. Of most, the content is not known. */
export function archivedIdentities({ entry }: ArchivedLeaf): [Occurrence['of'], string][] {
  if (!entry) return [];
  const { id, stream, type, correlationId } = entry;
  const found: [Occurrence['of'], string][] = [];
  if (typeof id === 'string') found.push(['id', id]);
  const isEnd = typeof stream === 'string' && stream.startsWith('requests-') && isRequestEnd(String(type));
  // The correlation id of a request's events is its request id.
  if (isEnd && typeof correlationId === 'string') found.push(['end', correlationId]);
  return found;
}

/** Knows the hashes that the next events of streams name, whose last events are archived. */
export class ArchivedHashes {
  readonly #archive: FollowedArchive;
  readonly #heads = new Map<string, ArchivedHead | undefined>();

  constructor(archive: FollowedArchive) {
    this.#archive = archive;
  }

  /** @returns undefined where another archived event of the stream follows */
  hashOf({ entry }: ArchivedLeaf): string | undefined {
    if (typeof entry?.stream !== 'string') return undefined;
    const { stream } = entry;
    if (!this.#heads.has(stream))
      this.#heads.set(
        stream,
        this.#archive.read((archived) => archived?.headOf(stream)),
      );
    const head = this.#heads.get(entry.stream);
    return head?.revision === entry.revision ? (head.hash ?? undefined) : undefined;
  }
}
