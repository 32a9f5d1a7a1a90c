import { setMaxListeners } from 'node:events';
import { remedyFor, remedyWhileRunning } from '../../dataFolder/fileErrors.ts';
import { damageIn } from '../../dataFolder/openDatabase.ts';
import type { Faults } from '../../lib/faults.ts';
import type { Post } from '../../lib/outgoing/post.ts';
import { sleep } from '../../lib/sleep.ts';
import { ThreadEnded } from '../../lib/threads/errors.ts';
import { whenAborted } from '../../lib/whenAborted.ts';
import { withTimeout } from '../../lib/withTimeout.ts';
import { keyFileProblem } from '../keys/keyFileProblem.ts';
import { type SigningKey, type VerifierKey, verifierKey } from '../notes/noteKeys.ts';
import { parseOrigin } from '../published/logOrigin.ts';
import type { Tree } from '../tree/tree.ts';
import { CheckpointRefused, NotSigned, REFUSAL_CODES } from './checkpointRefused.ts';
import type { Checkpoints, StoredCheckpoint } from './checkpoints.ts';
import { createFolderTarget } from './folderTarget.ts';
import { createHttpTarget } from './httpTarget.ts';
import { keepNotes } from './keptNotes.ts';
import type { NoteRecord, SharedNotes } from './noteRecord.ts';
import { NotesUnusable, openNoteStore } from './noteStore.ts';
import { publicKeyFile } from './publicKeyFile.ts';
import { createPublishedHeads } from './publishedHeads.ts';
import { Publisher } from './publisher.ts';
import { type AcceptedLoss, Signer } from './signer.ts';
import type { Target } from './target.ts';
import { createWitnessTarget } from './witnessTarget.ts';

/** Where checkpoints are published; each may be absent. */
export interface PublishingPlaces {
  readonly folder?: string | undefined;
  readonly url?: string | undefined;
  readonly witness?: { readonly url: string; readonly key: VerifierKey } | undefined;
}

export interface KeepCheckpointsOptions {
  /** `checkpoints.sqlite`. */
  readonly path: string;
  /** `checkpoints.mark`, which says how far that file reached. */
  readonly markPath: string;
  /** `checkpoint.pub`, which has the verifier key in text. */
  readonly publicKeyPath: string;
  readonly tree: Tree;
  readonly key: SigningKey;
  /** The file that the key was read from, if it was. */
  readonly keyFile?: string | undefined;
  /** Earlier keys that are at hand. */
  readonly earlierKeys: readonly SigningKey[];
  /** The accepted losses of the log, in order. */
  readonly losses: () => readonly AcceptedLoss[];
  /** Position of the last event of the log. */
  readonly head: () => number;
  readonly places: PublishingPlaces;
  readonly post: Post;
  /** Notes of a log that several nodes share. */
  readonly shared?: SharedNotes | undefined;
  /** Runs the work on one node of those that share the log. */
  readonly lead: (work: (term: { readonly signal: AbortSignal }) => Promise<void>) => {
    readonly isHere: boolean;
    stop(): Promise<void>;
  };
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Whether the store of the log is known to be unreachable. */
  readonly isCutOff?: () => boolean;
  readonly now?: () => number;
  /** Default: a minute. */
  readonly intervalMs?: number;
  readonly followIntervalMs?: number;
}

const MINUTE_MS = 60_000;
/** How often a node looks for what other nodes have signed. */
const FOLLOW_INTERVAL_MS = 5_000;
/** After so many intervals without a checkpoint another node signs one. */
const OVERDUE = 2.5;
const MIN_DISTANCE_MS = 1_000;
const STOP_MS = 2_000;
const CHECK_NOTES_MS = 1_000;
/** How long the status shows that a file was written again. */
const SHOWN_MS = 600_000;
/** A note is published with the cosignature of the witness if that comes within this. */
const COSIGNATURE_MS = 3_000;
const NO_PUBLIC_KEY = 'checkpoint_pub_not_written';
const PUBLIC_KEY_REWRITTEN = 'checkpoint_pub_replaced';
const NOT_SIGNED = 'checkpoint_not_signed';
const KEY_NOT_KEPT = 'checkpoint_key_not_kept';

/**
 * Signs a checkpoint every minute in which something happened, and publishes each. A minute ends with the clock's, so that the
 * last one of a day ends with the day (UTC).
 * @throws the error of SQLite when `checkpoints.sqlite` cannot be opened
 */
