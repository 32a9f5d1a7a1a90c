import { binOf } from '../src/domain/figures/quantileSketch.ts';
import type { Period } from './periods.ts';
import type { RequestLogRow } from './requestLog.ts';

// Figures are what the request log has, counted: sums and quantile sketches of its rows by quarter of an hour, for each grouping.
// Stores make them of the rows, so they have no events of their own.

/** What figures can be grouped by, with the field of a request. */
export const GROUPINGS = {
  key: 'apiKeyId',
  owner: 'owner',
  team: 'team',
  account: 'accountId',
  model: 'model',
  effort: 'effort',
  status: 'status',
  error: 'errorCode',
  client: 'client',
  transport: 'transport',
} as const satisfies Readonly<Record<string, keyof RequestLogRow>>;
export type Grouping = keyof typeof GROUPINGS;
export const groupings = Object.keys(GROUPINGS) as Grouping[];

/** Groupings by what clients and providers choose freely: stores keep a bounded number of their groups. */
export const UNBOUNDED: ReadonlySet<Grouping> = new Set(['model', 'effort', 'error', 'client']);

/** Names of such a grouping that have groups of their own in a month; all later ones share one. */
export const MAX_NAMES = 1_000;

/** The group of all requests whose own group is beyond a bound. */
export const OTHER = 'other';

export const FIGURE_SUMS = [
  'requests',
  /** Requests whose status is not `200`. */
  'errors',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'reasoningTokens',
  'costMicroDollars',
  /** Output tokens of responses, and the time from the first byte to the end of these. */
  'generatedTokens',
  'generatingMs',
] as const;
export type FigureSums = Readonly<Record<(typeof FIGURE_SUMS)[number], number>>;

/** What one request adds: sums, and the bins of its latency and of its time to the first byte. */
export interface Figure extends FigureSums {
  readonly latencyBin: number;
  /** Null when there was no response. */
  readonly firstByteBin: number | null;
}

/** The fields of a request that its figure is made of. */
export type FigureFields = Pick<
  RequestLogRow,
  | 'status'
  | 'inputTokens'
  | 'cachedInputTokens'
  | 'outputTokens'
  | 'reasoningTokens'
  | 'costMicroDollars'
  | 'latencyMs'
  | 'firstByteMs'
>;

/** The fields of a request that its groups and its figure are made of. */
export type FigureRow = FigureFields & Pick<RequestLogRow, 'requestedAt' | (typeof GROUPINGS)[Grouping]>;

export function figureOf(row: FigureFields): Figure {
  const outputTokens = row.outputTokens ?? 0;
  const generatingMs = row.firstByteMs === null || outputTokens === 0 ? 0 : row.latencyMs - row.firstByteMs;
  return {
    requests: 1,
    errors: row.status === '200' ? 0 : 1,
    inputTokens: row.inputTokens ?? 0,
    cachedInputTokens: row.cachedInputTokens ?? 0,
    outputTokens,
    reasoningTokens: row.reasoningTokens ?? 0,
    costMicroDollars: row.costMicroDollars ?? 0,
    generatedTokens: generatingMs > 0 ? outputTokens : 0,
    generatingMs: Math.max(0, generatingMs),
    latencyBin: binOf(row.latencyMs),
    firstByteBin: row.firstByteMs === null ? null : binOf(row.firstByteMs),
  };
}

/** Time zones differ from UTC by whole quarters of an hour, so that days and hours of all of them consist of these. */
export const FIGURE_PERIODS = ['quarter', 'hour', 'day', 'month'] as const satisfies readonly Period[];

/** The name of each bin in the sums of an archived segment: `latency17`, `firstByte3`. */
export const archivedFigureOf = ({ latencyBin, firstByteBin, ...sums }: Figure): Readonly<Record<string, number>> => ({
  ...sums,
  [`latency${latencyBin}`]: 1,
  ...(firstByteBin !== null && { [`firstByte${firstByteBin}`]: 1 }),
});
