import { hash as digest } from 'node:crypto';

/** An event as its row stores it. Data and metadata are the stored text itself, not parsed. */
export interface StoredRow {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly time: number;
  readonly data: string;
  readonly metadata: string;
}

/** A name that is too long for a leaf entry: its size in UTF-8 and the SHA-256 of that. */
export interface LongName {
  readonly bytes: number;
  readonly sha256: string;
}

/** What a leaf entry says of an event. */
export interface LeafEntry {
  readonly position: number;
  readonly stream: string | LongName;
  readonly revision: number;
  readonly id: string | LongName;
  readonly type: string | LongName;
  readonly version: number;
  readonly time: number;
  /** Of a request's events the request id; null when the metadata has none. */
  readonly correlationId: string | LongName | null;
  /** SHA-256 of the stored text in UTF-8, 64 hex digits. */
  readonly dataSha256: string;
  readonly metadataSha256: string;
}

/** Bytes, as JSON in UTF-8, up to which each of the four names stands in the entry in full. */
const MAX_NAME_BYTES = 640;

/** No leaf entry has more bytes. */
export const MAX_LEAF_BYTES = 4_095;

const sha256 = (text: string): string => digest('sha256', text, 'hex');

/**
 * The leaf entry of an event: one line of JSON in the canonical form of RFC 8785 (keys sorted, no spaces), so that any
 * implementation can write it from the same fields. The leaf's index in the tree is `position - 1` (docs/decisions/0070-leaf-entries.md).
 */
export const leafEntryOf = ({ stream, id, type, data, metadata, ...numbers }: StoredRow): string =>
  leafEntryOfParts({
    ...numbers,
    stream: JSON.stringify(stream),
    id: JSON.stringify(id),
    type: JSON.stringify(type),
    correlationId: JSON.stringify(correlationIdOf(metadata)),
    dataSha256: sha256(data),
    metadataSha256: sha256(metadata),
  });

/** What a leaf entry is joined from: names as JSON, digests in hexadecimal. */
export interface LeafParts {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly time: number;
  /** `null` when the metadata has none. */
  readonly correlationId: string;
  readonly dataSha256: string;
  readonly metadataSha256: string;
}

/** `leafEntryOf` for a caller that has its parts. */
export const leafEntryOfParts = (parts: LeafParts): string =>
  `{"correlationId":${nameOf(parts.correlationId)},"dataSha256":"${parts.dataSha256}","id":${nameOf(parts.id)},` +
  `"metadataSha256":"${parts.metadataSha256}","position":${parts.position},"revision":${parts.revision},` +
  `"stream":${nameOf(parts.stream)},"time":${parts.time},"type":${nameOf(parts.type)},"version":${parts.version}}`;

/** A name, or `null`, as it stands in an entry. @param json the name as JSON */
function nameOf(json: string): string {
  // Counting bytes costs; a character has at most three.
  if (json.length * 3 <= MAX_NAME_BYTES || Buffer.byteLength(json) <= MAX_NAME_BYTES) return json;
  const name = JSON.parse(json) as string;
  return `{"bytes":${Buffer.byteLength(name)},"sha256":"${sha256(name)}"}`;
}

/**
 * Metadata that svc writes. Nothing in the actor closes a brace, and no character is escaped, so what follows the actor is a key
 * of the metadata itself. Parsing would cost twice as much.
 */
const WRITTEN =
  /^\{"schemaVersion":\d+,"metadataVersion":2,"actor":\{[^{}\\]*\},"correlationId":"([^"\\]*)"[^{}\\]*\}$/;

const CORRELATION_KEY = '"correlationId"';

