import type { Faults } from '../../../lib/faults.ts';

const ARCHIVED_ROWS = 'archived_rows_stay';

/** Names why rows of archived days stay in a mirror. @param failure undefined once they are removed */
export function reportArchivedRows(
  faults: Pick<Faults, 'raise' | 'clear'>,
  path: string,
  failure: string | undefined,
): void {
  if (failure === undefined) faults.clear(ARCHIVED_ROWS);
  else
    faults.raise({
      code: ARCHIVED_ROWS,
      cause: `The requests of archived days stay in ${path}: ${failure}.`,
      remedy: `Stop svc and delete ${path}: the next start copies it again from EventStoreDB.`,
    });
}
