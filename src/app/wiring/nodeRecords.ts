import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import type { AuditEvent, NodeEvent, StopReason } from '../../domain/audit/events.ts';
import { ClockJumped } from '../../domain/clock/events.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventToAppend, RecordedEvent } from '../../eventLog/eventLog.ts';
import { createEventSink, type EventSink } from '../../eventLog/eventSink.ts';
import { DeliveredRevisions } from '../../eventLog/outbox/deliveredRevisions.ts';
import type { Outbox } from '../../eventLog/outbox/outbox.ts';
import { CAN_COME_LATE } from '../../eventLog/outbox/parkedEvents.ts';
import type { Print } from '../../lib/log/line.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { RecordRefreshResult } from '../../provider/tokens/refresh/tokenRefreshOptions.ts';
import { createRefreshResultRecorder } from '../../provider/tokens/refreshResultRecorder.ts';
import type { AnnouncedReservations } from '../../proxy/admission/announcedReservations.ts';
import type { Ledger } from '../../proxy/admission/ledger.ts';
import { PendingRequests } from '../../proxy/settlement/pendingRequests.ts';
import type { Jump, LimitClock } from '../../state/clock/limitClock.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { createLifecycleRecords } from './lifecycleRecords.ts';
import type { Store } from './store.ts';

export interface NodeRecordsOptions {
  readonly print: Print;
  readonly store: Store;
  readonly folder: DataFolder;
  readonly hot: HotRunner;
  readonly now: () => Instant;
  readonly ledger: Ledger;
  readonly announced: AnnouncedReservations;
  readonly limitClock: LimitClock;
}

type RecordEvent = (event: EventToAppend) => Promise<Position>;

/** Records events in this node's own streams; they are durable when the promise resolves. */
export interface NodeRecords {
  readonly recordRequest: EventSink['record'];
  /** Whether a request may begin: its completion can be recorded, as far as is known now. */
  readonly mayBegin: () => boolean;
  /** Resolves with a position up to which the hot state includes the event. */
  readonly recordSession: RecordEvent;
  /** Records results of token refreshes; undefined: they go to the stream of their claims. */
  readonly recordResult: RecordRefreshResult | undefined;
  /** Records that the clock of this node jumped. */
  readonly recordClockJump: (jump: Jump) => Promise<unknown>;
  /** Requests that are durable in the outbox and not in the log yet; undefined without an outbox. */
  readonly pending: PendingRequests | undefined;
  /** Records what an operator or the service did with the log as a whole: a verification, evidence, an export. Durable when it resolves. */
  readonly recordAudit: RecordAudit;
  /** Records that this node serves requests. Called once, when it listens. */
  recordStart(): void;
  /**
   * Waits until everything is durable, records the stop of this node as the last event of its streams, then gives the outbox a
   * moment to drain. Nothing can be recorded any more.
   * @returns the position of the stop in the log; the last position that this node knows if the log does not have it yet
   */
  stop(reason: StopReason): Promise<Position>;
}

/** @throws LogUnavailable */
export type RecordAudit = (event: Exclude<AuditEvent, NodeEvent>, cause: Cause) => Promise<void>;

/** How long a stop waits for this node to read the event of it back from EventStoreDB. */
const READ_BACK_TIMEOUT_MS = 1_000;

