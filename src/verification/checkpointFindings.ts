import { openCheckpoint } from '../integrity/notes/checkpoint.ts';
import { type VerifierKey, verifierKey } from '../integrity/notes/noteKeys.ts';
import { parseNote } from '../integrity/notes/signedNote.ts';
import type { CheckedPublished, OriginCheckpoints, PublishedProblem } from '../integrity/published/checkPublished.ts';
import { type LogOrigin, logOrigin, parseOrigin } from '../integrity/published/logOrigin.ts';
import type { PublishedCheckpoint } from '../integrity/published/readPublished.ts';
import type { Finding } from './finding.ts';
import type { LogTree } from './logTree.ts';
import type { AcceptedLoss } from './scanProtocol.ts';

export interface CheckedLog {
  readonly tree: LogTree;
  /** The losses that the log has accepted, in order. */
  readonly losses: readonly AcceptedLoss[];
  /** Position of the last event of the log. */
  readonly last: number;
}

export interface CheckpointComparison {
  readonly findings: readonly Finding[];
  /** What to say unless something was found among the events that it is about. */
  readonly changed: ChangedRange | undefined;
  readonly notes: readonly string[];
  /** A checkpoint of this size is signed and has the root of the log; 0 when there is none. */
  readonly vouchedTo: number;
}

/** Events of which one is not what a checkpoint has signed. */
export interface ChangedRange {
  /** The events up to this position are the signed ones. */
  readonly after: number;
  readonly to: number;
  readonly finding: Finding;
}

/** What a checkpoint says about events that nothing was found at. */
export function changedFinding(findings: readonly Finding[], changed: ChangedRange | undefined): Finding[] {
  if (!changed) return [];
  const isKnown = findings.some(
    ({ position }) => position !== null && changed.after < position && position <= changed.to,
  );
  return isKnown ? [] : [changed.finding];
}

/**
 * Compares a log with the checkpoints that were signed of it.
 * @param published without contradictions in itself @param trusted the key that the caller has named
 */
export function compareCheckpoints(
  published: CheckedPublished,
  trusted: VerifierKey | undefined,
  log: CheckedLog,
): CheckpointComparison {
  const comparison = new Comparison(published, trusted, log);
  if (log.tree.firstEntry !== undefined || log.last === 0) comparison.compare();
  else if (published.origins.length > 0) {
    comparison.note('The checkpoints were not compared: that takes the log from position 1 on.');
  }
  return comparison.result();
}

class Comparison {
  readonly #published: CheckedPublished;
  readonly #trusted: VerifierKey | undefined;
  readonly #log: CheckedLog;
  /** The origins that follow from the log, the first one first. */
  readonly #origins: readonly LogOrigin[];
  readonly #findings: Finding[] = [];
  readonly #notes: string[] = [];
  #changed: ChangedRange | undefined;
  #newest: PublishedCheckpoint | undefined;
  #beyond: PublishedCheckpoint | undefined;
  #accepted = 0;

  constructor(published: CheckedPublished, trusted: VerifierKey | undefined, log: CheckedLog) {
    this.#published = published;
    this.#trusted = trusted;
    this.#log = log;
    this.#origins = originsOf(log);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  result(): CheckpointComparison {
    const isSigned = this.#published.keys.length > 0;
    return {
      findings: this.#findings,
      changed: this.#changed,
      notes: this.#notes,
      vouchedTo: isSigned ? (this.#newest?.size ?? 0) : 0,
    };
  }

  compare(): void {
    const own = this.#ownOrigins();
    if (!own) return;
    for (const problem of this.#published.problems) this.#addProblem(problem);
    for (const origin of own) this.#compareOrigin(origin);
    if (this.#beyond) this.#findTruncated(this.#beyond);
    this.#summarize();
  }

  /** The origins of this log: a folder may have those of others, too. @returns undefined when this log is not the one that is meant */
  #ownOrigins(): readonly OriginCheckpoints[] | undefined {
    const { origins } = this.#published;
    const [first] = this.#origins;
    const trusted = installationOf(this.#trusted?.name ?? '');
    const installation = first?.installation ?? trusted;
    const own = origins.filter(({ origin }) => installation === undefined || installationOf(origin) === installation);
    const others = origins.filter((origin) => !own.includes(origin)).map(({ origin }) => origin);
    const meant = trusted ?? (own.length === 0 ? installationOf(others[0] ?? '') : undefined);
    if (first && meant !== undefined && meant !== first.installation) {
      const expected = `the log svc/${meant}, of which the ${trusted === undefined ? 'checkpoints are' : 'given key is'}`;
      const found = `the log ${first.origin}: its first event is another one`;
      this.#findings.push({ kind: 'rehashed', position: 1, stream: null, expected, found });
      return undefined;
    }
    if (others.length > 0) this.note(`Checkpoints of other logs were not compared: ${shown(others)}.`);
    return own;
  }

  #addProblem({ kind, source, origin, size, expected, found }: PublishedProblem): void {
    const [first] = this.#origins;
    // A note whose origin was changed is still signed under the one of before.
    const isOwn = !first || origin === null || [origin, found].some((text) => text.includes(first.installation));
    if (!isOwn) return;
    if (kind === 'continuation') {
      // Those who accepted the loss did not know all checkpoints. The loss itself is a note, too.
      this.note(`The checkpoint in ${source} does not name ${expected}: ${found}.`);
      return;
    }
    this.#findings.push({
      kind: kind === 'forked' ? 'forked' : 'edited',
      position: size,
      stream: kind === 'forked' ? null : source,
      expected: kind === 'forked' ? `one tree of ${origin} with ${size} events: ${expected}` : expected,
      found: kind === 'forked' ? `${found} in ${source}` : found,
    });
  }

