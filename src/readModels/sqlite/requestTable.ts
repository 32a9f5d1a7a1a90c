import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  AttemptKind,
  RequestKind,
  RequestLogRow,
  RequestOutcome,
  UnloggedRefusals,
} from '../../../projections/requestLog.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { Dictionary } from './dictionary.ts';

/** The indexes contain times and kinds, so that counting and skipping read no rows. */
const LAYOUT = `
  CREATE TABLE IF NOT EXISTS requests (
    position INTEGER PRIMARY KEY,
    requestId TEXT NOT NULL,
    requestedAt INTEGER NOT NULL,
    kindId INTEGER NOT NULL,
    outcomeId INTEGER NOT NULL,
    route TEXT NOT NULL,
    failed INTEGER NOT NULL,
    messageId INTEGER,
    inputTokens INTEGER,
    outputTokens INTEGER,
    cachedInputTokens INTEGER,
    reasoningTokens INTEGER,
    costMicroDollars INTEGER,
    latencyMs INTEGER NOT NULL,
    firstByteMs INTEGER,
    attempts INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS otherAttempts (
    position INTEGER,
    ordinal INTEGER,
    accountId TEXT NOT NULL,
    requestedAt INTEGER NOT NULL,
    kindId INTEGER NOT NULL,
    PRIMARY KEY (position, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS otherAttemptsByAccount ON otherAttempts (accountId, requestedAt, position, kindId, ordinal);
  CREATE INDEX IF NOT EXISTS otherAttemptsByTime ON otherAttempts (requestedAt, accountId, kindId);
  CREATE INDEX IF NOT EXISTS laterAttemptsByTime ON otherAttempts (requestedAt, accountId, kindId, position, ordinal)
    WHERE ordinal > 0;
  CREATE INDEX IF NOT EXISTS requestsByTime ON requests (requestedAt, position, kindId);
  CREATE INDEX IF NOT EXISTS failedRequestsByTime ON requests (requestedAt, position, kindId) WHERE failed = 1;
  CREATE INDEX IF NOT EXISTS requestsByMessage ON requests (messageId, requestedAt, kindId) WHERE messageId IS NOT NULL;
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS messageTexts USING fts5(text, tokenize = 'trigram', content = '', columnsize = 0);
  CREATE TABLE IF NOT EXISTS refusals (
    minute INTEGER,
    outcomeId INTEGER,
    position INTEGER,
    unlogged INTEGER NOT NULL,
    PRIMARY KEY (minute, outcomeId, position)
  ) STRICT, WITHOUT ROWID;
`;

/** Where each field of a row is stored: in a column of its own, in the table that an id refers to, or in rows of another table. */
const STORAGE = {
  position: 'column',
  requestId: 'column',
  requestedAt: 'column',
  route: 'column',
  inputTokens: 'column',
  outputTokens: 'column',
  cachedInputTokens: 'column',
  reasoningTokens: 'column',
  costMicroDollars: 'column',
  latencyMs: 'column',
  firstByteMs: 'column',
  attempts: 'column',
  accountId: 'kindId',
  model: 'kindId',
  effort: 'kindId',
  status: 'kindId',
  apiKeyId: 'outcomeId',
  errorCode: 'outcomeId',
  errorMessage: 'messageId',
  otherAccountIds: 'otherAttempts',
} satisfies Record<keyof RequestLogRow, 'column' | 'kindId' | 'outcomeId' | 'messageId' | 'otherAttempts'>;
const COLUMNS = Object.entries(STORAGE).flatMap(([name, place]) => (place === 'column' ? [name] : []));

const SELECT = `
  SELECT ${COLUMNS.join(', ')}, kindId, outcomeId, text AS errorMessage,
    (SELECT json_group_array(accountId ORDER BY ordinal) FROM otherAttempts AS tried WHERE tried.position = requests.position)
      AS otherAccountIds
  FROM requests LEFT JOIN messages ON messages.id = messageId
  WHERE position IN (SELECT value FROM json_each(?))`;

/** The rows of the request log, with dictionaries for their texts. */
export class RequestTable {
  readonly kinds: Dictionary<RequestKind>;
  readonly attemptKinds: Dictionary<StoredAttemptKind>;
  readonly outcomes: Dictionary<RequestOutcome>;
  readonly #insert: StatementSync;
  readonly #insertOther: StatementSync;
  readonly #selectMessage: StatementSync;
  readonly #insertMessage: StatementSync;
  readonly #indexMessage: StatementSync;
  readonly #insertRefusals: StatementSync;
  readonly #select: StatementSync;
  #rows: PendingRow[] = [];

