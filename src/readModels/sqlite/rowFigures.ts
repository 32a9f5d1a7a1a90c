import type { DatabaseSync } from 'node:sqlite';
import { type Figure, figureOf, GROUPINGS, type Grouping } from '../../../projections/figures.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { type Cut, lastPositionOf } from '../cut.ts';
import type { GroupKey } from '../figureCounts.ts';
import type { BreakdownRequest } from '../figuresQueries.ts';
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

  all(by: Grouping, range: { readonly from: Instant; readonly to: Instant }): RowFigure[] {
    const found: RowFigure[] = [];
    this.forEach(by, range, (key, figure, at) => found.push({ key, figure, at }));
    return found;
  }

  /** Passes on each row of a time range with the key of its group. */
  forEach(
    by: Grouping,
    range: { readonly from: Instant; readonly to: Instant },
    add: (key: GroupKey, figure: Figure, at: Instant) => void,
  ): void {
    const { requests, figures } = this.#tables;
    const { sql, values } = rowsOf(this.#selection, range);
    for (const row of figureRows(this.#database, requests, sql, values, by === 'client'))
      add(figures.keyFor(by, row[GROUPINGS[by]], row.requestedAt), figureOf(row), row.requestedAt);
  }
}
