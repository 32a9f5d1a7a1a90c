import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { FigureRow } from '../../../projections/figures.ts';
import type { FigureNumbers, RowIds } from './pendingFigures.ts';
import type { RequestTable } from './requestTable.ts';

const COLUMNS = [
  'requestedAt',
  'kindId',
  'sourceId',
  'clientId',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'reasoningTokens',
  'costMicroDollars',
  'latencyMs',
  'firstByteMs',
].join(', ');

type StoredRow = Omit<FigureNumbers, 'client'> & RowIds & { readonly clientId: number | null };

/**
 * Reads what figures need of rows of the request log.
 * @param sql `FROM` and `WHERE`
 * @param withClient false: each has no client, which is in a table of its own
 */
export function* figureRows(
  database: DatabaseSync,
  { kinds, sources, clients }: Pick<RequestTable, 'kinds' | 'sources' | 'clients'>,
  sql: string,
  values: readonly SQLInputValue[],
  withClient = true,
): Generator<FigureRow & RowIds> {
  const rows = database.prepare(`SELECT ${COLUMNS} ${sql}`).iterate(...values) as unknown as Iterable<StoredRow>;
  for (const row of rows) {
    const client = withClient && row.clientId !== null ? clients.at(row.clientId).client : null;
    yield { ...row, ...kinds.entryOf(row.kindId), ...sources.entryOf(row.sourceId), client };
  }
}
