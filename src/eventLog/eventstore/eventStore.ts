import type { Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { KeyStreams } from '../../vault/keyStreams.ts';
import type { AppendOutcome, EventLog, StoredEvent, Subscription } from '../eventLog.ts';
import type { LeaseStreams } from '../leaseStreams.ts';
import { InvalidAppend, type PreparedAppend, prepareAppend } from '../prepareAppend.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';
import { type Follower, follow } from '../sqlite/follower.ts';
import { allEvents, streamEvents } from '../sqlite/readEvents.ts';
import { createAppendQueues } from './appendQueues.ts';
import { createCatchUp } from './catchUp.ts';
import { openConnection } from './client/connection.ts';
import { type ConnectionSettings, describeHosts } from './client/connectionString.ts';
import { createStartupRetry, type StartupRetry } from './client/startupRetry.ts';
import { waitForServer } from './client/waitForServer.ts';
import { createEventStoreKeyStreams } from './eventStoreKeyStreams.ts';
import { createEventStoreLeaseStreams } from './eventStoreLeaseStreams.ts';
import { createEventStoreReplicationTarget } from './eventStoreReplicationTarget.ts';
import type { FollowTiming } from './mirror/followAll.ts';
import { startMirror } from './mirror/mirror.ts';
import type { VaultEntry } from './mirror/mirrorProtocol.ts';

export interface EventStoreOptions {
  readonly settings: ConnectionSettings;
  /** The file of the mirror. */
  readonly path: string;
  /** Named in the metadata of every event. */
  readonly node: string;
  /** Told while the server is waited for, and when the connection is lost or back. */
  readonly say: (line: string) => void;
  /** Ends the wait for the server. */
  readonly signal?: AbortSignal;
  /** So long an append may take before its outcome is unknown. */
  readonly appendDeadlineMs?: number;
  /** After the first attempt to reach the server; later pauses are longer. */
  readonly firstPauseMs?: number;
  readonly timing?: Partial<FollowTiming>;
}

/** Everything that svc keeps in EventStoreDB. */
export interface EventStore {
  /**
   * Appends go to the server, everything is read from the mirror in the data folder, which a thread keeps up with it.
   * Beyond the port, a subscriber whose `onEvents` returns nothing has seen an append's events before that append's
   * promise resolves. `readStream` asks the server first; `readAll` and `head` go by what this node has seen.
   */
  readonly log: EventLog;
  /** For the outbox. */
  readonly replicationTarget: ReplicationTarget;
  readonly leases: LeaseStreams;
  /** For the vault. */
  readonly keys: KeyStreams;
  /** Since when, in milliseconds of `performance.now`, nothing can be heard of other nodes; undefined while it can. */
  readonly cutOffSince: number | undefined;
  /** Resolves once this node has read everything that stands in the store now. @throws why it cannot */
  catchUp(): Promise<void>;
  /** For what a start needs of the server beside these. */
  readonly retry: StartupRetry;
  /** Closes the log too. */
  close(): Promise<void>;
}

const TELL_EVERY_MS = 5_000;

/**
 * Opens the log in EventStoreDB (event-sourcing.md B1) and what stands beside it, and waits until the mirror has caught
 * up.
 * @throws ServerTooOld | LogCannotStart | LogReplaced when the server lacks what was read from it before
 */
export async function openEventStore(options: EventStoreOptions): Promise<EventStore> {
  const {
    settings,
    path,
    node,
    say,
    signal = new AbortController().signal,
    timing,
    appendDeadlineMs,
    firstPauseMs,
  } = options;
  const followers = new Set<Follower>();
  let tellVault: (entries: readonly VaultEntry[]) => void = () => {};
  let closing: Promise<void> | undefined;
  let failure: Error | undefined;

  const connection = openConnection(settings);
  const patiently = createStartupRetry({
    hosts: describeHosts(settings),
    say,
    signal,
    ...(firstPauseMs !== undefined && { firstPauseMs }),
  });
  const end = await waitForServer(connection, patiently);
  const mirror = await startMirror({
    path,
    settings,
    timing,
    onProgress() {
      for (const follower of followers) follower.wake();
    },
    onVaultEntries: (entries) => tellVault(entries),
    onFailure(error) {
      failure = error;
      for (const follower of followers) follower.fail(error);
    },
    report: say,
  });
  const telling = setInterval(
    () => say(`reading the log from EventStoreDB: ${mirror.head} events so far`),
    TELL_EVERY_MS,
  );
  try {
    while (end && !(await mirror.waitUntilSeen(end, TELL_EVERY_MS))) {
      if (failure) throw failure;
      signal.throwIfAborted();
    }
  } catch (error) {
    await mirror.close();
    await connection.close();
    throw error;
  } finally {
    clearInterval(telling);
  }
  const heard = createCatchUp(connection, mirror);
  const catchUp = async () => {
    if (failure) throw failure;
    await heard();
  };
  const queues = createAppendQueues({ connection, mirror, catchUp, deadlineMs: appendDeadlineMs });

  async function append(...[stream, expected, events, how]: Parameters<EventLog['append']>): Promise<AppendOutcome> {
    if (closing) return { kind: 'rejected', reason: 'the log is closed' };
    let prepared: PreparedAppend;
    try {
      prepared = prepareAppend(stream, expected, events, { ...how, node });
    } catch (error) {
      if (error instanceof InvalidAppend) return { kind: 'rejected', reason: error.message };
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
    await catchUp().catch((error: Error) => refuse('log_unavailable', { reason: error.message }));
    yield* streamEvents(mirror.reader, stream, fromRevision, mirror.head);
  }

  async function close(): Promise<void> {
    await queues.settled();
    for (const follower of followers) follower.stop();
    await mirror.close();
    await connection.close();
  }

  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  return {
    log: {
      append,
      subscribe,
      readStream,
      readAll: (after: Position) => allEvents(mirror.reader, after, mirror.head),
      head: async () => mirror.head,
      close: closeOnce,
    },
    replicationTarget: createEventStoreReplicationTarget(connection),
    leases: createEventStoreLeaseStreams(connection),
    keys: createEventStoreKeyStreams({
      connection,
      catchUp,
      streamNames: mirror.lookup.vaultStreams,
      onEntries(listener) {
        tellVault = listener;
      },
    }),
    get cutOffSince() {
      return mirror.cutOffSince;
    },
    catchUp,
    retry: patiently,
    close: closeOnce,
  };
}
