import { expect, test } from 'vitest';
import { FIGURE_SUMS, figureOf } from '../../../projections/figures.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { FigureCounts } from '../figureCounts.ts';
import { GroupedRequests } from './groupedRequests.ts';
import { valuesOf } from './requestChunk.ts';

const GROUPS = 7;

test('sums and sketches of groups are those of adding their requests one by one', () => {
  const random = seededRandom(1);
  const below = (end: number) => Math.floor(random() * end);
  // The last group has no request, and the one before it no response.
  const requests = Array.from({ length: 5_000 }, () => {
    const group = below(GROUPS - 1);
    const latencyMs = below(4) === 0 ? 0 : below(10 ** below(9));
    return {
      group,
      kindId: 1 + below(2),
      outputTokens: below(3) * 100,
      latencyMs,
      firstByteMs: group === GROUPS - 2 || below(5) === 0 ? null : below(latencyMs + 1),
    };
  });
  const figures = requests.map(({ kindId, ...request }) =>
    figureOf({
      ...request,
      status: kindId === 1 ? '200' : 'error',
      inputTokens: 5,
      cachedInputTokens: 4,
      reasoningTokens: 3,
      costMicroDollars: 2,
    }),
  );
  const expected = Array.from({ length: GROUPS }, () => new FigureCounts());
  requests.forEach(({ group }, index) => {
    expected[group]?.addFigure(figures[index] as (typeof figures)[number]);
  });
  const columns: Record<string, readonly number[]> = {
    kindId: requests.map(({ kindId }) => kindId),
    latencyBin: figures.map(({ latencyBin }) => latencyBin),
    firstByteBin: figures.map(({ firstByteBin }) => (firstByteBin === null ? 0 : firstByteBin + 1)),
  };
  for (const name of FIGURE_SUMS) columns[name] ??= figures.map((figure) => figure[name]);
  const values = valuesOf((name) => Float64Array.from(columns[name] ?? []));
  const grouped = new GroupedRequests(values, Uint8Array.of(0, 0, 1));

  const counts = grouped.countsBy(
    Int32Array.from(requests, ({ group }) => group),
    GROUPS,
  );

  expect(counts.map(({ latency, firstByte, ...sums }) => ({ ...sums, latency, firstByte }))).toEqual(
    expected.map(({ sums, latency, firstByte }) => ({
      ...sums,
      latency: latency.encode(),
      firstByte: firstByte.encode(),
    })),
  );
});

test('counts are shared only by groupings that divide the requests alike', () => {
  const values = valuesOf((name) => Float64Array.of(...(name === 'inputTokens' ? [1, 2, 4] : [0, 0, 0])));
  const grouped = new GroupedRequests(values, Uint8Array.of(0));
  const inputTokensBy = (...groups: number[]) =>
    grouped.countsBy(Int32Array.from(groups), 2).map(({ inputTokens }) => inputTokens);

  expect(inputTokensBy(0, 0, 1)).toEqual([3, 4]);
  expect(inputTokensBy(0, 1, 1)).toEqual([1, 6]);
  expect(inputTokensBy(0, 0, 1)).toEqual([3, 4]);
  expect(grouped.countsBy(Int32Array.of(0, 0, 1), 2)).toBe(grouped.countsBy(Int32Array.of(0, 0, 1), 2));
});
