import { GROUPINGS } from '../../../projections/figures.ts';
import type { RequestKind, RequestSource } from '../../../projections/requestLog.ts';
import { COLUMN_OF } from '../columns/fieldPairs.ts';
import type { ClientTable } from './clientTable.ts';
import type { Dictionary } from './dictionary.ts';
import type { FieldValues } from './pairTable.ts';

/** What the ids in columns of requests mean. */
export interface FieldDictionaries {
  readonly kinds: Dictionary<RequestKind>;
  readonly sources: Dictionary<RequestSource>;
  readonly clients: ClientTable;
}

/** Looks up fields by the ids of their columns. */
export function fieldValues({ kinds, sources, clients }: FieldDictionaries): FieldValues {
  const entryOf = {
    kindId: (id: number) => kinds.entryOf(id),
    sourceId: (id: number) => sources.entryOf(id),
    clientId: (id: number) => (id === 0 ? { client: null } : clients.at(id)),
  };
  return {
    valueOf: (field, id) =>
      (entryOf[COLUMN_OF[field]](id) as Readonly<Record<string, string | null>>)[GROUPINGS[field]] ?? null,
    failedKinds() {
      const failed = new Uint8Array(kinds.entries.length + 1);
      kinds.entries.forEach(({ status }, index) => {
        if (status !== '200') failed[index + 1] = 1;
      });
      return failed;
    },
  };
}
