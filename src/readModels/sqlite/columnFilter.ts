import type { DatabaseSync } from 'node:sqlite';
import { GROUPINGS, type Grouping } from '../../../projections/figures.ts';
import { indexOf } from '../columns/chunkRanges.ts';
import type { ChunkFilter, ColumnCondition, RowCondition } from '../columns/chunkSelection.ts';
import { COLUMN_OF, LIST_OF } from '../columns/fieldPairs.ts';
import { kindPredicate } from '../requestFilter.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { sourcePredicate } from '../sourceFilter.ts';
import type { AttemptList } from './attemptList.ts';
import type { RequestTable } from './requestTable.ts';

/** What a filter needs beside columns: the tables of the request log, and the last position of a request. */
interface Sources {
  readonly database: DatabaseSync;
  readonly requests: RequestTable;
  readonly upTo: number;
}

/**
 * The conditions of a filter on columns.
 * @returns undefined when columns do not have what the filter asks for: then rows do, or indexes find the few that match
 */
export function columnFilter(filter: RequestLogFilter, { database, requests, upTo }: Sources): ChunkFilter | undefined {
  if (filter.conversations || requests.hasBeyond(filter)) return undefined;
  const conditions: ColumnCondition[] = [];
  const rowConditions: RowCondition[] = [upToPosition(upTo)];
  const kinds = kindPredicate(filter);
  if (kinds && !kinds.attempted)
    conditions.push({ column: 'kindId', wanted: wantedIds(requests.kinds.entries, kinds.matches) });
  const isSource = sourcePredicate(filter);
  if (isSource) conditions.push({ column: 'sourceId', wanted: wantedIds(requests.sources.entries, isSource) });
  if (filter.clients || filter.addressDigests)
    conditions.push({ column: 'clientId', wanted: wantedClients(database, filter) });
  if (kinds?.attempted) {
    const { accountIds, matches } = kinds.attempted;
    const own = wantedIds(requests.kinds.entries, kinds.matches);
    const others = wantedIds(requests.kinds.entries, matches);
    rowConditions.push(attempted(own, others, requests.otherAttempts.ofAny(accountIds)));
  }
  return { conditions, rowConditions };
}

/** The ids of a field's column that a filter on this field lets through, by its list alone; undefined: all. */
export function wantedBytes(
  field: Grouping,
  filter: RequestLogFilter,
  database: DatabaseSync,
  { kinds, sources }: RequestTable,
): Uint8Array | undefined {
  const list = filter[LIST_OF[field]];
  if (!list) return undefined;
  const column = COLUMN_OF[field];
  if (column === 'clientId') return wantedClients(database, { clients: list });
  const values = new Set(list);
  const entries: readonly object[] = { kindId: kinds.entries, sourceId: sources.entries }[column];
  return wantedIds(entries, (entry) => values.has((entry as Record<string, string | null>)[GROUPINGS[field]] ?? null));
}

/** For each id of a dictionary 1 if its entry matches; ids begin with 1. */
function wantedIds<Entry>(entries: readonly Entry[], matches: (entry: Entry) => boolean): Uint8Array {
  const wanted = new Uint8Array(entries.length + 1);
  for (let index = 0; index < entries.length; index++) if (matches(entries[index] as Entry)) wanted[index + 1] = 1;
  return wanted;
}

function wantedClients(database: DatabaseSync, { clients, addressDigests }: RequestLogFilter): Uint8Array {
  const last = database.prepare('SELECT MAX(id) AS id FROM requestClients').get()?.id as number | null;
  const wanted = new Uint8Array((last ?? 0) + 1);
  const isNullWanted = clients?.includes(null) ?? false;
  const conditions = [
    ...(clients ? [`(client IN (SELECT value FROM json_each(?)) ${isNullWanted ? 'OR client IS NULL' : ''})`] : []),
    ...(addressDigests ? ['addressDigest IN (SELECT value FROM json_each(?))'] : []),
  ];
  const lists = [clients?.filter((client) => client !== null), addressDigests].filter((list) => list !== undefined);
  const select = database.prepare(`SELECT id FROM requestClients WHERE ${conditions.join(' AND ')}`);
  select.setReturnArrays(true);
  const found = select.iterate(...lists.map((list) => JSON.stringify(list)));
  for (const [id] of found as unknown as Iterable<readonly [number]>) wanted[id] = 1;
  // Requests of which nothing is known have neither a name nor an address.
  if (isNullWanted && !addressDigests) wanted[0] = 1;
  return wanted;
}

const upToPosition =
  (upTo: number): RowCondition =>
  ({ chunk }) => {
    if (chunk.lastPosition <= upTo) return undefined;
    const positions = chunk.column('position');
    return (rows, count) => {
      let length = 0;
      for (let each = 0; each < count; each++) {
        const row = rows[each] as number;
        if (chunk.firstPosition + (positions[row] as number) <= upTo) rows[length++] = row;
      }
      return length;
    };
  };

/** Requests of some kinds, and of others those that tried one of the wanted accounts before their own. */
function attempted(own: Uint8Array, others: Uint8Array, { times, positions }: AttemptList): RowCondition {
  let tried = new Uint8Array(0);
  return ({ chunk }) => {
    const { firstPosition, lastPosition, earliest, latest } = chunk;
    const span = lastPosition - firstPosition + 1;
    if (tried.length < span) tried = new Uint8Array(span);
    else tried.fill(0, 0, span);
    const end = indexOf(times, latest + 1, 0);
    for (let index = indexOf(times, earliest, 0); index < end; index++) {
      const place = (positions[index] as number) - firstPosition;
      if (place >= 0 && place < span) tried[place] = 1;
    }
    const [kinds, places] = [chunk.column('kindId'), chunk.column('position')];
    return (rows, count) => {
      let length = 0;
      for (let each = 0; each < count; each++) {
        const row = rows[each] as number;
        const kind = kinds[row] as number;
        rows[length] = row;
        length += ((own[kind] as number) | ((others[kind] as number) & (tried[places[row] as number] as number))) & 1;
      }
      return length;
    };
  };
}