/** The correlation id in metadata as stored; of a key that is there twice the last one, as in JSON. */
export function correlationIdOf(metadata: string): string | null {
  const written = WRITTEN.exec(metadata);
  if (written && metadata.indexOf(CORRELATION_KEY, metadata.indexOf(CORRELATION_KEY) + 1) === -1)
    return written[1] as string;
  try {
    const id = (JSON.parse(metadata) as { readonly correlationId?: unknown } | null)?.correlationId;
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

/** A line is not a leaf entry; the message says why. */
export class InvalidLeafEntry extends Error {
  override readonly name = 'InvalidLeafEntry';
}

const KEYS = 'correlationId,dataSha256,id,metadataSha256,position,revision,stream,time,type,version';
const SHA256 = /^[0-9a-f]{64}$/;

/** Reads a leaf entry. @throws InvalidLeafEntry unless it has exactly the bytes in which svc writes it */
export const parseLeafEntry = (line: string): LeafEntry => readUsualLeafEntry(line) ?? parseAnyLeafEntry(line);

/** Without counts, which cost more than looking at lengths afterwards. */
const [PLAIN_NAME, DIGEST, NATURAL] = [String.raw`"([\w.:@/-]*)"`, '"([0-9a-f]*)"', String.raw`(0|[1-9]\d*)`];
const USUAL = new RegExp(
  `^\\{"correlationId":(?:null|${PLAIN_NAME}),"dataSha256":${DIGEST},"id":${PLAIN_NAME},"metadataSha256":${DIGEST},` +
    `"position":${NATURAL},"revision":${NATURAL},"stream":${PLAIN_NAME},"time":${NATURAL},"type":${PLAIN_NAME},"version":${NATURAL}\\}$`,
);
const MAX_PLAIN_LENGTH = 200;
const DIGEST_LENGTH = 64;

/**
 * Reads entries whose names are short and need no escapes, which have no other spelling: most of them, at a third of the cost of parsing.
 * @returns undefined for one that has to be parsed
 */
export function readUsualLeafEntry(line: string): LeafEntry | undefined {
  const parts = USUAL.exec(line);
  if (!parts) return undefined;
  const correlationId = parts[1] ?? null;
  const [dataSha256, id, metadataSha256, stream, type] = [
    textAt(parts, 2),
    textAt(parts, 3),
    textAt(parts, 4),
    textAt(parts, 7),
    textAt(parts, 9),
  ];
  const [position, revision, time, version] = [Number(parts[5]), Number(parts[6]), Number(parts[8]), Number(parts[10])];
  const areShort = Math.max(correlationId?.length ?? 0, id.length, stream.length, type.length) <= MAX_PLAIN_LENGTH;
  const areSafe = Math.max(position, revision, time, version) <= Number.MAX_SAFE_INTEGER && position >= 1;
  const areDigests = dataSha256.length === DIGEST_LENGTH && metadataSha256.length === DIGEST_LENGTH;
  if (!areShort || !areSafe || !areDigests) return undefined;
  return { correlationId, dataSha256, id, metadataSha256, position, revision, stream, time, type, version };
}

const textAt = (parts: RegExpExecArray, at: number): string => parts[at] as string;

/** `parseLeafEntry` of any entry. */
export function parseAnyLeafEntry(line: string): LeafEntry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new InvalidLeafEntry('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== KEYS) {
    throw new InvalidLeafEntry(`it is not an object with the keys ${KEYS}`);
  }
  const entry = value as LeafEntry;
  for (const key of ['position', 'revision', 'time', 'version'] as const) {
    if (!Number.isSafeInteger(entry[key])) throw new InvalidLeafEntry(`its ${key} is not a whole number`);
  }
  if (entry.position < 1) throw new InvalidLeafEntry('its position is not above 0');
  for (const key of ['dataSha256', 'metadataSha256'] as const) {
    if (typeof entry[key] !== 'string' || !SHA256.test(entry[key]))
      throw new InvalidLeafEntry(`its ${key} is not a SHA-256`);
  }
  for (const key of ['stream', 'id', 'type', 'correlationId'] as const) {
    const name = entry[key];
    if (!(key === 'correlationId' && name === null) && typeof name !== 'string' && !isLongName(name)) {
      throw new InvalidLeafEntry(`its ${key} is not a name`);
    }
    if (typeof name === 'string' && leafNameJson(name) !== JSON.stringify(name))
      throw new InvalidLeafEntry(`its ${key} is too long`);
  }
  if (JSON.stringify(entry) !== line) throw new InvalidLeafEntry('it is not written in canonical form');
  return entry;
}

function isLongName(name: unknown): name is LongName {
  if (typeof name !== 'object' || name === null || Object.keys(name).join() !== 'bytes,sha256') return false;
  const { bytes, sha256: hash } = name as LongName;
  // In JSON a byte becomes at most six (\u0000).
  return Number.isSafeInteger(bytes) && bytes * 6 + 2 > MAX_NAME_BYTES && typeof hash === 'string' && SHA256.test(hash);
}

/** Whether a name in an entry stands for this text. */
export const isNamed = (name: string | LongName | null, text: string): boolean =>
  name !== null && leafNameJson(text) === JSON.stringify(name);

/** How a name stands in an entry, as JSON. */
export const leafNameJson = (name: string): string => nameOf(JSON.stringify(name));
