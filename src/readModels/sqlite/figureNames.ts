import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Grouping, groupings, MAX_NAMES, UNBOUNDED } from '../../../projections/figures.ts';
import { endOf, startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type GroupKey, keyOf, REST } from '../figureCounts.ts';

/** Months whose names are in memory. */
const MAX_MONTHS = 24;

/** The names of one month that have groups of their own. */
interface MonthOfNames {
  readonly from: number;
  readonly to: number;
  readonly names: ReadonlyMap<Grouping, Set<string>>;
}

interface NewName {
  readonly month: number;
  readonly by: Grouping;
  readonly name: string;
}

/**
 * The groups of requests. Of what clients choose freely, the first names of a month in the log have groups, all later ones share one:
 * the log decides, so that a rebuild gives the same, and after a flood of names the next month has room for new ones.
 */
export class FigureNames {
  readonly #selectGroup: StatementSync;
  readonly #insertGroup: StatementSync;
  readonly #selectNames: StatementSync;
  readonly #insertName: StatementSync;
  readonly #months = new Map<number, MonthOfNames>();
  #last: MonthOfNames | undefined;
  /** Names that the table does not have yet. */
  #unsaved: NewName[] = [];

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
    this.#selectNames = database.prepare('SELECT grouping, name FROM figureNames WHERE month = ?');
    this.#insertName = database.prepare('INSERT INTO figureNames VALUES (?, ?, ?)');
  }

  /** The group that counts the next request; a new name gets one while there is room. */
  assign(by: Grouping, name: string | null, at: Instant): GroupKey {
    if (name === null || !UNBOUNDED.has(by)) return keyOf(name);
    const month = this.#monthOf(at);
    const names = month.names.get(by) as Set<string>;
    if (!names.has(name)) {
      if (names.size >= MAX_NAMES) return REST;
      names.add(name);
      this.#unsaved.push({ month: month.from, by, name });
    }
    return keyOf(name);
  }

  /** The group that has counted a request. */
  keyFor(by: Grouping, name: string | null, at: Instant): GroupKey {
    if (name === null || !UNBOUNDED.has(by)) return keyOf(name);
    return this.#monthOf(at).names.get(by)?.has(name) ? keyOf(name) : REST;
  }

  /** The id of a group in the tables, within the caller's transaction. */
  idOf(by: Grouping, key: GroupKey): number {
    const grouping = groupings.indexOf(by);
    const known = this.#selectGroup.get(grouping, key)?.id as number | undefined;
    return known ?? Number(this.#insertGroup.run(grouping, key).lastInsertRowid);
  }

  /** Writes the new names, within the caller's transaction. */
  save(): void {
    for (const { month, by, name } of this.#unsaved) this.#insertName.run(month, groupings.indexOf(by), name);
    this.#unsaved = [];
  }

  /** Discards the names that are not written. */
  clear(): void {
    this.#months.clear();
    this.#unsaved = [];
    this.#last = undefined;
  }

  #monthOf(at: Instant): MonthOfNames {
    if (this.#last && at >= this.#last.from && at < this.#last.to) return this.#last;
    const from = startOf('month', at);
    let month = this.#months.get(from);
    if (!month) {
      const names = new Map([...UNBOUNDED].map((by) => [by, new Set<string>()]));
      for (const { grouping, name } of this.#selectNames.all(from))
        names.get(groupings[grouping as number] as Grouping)?.add(name as string);
      for (const { month: own, by, name } of this.#unsaved) if (own === from) names.get(by)?.add(name);
      month = { from, to: endOf('month', instant(from)), names };
      if (this.#months.size >= MAX_MONTHS) this.#months.clear();
      this.#months.set(from, month);
    }
    this.#last = month;
    return month;
  }
}
