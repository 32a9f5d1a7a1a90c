import { NO_HASH } from '../eventLog/hashChain.ts';
import { type Finding, type FindingKind, MAX_FINDINGS } from './finding.ts';
import { RepeatedKeys } from './repeatedKeys.ts';
import type { AcceptedLoss, Occurrence, ScannedPart, Segment } from './scanProtocol.ts';

/** What missing events look like to those behind them; an event that was changed or added is never accepted. */
const OF_GAPS: ReadonlySet<FindingKind> = new Set(['deleted', 'reordered', 'rehashed', 'forked']);

const ONCE: readonly Occurrence['of'][] = ['id', 'end', 'content'];

/** `<node>.<boot>` in the name of a stream that one start of a node writes. */
const START = /^[^-]+-(.+\..+)_\d{8}$/;

/** The last event of a stream so far. */
interface Head {
  revision: number;
  position: number;
  hash: string | undefined;
  previousHash: string | undefined;
}

interface MissingRevisions {
  readonly stream: string;
  readonly first: number;
  last: number;
  /** Positions of the events before and behind. */
  readonly after: number;
  readonly before: number;
}

/** The event before the verified range at a revision of a stream; undefined when there is none. */
export type HeadBefore = (
  stream: string,
  revision: number,
) => { readonly position: number; readonly hash: string | undefined } | undefined;

export interface JoinerOptions {
  /** Position of the last event that is not verified. */
  readonly after: number;
  readonly headBefore: HeadBefore;
}

/** Joins the parts of a log in order: positions, the chain of each stream, and what may occur only once. It must be closed. */
export class LogJoiner {
  readonly losses: AcceptedLoss[] = [];
  readonly #headBefore: HeadBefore;
  readonly #after: number;
  readonly #findings: Finding[] = [];
  readonly #heads = new Map<string, Head>();
  readonly #gaps: { first: number; readonly last: number }[] = [];
  readonly #missing: MissingRevisions[] = [];
  readonly #references = new Map<string, number>();
  /** Positions of the stops of nodes, by `<node>.<boot>`. */
  readonly #stops = new Map<string, number>();
  readonly #keys = { id: new RepeatedKeys(), end: new RepeatedKeys(), content: new RepeatedKeys() };
  #ahead: ScannedPart['decidedAhead'];
  #last: number;
  #events = 0;

  constructor({ after, headBefore }: JoinerOptions) {
    this.#after = after;
    this.#last = after;
    this.#headBefore = headBefore;
  }

  /** Number of events so far. */
  get events(): number {
    return this.#events;
  }

  /** Position of the last event so far. */
  get last(): number {
    return this.#last;
  }

  hasStream(stream: string): boolean {
    return this.#heads.has(stream);
  }

