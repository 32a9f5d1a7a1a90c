import { csvRow } from '#lib/format/csv.ts';
import type { Entry } from './logRows.ts';

/** The columns, in the order of the API. */
const COLUMNS = [
  'requested_at',
  'request_id',
  'status',
  'error_code',
  'error_message',
  'route',
  'model',
  'reasoning_effort',
  'account_id',
  'api_key_id',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'tokens',
  'cost_usd',
  'latency_ms',
  'first_byte_ms',
  'attempts',
  'position',
] as const satisfies readonly (keyof Entry)[];

export type Format = 'csv' | 'json';

export interface Writer {
  readonly begin: string;
  /** @param isFirst whether these are the first rows of the file */
  rows(entries: readonly Entry[], isFirst: boolean): string;
  readonly end: string;
  readonly type: string;
}

/** Writes rows in parts, so that the file never exists as one string. */
export const writers: Readonly<Record<Format, Writer>> = {
  csv: {
    // Spreadsheets recognise UTF-8 only by the byte order mark.
    begin: `\u{feff}${COLUMNS.join(',')}\r\n`,
    rows: (entries) => entries.map((entry) => csvRow(COLUMNS.map((name) => entry[name]))).join(''),
    end: '',
    type: 'text/csv;charset=utf-8',
  },
  json: {
    begin: '[\n',
    rows: (entries, isFirst) =>
      entries.map((entry, index) => `${isFirst && index === 0 ? '' : ',\n'}${JSON.stringify(entry)}`).join(''),
    end: '\n]\n',
    type: 'application/json',
  },
};

/** e.g. `svc-requests-2026-11-21T22-40.csv` */
export const fileName = (format: Format, now: number): string =>
  `svc-requests-${new Date(now).toISOString().slice(0, 16).replace(':', '-')}.${format}`;
