import { setMaxListeners } from 'node:events';
import { sleep } from '../../lib/sleep.ts';
import { whenAborted } from '../../lib/whenAborted.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import { verifierKey } from '../notes/noteKeys.ts';
import { parseOrigin } from '../published/logOrigin.ts';
import { CheckpointRefused, NotSigned } from './checkpointRefused.ts';
import type { Checkpoints, StoredCheckpoint } from './checkpoints.ts';
import { createPublishers } from './createPublishers.ts';
import type { KeepCheckpointsOptions } from './keepCheckpointsOptions.ts';
import { keepKeyFiles } from './keepKeyFiles.ts';
import { keepNotes } from './keptNotes.ts';
import type { NoteRecord } from './noteRecord.ts';
import { openNoteStore } from './noteStore.ts';
import { createPublishedHeads } from './publishedHeads.ts';
import { Signer } from './signer.ts';
import { signingOutcome } from './signingOutcome.ts';

const MINUTE_MS = 60_000;
/** How often a node looks for what other nodes have signed. */
const FOLLOW_INTERVAL_MS = 5_000;
/** After so many intervals without a checkpoint another node signs one. */
const OVERDUE = 2.5;
const MIN_DISTANCE_MS = 1_000;
const STOP_MS = 2_000;
const CHECK_NOTES_MS = 1_000;

/**
 * Signs a checkpoint every minute in which something happened, and publishes each. A minute ends with the clock's, so that the
 * last one of a day ends with the day (UTC).
 * @throws the error of SQLite when `checkpoints.sqlite` cannot be opened
 */
