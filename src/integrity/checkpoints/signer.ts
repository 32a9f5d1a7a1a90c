import { signKeyChange } from '../keys/keyChange.ts';
import { ProofError, verifyConsistency } from '../merkle/proofs.ts';
import { openCheckpoint, signCheckpoint } from '../notes/checkpoint.ts';
import { type SigningKey, verifierKey } from '../notes/noteKeys.ts';
import { type Continuation, formatContinuation } from '../published/continuation.ts';
import { type LogOrigin, logOrigin, parseOrigin } from '../published/logOrigin.ts';
import type { PublishedHead } from '../published/publishedFolder.ts';
import type { Tree } from '../tree/tree.ts';
import { CheckpointRefused, NotSigned } from './checkpointRefused.ts';
import type { NoteMark } from './keptNotes.ts';
import type { NoteRecord, SharedNotes } from './noteRecord.ts';
import type { NoteStore } from './noteStore.ts';

/** An accepted loss of the log or of its key, in the order of the log. */
export interface AcceptedLoss {
  readonly position: number;
  /** The key of the log was lost. */
  readonly isOfKey: boolean;
}

/** What others have of the log, looked at before each signature. */
export interface Witnesses {
  /** The largest checkpoints that are published under an origin. */
  heads(origin: LogOrigin): Promise<readonly PublishedHead[]>;
  /** The newest checkpoint of the origins before this one. */
  before(origin: LogOrigin): Promise<PublishedHead | undefined>;
}

export interface SignerOptions {
  readonly tree: Pick<Tree, 'size' | 'reached' | 'root' | 'consistencyProof' | 'entry'>;
  readonly store: NoteStore;
  /** With a log that several nodes share. */
  readonly shared?: SharedNotes | undefined;
  readonly key: SigningKey;
  /** Earlier keys that are at hand, to sign a change of the key. */
  readonly earlierKeys: readonly SigningKey[];
  readonly losses: () => readonly AcceptedLoss[];
  /** Position of the last event of the log. */
  readonly head: () => number;
  readonly witnesses: Witnesses;
  /** The last note that an earlier process has signed here, also if the store lacks it. */
  readonly known: NoteMark | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const TREE_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 3;

/** Signs checkpoints one after the other, none that could contradict one that was signed or published before. */
export class Signer {
  readonly #options: SignerOptions;
  readonly #publicKey: string;
  #queue: Promise<unknown> = Promise.resolve();
  #origin: { readonly losses: number; readonly origin: LogOrigin } | undefined;

  constructor(options: SignerOptions) {
    this.#options = options;
    this.#publicKey = options.key.publicKey.toString('hex');
  }

  /** The origin as far as it is known: undefined before the first event. */
  get origin(): LogOrigin | undefined {
    return this.#origin?.origin;
  }

  /** The public key as text whose name is the origin. */
  get vkey(): string | undefined {
    return this.origin && verifierKey(this.origin.origin, this.#options.key.publicKey).vkey;
  }

  /** Resolves with the present origin; with undefined while the tree does not have the events that it is derived from. */
  async findOrigin(): Promise<LogOrigin | undefined> {
    const { tree, losses } = this.#options;
    const accepted = losses();
    if (this.#origin?.losses === accepted.length) return this.#origin.origin;
    const last = accepted.at(-1);
    const first = await tree.entry(0);
    const lastEntry = last && (await tree.entry(last.position - 1));
    if (!first || (last && !lastEntry)) return undefined;
    const origin = logOrigin(first, lastEntry && { count: accepted.length, lastEntry });
    this.#origin = { losses: accepted.length, origin };
    return origin;
  }

  async #synchronize(): Promise<void> {
    const { shared, store } = this.#options;
    if (!shared) return;
    const after = store.last()?.seq ?? 0;
    const notes = await shared.readAfter(after);
    if (!notes) throw lostNotes(after);
    for (const { record, published } of notes) {
      if (record.seq > (store.last()?.seq ?? 0)) store.append(record);
      store.mergePublished(published);
    }
  }

  /**
   * Signs a checkpoint of the tree as it is now, unless the newest one covers all of it.
   * @param position the tree is waited for up to there; default: the end of the log
   * @returns the newest checkpoint
   * @throws CheckpointRefused | NotSigned, and what tree and stores throw
   */
  sign(position?: number): Promise<NoteRecord> {
    const signing = this.#queue.then(() => this.#sign(position));
    this.#queue = signing.catch(() => undefined);
    return signing;
  }

  /** Takes over what other nodes have signed, after what is being signed here. @throws when the store is unreachable */
  refresh(): Promise<void> {
    const refreshing = this.#queue.then(() => this.#synchronize());
    this.#queue = refreshing.catch(() => undefined);
    return refreshing;
  }

  async #sign(position = this.#options.head()): Promise<NoteRecord> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await this.#synchronize();
      const signed = await this.#signUnlessFaster(position);
      if (signed) return signed;
    }
    throw new NotSigned('Other nodes sign checkpoints all the time.');
  }

