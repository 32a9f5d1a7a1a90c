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
import { REQUEST_LAYOUT, SELECT_BEYOND, SELECT_REQUESTS } from './requestLayout.ts';

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
    database.exec(REQUEST_LAYOUT);
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
    this.#select = database.prepare(SELECT_REQUESTS);
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