  constructor(database: DatabaseSync) {
    database.exec(LAYOUT);
    this.kinds = new Dictionary(database, 'requestKinds', ['accountId', 'model', 'effort', 'status']);
    this.attemptKinds = new Dictionary(database, 'attemptKinds', ['attemptedAccountId', 'kindId']);
    this.outcomes = new Dictionary(database, 'requestOutcomes', ['apiKeyId', 'errorCode']);
    this.#insert = database.prepare(
      `INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    this.#insertOther = database.prepare('INSERT INTO otherAttempts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
    this.#selectMessage = database.prepare('SELECT id FROM messages WHERE text = ?');
    this.#insertMessage = database.prepare('INSERT INTO messages (text) VALUES (?)');
    this.#indexMessage = database.prepare('INSERT INTO messageTexts (rowid, text) VALUES (?, ?)');
    this.#insertRefusals = database.prepare('INSERT INTO refusals VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
    this.#select = database.prepare(SELECT);
  }

  /** Adds a row; `flush` writes it. */
  insert(row: RequestLogRow): void {
    // Looked up here, because the sums of the row look up the same entries next.
    this.#rows.push({ row, kindId: this.kinds.idOf(row), outcomeId: this.outcomes.idOf(row) });
  }

  insertRefusals(refusals: UnloggedRefusals): void {
    const { minute, position, unlogged } = refusals;
    this.#insertRefusals.run(minute, this.outcomes.idOf(refusals), position, unlogged);
  }

  attemptKindIdOf({ attemptedAccountId, ...kind }: AttemptKind): number {
    return this.attemptKinds.idOf({ attemptedAccountId, kindId: String(this.kinds.idOf(kind)) });
  }

  /** Writes the rows added since the last flush. One series of writes takes half as long as writes between other work. */
  flush(): void {
    for (const row of this.#rows) this.#write(row);
    this.#rows = [];
  }

  /** Discards the rows added since the last flush. */
  clear(): void {
    this.#rows = [];
    this.kinds.reload();
    this.attemptKinds.reload();
    this.outcomes.reload();
  }

  #write({ row, kindId, outcomeId }: PendingRow): void {
    this.#insert.run(
      row.position,
      row.requestId,
      row.requestedAt,
      kindId,
      outcomeId,
      row.route,
      row.status === '200' ? 0 : 1,
      row.errorMessage === null ? null : this.#messageIdOf(row.errorMessage),
      row.inputTokens,
      row.outputTokens,
      row.cachedInputTokens,
      row.reasoningTokens,
      row.costMicroDollars,
      row.latencyMs,
      row.firstByteMs,
      row.attempts,
    );
    row.otherAccountIds.forEach((accountId, ordinal) => {
      this.#insertOther.run(row.position, ordinal, accountId, row.requestedAt, kindId);
    });
  }

  #messageIdOf(text: string): number {
    const known = this.#selectMessage.get(text);
    if (known) return known.id as number;
    const id = Number(this.#insertMessage.run(text).lastInsertRowid);
    this.#indexMessage.run(id, text);
    return id;
  }

  /** The rows at these positions, latest first. */
  at(positions: readonly number[]): RequestLogRow[] {
    const rows = this.#select.all(JSON.stringify(positions)) as unknown as StoredRow[];
    return rows.map((row) => this.#toRow(row)).sort((a, b) => b.requestedAt - a.requestedAt || b.position - a.position);
  }

  #toRow({ kindId, outcomeId, otherAccountIds, ...row }: StoredRow): RequestLogRow {
    const { accountId, model, effort, status } = this.kinds.entryOf(kindId);
    const { apiKeyId, errorCode } = this.outcomes.entryOf(outcomeId);
    return {
      ...row,
      position: position(row.position),
      requestedAt: instant(row.requestedAt),
      accountId,
      apiKeyId,
      model,
      effort,
      status,
      errorCode,
      otherAccountIds: otherAccountIds === '[]' ? NO_OTHERS : JSON.parse(otherAccountIds),
    };
  }
}

const NO_OTHERS: readonly string[] = [];

/** An `AttemptKind` whose kind is in the other dictionary; a dictionary has texts only. */
interface StoredAttemptKind {
  readonly attemptedAccountId: string;
  readonly kindId: string;
}

interface PendingRow {
  readonly row: RequestLogRow;
  readonly kindId: number;
  readonly outcomeId: number;
}

type StoredRow = Omit<RequestLogRow, keyof RequestKind | keyof RequestOutcome | 'otherAccountIds'> & {
  readonly kindId: number;
  readonly outcomeId: number;
  /** As JSON. */
  readonly otherAccountIds: string;
};
