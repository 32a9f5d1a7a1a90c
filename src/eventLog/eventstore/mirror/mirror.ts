import type { MessagePort } from 'node:worker_threads';
import { type Position, position } from '../../../domain/core/brands.ts';
import { LogCannotStart } from '../../sqlite/database.ts';
import { createReader, type Reader } from '../../sqlite/reader.ts';
import { compareNative, type NativePosition } from '../client/nativePosition.ts';
import { type MirrorLookup, openMirrorLookup } from './mirrorLookup.ts';
import type { FromMirror, MirrorSettings, VaultEntry } from './mirrorProtocol.ts';
import { keepMirror } from './mirrorThread.ts';

export interface MirrorOptions extends MirrorSettings {
  /** The mirror holds everything up to this position; told before anybody who waits for it. */
  readonly onProgress: (head: Position) => void;
  readonly onVaultEntries: (entries: readonly VaultEntry[]) => void;
  /** The log cannot be followed any more; told once. */
  readonly onFailure: (error: Error) => void;
  /** Told when the connection to the server is lost, and when it is back. */
  readonly report: (line: string) => void;
}

/**
 * A copy of the history in the data folder, in which every event has its ordinal. EventStoreDB knows only places in
 * `$all`: here positions are looked up, the past is read and a start begins where the last one ended.
 */
export interface Mirror {
  readonly head: Position;
  readonly reader: Reader;
  readonly lookup: MirrorLookup;
  /** Resolves once everything in `$all` up to here was handled, or with false when that takes longer. */
  waitUntilSeen(native: NativePosition, timeoutMs: number): Promise<boolean>;
  /** Since when, in milliseconds of `performance.now`, no events can come; undefined while they can. */
  readonly cutOffSince: number | undefined;
  close(): Promise<void>;
}

interface Waiter {
  readonly native: NativePosition;
  readonly resolve: (hasSeen: boolean) => void;
}

const RESTART_MS = 1_000;
const NOTHING: NativePosition = { commit: -1n, prepare: -1n };

/** Starts to keep it. @throws LogCannotStart when the file cannot be opened */
export async function startMirror(options: MirrorOptions): Promise<Mirror> {
  const { path, settings, timing, onProgress, onVaultEntries, onFailure, report } = options;
  let head = position(0);
  let seen = NOTHING;
  let waiters: Waiter[] = [];
  let cutOffSince: number | undefined = performance.now();
  let isDropped = false;
  let isClosed = false;
  let failure: Error | undefined;
  let restarting: NodeJS.Timeout | undefined;

  function advance(next: Position, native: NativePosition): void {
    if (compareNative(native, seen) > 0) seen = native;
    if (next !== head) {
      head = next;
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

  function onMessage(message: FromMirror): void {
    switch (message.kind) {
      case 'started':
        return;
      case 'progress':
        advance(message.head, message.seen);
        return;
      case 'vault':
        onVaultEntries(message.entries);
        return;
      case 'connected':
        if (isDropped) report('EventStoreDB is followed again');
        isDropped = false;
        cutOffSince = undefined;
        return;
      case 'dropped':
        if (!isDropped) report(`EventStoreDB cannot be followed: ${message.reason}`);
        isDropped = true;
        cutOffSince ??= performance.now();
        return;
      case 'failed':
        fail(errorOf(message));
    }
  }

  function start(): MessagePort {
    const started = keepMirror({ path, settings, timing }, (error) =>
      report(`the thread that follows EventStoreDB ended: ${error.message}`),
    );
    started.on('message', onMessage);
    started.once('close', () => {
      if (isClosed || failure) return;
      cutOffSince ??= performance.now();
      restarting = setTimeout(() => {
        port = start();
      }, RESTART_MS);
    });
    return started;
  }

  let port = start();
  head = await firstHead(port);
  const reader = createReader(path);
  const lookup = openMirrorLookup(path);

  return {
    get head() {
      return head;
    },
    get cutOffSince() {
      return cutOffSince;
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
      clearTimeout(restarting);
      for (const { resolve } of waiters) resolve(false);
      waiters = [];
      // The writer goes last: a connection that only reads cannot put the journal back into the file.
      reader.close();
      lookup.close();
      if (failure) return;
      const ended = new Promise<void>((resolve) => port.once('close', resolve));
      port.postMessage('close');
      await ended;
    },
  };
}

function firstHead(port: MessagePort): Promise<Position> {
  return new Promise((resolve, reject) => {
    port.once('message', (message: FromMirror) => {
      if (message.kind === 'started') resolve(message.head);
      else if (message.kind === 'failed') reject(new LogCannotStart(message.message));
    });
    port.once('close', () => reject(new LogCannotStart('the thread that follows EventStoreDB ended')));
  });
}

const errorOf = ({ name, code, message }: FromMirror & { kind: 'failed' }): Error =>
  Object.assign(new Error(message), { name, code });
