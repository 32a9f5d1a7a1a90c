import type { DatabaseSync } from 'node:sqlite';
import type { EventTuple } from '../eventLog/sqlite/eventTuple.ts';
import type { Finding } from './finding.ts';

/** Decoding puts this character in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/** Whether data or metadata may have other bytes than their text says. No name of an event contains the character. */
export const mayHideBytes = ([, , , , , , , data, metadata]: EventTuple): boolean =>
  data.indexOf(REPLACEMENT) >= 0 || metadata.indexOf(REPLACEMENT) >= 0;

/** Looks up whether the row of an event has exactly the bytes of its data and metadata in UTF-8. */
export function openStoredBytes(database: DatabaseSync): (event: EventTuple) => boolean {
  const select = database.prepare('SELECT CAST(data AS BLOB), CAST(metadata AS BLOB) FROM events WHERE position = ?');
  select.setReturnArrays(true);
  return ([position, , , , , , , data, metadata]) => {
    const row = select.get(position) as unknown as readonly [data: Uint8Array, metadata: Uint8Array] | undefined;
    // A row that was archived meanwhile is proved by its digest.
    return !row || (isText(row[0], data) && isText(row[1], metadata));
  };
}

const isText = (bytes: Uint8Array, text: string): boolean => Buffer.from(text).equals(bytes);

export const otherBytes = ([position, stream]: EventTuple): Finding => ({
  kind: 'bytes not canonical',
  position,
  stream,
  expected: 'JSON in UTF-8',
  found: 'bytes that are not UTF-8, which decode to the same text',
});
