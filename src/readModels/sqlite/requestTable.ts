import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  AttemptKind,
  RequestClientFields,
  RequestKind,
  RequestLogRow,
  RequestSource,
  UnloggedRefusals,
} from '../../../projections/requestLog.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { KindNames } from '../kindNames.ts';
import { wantedNames } from '../requestFilter.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { type AttemptKindNumbers, attemptKindNumbers, type StoredAttemptKind } from './attemptKindNumbers.ts';
import { ClientTable, NO_CLIENT } from './clientTable.ts';
import { Dictionary } from './dictionary.ts';
import type { LiveRows } from './liveRows.ts';
import { OtherAttempts } from './otherAttempts.ts';
import type { RowIds } from './pendingFigures.ts';

/**
 * Positions whose conversations are neighbours in their index. Digests have no order, so an index over all of them would change a
 * page for each request; this one changes some 40, and a lookup reads one place for each 16,384 requests.
 */
const STRETCH_BITS = 14;
const stretchOf = (at: string) => `(${at} >> ${STRETCH_BITS})`;

/** SQL for the positions of the requests with one of the conversations in the JSON array that is its parameter. */
export const POSITIONS_OF_CONVERSATIONS = `
  WITH RECURSIVE stretches (number) AS (
    SELECT ${stretchOf('min(position)')} FROM requests
    UNION ALL SELECT number + 1 FROM stretches WHERE number < (SELECT ${stretchOf('max(position)')} FROM requests)
  )
  SELECT position FROM stretches CROSS JOIN json_each(?) AS wanted CROSS JOIN requests INDEXED BY requestsByConversation
    ON ${stretchOf('position')} = number AND conversation = wanted.value`;