  #compareOrigin({ origin, checkpoints, continues }: OriginCheckpoints): void {
    const isOwn = this.#origins.some((each) => each.origin === origin);
    for (const checkpoint of checkpoints) {
      const { size, root } = checkpoint;
      const own = this.#log.tree.rootAt(size);
      if (own?.equals(root)) {
        if (size >= (this.#newest?.size ?? 0) && !this.#published.unvouched.has(checkpoint)) this.#newest = checkpoint;
      } else if (size > this.#remainsTo(origin)) this.#accepted += 1;
      else if (size > this.#log.last) this.#beyond = checkpoint;
      else if (!isOwn) {
        this.#findForeign(checkpoint);
        return;
      } else if (own) this.#changed ??= this.#changedRange(checkpoint, own, this.#newest?.size ?? 0);
    }
    if (continues && continues.size <= this.#remainsTo(continues.origin)) {
      const own = this.#log.tree.rootAt(continues.size);
      if (own && !own.equals(continues.root)) {
        this.#changed ??= this.#changedRange({ ...continues, source: `the first one of ${origin}` }, own, 0);
      }
    }
  }

  /** The events that the loss after an origin has left; positions behind them were given again. */
  #remainsTo(origin: string): number {
    const loss = this.#log.losses[(parseOrigin(origin)?.number ?? 0) - 1];
    if (!loss) return Number.POSITIVE_INFINITY;
    return loss.isOfEvents ? Math.min(loss.foundPosition, this.#log.tree.sizeBeforeGaps) : loss.foundPosition;
  }

  #findForeign({ origin, source }: PublishedCheckpoint): void {
    this.#findings.push({
      kind: 'forked',
      position: null,
      stream: null,
      expected: `checkpoints of ${shown(this.#origins.map((each) => each.origin))}, as the accepted losses in this log give`,
      found: `one of ${origin} in ${source}: another copy of the log goes on elsewhere, or this one was changed`,
    });
  }

  /** @param after the size of the largest smaller checkpoint that has the root of the log */
  #changedRange(
    { size, root, source }: Pick<PublishedCheckpoint, 'size' | 'root' | 'source'>,
    own: Buffer,
    after: number,
  ): ChangedRange {
    const place =
      after + 1 === size ? `the event at position ${size}` : `an event from position ${after + 1} to ${size}`;
    const finding: Finding = {
      kind: 'rehashed',
      position: after + 1,
      stream: null,
      expected: `root ${hex(root)} of the first ${size} events, as the checkpoint in ${source} says`,
      found: `root ${hex(own)}: ${place} is another one`,
    };
    return { after, to: size, finding };
  }

  #findTruncated({ size, source }: PublishedCheckpoint): void {
    const { last } = this.#log;
    this.#findings.push({
      kind: 'truncated',
      position: last + 1,
      stream: null,
      expected: `events up to position ${size}, which the checkpoint in ${source} covers`,
      found: `the last one at ${last}`,
    });
  }

  #summarize(): void {
    if (this.#accepted > 0) {
      this.note(`${this.#accepted} checkpoints cover events that were accepted as lost: they were not compared.`);
    }
    const { size: unvouched } = this.#published.unvouched;
    if (unvouched > 0) {
      this.note(
        `${unvouched} checkpoints are signed with an earlier key: they were compared, but the given key does not vouch for them.`,
      );
    }
    if (!this.#newest) return;
    const { origin, size, source } = this.#newest;
    const signer = this.#signerOf(this.#newest);
    const vouched = this.#trusted ? '' : ' Nobody vouched for this key: give the one that you trust with --public-key.';
    this.note(
      `The log has the root of the checkpoint of ${origin} with ${size} events in ${source}, signed by ${signer}.${vouched}`,
    );
  }

  #signerOf({ origin, note }: PublishedCheckpoint): string {
    const keys = this.#published.keys.map((key) => verifierKey(origin, Buffer.from(key, 'hex')));
    if (keys.length > 0)
      return openCheckpoint(note, keys)
        .signatures.map(({ key }) => key.vkey)
        .join(', ');
    const signers = parseNote(note).signatures.map(({ name, id }) => `${name}+${id}`);
    return `${shown(signers)}, whose public key is not known here, so that no signature was verified`;
  }
}

function originsOf({ tree, losses }: CheckedLog): LogOrigin[] {
  if (tree.firstEntry === undefined) return [];
  const first = Buffer.from(tree.firstEntry);
  const after = losses.map(({ leaf }, index) => logOrigin(first, { count: index + 1, lastEntry: Buffer.from(leaf) }));
  return [logOrigin(first), ...after];
}

const installationOf = (origin: string): string | undefined => parseOrigin(origin)?.installation;

const hex = (root: Buffer): string => root.toString('hex');

const MAX_SHOWN = 3;

const shown = (names: readonly string[]): string =>
  names.length > MAX_SHOWN
    ? `${names.slice(0, MAX_SHOWN).join(', ')} and ${names.length - MAX_SHOWN} more`
    : names.join(', ');
