import { isDamaged } from '../../../dataFolder/openDatabase.ts';
import type { Faults } from '../../../lib/faults.ts';

/** Why SQLite refused what was read from the store. */
export interface WriteFailure {
  readonly reason: string;
  /** The primary result code (sqlite.org/rescode.html). */
  readonly result: number;
  /** Default: by the result code. */
  readonly remedy?: string;
}

const NOT_WRITTEN = 'mirror_not_written';
const FULL = 13;

/** Names why the mirror cannot be written. @param failure undefined once it is written again */
export function reportNotWritten(
  faults: Pick<Faults, 'raise' | 'clear'>,
  path: string,
  failure: WriteFailure | undefined,
): void {
  if (failure === undefined) {
    faults.clear(NOT_WRITTEN, path, `${path} is written again.`);
    return;
  }
  faults.raise({
    code: NOT_WRITTEN,
    subject: path,
    cause: `${path}, the copy of the log that is in EventStoreDB, cannot be written: ${failure.reason}. This node sees no new events: changes get 503; requests continue, and their events go to EventStoreDB.`,
    remedy: failure.remedy ?? remedyFor(path, failure.result),
  });
}

function remedyFor(path: string, result: number): string {
  if (result === FULL) return 'Make room on its disk; this node goes on by itself.';
  if (isDamaged({ errcode: result }))
    return `Stop svc and delete ${path}: the next start copies it again from EventStoreDB.`;
  return 'Check the disk and the permissions of the data folder; this node goes on by itself once it can write.';
}
