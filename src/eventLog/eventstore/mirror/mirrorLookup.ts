import { type Position, position } from '../../../domain/core/brands.ts';
import { type ChainHead, emptyChain } from '../../hashChain.ts';
import { openForReading } from '../../sqlite/database.ts';

export interface Placed {
  readonly id: string;
  readonly position: Position;
}

/** What a writer has to know of the history, as far as it is mirrored. */
export interface MirrorLookup {
  headOf(stream: string): ChainHead;
  /** At most so many events of a stream behind a revision, in order. */
  eventsAfter(stream: string, revision: number, most: number): Placed[];
  /** Whether any of these ids stands anywhere. */
  hasAnyOf(ids: readonly string[]): boolean;
  vaultStreams(): string[];
  close(): void;
}

export function openMirrorLookup(path: string): MirrorLookup {
  const database = openForReading(path);
  const head = database.prepare(
    "SELECT revision, metadata ->> '$.hash' AS hash FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1",
  );
  const behind = database.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
  );
  const byId = database.prepare('SELECT 1 FROM events WHERE id = ?');
  return {
    headOf(stream) {
      const found = head.get(stream) as { revision: number; hash: string | null } | undefined;
      // An event that is not of our making carries no hash; what comes behind it cannot be proved.
      return found ? { revision: found.revision, hash: found.hash ?? emptyChain.hash } : emptyChain;
    },
    eventsAfter: (stream, revision, most) =>
      (behind.all(stream, revision, most) as { id: string; position: number }[]).map((row) => ({
        id: row.id,
        position: position(row.position),
      })),
    hasAnyOf: (ids) => ids.some((id) => byId.get(id) !== undefined),
    vaultStreams: () =>
      (database.prepare('SELECT stream FROM vaultStreams').all() as { stream: string }[]).map(({ stream }) => stream),
    close: () => database.close(),
  };
}
