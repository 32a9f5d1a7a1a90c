import type { DatabaseSync } from 'node:sqlite';
import { type ChainHead, CONTINUED_HASH, emptyChain } from '../hashChain.ts';

const MAX_CACHED = 10_000;

export interface StreamHeads {
  get(stream: string): ChainHead;
  set(stream: string, head: ChainHead): void;
  /** Empties the cache, because a transaction was rolled back. */
  clear(): void;
}

/** Creates a cache of the heads of streams. Reads a head from the file when first needed; keeps the last written ones. */
export function createStreamHeads(database: DatabaseSync): StreamHeads {
  const select = database.prepare(
    `SELECT revision, ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1`,
  );
  const cache = new Map<string, ChainHead>();
  return {
    get: (stream) => cache.get(stream) ?? (select.get(stream) as unknown as ChainHead | undefined) ?? emptyChain,
    set(stream, head) {
      cache.delete(stream);
      cache.set(stream, head);
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value as string);
    },
    clear: () => cache.clear(),
  };
}
