import type { DatabaseSync } from 'node:sqlite';
import {
  CHECKPOINT_PREFIX,
  isNodeLease,
  LEASE_PREFIX,
  MAX_CHECKPOINT_NOTES,
  SEGMENT_PREFIX,
  VAULT_PREFIX,
} from '../../sideStreams.ts';

/** What makes EventStoreDB hide events of a stream, and remove them at a scavenge. svc sets none of it. */
export interface StreamRules {
  readonly isTombstoned?: boolean;
  readonly isSoftDeleted?: boolean;
  /** Events before this revision are hidden. */
  readonly truncateBefore?: number;
  /** Only so many of the last events are shown. */
  readonly maxCount?: number;
  /** Events are shown for so many seconds. */
  readonly maxAge?: number;
}

/** The rules of a stream; none once they were removed. */
export interface RulesOfStream {
  readonly stream: string;
  readonly rules: StreamRules;
}

/** Kept in the mirror, because a mirror that resumes does not read the events before it again. */
export const STREAM_RULES_TABLE = `
  CREATE TABLE IF NOT EXISTS streamRules (stream TEXT PRIMARY KEY, rules TEXT NOT NULL) STRICT;
`;

const METADATA_STREAM = '$$';
const METADATA = '$metadata';
const STREAM_DELETED = '$streamDeleted';
/** `$tb` of a soft-deleted stream is the largest 64-bit integer. */
const isBeyondAll = (revision: number): boolean => revision > Number.MAX_SAFE_INTEGER;

interface SystemEvent {
  readonly streamId: string;
  readonly type: string;
  readonly data: unknown;
}

/**
 * The rules that an event of `$all` sets; undefined for every other event, and where svc sets them itself.
 * `HiddenLeases` leaves out those that do a lease no harm.
 */
export function rulesIn(event: SystemEvent): RulesOfStream | undefined {
  const { streamId, type } = event;
  const isMetadata = type === METADATA && streamId.startsWith(METADATA_STREAM);
  const stream = isMetadata ? streamId.slice(METADATA_STREAM.length) : streamId;
  if (stream.startsWith('$')) return undefined;
  // A vault stream is tombstoned to destroy its key, the lease of a node to forget one that is gone.
  if (type === STREAM_DELETED && !stream.startsWith(VAULT_PREFIX) && !isNodeLease(stream))
    return { stream, rules: { isTombstoned: true } };
  if (!isMetadata) return undefined;
  const { maxCount, ...rules } = rulesOf((event.data ?? {}) as Record<string, unknown>);
  // Only the last entry counts. svc bounds their number, and after a deletion the next entry begins the stream again.
  if (stream.startsWith(LEASE_PREFIX)) return { stream, rules };
  // svc truncates what an interrupted write has left in the stream of a segment.
  if (stream.startsWith(SEGMENT_PREFIX) && rules.truncateBefore !== undefined) return undefined;
  // svc bounds the stream of checkpoints itself.
  const isOwnBound = stream.startsWith(CHECKPOINT_PREFIX) && maxCount === MAX_CHECKPOINT_NOTES;
  return { stream, rules: maxCount === undefined || isOwnBound ? rules : { ...rules, maxCount } };
}

function rulesOf({ $tb, $maxCount, $maxAge }: Record<string, unknown>): StreamRules {
  return {
    ...(typeof $tb === 'number' && $tb > 0 && (isBeyondAll($tb) ? { isSoftDeleted: true } : { truncateBefore: $tb })),
    ...(typeof $maxCount === 'number' && { maxCount: $maxCount }),
    ...(typeof $maxAge === 'number' && { maxAge: $maxAge }),
  };
}

export function writeRules(database: DatabaseSync, { stream, rules }: RulesOfStream): void {
  if (Object.keys(rules).length === 0) database.prepare('DELETE FROM streamRules WHERE stream = ?').run(stream);
  else
    database
      .prepare('INSERT OR REPLACE INTO streamRules (stream, rules) VALUES (?, ?)')
      .run(stream, JSON.stringify(rules));
}

export const readRules = (database: DatabaseSync): RulesOfStream[] =>
  (database.prepare('SELECT stream, rules FROM streamRules').all() as { stream: string; rules: string }[]).map(
    ({ stream, rules }) => ({ stream, rules: JSON.parse(rules) as StreamRules }),
  );
