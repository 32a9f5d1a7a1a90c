import { hash as digest } from 'node:crypto';
import { EventParked } from '../domain/outbox/events.ts';
import type { EventMetadata, StoredEvent } from './eventLog.ts';

/** `previousHash` of the first event of a stream. */
export const NO_HASH = '0'.repeat(64);

/** Revision and hash of the last event of a stream, which the next event continues; revision -1 for an empty stream. */
export interface ChainHead {
  readonly revision: number;
  readonly hash: string;
}
export const emptyChain: ChainHead = { revision: -1, hash: NO_HASH };

/** An event with data and metadata serialised, before its stream revision is known. */
export interface SerialisedEvent {
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly data: string;
  /** `UnchainedMetadata` as JSON. */
  readonly metadata: string;
}

/** Metadata in the order in which it is written and hashed; the writer adds `previousHash` and `hash` at the end. */
export type UnchainedMetadata = Omit<EventMetadata, 'previousHash' | 'hash'>;

export interface ChainedEvent {
  readonly hash: string;
  /** The complete metadata as JSON, as it is stored. */
  readonly metadata: string;
}

const sha256 = (text: string): string => digest('sha256', text, 'hex');

/**
 * Links an event to the previous one of its stream. The hash covers `JSON.stringify` of stream, revision, id, type,
 * time, data and the other metadata (docs/decisions/0006-chain-rule.md). These bytes are assembled from the serialised
 * parts, so nothing is serialised twice.
 */
export function chainEvent(
  event: SerialisedEvent,
  stream: string,
  revision: number,
  previousHash: string,
): ChainedEvent {
  const open = `${event.metadata.slice(0, -1)},"previousHash":"${previousHash}"`;
  const hash = sha256(
    `{"stream":${JSON.stringify(stream)},"revision":${revision},"id":${JSON.stringify(event.id)},` +
      `"type":${JSON.stringify(event.type)},"time":${event.time},"data":${event.data},"metadata":${open}}}`,
  );
  return { hash, metadata: `${open},"hash":"${hash}"}` };
}

/** Bytes of `,"hash":"..."}` at the end of the metadata, which the hash does not cover. */
export const HASH_LENGTH = 75;

/**
 * Computes the hash that an event must have from its JSON as stored, without parsing it. Only for JSON that is spelled as svc
 * writes it; the hash of another spelling is another one.
 */
export const hashOfStored = (
  { stream, revision, id, type, time, data }: Omit<SerialisedEvent, 'metadata'> & { stream: string; revision: number },
  metadata: string,
): string =>
  hashOfNames(JSON.stringify(stream), revision, JSON.stringify(id), JSON.stringify(type), time, data, metadata);

/** The same for a caller that has the names as JSON. */
export const hashOfNames = (
  stream: string,
  revision: number,
  id: string,
  type: string,
  time: number,
  data: string,
  metadata: string,
): string =>
  sha256(
    `{"stream":${stream},"revision":${revision},"id":${id},"type":${type},"time":${time},` +
      `"data":${data},"metadata":${metadata.slice(0, -HASH_LENGTH)}}}`,
  );

/** Computes the hash that a stored event must have. The data must be as stored, not upcast. */
export function hashOf({ stream, revision, id, type, time, data, metadata }: StoredEvent): string {
  const { hash: _, ...hashed } = metadata;
  return sha256(JSON.stringify({ stream, revision, id, type, time, data, metadata: hashed }));
}

/**
 * The hash that the next event of the stream must name as its predecessor: that of the event, or of the event in whose
 * place it stands.
 */
export function continuedHash({ type, data, metadata }: Pick<StoredEvent, 'type' | 'data' | 'metadata'>): string {
  if (type !== EventParked.type) return metadata.hash;
  const { hash } = (data ?? {}) as { readonly hash?: unknown };
  return typeof hash === 'string' ? hash : metadata.hash;
}

/** `continuedHash` as SQL, for a query of `events`. */
export const CONTINUED_HASH = `CASE type WHEN '${EventParked.type}' THEN data ->> '$.hash' ELSE metadata ->> '$.hash' END`;

/** The first event of a stream that does not continue its chain. */
export interface ChainBreak {
  readonly stream: string;
  readonly revision: number;
  readonly reason: string;
}

export const isBreak = (result: ChainHead | ChainBreak): result is ChainBreak => 'reason' in result;

/** Verifies one event against the head of its chain. @returns the new head, or why the chain breaks */
export function verifyLink(event: StoredEvent, head: ChainHead): ChainHead | ChainBreak {
  const broken = (reason: string): ChainBreak => ({ stream: event.stream, revision: event.revision, reason });
  if (event.revision !== head.revision + 1) {
    return broken(`revision ${event.revision} was found where ${head.revision + 1} was expected`);
  }
  if (event.metadata.previousHash !== head.hash)
    return broken('its previousHash is not the hash of the previous event');
  const hash = hashOf(event);
  if (event.metadata.hash !== hash) return broken('its content does not match its hash');
  return { revision: event.revision, hash: continuedHash(event) };
}

/** Verifies one stream from its first event on. @returns the head of the chain, or where and why it breaks */
export function verifyStream(events: Iterable<StoredEvent>): ChainHead | ChainBreak {
  let head = emptyChain;
  let stream: string | undefined;
  for (const event of events) {
    stream ??= event.stream;
    if (event.stream !== stream) return { stream, revision: event.revision, reason: `it belongs to ${event.stream}` };
    const result = verifyLink(event, head);
    if (isBreak(result)) return result;
    head = result;
  }
  return head;
}
