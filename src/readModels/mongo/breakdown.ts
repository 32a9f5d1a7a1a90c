import type { Filter } from 'mongodb';
import { type FigureFields, figureOf, GROUPINGS } from '../../../projections/figures.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { Cut } from '../cut.ts';
import { breakdownOf, FigureCounts, GroupedCounts, keyOf, type StepCounts, stepOf } from '../figureCounts.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import type { RequestDocument } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { isEmpty, rowFilters, selectMatches, selectSource } from './requestSelection.ts';

const PROJECTION = {
  _id: 0,
  requestedAt: 1,
  status: 1,
  inputTokens: 1,
  cachedInputTokens: 1,
  outputTokens: 1,
  reasoningTokens: 1,
  costMicroDollars: 1,
  latencyMs: 1,
  firstByteMs: 1,
};

/** See `FiguresQueries.breakdown`. From the rows of the range: the store keeps no figures. */
export async function breakdown(view: ReadView, request: BreakdownRequest, cut: Cut | undefined): Promise<Breakdown> {
  const { edges, by, filter } = request;
  const whole = new GroupedCounts();
  const steps = edges.slice(1).map((): StepCounts => ({ groups: new GroupedCounts(), total: new FigureCounts() }));
  const reached = cut?.asOf ?? view.position;
  const matching = await selectMatches(view, filter);
  if (isEmpty(matching)) return breakdownOf(request, whole, steps, reached);
  const source = selectSource(filter);
  const range = { from: edges[0] as Instant, to: edges.at(-1) as Instant, upTo: reached };
  const conditions: Filter<RequestDocument> = { $or: rowFilters({ ...range, ...matching, source }) };
  const field = GROUPINGS[by];
  const rows = view.collections.requests.find(conditions, {
    ...READ_OPTIONS,
    hint: source?.hint ?? 'byTime',
    projection: { ...PROJECTION, [field]: 1 },
  });
  for await (const row of rows) {
    const figure = figureOf(row as unknown as FigureFields);
    const key = keyOf((row[field] as string | null | undefined) ?? null);
    const step = steps[stepOf(edges, row.requestedAt)] as StepCounts;
    for (const counts of [whole.of(key), step.groups.of(key), step.total]) counts.addFigure(figure);
  }
  return breakdownOf(request, whole, steps, reached);
}
