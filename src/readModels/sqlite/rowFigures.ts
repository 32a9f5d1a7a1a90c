import type { DatabaseSync } from 'node:sqlite';
import { type Figure, figureOf, GROUPINGS, type Grouping } from '../../../projections/figures.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { type Cut, lastPositionOf } from '../cut.ts';
import {
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
import type { BreakdownRequest } from '../figuresQueries.ts';
import { forEachInTurns, type Turns } from '../turns.ts';
import { figureRows } from './figureRows.ts';
import { type RequestSelection, selectionOf } from './requestSelection.ts';
import { rowsOf } from './sourceScan.ts';
import type { Tables } from './tables.ts';

/** The tables that figures are read from. */
export type FigureTables = Pick<Tables, 'requests' | 'figures'>;

/** What a row adds. */
export interface RowFigure {
  readonly key: GroupKey;
  readonly figure: Figure;
  readonly at: Instant;
}

/** The sums and sketches of a breakdown. */
export interface Counted {
  readonly whole: GroupedCounts;
  readonly steps: DenseSteps;
}

/** The rows that a filter lets through. */
export class RowFigures {
  readonly #database: DatabaseSync;
  readonly #tables: FigureTables;
  readonly #selection: RequestSelection;

  constructor(database: DatabaseSync, tables: FigureTables, filter: BreakdownRequest['filter'], cut: Cut | undefined) {
    this.#database = database;
    this.#tables = tables;
    this.#selection = selectionOf(filter, tables.requests, lastPositionOf(cut));
  }

  /** Passes on each row of a time range with the key of its group. */
  *forEach(
    by: Grouping,
    range: { readonly from: Instant; readonly to: Instant },
    add: (key: GroupKey, figure: Figure, at: Instant) => void,
  ): Turns<void> {
    const { requests, figures } = this.#tables;
    const { sql, values } = rowsOf(this.#selection, range);
    yield* forEachInTurns(figureRows(this.#database, requests, sql, values, by === 'client'), (row) =>
      add(figures.keyFor(by, row[GROUPINGS[by]], row.requestedAt), figureOf(row), row.requestedAt),
    );
  }
}

/** See `FiguresQueries.breakdown`. */
export function* countRows(rows: RowFigures, request: BreakdownRequest): Turns<Counted> {
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
  yield* rows.forEach(by, range, (key, figure, at) => {
    whole.of(key).addFigure(figure);
    if (!hasManySteps) addToStep(key, figure, at);
  });
  if (hasManySteps) {
    const shown = new Set(groupsOfSteps(whole, request));
    yield* rows.forEach(by, range, (key, figure, at) => addToStep(shown.has(key) ? key : REST, figure, at));
  }
  return { whole, steps: denseStepsOf(steps, groupsOfSteps(whole, request)) };
}
