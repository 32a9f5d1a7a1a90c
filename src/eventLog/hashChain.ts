import { hash as digest } from 'node:crypto';
import type { EventMetadata, StoredEvent } from './eventLog.ts';

/** What the first event of a stream names as the hash before it. */
export const NO_HASH = '0'.repeat(64);

/** Last event of a stream as far as the next one needs it; revision -1 before the first. */
export interface ChainHead {
  readonly revision: number;
  readonly hash: string;
}
export const emptyChain: ChainHead = { revision: -1, hash: NO_HASH };

/** An event whose data and metadata were turned into JSON once, before anybody knew its place. */
export interface SerialisedEvent {
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly data: string;
  /** `UnchainedMetadata` as JSON. */
  readonly metadata: string;
}

/** Metadata in the order in which it is written and hashed; `previousHash` and `hash` follow in the writer. */
export type UnchainedMetadata = Omit<EventMetadata, 'previousHash' | 'hash'>;

export interface ChainedEvent {
  readonly hash: string;
  /** All of the metadata as JSON, as it is stored. */
  readonly metadata: string;
}

const sha256 = (text: string): string => digest('sha256', text, 'hex');

/**
 * Links an event to the one before it in its stream. The hash covers `JSON.stringify` of stream, revision, id, type,
 * time, data and the other metadata (design.md section 3); the bytes are put together from what was serialised before.
 */
export function chain(event: SerialisedEvent, stream: string, revision: number, previousHash: string): ChainedEvent {
  const open = `${event.metadata.slice(0, -1)},"previousHash":"${previousHash}"`;
  const hash = sha256(
    `{"stream":${JSON.stringify(stream)},"revision":${revision},"id":${JSON.stringify(event.id)},` +
      `"type":${JSON.stringify(event.type)},"time":${event.time},"data":${event.data},"metadata":${open}}}`,
  );
  return { hash, metadata: `${open},"hash":"${hash}"}` };
}

/** The hash that a stored event must carry. Data must not be upcast: verification comes before it. */
export function hashOf({ stream, revision, id, type, time, data, metadata }: StoredEvent): string {
  const { hash: _, ...hashed } = metadata;
  return sha256(JSON.stringify({ stream, revision, id, type, time, data, metadata: hashed }));
}

/** Where a stream stops proving itself. */
export interface ChainBreak {
  readonly stream: string;
  readonly revision: number;
  readonly reason: string;
}

export const isBreak = (result: ChainHead | ChainBreak): result is ChainBreak => 'reason' in result;

/** Checks one event against the head of its chain. @returns the new head, or what is wrong */
export function verifyLink(event: StoredEvent, head: ChainHead): ChainHead | ChainBreak {
  const broken = (reason: string): ChainBreak => ({ stream: event.stream, revision: event.revision, reason });
  if (event.revision !== head.revision + 1) {
    return broken(`revision ${event.revision} stands where ${head.revision + 1} must stand`);
  }
  if (event.metadata.previousHash !== head.hash) return broken('it does not name the hash of the event before it');
  const hash = hashOf(event);
  if (event.metadata.hash !== hash) return broken('its content does not match its hash');
  return { revision: event.revision, hash };
}

/** Checks the events of one stream, from its first on. @returns the head of the chain, or where and why it breaks */
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
