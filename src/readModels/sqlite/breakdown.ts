import type { DatabaseSync } from 'node:sqlite';
import type { Figure } from '../../../projections/figures.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import type { Cut } from '../cut.ts';
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
import { type DenseSteps, denseStepsOf } from '../figureSteps.ts';
import type { Breakdown, BreakdownRequest } from '../figuresQueries.ts';
import { wantedGroups } from '../wantedGroups.ts';
import { type FigureTables, RowFigures } from './rowFigures.ts';
import { StoredFigures } from './storedFigures.ts';

interface Counted {
  readonly whole: GroupedCounts;
  readonly steps: DenseSteps;
}

/**
 * See `FiguresQueries.breakdown`. From sums, with the rows of parts of a quarter of an hour and around a cut; where a filter needs
 * rows, from these.
 */
export function breakdown(
  database: DatabaseSync,
  tables: FigureTables,
  request: BreakdownRequest,
  position: Position,
  cut: Cut | undefined,
): Breakdown {
  const wanted = wantedGroups(request);
  const rows = new RowFigures(database, tables, request.filter, cut);
  const { whole, steps } =
    wanted === 'rows'
      ? countRows(rows, request)
      : new StoredFigures(database, tables, request, wanted, cut).count(rows);
  return breakdownOf(request, whole, steps.packed(), cut?.asOf ?? position);
}

function countRows(rows: RowFigures, request: BreakdownRequest): Counted {
  const { edges, by } = request;
  const range = { from: edges[0] as Instant, to: edges.at(-1) as Instant };
  const whole = new GroupedCounts();
  const steps = newSteps(edges);
  const addToStep = (key: GroupKey, figure: Figure, at: Instant): void => {
    const step = steps[stepOf(edges, at)] as StepCounts;
    step.of(key).add(figure);
    step.total.addFigure(figure);
  };
  const hasManySteps = steps.length > MANY_STEPS;
  rows.forEach(by, range, (key, figure, at) => {
    whole.of(key).addFigure(figure);
    if (!hasManySteps) addToStep(key, figure, at);
  });
  if (hasManySteps) {
    const shown = new Set(groupsOfSteps(whole, request));
    rows.forEach(by, range, (key, figure, at) => addToStep(shown.has(key) ? key : REST, figure, at));
  }
  return { whole, steps: denseStepsOf(steps, groupsOfSteps(whole, request)) };
}
