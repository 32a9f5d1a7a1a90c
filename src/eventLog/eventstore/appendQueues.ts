import type { AppendOutcome } from '../eventLog.ts';
import { ID_TAKEN } from '../eventLog.ts';
import { chain } from '../hashChain.ts';
import type { PreparedAppend } from '../prepareAppend.ts';
import { appendOnce } from './appendOnce.ts';
import type { CatchUp } from './catchUp.ts';
import type { Connection } from './client/connection.ts';
import { NotCaughtUp } from './client/failures.ts';
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
  /** Waits until every append under way has its outcome. */
  settled(): Promise<void>;
}

interface Pending {
  readonly append: PreparedAppend;
  readonly settle: (outcome: AppendOutcome) => void;
}

/** Well below the least that a server takes, 1 MiB; beyond these numbers more at once gain little (B1.10, C.4). */
const MAX_EVENTS = 200;
const MAX_BYTES = 512 * 1_024;
const READ_BACK_MS = 5_000;

/**
 * Appends with one in flight for each stream; what waits behind it and continues it goes along in one (B1.10). The chain
 * of a stream goes on from the mirror, which therefore has to hold all that stands before: so an id that stands there
 * already is found too, for EventStoreDB would write it again.
 */
export function createAppendQueues({ connection, mirror, catchUp, deadlineMs }: AppendQueuesOptions): AppendQueues {
  const queues = new Map<string, Pending[]>();
  let underWay = 0;
  let whenIdle: (() => void)[] = [];

  async function run(stream: string, queue: Pending[]): Promise<void> {
    for (let most = MAX_EVENTS; queue.length > 0; ) {
      const before = queue.length;
      await step(stream, queue, most).catch((error: Error) => {
        queue.shift()?.settle({ kind: 'unknown', error });
      });
      // A group that is refused as a whole goes again one by one.
      most = queue.length === before ? 1 : MAX_EVENTS;
    }
    queues.delete(stream);
  }

  /** Takes one append, or several that continue each other, from the queue and gives them their outcome. */
  async function step(stream: string, queue: Pending[], most: number): Promise<void> {
    const { append: first } = queue[0] as Pending;
    let head = mirror.lookup.headOf(stream);
    // Of an append that is being mirrored a part may be there, of one that this one stands on nothing.
    if (head.revision !== first.expected && !repeated(first)) {
      await catchUp();
      head = mirror.lookup.headOf(stream);
    }
    if (head.revision !== first.expected) {
      queue.shift()?.settle(repeated(first) ?? { kind: 'conflict', actualRevision: head.revision });
      return;
    }
    if (mirror.lookup.hasAnyOf(first.events.map(({ id }) => id))) {
      // The mirror is written by its own thread: since the look at the head it may be this very append that was mirrored.
      await catchUp();
      queue.shift()?.settle(repeated(first) ?? { kind: 'rejected', reason: ID_TAKEN });
      return;
    }
    const group = takeGroup(queue, most, mirror);
    const outcome = await appendOnce(connection, {
      stream,
      expected: first.expected,
      events: chained(group, head.hash),
      deadlineMs,
    });
    switch (outcome.kind) {
      case 'committed':
        queue.splice(0, group.length);
        void readBack(group, outcome.position);
        return;
      case 'unknown':
        for (const { settle } of queue.splice(0, group.length)) settle(outcome);
        return;
      case 'rejected':
        if (group.length === 1) queue.shift()?.settle(outcome);
        return;
      case 'conflict':
        // Somebody was here before; it may have been ourselves, in an append of which nobody heard again.
        await catchUp();
        queue.shift()?.settle(repeated(first) ?? outcome);
    }
  }

  /** The outcome that an append had when it was made the first time; undefined when other events stand in its place. */
  function repeated({ stream, expected, events }: PreparedAppend): AppendOutcome | undefined {
    const there = mirror.lookup.eventsAfter(stream, expected, events.length);
    const last = there.at(-1);
    if (!last || !events.every(({ id }, index) => id === there[index]?.id)) return undefined;
    return { kind: 'committed', revision: expected + events.length, position: last.position };
  }

  /** What is written has its ordinal once it was mirrored. */
  async function readBack(group: readonly Pending[], native: NativePosition): Promise<void> {
    underWay += 1;
    await mirror.waitUntilSeen(native, READ_BACK_MS);
    for (const { append, settle } of group) settle(repeated(append) ?? { kind: 'unknown', error: new NotCaughtUp() });
    underWay -= 1;
    tellIdle();
  }

  function tellIdle(): void {
    if (queues.size > 0 || underWay > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
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
        void run(append.stream, started).then(tellIdle);
      }),
    async settled() {
      if (queues.size === 0 && underWay === 0) return;
      await new Promise<void>((resolve) => whenIdle.push(resolve));
    },
  };
}

/** The first append and those behind it that expect just what it leaves, as long as they fit. */
function takeGroup(queue: readonly Pending[], most: number, { lookup }: Mirror): Pending[] {
  const group: Pending[] = [];
  const ids = new Set<string>();
  let { expected } = (queue[0] as Pending).append;
  let bytes = 0;
  for (const pending of queue) {
    const { append } = pending;
    const added = append.events.map(({ id }) => id);
    bytes += append.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    const fits = ids.size + added.length <= most && bytes <= MAX_BYTES;
    const isNew = !added.some((id) => ids.has(id)) && (group.length === 0 || !lookup.hasAnyOf(added));
    if (group.length > 0 && !(append.expected === expected && fits && isNew)) break;
    group.push(pending);
    for (const id of added) ids.add(id);
    expected += append.events.length;
  }
  return group;
}

function chained(group: readonly Pending[], hash: string) {
  let previous = hash;
  return group.flatMap(({ append: { stream, expected, events, data } }) =>
    events.map((event, index) => {
      const link = chain(event, stream, expected + 1 + index, previous);
      previous = link.hash;
      return toWire(event, data[index], link);
    }),
  );
}