/** Records into the log if it is in the data folder, otherwise into the outbox. */
export async function createNodeRecords(options: NodeRecordsOptions): Promise<NodeRecords> {
  const { store, folder, hot, now, print } = options;
  const sink = (category: string, isTyped = false): EventSink =>
    createEventSink({
      log: store.outbox ?? store.log,
      node: folder.node,
      boot: folder.boot,
      category,
      isTyped,
    });
  const [requests, sessions, clocks, audits] = [
    sink('requests', true),
    sink('sessions'),
    sink('clocks'),
    sink('audits'),
  ];
  const recordClockJump = (jump: Jump) =>
    clocks.record({
      id: newEventId(),
      ...ClockJumped({ node: folder.node, ...jump }),
      time: now(),
      actor: { kind: 'system', reason: 'the clock of the machine is watched' },
      correlationId: newEventId(),
    });
  const recordAudit: RecordAudit = async (event, { actor, correlationId }) => {
    await audits.record({ ...event, id: newEventId(), time: now(), actor, correlationId });
  };
  const lifecycle = createLifecycleRecords({ sink: sink('nodes'), folder, hot, now, print });

  const mayBegin = () => !store.isFailing() && requests.mayBegin();
  const { outbox } = store;
  if (!outbox) {
    return {
      recordRequest: requests.record,
      mayBegin,
      recordSession: sessions.record,
      recordResult: undefined,
      recordClockJump,
      recordAudit,
      recordStart: lifecycle.recordStart,
      pending: undefined,
      stop: async (reason) =>
        (await lifecycle.recordStop(reason, [requests, sessions, clocks, audits])) ?? hot.state.position,
    };
  }
  const refreshes = sink('refreshes');
  const pending = await followOutbox(outbox, options);
  outbox.start();
  return {
    recordRequest: requests.record,
    mayBegin,
    // The hot state applied it before the log had it.
    recordSession: async (event) => {
      await sessions.record(event);
      return hot.state.position;
    },
    recordResult: createRefreshResultRecorder({ hot: hot.state, record: refreshes.record, now }),
    recordClockJump,
    recordAudit,
    recordStart: lifecycle.recordStart,
    pending,
    async stop(reason) {
      const isRecorded =
        (await lifecycle.recordStop(reason, [requests, sessions, clocks, audits, refreshes])) !== undefined;
      // The outbox has applied the event already: from now on only the log delivers it.
      const inLog = new Promise<Position>((resolve) => {
        hot.onFolded((event) => {
          if (event.type === 'NodeStopped' && event.data.boot === folder.boot) resolve(event.position);
        });
      });
      await outbox.close();
      const isDelivered = isRecorded && outbox.pending === 0;
      return (isDelivered ? await withTimeout(READ_BACK_TIMEOUT_MS, inLog) : undefined) ?? hot.state.position;
    },
  };
}

/**
 * Applies events as soon as they are durable in the outbox, first those that an earlier process left there. An event that
 * the log delivered before is skipped: the fold has it already.
 */
async function followOutbox(
  outbox: Outbox,
  { store, folder, hot, ledger, announced, limitClock }: NodeRecordsOptions,
): Promise<PendingRequests> {
  const pending = new PendingRequests(hot.state);
  const delivered = new DeliveredRevisions((stream) => stream.startsWith(`${folder.node}.`, stream.indexOf('-') + 1));

  function onDurable(event: RecordedEvent, isParked: boolean): void {
    // The log delivers what took the place of a parked event, never the event itself.
    if (isParked ? !CAN_COME_LATE.has(event.type) : delivered.has(event)) return;
    if (!event.stream.startsWith('requests-')) {
      hot.applyBeforeLog(event);
      return;
    }
    pending.onDurable(event);
    if (event.type === 'RequestCompleted' || event.type === 'RequestRefused') limitClock.follow(event.data);
    if (event.type !== 'RequestCompleted') return;
    // From here on `pending` counts it.
    ledger.release(event.data.requestId);
    announced.onDurable(event);
  }

  hot.onFolded((event) => {
    delivered.onDelivered(event);
    pending.onFolded(event);
  });
  // An append of the earlier process may have reached the store after the outbox was opened.
  for (const [stream, first] of outbox.earlierStreams) {
    await store.retryWhileUnavailable(() => delivered.addEarlier(store.log, stream, first, hot.state.position));
  }
  await outbox.follow((events, isParked) => {
    for (const event of events) onDurable(event, isParked);
  });
  return pending;
}
