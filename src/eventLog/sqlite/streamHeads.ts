import type { DatabaseSync } from 'node:sqlite';
import { ArchivedEvents } from '../archive/archivedEvents.ts';
import { type ChainHead, CONTINUED_HASH, emptyChain } from '../hashChain.ts';

const MAX_CACHED = 10_000;

export interface StreamHeads {
  get(stream: string): ChainHead;
  set(stream: string, head: ChainHead): void;
  /** Empties the cache, because a transaction was rolled back. */
  clear(): void;
}

/**
 * Creates a cache of the heads of streams. Reads a head from the file when first needed; keeps the last written ones.
 * @param archivePath the file that knows the ends of streams without rows
 */
export function createStreamHeads(database: DatabaseSync, archivePath?: string): StreamHeads {
  const select = database.prepare(
    `SELECT revision, ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1`,
  );
  const cache = new Map<string, ChainHead>();
  return {
    get: (stream) =>
      cache.get(stream) ??
      (select.get(stream) as unknown as ChainHead | undefined) ??
      (archivePath === undefined ? undefined : archivedHead(archivePath, stream)) ??
      emptyChain,
    set(stream, head) {
      cache.delete(stream);
      cache.set(stream, head);
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value as string);
    },
    clear: () => cache.clear(),
  };
}

/** Opened each time: a stream without rows is new, except when a clock went back to an archived day. */
function archivedHead(path: string, stream: string): ChainHead | undefined {
  const archived = ArchivedEvents.open(path);
  try {
    const head = archived?.headOf(stream);
    return head && { revision: head.revision, hash: head.hash ?? '' };
  } finally {
    archived?.close();
  }
}
