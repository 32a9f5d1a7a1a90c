import type { Instant, Position } from '../domain/core/brands.ts';
import type { EventMetadata } from '../eventLog/eventLog.ts';
import { hashOf, hashOfStored } from '../eventLog/hashChain.ts';
import { parseJson, type StoredChain } from '../eventLog/storedChain.ts';
import { type CanonicalMetadata, isCanonical } from './canonicalText.ts';
import type { Finding } from './finding.ts';
import { type RequestFacts, readCompleted, requestFacts } from './requestFacts.ts';
import type { ScannedEvent } from './scannedEvent.ts';

export interface CheckedEvent {
  readonly finding: Finding | undefined;
  /** Of events in the streams of requests. */
  readonly request: RequestFacts | undefined;
}

/** Checks one event by itself: that its content is what its hash says, and that it is spelled as svc writes JSON. */
export function checkEvent(event: ScannedEvent, { hash }: StoredChain, spelling: CanonicalMetadata): CheckedEvent {
  const [position, stream, revision, id, type, version, time, json, metadata] = event;
  const completed = readCompleted(type, version, json);
  const request = completed ?? (stream.startsWith('requests-') ? requestFacts(type, parseJson(json)) : undefined);
  const as = (kind: Finding['kind'], expected: string, found: string): CheckedEvent => ({
    finding: { kind, position, stream, expected, found },
    request,
  });
  if (hash === undefined) return as('inserted', 'an event with a hash', `${type} without one, which svc did not write`);
  const whole = { stream, revision, id, type, time };
  const isVersion = metadata.startsWith(`{"schemaVersion":${version},`);
  if (isVersion && hashOfStored({ ...whole, data: json }, metadata) === hash) {
    return (completed || isCanonical(json)) && spelling.isCanonical(metadata)
      ? { finding: undefined, request }
      : as('bytes not canonical', 'JSON as svc writes it', 'the same hash over another spelling');
  }
  const [data, parsed] = [parseJson(json), parseJson(metadata) as EventMetadata | undefined];
  if (data === undefined || typeof parsed !== 'object' || parsed === null)
    return as('edited', 'data and metadata in JSON', 'text that is not JSON');
  // The text may be spelled in another way than it was hashed.
  const computed = hashOf({
    ...whole,
    position: position as Position,
    time: time as Instant,
    data,
    metadata: { ...parsed, schemaVersion: version },
  });
  if (computed !== hash) return as('edited', `hash ${hash}`, `hash ${computed}`);
  return as('bytes not canonical', 'JSON as svc writes it', 'the same content in another spelling');
}
