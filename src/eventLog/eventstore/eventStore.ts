import { existsSync } from 'node:fs';
import type { Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Faults } from '../../lib/faults.ts';
import type { Print } from '../../lib/log/line.ts';
import type { KeyStreams } from '../../vault/keyStreams.ts';
import { archivePathOf } from '../archive/archiveFile.ts';
import type { SegmentStreams } from '../archive/segmentStreams.ts';
import type { CheckpointStream } from '../checkpointStream.ts';
import { type LogBreak, logBroken } from '../continuity.ts';
import { type AppendOutcome, type EventLog, LOG_CLOSED, type StoredEvent, type Subscription } from '../eventLog.ts';
import type { LeaseStreams } from '../leaseStreams.ts';
import { InvalidAppend, type PreparedAppend, prepareAppend } from '../prepareAppend.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';
import { type Follower, follow } from '../sqlite/follower.ts';
import { EMPTY_LOG } from '../sqlite/logEnd.ts';
import type { OnMarkFailure } from '../sqlite/logMark.ts';
import { readAllEvents, readStreamEvents } from '../sqlite/readEvents.ts';
import { createAppendQueues } from './appendQueues.ts';
import { createCatchUp } from './catchUp.ts';
import { type Connection, openConnection } from './client/connection.ts';
import { type ConnectionSettings, describeHosts } from './client/connectionString.ts';
import type { NativePosition } from './client/nativePosition.ts';
import { explainConnection } from './client/probeServer.ts';
import { createStartupRetry, type StartupRetry } from './client/startupRetry.ts';
import { waitForServer } from './client/waitForServer.ts';
import { createEventStoreCheckpointStream } from './eventStoreCheckpointStream.ts';
import { createEventStoreKeyStreams } from './eventStoreKeyStreams.ts';
import { createEventStoreLeaseStreams } from './eventStoreLeaseStreams.ts';
import { createEventStoreReplicationTarget } from './eventStoreReplicationTarget.ts';
import { createEventStoreSegments } from './eventStoreSegments.ts';
import { withoutArchived } from './mirror/archivedRules.ts';
import { findCommonEnd } from './mirror/commonEnd.ts';
import type { FollowTiming } from './mirror/followAll.ts';
import { startMirror } from './mirror/mirror.ts';
import type { VaultEntry } from './mirror/mirrorProtocol.ts';
import { reportArchivedRows } from './mirror/reportArchivedRows.ts';
import { reportNotWritten } from './mirror/reportNotWritten.ts';
import { confirmStore, type KnownStore, StoreLacksEvents } from './mirror/resumePoint.ts';
import { createStoreFaults } from './mirror/storeFaults.ts';
import { reportStreamRules } from './mirror/streamFaults.ts';
import { watchWrites } from './writeHealth.ts';

export interface EventStoreOptions {
  readonly settings: ConnectionSettings;
  /** Path of the mirror. */
  readonly path: string;
  /** Node id, written into the metadata of every event. */
  readonly node: string;
  /** Called with a line while waiting for the server. */
  readonly print: Print;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Aborts the wait for the server. */
  readonly signal?: AbortSignal;
  /** How long an append may take before its outcome is `unknown`. */
  readonly appendDeadlineMs?: number;
  /** Pause after the first failed attempt to reach the server; later pauses are longer. */
  readonly firstPauseMs?: number;
  readonly timing?: Partial<FollowTiming>;
  /** The file that says how far this node has read the history; no mark is kept without it. */
  readonly markPath?: string | undefined;
  readonly onMarkFailure?: OnMarkFailure | undefined;
  /** Pause between two checks whether the server takes writes again. */
  readonly writeProbeMs?: number;
  /** How long writes must fail before that is a problem in the status. */
  readonly noWritesAfterMs?: number;
}

