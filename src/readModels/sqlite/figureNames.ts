import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Grouping, groupings, MAX_NAMES, UNBOUNDED } from '../../../projections/figures.ts';
import { endOf, startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type GroupKey, keyOf, REST } from '../figureCounts.ts';

/** Months whose names are in memory. */
const MAX_MONTHS = 24;

/** The groups of one month, by grouping and name. */
interface MonthOfNames {
  readonly from: number;
  readonly to: number;
  readonly groups: Readonly<Record<Grouping, Map<string | null, FigureGroup>>>;
}

export interface FigureGroup {
  readonly id: number;
  readonly by: Grouping;
  readonly key: GroupKey;
}

/**
 * Gives each group an id. Of what clients choose freely, the first names of a month in the log have groups, all later ones share one:
 * the log decides, so that a rebuild gives the same, and after a flood of names the next month has room for new ones.
 */
export class FigureNames {
  readonly #selectGroup: StatementSync;
  readonly #insertGroup: StatementSync;
  readonly #selectNames: StatementSync;
  readonly #insertName: StatementSync;
  readonly #months = new Map<number, MonthOfNames>();
  readonly #rest = new Map<Grouping, FigureGroup>();
  #last: MonthOfNames | undefined;

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
        groupId INTEGER NOT NULL,
        PRIMARY KEY (month, grouping, name)
      ) STRICT, WITHOUT ROWID;`);
    this.#selectGroup = database.prepare('SELECT id FROM figureGroups WHERE grouping = ? AND key = ?');
    this.#insertGroup = database.prepare('INSERT INTO figureGroups (grouping, key) VALUES (?, ?)');
    this.#selectNames = database.prepare('SELECT grouping, name, groupId FROM figureNames WHERE month = ?');
    this.#insertName = database.prepare('INSERT INTO figureNames VALUES (?, ?, ?, ?)');
  }

  /** The group that counts a request; a new name gets one. */
  groupOf(by: Grouping, name: string | null, at: Instant): FigureGroup {
    const month = this.#monthOf(at);
    const groups = month.groups[by];
    const known = groups.get(name);
    if (known) return known;
    const isBounded = name !== null && UNBOUNDED.has(by);
    if (isBounded && groups.size >= MAX_NAMES) return this.restOf(by);
    const group = this.#group(by, keyOf(name));
    if (isBounded) this.#insertName.run(month.from, groupings.indexOf(by), name, group.id);
    groups.set(name, group);
    return group;
  }

  /** The group that all further names share. */
  restOf(by: Grouping): FigureGroup {
    let rest = this.#rest.get(by);
    if (!rest) {
      rest = this.#group(by, REST);
      this.#rest.set(by, rest);
    }
    return rest;
  }

  /** The key of the group that counts a row. */
  keyFor(by: Grouping, name: string | null, at: Instant): GroupKey {
    if (name === null || !UNBOUNDED.has(by)) return keyOf(name);
    return this.#monthOf(at).groups[by].has(name) ? keyOf(name) : REST;
  }

  /** Forgets what is in memory, e.g. after a rollback. */
  clear(): void {
    this.#months.clear();
    this.#rest.clear();
    this.#last = undefined;
  }

  #group(by: Grouping, key: GroupKey): FigureGroup {
    const grouping = groupings.indexOf(by);
    const known = this.#selectGroup.get(grouping, key)?.id as number | undefined;
    return { id: known ?? Number(this.#insertGroup.run(grouping, key).lastInsertRowid), by, key };
  }

  #monthOf(at: Instant): MonthOfNames {
    if (this.#last && at >= this.#last.from && at < this.#last.to) return this.#last;
    const from = startOf('month', at);
    let month = this.#months.get(from);
    if (!month) {
      month = {
        from,
        to: endOf('month', instant(from)),
        groups: Object.fromEntries(groupings.map((by) => [by, new Map()])) as unknown as MonthOfNames['groups'],
      };
      for (const { grouping, name, groupId } of this.#selectNames.all(from)) {
        const by = groupings[grouping as number] as Grouping;
        const group = { id: groupId as number, by, key: keyOf(name as string) };
        month.groups[by].set(name as string, group);
      }
      if (this.#months.size >= MAX_MONTHS) this.#months.clear();
      this.#months.set(from, month);
    }
    this.#last = month;
    return month;
  }
}
