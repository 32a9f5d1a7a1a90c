import { type Post, type PostResponse, shownUrl } from '../../lib/outgoing/post.ts';
import { NoteError, type VerifierKey } from '../notes/noteKeys.ts';
import { formatSignature, parseNote, verifyNote } from '../notes/signedNote.ts';
import type { Tree } from '../tree/tree.ts';
import type { NoteRecord } from './noteRecord.ts';
import type { NoteStore } from './noteStore.ts';
import { postNote } from './postNote.ts';
import { PublishFailed, type Target } from './target.ts';

export interface WitnessOptions {
  /** The submission prefix of the witness. */
  readonly address: string;
  /** The key of the witness, of type cosignature. */
  readonly key: VerifierKey;
  readonly tree: Pick<Tree, 'consistencyProof'>;
  readonly store: NoteStore;
  readonly post: Post;
}

export interface WitnessTarget extends Target {
  /**
   * Submits a checkpoint that the witness has, or the first one, to learn whether it has others of this origin. What it has is
   * then among the conflicts of the store, or it is not any more.
   * @throws PublishFailed
   */
  probe(record: Pick<NoteRecord, 'origin' | 'size' | 'note'>, signal: AbortSignal): Promise<void>;
}

/** The answer to what was submitted is as good. */
const PROBE_INTERVAL_MS = 30_000;

type Submitted =
  | { readonly kind: 'cosigned'; readonly lines: readonly string[] }
  | { readonly kind: 'has'; readonly size: number };

/** A witness (https://c2sp.org/tlog-witness): it cosigns a checkpoint that is consistent with the one that it cosigned before. */
export function createWitnessTarget({ address, key, tree, store, post }: WitnessOptions): WitnessTarget {
  const url = new URL(`${address.replace(/\/$/, '')}/add-checkpoint`);
  const target = shownUrl(new URL(address));
  /** The size that the witness has, by origin. */
  const sizes = new Map<string, number>();

  let triedAt = Number.NEGATIVE_INFINITY;

  async function submit(
    record: Pick<NoteRecord, 'origin' | 'size' | 'note'>,
    old: number,
    signal: AbortSignal,
  ): Promise<Submitted> {
    const { origin, size, note } = record;
    triedAt = performance.now();
    const proof = old === 0 ? [] : await tree.consistencyProof(old, size);
    const hashes = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
    const response = await postNote(post, url, `old ${old}\n${hashes}\n${note}`, signal);
    if (response.status === 200) {
      sizes.set(origin, size);
      return { kind: 'cosigned', lines: cosignaturesIn(response.body, record, key, target) };
    }
    const has = sizeIn(response);
    if (has !== undefined && has !== old) {
      sizes.set(origin, has);
      return { kind: 'has', size: has };
    }
    // It has another checkpoint of this size, or one that this tree does not begin with. A 409 that says neither is no proof of a copy.
    if (old > 0 && (response.status === 422 || (response.status === 409 && old === size)))
      throw conflict(origin, Math.max(old, has ?? 0));
    throw refused(response.status, origin, target);
  }

  function conflict(origin: string, size: number): PublishFailed {
    store.setConflict({ source: target, origin, size });
    return new PublishFailed(
      `the witness ${target} has a checkpoint of ${size} events under ${origin} that this log did not sign.`,
      'Another copy of this log publishes there, or this one was restored: stop the other copy, or stop svc and run "svc accept-loss".',
    );
  }

  const isOwn = (origin: string, size: number): boolean =>
    size <= 1 || store.checkpointUpTo(origin, size)?.size === size;

  return {
    kind: 'witness',
    target,
    id: `witness ${key.vkey} ${target}`,
    // It keeps the newest one only.
    begin: (last) => Math.max(0, (last?.seq ?? 0) - 1),
    async publish(record, _, signal) {
      if (record.kind !== 'checkpoint') return;
      const { origin, size, seq } = record;
      const known = sizes.get(origin) ?? 0;
      let result = known > size ? ({ kind: 'has', size: known } as const) : await submit(record, known, signal);
      if (result.kind === 'has' && result.size <= size) result = await submit(record, result.size, signal);
      if (result.kind === 'has') {
        if (!isOwn(origin, result.size)) throw conflict(origin, result.size);
        // It has a newer one of ours and cosigns no older one.
        return;
      }
      store.cosign(seq, result.lines);
      store.clearConflict(target);
    },
    async probe(record, signal) {
      if (performance.now() - triedAt < PROBE_INTERVAL_MS) return;
      const result = await submit(record, record.size === 1 ? 0 : record.size, signal);
      if (result.kind === 'has' && result.size > record.size && !isOwn(record.origin, result.size))
        throw conflict(record.origin, result.size);
      if (result.kind === 'cosigned') store.clearConflict(target);
    },
  };
}

/** The signature lines of the witness that hold. @throws PublishFailed when there is none */
function cosignaturesIn(body: string, { note }: Pick<NoteRecord, 'note'>, key: VerifierKey, target: string): string[] {
  try {
    const { text, signatures } = parseNote(note + body);
    const own = signatures.filter(({ name, id }) => name === key.name && id === key.id);
    verifyNote({ text, signatures: own }, [key]);
    return own.map(formatSignature);
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw new PublishFailed(
      `${target} did not cosign with ${key.name}+${key.id}: ${error.message}.`,
      'Correct SVC_CHECKPOINT_WITNESS_KEY, or ask the operator of the witness.',
    );
  }
}

/** The size that a witness says it has (https://c2sp.org/tlog-witness#add-checkpoint). */
function sizeIn({ status, contentType, body }: PostResponse): number | undefined {
  if (status !== 409 || !contentType.startsWith('text/x.tlog.size')) return undefined;
  const [, digits] = /^(0|[1-9]\d{0,15})\n?$/.exec(body) ?? [];
  // A larger one could be kept, but not read again.
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;
}

function refused(status: number, origin: string, target: string): PublishFailed {
  if (status === 404) {
    return new PublishFailed(
      `${target} does not know the log ${origin} (404).`,
      'Give its operator the verifier key in checkpoint.pub.',
    );
  }
  if (status === 403) {
    return new PublishFailed(
      `${target} does not accept the key of the log ${origin} (403).`,
      'Give its operator the verifier key in checkpoint.pub.',
    );
  }
  return new PublishFailed(`${target} responded with status ${status}.`, 'Check SVC_CHECKPOINT_WITNESS_URL.');
}
