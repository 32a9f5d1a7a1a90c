import type { Json } from '../../domain/core/redact.ts';
import { leafNameJson } from '../../integrity/leaf/leafEntry.ts';
import { canonicalize, parseJsonValue } from './canonicalJson.ts';

/** Whether the digest of the stored text follows from what the line shows, or fields are hidden and only the digest proves it. */
export type TextProof = 'recomputable' | 'digest';

/**
 * A line of a bundle: an event in the JSON format of CloudEvents 1.0, written in the canonical form of RFC 8785. Whole numbers
 * are strings, because those of CloudEvents have 32 bits.
 */
export interface EventLine {
  readonly specversion: '1.0';
  readonly id: string;
  /** The origin of the log. */
  readonly source: string;
  readonly type: string;
  /** The stream. */
  readonly subject: string;
  /** RFC 3339; absent when the time is not one of the years 0 to 9999. */
  readonly time?: string;
  readonly datacontenttype: 'application/json';
  /** Milliseconds since 1970, when `time` is absent. */
  readonly timems?: string;
  readonly position: string;
  readonly revision: string;
  readonly schemaversion: string;
  readonly correlationid?: string;
  /** SHA-256 of the stored text of data and metadata, 64 hex digits. */
  readonly datasha256: string;
  readonly metadatasha256: string;
  readonly dataproof: TextProof;
  readonly metadataproof: TextProof;
  /** The order of the keys in the stored text (keyOrder.ts), when the digest can be recomputed. */
  readonly dataorder?: string;
  /** JSON Pointers of the fields that are left out, separated by spaces; a space in a name is `%20`. */
  readonly datahidden?: string;
  readonly metadatahidden?: string;
  /** The stored text, or canonical JSON of what is shown of it; absent when it is not JSON. */
  readonly metadata?: string;
  /** The payload; absent when the stored text is not JSON. */
  readonly data?: Json;
}

/** A line is not one of a bundle; the message says why. */
export class InvalidEventLine extends Error {
  override readonly name = 'InvalidEventLine';
}

export const writeEventLine = (line: EventLine): string => canonicalize(line as unknown as Json);

const REQUIRED = [
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'datacontenttype',
  'position',
  'revision',
  'schemaversion',
  'datasha256',
  'metadatasha256',
  'dataproof',
  'metadataproof',
] as const;
const OPTIONAL = ['time', 'timems', 'correlationid', 'dataorder', 'datahidden', 'metadatahidden', 'metadata'] as const;
const KNOWN: ReadonlySet<string> = new Set([...REQUIRED, ...OPTIONAL, 'data']);
const PROOFS: ReadonlySet<string> = new Set(['recomputable', 'digest'] satisfies TextProof[]);

/** Reads a line. Nothing in it is verified. @throws InvalidEventLine for any other form of JSON or set of attributes */
export function parseEventLine(text: string): EventLine {
  const value = parseJsonValue(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidEventLine('it is not JSON');
  const line = value as Partial<Record<string, Json>>;
  for (const name of Object.keys(line)) {
    if (!KNOWN.has(name)) throw new InvalidEventLine(`it has an attribute "${name}", which no event has`);
  }
  for (const name of [...REQUIRED, ...OPTIONAL]) {
    const isAbsent = line[name] === undefined && (OPTIONAL as readonly string[]).includes(name);
    if (!isAbsent && typeof line[name] !== 'string') throw new InvalidEventLine(`its ${name} is not a text`);
  }
  const event = line as unknown as EventLine;
  if (event.specversion !== '1.0') throw new InvalidEventLine('it is not an event of CloudEvents 1.0');
  if (event.datacontenttype !== 'application/json') throw new InvalidEventLine('its payload is not JSON');
  for (const name of ['dataproof', 'metadataproof'] as const) {
    if (!PROOFS.has(event[name])) throw new InvalidEventLine(`its ${name} is neither "recomputable" nor "digest"`);
  }
  if (canonicalize(value) !== text) throw new InvalidEventLine('it is not in the canonical form of RFC 8785');
  return event;
}

const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The attributes for a time in milliseconds since 1970. */
export const timeAttributes = (time: number): Pick<EventLine, 'time' | 'timems'> =>
  time >= FIRST_TIME && time <= LAST_TIME ? { time: new Date(time).toISOString() } : { timems: String(time) };

/** Milliseconds since 1970. @throws InvalidEventLine */
export function timeOf({ time, timems }: EventLine): number {
  const value = time === undefined ? integerOf(timems, 'timems') : Date.parse(time);
  const expected = Number.isSafeInteger(value) ? timeAttributes(value) : {};
  if (expected.time !== time || expected.timems !== timems) throw new InvalidEventLine('its time is not one');
  return value;
}

/** Reads a whole number. @throws InvalidEventLine unless it is in its only spelling */
export function integerOf(text: string | undefined, name: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || String(value) !== text)
    throw new InvalidEventLine(`its ${name} is not a whole number`);
  return value;
}

/** The leaf entry that follows from the attributes. @throws InvalidEventLine */
export function leafEntryOfLine(line: EventLine): string {
  const number = (name: 'position' | 'revision' | 'schemaversion') => integerOf(line[name], name);
  const correlationId = line.correlationid === undefined ? 'null' : leafNameJson(line.correlationid);
  return (
    `{"correlationId":${correlationId},"dataSha256":"${line.datasha256}","id":${leafNameJson(line.id)},` +
    `"metadataSha256":"${line.metadatasha256}","position":${number('position')},"revision":${number('revision')},` +
    `"stream":${leafNameJson(line.subject)},"time":${timeOf(line)},"type":${leafNameJson(line.type)},` +
    `"version":${number('schemaversion')}}`
  );
}
