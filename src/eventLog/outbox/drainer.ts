import { type Position, position } from '../../domain/core/brands.ts';
import { pause } from '../../lib/pause.ts';
import { batchesByStream } from '../batchesByStream.ts';
import type { EventLog, StoredEvent } from '../eventLog.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';

/** Neighbours in one stream that are in the store now. */
export interface Drained {
  readonly stream: string;
  readonly count: number;
  /** Of the last of them, in the outbox. */
  readonly position: Position;
}

/** Whom a drainer tells. */
export interface DrainListener {
  readonly onDrained: (drained: Drained) => void;
  /** Told when it cannot go on, once for each kind of reason, and when it can again. */
  readonly report: (what: string | Error) => void;
}

export interface DrainerOptions extends DrainListener {
  readonly from: Pick<EventLog, 'readAll'>;
  readonly to: ReplicationTarget;
  /** Everything up to there is in the store; the beginning when absent. */
  readonly after?: Position;
}

export interface Drainer {
  /** There is something new. */
  wake(): void;
  /** What holds it up, while something does. */
  readonly trouble: string | undefined;
  /** Goes on for at most so long, until everything is drained or the store does not take it, then stops. */
  stop(timeoutMs: number): Promise<void>;
}

/** The store does not take what the outbox holds. */
export class CannotDrain extends Error {
  override readonly name = 'CannotDrain';
}

/** More at once gain little (event-sourcing.md B1.0), and these stay well below what the store takes. */
const MAX_PER_APPEND = 200;
/** What comes meanwhile goes along: an append costs as much as many events, and nobody waits for it. */
const BETWEEN_APPENDS_MS = 20;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/**
 * Brings the events of one log to where they belong, in order, with one append in flight, which is repeated until it is
 * known to have been written: so nothing is lost, doubled or overtaken, however often either side dies.
 */
export function startDrainer({ from, to, after = position(0), onDrained, report }: DrainerOptions): Drainer {
  const stopping = new AbortController();
  const { signal } = stopping;
  let cursor = after;
  let mostPerAppend = MAX_PER_APPEND;
  let trouble: { readonly kind: string; readonly text: string } | undefined;
  let hasNews = true;
  let onNews: (() => void) | undefined;
  let isLeaving = false;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      hasNews = false;
      const since = performance.now();
      for await (const run of batchesByStream(from.readAll(cursor), () => mostPerAppend)) {
        await deliver(run);
        if (signal.aborted) return;
      }
      if (!isLeaving) await pause(since + BETWEEN_APPENDS_MS - performance.now(), signal);
      if (hasNews) continue;
      if (isLeaving) return;
      await new Promise<void>((resolve) => {
        onNews = resolve;
      });
    }
  }

  function wake(): void {
    hasNews = true;
    onNews?.();
    onNews = undefined;
  }

  async function deliver(run: readonly StoredEvent[]): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let rest = run; rest.length > 0; ) {
      const taken = await attempt(rest.slice(0, mostPerAppend));
      if (taken > 0) {
        const last = rest[taken - 1] as StoredEvent;
        rest = rest.slice(taken);
        cursor = last.position;
        onDrained({ stream: last.stream, count: taken, position: cursor });
        pauseMs = FIRST_PAUSE_MS;
        continue;
      }
      if (isLeaving && trouble) stopping.abort();
      if (signal.aborted) return;
      if (trouble) await pause(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /** @returns how many of the events, from the first on, are in the store now */
  async function attempt(events: readonly StoredEvent[]): Promise<number> {
    const outcome = await to.append(events);
    switch (outcome.kind) {
      case 'committed':
        mostPerAppend = Math.min(2 * mostPerAppend, MAX_PER_APPEND);
        return goOn(events.length);
      case 'unknown':
        return hold('unknown', outcome.error.message);
      case 'rejected':
        // It may be too much at once, and one bad event must not keep back those before it.
        mostPerAppend = Math.ceil(events.length / 2);
        return events.length > 1 ? 0 : hold('rejected', outcome.reason);
      case 'conflict':
        return countThere(events, outcome.actualRevision);
    }
  }

  /** After a crash, or an append of unknown end, some may be there already, cut into other appends than now. */
  async function countThere(events: readonly StoredEvent[], actualRevision: number): Promise<number> {
    const { stream, revision } = events[0] as StoredEvent;
    if (actualRevision < revision - 1) {
      const text = `the store has ${stream} up to revision ${actualRevision}, but ${revision} is the next: it was restored from an older copy`;
      return hold('gap', text);
    }
    try {
      const ids = await to.idsOf(stream, revision, events.length);
      if (ids.every((id, index) => id === events[index]?.id)) return goOn(ids.length);
      return hold('fork', `the store has other events in ${stream} from revision ${revision} on than this node wrote`);
    } catch (error) {
      return hold('unknown', (error as Error).message);
    }
  }

  function hold(kind: string, text: string): 0 {
    const isNew = trouble?.kind !== kind;
    trouble = { kind, text };
    if (isNew) report(new CannotDrain(`events wait in the outbox: ${text}`));
    return 0;
  }

  function goOn(count: number): number {
    if (trouble && count > 0) {
      trouble = undefined;
      report('the store takes events from the outbox again');
    }
    return count;
  }

  const ended = run().catch((error: Error) => {
    trouble = { kind: 'failed', text: error.message };
    report(error);
  });

  return {
    wake,
    get trouble() {
      return trouble?.text;
    },
    async stop(patienceMs) {
      isLeaving = true;
      wake();
      const patience = setTimeout(() => stopping.abort(), patienceMs);
      await ended;
      clearTimeout(patience);
    },
  };
}
