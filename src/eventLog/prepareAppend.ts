import { z } from 'zod';
import { eventTypes } from '../domain/eventTypes.ts';
import { findJsonLoss } from './canonicalJson.ts';
import {
  type AppendOptions,
  type EventToAppend,
  type ExpectedRevision,
  NO_STREAM,
  type RecordedEvent,
} from './eventLog.ts';
import type { SerialisedEvent } from './hashChain.ts';
import { metadataJson, metadataOf } from './metadataJson.ts';
import { isSideStream } from './sideStreams.ts';

export interface PreparedEvent extends SerialisedEvent {
  /** Schema version of the data. */
  readonly version: number;
}

/** A validated append. It can still fail because of a conflict, an id that is in use, or an unavailable store. */
export interface PreparedAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly PreparedEvent[];
  /** The data as it would be read back, for subscribers in this process. */
  readonly data: readonly RecordedEvent['data'][];
}

/**
 * Maximum size of a new event, data and metadata as JSON in UTF-8. Every part of svc handles events of this size; larger ones
 * of earlier versions stay readable (docs/decisions/0060-size-of-an-event.md).
 */
export const MAX_EVENT_BYTES = 65_536;

/** The append will never succeed; the message says why. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
}

// EventStoreDB accepts only UUIDs and returns them in lower case: another spelling would break the hash.
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
// Streams whose names begin with `$` belong to EventStoreDB.
const STREAM = /^[^$\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]{0,499}$/u;

/**
 * Validates and serialises the events of an append.
 * @throws InvalidAppend with the reason for a `rejected` outcome
 */
export function prepareAppend(
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
  { node, isValidated = false, isLossless = false }: AppendOptions & { readonly node: string },
): PreparedAppend {
  if (!STREAM.test(stream)) throw new InvalidAppend(`"${stream}" is not a valid stream name`);
  if (isSideStream(stream)) throw new InvalidAppend(`"${stream}" is a side stream, which the log does not contain`);
  if (!Number.isSafeInteger(expected) || expected < NO_STREAM) throw new InvalidAppend(`${expected} is not a revision`);
  if (events.length === 0) throw new InvalidAppend('an append needs at least one event');
  const data = events.map((event) => validateData(event, isValidated));
  const serialiseEvent = isLossless ? serialiseLossless : serialiseChecked;
  const prepared = events.map((event, index) => boundedSize(serialiseEvent(event, data[index], node)));
  return { stream, expected, data, events: prepared };
}

function boundedSize(event: PreparedEvent): PreparedEvent {
  const { type, data, metadata } = event;
  // Counting bytes would cost as much as writing JSON; a character has at most three.
  if ((data.length + metadata.length) * 3 <= MAX_EVENT_BYTES) return event;
  const bytes = Buffer.byteLength(data) + Buffer.byteLength(metadata);
  if (bytes > MAX_EVENT_BYTES) throw new InvalidAppend(`${type}: it has ${bytes} bytes, more than ${MAX_EVENT_BYTES}`);
  return event;
}

function validateData({ type, data }: EventToAppend, isValidated: boolean): RecordedEvent['data'] {
  const definition = eventTypes.get(type);
  if (!definition) throw new InvalidAppend(`"${type}" is not a known event type`);
  if (isValidated) return data;
  const result = definition.data(z).safeParse(data);
  if (!result.success) throw new InvalidAppend(`${type}: ${describeFirstIssue(result.error)}`);
  return result.data;
}

function serialiseChecked(event: EventToAppend, data: unknown, node: string): PreparedEvent {
  const { id, type, time } = event;
  if (!UUID.test(id)) throw new InvalidAppend(`${type}: "${id}" is not a UUID in lower case`);
  if (!Number.isSafeInteger(time)) throw new InvalidAppend(`${type}: its time is not a whole number of milliseconds`);
  refuseLoss(type, data);
  refuseLoss(`metadata of ${type}`, metadataOf(event, eventTypes.get(type)?.version as number, node));
  return serialise(event, data, node);
}

/** Only strings from clients and providers can still contain half of a surrogate pair, which JSON writes as an escape. */
function serialiseLossless(event: EventToAppend, data: unknown, node: string): PreparedEvent {
  const serialised = serialise(event, data, node);
  return serialised.data.includes(ESCAPED_SURROGATE) ? serialiseChecked(event, data, node) : serialised;
}

const ESCAPED_SURROGATE = '\\ud';

function serialise(event: EventToAppend, data: unknown, node: string): PreparedEvent {
  const { id, type, time } = event;
  const version = eventTypes.get(type)?.version as number;
  return { id, type, version, time, data: JSON.stringify(data), metadata: metadataJson(event, version, node) };
}

function refuseLoss(label: string, value: unknown): void {
  const loss = findJsonLoss(value);
  if (loss) throw new InvalidAppend(`${label}: ${loss}`);
}

function describeFirstIssue(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  return `${['$', ...(issue?.path ?? [])].map(String).join('.')} ${issue?.message}`;
}
