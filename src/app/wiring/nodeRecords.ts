import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import type { EventToAppend, RecordedEvent } from '../../eventLog/eventLog.ts';
import { createEventSink, type EventSink } from '../../eventLog/eventSink.ts';
import type { Outbox } from '../../eventLog/outbox/outbox.ts';
import { createRefreshResultRecorder } from '../../provider/tokens/recordRefreshResult.ts';
import type { RecordRefreshResult } from '../../provider/tokens/refresh/tokenRefreshOptions.ts';
import type { ForeignReservations } from '../../proxy/admission/foreignReservations.ts';
import type { Ledger } from '../../proxy/admission/ledger.ts';
import type { Cooldowns } from '../../proxy/exchange/cooldowns.ts';
import { PendingRequests } from '../../proxy/settlement/pendingRequests.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Store } from './store.ts';

export interface NodeRecordsOptions {
  readonly store: Store;
  readonly folder: DataFolder;
  readonly hot: HotRunner;
  readonly now: () => Instant;
  readonly ledger: Ledger;
  readonly cooldowns: Cooldowns;
  readonly foreign: ForeignReservations;
}

type Record = (event: EventToAppend) => Promise<Position>;

/** What this node writes down in streams of its own. All of it is durable when the promise resolves. */
export interface NodeRecords {
  readonly recordRequest: EventSink['record'];
  /** A request that ended now would most likely find no place for its end. */
  readonly isBlocked: () => boolean;
  /** Resolves with a position that is folded by then. */
  readonly recordSession: Record;
  /** Undefined: they go where claims go. */
  readonly recordResult: RecordRefreshResult | undefined;
  /** What is durable here and not in the log yet; undefined where that cannot be. */
  readonly pending: PendingRequests | undefined;
  /** Waits until everything is durable, and gives the store a moment to take it. */
  stop(): Promise<void>;
}

/** Straight into the log where it is in the data folder, by way of the outbox where it is not. */
export async function createNodeRecords(options: NodeRecordsOptions): Promise<NodeRecords> {
  const { store, folder, hot, now } = options;
  const sink = (category: string, isTyped = false): EventSink =>
    createEventSink({
      log: store.outbox ?? store.log,
      node: folder.node,
      boot: folder.boot,
      category,
      isTyped,
    });
  const [requests, sessions] = [sink('requests', true), sink('sessions')];
  const { outbox } = store;
  if (!outbox) {
    return {
      recordRequest: requests.record,
      isBlocked: () => requests.isBlocked,
      recordSession: sessions.record,
      recordResult: undefined,
      pending: undefined,
      async stop() {
        await requests.flush();
        await sessions.flush();
      },
    };
  }
  const refreshes = sink('refreshes');
  const pending = await followOutbox(outbox, options);
  outbox.start();
  return {
    recordRequest: requests.record,
    isBlocked: () => requests.isBlocked,
    // Folded ahead of the log by now.
    recordSession: async (event) => {
      await sessions.record(event);
      return hot.state.position;
    },
    recordResult: createRefreshResultRecorder({ hot: hot.state, record: refreshes.record, now }),
    pending,
    async stop() {
      for (const each of [requests, sessions, refreshes]) await each.flush();
      await outbox.close();
    },
  };
}

/** Whatever is durable in the outbox counts from then on, also what an earlier start left there. */
async function followOutbox(
  outbox: Outbox,
  { hot, ledger, foreign, cooldowns, now }: NodeRecordsOptions,
): Promise<PendingRequests> {
  const pending = new PendingRequests(hot.state);
  let isFromBefore = true;

  function onDurable(event: RecordedEvent): void {
    if (!event.stream.startsWith('requests-')) {
      hot.applyBeforeLog(event);
      return;
    }
    pending.onDurable(event);
    if (event.type !== 'RequestCompleted') return;
    // From here on it is counted among what is pending.
    ledger.release(event.data.requestId);
    foreign.onFolded(event);
    for (const { accountId, limitedUntil, code } of isFromBefore ? event.data.attempts : []) {
      if (limitedUntil !== undefined && limitedUntil > now()) cooldowns.limit(accountId, code ?? '', limitedUntil);
    }
  }

  hot.onFolded((event) => pending.onFolded(event));
  await outbox.follow((events) => events.forEach(onDurable));
  isFromBefore = false;
  return pending;
}
