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

function dataAttributes(stored: string): Pick<EventLine, 'data' | 'dataproof' | 'dataorder' | 'datahidden'> {
  const value = parseJsonValue(stored);
  if (value === undefined) return { dataproof: 'digest' };
  const { shown, hidden } = withoutHidden(value, isSecret);
  if (hidden.length > 0) return { data: shown, dataproof: 'digest', datahidden: hidden.join(' ') };
  // The order of the keys does not restore another spelling.
  return JSON.stringify(value) === stored
    ? { data: value, dataproof: 'recomputable', dataorder: keyOrderOf(value) }
    : { data: value, dataproof: 'digest' };
}

/** Of metadata only what was sealed is hidden, and the keyed digest of an address: its other hashes are those of the log. */
const isSealed = (value: Json, name: string): boolean =>
  name === 'addressDigest' || (typeof value === 'string' && value.startsWith('sealed.'));

/** Metadata with neither of these, and without a character that is escaped, hides nothing. */
const MAY_BE_SEALED = /\\|sealed\.|addressDigest/;

function metadataAttributes(stored: string): Pick<EventLine, 'metadata' | 'metadataproof' | 'metadatahidden'> {
  const value = parseJsonValue(stored);
  if (value === undefined) return { metadataproof: 'digest' };
  if (typeof value === 'object' && !MAY_BE_SEALED.test(stored))
    return { metadata: stored, metadataproof: 'recomputable' };
  const { shown, hidden } = withoutHidden(value, isSealed);
  if (hidden.length === 0 && typeof value === 'object') return { metadata: stored, metadataproof: 'recomputable' };
  return { metadata: canonicalize(shown), metadataproof: 'digest', metadatahidden: hidden.join(' ') };
}

/**
 * The value without hidden fields, and the JSON Pointers of these. In a list, null takes the place of a hidden value.
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
  const showAt = (name: string | number, part: Json): Json => {
    if (typeof part !== 'object' || part === null) return part;
    path.push(name);
    const shown = show(part);
    path.pop();
    return shown;
  };
  /** The value itself where nothing in it is hidden: copying every event costs more than finding what is. */
  const show = (part: Json): Json => {
    if (typeof part !== 'object' || part === null) return part;
    let isSame = true;
    if (Array.isArray(part)) {
      const items = part.map((item: Json, index) => {
        if (isHidden(item, '')) {
          hide(index);
          isSame = false;
          return null;
        }
        const shown = showAt(index, item);
        isSame &&= shown === item;
        return shown;
      });
      return isSame ? part : items;
    }
    const object = part as { readonly [name: string]: Json };
    const changed = new Map<string, Json | undefined>();
    for (const name of Object.keys(object)) {
      const item = object[name] as Json;
      if (isHidden(item, name)) {
        hide(name);
        changed.set(name, undefined);
        continue;
      }
      const shown = showAt(name, item);
      if (shown !== item) changed.set(name, shown);
    }
    if (changed.size === 0) return part;
    const fields: [string, Json][] = [];
    for (const name of Object.keys(object)) {
      const shown = changed.has(name) ? changed.get(name) : (object[name] as Json);
      if (shown !== undefined) fields.push([name, shown]);
    }
    return Object.fromEntries(fields);
  };
  return { shown: show(value), hidden };
}

const pointerToken = (name: string): string =>
  name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25').replaceAll(' ', '%20');
