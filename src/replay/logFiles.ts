import { readFileSync } from 'node:fs';
import type { Position } from '../domain/core/brands.ts';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import { type LogBreak, LogBroken } from '../eventLog/continuity.ts';
import { emptyFold, type Fold } from '../state/fold/fold.ts';
import { foldFile } from '../state/pages/foldFile.ts';
import { readSealedFold } from '../state/snapshots/sealedFold.ts';
import { readStateText } from '../state/snapshots/stateText.ts';

/** The files of a log that are read, each as SQLite opens it: a path, or a `file:` URI. */
export interface LogFiles {
  readonly location: string;
  /** `archive.sqlite`, if it is not beside the log. */
  readonly archive?: string | undefined;
  /** A file with the state before the first event, where the log does not begin at the beginning (`writeStateText`). */
  readonly begin?: string | undefined;
}

const MAX_NAMED_DAYS = 3;

/** A decision was taken from a state whose events are archived; the message says what to do. */
export class StateArchived extends Error {
  override readonly name = 'StateArchived';
  readonly code = 'STATE_ARCHIVED';
  /** @param days that have to be back, the earliest first */
  constructor(at: Position, sealedAt: Position, days: readonly { readonly day: string; readonly file: string }[]) {
    const named = days.slice(0, MAX_NAMED_DAYS).map(({ day, file }) => `${day} in ${file}`);
    const more = days.length > named.length ? ` and ${days.length - named.length} more days` : '';
    const files = named.join(', ') + more;
    super(
      `The state at position ${at} cannot be made again: requests up to position ${sealedAt} are archived (${files}). ` +
        `Put ${days.length === 1 ? 'the day' : 'these days'} back first: svc restore-archive ${days[0]?.day ?? 'DAY'}`,
    );
  }
}

/** The archived days that end behind a position. */
function daysBehind(archive: string, at: Position): { readonly day: string; readonly file: string }[] {
  const archived = ArchivedEvents.open(archive);
  try {
    return (archived?.segments() ?? [])
      .filter(({ status, header }) => status === 'archived' && header.upTo > at)
      .map(({ header }) => ({ day: header.day, file: header.file.name }));
  } finally {
    archived?.close();
  }
}

/** Where a fold of the log can begin: with nothing, or with the state at the end of the newest archived day. */
export const firstFoldOf = ({ location, archive, begin }: LogFiles): Fold =>
  begin === undefined
    ? (readSealedFold(location, archive)?.fold ?? emptyFold())
    : readStateText(readFileSync(begin, 'utf8'));

/**
 * Continues a fold of the log up to a position. A log whose start is refused because events are missing in it is read as it is:
 * what was decided then was decided from all events, so that a decision after the gap may repeat with another result.
 * @param onBroken called with the first event that does not continue the log before it
 * @throws StateArchived when it is beyond that, and as `foldFile` does
 */
export async function continueTo(
  fold: Fold,
  { location, archive }: LogFiles,
  upTo: Position,
  onBroken?: (found: LogBreak) => void,
): Promise<void> {
  if (upTo < fold.state.position) {
    throw new StateArchived(upTo, fold.state.position, daysBehind(archive ?? archivePathOf(location), upTo));
  }
  try {
    await foldFile(fold, location, upTo, undefined, archive);
  } catch (error) {
    // Thrown at the end of the fold, which has all events that there are.
    if (!(error instanceof LogBroken)) throw error;
    onBroken?.(error.found);
  }
}
