import { position } from '../../domain/core/brands.ts';
import { type AppendOutcome, type EventLog, LOG_CLOSED, type Subscription } from '../eventLog.ts';
import { InvalidAppend, type PreparedAppend, prepareAppend } from '../prepareAppend.ts';
import { type Follower, follow } from './follower.ts';
import { type GroupCommit, type GroupCommitOptions, startGroupCommit } from './groupCommit.ts';
import type { Parked, ParkRequest } from './park.ts';
import type { PruneRange } from './prune.ts';
import { readAllEvents, readStreamEvents } from './readEvents.ts';
import { createReader, type Reader } from './reader.ts';

export interface SqliteEventLogOptions
  extends Pick<
    GroupCommitOptions,
    'path' | 'maxBytes' | 'writer' | 'mark' | 'onMarkFailure' | 'onJournalFault' | 'timeoutMs' | 'archivePath'
  > {
  /** Node id, written into the metadata of every event. */
  readonly node: string;
}

export interface SqliteEventLog extends EventLog, Pick<GroupCommit, 'removeRows' | 'restoreRows'> {
  /** Proves that a write is durable and that there is room for an event. Rejects when that fails. */
  probe(): Promise<void>;
}

/** A log that is not the history, so events can be deleted. */
export interface PrunableEventLog extends SqliteEventLog {
  /**
   * Deletes events in the background. A stream continues after its last event that was kept; positions always continue.
   */
  prune(ranges: readonly PruneRange[]): void;
  /** Moves events that the store will never take out of their stream. @throws the error of SQLite, or ThreadEnded */
  park(request: ParkRequest): Promise<Parked>;
}

/**
 * Opens the embedded log: one SQLite file with one writer in a worker thread. An append resolves after its commit was
 * synced. Beyond the contract of the port, a subscriber whose `onEvents` returns nothing has seen the events of an append
 * before its promise resolves.
 * @throws LogCannotStart when the file cannot be opened or SQLite ignores a durability setting
 */
export const createSqliteEventLog = (options: SqliteEventLogOptions): Promise<SqliteEventLog> =>
  openPrunableLog(options);

/** Opens a log whose events can be deleted; otherwise the same as `createSqliteEventLog`. */
export async function openPrunableLog({ node, ...file }: SqliteEventLogOptions): Promise<PrunableEventLog> {
  let head = position(0);
  let closing: Promise<void> | undefined;
  const followers = new Set<Follower>();

  const commits = await startGroupCommit({
    ...file,
    onStarted: (lastPosition) => {
      head = lastPosition;
      for (const follower of followers) follower.wake();
    },
    onCommitted: (batch) => {
      head = batch.at(-1)?.position ?? head;
      for (const follower of followers) follower.publish(batch);
    },
  });
  const reader = await openReader(file.path, commits);

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
    return commits.append(prepared);
  }

  function subscribe(...[after, subscriber]: Parameters<EventLog['subscribe']>): Subscription {
    const follower = follow({
      after,
      subscriber,
      head: () => head,
      page: reader.page,
      onEnd: () => followers.delete(follower),
    });
    followers.add(follower);
    return follower;
  }

  async function close(): Promise<void> {
    await commits.waitUntilSettled();
    for (const follower of followers) follower.stop();
    // The writer closes last: a read-only connection cannot move the write-ahead log back into the file. One that was cut must
    // not be moved: what comes from behind the gap does not fit the rest.
    if (commits.isJournalCut) {
      await commits.close();
      reader.close();
      return;
    }
    reader.close();
    await commits.close();
  }

  return {
    append,
    subscribe,
    prune: commits.prune,
    park: commits.park,
    removeRows: commits.removeRows,
    restoreRows: commits.restoreRows,
    probe: commits.probe,
    close: () => {
      closing ??= close();
      return closing;
    },
    readStream: (stream, fromRevision = 0) => readStreamEvents(reader, stream, fromRevision, head),
    readAll: (after) => readAllEvents(reader, after, head),
    head: async () => head,
  };
}

async function openReader(path: string, commits: GroupCommit): Promise<Reader> {
  try {
    return createReader(path);
  } catch (error) {
    await commits.close();
    throw error;
  }
}