  add(part: ScannedPart): void {
    if (part.events === 0) {
      this.#findAll(part.findings);
      return;
    }
    this.#events += part.events;
    this.#findAll(part.findings);
    this.#jump(this.#last, part.first);
    for (const [before, at] of part.jumps) this.#jump(before, at);
    this.#last = Math.max(this.#last, part.last);
    for (const { start, position } of part.stops) if (!this.#stops.has(start)) this.#stops.set(start, position);
    for (const segment of part.segments) {
      this.#checkStop(segment);
      this.#join(segment);
    }
    for (const of of ONCE) this.#keys[of].add(part[`${of}s`]);
    for (const [stream, position] of part.references) {
      if (!this.#references.has(stream)) this.#references.set(stream, position);
    }
    this.losses.push(...part.losses);
    this.#ahead ??= part.decidedAhead;
  }

  /** Keys of what seems to occur twice in the whole log, as `locate` takes them. */
  repeated(): string[] {
    return ONCE.flatMap((of) => [...this.#keys[of].find(MAX_FINDINGS)].map((key) => `${of} ${key}`)).slice(
      0,
      MAX_FINDINGS,
    );
  }

  close(): void {
    for (const of of ONCE) this.#keys[of].close();
  }

  /** @param acceptedUpTo gaps up to this position were accepted by an operator */
  findings(acceptedUpTo: number): Finding[] {
    return [...this.#ofLosses(acceptedUpTo, false), ...this.#contradictions(acceptedUpTo)]
      .toSorted(byPosition)
      .slice(0, MAX_FINDINGS);
  }

  /** What would be found if no loss up to this position had been accepted. */
  accepted(acceptedUpTo: number): Finding[] {
    return this.#ofLosses(acceptedUpTo, true).toSorted(byPosition);
  }

  #ofLosses(acceptedUpTo: number, isAccepted: boolean): Finding[] {
    const found = this.#findings.filter(
      ({ kind, position }) => (OF_GAPS.has(kind) && (position ?? 0) <= acceptedUpTo) === isAccepted,
    );
    const missing = this.#missingEvents().filter(({ end }) => end <= acceptedUpTo === isAccepted);
    return [...found, ...missing.map(({ finding }) => finding)];
  }

  #findAll(findings: readonly Finding[]): void {
    for (const finding of findings) this.#find(finding);
  }

  #find(finding: Finding): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding);
  }