export function keepCheckpoints(options: KeepCheckpointsOptions): Checkpoints & { start(): void } {
  const { tree, key, earlierKeys, losses, head, places, post, shared, faults, lead } = options;
  const {
    isCutOff = () => false,
    now = Date.now,
    intervalMs = MINUTE_MS,
    followIntervalMs = FOLLOW_INTERVAL_MS,
  } = options;
  const store = openNoteStore(options.path);
  const notes = keepNotes({
    store,
    path: options.path,
    markPath: options.markPath,
    isShared: shared !== undefined,
    faults,
  });
  const publicKey = publicKeyFile(options.publicKeyPath);
  const witness =
    places.witness && createWitnessTarget({ ...places.witness, address: places.witness.url, tree, store, post });
  const targets: Target[] = [
    ...(witness ? [witness] : []),
    ...(places.folder === undefined ? [] : [createFolderTarget(places.folder)]),
    ...(places.url === undefined ? [] : [createHttpTarget(places.url, post)]),
  ];
  const publishers = targets.map(
    (target): Publisher =>
      new Publisher({ target, store, faults, now, beforeEach: target === witness ? undefined : cosigned }),
  );
  const witnessPublisher = witness && publishers[0];
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
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
  let refusal: string | undefined;
  let next: Promise<NoteRecord> | undefined;
  let signedAt = Number.NEGATIVE_INFINITY;
  let task: ReturnType<typeof lead> | undefined;
  let stopped: Promise<void> | undefined;
  let isClosed = false;
  let loops: Promise<void>[] = [];

  async function cosigned({ seq, kind }: NoteRecord): Promise<void> {
    if (!witnessPublisher || witnessPublisher.isFailing || kind !== 'checkpoint') return;
    await withTimeout(COSIGNATURE_MS, witnessPublisher.reached(seq, stopping.signal));
  }

  async function sign(position?: number): Promise<NoteRecord> {
    if (isClosed) throw new NotSigned('svc is stopping.');
    const before = store.last()?.seq ?? 0;
    try {
      const record = await signer.sign(position);
      writePublicKey(signer.vkey);
      setRefusal(undefined);
      faults.clear(NOT_SIGNED);
      return record;
    } catch (error) {
      fail(error as Error);
      throw error;
    } finally {
      if (!isClosed && (store.last()?.seq ?? 0) > before) onNotes();
    }
  }

  /** @param vkey that has just signed; without one, the file is only looked at */
  function writePublicKey(vkey?: string): void {
    try {
      if (publicKey.keep()) reportRewrittenKey();
      publicKey.write(vkey);
      faults.clear(NO_PUBLIC_KEY);
    } catch (error) {
      faults.raise({
        code: NO_PUBLIC_KEY,
        cause: `${options.publicKeyPath} cannot be written: ${(error as Error).message}.`,
        remedy: `${remedyFor(error, 'Let the user that runs svc write to the data folder.')} /api/integrity has the key, too.`,
      });
    }
  }

  function reportRewrittenKey(): void {
    faults.raise(
      {
        code: PUBLIC_KEY_REWRITTEN,
        cause: `${options.publicKeyPath} was deleted or changed while svc runs, and was written again.`,
        remedy:
          'You need not do anything. Who has read the file meanwhile should compare the key with the one of /api/integrity.',
      },
      { level: 'warn', overAfterMs: SHOWN_MS },
    );
  }

  function onNotes(): void {
    signedAt = performance.now();
    notes.note();
    for (const publisher of publishers) publisher.notify();
  }

  function fail(error: Error): void {
    // A harmed file is reported by the one that looks after it.
    if (error instanceof NotSigned || error instanceof NotesUnusable) return;
    if (error instanceof CheckpointRefused) {
      setRefusal(error);
      return;
    }
    if (isReportedElsewhere(error)) return;
    const damage = damageIn(error);
    faults.raise({
      code: NOT_SIGNED,
      cause: `No checkpoint could be signed: ${(damage?.cause ?? error.message).replace(/\.$/, '')}.`,
      remedy: damage?.remedy ?? remedyWhileRunning(error, 'svc tries again every minute.'),
    });
  }

  /** By the tree, whose thread reads the log, or by the connection to the store. */
  const isReportedElsewhere = (error: Error): boolean => {
    const damaged = damageIn(error)?.path;
    return error instanceof ThreadEnded || (damaged !== undefined && damaged !== options.path) || isCutOff();
  };

  function setRefusal(error: CheckpointRefused | undefined): void {
    refusal = error?.reason;
    for (const code of REFUSAL_CODES) if (code !== error?.code) faults.clear(code);
    if (error) faults.raise({ code: error.code, cause: error.reason, remedy: error.remedy });
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
      checkKeyFile();
      if (!isFirst) writePublicKey();
      // A refusal may be over without an event.
      if (isFirst || refusal !== undefined || isDue()) await sign().catch(() => undefined);
      await sleep(intervalMs - (now() % intervalMs), signal);
    }
  }

  /** The key in memory signs on, but a start after this one would refuse to sign without it. */
  function checkKeyFile(): void {
    const problem = options.keyFile === undefined ? undefined : keyFileProblem(options.keyFile, key);
    if (problem === undefined) {
      faults.clear(KEY_NOT_KEPT);
      return;
    }
    faults.raise({
      code: KEY_NOT_KEPT,
      cause: `${problem}: svc goes on signing checkpoints with the key that it has read, but would sign none after its next start.`,
      remedy: `Put the file back, for example from a backup, before svc is started again. If there is no copy, stop svc and run "svc accept-loss --checkpoint-key".`,
    });
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
      return refusal;
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
