import type { DatabaseSync } from 'node:sqlite';
import { type ChainHead, emptyChain } from '../hashChain.ts';

const MAX_REMEMBERED = 10_000;

export interface StreamHeads {
  get(stream: string): ChainHead;
  set(stream: string, head: ChainHead): void;
  /** After a rolled back transaction: what was set within it never happened. */
  forget(): void;
}

/** Heads of streams, read from the file when first needed; those used last are remembered. */
export function streamHeads(database: DatabaseSync): StreamHeads {
  const select = database.prepare(
    "SELECT revision, metadata ->> '$.hash' AS hash FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1",
  );
  const remembered = new Map<string, ChainHead>();
  return {
    get: (stream) => remembered.get(stream) ?? (select.get(stream) as unknown as ChainHead | undefined) ?? emptyChain,
    set(stream, head) {
      remembered.delete(stream);
      remembered.set(stream, head);
      if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value as string);
    },
    forget: () => remembered.clear(),
  };
}
