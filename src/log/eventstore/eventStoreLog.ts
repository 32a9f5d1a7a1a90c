import type { Position } from '../../domain/brands.ts';
import type { AppendOutcome, EventLog, StoredEvent, Subscription } from '../eventLog.ts';
import { type PreparedAppend, prepareAppend, Unwritable } from '../prepareAppend.ts';
import { type Follower, follow } from '../sqlite/follower.ts';
import { allEvents, streamEvents } from '../sqlite/readEvents.ts';
import { createAppendQueues } from './appendQueues.ts';
import { createCatchUp } from './catchUp.ts';
import { openConnection } from './connection.ts';
import { type ConnectionSettings, shownHosts } from './connectionString.ts';
import type { FollowTiming } from './mirror/followAll.ts';
import { startMirror } from './mirror/mirror.ts';
import type { VaultEntry } from './mirror/wire.ts';
import { waitForServer } from './waitForServer.ts';

export interface EventStoreLogOptions {
  readonly settings: ConnectionSettings;
  /** The file of the mirror. */
  readonly path: string;
  /** Named in the metadata of every event. */
  readonly node: string;
  /** Told while the server is waited for, and when the connection is lost or back. */
  readonly say: (line: string) => void;
  /** Ends the wait for the server. */
  readonly signal?: AbortSignal;
  readonly timing?: Partial<FollowTiming>;
}

const TELL_EVERY_MS = 5_000;

/**
 * The log in EventStoreDB (event-sourcing.md B1): appends go there, everything is read from the mirror in the data
 * folder, which a thread keeps up with it. Beyond the port, a subscriber whose `onEvents` returns nothing has seen an
 * append's events before that append's promise resolves.
 * @throws ServerTooOld | LogCannotStart | LogReplaced when the server lacks what was read from it before
 */
export async function openEventStoreLog(options: EventStoreLogOptions): Promise<EventLog> {
  const { settings, path, node, say, signal = new AbortController().signal, timing } = options;
  const followers = new Set<Follower>();
  let closing: Promise<void> | undefined;
  let failure: Error | undefined;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});

  const connection = openConnection(settings);
  const end = await waitForServer({ connection, hosts: shownHosts(settings), say, signal });
  const mirror = await startMirror({
    path,
    settings,
    timing,
    onProgress() {
      for (const follower of followers) follower.wake();
    },
    onVaultEntries: (_entries: readonly VaultEntry[]) => {},
    onFailure(error) {
      failure = error;
      failed.reject(error);
      for (const follower of followers) follower.fail(error);
    },
    report: say,
  });
  const telling = setInterval(
    () => say(`reading the log from EventStoreDB: ${mirror.head} events so far`),
    TELL_EVERY_MS,
  );
  try {
    while (end && !(await Promise.race([mirror.whenSeen(end, TELL_EVERY_MS), failed.promise]))) signal.throwIfAborted();
  } catch (error) {
    await mirror.close();
    await connection.close();
    throw error;
  } finally {
    clearInterval(telling);
  }
  const catchUp = createCatchUp(connection, mirror);
  const queues = createAppendQueues({ connection, mirror, catchUp });

  async function append(...[stream, expected, events, how]: Parameters<EventLog['append']>): Promise<AppendOutcome> {
    if (closing) return { kind: 'rejected', reason: 'the log is closed' };
    let prepared: PreparedAppend;
    try {
      prepared = prepareAppend(stream, expected, events, { ...how, node });
    } catch (error) {
      if (error instanceof Unwritable) return { kind: 'rejected', reason: error.message };
      throw error;
    }
    return queues.append(prepared);
  }

  function subscribe(...[after, subscriber]: Parameters<EventLog['subscribe']>): Subscription {
    const follower = follow({
      after,
      subscriber,
      head: () => mirror.head,
      page: mirror.reader.page,
      onEnd: () => followers.delete(follower),
    });
    followers.add(follower);
    if (failure) follower.fail(failure);
    return follower;
  }

  async function* readStream(stream: string, fromRevision = 0): AsyncGenerator<StoredEvent> {
    // Another node may have written to it.
    await catchUp();
    yield* streamEvents(mirror.reader, stream, fromRevision, mirror.head);
  }

  async function close(): Promise<void> {
    await queues.settled();
    for (const follower of followers) follower.stop();
    await mirror.close();
    await connection.close();
  }

  return {
    append,
    subscribe,
    readStream,
    readAll: (after: Position) => allEvents(mirror.reader, after, mirror.head),
    head: async () => mirror.head,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
