import { FIGURE_SUMS } from '../../../projections/figures.ts';
import { SUMS } from '../packedDay.ts';
import type { RequestChunk } from './requestChunk.ts';

const at = (name: (typeof FIGURE_SUMS)[number]): number => FIGURE_SUMS.indexOf(name);
const [REQUESTS, ERRORS, INPUT, CACHED] = [at('requests'), at('errors'), at('inputTokens'), at('cachedInputTokens')];
const [OUTPUT, REASONING, COST] = [at('outputTokens'), at('reasoningTokens'), at('costMicroDollars')];
const [GENERATED, GENERATING] = [at('generatedTokens'), at('generatingMs')];

/** Requests of a chunk, each with the number of its group. */
export interface SelectedRequests {
  /** Their indexes in the chunk; undefined: all of them. */
  readonly rows?: Int32Array;
  readonly groups: Int32Array;
  readonly length: number;
}

/**
 * Adds requests to the sums of their groups, in the order of `FIGURE_SUMS`. All in one loop, as what it costs is to find where a
 * request's numbers are and belong.
 * @param failedKinds for each kind of request 1 if it failed
 * @param stride numbers from one group to the next
 * @param first where the sums of the first group begin
 */
export function addRequests(
  chunk: Pick<RequestChunk, 'column'>,
  { rows, groups, length }: SelectedRequests,
  failedKinds: Uint8Array,
  sums: Float64Array,
  stride: number = SUMS,
  first = 0,
): void {
  const kinds = chunk.column('kindId');
  const [input, cached] = [chunk.column('inputTokens'), chunk.column('cachedInputTokens')];
  const [output, reasoning] = [chunk.column('outputTokens'), chunk.column('reasoningTokens')];
  const [cost, generating] = [chunk.column('costMicroDollars'), chunk.column('generatingMs')];
  for (let each = 0; each < length; each++) {
    const row = rows ? (rows[each] as number) : each;
    const into = (groups[each] as number) * stride + first;
    const outputTokens = output[row] as number;
    const generatingMs = generating[row] as number;
    sums[into + REQUESTS] = (sums[into + REQUESTS] as number) + 1;
    sums[into + ERRORS] = (sums[into + ERRORS] as number) + (failedKinds[kinds[row] as number] as number);
    sums[into + INPUT] = (sums[into + INPUT] as number) + (input[row] as number);
    sums[into + CACHED] = (sums[into + CACHED] as number) + (cached[row] as number);
    sums[into + OUTPUT] = (sums[into + OUTPUT] as number) + outputTokens;
    sums[into + REASONING] = (sums[into + REASONING] as number) + (reasoning[row] as number);
    sums[into + COST] = (sums[into + COST] as number) + (cost[row] as number);
    if (generatingMs === 0) continue;
    sums[into + GENERATED] = (sums[into + GENERATED] as number) + outputTokens;
    sums[into + GENERATING] = (sums[into + GENERATING] as number) + generatingMs;
  }
}
