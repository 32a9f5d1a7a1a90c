import type { Position } from '../domain/core/brands.ts';
import { emptyFold, type Fold } from '../state/fold/fold.ts';
import { foldFile } from '../state/pages/foldFile.ts';
import { readSealedFold } from '../state/snapshots/sealedFold.ts';

/** The files of a log that are read, each as SQLite opens it: a path, or a `file:` URI. */
export interface LogFiles {
  readonly location: string;
  /** `archive.sqlite`, if it is not beside the log. */
  readonly archive?: string | undefined;
}

/** A decision was taken from a state whose events are archived; the message says what to do. */
export class StateArchived extends Error {
  override readonly name = 'StateArchived';
  readonly code = 'STATE_ARCHIVED';
  constructor(at: Position, sealedAt: Position) {
    super(
      `The state at position ${at} cannot be made again: requests up to position ${sealedAt} are archived. ` +
        'Bring the day back with "svc restore-archive" first.',
    );
  }
}

/** Where a fold of the log can begin: with nothing, or with the state at the end of the newest archived day. */
export const firstFoldOf = ({ location, archive }: LogFiles): Fold =>
  readSealedFold(location, archive)?.fold ?? emptyFold();

/** Continues a fold of the log up to a position. @throws StateArchived when it is beyond that, and as `foldFile` does */
export async function continueTo(fold: Fold, { location, archive }: LogFiles, upTo: Position): Promise<void> {
  if (upTo < fold.state.position) throw new StateArchived(upTo, fold.state.position);
  await foldFile(fold, location, upTo, undefined, archive);
}
