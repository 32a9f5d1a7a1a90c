import type { EventOf } from '../../../domain/core/event.ts';
import { EventParked } from '../../../domain/outbox/events.ts';
import type { ChainedEvent, SerialisedEvent } from '../../hashChain.ts';
import { chainAtEnd } from '../../storedChain.ts';
import type { ProposedEvent } from './classicAppend.ts';
import type { NativePosition } from './nativePosition.ts';
import type { AllEvent } from './readResponse.ts';

/** An event as the mirror stores it, without the position that the mirror assigns. */
export interface MirroredEvent {
  readonly native: NativePosition;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly time: number;
  /** JSON. */
  readonly data: string;
  /** JSON. */
  readonly metadata: string;
  /** The hash that it continues, and the one that the next event continues; undefined for an event that svc did not write. */
  readonly chain: { readonly previousHash: string | undefined; readonly hash: string | undefined };
}

/**
 * Converts an event for the client, as bytes, so that the store contains exactly the bytes that were hashed. The metadata also
 * gets the event's time, because the store records only the time of arrival.
 */
export const toWire = (
  { id, type, time, data }: Pick<SerialisedEvent, 'id' | 'type' | 'time' | 'data'>,
  { metadata }: Pick<ChainedEvent, 'metadata'>,
): ProposedEvent => ({
  id,
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.from(`{"time":${time},${metadata.slice(1)}`),
});

/** Converts an event of `$all`. An event that svc did not write gets version 0, which no build accepts. */
export const fromWire = (event: AllEvent): MirroredEvent => requestFromWire(event) ?? parsedFromWire(event);

const REQUEST_STREAMS = 'requests-';
/** How `toWire` and `serialise` spell the beginning of metadata. */
const BEGINNING = /^\{"time":(\d{1,15}),(?="schemaVersion":(\d{1,9}),)/;

/**
 * Takes the text of an event of a request as it is, because nearly all events are of requests. Readers of the log parse it.
 * @returns undefined for other events, and for metadata that is spelled in another way
 */
function requestFromWire({ streamId, revision, id, type, position, json, metadataText }: AllEvent) {
  if (!streamId.startsWith(REQUEST_STREAMS) || json === undefined || type === EventParked.type) return undefined;
  const [beginning, time, version] = BEGINNING.exec(metadataText) ?? [];
  const chain = chainAtEnd(metadataText);
  if (beginning === undefined || !chain) return undefined;
  return {
    native: position,
    stream: streamId,
    revision: Number(revision),
    id,
    type,
    version: Number(version),
    time: Number(time),
    data: json,
    metadata: `{${metadataText.slice(beginning.length)}`,
    chain,
  };
}

function parsedFromWire(event: AllEvent): MirroredEvent {
  const { streamId, revision, id, type, position, metadata: stored } = event;
  const { time, ...metadata }: SvcMetadata = isWrittenBySvc(stored) ? stored : foreignMetadata(event.createdMs);
  const { data } = event;
  return {
    native: position,
    stream: streamId,
    revision: Number(revision),
    id,
    type,
    version: metadata.schemaVersion,
    time,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
    chain: {
      previousHash: metadata.previousHash,
      hash: type === EventParked.type ? (data as ParkedHash).hash : metadata.hash,
    },
  };
}

/** The next event continues the one that is parked (docs/decisions/0006-chain-rule.md). */
type ParkedHash = Pick<EventOf<typeof EventParked>['data'], 'hash'>;

interface SvcMetadata {
  readonly previousHash?: string;
  readonly hash?: string;
  readonly time: number;
  readonly schemaVersion: number;
}

const foreignMetadata = (time: number): SvcMetadata => ({ time, schemaVersion: 0 });

function isWrittenBySvc(metadata: unknown): metadata is SvcMetadata {
  const { time, schemaVersion } = (metadata ?? {}) as Partial<SvcMetadata>;
  return Number.isSafeInteger(time) && Number.isSafeInteger(schemaVersion);
}
