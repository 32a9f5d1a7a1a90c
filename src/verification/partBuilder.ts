import { type Finding, MAX_FINDINGS } from './finding.ts';
import { Keys64 } from './keys64.ts';
import type { AcceptedLoss, ScannedPart, Segment, Sighting, Stop } from './scanProtocol.ts';

/** Collects what a part of a log contains. */
export class PartBuilder {
  readonly ids = new Keys64();
  readonly ends = new Keys64();
  readonly contents = new Keys64();
  readonly references: [stream: string, position: number][] = [];
  readonly losses: AcceptedLoss[] = [];
  readonly #stops: Stop[] = [];
  readonly sightings: Sighting[] = [];
  readonly #findings: Finding[] = [];
  readonly #segments: Segment[] = [];
  readonly #open = new Map<string, Segment>();
  /** Of the event before: looking up its stream would hash the name of it. */
  #latest: Segment | undefined;
  readonly #jumps: [before: number, at: number][] = [];
  #ahead: ScannedPart['decidedAhead'];
  #events = 0;
  #first = 0;
  #last = 0;

  get part(): Omit<ScannedPart, 'leaves'> {
    return {
      events: this.#events,
      first: this.#first,
      last: this.#last,
      jumps: this.#jumps,
      segments: this.#segments,
      findings: this.#findings,
      ids: this.ids.toArray(),
      ends: this.ends.toArray(),
      contents: this.contents.toArray(),
      references: this.references,
      losses: this.losses,
      stops: this.#stops,
      sightings: this.sightings,
      decidedAhead: this.#ahead,
    };
  }

  addFinding(finding: Finding): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding);
  }

  /** The first event that was decided upon a position after its own. */
  decidedAhead(position: number, decidedAt: number): void {
    this.#ahead ??= { position, decidedAt };
  }

  /** Every event behind the stop of a node begins a segment, so that its position is known. */
  stop(stop: Stop): void {
    this.#stops.push(stop);
    this.#open.clear();
    this.#latest = undefined;
  }

  /** Adds an event to the segment that it continues, or begins another one. */
  link(
    [position, stream, revision]: readonly [position: number, stream: string, revision: number, ...unknown[]],
    previousHash: string | undefined,
    hash: string | undefined,
    isEdited: boolean,
  ): void {
    if (this.#events === 0) this.#first = position;
    else if (position !== this.#last + 1) this.#jumps.push([this.#last, position]);
    this.#events += 1;
    this.#last = position;
    const open = this.#latest?.stream === stream ? this.#latest : this.#open.get(stream);
    const continues =
      open &&
      revision === open.lastRevision + 1 &&
      position > open.lastPosition &&
      (isEdited || previousHash === undefined || open.lastHash === undefined || previousHash === open.lastHash);
    if (continues) {
      this.#latest = open;
      open.lastPosition = position;
      open.lastRevision = revision;
      open.lastHash = hash;
      open.lastPreviousHash = previousHash;
      return;
    }
    const segment = {
      stream,
      position,
      revision,
      previousHash,
      isEdited,
      lastPosition: position,
      lastRevision: revision,
      lastHash: hash,
      lastPreviousHash: previousHash,
    };
    this.#open.set(stream, segment);
    this.#latest = segment;
    this.#segments.push(segment);
  }
}
