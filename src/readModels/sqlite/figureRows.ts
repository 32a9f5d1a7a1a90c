import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { FigureRow } from '../../../projections/figures.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
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
  'position',
  'attempts',
].join(', ');

type StoredRow = readonly [
  requestedAt: Instant,
  kindId: number,
  sourceId: number,
  clientId: number | null,
  inputTokens: number | null,
  cachedInputTokens: number | null,
  outputTokens: number | null,
  reasoningTokens: number | null,
  costMicroDollars: number | null,
  latencyMs: number,
  firstByteMs: number | null,
  position: Position,
  attempts: number,
];

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
): Generator<FigureRow & FigureNumbers & RowIds> {
  const statement = database.prepare(`SELECT ${COLUMNS} ${sql}`);
  statement.setReturnArrays(true);
  for (const row of statement.iterate(...values) as unknown as Iterable<StoredRow>) {
    const [requestedAt, kindId, sourceId, clientId] = row;
    const { accountId, model, effort, status } = kinds.entryOf(kindId);
    const { apiKeyId, errorCode, owner, team, transport } = sources.entryOf(sourceId);
    // Each field by its name: copying objects takes longer than reading the row.
    yield {
      requestedAt,
      kindId,
      sourceId,
      clientId,
      accountId,
      model,
      effort,
      status,
      apiKeyId,
      errorCode,
      owner,
      team,
      transport,
      client: withClient && clientId !== null ? clients.at(clientId).client : null,
      inputTokens: row[4],
      cachedInputTokens: row[5],
      outputTokens: row[6],
      reasoningTokens: row[7],
      costMicroDollars: row[8],
      latencyMs: row[9],
      firstByteMs: row[10],
      position: row[11],
      attempts: row[12],
    };
  }
}