/** The adapters of all ports that EventStoreDB serves, over one connection and one mirror. */
export interface EventStore {
  /**
   * Appends go to the server; all reads come from the mirror in the data folder, which a thread keeps up to date. Beyond
   * the contract of the port, a subscriber whose `onEvents` returns nothing has seen the events of an append before its
   * promise resolves. `readStream` catches up with the server first; `readAll` and `head` return what is mirrored.
   */
  readonly log: EventLog;
  /** For the outbox. */
  readonly replicationTarget: ReplicationTarget;
  readonly leases: LeaseStreams;
  /** Signed checkpoints, which all nodes know. */
  readonly checkpoints: CheckpointStream;
  /** Sealed segments, which all nodes read. */
  readonly segments: SegmentStreams;
  /** The first revision of each stream that is truncated, as far as the mirror has read. */
  truncations(): ReadonlyMap<string, number>;
  /** For the vault. */
  readonly keys: KeyStreams;
  /** When the connection was lost or writes began to fail, in milliseconds of `performance.now`; undefined while all works. */
  readonly cutOffSince: number | undefined;
  /** Whether the mirror takes what the server sends; true as well while no connection is there. */
  readonly isMirrorWritten: boolean;
  /** Finds out whether the server takes writes, when another part of this node had one fail. */
  checkWrites(): void;
  /** Resolves when the mirror contains everything that is in the store now. @throws MirrorBehind, or the store's error */
  catchUp(): Promise<void>;
  /** The last revision of a stream in the mirror; -1 if it has none. */
  lastRevision(stream: string): number;
  /** Events that do not continue the log before them, and that no operator has accepted. */
  breaks(): readonly LogBreak[];
  /** Retries other calls to the server during the start. */
  readonly retry: StartupRetry;
  /** Closes everything, the log included. */
  close(): Promise<void>;
}

/** An error of the mirror's thread has lost its class. */
const REPLACED: ReadonlySet<string> = new Set(['LogReplaced', 'StoreForeign']);

async function describeReplaced(error: Error, path: string, connection: Connection): Promise<Error> {
  if (!REPLACED.has(error.name)) return error;
  const found = await connection.call((client) => findCommonEnd(client, path), COMMON_END_MS).catch(() => EMPTY_LOG);
  return new StoreLacksEvents(error.message, found);
}

const COMMON_END_MS = 10_000;
const PROGRESS_INTERVAL_MS = 5_000;
const WRITE_PROBE_MS = 1_000;
const NO_WRITES_AFTER_MS = 5_000;

/**
 * Connects to EventStoreDB (docs/stores.md) and waits until the mirror has caught up.
 * @throws ServerTooOld | LogCannotStart | LogReplaced when the server lacks events that were read from it before
 */
