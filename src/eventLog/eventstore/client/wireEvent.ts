import { type AllStreamRecordedEvent, type EventData, jsonEvent } from '@eventstore/db-client';
import type { ChainedEvent, SerialisedEvent } from '../../hashChain.ts';
import type { NativePosition } from './nativePosition.ts';

/** An event as the mirror keeps it; its position is given by its place among all of ours. */
export interface MirroredEvent {
  readonly native: NativePosition;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly time: number;
  /** JSON, as are the metadata. */
  readonly data: string;
  readonly metadata: string;
}

/**
 * An event as the client takes it. The data is the object, which the client serialises to the same text as we did; the
 * metadata is our text, so that the hash stands in the store over the very bytes that it was made of. The time of an
 * event is ours, so it goes along: the store notes only when it arrived.
 */
export const toWire = (
  { id, type, time }: Pick<SerialisedEvent, 'id' | 'type' | 'time'>,
  data: unknown,
  { metadata }: Pick<ChainedEvent, 'metadata'>,
): EventData =>
  jsonEvent({
    id,
    type,
    data: data as Record<string, unknown>,
    metadata: Buffer.from(`{"time":${time},${metadata.slice(1)}`),
  });

/** What stands in `$all`. An event that is not of our making has version 0, which no build knows. */
export function fromWire(event: AllStreamRecordedEvent): MirroredEvent {
  const { streamId, revision, id, type, position, created } = event;
  const { time, ...metadata }: OurMetadata = isOurs(event.metadata) ? event.metadata : foreign(created);
  return {
    native: position,
    stream: streamId,
    revision: Number(revision),
    id,
    type,
    version: metadata.schemaVersion,
    time,
    data: event.isJson ? JSON.stringify(event.data) : 'null',
    metadata: JSON.stringify(metadata),
  };
}

interface OurMetadata {
  readonly time: number;
  readonly schemaVersion: number;
}

const foreign = (created: Date): OurMetadata => ({ time: created.getTime(), schemaVersion: 0 });

function isOurs(metadata: unknown): metadata is OurMetadata {
  const { time, schemaVersion } = (metadata ?? {}) as Partial<OurMetadata>;
  return Number.isSafeInteger(time) && Number.isSafeInteger(schemaVersion);
}