  #jump(before: number, at: number): void {
    if (at === before + 1) return;
    if (at > before) {
      if (this.#gaps.length < MAX_FINDINGS) this.#gaps.push({ first: before + 1, last: at - 1 });
      return;
    }
    this.#find({
      kind: 'reordered',
      position: at,
      stream: null,
      expected: `position ${before + 1}`,
      found: `position ${at} after ${before}`,
    });
    for (const [index, gap] of this.#gaps.entries()) {
      if (gap.first <= at && at <= gap.last) this.#gaps.splice(index, 1, ...without(gap, at));
    }
  }

  #join(segment: Segment): void {
    const { stream, revision, position } = segment;
    const head = this.#heads.get(stream) ?? this.#headOf(segment);
    if (revision === head.revision + 1) this.#checkLink(segment, head);
    else if (revision > head.revision + 1) {
      const range = { stream, first: head.revision + 1, last: revision - 1, after: head.position, before: position };
      if (this.#missing.length < MAX_FINDINGS) this.#missing.push(range);
    } else this.#checkBackwards(segment);
    if (segment.lastRevision > head.revision) {
      this.#heads.set(stream, {
        revision: segment.lastRevision,
        position: segment.lastPosition,
        hash: segment.lastHash,
        previousHash: segment.lastPreviousHash,
      });
    }
  }

  #headOf({ stream, revision }: Segment): Head {
    const before = revision > 0 && this.#after > 0 ? this.#headBefore(stream, revision - 1) : undefined;
    return before
      ? { revision: revision - 1, ...before, previousHash: undefined }
      : { revision: -1, position: this.#after, hash: NO_HASH, previousHash: undefined };
  }

  #checkLink({ stream, revision, position, previousHash, isEdited }: Segment, head: Head): void {
    if (isEdited || previousHash === undefined || head.hash === undefined || previousHash === head.hash) return;
    if (revision === 0) {
      this.#find({
        kind: 'deleted',
        position,
        stream,
        expected: 'the first event of its stream, without a predecessor',
        found: `predecessor ${previousHash}`,
      });
    } else if (previousHash === head.previousHash) {
      this.#find({
        kind: 'forked',
        position: head.position,
        stream,
        expected: `one event behind ${previousHash}`,
        found: `this one and that of position ${position}`,
      });
    } else {
      this.#find({
        kind: 'rehashed',
        position: head.position,
        stream,
        expected: `hash ${previousHash}, which the next event of its stream names`,
        found: `hash ${head.hash}`,
      });
    }
  }

  #checkStop({ stream, position }: Segment): void {
    const start = this.#stops.size > 0 ? START.exec(stream)?.[1] : undefined;
    const stoppedAt = start === undefined ? undefined : this.#stops.get(start);
    if (stoppedAt === undefined || position <= stoppedAt) return;
    this.#find({
      kind: 'inserted',
      position,
      stream,
      expected: `no event of ${start} behind its stop at position ${stoppedAt}`,
      found: 'one',
    });
  }

  /** An event whose revision is not above that of the event before it in its stream. */
  #checkBackwards({ stream, revision, lastRevision, position }: Segment): void {
    const index = this.#missing.findIndex(
      (range) => range.stream === stream && range.first <= revision && revision <= range.last,
    );
    const range = this.#missing[index];
    if (!range) {
      this.#find({
        kind: 'forked',
        position,
        stream,
        expected: `one event at revision ${revision}`,
        found: 'another one at the same revision',
      });
      return;
    }
    const rest = [
      { ...range, last: revision - 1 },
      { ...range, first: lastRevision + 1 },
    ].filter(({ first, last }) => first <= last);
    this.#missing.splice(index, 1, ...rest);
    this.#find({
      kind: 'reordered',
      position,
      stream,
      expected: `revision ${revision} before position ${range.before}`,
      found: `revision ${revision} behind it`,
    });
  }

  /**
   * Gaps of positions, with the stream whose revisions are missing there, and gaps of revisions alone. An accepted loss at `end` or
   * behind it is about them.
   */
  #missingEvents(): { readonly finding: Finding; readonly end: number }[] {
    const found: { finding: Finding; end: number }[] = [];
    const explained = new Set<object>();
    for (const { stream, first, last, after, before } of this.#missing) {
      const gap = this.#gaps.find((each) => each.first > after && each.last < before);
      if (gap) explained.add(gap);
      const finding: Finding = {
        kind: 'deleted',
        position: gap?.first ?? before,
        stream,
        expected: first === last ? `revision ${first}` : `revisions ${first} to ${last}`,
        found: gap
          ? `no event at ${positions(gap)}`
          : `revision ${last + 1} at position ${before}, without a gap of positions`,
      };
      found.push({ finding, end: before });
    }
    for (const gap of this.#gaps) {
      if (explained.has(gap)) continue;
      const finding: Finding = {
        kind: 'deleted',
        position: gap.first,
        stream: null,
        expected: `events at ${positions(gap)}`,
        found: 'none',
      };
      found.push({ finding, end: gap.last + 1 });
    }
    return found;
  }

  /** What events say about others that the log does not have. */
  #contradictions(acceptedUpTo: number): Finding[] {
    const found: Finding[] = [];
    // A part of a log may refer to streams before it. After an accepted loss, events of before it have other positions.
    if (this.#after > 0 || acceptedUpTo > 0) return found;
    if (this.#ahead) {
      const { position, decidedAt } = this.#ahead;
      found.push({
        kind: 'deleted',
        position,
        stream: null,
        expected: `a position above ${decidedAt}, up to which the log was read when it was decided`,
        found: `position ${position}: events before it are missing`,
      });
    }
    const categories = new Set([...this.#heads.keys()].map(categoryOf));
    for (const [stream, position] of this.#references) {
      // Measurements write requests of accounts and keys that never were: then there is none at all.
      if (this.#heads.has(stream) || !categories.has(categoryOf(stream))) continue;
      found.push({
        kind: 'stream missing',
        position,
        stream,
        expected: `the events of ${stream}, to which the event at position ${position} refers`,
        found: 'none',
      });
    }
    return found;
  }
}

const byPosition = (left: Finding, right: Finding): number => (left.position ?? 0) - (right.position ?? 0);

const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));

const positions = ({ first, last }: { readonly first: number; readonly last: number }): string =>
  first === last ? `position ${first}` : `positions ${first} to ${last}`;

const without = ({ first, last }: { readonly first: number; readonly last: number }, at: number) =>
  [
    { first, last: at - 1 },
    { first: at + 1, last },
  ].filter((gap) => gap.first <= gap.last);
