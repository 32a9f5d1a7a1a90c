import { type Position, position } from '../../../domain/core/brands.ts';
import { ThreadEnded } from '../../../lib/threads/errors.ts';
import type { LogBreak } from '../../continuity.ts';
import type { LeaseEntry } from '../../leaseStreams.ts';
import { LogCannotStart } from '../../sqlite/database.ts';
import type { OnMarkFailure } from '../../sqlite/logMark.ts';
import { createReader, type Reader } from '../../sqlite/reader.ts';
import { compareNative, type NativePosition } from '../client/nativePosition.ts';
import { type MirrorLookup, openMirrorLookup } from './mirrorLookup.ts';
import type { MirrorSettings, VaultEntry } from './mirrorProtocol.ts';
import { connectMirror, type MirrorConnection } from './mirrorThread.ts';
import type { WriteFailure } from './reportNotWritten.ts';
import type { StoreFaults } from './storeFaults.ts';
import type { RulesOfStream } from './streamRules.ts';

export interface MirrorOptions extends MirrorSettings {
  /** Called when the mirror contains all events up to this position, before `waitUntilSeen` resolves. */
  readonly onProgress: (head: Position) => void;
  readonly onVaultEntries: (entries: readonly VaultEntry[]) => void;
  readonly onNodeLeases: (entries: readonly LeaseEntry[]) => void;
  /** Called with an event that does not continue the log before it. */
  readonly onBroken: (found: LogBreak) => void;
  readonly onMarkFailure?: OnMarkFailure | undefined;
  /** Called with rules of streams: first with all, then with those that were set or removed. */
  readonly onStreamRules: (rules: readonly RulesOfStream[]) => void;
  /** Called with the reason why rows of archived days stay; with undefined once they are removed. */
  readonly onRowsRemoved: (failure: string | undefined) => void;
  /** Called when the file cannot be written, and with undefined once it is written again. */
  readonly onNotWritten: (failure: WriteFailure | undefined) => void;
  /** Called once, when the log cannot be followed any further. */
  readonly onFailure: (error: Error) => void;
  /** Called with a line when the thread of the mirror ended. */
  readonly report: (line: string) => void;
  readonly storeFaults: StoreFaults;
}

/**
 * A copy of the history in the data folder, in which events are counted: EventStoreDB only has positions in `$all`, which
 * are not consecutive (docs/decisions/0005-positions.md). All reads use the copy, and each start resumes where the
 * previous run stopped.
 */
export interface Mirror {
  readonly head: Position;
  readonly reader: Reader;
  readonly lookup: MirrorLookup;
  /** Resolves with true once the mirror has handled all events of `$all` up to a position, or with false after `timeoutMs`. */
  waitUntilSeen(native: NativePosition, timeoutMs: number): Promise<boolean>;
  /** When the connection was lost, in milliseconds of `performance.now`; undefined while connected. */
  readonly cutOffSince: number | undefined;
  /** Whether the file takes what the store sends. */
  readonly isWritten: boolean;
  close(): Promise<void>;
}

interface Waiter {
  readonly native: NativePosition;
  readonly resolve: (hasSeen: boolean) => void;
}

const RESTART_MS = 1_000;
const BEFORE_FIRST_EVENT: NativePosition = { commit: -1n, prepare: -1n };

/** Starts a mirror. @throws LogCannotStart when the file cannot be opened */
export async function startMirror(options: MirrorOptions): Promise<Mirror> {
  const {
    path,
    settings,
    timing,
    markPath,
    onBroken,
    onMarkFailure,
    onStreamRules,
    onRowsRemoved,
    onNotWritten,
    onProgress,
    onVaultEntries,
    onNodeLeases,
    onFailure,
    report,
    storeFaults,
  } = options;
  let head = position(0);
  let seen = BEFORE_FIRST_EVENT;
  let waiters: Waiter[] = [];
  let cutOffSince: number | undefined = performance.now();
  let isWritten = true;
  let isClosed = false;
  let failure: Error | undefined;
  let isStarted = false;
  let served = 0;
  let restartTimer: NodeJS.Timeout | undefined;

  function advance(next: Position, native: NativePosition): void {
    if (compareNative(native, seen) > 0) seen = native;
    if (next !== head) {
      head = next;
      served = Math.max(served, head);
      onProgress(head);
    }
    const ready = waiters.filter((waiter) => compareNative(waiter.native, seen) <= 0);
    if (ready.length === 0) return;
    waiters = waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve(true);
  }

  function fail(error: Error): void {
    failure = error;
    for (const { resolve } of waiters) resolve(false);
    waiters = [];
    onFailure(error);
  }

  function connect(): MirrorConnection {
    return connectMirror(
      {
        progress: (reached) => advance(reached.head, reached.seen),
        vaultEntries: onVaultEntries,
        nodeLeases: onNodeLeases,
        broken: onBroken,
        streamRules: onStreamRules,
        rowsRemoved: onRowsRemoved,
        markWritten: onMarkFailure ?? (() => {}),
        fileReplaced: () =>
          report(`${path} was damaged, or made by another version of svc. It is copied again from EventStoreDB.`),
        notWritten(failure) {
          isWritten = failure === undefined;
          if (isWritten) cutOffSince = undefined;
          else cutOffSince ??= performance.now();
          onNotWritten(failure);
        },
        connected() {
          if (isWritten) cutOffSince = undefined;
          storeFaults.connected();
        },
        dropped(reason) {
          cutOffSince ??= performance.now();
          storeFaults.lost(reason);
        },
        replaced({ name }) {
          cutOffSince ??= performance.now();
          storeFaults.replaced(name === 'StoreForeign');
        },
      },
      (error) => report(`The thread that reads EventStoreDB ended: ${error.message}. Restarting it.`),
    );
  }

  /** Makes the thread open and follow the mirror; resolves when it has stopped. */
  async function run(): Promise<void> {
    const { channel } = connection;
    try {
      opened.resolve(await channel.request('open', { path, settings, timing, markPath }));
      await channel.request('follow', { isRunning: isStarted, served });
    } catch (error) {
      opened.reject(new LogCannotStart((error as Error).message));
      if (error instanceof ThreadEnded) {
        if (isStarted && !isClosed) restartLater();
        return;
      }
      fail(error as Error);
    }
    connection.close();
  }

  function restartLater(): void {
    cutOffSince ??= performance.now();
    restartTimer = setTimeout(() => {
      connection = connect();
      running = run();
    }, RESTART_MS);
  }

  const opened = Promise.withResolvers<Position>();
  let connection = connect();
  let running = run();
  head = await opened.promise;
  isStarted = true;
  const reader = createReader(path);
  const lookup = openMirrorLookup(path);
  onStreamRules(lookup.streamRules());

  return {
    get head() {
      return head;
    },
    get cutOffSince() {
      return cutOffSince;
    },
    get isWritten() {
      return isWritten;
    },
    reader,
    lookup,
    waitUntilSeen(native, timeoutMs) {
      if (compareNative(native, seen) <= 0) return Promise.resolve(true);
      if (failure || isClosed) return Promise.resolve(false);
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter);
          resolve(false);
        }, timeoutMs);
        const waiter: Waiter = {
          native,
          resolve(hasSeen) {
            clearTimeout(timer);
            resolve(hasSeen);
          },
        };
        waiters.push(waiter);
      });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(restartTimer);
      for (const { resolve } of waiters) resolve(false);
      waiters = [];
      // The writer closes last: a read-only connection cannot move the write-ahead log back into the file.
      reader.close();
      lookup.close();
      connection.channel.notify('stop');
      await running;
    },
  };
}
