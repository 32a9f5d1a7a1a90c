import type { DatabaseSync } from 'node:sqlite';
import type { Write } from '../../../projections/projection.ts';
import type { RequestLogRow, UnloggedRefusals } from '../../../projections/requestLog.ts';
import type { UsageSample } from '../../../projections/usageTrends.ts';
import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { ArchivedSums } from '../archivedRollUps.ts';
import { type EventHandler, handlers } from '../projections.ts';
import { figureRows } from './figureRows.ts';
import { FigureTable } from './figureTable.ts';
import { HistoryIndex } from './historyIndex.ts';
import type { LiveRows } from './liveRows.ts';
import { LoggedRequestReader } from './loggedRequestReader.ts';
import type { LogReader, RawEvent } from './logReader.ts';
import type { FigureNumbers, RowIds } from './pendingFigures.ts';
import { PeriodCounts } from './periodCounts.ts';
import { RequestIdIndex } from './requestIdIndex.ts';
import { RequestTable } from './requestTable.ts';
import { NO_ERROR, rollUpTables } from './rollUps.ts';
import type { RollUpTable } from './rollUpTable.ts';
import { RowSpans } from './rowSpans.ts';
import { UsageSampleTable } from './usageSampleTable.ts';

const NO_HANDLERS: readonly EventHandler[] = [];

/** All tables of the file, and the projection of events into them. */
export class Tables {
  readonly requests: RequestTable;
  readonly requestIds: RequestIdIndex;
  readonly kindCounts: PeriodCounts;
  readonly attemptCounts: PeriodCounts;
  readonly sourceCounts: PeriodCounts;
  readonly history: HistoryIndex;
  readonly spans: RowSpans;
  readonly figures: FigureTable;
  readonly #rowsAfter: (position: number) => Iterable<FigureNumbers & RowIds>;
  readonly #loggedRequests = new LoggedRequestReader();
  readonly #rollUps: Readonly<Record<string, RollUpTable<string>>>;
  // biome-ignore lint/suspicious/noExplicitAny: one writer serves all projections
  readonly #write: Write<any, any>;

  /** @param upTo position that the tables reach */
  constructor(database: DatabaseSync, log: LogReader, upTo: Position) {
    const requests = new RequestTable(database);
    const rollUps = rollUpTables(database, {
      onKinds: (period, start) => this.kindCounts.forget(period, start),
      onAttempts: (period, start) => this.attemptCounts.forget(period, start),
      onSources: (period, start) => this.sourceCounts.forget(period, start),
    });
    this.kindCounts = new PeriodCounts(database, 'requestsByKind', 'kindId');
    this.attemptCounts = new PeriodCounts(database, 'requestsByAttempt', 'attemptKindId');
    this.sourceCounts = new PeriodCounts(database, 'requestsBySource', 'sourceId');
    this.requests = requests;
    this.requestIds = new RequestIdIndex(database);
    this.spans = new RowSpans(database);
    this.figures = new FigureTable(database, requests);
    this.#rowsAfter = (position) =>
      figureRows(database, requests, 'FROM requests WHERE position > ? ORDER BY position', [position]);
    this.figures.resume(this.#rowsAfter);
    const samples = new UsageSampleTable(database);
    this.history = new HistoryIndex(database, log, upTo);
    this.#rollUps = rollUps;
    const addSums = {
      requestsByKind: (at, group, sums) => rollUps.requestsByKind.add(at, requests.kindIdOf(group), sums),
      requestsByAttempt: (at, group, sums) => rollUps.requestsByAttempt.add(at, requests.attemptKindIdOf(group), sums),
      requestsBySource: (at, group, sums) => rollUps.requestsBySource.add(at, requests.sources.idOf(group), sums),
      requestsByErrorCode: (at, { errorCode }, sums) =>
        rollUps.requestsByErrorCode.add(at, errorCode ?? NO_ERROR, sums),
      usageByAccount: (at, group, sums) => rollUps.usageByAccount.add(at, group.accountId, sums),
      // biome-ignore lint/suspicious/noExplicitAny: each roll-up has groups and sums of its own
    } satisfies Record<keyof typeof rollUps, (at: Instant, group: any, sums: any) => void>;
    const insert = {
      requests: (row: RequestLogRow) => {
        this.figures.add(row, requests.insert(row));
        this.spans.add('requests', row.position, row.requestedAt);
      },
      refusals: (refusals: UnloggedRefusals) => {
        requests.insertRefusals(refusals);
        this.spans.add('requests', refusals.position, refusals.minute);
      },
      usageSamples: (sample: UsageSample) => {
        samples.insert(sample);
        this.spans.add('usage', sample.position, sample.time);
      },
    };
    this.#write = {
      insert: (collection, _key, document) => insert[collection as keyof typeof insert](document as never),
      increment: (rollUp, at, group, sums) => addSums[rollUp as keyof typeof addSums](at, group, sums),
    };
  }

  /** From now on, the rows of requests and their ids are compared with those of another file in place of being written. */
  compareWith(live: LiveRows): void {
    this.requests.compareWith(live);
    this.requestIds.compareWith(live);
  }

  /** Adds the next event, within the caller's transaction. */
  add([at, stream, type, version, time, json, metadata]: RawEvent): void {
    const data = this.#dataOf(type, version, json);
    const event = { type, data } as KnownEvent;
    const projected = { data, position: position(at), time: instant(time) };
    for (const handle of handlers.get(type) ?? NO_HANDLERS) handle(projected, this.#write);
    if (event.type === 'RequestAdmitted') this.requestIds.addAdmission(projected.position, event.data.requestId);
    this.history.add(event, projected.position, projected.time, stream, metadata);
  }

  #dataOf(type: string, version: number, json: string): unknown {
    const logged = type === 'RequestCompleted' ? this.#loggedRequests.read(version, json) : undefined;
    return logged ?? upcast(type, version, JSON.parse(json));
  }

  /** Adds the sums of an archived segment, within the caller's transaction. */
  addArchived(sums: readonly ArchivedSums[]): void {
    for (const { rollUp, start, group, sums: added } of sums)
      if (rollUp !== 'figures') this.#write.increment(rollUp, start, group, added);
    for (const rollUp of Object.values(this.#rollUps)) rollUp.flush();
    this.figures.writeArchived(sums);
  }

  /** Writes the rows of the last events, within the caller's transaction. */
  write(): void {
    this.requests.flush();
  }

  /** Writes the sums and index entries added since the last flush, within the caller's transaction. */
  flush(before: Position, upTo: Position): void {
    for (const rollUp of Object.values(this.#rollUps)) rollUp.flush();
    this.requestIds.flush(before, upTo);
    this.spans.flush();
    this.requests.flushMessages();
    this.history.flush();
  }

  /** Discards everything added since the last flush, after a rollback. @param upTo position that the tables reach now */
  clear(upTo: Position): void {
    for (const rollUp of Object.values(this.#rollUps)) rollUp.clear();
    this.requests.clear();
    this.figures.resume(this.#rowsAfter);
    this.spans.clear();
    this.history.clear(upTo);
  }
}
