import { followKeys, type KeyChange, openKeyChange } from '../keys/keyChange.ts';
import { openCheckpoint } from '../notes/checkpoint.ts';
import { ED25519, type VerifierKey, verifierKey } from '../notes/noteKeys.ts';
import { type Continuation, continuationIn } from './continuation.ts';
import { parseOrigin } from './logOrigin.ts';
import type { Published, PublishedCheckpoint, PublishedNote } from './readPublished.ts';

/** The checkpoints of one origin. */
export interface OriginCheckpoints {
  readonly origin: string;
  /** By size; of several with the same size and root the first one. */
  readonly checkpoints: readonly PublishedCheckpoint[];
  /** What the first one continues; undefined for a first origin. */
  readonly continues: Continuation | undefined;
}

export type PublishedProblemKind =
  /** It is no note. */
  | 'unreadable'
  /** It is not signed with an accepted key, or was changed. */
  | 'signature'
  /** Two checkpoints of an origin contradict each other. */
  | 'forked'
  /** A new origin does not name the last checkpoint of the old one. */
  | 'continuation';

export interface PublishedProblem {
  readonly kind: PublishedProblemKind;
  readonly source: string;
  /** Null where there is none. */
  readonly origin: string | null;
  readonly size: number | null;
  readonly expected: string;
  readonly found: string;
}

export interface CheckedPublished {
  /** The earliest first. */
  readonly origins: readonly OriginCheckpoints[];
  readonly problems: readonly PublishedProblem[];
  /** The public keys that were accepted, 64 hex digits: the trusted ones and their successors. */
  readonly keys: readonly string[];
  /**
   * Checkpoints by keys that came before every accepted one. They must agree with the log like all others, but prove nothing: an
   * earlier key may have been replaced because it was stolen.
   */
  readonly unvouched: ReadonlySet<PublishedCheckpoint>;
}

/**
 * Checks what was published of a log for itself: signatures, the chain of keys, contradictions, and the chain of origins. Whether
 * it agrees with a log is for the caller to check: every checkpoint of the last origin, and of an earlier one those below the
 * event that accepted the loss.
 * @param trusted verifier keys of the log; without any, signatures are not verified. A key is accepted for each origin of a log,
 * as is its successor after a change that both have signed.
 */
export function checkPublished(
  { checkpoints, keyChanges, unreadable }: Published,
  trusted: readonly VerifierKey[],
): CheckedPublished {
  const problems: PublishedProblem[] = unreadable.map(({ source, reason }) => ({
    kind: 'unreadable',
    source,
    origin: null,
    size: null,
    expected: 'a signed note',
    found: reason,
  }));
  const changes = keyChanges.flatMap((change) => openChange(change, problems));
  const keys = acceptedPublicKeys(trusted, changes);
  const refused = trusted.length === 0 ? [] : checkpoints.flatMap((checkpoint) => refusal(checkpoint, keys));
  const isAnyAccepted = refused.length < checkpoints.length;
  const earlier = isAnyAccepted ? earlierPublicKeys(keys, changes) : [];
  const unvouched = new Set<PublishedCheckpoint>();
  for (const { checkpoint, problem } of refused) {
    if (earlier.length > 0 && refusal(checkpoint, earlier).length === 0) unvouched.add(checkpoint);
    else problems.push(problem);
  }
  const others = new Set(refused.map(({ checkpoint }) => checkpoint).filter((each) => !unvouched.has(each)));
  const byOrigin = Map.groupBy(
    checkpoints.filter((checkpoint) => !others.has(checkpoint)),
    ({ origin }) => origin,
  );
  // Of two with the same root, the one that is vouched for is kept.
  const vouchedFirst = (all: readonly PublishedCheckpoint[]) =>
    all.toSorted((left, right) => Number(unvouched.has(left)) - Number(unvouched.has(right)));
  const origins = [...byOrigin].map(([origin, all]) => checkOrigin(origin, vouchedFirst(all), problems)).sort(byNumber);
  for (const origin of origins) checkContinuation(origin, byOrigin, problems);
  return { origins, problems, keys, unvouched };
}

