import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { USAGE_SUMS, type UsageSample } from '../../../projections/usageTrends.ts';

/** The samples of accounts' usage, for sums over a part of an hour. */
export class UsageSampleTable {
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS usageSamples (
        time INTEGER NOT NULL,
        position INTEGER NOT NULL,
        accountId TEXT NOT NULL,
        ${USAGE_SUMS.map((name) => `${name} INTEGER NOT NULL`).join(', ')},
        PRIMARY KEY (time, position)
      ) STRICT, WITHOUT ROWID`);
    this.#insert = database.prepare(
      `INSERT INTO usageSamples VALUES (?, ?, ?, ${USAGE_SUMS.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
    );
  }

  insert({ time, position, accountId, ...sums }: UsageSample): void {
    this.#insert.run(time, position, accountId, ...USAGE_SUMS.map((name) => sums[name]));
  }
}
