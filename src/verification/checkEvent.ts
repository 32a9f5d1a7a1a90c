import type { Instant, Position } from '../domain/core/brands.ts';
import type { EventMetadata } from '../eventLog/eventLog.ts';
import { hashOf } from '../eventLog/hashChain.ts';
import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import { parseJson, type StoredChain } from '../eventLog/storedChain.ts';
import { correlationIdOf, leafEntryOfParts } from '../integrity/leaf/leafEntry.ts';
import { CanonicalMetadata, isCanonical } from './canonicalText.ts';
import { EventDigests } from './eventDigests.ts';
import type { Finding } from './finding.ts';
import { idJson, RepeatedNameJson } from './nameJson.ts';
import { type RequestFacts, readCompleted, requestFacts } from './requestFacts.ts';

export interface CheckedEvent {
  readonly finding: Finding | undefined;
  /** Of events in the streams of requests. */
  readonly request: RequestFacts | undefined;
  /** Its leaf entry (docs/decisions/0070-leaf-entries.md). */
  readonly leaf: string;
}

/** What a thread keeps from one event to the next one: texts that most events repeat, and room for their bytes. */
export class EventScratch {
  readonly digests = new EventDigests();
  readonly metadata = new CanonicalMetadata();
  readonly streams = new RepeatedNameJson();
  readonly types = new RepeatedNameJson();
}

/** Checks one event by itself: that its content is what its hash says, and that it is spelled as svc writes JSON. */
export function checkEvent(event: EventTuple, { hash }: StoredChain, scratch: EventScratch): CheckedEvent {
  const [position, stream, revision, id, type, version, time, data, metadata] = event;
  const completed = readCompleted(type, version, data);
  const request = completed ?? (stream.startsWith('requests-') ? requestFacts(type, parseJson(data)) : undefined);
  const spelled = scratch.metadata.spellingOf(metadata, completed?.endedId);
  const [streamJson, idText, typeJson] = [scratch.streams.of(stream), idJson(id), scratch.types.of(type)];
  const digests = scratch.digests.of(streamJson, revision, idText, typeJson, time, data, metadata);
  const leaf = leafEntryOfParts({
    position,
    stream: streamJson,
    revision,
    id: idText,
    type: typeJson,
    version,
    time,
    correlationId: spelled.correlationJson ?? JSON.stringify(correlationIdOf(metadata)),
    dataSha256: digests.data,
    metadataSha256: digests.metadata,
  });
  const isAsHashed = digests.chain === hash && isVersion(metadata, version);
  if (isAsHashed && spelled.isCanonical && (completed || isCanonical(data)))
    return { finding: undefined, request, leaf };
  const found = isAsHashed
    ? wrong('bytes not canonical', 'JSON as svc writes it', 'the same hash over another spelling')
    : checkParsed(event, hash);
  return { finding: { ...found, position, stream }, request, leaf };
}

const VERSION = '{"schemaVersion":';

/** Whether metadata names this version first, as svc writes it. */
const isVersion = (metadata: string, version: number): boolean => metadata.startsWith(`${VERSION}${version},`);

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
