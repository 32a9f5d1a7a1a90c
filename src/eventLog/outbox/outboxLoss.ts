import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { readMarkFile } from '../../dataFolder/markFile.ts';
import { openForReading } from '../sqlite/database.ts';
import { EMPTY_LOG, readLogEnd, readLogEndAt } from '../sqlite/logEnd.ts';
import type { LogLoss } from '../sqlite/logLoss.ts';
import { type PrunedLogMark, readStreamEnds } from '../sqlite/logMark.ts';
import { readParkedRevisions } from '../sqlite/park.ts';

export interface OutboxLossOptions {
  /** The file of the outbox. */
  readonly path: string;
  readonly markPath: string;
  /** The last revision of a stream in the history; -1 if it has none. */
  readonly lastInHistory: (stream: string) => number;
}

/** What an outbox lacks, and how much of it. */
export interface OutboxLoss extends LogLoss {
  /** The streams that lack events, with the first and the last revision that is missing. */
  readonly streams: readonly { readonly stream: string; readonly from: number; readonly to: number }[];
}

/**
 * Compares the outbox with its mark: an event that was accepted must be in the file or in the history.
 * @returns undefined when nothing is missing
 * @throws the error of SQLite for a file that is no database
 */
export function findOutboxLoss({ path, markPath, lastInHistory }: OutboxLossOptions): OutboxLoss | undefined {
  const content = readMarkFile<PrunedLogMark>(markPath);
  if (content.kind !== 'mark') return undefined;
  const { mark } = content;
  const file = readOutboxFile(path, mark);
  const streams = Object.entries(mark.streams).flatMap(([stream, to]) => {
    const last = Math.max(file.last.get(stream) ?? -1, lastInHistory(stream));
    return last < to ? [{ stream, from: last + 1, to }] : [];
  });
  if (streams.length === 0 && !file.isOther) return undefined;
  const lost = file.isOther ? undefined : streams.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const { position, hash, time } = mark;
  return { known: { position, hash, time, source: 'outbox.mark' }, found: file.end, lost, streams };
}

function readOutboxFile(path: string, { position, hash }: PrunedLogMark) {
  const nothing = { end: EMPTY_LOG, last: new Map<string, number>(), isOther: false };
  if (!existsSync(path)) return nothing;
  const database = openForReading(path);
  try {
    if (!hasTable(database, 'events')) return nothing;
    const last = new Map(readStreamEnds(database).map(({ stream, revision }) => [stream, revision]));
    // Events that the store will never take are kept aside.
    for (const { stream, revision } of readParkedRevisions(database)) {
      last.set(stream, Math.max(revision, last.get(stream) ?? -1));
    }
    const known = readLogEndAt(database, position);
    const isOther = known !== undefined && hash !== null && known.hash !== hash;
    return { end: readLogEnd(database), last, isOther };
  } finally {
    database.close();
  }
}

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