  /** @returns undefined when another node was faster */
  async #signUnlessFaster(position: number): Promise<NoteRecord | undefined> {
    const { tree, store, witnesses, known } = this.#options;
    const size = await tree.reached(position, TREE_TIMEOUT_MS);
    const origin = size === 0 ? undefined : await this.findOrigin();
    const lossAt = this.#options.losses().at(-1)?.position ?? 0;
    if (!origin || size < lossAt) throw new NotSigned('The tree of the log has not reached its present origin yet.');
    const last = store.lastCheckpoint();
    if (last?.origin === origin.origin) {
      await this.#requireSame({ ...last, source: 'checkpoints.sqlite' }, this.#changedLog);
    } else if (last) this.#requireSuccessor(last, origin);
    if (known?.origin === origin.origin && known.size > (last?.size ?? 0))
      await this.#requireSame({ ...known, source: 'checkpoints.mark' }, this.#changedLog);
    const heads = await witnesses.heads(origin);
    for (const head of heads) await this.#requireSame(head, this.#fork);
    if (!(await this.#changeKey(origin, heads))) return undefined;
    if (last?.origin === origin.origin && last.size >= size) return last;
    return await this.#signSize(size, origin, last);
  }

  /** @returns undefined when another node was faster */
  async #signSize(size: number, origin: LogOrigin, last: NoteRecord | undefined): Promise<NoteRecord | undefined> {
    const { tree, key } = this.#options;
    const { root } = await tree.root(size);
    let extensions: string[] = [];
    if (last?.origin === origin.origin) {
      const proof = await tree.consistencyProof(last.size, size);
      try {
        verifyConsistency(last.size, Buffer.from(last.root, 'hex'), size, root, proof);
      } catch (error) {
        if (error instanceof ProofError) throw this.#changedLog(last, error.message);
        throw error;
      }
    } else {
      const before = await this.#before(origin, last);
      if (before) extensions = [formatContinuation(before)];
    }
    const note = signCheckpoint({ origin: origin.origin, size, root, extensions }, [key]);
    return await this.#append({ kind: 'checkpoint', origin: origin.origin, size, root: root.toString('hex'), note });
  }

