import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Grouping, groupings } from '../../../projections/figures.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { GroupKey } from '../figureCounts.ts';
import { MonthlyNames } from '../monthlyNames.ts';
import type { SumsBy } from './pendingFigures.ts';

/** The number by which tables store a grouping; that of all requests is -1. */
export const groupingNumber = (by: SumsBy): number => groupings.indexOf(by as Grouping);

/** Months whose names are in memory. */
const MAX_MONTHS = 24;

/** The ids of groups, and the names that have groups of their own; of the latest requests these are in memory only. */
export class FigureNames {
  readonly names: MonthlyNames;
  readonly #selectGroup: StatementSync;
  readonly #insertGroup: StatementSync;
  readonly #insertName: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS figureGroups (
        id INTEGER PRIMARY KEY,
        grouping INTEGER NOT NULL,
        key TEXT NOT NULL,
        UNIQUE (grouping, key)
      ) STRICT;
      CREATE TABLE IF NOT EXISTS figureNames (
        month INTEGER,
        grouping INTEGER,
        name TEXT,
        PRIMARY KEY (month, grouping, name)
      ) STRICT, WITHOUT ROWID;`);
    this.#selectGroup = database.prepare('SELECT id FROM figureGroups WHERE grouping = ? AND key = ?');
    this.#insertGroup = database.prepare('INSERT INTO figureGroups (grouping, key) VALUES (?, ?)');
    this.#insertName = database.prepare('INSERT INTO figureNames VALUES (?, ?, ?)');
    const selectNames = database.prepare('SELECT grouping, name FROM figureNames WHERE month = ?');
    const namesOf = (month: Instant) =>
      selectNames.all(month).map(({ grouping, name }) => ({
        month,
        by: groupings[grouping as number] as Grouping,
        name: name as string,
      }));
    this.names = new MonthlyNames(namesOf, MAX_MONTHS);
  }

  /** The id of a group, within the caller's transaction. */
  idOf(by: SumsBy, key: GroupKey): number {
    const grouping = groupingNumber(by);
    const known = this.#selectGroup.get(grouping, key)?.id as number | undefined;
    return known ?? Number(this.#insertGroup.run(grouping, key).lastInsertRowid);
  }

  /** Writes the new names, within the caller's transaction. */
  save(): void {
    for (const { month, by, name } of this.names.takeNew()) this.#insertName.run(month, groupings.indexOf(by), name);
  }
}
