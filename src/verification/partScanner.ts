import { NodeStopped } from '../domain/audit/events.ts';
import { CheckpointKeyLossAccepted, LOSSES_STREAM, LossAccepted } from '../domain/losses/events.ts';
import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { chainOf, continuedHashOf, parseJson } from '../eventLog/storedChain.ts';
import { type ArchivedLeaf, archivedIdentities } from './archivedEntry.ts';
import { checkEvent, EventScratch } from './checkEvent.ts';
import { Keys64 } from './keys64.ts';
import { contentOf, identitiesOf } from './once.ts';
import { PartBuilder } from './partBuilder.ts';
import { PartLeaves } from './partLeaves.ts';
import type { RangeReader } from './readRange.ts';
import { RecentTexts } from './recentTexts.ts';
import type { RequestFacts } from './requestFacts.ts';
import type { AcceptedLoss, Occurrence, ScannedPart } from './scanProtocol.ts';
import { mayHideBytes, otherBytes } from './storedBytes.ts';
import type { TreeComparer } from './treeComparer.ts';
import { WantedNames } from './wantedNames.ts';

/** What a scan asks the source of its events. */
export type ScannedSource = Pick<RangeReader, 'hashOfArchived' | 'hasBytesOf'>;

const NO_SOURCE: ScannedSource = { hashOfArchived: () => undefined, hasBytesOf: () => true };

/** Scans parts of a log for one thread. */
export class PartScanner {
  readonly #wanted: WantedNames;
  readonly #referred = new Set<string>();
  /** Of these, most events refer to one of the latest. */
  readonly #recent = new RecentTexts();
  readonly #scratch = new EventScratch();
  readonly #tree: TreeComparer | undefined;

  /** @param wanted hashes and ids of events whose positions are asked for @param tree what the leaves are compared with */
  constructor(wanted: readonly string[], tree?: TreeComparer) {
    this.#wanted = new WantedNames(wanted);
    this.#tree = tree;
  }

  /** @param source where the events are from */
  scan(events: Iterable<EventTuple | ArchivedLeaf>, source: ScannedSource = NO_SOURCE): ScannedPart {
    const [part, leaves] = [new PartBuilder(), new PartLeaves(this.#tree)];
    for (const event of events) {
      if (!Array.isArray(event)) this.#scanArchived(part, leaves, event, source.hashOfArchived(event));
      else {
        leaves.add(event[0], this.#scanEvent(part, event));
        if (mayHideBytes(event) && !source.hasBytesOf(event)) part.addFinding(otherBytes(event));
      }
    }
    return { ...part.part, leaves: leaves.leaves() };
  }

  /** @returns the leaf entry of the event */
  #scanEvent(part: PartBuilder, event: EventTuple): string {
    const [position, stream, , id, type, , , json, metadata] = event;
    const chain = chainOf(metadata);
    const { finding, request, leaf } = checkEvent(event, chain, this.#scratch);
    const isEdited = finding?.kind === 'edited';
    if (finding) part.addFinding(finding);
    part.link(event, chain.previousHash, continuedHashOf(type, json, chain), isEdited);
    part.ids.add(id);
    if (request?.endedId === undefined) part.contents.add(contentOf(event));
    else part.ends.add(request.endedId);
    if (this.#wanted.has(id)) part.sightings.push({ name: id, position });
    if (chain.hash !== undefined && this.#wanted.has(chain.hash)) part.sightings.push({ name: chain.hash, position });
    if (isEdited) return leaf;
    if (type === NodeStopped.type) part.stop({ position, start: startOf(parseJson(json)) });
    if (request) this.#checkRequest(part, position, request);
    else if (stream === LOSSES_STREAM) {
      const loss = acceptedLoss(position, type, parseJson(json), leaf);
      if (loss) part.losses.push(loss);
    }
    return leaf;
  }

  /** Of an archived event its place, its id and, of a request, its end are known. */
  #scanArchived(part: PartBuilder, leaves: PartLeaves, leaf: ArchivedLeaf, hash: string | undefined): void {
    const { position, text, entry } = leaf;
    leaves.add(position, text);
    if (!entry) return;
    // The name of a stream that is too long for an entry is not known.
    const stream = typeof entry.stream === 'string' ? entry.stream : `archived ${entry.stream.sha256}`;
    part.link([position, stream, entry.revision], undefined, hash, false);
    for (const [of, value] of archivedIdentities(leaf)) {
      (of === 'id' ? part.ids : part.ends).add(value);
      if (this.#wanted.has(value)) part.sightings.push({ name: value, position });
    }
  }

  /** Notes what a request says about the log before it: its key, its accounts, and up to where it was decided upon. */
  #checkRequest(part: PartBuilder, position: number, { keyId, accountId, decidedAt }: RequestFacts): void {
    if (keyId !== undefined) this.#refer(part, 'apiKey-', keyId, position);
    if (accountId !== undefined) this.#refer(part, 'account-', accountId, position);
    if (decidedAt > position) part.decidedAhead(position, decidedAt);
  }

  #refer(part: PartBuilder, category: string, id: string, position: number): void {
    if (this.#recent.has(id)) return;
    this.#recent.add(id);
    if (this.#referred.has(id)) return;
    // A copy, because a slice of the JSON would keep the whole JSON in memory.
    this.#referred.add(JSON.parse(JSON.stringify(id)) as string);
    part.references.push([category + id, position]);
  }
}

/** `<node>.<boot>` of a stop; not the name of one for data that is not that of a stop. */
function startOf(data: unknown): string {
  const { node, boot } = (data ?? {}) as { readonly node?: unknown; readonly boot?: unknown };
  return `${String(node)}.${String(boot)}`;
}

function acceptedLoss(position: number, type: string, data: unknown, leaf: string): AcceptedLoss | undefined {
  if (type === LossAccepted.type) {
    const loss = data as ReturnType<typeof LossAccepted>['data'];
    const description = LossAccepted.describe(loss);
    if (loss.of !== 'log') return undefined;
    return { position, isOfEvents: true, lostKey: undefined, description, foundPosition: loss.found.position, leaf };
  }
  if (type !== CheckpointKeyLossAccepted.type) return undefined;
  const loss = data as ReturnType<typeof CheckpointKeyLossAccepted>['data'];
  const description = CheckpointKeyLossAccepted.describe(loss);
  return { position, isOfEvents: false, lostKey: loss.publicKey, description, foundPosition: position - 1, leaf };
}

/** Finds the events that have one of these keys, to compare what seems to be there twice. */
export function locate(events: Iterable<EventTuple | ArchivedLeaf>, keys: ReadonlySet<string>): Occurrence[] {
  const found: Occurrence[] = [];
  for (const event of events) {
    const isRow = Array.isArray(event);
    const [position, stream] = isRow ? event : [event.position, String(event.entry?.stream)];
    for (const [of, value] of isRow ? identitiesOf(event) : archivedIdentities(event)) {
      if (keys.has(`${of} ${Keys64.keyOf(value)}`)) found.push({ of, value, position, stream });
    }
  }
  return found;
}
