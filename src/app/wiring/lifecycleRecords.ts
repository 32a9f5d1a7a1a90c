import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import {
  MAX_DETAIL_LENGTH,
  type NodeEvent,
  NodeStarted,
  NodeStopped,
  type StopReason,
} from '../../domain/audit/events.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventSink } from '../../eventLog/eventSink.ts';
import type { Print } from '../../lib/log/line.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { VERSION } from './version.ts';

export interface LifecycleRecordsOptions {
  /** Writes the streams `nodes-<node>.<boot>_<yyyymmdd>`. */
  readonly sink: EventSink;
  readonly folder: Pick<DataFolder, 'node' | 'boot'>;
  readonly hot: Pick<HotRunner, 'state'>;
  readonly now: () => Instant;
  readonly print: Print;
}

/** Records the start and the stop of this node. */
export interface LifecycleRecords {
  /** Called once, when the service listens. Does not wait for the log. */
  recordStart(): void;
  /**
   * Closes the other sinks of this node, then records the stop as the last event of its streams, also when the log takes it late.
   * @returns the position in the log or in the outbox; undefined if the stop is not durable within 2 s
   */
  recordStop(reason: StopReason, others: readonly EventSink[]): Promise<Position | undefined>;
}

/** How long the stop of a service waits for a log that does not take the event of it. */
const STOP_TIMEOUT_MS = 2_000;
const ACTOR = { kind: 'system', reason: 'nodes record their starts and stops' } as const;

export function createLifecycleRecords({ sink, folder, hot, now, print }: LifecycleRecordsOptions): LifecycleRecords {
  const { node, boot } = folder;
  const record = (event: NodeEvent): Promise<Position> =>
    sink.record({ ...event, id: newEventId(), time: now(), actor: ACTOR, correlationId: newEventId() });
  const reportUnrecorded = (what: string, reason: string): void =>
    print(`The ${what} of this node could not be recorded as an event: ${reason}. Nothing else is affected.`, {
      level: 'warn',
      code: 'node_event_unrecorded',
    });

  return {
    recordStart() {
      const before = hot.state.audit.nodes.get(node);
      const previous = before ? { boot: before.boot, stoppedAt: before.stopped?.at ?? null } : null;
      record(NodeStarted({ node, boot, version: VERSION, previous })).catch((error: Error) =>
        reportUnrecorded('start', error.message),
      );
    },

    async recordStop({ reason, detail }, others) {
      await Promise.all(others.map((other) => other.close()));
      const shown = detail?.slice(0, MAX_DETAIL_LENGTH).toWellFormed() ?? null;
      const recorded = record(NodeStopped({ node, boot, reason, detail: shown }));
      void sink.close();
      try {
        const position = await withTimeout(STOP_TIMEOUT_MS, recorded);
        if (position === undefined) reportUnrecorded('stop', 'the log does not respond');
        return position;
      } catch (error) {
        reportUnrecorded('stop', (error as Error).message);
        return undefined;
      }
    },
  };
}
