import type { Faults } from '../../lib/faults.ts';
import type { ParkedSummary } from '../sqlite/park.ts';
import type { DrainTrouble } from './drainListener.ts';

interface OutboxFaultsOptions {
  /** Number of events that wait. */
  readonly pending: () => number;
  /** The file, for messages. */
  readonly path: string;
}

interface Fill {
  readonly pending: number;
  readonly parked: number;
  readonly maxEvents: number;
}

/** What an operator should know about an outbox. */
export interface OutboxFaults {
  trouble(trouble: DrainTrouble): void;
  /** @param stream undefined: the store accepts appends again */
  recovered(stream: string | undefined): void;
  hidden(stream: string): void;
  /** @param count of all events that were parked, of which these are the first */
  parked(first: readonly ParkedSummary[], count: number): void;
  /** The same for events that an earlier start parked: said again, but not one by one. */
  parkedBefore(first: readonly ParkedSummary[], count: number): void;
  parkedStream(stream: string, count: number, reason: string): void;
  full(isFull: boolean, fill: Fill): void;
  /** Why events wait. */
  readonly reason: string | undefined;
}

/** How many parked events are faults of their own. */
const MAX_NAMED = 20;
const MAX_NAMED_AT_START = 5;

/** Creates the faults of an outbox (docs/operation.md#what-is-wrong-now). */
export function createOutboxFaults(faults: Faults, { pending, path }: OutboxFaultsOptions): OutboxFaults {
  let storeReason: string | undefined;
  const streamReasons = new Map<string, string>();
  let named = 0;
  let total = 0;
  let wasFull = false;

  function summarize([first]: readonly ParkedSummary[]): void {
    const example = first && ` One is ${first.type} ${first.id} of ${first.stream}: ${first.reason}.`;
    faults.raise({
      code: 'events_parked',
      cause: `${total} events are parked in ${path}: EventStoreDB will never take them.${example ?? ''}`,
      remedy: `"svc outbox list" shows all of them. ${REMEDY}`,
    });
  }

  return {
    trouble({ stream, reason }) {
      if (stream === undefined) {
        storeReason = reason;
        faults.raise({
          code: 'outbox_waits',
          cause: `${countOf(pending())} in the outbox for EventStoreDB: ${reason}.`,
          remedy: 'Requests and sign-ins go on. Draining is retried until it succeeds; keep the data folder.',
        });
        return;
      }
      streamReasons.set(stream, reason);
      faults.raise({
        code: 'stream_waits',
        subject: stream,
        cause: `Events of ${stream} wait in the outbox: ${reason}.`,
        remedy: 'Other streams go on. The append is retried; events that the store will never take are parked.',
      });
    },
    recovered(stream) {
      if (stream === undefined) {
        storeReason = undefined;
        faults.clear('outbox_waits', undefined, 'EventStoreDB accepts events from the outbox again.');
        return;
      }
      streamReasons.delete(stream);
      faults.clear('stream_waits', stream, `Events of ${stream} do not wait in the outbox any more.`);
    },
    hidden(stream) {
      faults.raise({
        code: 'stream_truncated',
        subject: stream,
        cause: `EventStoreDB has hidden events of ${stream}: the stream was truncated or deleted. A scavenge removes them.`,
        remedy:
          'This node has them in its copy. Remove $maxCount, $maxAge and $tb from the metadata of the stream before a ' +
          'scavenge, and export the history (svc export).',
      });
    },
    parked(first, count) {
      for (const { id, type, stream, bytes, reason } of first.slice(0, MAX_NAMED - named)) {
        named += 1;
        faults.raise({
          code: 'event_parked',
          subject: id,
          cause: `${type} ${id} of ${stream} (${bytes} bytes) is parked in ${path}: ${reason}.`,
          remedy: REMEDY,
        });
      }
      total += count;
      if (total > MAX_NAMED) summarize(first);
    },
    parkedBefore(first, count) {
      if (count <= MAX_NAMED_AT_START) {
        this.parked(first, count);
        return;
      }
      total += count;
      summarize(first);
    },
    parkedStream(stream, count, reason) {
      faults.raise({
        code: 'stream_parked',
        subject: stream,
        cause: `${count} events of ${stream} are parked in ${path}: ${reason}. The node goes on in another stream.`,
        remedy: REMEDY_OF_STREAM,
      });
    },
    full(isFull, fill) {
      if (isFull === wasFull) return;
      wasFull = isFull;
      if (!isFull) {
        faults.clear('outbox_full', undefined, 'The outbox has room again; model requests are served.');
        return;
      }
      faults.raise({
        code: 'outbox_full',
        cause:
          `The outbox is full (${fill.pending} waiting and ${fill.parked} parked events, limit ${fill.maxEvents}): new model ` +
          'requests get 503 outbox_full.',
        remedy:
          fill.parked > 0
            ? 'It ends when EventStoreDB takes the events. To remove parked ones: svc outbox export FILE --remove.'
            : 'It ends when EventStoreDB takes the events. SVC_OUTBOX_MAX_EVENTS is the limit.',
      });
    },
    get reason() {
      return storeReason ?? streamReasons.values().next().value;
    },
  };
}

const countOf = (pending: number): string => (pending === 1 ? '1 event waits' : `${pending} events wait`);

const REMEDY =
  'Nothing is lost, and the events behind it go on. Stop svc to retry it (svc outbox retry), for instance after raising ' +
  '--max-append-size of the server, or to take it out (svc outbox export FILE --remove).';

/** No limit of the server keeps a stream's events out. */
const REMEDY_OF_STREAM =
  'Nothing is lost, and other streams go on. Stop svc to put the events into a stream of their own (svc outbox retry), or to take ' +
  'them out (svc outbox export FILE --remove).';
