import type { Instant, Position } from '../domain/core/brands.ts';
import type { EventMetadata } from '../eventLog/eventLog.ts';
import { hashOf, hashOfNames } from '../eventLog/hashChain.ts';
import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { parseJson, type StoredChain } from '../eventLog/storedChain.ts';
import { leafEntryOfNames } from '../integrity/leaf/leafEntry.ts';
import { type CanonicalMetadata, isCanonical } from './canonicalText.ts';
import type { Finding } from './finding.ts';
import { type RequestFacts, readCompleted, requestFacts } from './requestFacts.ts';

export interface CheckedEvent {
  readonly finding: Finding | undefined;
  /** Of events in the streams of requests. */
  readonly request: RequestFacts | undefined;
  /** Its leaf entry (docs/decisions/0070-leaf-entries.md). */
  readonly leaf: string;
}

/** Checks one event by itself: that its content is what its hash says, and that it is spelled as svc writes JSON. */
export function checkEvent(event: EventTuple, { hash }: StoredChain, spelling: CanonicalMetadata): CheckedEvent {
  const [position, stream, revision, id, type, version, time, data, metadata] = event;
  const completed = readCompleted(type, version, data);
  const request = completed ?? (stream.startsWith('requests-') ? requestFacts(type, parseJson(data)) : undefined);
  const spelled = spelling.spellingOf(metadata);
  const [streamJson, idJson, typeJson] = [JSON.stringify(stream), JSON.stringify(id), JSON.stringify(type)];
  const row = { position, stream, revision, id, type, version, time, data, metadata };
  const leaf = leafEntryOfNames(row, streamJson, idJson, typeJson, spelled.correlationId);
  const isAsHashed =
    hash !== undefined &&
    isVersion(metadata, version) &&
    hashOfNames(streamJson, revision, idJson, typeJson, time, data, metadata) === hash;
  if (isAsHashed && spelled.isCanonical && (completed || isCanonical(data)))
    return { finding: undefined, request, leaf };
  const found = isAsHashed
    ? wrong('bytes not canonical', 'JSON as svc writes it', 'the same hash over another spelling')
    : checkParsed(event, hash);
  return { finding: { ...found, position, stream }, request, leaf };
}

const VERSION = '{"schemaVersion":';

/** Whether metadata names this version first, as svc writes it. */
function isVersion(metadata: string, version: number): boolean {
  const digits = String(version);
  const end = VERSION.length + digits.length;
  return metadata.startsWith(VERSION) && metadata.startsWith(digits, VERSION.length) && metadata[end] === ',';
}

type Wrong = Pick<Finding, 'kind' | 'expected' | 'found'>;

const wrong = (kind: Finding['kind'], expected: string, found: string): Wrong => ({ kind, expected, found });

/** Checks an event whose text is not what was hashed: it may be spelled in another way. */
function checkParsed(
  [position, stream, revision, id, type, version, time, json, text]: EventTuple,
  hash?: string,
): Wrong {
  if (hash === undefined)
    return wrong('inserted', 'an event with a hash', `${type} without one, which svc did not write`);
  const [data, metadata] = [parseJson(json), parseJson(text) as EventMetadata | undefined];
  if (data === undefined || typeof metadata !== 'object' || metadata === null)
    return wrong('edited', 'data and metadata in JSON', 'text that is not JSON');
  const computed = hashOf({
    stream,
    revision,
    id,
    type,
    position: position as Position,
    time: time as Instant,
    data,
    metadata: { ...metadata, schemaVersion: version },
  });
  if (computed !== hash) return wrong('edited', `hash ${hash}`, `hash ${computed}`);
  return wrong('bytes not canonical', 'JSON as svc writes it', 'the same content in another spelling');
}
