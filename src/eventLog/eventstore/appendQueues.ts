import type { AppendOutcome } from '../eventLog.ts';
import { ID_TAKEN } from '../eventLog.ts';
import { sizeOfText } from '../eventSize.ts';
import { chainEvent } from '../hashChain.ts';
import type { PreparedAppend } from '../prepareAppend.ts';
import { appendOnce } from './appendOnce.ts';
import type { CatchUp } from './catchUp.ts';
import type { Connection } from './client/connection.ts';
import { MirrorBehind } from './client/failures.ts';
import type { NativePosition } from './client/nativePosition.ts';
import { toWire } from './client/wireEvent.ts';
import type { Mirror } from './mirror/mirror.ts';

export interface AppendQueuesOptions {
  readonly connection: Connection;
  readonly mirror: Mirror;
  readonly catchUp: CatchUp;
  readonly deadlineMs?: number | undefined;
}

export interface AppendQueues {
  append(append: PreparedAppend): Promise<AppendOutcome>;
  /** Resolves when every pending append has its outcome. */
  waitUntilSettled(): Promise<void>;
}

interface PendingAppend {
  readonly append: PreparedAppend;
  readonly settle: (outcome: AppendOutcome) => void;
}

/**
 * Well below the 1 MiB that every server accepts, of metadata as well as data (docs/stores.md#eventstoredb-size-of-an-append). Larger appends gain little
 * (docs/stores.md#eventstoredb-throughput).
 */
const MAX_EVENTS = 200;
const MAX_BYTES = 512 * 1_024;
const MIRROR_TIMEOUT_MS = 5_000;

/**
 * Makes appends, one at a time per stream. Queued appends that continue each other are sent as one. Before an append the
 * mirror must be up to date with the stream: the append continues the stream's hash chain, and an id that is already in
 * use must be found, because EventStoreDB would write it again (docs/stores.md#eventstoredb-repeating-an-append).
 */