  /** The last checkpoint of the origin before: a restored copy may not have it itself. */
  async #before(origin: LogOrigin, last: NoteRecord | undefined): Promise<Continuation | undefined> {
    const published = await this.#options.witnesses.before(origin);
    const isNewer =
      published && (!last || isLater([numberOf(published.origin), published.size], [numberOf(last.origin), last.size]));
    const before = isNewer ? published : last;
    return before && { origin: before.origin, size: before.size, root: Buffer.from(before.root ?? '', 'hex') };
  }

  /**
   * Records that the log goes on with this key, if an earlier key signed last.
   * @returns false when another node was faster
   */
  async #changeKey(origin: LogOrigin, heads: readonly PublishedHead[]): Promise<boolean> {
    const { store, key, earlierKeys, losses } = this.#options;
    const last = store.last();
    const signedBy = (publicKey: Buffer) =>
      heads.every(({ note }) => note === undefined || isSignedBy(note, publicKey));
    if (last ? last.publicKey === this.#publicKey : signedBy(key.publicKey)) return true;
    const lostSince = losses().slice(last ? numberOf(last.origin) - 1 : 0);
    if (last && last.origin !== origin.origin && lostSince.some(({ isOfKey }) => isOfKey)) return true;
    const before = earlierKeys.find(({ publicKey }) =>
      last ? publicKey.toString('hex') === last.publicKey : signedBy(publicKey),
    );
    if (!before) throw keyChanged(last?.publicKey, this.#publicKey);
    const { size, root } = last ?? { size: 0, root: '' };
    const changed = await this.#append({
      kind: 'keyChange',
      origin: origin.origin,
      size,
      root,
      note: signKeyChange(origin.origin, before, key),
    });
    return changed !== undefined;
  }

  /** @returns undefined when another node was faster: what this one signed has not left it */
  async #append(signed: Omit<NoteRecord, 'seq' | 'publicKey' | 'signedAt'>): Promise<NoteRecord | undefined> {
    const { store, shared, now } = this.#options;
    const seq = (store.last()?.seq ?? 0) + 1;
    const record: NoteRecord = { ...signed, seq, publicKey: this.#publicKey, signedAt: now() };
    if (shared && !(await shared.append({ record, published: store.publishedUpTo() }))) return undefined;
    store.append(record);
    return record;
  }

  /** @throws what `refuse` makes of the difference, when the tree does not begin with that of a checkpoint */
  async #requireSame(signed: Signed, refuse: (signed: Signed, found: string) => CheckpointRefused): Promise<void> {
    const { tree, head, shared } = this.#options;
    let size = tree.size;
    // Another node may know more of a log that is shared; whether that lacks events is found by its mirror.
    const mayGrow = () => shared !== undefined || head() >= signed.size;
    if (size < signed.size && mayGrow()) size = await tree.reached(signed.size, TREE_TIMEOUT_MS);
    if (size < signed.size) {
      if (mayGrow()) throw new NotSigned('The tree of the log is behind the last checkpoint.');
      throw refuse(signed, `the log ends at position ${Math.max(size, head())}`);
    }
    // A witness does not say the root of what this log did not sign.
    if (signed.root === undefined) throw refuse(signed, `that checkpoint is not known (this log has ${head()} events)`);
    const { root } = await tree.root(signed.size);
    if (root.toString('hex') !== signed.root)
      throw refuse(signed, `the events up to there are other ones (this log has ${head()})`);
  }

  readonly #changedLog = ({ size }: Signed, found: string): CheckpointRefused =>
    new CheckpointRefused(
      'checkpoint_log_changed',
      `This log signed a checkpoint of size ${size}, but ${found}: it was changed or lost events. No checkpoint is signed.`,
      'Run "svc verify" to see what differs. Restore the log, or stop svc and run "svc accept-loss", which begins a new origin.',
    );

  readonly #fork = ({ size, source }: Signed, found: string): CheckpointRefused =>
    new CheckpointRefused(
      'checkpoint_fork',
      `Another copy of this log publishes checkpoints under its origin: ${source} has one of size ${size}, but here ${found}. No checkpoint is signed.`,
      'Stop the other copy if it should not run, and remove what it published; or stop svc and run "svc accept-loss", which begins a new origin for this one.',
    );

  /** Whether one origin may follow another. @throws CheckpointRefused */
  #requireSuccessor(last: NoteRecord, origin: LogOrigin): void {
    const before = parseOrigin(last.origin);
    if (before?.installation === origin.installation && before.number < origin.number) return;
    if (this.#options.store.hasEnded(last.origin)) return;
    throw new CheckpointRefused(
      'checkpoint_log_changed',
      `This folder signed checkpoints for the log ${last.origin}, but the log is ${origin.origin} now: its first event or an accepted loss is another one. No checkpoint is signed.`,
      'Restore the log, or stop svc and run "svc accept-loss", which begins a new origin.',
    );
  }
}

interface Signed {
  readonly source?: string;
  readonly size: number;
  readonly root?: string | undefined;
}

const numberOf = (origin: string): number => parseOrigin(origin)?.number ?? 0;

const isLater = (left: readonly number[], right: readonly number[]): boolean => {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at >= 0 && (left[at] as number) > (right[at] as number);
};

function isSignedBy(note: string, publicKey: Buffer): boolean {
  const [origin = ''] = note.split('\n', 1);
  try {
    openCheckpoint(note, [verifierKey(origin, publicKey)]);
    return true;
  } catch {
    return false;
  }
}

const lostNotes = (seq: number): CheckpointRefused =>
  new CheckpointRefused(
    'checkpoint_log_changed',
    `EventStoreDB lacks checkpoints that this node knows (${seq} were signed): it was restored from an older copy. No checkpoint is signed.`,
    'Restore EventStoreDB from a newer backup, or stop all nodes and run "svc accept-loss" on each, which begins a new origin.',
  );

const keyChanged = (before: string | undefined, now: string): CheckpointRefused =>
  new CheckpointRefused(
    'checkpoint_key_changed',
    `The last checkpoint of this log was signed with ${before === undefined ? 'another key' : `the key ${before.slice(0, 16)}...`}, not with the key ${now.slice(0, 16)}... that svc has. No checkpoint is signed.`,
    'Give the earlier key as SVC_CHECKPOINT_KEY_BEFORE, which signs the change; on several nodes, give all the same key. If it is lost, stop svc and run "svc accept-loss --checkpoint-key", which begins a new origin.',
  );