export function keepCheckpoints(options: KeepCheckpointsOptions): Checkpoints & { start(): void } {
  const { tree, key, earlierKeys, losses, head, places, post, shared, faults, lead } = options;
  const { now = Date.now, intervalMs = MINUTE_MS, followIntervalMs = FOLLOW_INTERVAL_MS } = options;
  const store = openNoteStore(options.path);
  const notes = keepNotes({
    store,
    path: options.path,
    markPath: options.markPath,
    isShared: shared !== undefined,
    faults,
  });
  const keyFiles = keepKeyFiles({ publicKeyPath: options.publicKeyPath, keyFile: options.keyFile, key, faults });
  const outcome = signingOutcome({ path: options.path, faults, isCutOff: options.isCutOff });
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const { witness, publishers } = createPublishers({ places, tree, store, post, faults, now, signal: stopping.signal });
  const witnesses = createPublishedHeads({ folder: places.folder, witness, store, tree, key, earlierKeys });
  const signer = new Signer({
    tree,
    store,
    shared,
    key,
    earlierKeys,
    losses,
    head,
    witnesses,
    known: notes.known,
    now,
  });
  let next: Promise<NoteRecord> | undefined;
  let signedAt = Number.NEGATIVE_INFINITY;
  let task: ReturnType<typeof lead> | undefined;
  let stopped: Promise<void> | undefined;
  let isClosed = false;
  let loops: Promise<void>[] = [];

  async function sign(position?: number): Promise<NoteRecord> {
    if (isClosed) throw new NotSigned('svc is stopping.');
    const before = store.last()?.seq ?? 0;
    try {
      const record = await signer.sign(position);
      keyFiles.writePublicKey(signer.vkey);
      outcome.onSigned();
      return record;
    } catch (error) {
      outcome.onNotSigned(error as Error);
      throw error;
    } finally {
      if (!isClosed && (store.last()?.seq ?? 0) > before) onNotes();
    }
  }

  function onNotes(): void {
    signedAt = performance.now();
    notes.note();
    for (const publisher of publishers) publisher.notify();
  }

  /** Several calls within a second share a signature. */
  function signSoon(): Promise<NoteRecord> {
    next ??= sleep(signedAt + MIN_DISTANCE_MS - performance.now(), stopping.signal).then(() => {
      next = undefined;
      return sign();
    });
    return next;
  }

  async function everyMinute(): Promise<void> {
    const { signal } = stopping;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      keyFiles.checkKey();
      if (!isFirst) keyFiles.writePublicKey();
      // A refusal may be over without an event.
      if (isFirst || outcome.refusal !== undefined || isDue()) await sign().catch(() => undefined);
      await sleep(intervalMs - (now() % intervalMs), signal);
    }
  }

  /** Any node may sign; the one that publishes does, unless it has another key or is cut off. */
  function isDue(): boolean {
    const last = store.lastCheckpoint();
    if (head() <= (last?.size ?? 0)) return false;
    return task?.isHere === true || now() - (last?.signedAt ?? 0) > OVERDUE * intervalMs;
  }

  async function checkNotes(): Promise<void> {
    while (!stopping.signal.aborted) {
      await notes.check();
      await sleep(CHECK_NOTES_MS, stopping.signal);
    }
  }

  async function follow(): Promise<void> {
    while (shared && !stopping.signal.aborted) {
      const before = store.last()?.seq ?? 0;
      await signer.refresh().catch(() => undefined);
      if (!isClosed && (store.last()?.seq ?? 0) > before) onNotes();
      await sleep(followIntervalMs, stopping.signal);
    }
  }

  /** Whether the tree still begins with that of a checkpoint: one of before a loss may have events that are lost. */
  const isOfPresentLog = ({ origin, size }: NoteRecord): boolean => {
    const loss = losses()[(parseOrigin(origin)?.number ?? 0) - 1];
    return (loss === undefined || size < loss.position) && !store.hasEnded(origin);
  };

  const toStored = (record: NoteRecord): StoredCheckpoint => {
    const { origin, size, root } = record;
    return { origin, size, root, note: store.noteOf(record), signedAt: record.signedAt };
  };

  function start(): void {
    if (task) return;
    void signer.findOrigin().catch(() => undefined);
    loops = [follow(), everyMinute(), checkNotes()];
    task = lead(async ({ signal }) => {
      const until = AbortSignal.any([signal, stopping.signal]);
      setMaxListeners(0, until);
      await Promise.all(publishers.map((publisher) => publisher.run(until)));
      await whenAborted(until);
    });
  }

  async function stop(position: number): Promise<void> {
    const stopped = performance.now() + STOP_MS;
    // What an earlier process did not publish, and the last checkpoint, also at a stop right after the start.
    start();
    await sign(position).catch(() => undefined);
    const last = store.last()?.seq ?? 0;
    if (task?.isHere) {
      // What is being retried is tried at once.
      const published = Promise.all(publishers.map((publisher) => publisher.flush(last, stopping.signal)));
      await withTimeout(Math.max(0, stopped - performance.now()), published);
    }
    stopping.abort();
    // A folder that does not respond must not hold up the end of the process.
    await withTimeout(STOP_MS, Promise.allSettled([...loops, task?.stop()]));
    await withTimeout(STOP_MS, notes.check());
    isClosed = true;
    notes.close();
    store.close();
  }

  return {
    get origin() {
      return signer.origin?.origin ?? store.lastCheckpoint()?.origin;
    },
    get vkey() {
      if (signer.vkey !== undefined) return signer.vkey;
      // Until the tree is open after a start, the origin is that of the last checkpoint.
      const last = store.lastCheckpoint();
      return last && isOfPresentLog(last) ? verifierKey(last.origin, options.key.publicKey).vkey : undefined;
    },
    get refusal() {
      return outcome.refusal;
    },
    get targets() {
      return publishers.map(({ status }) => status);
    },
    start,
    latest() {
      const last = store.lastCheckpoint();
      return last && toStored(last);
    },
    async covering(position) {
      const known = store.firstCovering(position, isOfPresentLog);
      if (known) return toStored(known);
      const record = await signSoon().catch((error: Error) => {
        const reason = error instanceof CheckpointRefused ? error.reason : error.message;
        throw new Error(`No checkpoint covers this event yet: ${reason}`, { cause: error });
      });
      if (record.size >= position) return toStored(record);
      throw new Error('No checkpoint covers this event yet: the tree of the log is behind. Retry in a second.');
    },
    between(from, to) {
      const [first, last] = [from, to].map((position) => store.firstCovering(position, isOfPresentLog));
      if (!first) return [];
      const end = last?.seq ?? store.last()?.seq ?? 0;
      return store.checkpointsBetween(first.seq, end).map(toStored);
    },
    keyChanges: () => store.keyChanges().map(({ note }) => note),
    stop(position) {
      stopped ??= stop(position);
      return stopped;
    },
  };
}