export function createAppendQueues({ connection, mirror, catchUp, deadlineMs }: AppendQueuesOptions): AppendQueues {
  const queues = new Map<string, PendingAppend[]>();
  let unmirrored = 0;
  let idleWaiters: (() => void)[] = [];

  async function run(stream: string, queue: PendingAppend[]): Promise<void> {
    for (let maxEvents = MAX_EVENTS; queue.length > 0; ) {
      const before = queue.length;
      await appendNext(stream, queue, maxEvents).catch((error: Error) => {
        // Thrown before the append was sent, by what must be known first.
        queue.shift()?.settle({ kind: 'unknown', error, wasSent: false });
      });
      // The appends of a rejected group are sent one by one.
      maxEvents = queue.length === before ? 1 : MAX_EVENTS;
    }
    queues.delete(stream);
  }

  /** Makes the first append of the queue together with those that continue it, and settles them. */
  async function appendNext(stream: string, queue: PendingAppend[], maxEvents: number): Promise<void> {
    const { append: first } = queue[0] as PendingAppend;
    let head = mirror.lookup.headOf(stream);
    // The events that this append continues, or those of its first attempt, may not be mirrored yet.
    if (head.revision !== first.expected && !findOriginalOutcome(first)) {
      await catchUp();
      head = mirror.lookup.headOf(stream);
    }
    if (head.revision !== first.expected) {
      queue.shift()?.settle(findOriginalOutcome(first) ?? { kind: 'conflict', actualRevision: head.revision });
      return;
    }
    if (mirror.lookup.hasAnyOf(first.events.map(({ id }) => id))) {
      // The mirror's thread may have written the first attempt of this append since the lookup of the head.
      await catchUp();
      queue.shift()?.settle(findOriginalOutcome(first) ?? { kind: 'rejected', reason: ID_TAKEN, isLogFine: true });
      return;
    }
    const group = takeGroup(queue, maxEvents, mirror);
    const outcome = await appendOnce(connection, {
      stream,
      expected: first.expected,
      events: chainGroup(group, head.hash),
      deadlineMs,
    });
    switch (outcome.kind) {
      case 'committed':
        if (!outcome.position) await settleHidden(group);
        queue.splice(0, group.length);
        if (outcome.position) void settleOnceMirrored(group, outcome.position);
        return;
      case 'unknown':
        for (const { settle } of queue.splice(0, group.length)) settle(outcome);
        return;
      case 'rejected':
        if (group.length === 1) queue.shift()?.settle({ kind: 'rejected', reason: outcome.reason, isLogFine: true });
        return;
      case 'conflict':
        // The stream has other events, or those of an earlier attempt whose outcome was lost.
        await catchUp();
        queue.shift()?.settle(findOriginalOutcome(first) ?? outcome);
    }
  }

  /** The original outcome of a repeated append; undefined when the stream has other events at these revisions. */
  function findOriginalOutcome({ stream, expected, events }: PreparedAppend): AppendOutcome | undefined {
    const existing = mirror.lookup.eventsAfter(stream, expected, events.length);
    const last = existing.at(-1);
    if (!last || !events.every(({ id }, index) => id === existing[index]?.id)) return undefined;
    return { kind: 'committed', revision: expected + events.length, position: last.position };
  }

  /** Settles written appends once they are mirrored, because only the mirror knows their positions. */
  async function settleOnceMirrored(group: readonly PendingAppend[], native: NativePosition): Promise<void> {
    unmirrored += 1;
    await mirror.waitUntilSeen(native, MIRROR_TIMEOUT_MS);
    for (const { append, settle } of group)
      settle(findOriginalOutcome(append) ?? { kind: 'unknown', error: new MirrorBehind() });
    unmirrored -= 1;
    notifyIdle();
  }

  /** Settles a repeat of events that the server no longer shows. The mirror has them, unless a scavenge came first. */
  async function settleHidden(group: readonly PendingAppend[]): Promise<void> {
    await catchUp();
    for (const { append, settle } of group) settle(findOriginalOutcome(append) ?? hidden(append.stream));
  }

  function notifyIdle(): void {
    if (queues.size > 0 || unmirrored > 0) return;
    for (const resolve of idleWaiters) resolve();
    idleWaiters = [];
  }

  return {
    append: (append) =>
      new Promise((settle) => {
        const queue = queues.get(append.stream);
        if (queue) {
          queue.push({ append, settle });
          return;
        }
        const started = [{ append, settle }];
        queues.set(append.stream, started);
        void run(append.stream, started).then(notifyIdle);
      }),
    async waitUntilSettled() {
      if (queues.size === 0 && unmirrored === 0) return;
      await new Promise<void>((resolve) => idleWaiters.push(resolve));
    },
  };
}

const hidden = (stream: string): AppendOutcome => ({
  kind: 'rejected',
  reason: `EventStoreDB had these events of ${stream} and has removed them: the stream was truncated or deleted`,
  isLogFine: true,
});

/** The first append and those after it that continue it, within the limits of one append. */
function takeGroup(queue: readonly PendingAppend[], maxEvents: number, { lookup }: Mirror): PendingAppend[] {
  const group: PendingAppend[] = [];
  const ids = new Set<string>();
  let { expected } = (queue[0] as PendingAppend).append;
  let bytes = 0;
  for (const pending of queue) {
    const { append } = pending;
    const newIds = append.events.map(({ id }) => id);
    bytes += append.events.reduce((sum, { data, metadata }) => sum + sizeOfText(data, metadata), 0);
    const fits = ids.size + newIds.length <= maxEvents && bytes <= MAX_BYTES;
    const isNew = !newIds.some((id) => ids.has(id)) && (group.length === 0 || !lookup.hasAnyOf(newIds));
    if (group.length > 0 && !(append.expected === expected && fits && isNew)) break;
    group.push(pending);
    for (const id of newIds) ids.add(id);
    expected += append.events.length;
  }
  return group;
}

/** The events of a group for the client, chained to the last event of the stream. */
function chainGroup(group: readonly PendingAppend[], hash: string) {
  let previous = hash;
  return group.flatMap(({ append: { stream, expected, events } }) =>
    events.map((event, index) => {
      const link = chainEvent(event, stream, expected + 1 + index, previous);
      previous = link.hash;
      return toWire(event, link);
    }),
  );
}
