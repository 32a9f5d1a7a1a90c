import { writeEventLine } from '../evidence/format/eventLine.ts';
import { eventLineOf } from '../evidence/make/eventLineOf.ts';
import type { StoredRow } from '../integrity/leaf/leafEntry.ts';
import { ocsfEventOf } from './format/ocsfEvent.ts';
import type { SinkFormat } from './sink.ts';

/**
 * An event as a line of JSON. What the history hides (sealed texts, hashes of keys and passwords) is left out of both formats; the
 * digests of the stored text stay, so that a line can be held against the log and its receipts.
 * @param origin of the log
 */
export const lineOf: Readonly<Record<SinkFormat, (row: StoredRow, origin: string) => string>> = {
  cloudevents: (row, origin) => writeEventLine(eventLineOf(row, origin)),
  ocsf: (row, origin) => JSON.stringify(ocsfEventOf(row, origin)),
};
