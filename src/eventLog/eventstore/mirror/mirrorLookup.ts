import { type Position, position } from '../../../domain/core/brands.ts';
import { archivedIdsOf } from '../../archive/archivedIds.ts';
import { archivePathOf } from '../../archive/archiveFile.ts';
import { withArchive } from '../../archive/withArchive.ts';
import type { LogBreak } from '../../continuity.ts';
import { type ChainHead, CONTINUED_HASH, emptyChain } from '../../hashChain.ts';
import { openForReading } from '../../sqlite/database.ts';
import { readBreaks } from './mirrorBreaks.ts';
import { readKnownStore } from './readKnownStore.ts';
import type { KnownStore } from './resumePoint.ts';
import { type RulesOfStream, readRules } from './streamRules.ts';

export interface StoredId {
  readonly id: string;
  readonly position: Position;
}

/** Queries over the mirrored history that appends need. */
export interface MirrorLookup {
  headOf(stream: string): ChainHead;
  /** Up to `maxCount` events of a stream after a revision, in order. */
  eventsAfter(stream: string, revision: number, maxCount: number): StoredId[];
  /** Whether any of these ids is used by an event. */
  hasAnyOf(ids: readonly string[]): boolean;
  /** How many of these consecutive events of a stream the history has, counted from the first; archived ones too. */
  countWritten(stream: string, ids: readonly string[]): number;
  /** Events that do not continue the log before them, and that no operator has accepted. */
  breaks(): LogBreak[];
  vaultStreams(): string[];
  knownStore(): KnownStore;
  /** Streams whose events the store hides or will remove. */
  streamRules(): RulesOfStream[];
  close(): void;
}

/** Opens a read-only connection to a mirror file, which must exist. */
export function openMirrorLookup(path: string): MirrorLookup {
  const database = openForReading(path);
  const head = database.prepare(
    `SELECT revision, ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1`,
  );
  const after = database.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
  );
  const byId = database.prepare('SELECT 1 FROM events WHERE id = ?');
  const archivedHead = (stream: string) =>
    stream.startsWith('requests-')
      ? withArchive(archivePathOf(path), (archived) => archived.headOf(stream))
      : undefined;
  return {
    headOf(stream) {
      const row = (head.get(stream) ?? archivedHead(stream)) as { revision: number; hash: string | null } | undefined;
      // An event that svc did not write has no hash, so events after it cannot be verified.
      return row ? { revision: row.revision, hash: row.hash ?? emptyChain.hash } : emptyChain;
    },
    eventsAfter: (stream, revision, maxCount) =>
      (after.all(stream, revision, maxCount) as { id: string; position: number }[]).map((row) => ({
        id: row.id,
        position: position(row.position),
      })),
    hasAnyOf: (ids) => ids.some((id) => byId.get(id) !== undefined),
    countWritten(stream, ids) {
      let archived: ReadonlySet<string> | undefined;
      const has = (id: string) => {
        if (byId.get(id) !== undefined) return true;
        if (!stream.startsWith('requests-')) return false;
        archived ??= new Set(archivedIdsOf(archivePathOf(path), stream).values());
        return archived.has(id);
      };
      const missing = ids.findIndex((id) => !has(id));
      return missing === -1 ? ids.length : missing;
    },
    breaks: () => readBreaks(database),
    vaultStreams: () =>
      (database.prepare('SELECT stream FROM vaultStreams').all() as { stream: string }[]).map(({ stream }) => stream),
    knownStore: () => readKnownStore(database),
    streamRules: () => readRules(database),
    close: () => database.close(),
  };
}