/** The indexes contain times and kinds, so that counting and skipping read no rows. */
const LAYOUT = `
  CREATE TABLE IF NOT EXISTS requests (
    position INTEGER PRIMARY KEY,
    requestId TEXT NOT NULL,
    requestedAt INTEGER NOT NULL,
    kindId INTEGER NOT NULL,
    sourceId INTEGER NOT NULL,
    clientId INTEGER,
    conversation TEXT,
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
    attempts INTEGER NOT NULL,
    modelBeyond TEXT,
    effortBeyond TEXT
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
  CREATE TABLE IF NOT EXISTS otherConversations (
    position INTEGER,
    ordinal INTEGER,
    conversation TEXT NOT NULL,
    PRIMARY KEY (position, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS otherConversationsById ON otherConversations (conversation, position);
  CREATE INDEX IF NOT EXISTS requestsByTime ON requests (requestedAt, position, kindId, sourceId, clientId);
  CREATE INDEX IF NOT EXISTS failedRequestsByTime ON requests (requestedAt, position, kindId, sourceId, clientId)
    WHERE failed = 1;
  CREATE INDEX IF NOT EXISTS requestsOfSource ON requests (sourceId, requestedAt, position, kindId, clientId);
  CREATE INDEX IF NOT EXISTS requestsByConversation ON requests (${stretchOf('position')}, conversation)
    WHERE conversation IS NOT NULL;
  CREATE INDEX IF NOT EXISTS requestsByModelBeyond ON requests (modelBeyond) WHERE modelBeyond IS NOT NULL;
  CREATE INDEX IF NOT EXISTS requestsByEffortBeyond ON requests (effortBeyond) WHERE effortBeyond IS NOT NULL;
  CREATE INDEX IF NOT EXISTS requestsByMessage ON requests (messageId, requestedAt, kindId) WHERE messageId IS NOT NULL;
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS messageTexts USING fts5(text, tokenize = 'trigram', content = '', columnsize = 0);
  CREATE TABLE IF NOT EXISTS refusals (
    minute INTEGER,
    sourceId INTEGER,
    position INTEGER,
    unlogged INTEGER NOT NULL,
    PRIMARY KEY (minute, sourceId, position)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Where each field of a row is stored: in a column of its own, in the table that an id refers to, or in rows of another table. A name
 * that its kind does not have (see `KindNames`) is in `modelBeyond` or `effortBeyond`.
 */
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
  apiKeyId: 'sourceId',
  errorCode: 'sourceId',
  errorMessage: 'messageId',
  otherAccountIds: 'otherAttempts',
  owner: 'sourceId',
  team: 'sourceId',
  transport: 'sourceId',
  client: 'clientId',
  clientVersion: 'clientId',
  originator: 'clientId',
  sealedOrigin: 'clientId',
  addressDigest: 'clientId',
  conversations: 'otherConversations',
} satisfies Record<
  keyof RequestLogRow,
  'column' | 'kindId' | 'sourceId' | 'clientId' | 'messageId' | 'otherAttempts' | 'otherConversations'
>;
const COLUMNS = Object.entries(STORAGE).flatMap(([name, place]) => (place === 'column' ? [name] : []));

const SELECT = `
  SELECT ${COLUMNS.join(', ')}, modelBeyond, effortBeyond, kindId, sourceId, clientId, conversation, text AS errorMessage,
    (SELECT json_group_array(accountId ORDER BY ordinal) FROM otherAttempts AS tried WHERE tried.position = requests.position)
      AS otherAccountIds,
    (SELECT json_group_array(conversation ORDER BY ordinal) FROM otherConversations AS named
      WHERE named.position = requests.position) AS otherConversations
  FROM requests LEFT JOIN messages ON messages.id = messageId
  WHERE position IN (SELECT value FROM json_each(?))`;

const SELECT_BEYOND = `
  SELECT 1 WHERE EXISTS (SELECT 1 FROM json_each(?) CROSS JOIN requests INDEXED BY requestsByModelBeyond ON modelBeyond = value)
    OR EXISTS (SELECT 1 FROM json_each(?) CROSS JOIN requests INDEXED BY requestsByEffortBeyond ON effortBeyond = value)`;

/** The rows of the request log, with dictionaries for their texts. */
export class RequestTable {
  readonly kinds: Dictionary<RequestKind>;
  readonly attemptKinds: Dictionary<StoredAttemptKind>;
  /** What the ids of `attemptKinds` mean. */
  readonly attemptKindNumbers: () => AttemptKindNumbers;
  readonly sources: Dictionary<RequestSource>;
  readonly clients: ClientTable;
  readonly otherAttempts: OtherAttempts;
  readonly #insert: StatementSync;
  readonly #insertOther: StatementSync;
  readonly #insertConversation: StatementSync;
  readonly #selectMessage: StatementSync;
  readonly #insertMessage: StatementSync;
  readonly #indexMessage: StatementSync;
  readonly #insertRefusals: StatementSync;
  readonly #select: StatementSync;
  readonly #selectBeyond: StatementSync;
  readonly #kindNames = new KindNames();
  #rows: PendingRow[] = [];
  /** New messages that the text index does not have yet. */
  #messages: { readonly id: number; readonly text: string }[] = [];
  #live: LiveRows | undefined;

  constructor(database: DatabaseSync) {
    database.exec(LAYOUT);
    this.kinds = new Dictionary(database, 'requestKinds', ['accountId', 'model', 'effort', 'status']);
    this.attemptKinds = new Dictionary(database, 'attemptKinds', ['attemptedAccountId', 'kindId']);
    this.attemptKindNumbers = attemptKindNumbers(this.attemptKinds);
    this.sources = new Dictionary(database, 'requestSources', ['apiKeyId', 'errorCode', 'owner', 'team', 'transport']);
    this.#insert = database.prepare(
      `INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    this.#insertOther = database.prepare('INSERT INTO otherAttempts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
    this.clients = new ClientTable(database);
    this.otherAttempts = new OtherAttempts(database);
    this.#insertConversation = database.prepare(
      'INSERT INTO otherConversations VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#selectMessage = database.prepare('SELECT id FROM messages WHERE text = ?');
    this.#insertMessage = database.prepare('INSERT INTO messages (text) VALUES (?)');
    this.#indexMessage = database.prepare('INSERT INTO messageTexts (rowid, text) VALUES (?, ?)');
    this.#insertRefusals = database.prepare('INSERT INTO refusals VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
    this.#select = database.prepare(SELECT);
    this.#selectBeyond = database.prepare(SELECT_BEYOND);
    this.#loadKindNames();
  }

  /** From now on, rows are compared with those of another file in place of being written. */
  compareWith(live: LiveRows): void {
    this.#live = live;
  }

  /** Adds a row; `flush` writes it. */
  insert(row: RequestLogRow): RowIds {
    // Looked up here, because the sums of the row look up the same entries next.
    const pending = {
      row,
      kindId: this.kindIdOf(row),
      sourceId: this.sources.idOf(row),
      clientId: this.clients.idOf(row),
    };
    this.#rows.push(pending);
    return pending;
  }

  insertRefusals(refusals: UnloggedRefusals): void {
    const { minute, position, unlogged } = refusals;
    this.#insertRefusals.run(minute, this.sources.idOf(refusals), position, unlogged);
  }

  /** The id of the kind that a request is counted as. */
  kindIdOf(kind: RequestKind): number {
    return this.kinds.idOf(this.#kindNames.kindOf(kind));
  }

  /** Whether any row has a name that the filter wants and that is not the one of its kind, so that rows have to be read. */
  hasBeyond(filter: RequestLogFilter): boolean {
    const { models, efforts } = wantedNames(filter);
    if (models.length === 0 && efforts.length === 0) return false;
    return this.#selectBeyond.get(JSON.stringify(models), JSON.stringify(efforts)) !== undefined;
  }

  attemptKindIdOf({ attemptedAccountId, ...kind }: AttemptKind): number {
    return this.attemptKinds.idOf({ attemptedAccountId, kindId: String(this.kindIdOf(kind)) });
  }

  /** Writes the rows added since the last flush. One series of writes takes half as long as writes between other work. */
  flush(): void {
    if (this.#live) this.#compare(this.#live);
    else for (const row of this.#rows) this.#insert.run(...this.#cellsOf(row));
    for (const row of this.#rows) this.#writeOthers(row);
    this.#rows = [];
  }

  /** Writes the index of the messages of rows written since the last call. See `HistoryIndex.flush` for why it is not written with them. */
  flushMessages(): void {
    for (const { id, text } of this.#messages) this.#indexMessage.run(id, text);
    this.#messages = [];
  }

  #compare(live: LiveRows): void {
    const last = this.#rows.at(-1);
    if (!last) return;
    live.compareRequests(
      this.#rows.map((row) => this.#cellsOf(row)),
      last.row.position,
    );
  }

  /** Discards the rows added since the last flush. */
  clear(): void {
    this.#rows = [];
    this.#messages = [];
    this.kinds.reload();
    this.#loadKindNames();
    this.attemptKinds.reload();
    this.sources.reload();
    this.clients.clear();
  }

  #loadKindNames(): void {
    this.#kindNames.clear();
    for (const kind of this.kinds.entries) this.#kindNames.load(kind);
  }

  /** In the order of the columns. */
  #cellsOf({ row, kindId, sourceId, clientId }: PendingRow): (string | number | null)[] {
    const kind = this.kinds.entryOf(kindId);
    return [
      row.position,
      row.requestId,
      row.requestedAt,
      kindId,
      sourceId,
      clientId,
      row.conversations[0] ?? null,
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
      kind.model === row.model ? null : row.model,
      kind.effort === row.effort ? null : row.effort,
    ];
  }

  #writeOthers({ row, kindId }: PendingRow): void {
    row.otherAccountIds.forEach((accountId, ordinal) => {
      this.#insertOther.run(row.position, ordinal, accountId, row.requestedAt, kindId);
    });
    for (let ordinal = 1; ordinal < row.conversations.length; ordinal++) {
      this.#insertConversation.run(row.position, ordinal, row.conversations[ordinal] as string);
    }
  }

  #messageIdOf(text: string): number {
    const known = this.#selectMessage.get(text);
    if (known) return known.id as number;
    const id = Number(this.#insertMessage.run(text).lastInsertRowid);
    this.#messages.push({ id, text });
    return id;
  }

  /** The rows at these positions, latest first. */
  at(positions: readonly number[]): RequestLogRow[] {
    return this.#rowsAt(positions).sort((a, b) => b.requestedAt - a.requestedAt || b.position - a.position);
  }

  /** The rows at these positions, in their order. */
  inOrder(positions: readonly number[]): RequestLogRow[] {
    const rows = new Map<number, RequestLogRow>(this.#rowsAt(positions).map((row) => [row.position, row]));
    return positions.flatMap((at) => rows.get(at) ?? []);
  }

  #rowsAt(positions: readonly number[]): RequestLogRow[] {
    const rows = this.#select.all(JSON.stringify(positions)) as unknown as StoredRow[];
    return rows.map((row) => this.#toRow(row));
  }

  #toRow({
    kindId,
    sourceId,
    clientId,
    conversation,
    otherAccountIds,
    otherConversations,
    modelBeyond,
    effortBeyond,
    ...row
  }: StoredRow): RequestLogRow {
    const { accountId, model, effort, status } = this.kinds.entryOf(kindId);
    return {
      ...row,
      position: position(row.position),
      requestedAt: instant(row.requestedAt),
      accountId,
      model: modelBeyond ?? model,
      effort: effortBeyond ?? effort,
      status,
      ...this.sources.entryOf(sourceId),
      ...(clientId === null ? NO_CLIENT : this.clients.at(clientId)),
      conversations: conversation === null ? NO_OTHERS : [conversation, ...JSON.parse(otherConversations)],
      otherAccountIds: otherAccountIds === '[]' ? NO_OTHERS : JSON.parse(otherAccountIds),
    };
  }
}

const NO_OTHERS: readonly string[] = [];

interface PendingRow extends RowIds {
  readonly row: RequestLogRow;
}

type StoredRow = Omit<
  RequestLogRow,
  keyof RequestKind | keyof RequestSource | keyof RequestClientFields | 'otherAccountIds' | 'conversations'
> & {
  readonly kindId: number;
  readonly sourceId: number;
  readonly clientId: number | null;
  readonly conversation: string | null;
  readonly modelBeyond: string | null;
  readonly effortBeyond: string | null;
  /** As JSON. */
  readonly otherAccountIds: string;
  readonly otherConversations: string;
};
