import type { Filter } from 'mongodb';
import {
  FIGURE_PERIODS,
  type Figure,
  type FigureFields,
  figureOf,
  GROUPINGS,
  type Grouping,
  OTHER,
  UNBOUNDED,
} from '../../../projections/figures.ts';
import type { Period } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { type Cut, splitAtCut } from '../cut.ts';
import {
  breakdownOf,
  GroupedCounts,
  type GroupKey,
  groupsOfSteps,
  MANY_STEPS,
  newSteps,
  REST,
  type StepCounts,
  stepOf,
} from '../figureCounts.ts';
import { denseStepsOf } from '../figureSteps.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import { MonthlyNames } from '../monthlyNames.ts';
import { type StepRun, stepIn, stepRuns } from '../stepRuns.ts';
import { atOnce } from '../turns.ts';
import { wantedGroups } from '../wantedGroups.ts';
import type { FigureDocument, RequestDocument, StoredFigures } from './documents.ts';
import { encodedCounts } from './figureDocuments.ts';
import { namesBetween } from './figureNames.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { isEmpty, rowFilters, select } from './requestSelection.ts';

const ROW_FIELDS = {
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

interface Range {
  readonly from: Instant;
  readonly to: Instant;
}

/** See `FiguresQueries.breakdown`. From sums, with rows as over SQLite. */
export async function breakdown(view: ReadView, request: BreakdownRequest, cut: Cut): Promise<Breakdown> {
  const { by, edges } = request;
  const wanted = wantedGroups(request);
  const range: Range = { from: edges[0] as Instant, to: edges.at(-1) as Instant };
  const steps = newSteps(edges);
  const addToStep = (key: GroupKey, figure: Figure, at: Instant): void => {
    const step = steps[stepOf(edges, at)] as StepCounts;
    step.of(key).add(figure);
    step.total.addFigure(figure);
  };
  const whole = new GroupedCounts();
  const result = () =>
    atOnce(breakdownOf(request, whole, atOnce(denseStepsOf(steps, groupsOfSteps(whole, request)).packed()), cut.asOf));
  if (wanted === 'rows') {
    const hasManySteps = steps.length > MANY_STEPS;
    await forEachRow(view, request, [range], cut, (key, figure, at) => {
      whole.of(key).addFigure(figure);
      if (!hasManySteps) addToStep(key, figure, at);
    });
    const shown = shownIn(whole, request);
    if (hasManySteps)
      await forEachRow(view, request, [range], cut, (key, figure, at) => addToStep(shown(key), figure, at));
    return result();
  }
  const ranges = splitAtCut(range.from, range.to, cut, FIGURE_PERIODS);
  const isWhole = (each: (typeof ranges)[number]): each is Range & { readonly period: Period } =>
    each.period !== undefined;
  await forEachGroup(view, by, ranges.filter(isWhole), wanted, (key, figures) =>
    whole.of(key).addEncoded(encodedCounts(figures)),
  );
  const rows = ranges.filter((each) => !isWhole(each));
  await forEachRow(view, request, rows, cut, (key, figure) => whole.of(key).addFigure(figure));

  const shown = shownIn(whole, request);
  const runs = stepRuns(edges, cut);
  const stepAt = ({ period, start }: Pick<FigureDocument, 'period' | 'start'>): StepCounts => {
    const run = runs.runs.find((each) => each.period === period && each.from <= start && start < each.to) as StepRun;
    return steps[stepIn(run, start)] as StepCounts;
  };
  await forEachGroup(view, by, runs.runs, wanted, (key, figures, of) => stepAt(of).of(shown(key)).add(figures));
  // All groups have the same total; statuses are the fewest.
  await forEachGroup(view, wanted ? by : 'status', runs.runs, wanted, (_, figures, of) =>
    stepAt(of).total.addEncoded(encodedCounts(figures)),
  );
  await forEachRow(view, request, runs.rows, cut, (key, figure, at) => addToStep(shown(key), figure, at));
  return result();
}

const shownIn = (whole: GroupedCounts, request: BreakdownRequest): ((key: GroupKey) => GroupKey) => {
  const shown = new Set(groupsOfSteps(whole, request));
  return (key) => (shown.has(key) ? key : REST);
};

/** Passes on the figures of a grouping in disjoint ranges. One query for all of them, as in `sumsWithin`. */
async function forEachGroup(
  { collections }: ReadView,
  by: Grouping,
  ranges: readonly (Range & { readonly period: Period })[],
  wanted: ReadonlySet<GroupKey> | undefined,
  add: (group: GroupKey, figures: StoredFigures, of: Pick<FigureDocument, 'period' | 'start'>) => void,
): Promise<void> {
  if (ranges.length === 0) return;
  const $or = ranges.map(({ period, from, to }) => ({ period, start: { $gte: from, $lt: to } }));
  const projection = { period: 1, start: 1, [by]: 1 };
  const found = collections.figures.find({ $or } as Filter<FigureDocument>, { ...READ_OPTIONS, projection });
  for await (const document of found)
    for (const figures of document[by]) if (wanted?.has(figures.group) ?? true) add(figures.group, figures, document);
}

/** Passes on the rows that the filter lets through in disjoint ranges, with the keys of their groups. */
async function forEachRow(
  view: ReadView,
  { by, filter }: BreakdownRequest,
  ranges: readonly Range[],
  cut: Cut,
  add: (key: GroupKey, figure: Figure, at: Instant) => void,
): Promise<void> {
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (!first || !last) return;
  const { source, ...matching } = await select(view, filter);
  if (isEmpty(matching)) return;
  const from = Math.min(...ranges.map((range) => range.from)) as Instant;
  const to = Math.max(...ranges.map((range) => range.to)) as Instant;
  const names = UNBOUNDED.has(by) ? await namesBetween(view.collections, from, to) : new MonthlyNames();
  const field = GROUPINGS[by];
  const beyond = by === 'model' ? 'modelBeyond' : by === 'effort' ? 'effortBeyond' : undefined;
  const conditions = ranges.flatMap((range) => rowFilters({ ...range, upTo: cut.asOf, ...matching, source }));
  const rows = view.collections.requests.find({ $or: conditions } as Filter<RequestDocument>, {
    ...READ_OPTIONS,
    hint: source?.hint ?? 'byTime',
    projection: { ...ROW_FIELDS, [field]: 1, ...(beyond && { [beyond]: 1 }) },
  });
  for await (const row of rows) {
    const isBeyond = beyond !== undefined && row[beyond] !== undefined;
    const name = isBeyond ? OTHER : ((row[field] as string | null | undefined) ?? null);
    add(names.keyFor(by, name, row.requestedAt), figureOf(row as unknown as FigureFields), row.requestedAt);
  }
}
