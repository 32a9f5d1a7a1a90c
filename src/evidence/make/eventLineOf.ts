import { hash as digest } from 'node:crypto';
import { isSecret, type Json } from '../../domain/core/redact.ts';
import { correlationIdOf, type StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { canonicalize, parseJsonValue } from '../format/canonicalJson.ts';
import { type EventLine, timeAttributes } from '../format/eventLine.ts';
import { keyOrderOf } from '../format/keyOrder.ts';

const sha256 = (text: string): string => digest('sha256', text, 'hex');

/**
 * The line of an event in a bundle. What the history hides is left out: sealed values, hashes of keys and passwords, digests. The
 * digests of the stored text stay, so that the event is proved in any case.
 */
export function eventLineOf(row: StoredRow, origin: string): EventLine {
  const correlationId = correlationIdOf(row.metadata);
  return {
    specversion: '1.0',
    id: row.id,
    source: origin,
    type: row.type,
    subject: row.stream,
    ...timeAttributes(row.time),
    datacontenttype: 'application/json',
    position: String(row.position),
    revision: String(row.revision),
    schemaversion: String(row.version),
    ...(correlationId !== null && { correlationid: correlationId }),
    datasha256: sha256(row.data),
    metadatasha256: sha256(row.metadata),
    ...dataAttributes(row.data),
    ...metadataAttributes(row.metadata),
  };
}

/** Whatever is hidden has one of these in the JSON that svc writes; most events have none, and need no walk. */
const MAY_HIDE = /sealed\.|[0-9a-f]{64}|"(?:hash|passwordHash|secret|digest|addressDigest)":/;

function dataAttributes(stored: string): Pick<EventLine, 'data' | 'dataproof' | 'dataorder' | 'datahidden'> {
  const value = parseJsonValue(stored);
  if (value === undefined) return { dataproof: 'digest' };
  const isOwnSpelling = JSON.stringify(value) === stored;
  if (!isOwnSpelling || MAY_HIDE.test(stored)) {
    const { shown, hidden } = withoutHidden(value, isSecret);
    if (hidden.length > 0) return { data: shown, dataproof: 'digest', datahidden: hidden.join(' ') };
  }
  // The order of the keys does not restore another spelling.
  return isOwnSpelling
    ? { data: value, dataproof: 'recomputable', dataorder: keyOrderOf(value) }
    : { data: value, dataproof: 'digest' };
}

/** Of metadata only what was sealed is hidden, and the keyed digest of an address: its other hashes are those of the log. */
const isSealed = (value: Json, name: string): boolean =>
  name === 'addressDigest' || (typeof value === 'string' && value.startsWith('sealed.'));

function metadataAttributes(stored: string): Pick<EventLine, 'metadata' | 'metadataproof' | 'metadatahidden'> {
  const value = parseJsonValue(stored);
  if (value === undefined) return { metadataproof: 'digest' };
  const { shown, hidden } = withoutHidden(value, isSealed);
  if (hidden.length === 0 && typeof value === 'object') return { metadata: stored, metadataproof: 'recomputable' };
  return { metadata: canonicalize(shown), metadataproof: 'digest', metadatahidden: hidden.join(' ') };
}

/**
 * A copy without hidden fields, and the JSON Pointers of these. In a list, null takes the place of a hidden value.
 */
export function withoutHidden(
  value: Json,
  isHidden: (value: Json, name: string) => boolean,
): { readonly shown: Json; readonly hidden: string[] } {
  const hidden: string[] = [];
  /** Names and indexes of what is copied. */
  const path: (string | number)[] = [];
  const hide = (name: string | number) => {
    hidden.push([...path, name].map((part) => `/${pointerToken(String(part))}`).join(''));
  };
  const copyAt = (name: string | number, part: Json): Json => {
    if (typeof part !== 'object' || part === null) return part;
    path.push(name);
    const copied = copy(part);
    path.pop();
    return copied;
  };
  const copy = (part: Json): Json => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      return part.map((item: Json, index) => {
        if (!isHidden(item, '')) return copyAt(index, item);
        hide(index);
        return null;
      });
    }
    const fields: [string, Json][] = [];
    for (const [name, item] of Object.entries(part as { readonly [name: string]: Json })) {
      if (isHidden(item, name)) hide(name);
      else fields.push([name, copyAt(name, item)]);
    }
    return Object.fromEntries(fields);
  };
  return { shown: copy(value), hidden };
}

const pointerToken = (name: string): string =>
  name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25').replaceAll(' ', '%20');