function openChange(change: PublishedNote, problems: PublishedProblem[]): KeyChange[] {
  try {
    return [openKeyChange(change.note)];
  } catch (error) {
    const found = (error as Error).message;
    const expected = 'a change of the key that both keys have signed';
    problems.push({ kind: 'signature', source: change.source, origin: null, size: null, expected, found });
    return [];
  }
}

/** Trusted keys and all that follow from them. */
function acceptedPublicKeys(trusted: readonly VerifierKey[], changes: readonly KeyChange[]): string[] {
  const own = trusted.filter(({ type }) => type === ED25519).map(({ publicKey }) => publicKey.toString('hex'));
  return followKeys(own, changes);
}

/** The keys that these have followed. */
function earlierPublicKeys(keys: readonly string[], changes: readonly KeyChange[]): string[] {
  const earlier = new Set<string>();
  const known = [...keys];
  // A list that grows while it is walked is walked to its new end.
  for (const key of known) {
    for (const { before, after } of changes) {
      const from = before.publicKey.toString('hex');
      if (after.publicKey.toString('hex') !== key || known.includes(from)) continue;
      known.push(from);
      earlier.add(from);
    }
  }
  return [...earlier];
}

/** @returns nothing for a checkpoint that one of these keys has signed */
function refusal(checkpoint: PublishedCheckpoint, keys: readonly string[]) {
  const { origin, size, source, note } = checkpoint;
  try {
    openCheckpoint(
      note,
      keys.map((key) => verifierKey(origin, Buffer.from(key, 'hex'))),
    );
    return [];
  } catch (error) {
    const found = (error as Error).message;
    const expected = 'a signature by an accepted key';
    const problem: PublishedProblem = { kind: 'signature', source, origin, size, expected, found };
    return [{ checkpoint, problem }];
  }
}

function checkOrigin(
  origin: string,
  all: readonly PublishedCheckpoint[],
  problems: PublishedProblem[],
): OriginCheckpoints {
  const bySize = new Map<number, PublishedCheckpoint>();
  for (const checkpoint of all.toSorted((left, right) => left.size - right.size)) {
    const { size, root, source } = checkpoint;
    const other = bySize.get(size);
    if (!other) bySize.set(size, checkpoint);
    else if (!other.root.equals(root)) {
      const expected = `root ${other.root.toString('hex')}, as in ${other.source}`;
      problems.push({ kind: 'forked', source, origin, size, expected, found: `root ${root.toString('hex')}` });
    }
  }
  const checkpoints = [...bySize.values()];
  return { origin, checkpoints, continues: continues(checkpoints[0], problems) };
}

function continues(first: PublishedCheckpoint | undefined, problems: PublishedProblem[]): Continuation | undefined {
  if (!first) return undefined;
  const { source, origin, size, extensions } = first;
  try {
    return continuationIn(extensions);
  } catch (error) {
    const expected = 'the last checkpoint of the origin before';
    problems.push({ kind: 'continuation', source, origin, size, expected, found: (error as Error).message });
    return undefined;
  }
}

function checkContinuation(
  { origin, checkpoints, continues }: OriginCheckpoints,
  byOrigin: ReadonlyMap<string, readonly PublishedCheckpoint[]>,
  problems: PublishedProblem[],
): void {
  const [first] = checkpoints;
  if (!first || !continues) return;
  const { source, size } = first;
  const before = byOrigin.get(continues.origin) ?? [];
  const named = before.find((checkpoint) => checkpoint.size === continues.size);
  const last = before.reduce((largest, checkpoint) => Math.max(largest, checkpoint.size), 0);
  const found = `it continues ${continues.origin} from ${continues.size} events with root ${continues.root.toString('hex')}`;
  const problem = (kind: PublishedProblemKind, expected: string) =>
    problems.push({ kind, source, origin, size, expected, found });
  if (named && !named.root.equals(continues.root))
    problem('forked', `root ${named.root.toString('hex')}, as in ${named.source}`);
  else if (last > continues.size)
    problem('continuation', `the last checkpoint of ${continues.origin}, of ${last} events`);
}

const byNumber = (left: OriginCheckpoints, right: OriginCheckpoints): number =>
  (parseOrigin(left.origin)?.number ?? 0) - (parseOrigin(right.origin)?.number ?? 0);
