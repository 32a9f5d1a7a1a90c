import type { DatabaseSync } from 'node:sqlite';
import type { Write } from '../../../projections/projection.ts';
import { REQUEST_SUMS, type RequestLogRow, requestLog } from '../../../projections/requestLog.ts';
import { USAGE_SUMS, usageTrends } from '../../../projections/usageTrends.ts';
import { instant, type Position, position } from '../../domain/brands.ts';
import { upcast } from '../../domain/eventTypes.ts';
import { handlers, VERSION } from '../projections.ts';
import type { LogMark, LogReader, RawEvent } from './logReader.ts';
import { RequestTable } from './requestTable.ts';
import { RollUpTable } from './rollUpTable.ts';

/** So many events make one transaction: large enough to be cheap, small enough to answer in between (30 ms). */
export const BATCH_EVENTS = 2_000;

const BEGINNING: LogMark = { position: position(0), eventId: null };

/** Folds the log into the tables of a file: documents, sums and how far they reach change in one transaction. */
export class Projector {
  readonly #database: DatabaseSync;
  readonly #log: LogReader;
  #tables: Tables;
  #mark: LogMark;

  constructor(database: DatabaseSync, log: LogReader) {
    this.#database = database;
    this.#log = log;
    const progress = database.prepare('SELECT version, position, eventId FROM progress').get();
    if (progress?.version === VERSION) {
      this.#mark = { position: progress.position as Position, eventId: progress.eventId as string | null };
      this.#tables = createTables(database);
    } else {
      this.#mark = BEGINNING;
      this.#tables = this.#startOver();
    }
  }

  /** Everything up to here is in the tables. */
  get position(): Position {
    return this.#mark.position;
  }

  get requests(): RequestTable {
    return this.#tables.requests;
  }

  /**
   * Folds one batch of what is new in the log.
   * @param upTo goes no further than this position
   * @returns whether there is more
   */
  catchUp(batchEvents = BATCH_EVENTS, upTo = position(Number.MAX_SAFE_INTEGER)): boolean {
    if (!this.#stillHolds()) {
      this.#tables = this.#startOver();
      this.#mark = BEGINNING;
    }
    const head = this.#log.lastUpTo(upTo);
    if (head.position <= this.#mark.position) return false;
    const isLast = head.position - this.#mark.position <= batchEvents;
    const target = isLast ? head : this.#log.lastUpTo(position(this.#mark.position + batchEvents));
    this.#fold(target);
    return !isLast;
  }

  #fold(target: LogMark): void {
    const tables = this.#tables;
    try {
      this.#inTransaction(() => {
        for (const event of this.#log.between(this.#mark.position, target.position)) project(event, tables.write);
        for (const rollUp of tables.rollUps) rollUp.flush();
        this.#database.prepare('UPDATE progress SET position = ?, eventId = ?').run(target.position, target.eventId);
      });
    } catch (error) {
      for (const rollUp of tables.rollUps) rollUp.clear();
      tables.requests.kinds.load();
      tables.requests.outcomes.load();
      throw error;
    }
    this.#mark = target;
  }

  /** A restored log can end before us, or go on differently: then our rows are of another history. */
  #stillHolds(): boolean {
    if (this.#mark.position === 0) return true;
    const { position: at, eventId } = this.#log.lastUpTo(this.#mark.position);
    return at === this.#mark.position && eventId === this.#mark.eventId;
  }

  #startOver(): Tables {
    return this.#inTransaction(() => {
      const old = this.#database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('progress', 'sqlite_sequence')")
        .all();
      for (const { name } of old) this.#database.exec(`DROP TABLE "${name}"`);
      this.#database.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?, 0, NULL)').run(VERSION);
      return createTables(this.#database);
    });
  }

  #inTransaction<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

type Tables = ReturnType<typeof createTables>;

function createTables(database: DatabaseSync) {
  const requests = new RequestTable(database);
  const byKind = new RollUpTable(database, {
    table: 'requestsByKind',
    group: { name: 'kindId', type: 'INTEGER' },
    periods: requestLog.periods.requestsByKind,
    sums: REQUEST_SUMS,
  });
  const byOutcome = new RollUpTable(database, {
    table: 'requestsByOutcome',
    group: { name: 'outcomeId', type: 'INTEGER' },
    periods: requestLog.periods.requestsByOutcome,
    sums: REQUEST_SUMS,
  });
  const byAccount = new RollUpTable(database, {
    table: 'usageByAccount',
    group: { name: 'accountId', type: 'TEXT' },
    periods: usageTrends.periods.usageByAccount,
    sums: USAGE_SUMS,
  });
  database.exec('CREATE INDEX IF NOT EXISTS usageByAccountAndTime ON usageByAccount (accountId, period, start)');
  const addUp = {
    requestsByKind: (at, group, sums) => byKind.add(at, requests.kinds.idOf(group), sums),
    requestsByOutcome: (at, group, sums) => byOutcome.add(at, requests.outcomes.idOf(group), sums),
    usageByAccount: (at, group, sums) => byAccount.add(at, group.accountId, sums),
    // biome-ignore lint/suspicious/noExplicitAny: each roll-up has groups and sums of its own
  } satisfies Record<string, (at: ReturnType<typeof instant>, group: any, sums: any) => void>;
  // biome-ignore lint/suspicious/noExplicitAny: one writer serves all projections
  const write: Write<any, any> = {
    insert: (_collection, _key, row) => requests.insert(row as RequestLogRow),
    addUp: (rollUp, at, group, sums) => addUp[rollUp as keyof typeof addUp](at, group, sums),
  };
  return { requests, rollUps: [byKind, byOutcome, byAccount], write };
}

// biome-ignore lint/suspicious/noExplicitAny: one writer serves all projections
function project([at, type, version, time, text]: RawEvent, write: Write<any, any>): void {
  const data = upcast(type, version, JSON.parse(text));
  for (const handle of handlers.get(type) ?? []) handle({ data, position: position(at), time: instant(time) }, write);
}