export async function openEventStore(options: EventStoreOptions): Promise<EventStore> {
  const {
    settings,
    path,
    node,
    print,
    faults,
    signal = new AbortController().signal,
    timing,
    markPath,
    onMarkFailure,
    appendDeadlineMs,
    firstPauseMs,
    writeProbeMs = WRITE_PROBE_MS,
    noWritesAfterMs = NO_WRITES_AFTER_MS,
  } = options;
  const followers = new Set<Follower>();
  let onVaultEntries: (entries: readonly VaultEntry[]) => void = () => {};
  let closing: Promise<void> | undefined;
  let failure: Error | undefined;

  const hosts = describeHosts(settings);
  let known = (): KnownStore => ({ marks: [], installation: undefined });
  const connection = openConnection(
    settings,
    confirmStore(() => known()),
    (error) => writes.observe(error),
  );
  const storeFaults = createStoreFaults(faults, hosts);
  const writes = watchWrites({
    write: connection.write,
    probeMs: writeProbeMs,
    reportAfterMs: noWritesAfterMs,
    onFailing: storeFaults.writesFail,
    onWorking: storeFaults.writesWork,
  });
  const leases = createEventStoreLeaseStreams(connection);
  const retry = createStartupRetry({
    hosts,
    print,
    signal,
    explain: () => explainConnection(settings),
    ...(firstPauseMs !== undefined && { firstPauseMs }),
  });
  const end = await waitForServer(connection, retry);
  const mirror = await startMirror({
    path,
    settings,
    timing,
    markPath,
    onMarkFailure,
    onBroken: (found) => faults.raise(logBroken(path, found)),
    onStreamRules: (rules) => reportStreamRules(faults, withoutArchived(archivePathOf(path), rules)),
    onRowsRemoved: (failure) => reportArchivedRows(faults, path, failure),
    onNotWritten: (failure) => reportNotWritten(faults, path, failure),
    onProgress() {
      for (const follower of followers) follower.wake();
    },
    onVaultEntries: (entries) => onVaultEntries(entries),
    onNodeLeases: leases.onNodeLeases,
    onFailure(error) {
      failure = error;
      for (const follower of followers) follower.fail(error);
    },
    report: (line) => print(line, { level: 'warn', code: 'mirror_restarted' }),
    storeFaults,
  });
  known = mirror.lookup.knownStore;
  async function waitUntilSeen(native: NativePosition | undefined): Promise<void> {
    while (native && !(await mirror.waitUntilSeen(native, PROGRESS_INTERVAL_MS))) {
      if (failure) throw failure;
      signal.throwIfAborted();
    }
  }
  const progressTimer = setInterval(
    () => print(`Reading the log from EventStoreDB: ${mirror.head} events so far.`),
    PROGRESS_INTERVAL_MS,
  );
  try {
    await waitUntilSeen(end);
    // What was archived since is left out of the mirror, which is complete once it has the event that says so.
    if (existsSync(archivePathOf(path))) await waitUntilSeen(await waitForServer(connection, retry));
  } catch (error) {
    const described = await describeReplaced(error as Error, path, connection);
    await mirror.close();
    await connection.close();
    throw described;
  } finally {
    clearInterval(progressTimer);
  }
  // So that the first append need not wait for it. A failure is reported by the mirror, which has its own connection.
  await connection.confirm().catch(() => {});
  const catchUpMirror = createCatchUp(connection, mirror);
  const catchUp = async () => {
    if (failure) throw failure;
    await catchUpMirror();
  };
  const queues = createAppendQueues({ connection, mirror, catchUp, deadlineMs: appendDeadlineMs });

  async function append(
    ...[stream, expected, events, options]: Parameters<EventLog['append']>
  ): Promise<AppendOutcome> {
    if (closing) return { kind: 'rejected', reason: LOG_CLOSED };
    let prepared: PreparedAppend;
    try {
      prepared = prepareAppend(stream, expected, events, { ...options, node });
    } catch (error) {
      if (error instanceof InvalidAppend) return { kind: 'rejected', reason: error.message, isLogFine: true };
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
    // Other nodes may have written to the stream.
    await catchUp().catch((error: Error) => refuse('log_unavailable', { reason: error.message }));
    yield* readStreamEvents(mirror.reader, stream, fromRevision, mirror.head);
  }

  async function close(): Promise<void> {
    await queues.waitUntilSettled();
    writes.stop();
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
      readAll: (after: Position) => readAllEvents(mirror.reader, after, mirror.head),
      head: async () => mirror.head,
      close: closeOnce,
    },
    replicationTarget: createEventStoreReplicationTarget({ connection, lookup: mirror.lookup, catchUp }),
    leases,
    checkpoints: createEventStoreCheckpointStream(connection),
    segments: createEventStoreSegments(connection),
    truncations: () =>
      new Map(mirror.lookup.streamRules().map(({ stream, rules }) => [stream, rules.truncateBefore ?? 0])),
    keys: createEventStoreKeyStreams({
      connection,
      catchUp,
      streamNames: mirror.lookup.vaultStreams,
      onEntries(listener) {
        onVaultEntries = listener;
      },
    }),
    get cutOffSince() {
      const since = [mirror.cutOffSince, writes.failingSince].filter((time) => time !== undefined);
      return since.length > 0 ? Math.min(...since) : undefined;
    },
    get isMirrorWritten() {
      return mirror.isWritten;
    },
    checkWrites: writes.probe,
    catchUp,
    breaks: () => mirror.lookup.breaks(),
    lastRevision: (stream) => mirror.lookup.headOf(stream).revision,
    retry,
    close: closeOnce,
  };
}
